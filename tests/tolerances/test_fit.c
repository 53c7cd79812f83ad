/* The fit of a cell: data of known truth, refusals with their reasons, limits of a case. */
#include "tests/check.h"

#include "tolerances/fit.h"
#include "stats/stats.h"

#define U32 0x1p-24
static const double chains[] = {4, 16, 64, 256, 1024};

enum truth { BOUNDED, EXPONENTIAL, NORMAL, CAUCHY };

/* The value that a run's residual exceeds with probability a: maxima of 64 elements. */
static double tail_level(enum truth t, double a)
{
	double one = -expm1(log1p(-a) / 64), lo = 0, hi = 1e9;

	if (t == BOUNDED) /* 1 - sqrt(1 - u) has its end point at 1 with shape -1/2 */
		return 1 - sqrt(one);
	if (t == EXPONENTIAL)
		return -log(one);
	if (t == CAUCHY)
		return 1 / tan(M_PI / 2 * one);
	for (int i = 0; i < 80; i++) {
		double mid = (lo + hi) / 2;

		if (erfc(mid / sqrt(2)) > one)
			lo = mid;
		else
			hi = mid;
		if (i == 0)
			hi = 40;
	}
	return lo;
}

/* Runs over the five chains in turn, of true growth max(1, L/8)^slope. */
static struct run *make(enum truth t, size_t n, double slope, uint64_t seed)
{
	struct run *r = mem_alloc(n * sizeof *r);

	for (size_t i = 0; i < n; i++) {
		double a = rand_unit(seed, 11, i) + 0x1p-54;

		r[i].chain = chains[i % 5];
		r[i].elements = 64;
		r[i].r = tail_level(t, a) * pow(fmax(1, r[i].chain / 8), slope);
	}
	return r;
}

static struct fit_options options(int plan, int boot)
{
	struct fit_options o = fit_options_of(&fit_plans[plan], U32);

	o.boot = boot;
	o.extra = 1e4; /* out of the way */
	return o;
}

static struct cell_fit fit(const struct run *r, size_t n, const struct fit_options *o)
{
	struct cell_fit f;
	struct err e = {0};

	check_ok(cell_fit(r, n, o, &f, &e), &e);
	return f;
}

static void plans_follow_from_their_coverage(void **state)
{
	(void)state;
	for (int i = 0; i < FIT_PLANS; i++)
		check_true(tolerance_runs(fit_plans[i].coverage, 0.95, 2) == fit_plans[i].runs,
		           "%s", fit_plans[i].name);
}

/* The probability that a run at some chain, the worst of them, exceeds the fitted T there. */
static bool covers(const struct cell_fit *f, enum truth t, double slope, double a)
{
	for (size_t i = 0; i < ARRAY_LEN(chains); i++) {
		double g = pow(fmax(1, chains[i] / 8), slope);

		if (cell_fit_limit(f, chains[i], 64, NULL) < tail_level(t, a) * g)
			return false;
	}
	return true;
}

/* T lies above the 10^-6 level at every chain, the slope is found: of 1,000 repetitions (60 in make
 * check) not more than 5 % fail, within four standard deviations; the same of the tolerance limit alone, pooled over the
 * chains, at 95 %. A truth of exp(-x) is found in place of exp(-x²) only where there are runs enough: the release plan's. */
static void cover(enum truth t, int plan)
{
	static const double slopes[] = {0, 0.5, 1};
	int reps = check_exhaustive() ? 1000 : plan == 2 ? 20 : 60, low = 0, low_order = 0, refused = 0, slope = 0;
	struct fit_options o = options(plan, 100);
	double limit = 4 * sqrt(0.05 * reps) + 0.05 * reps;

	if (t == CAUCHY) { /* no bound in the way of 6e5 times the scale */
		o.extra = 1e9;
		o.u = 1e-30;
	}
	for (int i = 0; i < reps; i++) {
		double b = slopes[i % 3], order = tail_level(t, 1 - fit_plans[plan].coverage);
		size_t n = (size_t)fit_plans[plan].runs;
		struct run *r = make(t, n, b, (uint64_t)i);
		struct cell_fit f = fit(r, n, &o);

		refused += f.state == FIT_REFUSED;
		low += f.state != FIT_REFUSED && !covers(&f, t, b, t == CAUCHY ? 1e-5 : 1e-6);
		low_order += f.order_limit * pow(1024 / f.options.knee, f.chain.used) <
		             order * pow(128, b) * 0.999 && f.order_limit < order * 0.999;
		slope += f.options.knee == 8 && (f.chain.lo > b || f.chain.hi < b);
		free(r);
	}
	print_message("truth %d, %s: of %d refused %d, too low %d, tolerance limit too low %d, slope outside %d\n", t,
	              fit_plans[plan].name, reps, refused, low, low_order, slope);
	check_true(low <= limit, "truth %d: T too low %d of %d", t, low, reps);
	check_true(low_order <= limit, "truth %d: tolerance limit %d of %d", t, low_order, reps);
	check_true(slope <= limit + 0.1 * reps, "truth %d: slope %d of %d", t, slope, reps);
	check_true(refused <= 0.2 * reps, "truth %d: refused %d of %d", t, refused, reps);
}

