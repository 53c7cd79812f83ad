/* kernel.c - the pages of one kernel: what it is, what was found, how to see it again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/audit/audit.h"

/* ---- what it is ---- */

static void fact(struct table *t, const char *name, const char *text, bool mono)
{
	struct td cells[2] = {{.text = name, .coloured = true, .colour = C_SOFT},
	                      {.text = text, .mono = mono}};

	if (text[0])
		table_row(t, cells);
}

static void put_list(struct buf *b, const cJSON *list)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, list) if (cJSON_IsString(x))
	        buf_printf(b, "%s%s", b->len ? ", " : "", x->valuestring);
}

/* The twin links to its own page when it is in the evidence. */
static void twin_fact(struct audit *a, struct table *t, const char *twin)
{
	struct td cells[2] = {{.text = "Good twin", .coloured = true, .colour = C_SOFT},
	                      {.text = twin}};

	for (int i = 0; i < a->m->nrows; i++)
		if (strcmp(a->m->rows[i].name, twin) == 0)
			cells[1].dest = kernel_dest(i);
	if (twin[0])
		table_row(t, cells);
}

/* "acc f32 (sums are kept in it); ftz no (…); chain 2*ceil(C,512)+9 (L, …)": the manifest's own
 * words, and what they mean. */
static void put_numerics(struct buf *b, const cJSON *numerics)
{
	static const char *const meaning[][2] = {
	        {"acc", "the type that sums are kept in"},
	        {"ftz", "whether subnormal numbers are flushed to zero"},
	        {"tensor_cores", "whether sums are made on tensor cores"},
	        {"chain", "L, the longest chain of dependent additions"}};
	const cJSON *x;

	cJSON_ArrayForEach(x, numerics)
	{
		char *text = cJSON_IsString(x) ? NULL : json_print(x, false);

		buf_printf(b, "%s%s %s", b->len ? "; " : "", x->string ? x->string : "",
		           cJSON_IsBool(x) ? (cJSON_IsTrue(x) ? "yes" : "no")
		           : text          ? text
		                           : x->valuestring);
		free(text);
		for (size_t i = 0; x->string && i < ARRAY_LEN(meaning); i++)
			if (strcmp(x->string, meaning[i][0]) == 0)
				buf_printf(b, " (%s)", meaning[i][1]);
	}
}

/* The sets by the names that the report has for them. */
static void put_sets(struct buf *b, const cJSON *list)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, list) if (cJSON_IsString(x))
	{
		buf_puts(b, b->len ? ", " : "");
		ev_put_set(b, x->valuestring);
	}
}

static void facts(struct audit *a, const struct row *r)
{
	static const struct column columns[] = {{.w = 86}, {.w = -1}};
	static const char *const roles[] = {"under test", "known to be wrong",
	                                    "known to be right: a control"};
	const cJSON *k = r->kernel;
	struct buf sets = {0}, domain = {0}, numerics = {0}, ptx = {0}, bug = {0};
	struct table t;

	put_sets(&sets, ev_get(k, "sets"));
	put_numerics(&numerics, ev_get(k, "numerics"));
	put_list(&domain, ev_get(k, "requires"));
	buf_printf(&ptx, "%s%s%s%s%s", ev_text(k, "ptx"),
	           ev_text(k, "toolkit")[0] ? ", made by " : "", ev_text(k, "toolkit"),
	           ev_text(k, "ptx_stale")[0] ? "; stale: " : "", ev_text(k, "ptx_stale"));
	buf_printf(&bug, "%s%s%s", ev_text(k, "bug_class"), ev_text(k, "bug_class")[0] ? ": " : "",
	           ev_text(k, "bug"));
	table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
	fact(&t, "Operator", ev_text(k, "operator"), false);
	fact(&t, "Role", roles[r->group], false);
	fact(&t, "What it is", ev_text(k, "doc"), false);
	fact(&t, "Its fault", bug.s ? bug.s : "", false);
	twin_fact(a, &t, ev_text(k, "twin"));
	fact(&t, "Sets", sets.s ? sets.s : "", false);
	fact(&t, "Numerics", numerics.s ? numerics.s : "", false);
	fact(&t, "Domain promised", domain.s ? domain.s : "", false);
	fact(&t, "Folder", ev_text(k, "folder"), true);
	fact(&t, "PTX", ptx.s ? ptx.s : "", false);
	fact(&t, "sha256 of manifest, source and PTX", ev_text(k, "sha256"), true);
	table_end(&t);
	buf_free(&sets);
	buf_free(&domain);
	buf_free(&numerics);
	buf_free(&ptx);
	buf_free(&bug);
}

