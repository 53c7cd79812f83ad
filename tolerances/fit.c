/* fit.c - the envelope of one cell: regression on size, checks of the residuals, tolerance limit
 * and extreme level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tolerances/fit.h"
#include "stats/stats.h"

#define MIN_STRATUM  10   /* smaller octaves join their neighbour */
#define MAX_SHARE    0.1  /* of equal runs; more zeros than this are set aside */
#define MIN_NONZERO  50   /* runs that the tail is fitted to */
#define MIN_RANGE    4.0  /* a regressor varies by this factor, or tells nothing */
#define MAX_ALIKE    0.95 /* correlation of the two regressors beyond which one is left out */
#define XI_REFUSED   0.25 /* facts/accuracy.md §6.2 */
#define SPREAD_LIMIT 2.0
#define BLOCKS       60  /* of runs, at least, when there are more runs */
#define MAX_BLOCK    32
#define UPPER        0.9 /* the quantile of the cross-check */

/* Where the sizes come from: the smallest n with 1 - c^n - n(1 - c)c^(n-1) >= 0.95 (tolerance_runs;
 * a test holds them together). */
const struct fit_plan fit_plans[FIT_PLANS] = {
        {"smoke", 0.95, 93},
        {"pr", 0.99, 473},
        {"release", 0.999, 4742},
};

struct fit_options fit_options_of(const struct fit_plan *plan, double u)
{
	return (struct fit_options){.coverage = plan->coverage,
	                            .conf = 0.95,
	                            .rank = 2,
	                            .exceed = 1e-6,
	                            .knee = 8,
	                            .per_op = 1,
	                            .extra = 4,
	                            .u = u,
	                            .boot = 1000,
	                            .seed = 1};
}

const char *fit_state_name(enum fit_state s)
{
	static const char *const names[] = {"envelope", "exact", "refused"};

	return names[s];
}

double fit_bound(const struct fit_options *o, double chain)
{
	double n = o->per_op * (chain + o->extra);

	return n * o->u < 1 ? n / (1 - n * o->u) : INFINITY;
}

/* The runs in hand: those of octaves that are not exact throughout. */
struct work {
	const struct run *runs;
	size_t n;
	size_t *index; /* of the used runs in runs */
	int *stratum;  /* of each used run */
	double *x, *y, *e;
};

