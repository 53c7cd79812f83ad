/* print.c - tolerance tables for people and other programs, and what moved between two of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tolerances/tolerances.h"

static bool wanted(const struct tolerance_cell *c, const char *filter)
{
	char key[140];

	snprintf(key, sizeof key, "%s/%s", c->op, c->types);
	return !filter || strncmp(key, filter, strlen(filter)) == 0;
}

static void t_text(const struct tolerance_cell *c, char out[64])
{
	if (c->fit.state == FIT_REFUSED)
		snprintf(out, 64, "bound");
	else if (c->fit.state == FIT_EXACT)
		snprintf(out, 64, "%g", strcmp(c->tier, "exact") == 0 ? 0.0 : 1.0);
	else
		snprintf(out, 64, "%.3g", c->fit.t);
}

/* How the cells hold here, each text once, with the operators that it is said of. */
static void put_carried(const struct tolerance_table *t, struct buf *b)
{
	if (t->carried[0])
		buf_printf(b, "%s\n", t->carried);
	for (size_t i = 0; i < t->n; i++) {
		const char *text = t->cell[i].carried, *op = NULL;
		bool said = text[0] == 0;

		for (size_t k = 0; k < i && !said; k++)
			said = strcmp(t->cell[k].carried, text) == 0;
		if (said)
			continue;
		for (size_t k = i; k < t->n; k++)
			if (strcmp(t->cell[k].carried, text) == 0 && (!op || strcmp(op, t->cell[k].op) != 0)) {
				buf_printf(b, "%s%s", op ? ", " : "", t->cell[k].op);
				op = t->cell[k].op;
			}
		buf_printf(b, ": %s\n", text);
	}
}

char *tolerance_show(const struct tolerance_table *t, const char *filter)
{
	struct buf b = {0};
	int loose = 0, refused = 0, shown = 0;

	buf_printf(&b, "%s: %s, %s plan, %s\n%s\n", t->name, t->device_text, t->plan, t->date, t->command);
	put_carried(t, &b);
	buf_printf(&b, "\n%-15s %-9s %-14s %-9s %7s %6s %6s %8s %6s %6s %9s %8s  %s\n", "operator", "types", "numerics",
	           "group", "t", "slope", "runs", "max r", "xi", "r/T", "held out", "kernels", "plan");
	for (size_t i = 0; i < t->n; i++) {
		const struct tolerance_cell *c = &t->cell[i];
		char text[64], out[32], kernels[32];

		if (!wanted(c, filter))
			continue;
		shown++;
		loose += c->fit.state == FIT_LOOSE;
		refused += c->fit.state == FIT_REFUSED;
		t_text(c, text);
		snprintf(out, sizeof out, "%g/%g", c->heldout_over, c->heldout);
		snprintf(kernels, sizeof kernels, "%g/%g", c->kernels_out_over, c->kernels_out);
		buf_printf(&b, "%-15s %-9s %-14s %-9s %7s %6.2f %6zu %8.3g %6.2f %6.2f %9s %8s  %s\n", c->op, c->types,
		           c->family, c->group, text, c->fit.chain.used, c->fit.runs, c->fit.max, c->fit.xi,
		           c->fit.tightness, out, kernels, c->plan[0] ? c->plan : t->plan);
		if (c->fit.state >= FIT_LOOSE)
			buf_printf(&b, "    %s: %s\n", c->fit.state == FIT_LOOSE ? "no envelope" : "refused", c->fit.reason);
	}
	if (shown == 0 && filter) {
		buf_free(&b);
		return NULL;
	}
	buf_printf(&b, "\n%d cells, %d refused (the bound stands there), %d loose (the lower of limit and bound)\n"
	           "T = t*max(1, L/knee)^slope, in units of u*S; held out, kernels: runs over the envelope, and kernels beyond "
	           "the fit of the others\n", shown, refused, loose);
	return b.s;
}

