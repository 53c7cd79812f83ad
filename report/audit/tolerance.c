/* tolerance.c - the envelopes that cases were judged by: how they come about, what is to be borne
 * in mind, and each that was used. Restates docs/calibration.md; the numbers are the evidence's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audit/audit.h"

/* ---- how a tolerance comes about ---- */

static const struct {
	const char *name, *text;
} kinds[] = {
        {"Fitted (tier “statistical”).",
         "T(L, M) = t · max(1, L/knee)^slope · (M/M₀)^slope′, and never more than the bound. L is "
         "the longest chain of "
         "dependent additions, M the number of results of the case, M₀ the fewest that a "
         "calibration run had. The largest "
         "scaled errors r of many runs of known-good kernels are fitted: their upper edge over L "
         "and M gives the slopes; t is "
         "such that the stated share of runs stays below at the stated confidence, and lies at or "
         "above the level that one run "
         "in %s exceeds by the tail of the fit. Runs that were held out are tried on it."},
        {"Largest error (tier “bounded”).",
         "Operators without sums: each run holds so many inputs that every pattern of 16 bits "
         "occurs, or every upper half of an "
         "f32. T is the largest error met, with a margin. It is no estimate of a share, and none "
         "is stated."},
        {"Exact.", "Where every run gave the exact value, its rounding apart, one rounding is "
                   "allowed, T = 1; where the contract itself is "
                   "bitwise (tier “exact”), T = 0."},
        {"Bound.", "Where a cell is refused, L lies beyond what was fitted, or the bound is lower "
                   "than the fit. γ = n/(1 − n·u), n = L + 4, "
                   "is the deterministic bound: L roundings of the chain and four around it (twice "
                   "n for tensor cores, which truncate). For "
                   "terms of both or of one sign (groups mixed, wide, same) the probabilistic "
                   "bound λ·sqrt(L + 4) stands where it is lower, "
                   "λ = sqrt(2·ln(2M·%s)), which holds for all results but with probability 1/%s a "
                   "run (Higham and Mary, SIAM J. Sci. "
                   "Comput. 41, 2019). A bound needs no calibration, and is wider than what good "
                   "kernels do."},
        {"The last rounding (+ 1).", "Cells of 16-bit outputs are calibrated with the outputs left "
                                     "in f32, whose last rounding is not held against a kernel; "
                                     "where the output is then rounded to 16 bits that rounding is "
                                     "one error more, so that 1 is added to T."},
        {"No cell.", "An operator or a family of numerics that the table has not gets the "
                     "provisional T = 6 + L/4, by rule of thumb."},
};

/* "1,000,000": how seldom a run may exceed the level. */
static void put_seldom(struct buf *b, const cJSON *cells)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, cells) if (ev_number(c, "exceed") > 0)
	{
		put_count(b, round(1 / ev_number(c, "exceed")));
		return;
	}
	buf_puts(b, "a million");
}

/* The text with that number for each %s. */
static void put_kind_text(struct buf *b, const char *text, const char *seldom)
{
	for (; *text; text++)
		if (text[0] == '%' && text[1] == 's') {
			buf_puts(b, seldom);
			text++;
		} else {
			buf_putc(b, *text);
		}
}

static void how(struct audit *a, const cJSON *cells)
{
	struct face s = face_body;
	struct buf seldom = {0};

	s.markup = true;
	put_seldom(&seldom, cells);
	flow_heading(&a->f, 2, DEST_NONE, "What may stand for T", "What may stand for T");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct buf b = {0}, text = {0};

		put_kind_text(&text, kinds[i].text, seldom.s);
		buf_printf(&b, "<b>%s</b> ", kinds[i].name);
		put_escaped(&b, text.s);
		flow_item(&a->f, s, b.s);
		buf_free(&b);
		buf_free(&text);
	}
	buf_free(&seldom);
}

/* ---- what is to be borne in mind ---- */

static bool apart(const cJSON *c)
{
	const char *g = ev_text(c, "group");

	return strcmp(g, "mixed") == 0 || strcmp(g, "wide") == 0 || strcmp(g, "same") == 0;
}

static bool is_state(const cJSON *c, const char *state)
{
	return strcmp(ev_text(c, "state"), state) == 0;
}

static void put_cell_name(struct buf *b, const cJSON *c)
{
	buf_printf(b, "%s %s, %s, %s", ev_text(c, "op"), ev_text(c, "types"), ev_text(c, "family"),
	           ev_text(c, "group"));
}

