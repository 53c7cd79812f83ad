/* fit.c - the envelope of one cell: regression on size, checks of the residuals, tolerance limit
 * and extreme level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tolerances/fit.h"
#include "stats/stats.h"

#define MIN_STRATUM  10  /* smaller octaves join their neighbour */
#define MAX_SHARE    0.1 /* of equal runs among those that are not 0 */
#define MIN_NONZERO  40  /* runs that the tail is fitted to */
#define NEARLY_EXACT 0.0625
#define MIN_RANGE    4.0  /* a regressor varies by this factor, or tells nothing */
#define MAX_ALIKE    0.95 /* correlation of the two regressors beyond which one is left out */
#define MAX_ELEMENTS 0.5  /* slope: the largest of M errors grows more slowly than any power of M */
#define TOO_STEEP    1.25 /* slope; 1 is that of equal errors at each step, more is seen where r = c(L - L0) */
#define SPREAD_LIMIT 2.0
#define UPPER        0.9 /* the quantile that the envelope follows */
#define PEAKS        0.2 /* of the runs make the tail */
#define MIN_PEAKS    20
#define HEAVIER      0.05 /* level of the test of a law; the lighter law's with so many peaks that a heavier tail is found: */
#define TELLING      500
#define DOUBTED      0.2
#define BLOCKS       60   /* of runs, at least, when there are more runs */
#define MAX_BLOCK    32

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
	                            .least = plan->coverage,
	                            .conf = 0.95,
	                            .rank = 2,
	                            .exceed = 1e-6,
	                            .knee = 8,
	                            .knees = 3,
	                            .per_op = 1,
	                            .extra = 4,
	                            .u = u,
	                            .boot = 1000,
	                            .seed = 1};
}

const char *fit_state_name(enum fit_state s)
{
	static const char *const names[] = {"envelope", "exact", "loose", "refused"};

	return names[s];
}