/* ---- exports ---- */

static void csv_text(struct buf *b, const char *s)
{
	buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_putc(b, '"');
		buf_putc(b, *s);
	}
	buf_putc(b, '"');
}

static void export_csv(const struct tolerance_table *t, struct buf *b)
{
	buf_puts(b, "operator,types,numerics,group,tier,state,t,slope,slope_lo,slope_hi,elements_slope,chain_lo,chain_hi,"
	            "elements_lo,u,runs,max,median,xi,xi_hi,heldout,heldout_over,rtol,atol,reason\n");
	for (size_t i = 0; i < t->n; i++) {
		const struct tolerance_cell *c = &t->cell[i];
		const struct cell_fit *f = &c->fit;
		char text[64];

		t_text(c, text);
		csv_text(b, c->op);
		buf_putc(b, ',');
		csv_text(b, c->types);
		buf_putc(b, ',');
		csv_text(b, c->family);
		buf_printf(b, ",%s,%s,%s,%s,%g,%g,%g,%g,%g,%g,%g,%g,%zu,%g,%g,%g,%g,%g,%g,%g,%g,", c->group, c->tier,
		           fit_state_name(f->state),
		           f->state == FIT_REFUSED ? "" : text, f->chain.used, f->chain.lo, f->chain.hi,
		           f->elements.used, f->chain_lo, f->chain_hi, f->elements_lo, f->options.u, f->runs, f->max,
		           f->median, f->xi, f->xi_hi, c->heldout, c->heldout_over, c->rtol, c->atol);
		csv_text(b, f->reason);
		buf_putc(b, '\n');
	}
}

static void latex_text(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr("_&%#$", *s))
			buf_putc(b, '\\');
		buf_putc(b, *s);
	}
}

static void export_latex(const struct tolerance_table *t, struct buf *b)
{
	buf_printf(b, "%% %s: %s, %s plan, %s\n\\begin{tabular}{llllrrrr}\n\\toprule\noperator & types & numerics & "
	           "group & $t$ & slope & max $r$ & runs \\\\\n\\midrule\n", t->name, t->device_text, t->plan, t->date);
	for (size_t i = 0; i < t->n; i++) {
		const struct tolerance_cell *c = &t->cell[i];
		char text[64];

		t_text(c, text);
		latex_text(b, c->op);
		buf_puts(b, " & ");
		latex_text(b, c->types);
		buf_puts(b, " & ");
		latex_text(b, c->family);
		buf_printf(b, " & %s & %s & %.2f & %.3g & %zu \\\\\n", c->group, text, c->fit.chain.used, c->fit.max,
		           c->fit.runs);
	}
	buf_puts(b, "\\bottomrule\n\\end{tabular}\n");
}

/* The largest of an operator's groups of the default family: a caller of assert_close knows neither. */
static void export_python(const struct tolerance_table *t, struct buf *b)
{
	buf_printf(b, "# %s: %s, %s plan, %s. Made by `gpuemu tolerances export`.\n"
	           "# rtol and atol for torch.testing.assert_close(actual, exact, **TOLERANCES[op, dtype]): what they accept\n"
	           "# contains the envelope on the calibration's inputs (256 results, reductions of 4..8191 terms, the value\n"
	           "# classes named by the key \"groups\"), the reference being exact (computed in float64 or better). On other\n"
	           "# inputs atol must be measured again: a fixed atol has no scale of its own, which is why gpuemu judges by S.\n"
	           "TOLERANCES = {\n", t->name, t->device_text, t->plan, t->date);
	for (size_t i = 0; i < t->n; i++) {
		const struct tolerance_cell *c = &t->cell[i];
		double rtol = 0, atol = 0;
		bool first = true;
		struct buf groups = {0};

		for (size_t k = 0; k < t->n; k++) {
			const struct tolerance_cell *d = &t->cell[k];

			if (strcmp(c->op, d->op) != 0 || strcmp(c->types, d->types) != 0 || strcmp(d->family, "f32") != 0 ||
			    d->fit.state >= FIT_LOOSE || strcmp(d->group, "const") == 0)
				continue;
			first &= k >= i;
			rtol = fmax(rtol, d->rtol);
			atol = fmax(atol, d->atol);
			buf_printf(&groups, "%s\"%s\"", groups.len ? ", " : "", d->group);
		}
		if (groups.len && first && strcmp(c->family, "f32") == 0 && c->fit.state < FIT_LOOSE &&
		    strcmp(c->group, "const") != 0)
			buf_printf(b, "    (\"%s\", \"%s\"): {\"rtol\": %.3g, \"atol\": %.3g},  # groups: %s\n", c->op,
			           c->types, rtol, atol, groups.s);
		buf_free(&groups);
	}
	buf_puts(b, "}\n");
}

