/* cases.c - the cases that the page lists: see html.h.
 *
 * cases.jsonl may have millions of lines and the page a few thousand rows: of each kernel and dtype those that did
 * not pass come first, then the others, both in the order of the campaign. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/html.h"

#define MOST_ROWS 12000 /* of the page: a browser stays quick, and the file below some megabytes */
#define LEAST     4     /* of a kernel and dtype */
#define MAX_LINE  (4 << 20) /* the first names every kernel */

/* ---- rows ---- */

static void put_td(struct buf *b, const char *attributes, const char *text)
{
	buf_printf(b, "<td%s>", attributes);
	markup_text(b, text);
	buf_puts(b, "</td>");
}

static void put_td_real(struct buf *b, const cJSON *j, const char *key, int digits)
{
	struct buf text = {0}; /* evidence may have any text in a number's place */

	put_real(&text, ev_get(j, key), digits);
	put_td(b, " class=\"n\"", text.s ? text.s : "");
	buf_free(&text);
}

static bool passed(const char *verdict)
{
	return strcmp(verdict, "PASS") == 0;
}

/* A row: dtype, case, verdict, why, elements wrong, r, T, L. of: key of the number of elements. */
static void put_row(struct buf *b, const cJSON *dtype, const cJSON *j, const char *verdict, const char *why,
                    const char *of)
{
	const char *class = markup_class(verdict_colour(verdict));

	buf_puts(b, "<tr>");
	put_td(b, "", ev_text(dtype, "dtype"));
	buf_puts(b, "<td><code>");
	markup_text(b, ev_text(j, "case"));
	buf_puts(b, "</code></td>");
	buf_printf(b, "<td class=\"%s\">", class ? class : "open");
	markup_text(b, verdict);
	buf_puts(b, "</td>");
	put_td(b, "", why);
	buf_puts(b, "<td class=\"n\">");
	if (cJSON_IsNumber(ev_get(j, of))) {
		put_count(b, ev_number(j, "failed"));
		buf_puts(b, " of ");
		put_count(b, ev_number(j, of));
	}
	buf_puts(b, "</td>");
	put_td_real(b, j, "r", 3);
	put_td_real(b, j, "T", 3);
	put_td_real(b, j, "L", 6);
	buf_puts(b, "</tr>\n");
}

/* Why a case of cases.jsonl did not pass: its reason, or its first finding that is an error. */
static const char *why_of(const cJSON *record, const char *verdict)
{
	const char *reason = ev_text(record, "reason");
	const cJSON *f;

	if (reason[0] || passed(verdict))
		return reason;
	cJSON_ArrayForEach(f, ev_get(record, "findings")) if (cJSON_IsTrue(ev_get(f, "error")))
		return ev_text(f, "kind");
	return "";
}

/* Takes a case into a unit while there is room. */
static void add_case(struct case_list *l, struct case_unit *u, const cJSON *j, const char *verdict, const char *why,
                     const char *of)
{
	if (!passed(verdict)) {
		if (u->nbad < l->most)
			put_row(&u->bad, u->dtype, j, verdict, why, of);
		u->nbad++;
		return;
	}
	if (u->ngood >= l->most)
		return;
	put_row(&u->good, u->dtype, j, verdict, why, of);
	u->end = u->end ? u->end : mem_zalloc((size_t)l->most, sizeof *u->end);
	u->end[u->ngood++] = u->good.len;
}

/* ---- cases.jsonl ---- */

struct reader {
	struct case_list *l;
	struct case_unit *u; /* of the last record */
	struct buf head;     /* what its line begins with, up to its number: kernel and dtype */
};

/* The unit that a record belongs to: the first without a record, for kernels may share a name. */
static struct case_unit *unit_of(struct case_list *l, const char *name, const char *dtype)
{
	struct case_unit *found = NULL;

	for (int i = 0; i < l->n; i++) {
		struct case_unit *u = &l->unit[i];

		if (strcmp(ev_text(u->kernel, "name"), name) != 0 ||
		    strcmp(ev_text(u->dtype, "dtype"), dtype) != 0)
			continue;
		if (u->seen == 0)
			return u;
		found = found ? found : u;
	}
	return found;
}

static bool full(const struct case_list *l, const struct case_unit *u, const char *line)
{
	/* no text of JSON has a quote that is not escaped: these are keys of the record */
	bool good = strstr(line, "\"verdict\":\"PASS\"") != NULL;

	return good ? u->ngood >= l->most || u->nbad >= l->most : u->nbad >= l->most;
}