/* ---- the verdict ---- */

static void put_meaning(struct buf *b, const struct row *r)
{
	const char *v = ev_text(r->kernel, "verdict");

	if (r->group == GROUP_BUGGY)
		buf_puts(b, strcmp(v, "FAIL") == 0
		                    ? ", as it should: this kernel is known to be wrong. "
		                    : ", though this kernel is known to be wrong. ");
	else if (r->group == GROUP_CONTROL)
		buf_puts(b, strcmp(v, "PASS") == 0
		                    ? ", as it should: this kernel is known to be right. "
		                    : ", though this kernel is known to be right. ");
	else
		buf_puts(b, ". ");
}

static void verdict(struct audit *a, const struct row *r)
{
	const char *v = kernel_verdict(r);
	struct buf b = {0};

	put_meaning(&b, r);
	put_count(&b, r->n.failed);
	buf_puts(&b, " of ");
	put_plural(&b, r->n.cases, "case", "cases");
	buf_puts(&b, r->n.failed == 1 ? " fails" : " fail");
	if (r->n.failed) {
		buf_puts(&b, ", ");
		put_count(&b, r->n.failed_by_value);
		buf_puts(&b, " of them by the output values alone");
	}
	if (r->n.unknown + r->n.unsupported > 0) {
		buf_puts(&b, "; ");
		put_count(&b, r->n.unknown + r->n.unsupported);
		buf_puts(&b, " could not be decided");
	}
	buf_puts(&b, ".");
	/* the verdict stands for the beginning of the sentence */
	flow_verdict(&a->f, verdict_colour(v), v, b.s + strspn(b.s, ",. "));
	buf_free(&b);
}

/* ---- counts by dtype ---- */

static void dtype_row(struct table *t, const cJSON *d)
{
	const char *v = ev_text(d, "verdict");
	const double counts[] = {ev_number(d, "cases"),
	                         ev_number(d, "cases_failed"),
	                         ev_number(d, "cases_failed_by_value"),
	                         ev_number(d, "cases_unknown") + ev_number(d, "cases_unsupported"),
	                         ev_number(d, "cases_no_power"),
	                         elements_judged(d),
	                         ev_number(d, "elements_failed"),
	                         ev_number(d, "elements") - elements_judged(d)};
	enum { N = ARRAY_LEN(counts) };
	struct buf b[N + 2] = {{0}};
	struct td cells[2 + N + 2] = {
	        {.text = ev_text(d, "dtype")},
	        {.text = v, .bold = true, .coloured = true, .colour = verdict_colour(v)}};
	const cJSON *worst = ev_get(d, "worst");

	for (size_t i = 0; i < N; i++)
		put_count(&b[i], counts[i]);
	if (ev_number(worst, "T") > 0)
		buf_printf(&b[N], "%.3g", ev_number(worst, "r") / ev_number(worst, "T"));
	put_real(&b[N + 1], ev_get(d, "r_over_T"), 3);
	for (size_t i = 0; i < N + 2; i++)
		cells[2 + i].text = b[i].s ? b[i].s : "–";
	table_row(t, cells);
	for (size_t i = 0; i < N + 2; i++)
		buf_free(&b[i]);
}

