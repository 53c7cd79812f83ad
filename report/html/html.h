/* html.h - the audit report as one HTML file that fetches nothing: report.html (private to report/html/ and
 * report/draw/main.c).
 *
 * Identities, summary, tables, kernels' parts, method, tolerances, checks and glossary are the blocks of the PDF
 * (report/audit/), written as markup; the page adds a table of kernels to sort and filter, the cases themselves,
 * and a search over both. Without script everything can be read; script only sorts, filters and copies. */
#ifndef REPORT_HTML_HTML_H
#define REPORT_HTML_HTML_H

#include "report/audit/audit.h"
#include "report/audit/markup.h"

/* The evidence of in->src, which must have one, as a page appended to out. The cases are read from cases.jsonl
 * beside the evidence's file; without one, those are listed that the evidence itself keeps. The same files give the
 * same bytes. ST_INPUT: the evidence cannot be read again (for its SHA-256); ST_LIMIT: a chart could not be drawn. */
MUST_USE enum st html_report(const struct charts *in, struct buf *out, struct err *e);

/* ---- pieces ---- */

/* The cases of one kernel and dtype that are listed. */
struct case_unit {
	const cJSON *kernel, *dtype; /* of the evidence */
	struct buf bad, good;        /* rows of the table: not passed, passed */
	size_t *end;                 /* in good, of each row; ngood of them */
	int nbad, ngood;
	double seen;                 /* records read */
};
struct case_list {
	struct case_unit *unit;
	int n;
	int most;        /* rows a unit */
	bool read;       /* from cases.jsonl */
	char why[300];   /* else why not */
	double listed, of;
};

/* Never fails: what cannot be read is told of in the list. evidence_path: cases.jsonl stands beside it. */
void cases_read(struct case_list *l, const struct model *m, const char *evidence_path);
void cases_free(struct case_list *l);
/* What is listed and what not, in a sentence. */
void cases_note(const struct case_list *l, struct buf *b);

struct page {
	struct audit a; /* first: a.figure is given it */
	struct buf *out;
	char **anchor;  /* by destination (flow.h); NULL: the page has none */
	int nanchor;
	double room;    /* bytes that charts of kernels may still take */
	struct case_list cases;
	struct err *e;  /* of the first chart that could not be drawn */
};

/* The form of the filters, the table of kernels, the kernels themselves. */
void html_kernels(struct page *p);
/* The cases of a kernel as a table that is shown when it is opened. */
void html_cases(struct page *p, const cJSON *kernel);
/* A chart as an image whose bytes stand in the page; struct audit's figure. */
void html_figure(struct audit *a, const struct chart *k, const struct charts *in, double w);
/* An SVG of Cairo's as a data URI in an attribute's double quotes, made smaller: numbers with three decimals,
 * colours in hexadecimal, defaults left out. */
void html_svg_uri(struct buf *out, const char *svg);

#endif
