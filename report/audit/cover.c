/* cover.c - the first page: the verdict in one sentence and what it was reached with. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audit/audit.h"

/* ---- the verdict ---- */

#define MAX_NAMES   3
#define MAX_LETTERS 40

/* A name, cut behind so many letters. */
static void put_short(struct buf *b, const char *name)
{
	int n = 0;

	for (; *name; name++) {
		n += ((unsigned char)*name & 0xc0) != 0x80;
		if (n > MAX_LETTERS) {
			buf_puts(b, "…");
			return;
		}
		buf_putc(b, *name);
	}
}

/* "a, b and 4 more" of the rows that wanted() picks. */
static void put_names(struct buf *b, const struct model *m,
                      bool (*wanted)(const struct row *r, const char *verdict), const char *verdict)
{
	int n = 0, put = 0;

	for (int i = 0; i < m->nrows; i++)
		n += wanted(&m->rows[i], verdict);
	for (int i = 0; i < m->nrows && put < MAX_NAMES; i++)
		if (wanted(&m->rows[i], verdict)) {
			buf_puts(b, put == 0 ? "" : put == n - 1 ? " and " : ", ");
			put_short(b, kernel_title(&m->rows[i]));
			put++;
		}
	if (n > put)
		buf_printf(b, " and %d more", n - put);
}

static bool user_with(const struct row *r, const char *verdict)
{
	return r->group == GROUP_USER && strcmp(ev_text(r->kernel, "verdict"), verdict) == 0;
}

static bool known_unexpected(const struct row *r, const char *unused)
{
	(void)unused;
	return r->group != GROUP_USER && !kernel_as_expected(r);
}

static int count_rows(const struct model *m, bool (*wanted)(const struct row *, const char *),
                      const char *verdict)
{
	int n = 0;

	for (int i = 0; i < m->nrows; i++)
		n += wanted(&m->rows[i], verdict);
	return n;
}

static void put_user(struct buf *b, const struct model *m)
{
	int n = m->size[GROUP_USER], fail = count_rows(m, user_with, "FAIL"),
	    pass = count_rows(m, user_with, "PASS");

	if (n == 1) {
		buf_puts(b, "The kernel under test, ");
		put_short(b, kernel_title(&m->rows[0]));
		buf_printf(b, ", %s", pass ? "passes" : fail ? "fails" : "could not be decided");
	} else if (pass == n) {
		buf_printf(b, "All %d kernels under test pass", n);
	} else if (fail) {
		buf_printf(b, "%d of %d kernel%s under test fail%s (", fail, n, n == 1 ? "" : "s",
		           fail == 1 ? "s" : "");
		put_names(b, m, user_with, "FAIL");
		buf_printf(b, "), %d pass%s", pass, pass == 1 ? "es" : "");
	} else {
		buf_printf(b, "%d of %d kernel%s under test pass%s", pass, n, n == 1 ? "" : "s",
		           pass == 1 ? "es" : "");
	}
	if (n > 1 && n - pass - fail)
		buf_printf(b, ", %d could not be decided", n - pass - fail);
	buf_puts(b, ".");
}

/* Buggy kernels that fail, but not in every dtype. */
static void put_partly(struct buf *b, const struct model *m)
{
	int n = 0;

	for (int i = 0; i < m->nrows; i++) {
		const struct row *r = &m->rows[i];
		struct buf pass = {0};

		n += r->group == GROUP_BUGGY && kernel_as_expected(r) &&
		     ev_put_dtypes(&pass, r->kernel, "PASS") > 0;
		buf_free(&pass);
	}
	if (n)
		buf_printf(b, " %d of these fail%s in some element types and pass%s in others.", n,
		           n == 1 ? "s" : "", n == 1 ? "es" : "");
}

static void put_known(struct buf *b, const struct model *m)
{
	int bad = count_rows(m, known_unexpected, NULL), buggy = m->size[GROUP_BUGGY],
	    control = m->size[GROUP_CONTROL];

	if (bad) {
		buf_printf(b,
		           "%d of %d kernels whose faults are known got a verdict that %s should "
		           "not have: ",
		           bad, buggy + control, bad == 1 ? "it" : "they");
		put_names(b, m, known_unexpected, NULL);
		buf_puts(b, ".");
		return;
	}
	if (control && buggy) {
		buf_puts(b, "Every kernel got the verdict that it should: ");
		put_plural(b, control, "control passes and ", "controls pass and ");
		put_plural(b, buggy, "buggy kernel fails.", "buggy kernels fail.");
	} else if (control) {
		put_plural(b, control, "control passes, as it should.",
		           "controls pass, all of them, as they should.");
	} else {
		put_plural(b, buggy, "buggy kernel fails, as it should.",
		           "buggy kernels fail, all of them, as they should.");
	}
	put_partly(b, m);
}

