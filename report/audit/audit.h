/* audit.h - the audit report: report.pdf (private to report/audit/).
 *
 *   cover, contents, summary, one part a kernel, method, how to read a case, operators, tolerances,
 *   published checks, charts of studies, glossary
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
	/* On a page of HTML: puts a chart, which is not absent, w points wide. */
	void (*figure)(struct audit *a, const struct chart *k, const struct charts *in, double w);
};

/* Names, each once, borrowed. Zero-initialise; free v. */
struct names {
	const char **v;
	int n;
};
void names_add(struct names *n, const char *name);
/* A heading and a table of what the evidence's words of one kind mean (language.c); those met in it
 * that it does not explain are told as such. */
void audit_words(struct audit *a, const char *key, const char *title, const char *lead,
                 const struct names *met);

/* Does the evidence say what its operators are? */
bool audit_has_operators(const struct audit *a);
/* Is there a study to draw a chart of? */
bool audit_has_studies(const struct audit *a);

/* Parts, in their order. Each begins where it wants to. */
void audit_cover(struct audit *a);
void audit_contents(struct audit *a);
void audit_summary(struct audit *a);
void audit_kernels(struct audit *a);
void audit_method(struct audit *a);
void audit_cases(struct audit *a);
void audit_definitions(struct audit *a);
void audit_tolerances(struct audit *a);
void audit_checks(struct audit *a);
void audit_studies(struct audit *a);
void audit_glossary(struct audit *a);

/* The parts behind the kernels, in their order in both documents. */
struct audit_appendix {
	int dest;
	const char *anchor, *title;         /* in report.html; in the contents */
	bool (*has)(const struct audit *a); /* NULL: always */
	void (*put)(struct audit *a);       /* nothing when it has none */
};
extern const struct audit_appendix audit_appendices[];
extern const size_t naudit_appendices;

/* ---- what report.html has of them too (report/html/) ---- */

/* The verdict on all kernels in one sentence or two. True: nothing is to be mended. */
bool audit_verdict(struct buf *b, const struct model *m);
/* The operators tested, each once. */
void audit_operators(struct buf *b, const struct model *m);
/* The table of what the verdict was reached with. */
void audit_identities(struct audit *a);
/* The summary without its pictures and the index of kernels. */
void audit_counts(struct audit *a);
/* By what a kernel failed, and whether it should not; "" where there is nothing to tell. */
void audit_why(struct buf *b, const struct row *r);
/* Everything about one kernel but its heading. */
void audit_kernel(struct audit *a, const struct row *r);

/* Kernel i of the model, its destination. */
int kernel_dest(int i);
/* Name and verdict for people: never empty. */
const char *kernel_title(const struct row *r);
const char *kernel_verdict(const struct row *r);
/* A part's first page: heading, outline entry, running header. */
void audit_part(struct audit *a, int dest, const char *title);
void audit_running(struct audit *a, const char *section);

/* A chart, which must not be absent, w points wide with its top at the cursor, which stays. */
void audit_draw(struct audit *a, const struct chart *k, const struct charts *in, double x, double w);
/* One chart under its title; of one that is higher than a page the command that draws it. It must
 * not be absent. */
void audit_chart(struct audit *a, const struct chart *k);

/* " (page 7)" of a destination; nothing before it is known, and on a page of HTML. */
void put_page(struct buf *b, const struct audit *a, int dest);

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