static void dtypes(struct audit *a, const struct row *r)
{
	static const struct column columns[] = {
	        {.title = "dtype", .w = 36},
	        {.title = "verdict", .w = 66, .fit = true},
	        {.title = "cases", .w = -0.95, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "failed", .w = -1, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "by value", .w = -1, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "undecided", .w = -1.6, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "no" BREAK "power", .w = -1.15, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "elements" BREAK "judged", .w = -1.5, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "wrong", .w = -1.2, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "not" BREAK "judged", .w = -1.25, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "r/T of" BREAK "passing", .w = -1.3, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "r/T" BREAK "of all", .w = -1.35, .align = ALIGN_RIGHT, .fit = true}};
	const cJSON *d;
	struct table t;

	if (cJSON_GetArraySize(ev_get(r->kernel, "dtypes")) == 0)
		return;
	flow_heading(&a->f, 2, DEST_NONE, "Cases by dtype", NULL);
	table_begin(&t, &a->f, columns, ARRAY_LEN(columns), TABLE_SIZE);
	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes")) if (cJSON_IsObject(d)) dtype_row(&t, d);
	table_end(&t);
	flow_par(&a->f, face_note,
	         "By value: wrong outputs, whatever the sanitizers say. Without power: the case "
	         "would pass a kernel "
	         "that computes nothing, too. Not judged: elements out of contract, "
	         "ill-conditioned or undecidable, which are in "
	         "no other column. r/T: the largest error in units of the tolerance, over the "
	         "cases that pass and over all; inf: a number where an infinity or a NaN should be, the "
	         "reverse, or an error where the scale S is 0.");
}

/* ---- what it was tried on ---- */

static void put_sizes(struct buf *b, const cJSON *sizes)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, sizes)
	{
		const cJSON *lo = cJSON_GetArrayItem(x, 0), *hi = cJSON_GetArrayItem(x, 1);

		if (!cJSON_IsNumber(lo) || !cJSON_IsNumber(hi))
			continue;
		buf_printf(b, "%s%s ", b->len ? "; " : "", x->string);
		put_count(b, lo->valuedouble);
		buf_puts(b, " to ");
		put_count(b, hi->valuedouble);
	}
}

/* "normal 39, subnormal 17": in how many cases. */
static void put_classes(struct buf *b, const cJSON *classes)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, classes) if (cJSON_IsNumber(x))
	{
		buf_printf(b, "%s%s ", b->len ? ", " : "", x->string);
		put_count(b, x->valuedouble);
	}
}

static void tried(struct audit *a, const struct row *r)
{
	static const struct column columns[] = {{.w = 86}, {.w = -1}};
	const cJSON *j = ev_get(r->kernel, "tried");
	struct buf sizes = {0}, layouts = {0}, values = {0}, note = {0};
	struct table t;

	put_sizes(&sizes, ev_get(j, "sizes"));
	put_classes(&layouts, ev_get(j, "layouts"));
	put_classes(&values, ev_get(j, "values"));
	if (sizes.len + layouts.len + values.len) {
		buf_puts(&note,
		         "In how many cases each layout and class of values occurs; the words are "
		         "those of “How to read a case”");
		put_page(&note, a, DEST_CASES);
		buf_puts(&note, ".");
		flow_heading(&a->f, 2, DEST_NONE, "What it was tried on", NULL);
		flow_lead(&a->f, face_note, note.s);
		table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
		fact(&t, "Sizes", sizes.s ? sizes.s : "", false);
		fact(&t, "Layouts (cases)", layouts.s ? layouts.s : "", false);
		fact(&t, "Values (cases)", values.s ? values.s : "", false);
		table_end(&t);
	}
	buf_free(&sizes);
	buf_free(&layouts);
	buf_free(&values);
	buf_free(&note);
}

/* ---- minimal failing cases ---- */