bool audit_verdict(struct buf *b, const struct model *m)
{
	if (m->nrows == 0) {
		buf_puts(b, "The evidence holds no kernel: nothing was judged.");
		return false;
	}
	if (m->size[GROUP_USER])
		put_user(b, m);
	if (m->size[GROUP_USER] && m->nrows > m->size[GROUP_USER])
		buf_putc(b, ' ');
	if (m->nrows > m->size[GROUP_USER])
		put_known(b, m);
	for (int i = 0; i < m->nrows; i++)
		if (!kernel_as_expected(&m->rows[i]))
			return false;
	return true;
}

/* ---- identities ---- */

static void identity(struct table *t, const char *name, const struct buf *value, bool mono)
{
	struct td cells[2] = {{.text = name, .coloured = true, .colour = C_SOFT},
	                      {.text = value->len ? value->s : "not recorded", .mono = mono}};

	table_row(t, cells);
}

/* An identity of one text of the evidence. */
static void identity_text(struct table *t, const char *name, const char *text, bool mono)
{
	struct buf b = {0};

	buf_puts(&b, text);
	identity(t, name, &b, mono);
	buf_free(&b);
}

/* Toolkits that the kernels' PTX comes from, each once. */
static void put_toolkits(struct buf *b, const struct model *m)
{
	for (int i = 0; i < m->nrows; i++) {
		const char *s = ev_text(m->rows[i].kernel, "toolkit");
		bool seen = s[0] == 0;

		for (int k = 0; k < i && !seen; k++)
			seen = strcmp(s, ev_text(m->rows[k].kernel, "toolkit")) == 0;
		if (!seen)
			buf_printf(b, "%s%s", b->len ? "; " : "", s);
	}
}

static void put_effort(struct buf *b, const struct audit *a)
{
	const cJSON *o = ev_get(a->evidence, "options");
	double cases = 0, elements = 0, judged = 0;
	const cJSON *d;

	for (int i = 0; i < a->m->nrows; i++) {
		cases += a->m->rows[i].n.cases;
		elements += sum_dtypes(a->m->rows[i].kernel, "elements");
		cJSON_ArrayForEach(d, ev_get(a->m->rows[i].kernel, "dtypes")) judged +=
		        elements_judged(d);
	}
	put_plural(b, cases, "case with ", "cases with ");
	put_plural(b, elements, "output element, ", "output elements, ");
	put_count(b, judged);
	buf_puts(b, " of them judged; the others have no verdict: out of contract, "
	            "ill-conditioned or undecidable");
	buf_puts(b, "; at most ");
	put_plural(b, ev_number(o, "cases"), "case", "cases");
	buf_printf(b, " a kernel and dtype; %s",
	           !cJSON_IsTrue(ev_get(o, "sanitize")) ? "sanitizers off"
	           : ev_watched(a->evidence)
	                   ? "sanitizers on"
	                   : "memory looked at after each run, its accesses not watched (a GPU does "
	                     "not tell of them)");
}

/* How sure the tolerances are, and how many cases were judged by which kind. */
static void put_confidence(struct buf *b, const struct audit *a, const cJSON *cells)
{
	static const char *const what[] = {
	        [LIMIT_FITTED] = "judged by limits fitted to known-good runs",
	        [LIMIT_LARGEST] = "by the largest error met with a margin (no sums)",
	        [LIMIT_EXACT] = "exact or within one rounding",
	        [LIMIT_BOUND] =
	                "by an error bound, for their cell is refused or the bound is lower",
	        [LIMIT_NONE] = "by a limit without calibration: the table has no such cell"};
	double cases[ARRAY_LEN(what)] = {0}, least = 1, confidence = 1, all = 0, used = 0;
	const cJSON *c;

	for (int i = 0; i < a->m->nrows; i++)
		all += a->m->rows[i].n.cases;
	cJSON_ArrayForEach(c, cells)
	{
		enum limit_kind k = limit_of(c);

		cases[k] += ev_number(c, "cases");
		used += ev_number(c, "cases");
		if (k != LIMIT_FITTED)
			continue;
		least = fmin(least, ev_number(c, "coverage"));
		confidence = fmin(confidence, ev_number(c, "confidence"));
	}
	for (size_t k = 0; k < ARRAY_LEN(what); k++) {
		if (!(cases[k] > 0))
			continue;
		buf_puts(b, b->len ? "; " : "");
		put_plural(b, cases[k], "case ", "cases ");
		buf_puts(b, what[k]);
		if (k == LIMIT_FITTED)
			buf_printf(b,
			           ", each of which covers at least %.4g %% of good runs at %.4g "
			           "%% confidence",
			           100 * least, 100 * confidence);
	}
	if (used && all > used) {
		buf_puts(b, "; ");
		put_plural(b, all - used,
		           "case without a judged output (it has none, or none has a verdict)",
		           "cases without a judged output (they have none, or none has a verdict)");
	}
}