static void envelopes_cover_as_often_as_they_say(void **state)
{
	(void)state;
	for (int plan = 0; plan < FIT_PLANS; plan++) {
		cover(BOUNDED, plan);
		cover(NORMAL, plan);
	}
	cover(EXPONENTIAL, 2);
	for (int plan = 1; plan < FIT_PLANS; plan++)
		cover(CAUCHY, plan); /* by a power law, loose */
}

/* Cauchy's tail falls as 1/x: no envelope, but a limit by a power law, which lies above the level of 10^-6, some 6·10^5
 * times the scale, as often as it says. */
static void a_heavy_tail_is_loose(void **state)
{
	struct fit_options o = options(1, 100);
	int low = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct run *r = make(CAUCHY, 473, 0.5, seed);
		struct cell_fit f;

		o.extra = 1e9; /* no bound in the way */
		o.u = 1e-30;
		f = fit(r, 473, &o);
		check_true(f.state == FIT_LOOSE && f.law == FIT_LAW_POWER && strstr(f.reason, "heavy"), "seed %d: %s",
		           (int)seed, f.reason);
		low += !covers(&f, CAUCHY, 0.5, 1e-6);
		assert_true(f.order_limit > 0 && f.xi_hi > 0.25);
		free(r);
	}
	check_true(low <= 4, "%d of 20 limits too low", low);
}

/* Rounding the output away makes zeros: they are never a logarithm, and the fit stays what it was.
 */
static void zeros_are_censored(void **state)
{
	struct fit_options o = options(1, 100);
	struct run *r = make(EXPONENTIAL, 500, 0.5, 3);
	struct cell_fit a = fit(r, 500, &o), b;

	(void)state;
	assert_true(a.zeros == 0 && a.tau == 0.9);
	for (int i = 0; i < 500; i++)
		if (r[i].r < 3.0 * pow(fmax(1, r[i].chain / 8), 0.5))
			r[i].r = 0;
	b = fit(r, 500, &o);
	check_true(b.state == FIT_ENVELOPE && b.zeros > 10 && b.used == 500,
	           "%zu zeros, %s", b.zeros, b.reason);
	check_true(fabs(b.chain.used - 0.5) < 0.05 && b.t > 0.8 * a.t && b.t < 1.3 * a.t,
	           "slope %g, T %g, before %g", b.chain.used, b.t, a.t);
	free(r);
}

/* At chains where every run is exact nothing is learnt: they count for no coverage. */
static void exact_sizes_are_left_out(void **state)
{
	struct fit_options o = options(0, 100);
	struct run *r = make(EXPONENTIAL, 150, 0.5, 4);
	struct cell_fit f;

	(void)state;
	for (int i = 0; i < 150; i += 5)
		r[i].r = 0;
	f = fit(r, 150, &o);
	check_true(f.state == FIT_ENVELOPE && f.used == 120 && f.zeros == 30,
	           "%s", f.reason);
	assert_true(fabs(f.chain.used - 0.5) < 0.15 && f.chain_lo == 4);
	f = fit(r, 110, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "too few runs: 88"), "%s", f.reason);
	for (int i = 0; i < 150; i++)
		r[i].r = 0;
	f = fit(r, 150, &o);
	assert_true(f.state == FIT_EXACT && cell_fit_limit(&f, 16, 64, NULL) == 0);
	f = fit(r, 20, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "too few runs: 20, all exact"), "%s",
	           f.reason);
	free(r);
}

