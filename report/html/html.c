/* html.c - the page as a whole: see html.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "report/html/html.h"

#define ROOM (8e6) /* bytes of charts of kernels */

static const struct {
	const char *name, *text;
} embedded[] = {
#include "html.inc"
        {NULL, NULL},
};

static const char *embedded_text(const char *name)
{
	int i = 0;

	while (embedded[i].name && strcmp(embedded[i].name, name) != 0)
		i++;
	return embedded[i].name ? embedded[i].text : "";
}

/* ---- anchors ---- */

/* "kernel-" and the name's letters and digits, others as "-"; the second of a name is -2, and so on. */
static char *kernel_anchor(const char *name, char *const *before, int n)
{
	struct buf b = {0};
	size_t base;
	int i, again = 1;

	buf_puts(&b, "kernel-");
	for (; *name && b.len < 100; name++)
		buf_putc(&b, strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.", *name) ? *name
		                                                                                               : '-');
	base = b.len;
	do {
		for (i = 0; i < n; i++)
			if (strcmp(before[i], b.s) == 0)
				break;
		if (i < n) {
			b.len = base;
			buf_printf(&b, "-%d", ++again);
		}
	} while (i < n);
	return b.s;
}

static void anchors(struct page *p)
{
	static const char *const parts[DEST_FIRST_KERNEL] = {
	        [DEST_SUMMARY] = "summary",
	        [DEST_INDEX] = "kernels",
	        [DEST_KERNELS] = "kernel-by-kernel",
	};
	int n = p->a.m->nrows;

	p->nanchor = DEST_FIRST_KERNEL + n;
	p->anchor = mem_zalloc((size_t)p->nanchor, sizeof *p->anchor);
	for (int i = 0; i < DEST_FIRST_KERNEL; i++)
		p->anchor[i] = parts[i] ? mem_strdup(parts[i]) : NULL;
	for (size_t i = 0; i < naudit_appendices; i++)
		p->anchor[audit_appendices[i].dest] = mem_strdup(audit_appendices[i].anchor);
	for (int i = 0; i < n; i++)
		p->anchor[kernel_dest(i)] =
		        kernel_anchor(p->a.m->rows[i].name, p->anchor + DEST_FIRST_KERNEL, i);
}

/* ---- head and foot ---- */

/* 'sha256-…' of a text as a Content-Security-Policy names what may run. */
static void put_hash(struct buf *b, const char *text)
{
	unsigned char digest[EVP_MAX_MD_SIZE], base64[2 * EVP_MAX_MD_SIZE];
	unsigned n = 0;

	EVP_Digest(text, strlen(text), digest, &n, EVP_sha256(), NULL);
	EVP_EncodeBlock(base64, digest, (int)n);
	buf_printf(b, "'sha256-%s'", (const char *)base64);
}

static void head(struct page *p, const char *verdict)
{
	const char *style = embedded_text("style"), *script = embedded_text("script");
	struct buf *b = p->out;

	buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
	            "base-uri 'none'; form-action 'none'; style-src ");
	put_hash(b, style);
	buf_puts(b, "; script-src ");
	put_hash(b, script);
	buf_puts(b, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	            "<meta name=\"color-scheme\" content=\"light dark\">\n<title>gpuemu audit report: ");
	markup_text(b, verdict);
	buf_printf(b, "</title>\n<style>%s</style>\n</head>\n", style);
}

static void nav_link(struct buf *b, const char *anchor, const char *text)
{
	buf_printf(b, "<a href=\"#%s\">%s</a>\n", anchor, text);
}

static void top(struct page *p)
{
	static const char *const themes[][2] = {{"auto", "as the system"}, {"light", "light"}, {"dark", "dark"}};
	struct buf *b = p->out, operators = {0};

	buf_puts(b, "<body>\n<a class=\"skip\" href=\"#kernels\">To the kernels</a>\n<header>\n"
	            "<fieldset id=\"theme\"><legend>Colours</legend>");
	for (size_t i = 0; i < ARRAY_LEN(themes); i++)
		buf_printf(b, "<label><input type=\"radio\" name=\"theme\" value=\"%s\"%s> %s</label>", themes[i][0],
		           i ? "" : " checked", themes[i][1]);
	buf_puts(b, "</fieldset>\n<p class=\"brand\">gpuemu</p>\n<h1>Audit report</h1>\n<p class=\"soft\">");
	put_plural(&operators, p->a.m->nrows, "GPU kernel", "GPU kernels");
	if (p->a.m->nrows) {
		buf_puts(&operators, ": ");
		audit_operators(&operators, p->a.m);
	}
	markup_text(b, operators.s);
	buf_puts(b, "</p>\n</header>\n<nav aria-label=\"Parts\">\n");
	nav_link(b, "summary", "Summary");
	nav_link(b, "kernels", "All kernels");
	if (p->a.m->nrows)
		nav_link(b, "kernel-by-kernel", "Kernel by kernel");
	for (size_t i = 0; i < naudit_appendices; i++) {
		const struct audit_appendix *x = &audit_appendices[i];

		if (!x->has || x->has(&p->a))
			nav_link(b, x->anchor, x->title);
	}
	buf_puts(b, "</nav>\n<main>\n");
	buf_free(&operators);
}