static void refuse(struct cell_fit *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void refuse(struct cell_fit *f, const char *fmt, ...)
{
	va_list ap;

	if (f->state == FIT_REFUSED)
		return;
	f->state = FIT_REFUSED;
	va_start(ap, fmt);
	vsnprintf(f->reason, sizeof f->reason, fmt, ap);
	va_end(ap);
}

static enum st check(const struct run *runs, size_t n, struct cell_fit *f, struct err *e)
{
	f->chain_lo = f->elements_lo = INFINITY;
	for (size_t i = 0; i < n; i++) {
		const struct run *r = &runs[i];

		if (!(r->r >= 0) || !(r->chain >= 1) || !(r->elements >= 1) || isinf(r->chain))
			return FAIL(e, INPUT, "run %zu: scaled error %g, chain %g, %g elements", i,
			            r->r, r->chain, r->elements);
		f->chain_lo = fmin(f->chain_lo, r->chain);
		f->chain_hi = fmax(f->chain_hi, r->chain);
		f->elements_lo = fmin(f->elements_lo, r->elements);
		f->elements_hi = fmax(f->elements_hi, r->elements);
		f->zeros += r->r == 0;
		if (r->r > runs[f->worst].r)
			f->worst = i;
	}
	for (size_t i = 0; i < n; i++) {
		if (isinf(runs[i].r))
			refuse(f,
			       "run %zu has an infinite scaled error: a known-good kernel is wrong "
			       "there",
			       i);
		else if (runs[i].r > fit_bound(&f->options, runs[i].chain))
			refuse(f,
			       "run %zu has r = %.3g at L = %g, beyond the deterministic bound "
			       "%.3g: the kernel "
			       "or its L is wrong",
			       i, runs[i].r, runs[i].chain, fit_bound(&f->options, runs[i].chain));
	}
	return ST_OK;
}

/* ---- strata -----------------------------------------------------------------------------------
 */

#define OCTAVES 1024

static int octave(double chain)
{
	int k;

	frexp(chain, &k); /* chain >= 1: k = 1.. */
	return k - 1;
}

/* to[octave] = number of its stratum, -1: exact. Octaves join until a stratum has MIN_STRATUM runs;
 * a short last one joins the one before. */
static int number_strata(const size_t *count, const size_t *nonzero, int *to)
{
	int s = 0;
	size_t have = 0;

	for (int k = 0; k < OCTAVES; k++) {
		to[k] = nonzero[k] ? s : -1;
		have += nonzero[k] ? count[k] : 0;
		if (have >= MIN_STRATUM) {
			s++;
			have = 0;
		}
	}
	if (have > 0 && s > 0)
		for (int k = 0; k < OCTAVES; k++)
			to[k] = to[k] == s ? s - 1 : to[k];
	return have > 0 && s == 0 ? 1 : s;
}

static void stratify(struct work *w, const struct run *runs, size_t n, struct cell_fit *f)
{
	size_t count[OCTAVES] = {0}, nonzero[OCTAVES] = {0}, inexact = 0;
	int to[OCTAVES];

	for (size_t i = 0; i < n; i++) {
		count[octave(runs[i].chain)]++;
		nonzero[octave(runs[i].chain)] += runs[i].r > 0;
	}
	/* Many zeros (exact results, or errors that no output shows) are set aside, not fitted: limits of the others
	 * lie above those of all, for P(r > x) = P(r > 0)·P(r > x | r > 0). */
	for (int k = 0; k < OCTAVES; k++)
		if (nonzero[k]) {
			inexact += count[k];
			f->set_aside += count[k] - nonzero[k];
		}
	if ((double)f->set_aside > MAX_SHARE * (double)inexact)
		memcpy(count, nonzero, sizeof count);
	else
		f->set_aside = 0;
	f->strata = number_strata(count, nonzero, to);
	for (size_t i = 0; i < n; i++)
		if (to[octave(runs[i].chain)] >= 0 && !(f->set_aside && runs[i].r == 0)) {
			w->index[w->n] = i;
			w->stratum[w->n++] = to[octave(runs[i].chain)];
		}
	f->used = w->n;
}

/* Too few runs, or too few values among them. */
static void check_values(const struct work *w, struct cell_fit *f)
{
	const struct fit_options *o = &f->options;
	int64_t need = tolerance_runs(o->coverage, o->conf, o->rank);
	size_t ties = 0, most = 0;
	double *r = w->e;

	for (size_t i = 0; i < w->n; i++)
		r[i] = w->runs[w->index[i]].r;
	stats_sort(r, w->n);
	while (f->zeros_used < w->n && r[f->zeros_used] == 0)
		f->zeros_used++;
	f->median = stats_quantile(r, w->n, 0.5);
	f->max = r[w->n - 1];
	for (size_t i = 0; i < w->n; i++) {
		ties = i > 0 && r[i] == r[i - 1] ? ties + 1 : 1;
		most = ties > most ? ties : most;
	}
	f->attained =
	        w->n <= 1000000 ? tolerance_coverage((int64_t)w->n, o->conf, o->rank) : o->coverage;
	if (need == 0 || (int64_t)(w->n + f->set_aside) < need)
		refuse(f, "too few runs: %zu, sizes at which all is exact apart; %lld are needed",
		       w->n, (long long)need);
	if (w->n < MIN_NONZERO)
		refuse(f, "too discrete: %zu of %zu runs are not 0, %d are needed", w->n, f->runs,
		       MIN_NONZERO);
	if ((double)most > MAX_SHARE * (double)w->n)
		refuse(f, "too discrete: %zu of %zu runs have the same scaled error", most, w->n);
}

/* ---- growth with size -------------------------------------------------------------------------
 */

static double grow(const struct cell_fit *f, double chain)
{
	return fmax(chain, f->options.knee) / f->options.knee;
}

/* The two regressors of a run. */
static void regressors(const struct cell_fit *f, const struct run *r, double x[2])
{
	x[0] = log(grow(f, r->chain));
	x[1] = log(r->elements / f->elements_lo);
}

/* Which regressors vary, and apart from each other; how far they reach from their mean. */
static void choose(const struct work *w, struct cell_fit *f, struct fit_slope *s[2])
{
	double m[2] = {0}, v[2] = {0}, c = 0, x[2], n = (double)w->n;

	for (size_t i = 0; i < w->n; i++) {
		regressors(f, &w->runs[w->index[i]], x);
		m[0] += x[0] / n;
		m[1] += x[1] / n;
	}
	for (size_t i = 0; i < w->n; i++) {
		regressors(f, &w->runs[w->index[i]], x);
		for (int j = 0; j < 2; j++) {
			v[j] += (x[j] - m[j]) * (x[j] - m[j]);
			s[j]->reach = fmax(s[j]->reach, fabs(x[j] - m[j]));
		}
		c += (x[0] - m[0]) * (x[1] - m[1]);
	}
	s[0]->fitted = f->strata > 1 &&
	               f->chain_hi >= MIN_RANGE * fmax(f->options.knee, f->chain_lo) && v[0] > 0;
	s[1]->fitted = f->elements_hi >= MIN_RANGE * f->elements_lo && v[1] > 0 &&
	               !(s[0]->fitted && fabs(c) > MAX_ALIKE * sqrt(v[0] * v[1]));
}

/* The share of zeros in the stratum with most decides which quantile they leave alone; bisquare
 * when there is none. 0: none of the quantiles. */
static double quantile_above_zeros(const struct work *w, struct cell_fit *f)
{
	double zero[OCTAVES] = {0}, all[OCTAVES] = {0}, worst = 0;

	for (size_t i = 0; i < w->n; i++) {
		zero[w->stratum[i]] += w->runs[w->index[i]].r == 0;
		all[w->stratum[i]]++;
	}
	for (int s = 0; s < f->strata; s++)
		worst = fmax(worst, zero[s] / fmax(all[s], 1));
	f->censored = worst > 0;
	return worst < 0.35 ? 0.5 : worst < 0.6 ? 0.75 : worst < 0.8 ? 0.9 : 0;
}

/* Regresses log r on the free slopes, the others held at their used value. tau 0: bisquare. */
static enum st regress(struct work *w, const struct cell_fit *f, struct fit_slope *const s[2],
                       const bool free_[2], double tau, struct regression *r, struct err *e)
{
	int terms = 1 + free_[0] + free_[1];

	for (size_t i = 0; i < w->n; i++) {
		const struct run *run = &w->runs[w->index[i]];
		double x[2], *row = &w->x[i * (size_t)terms];

		regressors(f, run, x);
		*row++ = 1;
		w->y[i] = run->r > 0 ? log(run->r) : -INFINITY;
		for (int j = 0; j < 2; j++)
			if (free_[j])
				*row++ = x[j];
			else
				w->y[i] -= s[j]->used * x[j];
	}
	return tau > 0 ? regression_quantile(w->x, w->y, w->n, terms, tau, r, e)
	               : regression_robust(w->x, w->y, w->n, terms, 1, r, e);
}

/* Slopes within [0, 1]: one that is beyond is set there and the other fitted again. */
static enum st fit_slopes(struct work *w, struct cell_fit *f, struct fit_slope *const s[2],
                          double tau, struct err *e)
{
	bool free_[2] = {s[0]->fitted, s[1]->fitted}, first = true, again = true;

	while (again) {
		struct regression r;
		int k = 1;

		TRY(regress(w, f, s, free_, f->censored ? tau : 0, &r, e));
		again = false;
		for (int j = 0; j < 2; j++) {
			if (!free_[j])
				continue;
			if (first) {
				s[j]->raw = r.b[k];
				s[j]->lo = r.lo[k];
				s[j]->hi = r.hi[k];
			}
			s[j]->used = fmin(fmax(r.b[k], 0), 1);
			if (s[j]->used != r.b[k] && !again) {
				free_[j] = false;
				again = true;
			}
			k++;
		}
		first = false;
	}
	return ST_OK;
}

/* The cross-check: the slope of the 0.9-quantile. */
static enum st fit_upper(struct work *w, struct cell_fit *f, struct fit_slope *const s[2],
                         struct err *e)
{
	const bool free_[2] = {true, s[1]->fitted};
	struct regression r;

	if (!s[0]->fitted)
		return ST_OK;
	TRY(regress(w, f, s, free_, UPPER, &r, e));
	f->upper_slope = r.b[1];
	f->upper_lo = r.lo[1];
	f->upper_hi = r.hi[1];
	if (f->upper_lo > s[0]->used) {
		f->tail_faster = s[0]->used < 1;
		s[0]->used = fmin(f->upper_slope, 1);
	}
	return ST_OK;
}

static enum st growth(struct work *w, struct cell_fit *f, struct err *e)
{
	struct fit_slope *s[2] = {&f->chain, &f->elements};
	double tau = quantile_above_zeros(w, f);

	choose(w, f, s);
	if (!s[0]->fitted && !s[1]->fitted)
		return ST_OK;
	if (tau == 0) {
		refuse(f, "too discrete: at some sizes over four in five runs are 0; more elements "
		          "a run are needed");
		return ST_OK;
	}
	TRY(fit_slopes(w, f, s, tau, e));
	TRY(fit_upper(w, f, s, e));
	if (f->chain.fitted && f->chain.lo > 1)
		refuse(f,
		       "grows faster than L (slope %.2f to %.2f): the error scale misses something",
		       f->chain.lo, f->chain.hi);
	return ST_OK;
}

/* ---- residuals and limits ---------------------------------------------------------------------
 */

/* r over its growth. A slope below 0 beyond doubt is divided out too, from the shortest chain on,
 * or the runs of short chains alone would make the tail; the envelope does not fall with it. */
static void residuals(struct work *w, const struct cell_fit *f)
{
	bool falls = f->chain.fitted && f->chain.hi < 0 && !f->tail_faster;
	double slope = falls ? f->chain.raw : f->chain.used;
	double from = falls ? log(grow(f, f->chain_lo)) : 0;

	for (size_t i = 0; i < w->n; i++) {
		double x[2];

		regressors(f, &w->runs[w->index[i]], x);
		w->e[i] = w->runs[w->index[i]].r *
		          exp(-slope * (x[0] - from) - f->elements.used * x[1]);
	}
}

static void check_residuals(const struct work *w, struct cell_fit *f)
{
	struct dependence d = stats_serial(w->e, w->stratum, w->n, f->strata);
	struct homogeneity h = stats_homogeneity(w->e, w->stratum, w->n, f->strata);

	f->serial_rho = d.rho;
	f->serial_p = d.p;
	f->location_p = h.location_p;
	f->tail_p = h.tail_p;
	f->spread = h.spread;
	f->inflation = fmin(h.location_p, h.tail_p) < 1e-3 ? h.ratio : 1;
	if (d.p < 1e-4 && fabs(d.rho) > 0.1)
		refuse(f, "runs depend on the one before (correlation %.2f)", d.rho);
	if (f->inflation > 1 && f->spread > SPREAD_LIMIT)
		refuse(f,
		       "sizes differ by a factor %.1f beyond the fitted growth: cells should be "
		       "divided",
		       f->spread);
}

/* Up to three digits, so that the last bits of a logarithm are no part of a table. */
static double round_up(double x)
{
	double unit;

	if (!(x > 0) || isinf(x))
		return x;
	unit = pow(10, floor(log10(x)) - 2);
	return ceil(x / unit * (1 - 1e-12)) * unit;
}

/* What the slope may be wrong by at the ends of the sizes. */
static double slope_margin(const struct fit_slope *s)
{
	return s->fitted ? exp((s->hi - s->lo) / 2 * s->reach) : 1;
}

/* The largest residual of each block of runs, in the order of the runs, to out[]; returns how many. The runs of a
 * cell mix kernels and value classes of which some err less than others: such a mixture is no extreme value
 * distribution, and its light part makes the tail seem heavy. The largest of a block that holds each of them comes
 * from the worst, as the tail does. Of a sample that is one already, block maxima are one with the same shape. */
static size_t block_maxima(const double *e, size_t n, size_t block, double *out)
{
	size_t blocks = n / block;

	for (size_t i = 0; i < blocks; i++) {
		size_t end = i + 1 == blocks ? n : (i + 1) * block;

		out[i] = 0;
		for (size_t k = i * block; k < end; k++)
			out[i] = fmax(out[i], e[k]);
	}
	return blocks;
}

/* Zeros enter the extreme value fit as the smallest residual that is not: left at 0 they would
 * stretch the lower tail, and the upper one would seem lighter than it is. */
static enum st limits(struct work *w, struct cell_fit *f, struct err *e)
{
	const struct fit_options *o = &f->options;
	size_t blocks, zeros = 0;
	struct extremes x;
	double median;

	f->order_limit = tolerance_limit(w->e, w->n, o->rank);
	f->block = w->n / BLOCKS < 1 ? 1 : w->n / BLOCKS > MAX_BLOCK ? MAX_BLOCK : w->n / BLOCKS;
	blocks = block_maxima(w->e, w->n, f->block, w->y);
	stats_sort(w->e, w->n);
	stats_sort(w->y, blocks);
	median = stats_quantile(w->e, w->n, 0.5);
	while (zeros + 1 < blocks && w->y[zeros] == 0)
		zeros++;
	for (size_t i = 0; i < zeros; i++)
		w->y[i] = w->y[zeros];
	TRY(stats_extremes(w->y, blocks, -expm1((double)f->block * log1p(-o->exceed)), o->conf, o->boot, o->seed,
	                   &x, e));
	f->xi = x.fit.xi;
	f->xi_hi = x.xi_hi;
	f->level = x.level;
	f->level_hi = x.level_hi;
	f->gumbel_floor = x.floor;
	if (f->xi_hi > XI_REFUSED)
		refuse(f, "tail too heavy: shape %.2f, upper limit %.2f over %.2f", f->xi, f->xi_hi,
		       XI_REFUSED);
	if (x.outside < 1e-4)
		refuse(f,
		       "the largest residual %.3g has probability %.1g under the fit: another "
		       "distribution",
		       w->y[blocks - 1], x.outside);
	f->extreme = f->level_hi > f->order_limit;
	f->margin = slope_margin(&f->chain) * slope_margin(&f->elements);
	f->t = round_up(f->inflation * f->margin * fmax(f->order_limit, f->level_hi));
	f->over_median = median > 0 ? f->t / median : 0;
	return ST_OK;
}

double cell_fit_limit(const struct cell_fit *f, double chain, double elements,
                      enum fit_source *source)
{
	double bound = fit_bound(&f->options, chain), t;
	enum fit_source s = FIT_BY_ENVELOPE;

	if (f->state == FIT_REFUSED)
		return NAN;
	t = f->t * pow(grow(f, chain), f->chain.used) *
	    pow(fmax(elements / f->elements_lo, 1), f->elements.used);
	if (chain > f->chain_hi)
		s = FIT_BY_BOUND_BEYOND_RANGE;
	else if (bound < t)
		s = FIT_BY_BOUND;
	if (source)
		*source = s;
	return f->options.narrow + (s == FIT_BY_ENVELOPE ? t : bound);
}

double fit_fallback(const struct fit_options *o, double chain, double elements, bool coherent)
{
	double bound = fit_bound(o, chain), lambda = sqrt(2 * log(2 * fmax(elements, 1) / o->exceed));

	return o->narrow + (coherent ? bound : fmin(bound, lambda * sqrt(o->per_op * (chain + o->extra))));
}

static void tightness(const struct work *w, struct cell_fit *f)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct run *r = &w->runs[w->index[i]];
		double q = r->r / cell_fit_limit(f, r->chain, r->elements, NULL);

		if (q > f->tightness) {
			f->tightness = q;
			f->worst = w->index[i];
		}
	}
}