static void slopes_stay_between_0_and_1(void **state)
{
	struct fit_options o = options(1, 100);
	struct run *r = make(NORMAL, 473, -0.2, 5);
	struct cell_fit f = fit(r, 473, &o);

	(void)state;
	/* Errors that average out: the envelope is flat at the level of the shortest chains, not
	 * looser. */
	check_true(f.state == FIT_ENVELOPE && f.chain.used == 0 && f.chain.hi < 0, "%s", f.reason);
	check_true(f.spread < 2 && f.t < 2 * tail_level(NORMAL, 1e-6),
	           "T %g of %g, spread %g", f.t, tail_level(NORMAL, 1e-6), f.spread);
	free(r);
	r = make(EXPONENTIAL, 473, 1.4, 6);
	f = fit(r, 473, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "faster than L"), "%s", f.reason);
	free(r);
}

/* An upper edge that grows with L while the middle does not, and runs of which one kind in five errs much more: the
 * envelope follows the edge, and T belongs to the worse kind. */
static void the_upper_edge_is_followed(void **state)
{
	struct fit_options o = options(1, 100);
	struct run *r = make(NORMAL, 1000, 0, 7);
	struct cell_fit f;

	(void)state;
	for (int i = 0; i < 1000; i++)
		r[i].r = 3 * exp((r[i].r - 2.55) * 0.3 * (1 + i % 5));
	f = fit(r, 1000, &o);
	check_true(f.chain.used > 0.05 && fabs(f.middle_slope) < f.chain.used, "upper %g, middle %g", f.chain.used,
	           f.middle_slope);
	free(r);
	r = make(NORMAL, 1000, 0.5, 7);
	for (int i = 0; i < 1000; i++)
		r[i].r *= rand_unit(3, 5, (uint64_t)i) < 0.8 ? 0.1 : 1;
	f = fit(r, 1000, &o);
	check_true(f.state == FIT_ENVELOPE && covers(&f, NORMAL, 0.5, 1e-6) && f.t < 2 * tail_level(NORMAL, 1e-6), "%s %g",
	           f.reason, f.t);
	free(r);
}

/* Errors that barely grow up to 64: that knee fits best. */
static void the_knee_is_found(void **state)
{
	struct fit_options o = options(2, 100);
	struct run *r = make(NORMAL, 2000, 0, 15);
	struct cell_fit f;

	(void)state;
	for (int i = 0; i < 2000; i++)
		r[i].r *= fmax(1, r[i].chain / 128);
	f = fit(r, 2000, &(struct fit_options){.coverage = o.coverage, .least = 0.99, .conf = o.conf, .rank = 2, .exceed = o.exceed,
	                                       .knee = 8, .knees = 3, .per_op = 1, .extra = 1e4, .u = U32, .boot = 100, .seed = 1});
	check_true(f.options.knee == 128 && f.chain.used > 0.95, "knee %g slope %g", f.options.knee, f.chain.used);
	assert_true(f.options.coverage > 0.99 && f.options.coverage < 0.999); /* what 2000 runs give */
	free(r);
}

static void elements_are_a_second_size(void **state)
{
	struct fit_options o = options(1, 100);
	struct run *r = make(EXPONENTIAL, 473, 0.5, 8);
	struct cell_fit f;

	(void)state;
	for (int i = 0; i < 473; i++) {
		r[i].elements = 64 << i % 7;
		r[i].r *= pow(r[i].elements / 64, 0.2);
	}
	f = fit(r, 473, &o);
	check_true(f.state == FIT_ENVELOPE && fabs(f.chain.used - 0.5) < 0.05 &&
	                   fabs(f.elements.used - 0.2) < 0.06,
	           "slopes %g %g %s", f.chain.used, f.elements.used, f.reason);
	assert_true(cell_fit_limit(&f, 64, 64 * 64, NULL) > 1.7 * cell_fit_limit(&f, 64, 64, NULL));
	for (int i = 0; i < 473; i++)
		r[i].elements = r[i].chain;
	o.knees = 1;
	f = fit(r, 473, &o);
	assert_true(f.chain.fitted && !f.elements.fitted); /* nothing tells them apart */
	free(r);
}

static void sizes_that_differ_are_refused(void **state)
{
	struct fit_options o = options(1, 100);
	struct run *r = make(NORMAL, 473, 0.5, 9);
	struct cell_fit f;

	(void)state;
	for (int i = 2; i < 473; i += 15) /* a third of those in the middle of the sizes, which no slope reaches */
		r[i].r *= 6;
	f = fit(r, 473, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "sizes differ"), "%s spread %g", f.reason, f.spread);
	free(r);
}