static void element_row(struct table *t, const cJSON *x)
{
	struct buf b[7] = {{0}};
	struct td cells[ARRAY_LEN(b)];

	buf_puts(&b[0], ev_text(x, "output"));
	put_index(&b[0], ev_get(x, "index"), "[", "]");
	put_real(&b[1], ev_get(x, "got"), 9);
	buf_printf(&b[1], " (%s)", ev_text(x, "got_bits"));
	put_real(&b[2], ev_get(x, "exact"), 9);
	put_real(&b[3], ev_get(x, "lo"), 9);
	buf_puts(&b[3], " to ");
	put_real(&b[3], ev_get(x, "hi"), 9);
	put_real(&b[4], ev_get(x, "S"), 3);
	put_real(&b[5], ev_get(x, "tol"), 3);
	put_real(&b[6], ev_get(x, "r"), 3);
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		cells[i] = (struct td){.text = b[i].s ? b[i].s : "–"};
	table_row(t, cells);
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		buf_free(&b[i]);
}

/* Where the exact value of some element is no allowed output: neighbours in the output's type lie
 * farther apart than the tolerance. */
static bool exact_is_outside(const cJSON *list)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, list)
	{
		const cJSON *z = ev_get(x, "exact"), *lo = ev_get(x, "lo"), *hi = ev_get(x, "hi");

		if (cJSON_IsNumber(z) && cJSON_IsNumber(lo) && cJSON_IsNumber(hi) &&
		    (z->valuedouble < lo->valuedouble || z->valuedouble > hi->valuedouble))
			return true;
	}
	return false;
}

static void elements(struct audit *a, const char *dtype, const cJSON *list)
{
	static const struct column columns[] = {
	        {.title = "element", .w = 68},
	        {.title = "computed (bits)", .w = -1},
	        {.title = "exact value z", .w = -0.7},
	        {.title = "allowed outputs", .w = -1.1},
	        {.title = "scale S", .w = 44, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "T·u·S", .w = 48, .align = ALIGN_RIGHT, .fit = true},
	        {.title = "error r", .w = 46, .align = ALIGN_RIGHT, .fit = true}};
	struct buf note = {0};
	const cJSON *x;
	struct table t;

	if (cJSON_GetArraySize(list) == 0)
		return;
	/* numbers of 9 digits with their bits, and limits of two, take two lines */
	table_begin_whole(&t, &a->f, columns, ARRAY_LEN(columns), TABLE_SIZE,
	                  2 * cJSON_GetArraySize(list));
	cJSON_ArrayForEach(x, list) element_row(&t, x);
	table_end(&t);
	if (!exact_is_outside(list))
		return;
	buf_printf(&note,
	           "Allowed are the numbers of %s between the roundings of z − T·u·S and z + "
	           "T·u·S. Neighbours of "
	           "%s lie farther apart than these here, so that both round to the same number, "
	           "and the exact value, which "
	           "is none of %s, lies beside it.",
	           dtype, dtype, dtype);
	flow_par(&a->f, face_note, note.s);
	buf_free(&note);
}

static void put_tolerance(struct buf *b, const struct audit *a, const cJSON *m)
{
	if (!ev_get(m, "T"))
		return;
	buf_puts(b, " Judged with T = ");
	put_real(b, ev_get(m, "T"), 3);
	buf_puts(b, " at L = ");
	put_real(b, ev_get(m, "L"), 6);
	buf_printf(b, " (%s)", ev_text(m, "envelope"));
	put_page(b, a, DEST_TOLERANCE);
	buf_putc(b, '.');
}

static bool is_open(const cJSON *j)
{
	return ev_is(j, "verdict", "UNKNOWN") || ev_is(j, "verdict", "UNSUPPORTED");
}

/* Why a dtype has no verdict, where no case of it is shown: of its first undecided case. */
static void undecided(struct audit *a, const struct row *r)
{
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes"))
	{
		struct buf b = {0};

		if (!is_open(d) || !ev_text(d, "reason")[0] || ev_get(d, "minimal"))
			continue;
		buf_printf(&b, "%s is %s, for its first undecided case: %s.", ev_text(d, "dtype"),
		           ev_text(d, "verdict"), ev_text(d, "reason"));
		flow_par(&a->f, face_body, b.s);
		buf_free(&b);
	}
}

