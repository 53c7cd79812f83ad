/* audit.c - the document as a whole: two passes, metadata, contents: see audit.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-pdf.h>

#include "report/audit/audit.h"
#include "report/audit/report.h"

#define TITLE  "gpuemu audit report"
#define COUNTS 3 /* countings at most */

int kernel_dest(int i)
{
	return DEST_FIRST_KERNEL + i;
}

bool kernel_as_expected(const struct row *r)
{
	return strcmp(ev_text(r->kernel, "verdict"), r->group == GROUP_BUGGY ? "FAIL" : "PASS") ==
	       0;
}

const char *kernel_title(const struct row *r)
{
	return r->name[0] ? r->name : "(no name)";
}

const char *kernel_verdict(const struct row *r)
{
	const char *v = ev_text(r->kernel, "verdict");

	return v[0] ? v : "no verdict";
}

void put_page(struct buf *b, const struct audit *a, int dest)
{
	int page = flow_page_of(&a->f, dest);

	/* counting, the page of what comes later is not known yet; the text is as long as it will
	 * be */
	if (!a->f.html && !a->f.drawing && !page)
		page = 88;
	if (!a->f.html && page)
		buf_printf(b, " (page %d)", page);
}

void audit_running(struct audit *a, const char *section)
{
	const cJSON *tool = ev_get(a->evidence, "tool");
	struct buf b = {0};

	buf_printf(&b, "%s %s · %s · campaign seed %s · evidence %.12s", ev_text(tool, "name"),
	           ev_text(tool, "version"), ev_text(a->evidence, "date"),
	           ev_text(a->evidence, "seed"), a->sha256);
	flow_running(&a->f, TITLE, section, b.s);
	buf_free(&b);
}

void audit_part(struct audit *a, int dest, const char *title)
{
	/* the running header is that of the last part on a page */
	if (a->f.y > PAGE_TOP + 0.4 * (PAGE_END - PAGE_TOP))
		flow_page(&a->f);
	flow_gap(&a->f, 16);
	audit_running(a, title);
	flow_heading(&a->f, 1, dest, title, title);
}

/* ---- what stands behind the kernels ---- */

const struct audit_appendix audit_appendices[] = {
        {DEST_METHOD, "method", "Method", NULL, audit_method},
        {DEST_CASES, "cases", "How to read a case", NULL, audit_cases},
        {DEST_OPERATORS, "operators", "The operators tested", audit_has_operators,
         audit_definitions},
        {DEST_TOLERANCE, "tolerances", "Tolerances", NULL, audit_tolerances},
        {DEST_CHECKS, "checks", "Published one-shape checks", NULL, audit_checks},
        {DEST_STUDIES, "studies", "Charts of studies", audit_has_studies, audit_studies},
        {DEST_GLOSSARY, "glossary", "Glossary", NULL, audit_glossary},
};
const size_t naudit_appendices = ARRAY_LEN(audit_appendices);

/* ---- contents ---- */

/* A line with its page at the right; the whole is a link. */
static void content_line(struct audit *a, int dest, double indent, bool bold, const char *text,
                         const char *verdict)
{
	struct face s = {.size = bold ? 9.4 : 8.2, .colour = C_INK, .bold = bold};
	struct face v = {.size = 7.4, .colour = verdict_colour(verdict), .bold = true};
	struct face page = {.size = 8.2, .colour = C_SOFT, .align = ALIGN_RIGHT};
	struct flow *f = &a->f;
	double w = PAGE_TEXT - indent - 100, h = flow_height(f, s, w, 1, text) + (bold ? 3 : 0.6);
	char number[16];
	bool link;

	flow_need(f, h + (bold ? 5 : 0));
	flow_gap(f, bold ? 5 : 0);
	snprintf(number, sizeof number, "%d", flow_page_of(f, dest));
	flow_tag(f, "TOCI");
	link = flow_link(f, dest, NULL);
	flow_text(f, s, PAGE_LEFT + indent, f->y, w, 1, text);
	flow_text(f, v, PAGE_LEFT + PAGE_TEXT - 96, f->y + 0.5, 66, 1, verdict);
	flow_text(f, page, PAGE_LEFT + PAGE_TEXT - 28, f->y, 28, 1, number);
	if (link)
		flow_link_end(f);
	flow_untag(f, "TOCI");
	f->y += h;
}