const char *fit_law_name(enum fit_law l)
{
	static const char *const names[] = {"square", "linear", "power"};

	return names[l];
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

void cell_fit_lower(struct cell_fit *f, enum fit_state to, const char *fmt, ...)
{
	va_list ap;

	if (f->state >= to)
		return;
	f->state = to;
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
			cell_fit_lower(f, FIT_REFUSED,
			       "run %zu has an infinite scaled error: a known-good kernel is wrong "
			       "there",
			       i);
		else if (runs[i].r > fit_bound(&f->options, runs[i].chain))
			cell_fit_lower(f, FIT_REFUSED,
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
	size_t count[OCTAVES] = {0}, nonzero[OCTAVES] = {0};
	int to[OCTAVES];

	for (size_t i = 0; i < n; i++) {
		count[octave(runs[i].chain)]++;
		nonzero[octave(runs[i].chain)] += runs[i].r > 0;
	}
	f->strata = number_strata(count, nonzero, to);
	for (size_t i = 0; i < n; i++)
		if (to[octave(runs[i].chain)] >= 0) {
			w->index[w->n] = i;
			w->stratum[w->n++] = to[octave(runs[i].chain)];
		}
	f->used = w->n;
}

/* Too few runs, or too few values among them. */
static void check_values(const struct work *w, struct cell_fit *f)
{
	const struct fit_options *o = &f->options;
	int64_t need = tolerance_runs(o->least, o->conf, o->rank);
	size_t ties = 0, most = 0, zeros = 0, nonzero;
	double *r = w->e;

	for (size_t i = 0; i < w->n; i++)
		r[i] = w->runs[w->index[i]].r;
	stats_sort(r, w->n);
	while (zeros < w->n && r[zeros] == 0)
		zeros++;
	nonzero = w->n - zeros;
	f->median = stats_quantile(r, w->n, 0.5);
	f->max = r[w->n - 1];
	for (size_t i = zeros; i < w->n; i++) {
		ties = i > zeros && r[i] == r[i - 1] ? ties + 1 : 1;
		most = ties > most ? ties : most;
	}
	f->attained =
	        w->n <= 1000000 ? tolerance_coverage((int64_t)w->n, o->conf, o->rank) : o->coverage;
	f->options.coverage = fmin(o->coverage, fmax(f->attained, o->least));
	if (need == 0 || (int64_t)w->n < need) {
		cell_fit_lower(f, FIT_REFUSED, "too few runs: %zu, sizes at which all is exact apart; %lld are needed",
		                w->n, (long long)need);
	} else if (f->max <= NEARLY_EXACT) {
		f->state = FIT_EXACT;
		snprintf(f->reason, sizeof f->reason, "exact but for %zu of %zu runs, which err by %.2g at most",
		         nonzero, f->runs, f->max);
	} else if (nonzero < MIN_NONZERO) {
		cell_fit_lower(f, FIT_REFUSED, "too discrete: %zu of %zu runs are not 0, %d are needed", nonzero, f->runs,
		                MIN_NONZERO);
	} else if ((double)most > MAX_SHARE * (double)nonzero) {
		cell_fit_lower(f, FIT_REFUSED, "too discrete: %zu of %zu runs have the same scaled error", most, w->n);
	}
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
static void choose(const struct work *w, struct cell_fit *f, struct fit_slope *const s[2])
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

/* The quantile to follow: above the zeros of every stratum but the few that are nearly exact. */
static double upper_quantile(const struct work *w)
{
	size_t zeros = 0;

	for (size_t i = 0; i < w->n; i++)
		zeros += w->runs[w->index[i]].r == 0;
	return fmax(UPPER, 0.5 + 0.5 * (double)zeros / (double)w->n);
}

/* Regresses the tau-quantile of log r on the free slopes, the others held at their used value. */
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
	return regression_quantile(w->x, w->y, w->n, terms, tau, r, e);
}

/* Slopes within their bounds: one that is beyond is set there and the other fitted again. */
static enum st fit_slopes(struct work *w, struct cell_fit *f, struct fit_slope *const s[2],
                          struct err *e)
{
	bool free_[2] = {s[0]->fitted, s[1]->fitted}, first = true, again = true;
	const double most[2] = {1, MAX_ELEMENTS};

	while (again) {
		struct regression r;
		int k = 1;

		TRY(regress(w, f, s, free_, f->tau, &r, e));
		again = false;
		for (int j = 0; j < 2; j++) {
			if (!free_[j])
				continue;
			if (first) {
				s[j]->raw = r.b[k];
				s[j]->lo = r.lo[k];
				s[j]->hi = r.hi[k];
			}
			s[j]->used = fmin(fmax(r.b[k], 0), most[j]);
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

/* Residuals r/(H·M) to w->e. */
static void residuals(struct work *w, const struct cell_fit *f)
{
	for (size_t i = 0; i < w->n; i++) {
		double x[2];

		regressors(f, &w->runs[w->index[i]], x);
		w->e[i] = w->runs[w->index[i]].r *
		          exp(-f->chain.used * x[0] - f->elements.used * x[1]);
	}
}

/* What quantile regression minimises, of the residuals about their own quantile: the measure of a knee. Runs far
 * below count as ten times below, or zeros would decide. */
static double check_loss(struct work *w, const struct cell_fit *f)
{
	double loss = 0, q;

	residuals(w, f);
	memcpy(w->y, w->e, w->n * sizeof *w->y);
	stats_sort(w->y, w->n);
	q = stats_quantile(w->y, w->n, f->tau);
	for (size_t i = 0; i < w->n; i++) {
		double d = log(fmax(w->e[i], q / 10) / q);

		loss += d > 0 ? f->tau * d : (f->tau - 1) * d;
	}
	return loss;
}

/* Slopes for one knee. */
static enum st try_knee(struct work *w, struct cell_fit *f, double knee, struct err *e)
{
	struct fit_slope *s[2] = {&f->chain, &f->elements};

	f->options.knee = knee;
	f->chain = f->elements = (struct fit_slope){0};
	choose(w, f, s);
	return s[0]->fitted || s[1]->fitted ? fit_slopes(w, f, s, e) : ST_OK;
}

/* The cross-check: the slope of the median, 0 where zeros hide it. boot = 0 asks for T alone. */
static void fit_middle(struct work *w, struct cell_fit *f)
{
	struct fit_slope *s[2] = {&f->chain, &f->elements};
	const bool free_[2] = {true, s[1]->fitted};
	struct regression r;
	struct err e;

	if (s[0]->fitted && f->options.boot > 0 && regress(w, f, s, free_, 0.5, &r, &e) == ST_OK)
		f->middle_slope = r.b[1];
}

/* Tries every knee and keeps the best; what the regression cannot say is no envelope either. */
static void growth(struct work *w, struct cell_fit *f)
{
	double first = f->options.knee, best = first, least = INFINITY;
	struct err e = {0};

	f->tau = upper_quantile(w);
	for (int i = 0; i < f->options.knees; i++) {
		double knee = ldexp(first, 2 * i), loss;

		if (try_knee(w, f, knee, &e) != ST_OK) {
			cell_fit_lower(f, FIT_REFUSED, "too discrete: %.200s", e.msg);
			return;
		}
		loss = check_loss(w, f);
		if (loss < least * (1 - 1e-6) && (i == 0 || f->chain.fitted)) {
			least = loss;
			best = knee;
		}
	}
	if (f->options.knee != best && try_knee(w, f, best, &e) != ST_OK)
		cell_fit_lower(f, FIT_REFUSED, "too discrete: %.200s", e.msg);
	fit_middle(w, f);
	if (f->chain.fitted && f->chain.lo > TOO_STEEP)
		cell_fit_lower(f, FIT_REFUSED, "grows faster than L (slope %.2f to %.2f): the error scale misses something",
		                f->chain.lo, f->chain.hi);
}

/* ---- residuals and limits ---------------------------------------------------------------------
 */

static void check_residuals(const struct work *w, struct cell_fit *f)
{
	struct dependence d = stats_serial(w->e, w->stratum, w->n, f->strata);
	struct homogeneity h = stats_homogeneity(w->e, w->stratum, w->n, f->strata);

	f->serial_rho = d.rho;
	f->serial_p = d.p;
	f->location_p = h.location_p;
	f->tail_p = h.tail_p;
	f->spread = h.spread;
	if (d.p < 1e-4 && fabs(d.rho) > 0.1)
		cell_fit_lower(f, FIT_REFUSED, "runs depend on the one before (correlation %.2f)", d.rho);
	if (h.tail_p < 1e-3 && h.ratio > SPREAD_LIMIT)
		cell_fit_lower(f, FIT_REFUSED, "sizes differ: some err by %.1f times the fitted growth", h.ratio);
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

/* The level of the tail by the lightest law that the peaks allow. w->e is sorted. */
static enum st fit_tail(const struct work *w, struct cell_fit *f, struct err *e)
{
	const struct fit_options *o = &f->options;
	double a = o->exceed / f->strata;
	size_t nonzero = 0;

	while (nonzero < w->n && w->e[w->n - 1 - nonzero] > 0)
		nonzero++;
	f->peaks = (size_t)fmin(fmax(MIN_PEAKS, PEAKS * (double)w->n), (double)nonzero / 2);
	for (f->law = FIT_LAW_SQUARE;; f->law++) {
		static const double powers[] = {2, 1, 0};
		double level = f->law == FIT_LAW_SQUARE && f->peaks >= TELLING ? DOUBTED : HEAVIER;
		struct peaks t;

		TRY(stats_tail(w->e, w->n, f->peaks, powers[f->law], a, o->conf, &t, e));
		f->shape_p = t.xi_p;
		f->tail = t.level;
		f->tail_hi = t.level_hi;
		if (t.xi_p >= level)
			return ST_OK;
		if (f->law == FIT_LAW_LINEAR)
			cell_fit_lower(f, FIT_LOOSE, "tail too heavy: heavier than an exponential one (p = %.1g, %zu peaks)",
			               t.xi_p, f->peaks);
		if (f->law == FIT_LAW_POWER)
			break;
	}
	cell_fit_lower(f, FIT_REFUSED, "tail too heavy: heavier than that of a power law (p = %.1g, %zu peaks)", f->shape_p,
	               f->peaks);
	return ST_OK;
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

/* The extreme value fit. Zeros enter it as the smallest residual that is not: left at 0 they would
 * stretch the lower tail, and the upper one would seem lighter than it is. w->y: block maxima. */
static enum st fit_extremes(const struct work *w, size_t blocks, struct cell_fit *f, struct err *e)
{
	const struct fit_options *o = &f->options;
	double a = -expm1((double)f->block * log1p(-o->exceed));
	struct extremes x;
	size_t zeros = 0;

	if (o->boot == 0)
		return ST_OK;
	stats_sort(w->y, blocks);
	while (zeros + 1 < blocks && w->y[zeros] == 0)
		zeros++;
	for (size_t i = 0; i < zeros; i++)
		w->y[i] = w->y[zeros];
	TRY(stats_extremes(w->y, blocks, a, o->conf, o->boot, o->seed, &x, e));
	f->xi = x.fit.xi;
	f->xi_hi = x.xi_hi;
	f->level = x.level;
	f->level_hi = x.level_hi;
	return ST_OK;
}

static enum st limits(struct work *w, struct cell_fit *f, struct err *e)
{
	double median;
	size_t blocks;

	f->order_limit = tolerance_limit(w->e, w->n, f->options.rank);
	f->block = w->n / BLOCKS < 1 ? 1 : w->n / BLOCKS > MAX_BLOCK ? MAX_BLOCK : w->n / BLOCKS;
	blocks = block_maxima(w->e, w->n, f->block, w->y);
	TRY(fit_extremes(w, blocks, f, e));
	stats_sort(w->e, w->n);
	median = stats_quantile(w->e, w->n, 0.5);
	TRY(fit_tail(w, f, e));
	f->margin = f->tail > 0 ? f->tail_hi / f->tail : 1;
	f->extreme = f->tail_hi > f->order_limit;
	f->t = round_up(fmax(f->tail_hi, f->order_limit));
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
		double q = r->r / (cell_fit_limit(f, r->chain, r->elements, NULL) - f->options.narrow);

		if (q > f->tightness) {
			f->tightness = q;
			f->worst = w->index[i];
		}
	}
}

static enum st fit_used(struct work *w, struct cell_fit *f, struct err *e)
{
	check_values(w, f);
	if (f->state != FIT_ENVELOPE)
		return ST_OK;
	growth(w, f);
	if (f->state == FIT_REFUSED)
		return ST_OK;
	residuals(w, f);
	check_residuals(w, f);
	TRY(limits(w, f, e));
	if (f->state != FIT_REFUSED)
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
	                         .margin = 1,
	                         .serial_p = 1,
	                         .location_p = 1,
	                         .tail_p = 1,
	                         .spread = 1};
	TRY(check(runs, n, out, e));
	if (out->state == FIT_REFUSED)
		return ST_OK;
	if (out->zeros == n) {
		int64_t need = tolerance_runs(o->least, o->conf, o->rank);

		out->state = FIT_EXACT;
		if (need == 0 || (int64_t)n < need)
			cell_fit_lower(out, FIT_REFUSED, "too few runs: %zu, all exact; %lld are needed", n,
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