#define MAX_REASONS 8

/* " (12 tail too heavy, 5 loose)": what stands before the colon of the reasons of the cells in a state. */
static void put_reasons(struct buf *b, const cJSON *cells, const char *state)
{
	struct {
		char text[48];
		int n;
	} r[MAX_REASONS] = {{{0}, 0}};
	const cJSON *c;
	int n = 0, other = 0;

	cJSON_ArrayForEach(c, cells)
	{
		const char *s = ev_text(c, "reason");
		char text[48];
		int i = 0;

		if (!is_state(c, state))
			continue;
		snprintf(text, sizeof text, "%.*s", (int)strcspn(s, ":(0123456789"), s);
		for (size_t end = strlen(text); end && text[end - 1] == ' ';)
			text[--end] = 0;
		while (i < n && strcmp(r[i].text, text) != 0)
			i++;
		if (i == MAX_REASONS) {
			other++;
			continue;
		}
		if (i == n)
			snprintf(r[n++].text, sizeof r[0].text, "%s", text);
		r[i].n++;
	}
	for (int i = 0; i < n; i++)
		buf_printf(b, "%s%d %s", i ? ", " : " (", r[i].n,
		           r[i].text[0] ? r[i].text : "without a reason");
	if (other)
		buf_printf(b, ", %d for other reasons", other);
	buf_puts(b, n ? ")" : "");
}

static void item(struct audit *a, struct buf *b)
{
	if (b->len)
		flow_item(&a->f, face_body, b->s);
	b->len = 0;
}

static void put_refused(struct buf *b, const cJSON *cells)
{
	double cases = 0, by_bound = 0;
	int n = 0, refused = 0, loose = 0;
	const cJSON *c;

	cJSON_ArrayForEach(c, cells)
	{
		n++;
		refused += is_state(c, "refused");
		loose += is_state(c, "loose");
		cases += ev_number(c, "cases");
		by_bound += limit_of(c) == LIMIT_BOUND ? ev_number(c, "cases") : 0;
	}
	if (!(by_bound > 0) && loose == 0)
		return;
	buf_printf(b, "%d of the %d cells used are refused", refused, n);
	put_reasons(b, cells, "refused");
	buf_printf(b, ", %d loose", loose);
	put_reasons(b, cells, "loose");
	buf_puts(b, loose ? ": wider than a published envelope may be, and applied where the limit lies below the bound. " : ". ");
	put_count(b, by_bound);
	buf_puts(b, " of ");
	put_plural(b, cases, "judged case was", "judged cases were");
	buf_puts(b, " held against a bound, which good kernels stay well below: an error between "
	            "the two is not seen "
	            "there.");
}

/* The cell in which kernels of a role came nearest to their tolerance. */
static const cJSON *nearest(const cJSON *cells, const char *role, double *r)
{
	const cJSON *c, *best = NULL;

	*r = 0;
	cJSON_ArrayForEach(c, cells)
	{
		double x = ev_number(ev_get(ev_get(c, "by_role"), role), "r_over_T");

		if (x > *r) {
			*r = x;
			best = c;
		}
	}
	return best;
}

static void put_nearest(struct buf *b, const cJSON *cells, const char *role, const char *who)
{
	double r;
	const cJSON *c = nearest(cells, role, &r);

	if (!c)
		return;
	buf_printf(b,
	           "%sThe nearest that a passing case of %s came to its tolerance is r/T = %.3g (",
	           b->len ? " " : "", who, r);
	put_cell_name(b, c);
	buf_printf(b, "; %s).", ev_text(c, "name"));
}

static void put_heldout(struct buf *b, const cJSON *cells)
{
	double runs = 0, over = 0, least = 2;
	const cJSON *c, *thin = NULL;

	cJSON_ArrayForEach(c, cells)
	{
		if (limit_of(c) != LIMIT_FITTED)
			continue;
		runs += ev_number(c, "heldout");
		over += ev_number(c, "heldout_over");
		if (ev_number(c, "coverage") < least) {
			least = ev_number(c, "coverage");
			thin = c;
		}
	}
	if (runs > 0) {
		put_count(b, over);
		buf_puts(b, " of ");
		put_plural(b, runs, "held-out run of the fitted cells lies",
		           "held-out runs of the fitted cells lie");
		buf_puts(b,
		         over > 0
		                 ? " above its limit: such a cell flags a good kernel now and then."
		                 : " above its limit.");
	}
	if (!thin)
		return;
	buf_printf(b, "%sThe least sure fitted cell is ", b->len ? " " : "");
	put_cell_name(b, thin);
	buf_puts(b, ": ");
	put_plural(b, ev_number(thin, "runs"), "run, ", "runs, ");
	buf_printf(b, "coverage %.4g %%.", 100 * least);
}