static void foot(struct page *p)
{
	const cJSON *tool = ev_get(p->a.evidence, "tool");
	struct buf b = {0};

	buf_printf(&b, "%s %s · %s · campaign seed %s · evidence sha256 %s", ev_text(tool, "name"), ev_text(tool, "version"),
	           ev_text(p->a.evidence, "date"), ev_text(p->a.evidence, "seed"), p->a.sha256);
	buf_puts(p->out, "</main>\n<footer>\n<p>");
	markup_text(p->out, b.s);
	buf_puts(p->out, "</p>\n<p>This page is one file and fetches nothing.</p>\n<p class=\"tools\" hidden>Keys: / goes to the search, Escape clears "
	                 "it, arrow keys go from row to row of a table, Enter opens a kernel, c copies the line that "
	                 "replays a case.</p>\n</footer>\n");
	buf_printf(p->out, "<script>%s</script>\n</body>\n</html>\n", embedded_text("script"));
	buf_free(&b);
}

/* ---- parts ---- */

/* Charts of the evidence itself, where there is a kernel to draw. */
static void pictures(struct page *p)
{
	static const char *const names[] = {"verdicts", "failing"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct chart *k = chart_find(names[i]);

		if (!k || k->absent(p->a.in))
			continue;
		buf_puts(p->out, "<details class=\"picture\"><summary>");
		markup_text(p->out, k->title);
		buf_puts(p->out, "</summary>\n");
		flow_par(&p->a.f, face_note, k->shows);
		audit_draw(&p->a, k, p->a.in, 0, k->width);
		buf_puts(p->out, "</details>\n");
	}
}

static void appendix(struct page *p, const struct audit_appendix *x)
{
	if (x->has && !x->has(&p->a))
		return;
	buf_puts(p->out, "<section>\n");
	x->put(&p->a);
	buf_puts(p->out, "</section>\n");
}

static void body(struct page *p, const char *verdict, bool good)
{
	struct buf *b = p->out;

	top(p);
	buf_printf(b, "<p class=\"sentence %s\">", good ? "right" : "wrong");
	markup_text(b, verdict);
	buf_puts(b, "</p>\n");
	audit_identities(&p->a);
	buf_puts(b, "<section>\n");
	audit_counts(&p->a);
	pictures(p);
	buf_puts(b, "</section>\n<section>\n");
	html_kernels(p);
	buf_puts(b, "</section>\n");
	for (size_t i = 0; i < naudit_appendices; i++)
		appendix(p, &audit_appendices[i]);
	foot(p);
}

enum st html_report(const struct charts *in, struct buf *out, struct err *e)
{
	struct page p = {.a = {.in = in, .m = &in->model, .evidence = in->src->file[SRC_EVIDENCE]},
	                 .out = out,
	                 .room = ROOM,
	                 .e = e};
	struct passes known;
	struct buf verdict = {0};
	enum st rc;
	bool good;

	TRY(sha256_file(in->src->path[SRC_EVIDENCE], p.a.sha256, e));
	p.a.figure = html_figure;
	anchors(&p);
	cases_read(&p.cases, p.a.m, in->src->path[SRC_EVIDENCE]);
	passes_init(&known, p.nanchor);
	flow_open_html(&p.a.f, out, (const char *const *)p.anchor, &known);
	good = audit_verdict(&verdict, p.a.m);
	head(&p, verdict.s);
	body(&p, verdict.s, good);
	rc = flow_close(&p.a.f, "report.html", e);
	buf_free(&verdict);
	passes_free(&known);
	cases_free(&p.cases);
	for (int i = 0; i < p.nanchor; i++)
		free(p.anchor[i]);
	free(p.anchor);
	return rc != ST_OK ? rc : e->code;
}
