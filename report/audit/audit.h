/* audit.h - the audit report: report.pdf (private to report/audit/).
 *
 *   cover, contents, summary, one part a kernel, method, tolerances, published checks, charts of
 *   studies, glossary
 *
 * Everything it says is read from the evidence or counts its entries; the same evidence gives the
 * same bytes. */
#ifndef REPORT_AUDIT_AUDIT_H
#define REPORT_AUDIT_AUDIT_H

#include "report/audit/flow.h"
#include "report/audit/table.h"
#include "report/audit/words.h"
#include "report/draw/chart.h"

struct audit {
	struct flow f;
	const struct charts *in;
	const struct model *m;
	char sha256[65]; /* of evidence.json */
	const cJSON *evidence;
};

/* Is there a study to draw a chart of? */
bool audit_has_studies(const struct audit *a);

/* Parts, in their order. Each begins where it wants to. */
void audit_cover(struct audit *a);
void audit_contents(struct audit *a);
void audit_summary(struct audit *a);
void audit_kernels(struct audit *a);
void audit_method(struct audit *a);
void audit_tolerances(struct audit *a);
void audit_checks(struct audit *a);
void audit_studies(struct audit *a);
void audit_glossary(struct audit *a);

/* Kernel i of the model, its destination. */
int kernel_dest(int i);
/* Name and verdict for people: never empty. */
const char *kernel_title(const struct row *r);
const char *kernel_verdict(const struct row *r);
/* A part's first page: heading, outline entry, running header. */
void audit_part(struct audit *a, int dest, const char *title);
void audit_running(struct audit *a, const char *section);

/* One chart under its title; of one that is higher than a page the command that draws it. It must
 * not be absent. */
void audit_chart(struct audit *a, const struct chart *k);

/* Did the kernel get the verdict it should? Of a user's: does it pass? */
bool kernel_as_expected(const struct row *r);

/* ---- pieces of a kernel's page (kernel_*.c) ---- */

/* What the evidence says together of why a failing kernel fails. */
void kernel_diagnosis(struct audit *a, const struct row *r);
void kernel_error_maps(struct audit *a, const struct row *r);
void kernel_findings(struct audit *a, const struct row *r);
void kernel_coverage(struct audit *a, const struct row *r);
void kernel_envelope(struct audit *a, const struct row *r);
void kernel_lint(struct audit *a, const struct row *r);
void kernel_checks(struct audit *a, const struct row *r);

#endif