static void bear_in_mind(struct audit *a, const cJSON *cells)
{
	struct buf b = {0};

	flow_heading(&a->f, 2, DEST_NONE, "What is to be borne in mind",
	             "What is to be borne in mind");
	put_refused(&b, cells);
	item(a, &b);
	put_heldout(&b, cells);
	item(a, &b);
	put_nearest(&b, cells, "control", "a control");
	put_nearest(&b, cells, "user", "a kernel under test");
	item(a, &b);
	if (nearest(cells, "buggy", &(double){0})) {
		put_nearest(&b, cells, "buggy", "a buggy kernel");
		buf_puts(&b, " That is of cases in which its fault does not show, or shows too "
		             "little to be seen; it "
		             "says nothing of good kernels, and the table keeps it apart.");
	}
	item(a, &b);
	buf_free(&b);
}

/* ---- the cells ---- */

static void put_power_law(struct buf *b, const cJSON *c)
{
	if (!ev_get(c, "t")) {
		buf_printf(b, "fitted, %s", ev_text(c, "tier"));
		return;
	}
	buf_printf(b, "fitted: t = %.3g", ev_number(c, "t"));
	if (ev_number(c, "slope") > 0)
		buf_printf(b, ", slope %.3g from knee %.4g on", ev_number(c, "slope"),
		           ev_number(c, "knee"));
	else
		buf_puts(b, ", slope 0");
	if (ev_number(c, "elements_slope") > 0)
		buf_printf(b, ", slope′ %.3g, M₀ %.4g", ev_number(c, "elements_slope"),
		           ev_number(c, "elements_lo"));
}

static void put_bound(struct buf *b, const cJSON *c)
{
	const char *name = ev_text(c, "name");

	buf_puts(b, (is_state(c, "refused") || is_state(c, "loose")) && apart(c)
	                    ? "bound, the lower of γ and λ·sqrt(L + 4): "
	                    : "bound γ: ");
	if (is_state(c, "refused"))
		buf_printf(b, "cell refused, %s", ev_text(c, "reason"));
	else if (strstr(name, ", bound: L"))
		buf_printf(b, "L is beyond the fitted range, %.6g to %.6g",
		           ev_number(c, "chain_lo"), ev_number(c, "chain_hi"));
	else
		buf_puts(b, "it is below the fitted limit");
}

/* What stands for T, with its numbers. */
static void put_kind(struct buf *b, const cJSON *c)
{
	switch (limit_of(c)) {
	case LIMIT_FITTED:
		put_power_law(b, c);
		break;
	case LIMIT_LARGEST:
		buf_puts(b, "largest error");
		if (ev_get(c, "t"))
			buf_printf(b, " met %.3g, with its margin t = %.3g", ev_number(c, "max"),
			           ev_number(c, "t"));
		break;
	case LIMIT_EXACT:
		buf_puts(b, strcmp(ev_text(c, "tier"), "exact") == 0
		                    ? "bitwise by contract: T = 0"
		                    : "no calibration run erred by more than 1/16: T = 1");
		break;
	case LIMIT_BOUND:
		put_bound(b, c);
		break;
	case LIMIT_NONE:
		buf_printf(b, "%s: the table has no such cell",
		           ev_text(c, "name")[0] ? ev_text(c, "name") : "not recorded");
	}
	if (ev_number(c, "narrow") > 0)
		buf_puts(b, "; + 1");
}

static void put_range(struct buf *b, const cJSON *lo, const cJSON *hi, int digits)
{
	put_real(b, lo, digits);
	if (cJSON_IsNumber(lo) && cJSON_IsNumber(hi) && lo->valuedouble == hi->valuedouble)
		return;
	buf_puts(b, " to ");
	put_real(b, hi, digits);
}