static void minimal(struct audit *a, const struct row *r, const cJSON *d)
{
	const cJSON *m = ev_get(d, "minimal");
	const char *by = ev_text(m, "by"), *twin = ev_text(m, "twin_verdict");
	struct buf b = {0};

	buf_printf(&b, "%s: %s", ev_text(d, "dtype"), ev_text(m, "reason"));
	flow_heading(&a->f, 3, DEST_NONE, b.s, NULL);
	flow_lead_code(&a->f, ev_text(m, "replay"));
	b.len = 0;
	if (is_open(m)) {
		buf_printf(&b, "Not decided: %s, by the finding %s.", ev_text(m, "verdict"), by);
		flow_par(&a->f, face_note, b.s);
		buf_free(&b);
		return;
	}
	buf_printf(&b, "Fails by %s%s: ",
	           strcmp(by, "value") == 0 ? "its output values" : "the finding ",
	           strcmp(by, "value") == 0 ? "" : by);
	put_count(&b, ev_number(m, "failed"));
	buf_puts(&b, " of ");
	put_plural(&b, ev_number(m, "elements_of_case"), "element", "elements");
	buf_puts(&b, ev_number(m, "failed") == 1 ? " is wrong." : " are wrong.");
	put_tolerance(&b, a, m);
	if (twin[0])
		buf_printf(&b, " The good twin %s: %s.", ev_text(r->kernel, "twin"), twin);
	buf_printf(&b, " SHA-256 of the outputs: %s", ev_text(m, "outputs_sha256"));
	if (cJSON_GetArraySize(ev_get(m, "elements")) > 0)
		flow_lead(&a->f, face_note, b.s);
	else
		flow_par(&a->f, face_note, b.s);
	elements(a, ev_text(d, "dtype"), ev_get(m, "elements"));
	buf_free(&b);
}

static void minimals(struct audit *a, const struct row *r)
{
	const cJSON *d;
	int n = 0, open = 0;

	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes"))
	{
		n += ev_get(d, "minimal") != NULL;
		open += is_open(ev_get(d, "minimal"));
	}
	if (n == 0)
		return;
	flow_heading(&a->f, 2, DEST_NONE,
	             open == 0  ? "Smallest failing cases, and how to replay them"
	             : open < n ? "Smallest cases that fail or are undecided, and how to replay them"
	                        : "Smallest undecided cases, and how to replay them",
	             NULL);
	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes")) if (ev_get(d, "minimal"))
	        minimal(a, r, d);
}

/* ---- the whole ---- */

void audit_kernel(struct audit *a, const struct row *r)
{
	verdict(a, r);
	facts(a, r);
	dtypes(a, r);
	undecided(a, r);
	tried(a, r);
	minimals(a, r);
	kernel_diagnosis(a, r);
	kernel_error_maps(a, r);
	kernel_findings(a, r);
	kernel_coverage(a, r);
	kernel_envelope(a, r);
	kernel_lint(a, r);
	kernel_checks(a, r);
}

static void one_kernel(struct audit *a, int i)
{
	const struct row *r = &a->m->rows[i];
	struct buf entry = {0};

	flow_page(&a->f);
	audit_running(a, r->name);
	if (i == 0) {
		flow_mark(&a->f, DEST_KERNELS);
		flow_outline(&a->f, 1, DEST_KERNELS, "Kernel by kernel");
	}
	buf_printf(&entry, "%s: %s", kernel_title(r), kernel_verdict(r));
	flow_heading(&a->f, 1, kernel_dest(i), kernel_title(r), NULL);
	flow_outline(&a->f, 2, kernel_dest(i), entry.s);
	audit_kernel(a, r);
	buf_free(&entry);
}

void audit_kernels(struct audit *a)
{
	for (int i = 0; i < a->m->nrows; i++)
		one_kernel(a, i);
}
