/* kernels.c - the filters, the table of kernels, and the kernels one by one: see html.h. */
#include <stdio.h>
#include <string.h>

#include "report/draw/grid.h"
#include "report/html/html.h"

static const char *const roles[GROUP_COUNT] = {"under test", "buggy", "control"};

/* ---- the form ---- */

static void option(struct buf *b, const char *text)
{
	buf_puts(b, "<option>");
	markup_text(b, text);
	buf_puts(b, "</option>");
}

static void select_begin(struct buf *b, const char *id, const char *label)
{
	buf_printf(b, "<label>%s <select id=\"%s\"><option value=\"\">all</option>", label, id);
}

static void select_end(struct buf *b)
{
	buf_puts(b, "</select></label>\n");
}

/* Is set j of kernel i named before? */
static bool set_seen(const struct model *m, int i, const cJSON *set)
{
	const cJSON *s;

	for (int k = 0; k < i; k++)
		if (ev_has_set(m->rows[k].kernel, set->valuestring))
			return true;
	for (s = set->prev; s && s->next; s = s->prev)
		if (cJSON_IsString(s) && strcmp(s->valuestring, set->valuestring) == 0)
			return true;
	return false;
}

static void select_set(struct buf *b, const struct model *m)
{
	const cJSON *s;

	select_begin(b, "f-set", "Set");
	for (int i = 0; i < m->nrows; i++)
		cJSON_ArrayForEach(s, ev_get(m->rows[i].kernel, "sets")) if (cJSON_IsString(s) && !set_seen(m, i, s))
			option(b, s->valuestring);
	select_end(b);
}

static void form(struct page *p)
{
	static const char *const verdicts[] = {"PASS", "FAIL", "UNKNOWN", "UNSUPPORTED"};
	const struct model *m = p->a.m;
	struct buf *b = p->out;

	buf_puts(b, "<form id=\"filter\" role=\"search\" hidden>\n"
	            "<label class=\"grow\">Search kernels and cases <input id=\"f-text\" type=\"search\" "
	            "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"words, all of them; press / to come here\">"
	            "</label>\n");
	select_set(b, m);
	select_begin(b, "f-role", "Role");
	for (int g = 0; g < GROUP_COUNT; g++)
		if (m->size[g])
			option(b, roles[g]);
	select_end(b);
	select_begin(b, "f-dtype", "dtype");
	for (int i = 0; i < m->ndtypes; i++)
		option(b, m->dtypes[i]);
	select_end(b);
	select_begin(b, "f-verdict", "Verdict");
	for (size_t i = 0; i < ARRAY_LEN(verdicts); i++)
		option(b, verdicts[i]);
	select_end(b);
	buf_puts(b, "<label class=\"check\"><input id=\"f-odd\" type=\"checkbox\"> not as it should be</label>\n"
	            "<button type=\"reset\">Clear</button>\n"
	            "<output id=\"f-count\" aria-live=\"polite\"></output>\n</form>\n");
}

/* ---- the table ---- */

/* Words that are searched for beside those that are seen. */
static void put_words(struct buf *b, const cJSON *k)
{
	static const char *const keys[] = {"doc", "bug_class", "bug", "twin", "folder", "toolkit"};
	const cJSON *d, *f;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (ev_text(k, keys[i])[0])
			buf_printf(b, "%s ", ev_text(k, keys[i]));
	cJSON_ArrayForEach(d, ev_get(k, "dtypes")) cJSON_ArrayForEach(f, ev_get(d, "findings"))
		if (!b->s || !strstr(b->s, ev_text(f, "kind")))
			buf_printf(b, "%s ", ev_text(f, "kind"));
	cJSON_ArrayForEach(f, ev_get(ev_get(k, "lint"), "findings")) if (!b->s || !strstr(b->s, ev_text(f, "rule")))
		buf_printf(b, "%s ", ev_text(f, "rule"));
}

static void put_attribute(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, " data-%s=\"", name);
	markup_value(b, value ? value : "");
	buf_putc(b, '"');
}

/* Several values are separated by line feeds, which no value has. */
static void put_set_values(struct buf *b, const cJSON *k)
{
	const cJSON *s;

	buf_puts(b, " data-sets=\"");
	cJSON_ArrayForEach(s, ev_get(k, "sets")) if (cJSON_IsString(s))
	{
		markup_value(b, s->valuestring);
		buf_putc(b, '\n');
	}
	buf_putc(b, '"');
}