static void put_tool(struct buf *b, const cJSON *tool)
{
	const char *commit = ev_text(tool, "commit");

	buf_printf(b, "%s %s", ev_text(tool, "name"), ev_text(tool, "version"));
	/* the build notes what the tree had that its commit has not (Makefile, commit.inc) */
	if (!commit[0])
		buf_puts(b, ", built outside of a repository: no commit is recorded");
	else if (strchr(commit, ','))
		buf_printf(b,
		           ", commit %.*s, TREE NOT CLEAN: it was built from files that this "
		           "commit has not, so that "
		           "the commit alone does not say what ran",
		           (int)strcspn(commit, ","), commit);
	else
		buf_printf(b, ", commit %s, tree clean: every tracked file as committed", commit);
}

void audit_identities(struct audit *a)
{
	static const struct column columns[] = {{.w = 86}, {.w = -1}};
	const cJSON *e = a->evidence, *tool = ev_get(e, "tool"), *device = ev_get(e, "device"),
	            *tolerance = ev_get(e, "tolerance"), *corpus = ev_get(e, "corpus");
	struct buf b = {0};
	struct table t;

	table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
	put_tool(&b, tool);
	identity(&t, "Tool", &b, false);
	identity_text(&t, "Command", ev_text(tool, "command"), true);
	b.len = 0;
	buf_printf(&b, "%s: %s", ev_text(device, "name"), ev_text(device, "text"));
	identity(&t, "Device", &b, false);
	identity_text(&t, "Driver", ev_text(device, "driver"), false);
	b.len = 0;
	put_toolkits(&b, a->m);
	identity(&t, "Toolkit", &b, false);
	identity_text(&t, "Tolerances", ev_text(tolerance, "text"), false);
	identity_text(&t, "   sha256", ev_text(tolerance, "sha256"), true);
	b.len = 0;
	put_confidence(&b, a, ev_get(tolerance, "cells"));
	identity(&t, "Confidence", &b, false);
	b.len = 0;
	put_plural(&b, ev_number(corpus, "kernels"),
	           "kernel, pinned by the sha256 of its manifest, source and PTX on its page; "
	           "below: of name and sha256",
	           "kernels, each pinned by the sha256 of its manifest, source and PTX on its "
	           "page; below: of the list of "
	           "all names and sha256");
	identity(&t, "Kernels", &b, false);
	identity_text(&t, "   sha256", ev_text(corpus, "sha256"), true);
	identity_text(&t, "Campaign seed", ev_text(e, "seed"), false);
	identity_text(&t, "Date", ev_text(e, "date"), false);
	b.len = 0;
	put_effort(&b, a);
	identity(&t, "Effort", &b, false);
	identity_text(&t, "Evidence sha256", a->sha256, true);
	table_end(&t);
	buf_free(&b);
}

/* ---- where to find what ---- */

static void way(struct audit *a, int dest, const char *question, const char *answer)
{
	struct face q = face_body, s = face_body;
	struct flow *f = &a->f;
	double h;
	bool link;

	q.bold = true;
	flow_tag(f, "P");
	link = flow_link(f, dest, NULL);
	if (link)
		q.colour = C_RIGHT_INK;
	flow_text(f, q, PAGE_LEFT, f->y, 150, 1, question);
	if (link)
		flow_link_end(f);
	h = flow_text(f, s, PAGE_LEFT + 156, f->y, PAGE_TEXT - 156, 3, answer);
	flow_untag(f, "P");
	f->y += h + 4;
}