static void read_record(struct reader *r, const cJSON *j)
{
	const char *verdict = ev_text(j, "verdict");

	r->u = unit_of(r->l, ev_text(j, "kernel"), ev_text(j, "dtype"));
	if (!r->u)
		return;
	r->u->seen++;
	add_case(r->l, r->u, j, verdict, why_of(j, verdict), "elements");
}

/* A line of a unit that lists no more is counted, not read: most lines of a large campaign. */
static void read_line(struct reader *r, const char *line, size_t len)
{
	const char *number = strstr(line, ",\"i\":");
	size_t head = number ? (size_t)(number - line) : 0;
	bool same = head && r->u && head == r->head.len && memcmp(line, r->head.s, head) == 0;
	struct case_unit *u = r->u;
	struct err e = {0};
	cJSON *j = NULL;

	if (same && full(r->l, u, line)) {
		u->seen++;
		if (!strstr(line, "\"verdict\":\"PASS\""))
			u->nbad++;
		return;
	}
	if (json_parse("cases.jsonl", line, len, &j, &e) == ST_OK && cJSON_IsObject(j)) {
		if (same) {
			const char *verdict = ev_text(j, "verdict");

			u->seen++;
			add_case(r->l, u, j, verdict, why_of(j, verdict), "elements");
		} else {
			read_record(r, j);
		}
		r->head.len = 0;
		buf_add(&r->head, line, head);
	}
	cJSON_Delete(j);
}

/* Is the record of this evidence? Its first line names the seed and the kernels. */
static bool belongs(const cJSON *evidence, const char *line, size_t len)
{
	struct err e = {0};
	cJSON *j = NULL;
	const cJSON *k;
	bool good = json_parse("cases.jsonl", line, len, &j, &e) == ST_OK &&
	            strcmp(ev_text(j, "seed"), ev_text(evidence, "seed")) == 0;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) good =
	        good && ev_lists(ev_get(j, "kernels"), ev_text(k, "sha256"));
	cJSON_Delete(j);
	return good;
}

/* Reads a line of at most MAX_LINE bytes; *len 0: it is longer, or has no end, as one that a kill cut short. False:
 * there is none. */
static bool next_line(FILE *f, char *line, size_t *len)
{
	size_t n;

	if (!fgets(line, MAX_LINE, f))
		return false;
	n = strlen(line);
	*len = n > 0 && line[n - 1] == '\n' ? n : 0;
	for (int c = 0; *len == 0 && n == MAX_LINE - 1 && c != '\n' && c != EOF;)
		c = getc(f);
	return true;
}

static void read_file(struct case_list *l, const cJSON *evidence, FILE *f)
{
	struct reader r = {.l = l};
	char *line = mem_alloc(MAX_LINE);
	size_t len;

	l->read = next_line(f, line, &len) && len > 0 && belongs(evidence, line, len);
	if (!l->read)
		snprintf(l->why, sizeof l->why, "cases.jsonl beside the evidence is of another campaign");
	while (l->read && next_line(f, line, &len))
		if (len > 0)
			read_line(&r, line, len);
	free(line);
	buf_free(&r.head);
}

/* ---- without it ---- */

static bool is_listed(const struct case_unit *u, const cJSON *j)
{
	struct buf b = {0};
	bool found;

	markup_text(&b, ev_text(j, "case"));
	found = b.s && ((u->bad.s && strstr(u->bad.s, b.s)) || (u->good.s && strstr(u->good.s, b.s)));
	buf_free(&b);
	return found;
}

static void from_evidence(struct case_list *l, struct case_unit *u)
{
	const cJSON *d = u->dtype, *m = ev_get(d, "minimal"), *w = ev_get(d, "worst"), *f;

	if (cJSON_IsObject(m))
		add_case(l, u, m, ev_text(m, "verdict"), ev_text(m, "reason"), "elements_of_case");
	cJSON_ArrayForEach(f, ev_get(d, "findings")) if (cJSON_IsTrue(ev_get(f, "error")) && !is_listed(u, f))
		add_case(l, u, f, "FAIL", ev_text(f, "kind"), "");
	if (cJSON_IsObject(w) && ev_text(w, "case")[0] && !is_listed(u, w))
		add_case(l, u, w, "PASS", "nearest to its tolerance of those that pass", "");
}

/* ---- the list ---- */

static void add_units(struct case_list *l, const cJSON *evidence)
{
	const cJSON *k, *d;
	int n = 0;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) n += cJSON_GetArraySize(ev_get(k, "dtypes"));
	l->unit = mem_zalloc((size_t)n + 1, sizeof *l->unit);
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
		l->unit[l->n++] = (struct case_unit){.kernel = k, .dtype = d};
	l->most = n > 0 ? MOST_ROWS / n : LEAST;
	l->most = l->most < LEAST ? LEAST : l->most;
}