static void put_dtype_values(struct buf *b, const cJSON *k)
{
	const cJSON *d;

	buf_puts(b, " data-dtypes=\"");
	cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
	{
		markup_value(b, ev_text(d, "dtype"));
		buf_putc(b, '=');
		markup_value(b, ev_text(d, "verdict"));
		buf_putc(b, '\n');
	}
	buf_putc(b, '"');
}

static void put_sets(struct buf *b, const cJSON *k)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, ev_get(k, "sets")) if (cJSON_IsString(s))
		buf_printf(b, "%s%s", b->len ? ", " : "", s->valuestring);
}

/* What the filters ask of a kernel. */
static void row_begin(struct page *p, const struct row *r)
{
	struct buf words = {0};

	put_words(&words, r->kernel);
	buf_puts(p->out, "<tr");
	put_set_values(p->out, r->kernel);
	put_dtype_values(p->out, r->kernel);
	put_attribute(p->out, "role", roles[r->group]);
	put_attribute(p->out, "verdict", kernel_verdict(r));
	put_attribute(p->out, "words", words.s);
	if (!kernel_as_expected(r))
		buf_puts(p->out, " data-odd=\"1\"");
	buf_putc(p->out, '>');
	buf_free(&words);
}

static void put_td(struct buf *b, const char *text)
{
	buf_puts(b, text && strlen(text) <= 12 ? "<td class=\"whole\">" : "<td>");
	markup_text(b, text ? text : "");
	buf_puts(b, "</td>");
}

static void put_verdict(struct buf *b, const char *verdict)
{
	const char *class = markup_class(verdict_colour(verdict));

	buf_printf(b, "<td class=\"%s\">", class ? class : "open");
	markup_text(b, verdict);
	buf_puts(b, "</td>");
}

/* "35 of 300", sorted by the share. */
static void put_part(struct buf *b, double n, double of)
{
	buf_printf(b, "<td class=\"n\" data-n=\"%.9g\">", of > 0 ? n / of : -1);
	if (of > 0) {
		put_count(b, n);
		buf_puts(b, " of ");
		put_count(b, of);
	}
	buf_puts(b, "</td>");
}

static void put_number(struct buf *b, const cJSON *v)
{
	buf_printf(b, "<td class=\"n\" data-n=\"%.9g\">", cJSON_IsNumber(v) ? v->valuedouble : -1);
	if (cJSON_IsNumber(v))
		put_count(b, v->valuedouble);
	buf_puts(b, "</td>");
}

static const char *dtype_verdict(const cJSON *k, const char *dtype)
{
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(k, "dtypes")) if (strcmp(ev_text(d, "dtype"), dtype) == 0)
		return ev_text(d, "verdict");
	return "";
}

/* What the published check says on the friendly input in f32. */
static const char *check_of(const cJSON *k)
{
	int accepted, seeds;

	if (!ev_bench(k, "friendly", "f32", MODEL_HEADLINE, &accepted, &seeds))
		return "";
	return accepted == seeds ? "accepts" : "rejects";
}

static void table_kernel(struct page *p, int i)
{
	const struct row *r = &p->a.m->rows[i];
	const cJSON *k = r->kernel, *coverage = ev_get(k, "coverage");
	struct buf *b = p->out, why = {0}, sets = {0};

	row_begin(p, r);
	buf_printf(b, "<th scope=\"row\"><a href=\"#%s\">", p->anchor[kernel_dest(i)]);
	markup_text(b, kernel_title(r));
	buf_puts(b, "</a></th>");
	put_td(b, ev_text(k, "operator"));
	put_td(b, roles[r->group]);
	put_sets(&sets, k);
	put_td(b, sets.s);
	put_verdict(b, kernel_verdict(r));
	for (int d = 0; d < p->a.m->ndtypes; d++)
		put_verdict(b, dtype_verdict(k, p->a.m->dtypes[d]));
	put_part(b, r->n.failed, r->n.cases);
	put_part(b, r->n.failed_by_value, r->n.cases);
	audit_why(&why, r);
	buf_puts(b, "<td class=\"why\">");
	markup_text(b, why.s ? why.s : "");
	buf_puts(b, "</td>");
	put_part(b, ev_number(coverage, "edges_hit"), ev_number(coverage, "edges"));
	put_number(b, ev_get(ev_get(k, "lint"), "errors"));
	if (p->a.m->nprofiles)
		put_td(b, check_of(k));
	buf_puts(b, "</tr>\n");
	buf_free(&why);
	buf_free(&sets);
}