static void other_refusals_say_why(void **state)
{
	struct fit_options o = options(0, 100);
	struct run *r = make(EXPONENTIAL, 200, 0, 10);
	struct cell_fit f;
	struct err e = {0};
	double save = r[77].r;

	(void)state;
	r[77].r = INFINITY;
	f = fit(r, 200, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "run 77 has an infinite"), "%s",
	           f.reason);
	r[77].r = 1e6;
	f = fit(r, 200, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "run 77 has r = 1e+06 at L = 64"),
	           "%s", f.reason);
	r[77].r = save;
	f = fit(r, 92, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "too few runs: 92"), "%s", f.reason);
	r[77].r = NAN;
	check_fails(cell_fit(r, 200, &o, &f, &e), ST_INPUT, &e, "run 77: scaled error nan");
	for (int i = 0; i < 200; i++)
		r[i].r = floor(r[i].r);
	r[77].r = 3;
	f = fit(r, 200, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "same scaled error"), "%s", f.reason);
	for (int i = 0; i < 200; i++)
		r[i].r = i % 7 ? 0 : r[i].r + i;
	f = fit(r, 200, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "too discrete: 29 of 200"), "%s",
	           f.reason);
	free(r);
	r = make(EXPONENTIAL, 200, 0, 12);
	for (int i = 1; i < 200; i++)
		r[i].r = 0.6 * r[i - 1].r + 0.4 * r[i].r;
	f = fit(r, 200, &o);
	check_true(f.state == FIT_REFUSED && strstr(f.reason, "depend on the one before"), "%s",
	           f.reason);
	free(r);
}

/* Higham's γ by hand; the smaller of the two; beyond the fitted range the bound alone. */
static void the_bound_caps_and_stands_beyond_the_range(void **state)
{
	struct fit_options o = options(0, 100);
	struct run *r;
	struct cell_fit f;
	enum fit_source s;

	(void)state;
	o.extra = 4;
	assert_true(fit_bound(&o, 60) == 64 / (1 - 64 * U32));
	assert_true(isinf(fit_bound(&o, 0x1p24)));
	o.per_op = 2;
	assert_true(fit_bound(&o, 60) == 128 / (1 - 128 * U32));
	o.per_op = 1;
	r = make(BOUNDED, 200, 1, 13); /* max(1, L/8) at most: below L + 4 */
	for (int i = 0; i < 200; i++)
		r[i].r *= 7.5;
	f = fit(r, 200, &o);
	check_true(f.state == FIT_ENVELOPE, "%s", f.reason);
	assert_true(cell_fit_limit(&f, 16, 64, &s) <= fit_bound(&o, 16));
	check_true(cell_fit_limit(&f, 4, 64, &s) == fmin(f.t, fit_bound(&o, 4)), "T(4)");
	assert_true(s == (f.t > fit_bound(&o, 4) ? FIT_BY_BOUND : FIT_BY_ENVELOPE));
	assert_true(cell_fit_limit(&f, 2048, 64, &s) == fit_bound(&o, 2048) &&
	            s == FIT_BY_BOUND_BEYOND_RANGE);
	check_true(f.tightness > 0.5 && f.tightness <= 1.2, "tightness %g", f.tightness);
	free(r);
}

static void the_same_runs_and_seed_give_the_same_fit(void **state)
{
	struct fit_options o = options(1, 100);
	struct run *r = make(NORMAL, 473, 0.5, 14);
	struct cell_fit a = fit(r, 473, &o), b = fit(r, 473, &o);

	(void)state;
	assert_memory_equal(&a.t, &b.t, sizeof a.t);
	assert_true(a.level_hi == b.level_hi && a.worst == b.worst && a.extreme == b.extreme);
	/* Three digits, rounded up. */
	assert_true(a.t >= fmax(a.order_limit, a.tail_hi) * (1 - 1e-9));
	assert_true(fabs(a.t * 100 - round(a.t * 100)) < 1e-6);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(plans_follow_from_their_coverage),
	        cmocka_unit_test(envelopes_cover_as_often_as_they_say),
	        cmocka_unit_test(a_heavy_tail_is_loose),
	        cmocka_unit_test(zeros_are_censored),
	        cmocka_unit_test(exact_sizes_are_left_out),
	        cmocka_unit_test(slopes_stay_between_0_and_1),
	        cmocka_unit_test(the_upper_edge_is_followed),
	        cmocka_unit_test(the_knee_is_found),
	        cmocka_unit_test(elements_are_a_second_size),
	        cmocka_unit_test(sizes_that_differ_are_refused),
	        cmocka_unit_test(other_refusals_say_why),
	        cmocka_unit_test(the_bound_caps_and_stands_beyond_the_range),
	        cmocka_unit_test(the_same_runs_and_seed_give_the_same_fit),
	};

	return check_main(tests);
}