static enum st fit_used(struct work *w, struct cell_fit *f, struct err *e)
{
	check_values(w, f);
	if (f->state == FIT_REFUSED)
		return ST_OK;
	TRY(growth(w, f, e));
	residuals(w, f);
	check_residuals(w, f);
	TRY(limits(w, f, e));
	if (f->state == FIT_ENVELOPE)
		tightness(w, f);
	return ST_OK;
}

enum st cell_fit(const struct run *runs, size_t n, const struct fit_options *o,
                 struct cell_fit *out, struct err *e)
{
	struct work w = {.runs = runs};
	enum st rc;

	*out = (struct cell_fit){.options = *o,
	                         .runs = n,
	                         .inflation = 1,
	                         .margin = 1,
	                         .serial_p = 1,
	                         .location_p = 1,
	                         .tail_p = 1,
	                         .spread = 1};
	TRY(check(runs, n, out, e));
	if (out->state == FIT_REFUSED)
		return ST_OK;
	if (out->zeros == n) {
		int64_t need = tolerance_runs(o->coverage, o->conf, o->rank);

		out->state = FIT_EXACT;
		if (need == 0 || (int64_t)n < need)
			refuse(out, "too few runs: %zu, all exact; %lld are needed", n,
			       (long long)need);
		return ST_OK;
	}
	w.index = mem_alloc(n * sizeof *w.index);
	w.stratum = mem_alloc(n * sizeof *w.stratum);
	w.x = mem_alloc(n * 3 * sizeof *w.x);
	w.y = mem_alloc(n * sizeof *w.y);
	w.e = mem_alloc(n * sizeof *w.e);
	stratify(&w, runs, n, out);
	rc = fit_used(&w, out, e);
	free(w.index);
	free(w.stratum);
	free(w.x);
	free(w.y);
	free(w.e);
	return rc;
}