void audit_contents(struct audit *a)
{
	flow_page(&a->f);
	audit_running(a, "Contents");
	flow_heading(&a->f, 1, DEST_CONTENTS, "Contents", "Contents");
	flow_tag(&a->f, "TOC");
	a->f.tag = "TOC";
	content_line(a, DEST_SUMMARY, 0, true, "Summary", "");
	content_line(a, DEST_INDEX, 0, true, "All kernels", "");
	if (a->m->nrows)
		content_line(a, DEST_KERNELS, 0, true, "Kernel by kernel", "");
	for (int i = 0; i < a->m->nrows; i++)
		content_line(a, kernel_dest(i), 14, false, kernel_title(&a->m->rows[i]),
		             kernel_verdict(&a->m->rows[i]));
	for (size_t i = 0; i < naudit_appendices; i++) {
		const struct audit_appendix *x = &audit_appendices[i];

		if (!x->has || x->has(a))
			content_line(a, x->dest, 0, true, x->title, "");
	}
	a->f.tag = NULL;
	flow_untag(&a->f, "TOC");
}

/* ---- metadata ---- */

/* Is it a date as PDF wants it? */
static bool is_date(const char *s)
{
	static const char form[] = "0000-00-00T00:00:00Z";

	for (size_t i = 0; i < sizeof form; i++)
		if (form[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
			return false;
	return true;
}

static void set_metadata(struct flow *f, cairo_pdf_metadata_t what, const char *text)
{
	char *clean = text_clean(text);

	cairo_pdf_surface_set_metadata(f->surface, what, clean);
	g_free(clean);
}

/* The evidence's date, not the clock's, so that the same evidence gives the same bytes. */
static void metadata(struct audit *a)
{
	const cJSON *tool = ev_get(a->evidence, "tool");
	const char *date = ev_text(a->evidence, "date");
	struct buf b = {0};

	date = is_date(date) ? date : "1970-01-01T00:00:00Z";
	buf_printf(&b, "%s %s", ev_text(tool, "name"), ev_text(tool, "version"));
	set_metadata(&a->f, CAIRO_PDF_METADATA_TITLE, TITLE);
	set_metadata(&a->f, CAIRO_PDF_METADATA_AUTHOR, b.s);
	set_metadata(&a->f, CAIRO_PDF_METADATA_CREATOR, b.s);
	b.len = 0;
	put_plural(&b, a->m->nrows, "GPU kernel", "GPU kernels");
	buf_printf(&b, " on %s, campaign seed %s", ev_text(ev_get(a->evidence, "device"), "text"),
	           ev_text(a->evidence, "seed"));
	set_metadata(&a->f, CAIRO_PDF_METADATA_SUBJECT, b.s);
	b.len = 0;
	buf_printf(&b, "GPU kernels, validation, evidence sha256 %s, tolerance table %s", a->sha256,
	           ev_text(ev_get(a->evidence, "tolerance"), "name"));
	set_metadata(&a->f, CAIRO_PDF_METADATA_KEYWORDS, b.s);
	cairo_pdf_surface_set_metadata(a->f.surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
	cairo_pdf_surface_set_metadata(a->f.surface, CAIRO_PDF_METADATA_MOD_DATE, date);
	buf_free(&b);
}

/* ---- the document ---- */

static enum st pass(struct audit *a, struct buf *out, struct passes *known, struct err *e)
{
	flow_open(&a->f, out, known);
	if (out)
		metadata(a);
	audit_cover(a);
	audit_contents(a);
	audit_summary(a);
	audit_kernels(a);
	for (size_t i = 0; i < naudit_appendices; i++)
		audit_appendices[i].put(a);
	return flow_close(&a->f, "report.pdf", e);
}

enum st audit_report(const struct charts *in, struct buf *out, struct err *e)
{
	struct audit a = {.in = in, .m = &in->model, .evidence = in->src->file[SRC_EVIDENCE]};
	struct passes known;
	size_t start = out->len;
	enum st rc;

	TRY(sha256_file(in->src->path[SRC_EVIDENCE], a.sha256, e));
	passes_init(&known, DEST_FIRST_KERNEL + in->model.nrows);
	/* a text that names a page which comes later may be longer than the first counting took it
	 * for: then the pages are counted again with the numbers known */
	for (int i = 0; i < COUNTS; i++) {
		out->len = start;
		passes_again(&known);
		TRY_OR(done, rc, pass(&a, NULL, &known, e));
		TRY_OR(done, rc, pass(&a, out, &known, e));
		if (known.as_counted)
			break;
	}
done:
	passes_free(&known);
	return rc;
}