/* Rows of a unit that passed and are shown: what those that did not leave. */
static int good_rows(const struct case_list *l, const struct case_unit *u)
{
	int room = u->nbad < l->most ? l->most - u->nbad : 0;

	return u->ngood < room ? u->ngood : room;
}

static int bad_rows(const struct case_list *l, const struct case_unit *u)
{
	return u->nbad < l->most ? u->nbad : l->most;
}

void cases_read(struct case_list *l, const struct model *m, const char *evidence_path)
{
	const char *slash = strrchr(evidence_path, '/');
	char *dir = slash ? mem_strndup(evidence_path, (size_t)(slash - evidence_path + 1)) : mem_strdup("."),
	     *path = path_join(dir, "cases.jsonl");
	FILE *f = path_is_dir(path) ? NULL : fopen(path, "r");

	*l = (struct case_list){0};
	add_units(l, m->evidence);
	snprintf(l->why, sizeof l->why, "there is no cases.jsonl beside the evidence");
	if (f) {
		read_file(l, m->evidence, f);
		fclose(f);
	}
	for (int i = 0; i < l->n; i++) {
		struct case_unit *u = &l->unit[i];

		if (!l->read)
			from_evidence(l, u);
		l->listed += bad_rows(l, u) + good_rows(l, u);
		l->of += l->read ? u->seen : ev_number(u->dtype, "cases");
	}
	free(path);
	free(dir);
}

void cases_free(struct case_list *l)
{
	for (int i = 0; i < l->n; i++) {
		buf_free(&l->unit[i].bad);
		buf_free(&l->unit[i].good);
		free(l->unit[i].end);
	}
	free(l->unit);
}

void cases_note(const struct case_list *l, struct buf *b)
{
	put_count(b, l->listed);
	buf_puts(b, " of ");
	put_plural(b, l->of, "case is listed", "cases are listed");
	if (!l->read)
		buf_printf(b, ", those that the evidence itself keeps: the smallest that fail, where a finding was first "
		              "seen, and the nearest to its tolerance; %s", l->why);
	else if (l->listed < l->of)
		buf_printf(b, ", of each kernel and dtype at most %d: those that did not pass first, then others, in the "
		              "order of the campaign; all stand in cases.jsonl", l->most);
	buf_puts(b, ".");
}

/* ---- a kernel's ---- */

struct counted {
	double rows, of, bad;
};

static struct counted count(const struct case_list *l, const cJSON *kernel)
{
	struct counted n = {0};

	for (int i = 0; i < l->n; i++) {
		const struct case_unit *u = &l->unit[i];

		if (u->kernel != kernel)
			continue;
		n.rows += bad_rows(l, u) + good_rows(l, u);
		n.of += l->read ? u->seen : ev_number(u->dtype, "cases");
		n.bad += u->nbad;
	}
	return n;
}

static void put_rows(struct page *p, const cJSON *kernel)
{
	const struct case_list *l = &p->cases;

	for (int i = 0; i < l->n; i++) {
		const struct case_unit *u = &l->unit[i];
		int good = good_rows(l, u);

		if (u->kernel != kernel)
			continue;
		buf_add(p->out, u->bad.s ? u->bad.s : "", u->bad.len);
		if (good > 0)
			buf_add(p->out, u->good.s, u->end[good - 1]);
	}
}

void html_cases(struct page *p, const cJSON *kernel)
{
	struct counted n = count(&p->cases, kernel);
	struct buf *b = p->out;

	if (n.rows == 0)
		return;
	buf_puts(b, "<details class=\"cases\"><summary>Its cases: ");
	put_count(b, n.rows);
	buf_puts(b, " of ");
	put_count(b, n.of);
	buf_puts(b, " listed");
	if (p->cases.read) {
		buf_puts(b, "; ");
		put_count(b, n.bad);
		buf_puts(b, " did not pass");
	}
	buf_puts(b, "</summary>\n<div class=\"wide\"><table class=\"cases\"><thead><tr><th scope=\"col\">dtype</th>"
	            "<th scope=\"col\">Case</th><th scope=\"col\">Verdict</th><th scope=\"col\">Why</th>"
	            "<th scope=\"col\" class=\"n\">Elements wrong</th><th scope=\"col\" class=\"n\">r</th>"
	            "<th scope=\"col\" class=\"n\">T</th><th scope=\"col\" class=\"n\">L</th></tr></thead>\n<tbody>\n");
	put_rows(p, kernel);
	buf_puts(b, "</tbody></table></div></details>\n");
}