char *tolerance_export(const struct tolerance_table *t, const char *format)
{
	static const struct {
		const char *name;
		void (*fn)(const struct tolerance_table *t, struct buf *b);
	} formats[] = {{"csv", export_csv}, {"latex", export_latex}, {"python", export_python}};
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (strcmp(formats[i].name, format) == 0) {
			formats[i].fn(t, &b);
			return b.s;
		}
	if (strcmp(format, "text") == 0)
		return tolerance_show(t, NULL);
	return NULL;
}

/* ---- differences ---- */

/* A cell moved when neither's largest run would have passed the other's envelope's confidence: the order
 * statistic of one lies above the upper limit of the other, or the slopes' intervals do not meet. */
static bool moved(const struct cell_fit *a, const struct cell_fit *b, char why[120])
{
	if (a->state != b->state) {
		snprintf(why, 120, "state");
		return true;
	}
	if (a->state != FIT_ENVELOPE)
		return false;
	if (a->order_limit > b->t || b->order_limit > a->t) {
		snprintf(why, 120, "tolerance limit %.3g against an envelope of %.3g",
		         a->order_limit > b->t ? a->order_limit : b->order_limit, a->order_limit > b->t ? b->t : a->t);
		return true;
	}
	if (a->chain.hi > a->chain.lo && b->chain.hi > b->chain.lo &&
	    (a->chain.lo > b->chain.hi || b->chain.lo > a->chain.hi)) {
		snprintf(why, 120, "slope %.2f..%.2f against %.2f..%.2f", a->chain.lo, a->chain.hi, b->chain.lo,
		         b->chain.hi);
		return true;
	}
	return false;
}

char *tolerance_diff(const struct tolerance_table *a, const struct tolerance_table *b, int *count)
{
	struct buf out = {0};
	int both = 0, only_a = 0, only_b = 0;

	*count = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct tolerance_cell *x = &a->cell[i],
		                            *y = tolerance_find(b, x->op, x->types, x->family, x->group);
		char why[120], ta[64], tb[64];

		if (!y) {
			buf_printf(&out, "%s/%s %s %s: in %s only\n", x->op, x->types, x->family, x->group, a->name);
			only_a++;
			continue;
		}
		both++;
		if (!moved(&x->fit, &y->fit, why))
			continue;
		++*count;
		t_text(x, ta);
		t_text(y, tb);
		buf_printf(&out, "%s/%s %s %s: t %s -> %s (%s)\n", x->op, x->types, x->family, x->group, ta, tb, why);
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct tolerance_cell *y = &b->cell[i];

		if (!tolerance_find(a, y->op, y->types, y->family, y->group)) {
			buf_printf(&out, "%s/%s %s %s: in %s only\n", y->op, y->types, y->family, y->group, b->name);
			only_b++;
		}
	}
	buf_printf(&out, "%d cells in both, %d moved by more than their confidence; %d in %s only, %d in %s only\n", both,
	           *count, only_a, a->name, only_b, b->name);
	return out.s;
}