static void put_th(struct buf *b, const char *text, bool number)
{
	buf_printf(b, "<th scope=\"col\"%s>", number ? " class=\"n\"" : "");
	markup_text(b, text);
	buf_puts(b, "</th>");
}

static void table(struct page *p)
{
	const struct model *m = p->a.m;
	struct buf *b = p->out;

	buf_puts(b, "<p class=\"note\">A name leads to the kernel's own part. Ways: of the branches, taken. Lint: errors.</p>\n"
	            "<div class=\"wide\"><table id=\"kernel-table\">\n<thead><tr>");
	put_th(b, "Kernel", false);
	put_th(b, "Operator", false);
	put_th(b, "Role", false);
	put_th(b, "Sets", false);
	put_th(b, "Verdict", false);
	for (int d = 0; d < m->ndtypes; d++)
		put_th(b, m->dtypes[d], false);
	put_th(b, "Cases failed", true);
	put_th(b, "By value alone", true);
	put_th(b, "By", false);
	put_th(b, "Ways", true);
	put_th(b, "Lint", true);
	if (m->nprofiles)
		put_th(b, "One-shape check", false);
	buf_puts(b, "</tr></thead>\n<tbody>\n");
	for (int i = 0; i < m->nrows; i++)
		table_kernel(p, i);
	buf_puts(b, "</tbody></table></div>\n<p id=\"none\" hidden>No kernel matches.</p>\n");
}

/* ---- one by one ---- */

static void one_kernel(struct page *p, int i)
{
	const struct row *r = &p->a.m->rows[i];
	const char *verdict = kernel_verdict(r), *class = markup_class(verdict_colour(verdict));
	struct buf *b = p->out, why = {0}, replay = {0};

	ev_put_replay(&replay, r->kernel);
	audit_why(&why, r);
	buf_puts(b, "<details class=\"kernel\"");
	put_attribute(b, "replay", replay.s);
	buf_printf(b, "><summary><span class=\"badge %s\">", class ? class : "open");
	markup_text(b, verdict);
	buf_puts(b, "</span> <h3>");
	markup_text(b, kernel_title(r));
	buf_puts(b, "</h3> <span class=\"soft\">");
	markup_text(b, ev_text(r->kernel, "operator"));
	buf_printf(b, ", %s", roles[r->group]);
	if (why.len) {
		buf_puts(b, "; ");
		markup_text(b, why.s);
	}
	/* the anchor lies inside: a browser that goes there opens what is closed */
	buf_printf(b, "</span></summary>\n<div class=\"body\" id=\"%s\">\n", p->anchor[kernel_dest(i)]);
	audit_kernel(&p->a, r);
	html_cases(p, r->kernel);
	buf_puts(b, "</div></details>\n");
	buf_free(&why);
	buf_free(&replay);
}

void html_kernels(struct page *p)
{
	const struct model *m = p->a.m;
	struct face s = face_note;
	struct buf note = {0};

	flow_heading(&p->a.f, 1, DEST_INDEX, "All kernels", NULL);
	if (m->nrows == 0) {
		flow_par(&p->a.f, face_body, "None: the evidence holds no kernel.");
		return;
	}
	form(p);
	table(p);
	cases_note(&p->cases, &note);
	buf_puts(p->out, "<details id=\"found\" hidden><summary>Cases that match</summary>\n"
	                 "<div></div></details>\n");
	flow_heading(&p->a.f, 1, DEST_KERNELS, "Kernel by kernel", NULL);
	flow_par(&p->a.f, s, note.s);
	buf_puts(p->out, "<p class=\"tools\" hidden><button type=\"button\" id=\"open\">Open all</button> "
	                 "<button type=\"button\" id=\"close\">Close all</button></p>\n");
	p->a.f.deeper = 1;
	for (int i = 0; i < m->nrows; i++) {
		if (i == 0 || m->rows[i].group != m->rows[i - 1].group) {
			buf_puts(p->out, "<p class=\"group\">");
			markup_text(p->out, group_title(m->rows[i].group));
			buf_puts(p->out, "</p>\n");
		}
		one_kernel(p, i);
	}
	p->a.f.deeper = 0;
	buf_free(&note);
}