/* How sure it is: only a fitted cell has a coverage and a confidence. */
static void put_confidence(struct buf *b, const cJSON *c)
{
	enum limit_kind k = limit_of(c);

	if (k == LIMIT_BOUND && (is_state(c, "refused") || is_state(c, "loose")) && apart(c) &&
	    ev_number(c, "exceed") > 0)
		buf_printf(b, "γ always, λ but for %g of runs", ev_number(c, "exceed"));
	else if (k == LIMIT_BOUND)
		buf_puts(b, "holds always");
	if (k == LIMIT_BOUND || k == LIMIT_NONE)
		return;
	if (k == LIMIT_FITTED)
		buf_printf(b, "%.4g %% at %.4g %%" BREAK, 100 * ev_number(c, "coverage"),
		           100 * ev_number(c, "confidence"));
	put_plural(b, ev_number(c, "runs"), "run", "runs");
	if (ev_get(c, "heldout")) {
		buf_puts(b, BREAK "held out ");
		put_count(b, ev_number(c, "heldout"));
		buf_puts(b, ", over ");
		put_count(b, ev_number(c, "heldout_over"));
	}
}

/* "control 33; 0.129", a line a role. */
static void put_uses(struct buf *b, const cJSON *c)
{
	const cJSON *roles = ev_get(c, "by_role"), *r;

	cJSON_ArrayForEach(r, roles)
	{
		buf_printf(b, "%s%s ", b->len ? BREAK : "",
		           r->string && strcmp(r->string, "user") == 0 ? "under test" : r->string);
		put_count(b, ev_number(r, "cases"));
		buf_puts(b, "; ");
		put_real(b, ev_get(r, "r_over_T"), 3);
	}
	if (b->len)
		return;
	put_count(b, ev_number(c, "cases"));
	buf_puts(b, "; ");
	put_real(b, ev_get(c, "r_over_T"), 3);
}

static void cell_row(struct table *t, const cJSON *c)
{
	struct buf b[6] = {{0}};
	struct td cells[6];

	buf_printf(&b[0], "%s %s", ev_text(c, "op"), ev_text(c, "types"));
	buf_printf(&b[1], "%s; %s", ev_text(c, "family"), ev_text(c, "group"));
	put_kind(&b[2], c);
	put_confidence(&b[3], c);
	put_range(&b[4], ev_get(c, "T_lo"), ev_get(c, "T_hi"), 3);
	buf_puts(&b[4], BREAK "at L ");
	put_range(&b[4], ev_get(c, "L_lo"), ev_get(c, "L_hi"), 6);
	put_uses(&b[5], c);
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		cells[i] = (struct td){.text = b[i].s ? b[i].s : ""};
	table_row(t, cells);
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		buf_free(&b[i]);
}

static void cells_used(struct audit *a, const cJSON *cells)
{
	static const struct column columns[] = {
	        {.title = "Operator, types", .w = 62},
	        {.title = "Numerics; coherence", .w = 52},
	        {.title = "What stands for T", .w = -1},
	        {.title = "Coverage at confidence; calibration runs", .w = 88},
	        {.title = "T used, L met", .w = 62},
	        {.title = "Cases; largest r/T of those that pass", .w = 88, .align = ALIGN_RIGHT}};
	const cJSON *c;
	struct table t;

	flow_heading(&a->f, 2, DEST_NONE, "Cells used in this campaign", "Cells used");
	table_begin(&t, &a->f, columns, 6, TABLE_SIZE);
	cJSON_ArrayForEach(c, cells) if (cJSON_IsObject(c)) cell_row(&t, c);
	table_end(&t);
}

void audit_tolerances(struct audit *a)
{
	const cJSON *t = ev_get(a->evidence, "tolerance"), *cells = ev_get(t, "cells");
	struct buf b = {0};

	audit_part(a, DEST_TOLERANCE, "Tolerances");
	buf_printf(&b, "Table %s: %s.", ev_text(t, "name"), ev_text(t, "text"));
	if (ev_text(t, "sha256")[0])
		buf_printf(&b, " SHA-256 %s.", ev_text(t, "sha256"));
	buf_puts(&b,
	         " A cell of it is an operator with its types, a family of numerics and a "
	         "coherence group; an error up to "
	         "T·u·S is allowed. “gpuemu tolerances show” prints every cell with its checks.");
	flow_par(&a->f, face_body, b.s);
	buf_free(&b);
	how(a, cells);
	if (cJSON_GetArraySize(cells) == 0) {
		flow_par(&a->f, face_body,
		         "The evidence does not name the cells that its cases used.");
		return;
	}
	bear_in_mind(a, cells);
	cells_used(a, cells);
}