static void ways(struct audit *a)
{
	struct buf b = {0};
	int first = 0;
	bool fails;

	while (first < a->m->nrows - 1 && !ev_minimal(a->m->rows[first].kernel))
		first++;
	buf_printf(&b, "Page %d lists all kernels, with their verdicts and their pages",
	           flow_page_of(&a->f, DEST_INDEX));
	if (audit_has_operators(a))
		buf_printf(&b, "; page %d says what their operators compute",
		           flow_page_of(&a->f, DEST_OPERATORS));
	buf_putc(&b, '.');
	way(a, DEST_INDEX, "What was tested?", b.s);
	b.len = 0;
	buf_printf(&b, "Page %d says how; page %d names every tolerance used, with its confidence.",
	           flow_page_of(&a->f, DEST_METHOD), flow_page_of(&a->f, DEST_TOLERANCE));
	way(a, DEST_METHOD, "How was it judged?", b.s);
	b.len = 0;
	buf_printf(
	        &b,
	        "Page %d counts it; each kernel's page shows its smallest failing case, in every "
	        "element type that fails.",
	        flow_page_of(&a->f, DEST_SUMMARY));
	way(a, DEST_SUMMARY, "What failed?", b.s);
	b.len = 0;
	fails = a->m->nrows && ev_minimal(a->m->rows[first].kernel);
	buf_puts(&b, "By the command in grey on its kernel's page");
	if (fails)
		buf_printf(&b, ", as on page %d", flow_page_of(&a->f, kernel_dest(first)));
	buf_puts(&b, strstr(ev_text(a->m->nrows ? a->m->rows[first].kernel : NULL, "replay"),
	                    " --device ")
	                     ? ": the same inputs, on a device of that name; without --device on any "
	                       "machine, in the emulator."
	                     : ": the same bytes on any machine, without a GPU.");
	buf_printf(&b, " Page %d explains the words of a case, page %d all others.",
	           flow_page_of(&a->f, DEST_CASES), flow_page_of(&a->f, DEST_GLOSSARY));
	way(a, fails ? kernel_dest(first) : DEST_CASES, "How is a failure replayed?", b.s);
	buf_free(&b);
}

void audit_operators(struct buf *b, const struct model *m)
{
	int n = 0;

	for (int i = 0; i < m->nrows; i++) {
		const char *s = ev_text(m->rows[i].kernel, "operator");
		bool seen = s[0] == 0;

		for (int k = 0; k < i && !seen; k++)
			seen = strcmp(s, ev_text(m->rows[k].kernel, "operator")) == 0;
		if (!seen && n++ < 24)
			buf_printf(b, "%s%s", n > 1 ? ", " : "", s);
	}
	if (n > 24)
		buf_printf(b, " and %d more", n - 24);
}

static void title(struct audit *a)
{
	struct face brand = {.size = 11, .colour = C_BAR, .bold = true},
	            name = {.size = 29, .colour = C_INK, .bold = true},
	            sub = {.size = 10, .colour = C_SOFT};
	struct flow *f = &a->f;
	struct buf b = {0};

	put_plural(&b, a->m->nrows, "GPU kernel", "GPU kernels");
	if (a->m->nrows) {
		buf_puts(&b, ": ");
		audit_operators(&b, a->m);
	}
	flow_rect(f, C_BAR, PAGE_LEFT, 60, 42, 3);
	f->y = 70;
	flow_tag(f, "P");
	f->y += flow_text(f, brand, PAGE_LEFT, f->y, PAGE_TEXT, 1, "gpuemu") + 2;
	flow_untag(f, "P");
	flow_tag(f, "H1");
	f->y += flow_text(f, name, PAGE_LEFT, f->y, PAGE_TEXT, 1, "Audit report") + 6;
	flow_untag(f, "H1");
	flow_tag(f, "P");
	f->y += flow_text(f, sub, PAGE_LEFT, f->y, PAGE_TEXT, 3, b.s) + 22;
	flow_untag(f, "P");
	buf_free(&b);
}

void audit_cover(struct audit *a)
{
	struct face s = {.size = 13.5, .colour = C_INK, .bold = true};
	struct flow *f = &a->f;
	struct buf b = {0};
	bool good = audit_verdict(&b, a->m);
	double h;

	audit_running(a, "");
	f->known->dest_page[DEST_COVER] = 1;
	title(a);
	h = flow_height(f, s, PAGE_TEXT - 30, 6, b.s);
	flow_rect(f, C_BAND, PAGE_LEFT, f->y, PAGE_TEXT, h + 24);
	flow_rect(f, good ? C_BAR : C_WRONG, PAGE_LEFT, f->y, 5, h + 24);
	flow_tag(f, "P");
	flow_text(f, s, PAGE_LEFT + 18, f->y + 12, PAGE_TEXT - 30, 6, b.s);
	flow_untag(f, "P");
	f->y += h + 24 + 22;
	audit_identities(a);
	flow_gap(f, 14);
	ways(a);
	buf_free(&b);
}
