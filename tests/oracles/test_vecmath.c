/* The vector functions of vecmath.h against MPFR, and against glibc's long double functions
 * (another implementation, within a few units of 2^-64) on more points. Prints the largest error
 * found in units of 2^-53 beside the stated bound. GPUEMU_EXHAUSTIVE: 20 times as many points. */
#include <mpfr.h>

#include "oracles/vecmath.h"
#include "tests/check.h"

enum { CHUNK = 4096 };

struct function {
	const char *name;
	double rel;
	int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
	long double (*ld)(long double);
	long double (*inverse)(long double); /* NULL: none */
	double lo, hi;                       /* where the result changes from trivial to trivial */
	int mpfr_points;
};

static const struct function functions[] = {
        {"exp", VM_EXP_REL, mpfr_exp, expl, logl, -746, 710, 100000},
        {"exp2", VM_EXP2_REL, mpfr_exp2, exp2l, log2l, -1076, 1024.5, 100000},
        {"expm1", VM_EXPM1_REL, mpfr_expm1, expm1l, log1pl, -60, 710, 100000},
        {"log", VM_LOG_REL, mpfr_log, logl, expl, 0, 4, 100000},
        {"log2", VM_LOG2_REL, mpfr_log2, log2l, exp2l, 0, 4, 100000},
        {"log1p", VM_LOG1P_REL, mpfr_log1p, log1pl, expm1l, -1, 3, 100000},
        {"erf", VM_ERF_REL, mpfr_erf, erfl, NULL, -6.2, 6.2, 50000},
        {"erfc", VM_ERFC_REL, mpfr_erfc, erfcl, NULL, -6.2, 27.5, 30000},
        {"tanh", VM_TANH_REL, mpfr_tanh, tanhl, atanhl, -23, 23, 100000},
};

typedef void array_function(const double *, double *, size_t);

static array_function *of_table(const struct vm_table *t, size_t f)
{
	array_function *const list[] = {
#define X(name) t->name,
	        VM_LIST(X)
#undef X
	};

	assert_true(f < ARRAY_LEN(list));
	return list[f];
}

static double from_bits(uint64_t b)
{
	double x;

	memcpy(&x, &b, sizeof x);
	return x;
}

static uint64_t to_bits(double x)
{
	uint64_t b;

	memcpy(&b, &x, sizeof b);
	return b;
}

/* Point i of the stream: any encoding, uniform over the interesting interval, exponents spread
 * evenly, within a few units of a place where an algorithm changes, or near the preimage of a
 * double. */
static double point(const struct function *f, uint64_t i)
{
	static const double places[] = {0,
	                                0.5,
	                                1,
	                                -0.5,
	                                -1,
	                                3,
	                                22,
	                                -22,
	                                28,
	                                0.34657359027997264,
	                                0.7071067811865476,
	                                1.4142135623730951,
	                                0x1p-54,
	                                -0x1p-54,
	                                0x1p-1022,
	                                -50,
	                                60,
	                                709.782712893384,
	                                -745.1332191019411,
	                                -708.3964185322641,
	                                1024,
	                                -1074,
	                                -1022,
	                                26.54,
	                                27.22,
	                                5.92,
	                                2,
	                                0x1.fffffffffffffp+1023};
	uint64_t w = rand_u64(7, 1, i);
	double u = rand_unit(7, 2, i), v = rand_unit(7, 3, i), x;

	switch (w % 8) {
	case 0:
		return from_bits(rand_u64(7, 4, i));
	case 1:
	case 2:
	case 3:
		return f->lo + u * (f->hi - f->lo);
	case 4:
		return ldexp((v < 0.5 ? -1 : 1) * (0.5 + u / 2), (int)(w >> 8) % 90 - 80);
	case 5:
		return ldexp((v < 0.5 ? -1 : 1) * (0.5 + u / 2), (int)((w >> 8) % 2140) - 1080);
	case 6:
		x = places[(w >> 8) % ARRAY_LEN(places)];
		return from_bits(to_bits(x) + (w >> 40) % 4096 - 2048 * (x != 0));
	default:
		x = f->inverse ? (double)f->inverse(ldexpl(0.5L + u / 2, (int)(w >> 8) % 60 - 40))
		               : 2 * u;
		return from_bits(to_bits(x) + (w >> 40) % 3);
	}
}

/* The same bits; of a NaN the payload does not count. */
static bool same(double a, double b)
{
	return to_bits(a) == to_bits(b) || (isnan(a) && isnan(b));
}

/* |y - exact| / (REL·|exact| + ABS) <= 1 is the claim; returns that ratio. Where the exact result
 * is infinite or NaN, 0 or infinity for right and wrong; an overflow at the border may go either
 * way. */
static double ratio_mpfr(const struct function *f, double x, double y, mpfr_t a, mpfr_t r)
{
	double err, exact;

	mpfr_set_d(a, x, MPFR_RNDN);
	f->exact(r, a, MPFR_RNDN);
	exact = mpfr_get_d(r, MPFR_RNDN);
	if (isnan(exact) || mpfr_inf_p(r))
		return (isnan(exact) ? isnan(y) : y == exact) ? 0 : INFINITY;
	if (isinf(y) || isinf(exact)) {
		mpfr_div_d(r, r, 0x1.fffffffffffffp+1023, MPFR_RNDN);
		return fabs(mpfr_get_d(r, MPFR_RNDN)) > 1 - f->rel && (y > 0) == (exact > 0) &&
		                       (isinf(y) || fabs(mpfr_get_d(r, MPFR_RNDN)) < 1 + f->rel)
		               ? 0
		               : INFINITY;
	}
	if (isnan(y) || (y != 0 && exact != 0 && signbit(y) != signbit(exact)))
		return INFINITY;
	mpfr_abs(a, r, MPFR_RNDN);
	mpfr_mul_d(a, a, f->rel, MPFR_RNDD);
	mpfr_add_d(a, a, VM_ABS, MPFR_RNDD);
	mpfr_sub_d(r, r, y, MPFR_RNDA);
	mpfr_div(r, r, a, MPFR_RNDA);
	err = mpfr_get_d(r, MPFR_RNDA);
	return fabs(err);
}

/* As ratio_mpfr with a long double reference whose own error is taken as 2^-60. */
static double ratio_ld(const struct function *f, double x, double y)
{
	long double exact = f->ld(x);

	if (isnan(exact) || isinf(exact))
		return (isnan(exact) ? isnan(y) : y == (double)exact) ? 0 : INFINITY;
	if (isinf(y) || fabsl(exact) > 0x1.fffffffffffffp+1023L)
		return fabsl(exact) > 0x1.fffffffffffff0p+1023L * (1 - 0x1p-48L) ? 0 : INFINITY;
	if (isnan(y))
		return INFINITY;
	return (double)((fabsl(y - exact) - 0x1p-60L * fabsl(exact)) /
	                (f->rel * fabsl(exact) + VM_ABS));
}

/* One function: n points by long double, of which m by MPFR; every instruction set must agree. */
static void check_function(size_t which, uint64_t n, uint64_t m)
{
	const struct function *f = &functions[which];
	static double x[CHUNK], y[VM_ISA_COUNT][CHUNK];
	double worst = 0, worst_x = 0;
	mpfr_t a, r;

	mpfr_init2(a, 120);
	mpfr_init2(r, 120);
	for (uint64_t base = 0; base < n; base += CHUNK) {
		for (int i = 0; i < CHUNK; i++)
			x[i] = point(f, base + i);
		for (int s = 0; s < VM_ISA_COUNT; s++) {
			if (!vm_table_of(s))
				continue;
			of_table(vm_table_of(s), which)(x, y[s], CHUNK);
			for (int i = 0; i < CHUNK; i++)
				check_true(same(y[s][i], y[0][i]),
				           "%s(%a): instruction set %d differs", f->name, x[i], s);
		}
		for (int i = 0; i < CHUNK; i++) {
			double q = (base + i) * m % n < m ? ratio_mpfr(f, x[i], y[0][i], a, r)
			                                  : ratio_ld(f, x[i], y[0][i]);

			check_true(q <= 1, "%s(%a) = %a is beyond its bound, ratio %g", f->name,
			           x[i], y[0][i], q);
			if (q > worst && fabs(y[0][i]) >= 0x1p-1022)
				worst = q, worst_x = x[i];
		}
	}
	print_message("%-6s largest error (normal results) %.2f u at %a, bound %g u, %" PRIu64
	              " points (%" PRIu64 " by MPFR)\n",
	              f->name, worst * f->rel * 0x1p53, worst_x, f->rel * 0x1p53, n, m);
	mpfr_clear(a);
	mpfr_clear(r);
}

static void keeps_the_bound_of_every_function(void **state)
{
	uint64_t times = check_exhaustive() ? 20 : 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		check_function(i, times << 20, times * functions[i].mpfr_points);
}

/* C11 annex F, and the header. */
static void gives_the_stated_values_at_special_points(void **state)
{
	static const struct {
		array_function *f;
		double x, y;
	} t[] = {
	        {vm_exp, 0, 1},
	        {vm_exp, INFINITY, INFINITY},
	        {vm_exp, -INFINITY, 0},
	        {vm_exp, 1e308, INFINITY},
	        {vm_exp, -1e308, 0},
	        {vm_exp2, 0, 1},
	        {vm_exp2, 10, 1024},
	        {vm_exp2, -1074, 0x1p-1074},
	        {vm_exp2, 1023, 0x1p1023},
	        {vm_exp2, 1024, INFINITY},
	        {vm_exp2, -INFINITY, 0},
	        {vm_exp2, -1080, 0},
	        {vm_expm1, 0., 0.},
	        {vm_expm1, -0., -0.},
	        {vm_expm1, 0x1p-1074, 0x1p-1074},
	        {vm_expm1, INFINITY, INFINITY},
	        {vm_expm1, -INFINITY, -1},
	        {vm_expm1, -1000, -1},
	        {vm_log, 1, 0.},
	        {vm_log, 0., -INFINITY},
	        {vm_log, -0., -INFINITY},
	        {vm_log, INFINITY, INFINITY},
	        {vm_log, -1, NAN},
	        {vm_log, -INFINITY, NAN},
	        {vm_log2, 1, 0.},
	        {vm_log2, 0x1p-1074, -1074},
	        {vm_log2, 0x1p1023, 1023},
	        {vm_log2, -0., -INFINITY},
	        {vm_log2, -3, NAN},
	        {vm_log1p, 0., 0.},
	        {vm_log1p, -0., -0.},
	        {vm_log1p, -1, -INFINITY},
	        {vm_log1p, -1.5, NAN},
	        {vm_log1p, INFINITY, INFINITY},
	        {vm_log1p, -INFINITY, NAN},
	        {vm_erf, -0., -0.},
	        {vm_erf, 0., 0.},
	        {vm_erf, INFINITY, 1},
	        {vm_erf, -INFINITY, -1},
	        {vm_erf, 7, 1},
	        {vm_erfc, 0, 1},
	        {vm_erfc, INFINITY, 0},
	        {vm_erfc, -INFINITY, 2},
	        {vm_erfc, 40, 0},
	        {vm_erfc, -9, 2},
	        {vm_tanh, -0., -0.},
	        {vm_tanh, 0., 0.},
	        {vm_tanh, INFINITY, 1},
	        {vm_tanh, -INFINITY, -1},
	        {vm_tanh, 0x1p-1074, 0x1p-1074},
	        {vm_tanh, 30, 1},
	        {vm_sin, -0., -0.},
	        {vm_cos, 0, 1},
	        {vm_sin, INFINITY, NAN},
	};
	array_function *const all[] = {
#define X(name) vm_##name,
	        VM_LIST(X)
#undef X
	                vm_sin,
	        vm_cos};
	double x, y;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		t[i].f(&t[i].x, &y, 1);
		check_true(isnan(t[i].y) ? isnan(y) : to_bits(y) == to_bits(t[i].y),
		           "row %zu: f(%a) = %a, not %a", i, t[i].x, y, t[i].y);
	}
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		x = NAN;
		all[i](&x, &y, 1);
		check_true(isnan(y), "function %zu of NaN is %a", i, y);
	}
}

/* Values with an irrational exact result: the nearest doubles, from MPFR at 200 bits. */
static void sin_cos_and_pow_are_correctly_rounded(void **state)
{
	double x[3] = {1e22, 0x1p1000, 0.7}, b[3] = {0.25, -0.5, 300}, y[3], want;
	mpfr_t a, e, r;

	(void)state;
	mpfr_inits2(200, a, e, r, (mpfr_ptr)0);
	for (int f = 0; f < 3; f++) {
		if (f == 2)
			vm_pow(x, b, y, 3);
		else
			(f ? vm_cos : vm_sin)(x, y, 3);
		for (int i = 0; i < 3; i++) {
			mpfr_set_d(a, x[i], MPFR_RNDN);
			mpfr_set_d(e, b[i], MPFR_RNDN);
			if (f == 2)
				mpfr_pow(r, a, e, MPFR_RNDN);
			else
				(f ? mpfr_cos : mpfr_sin)(r, a, MPFR_RNDN);
			want = mpfr_get_d(r, MPFR_RNDN);
			check_bits(to_bits(y[i]), to_bits(want), "sin, cos or pow");
		}
	}
	mpfr_clears(a, e, r, (mpfr_ptr)0);
}

/* Every length 0..40 and offset: nothing outside is written, the result does not depend on
 * position, and in place is the same. */
static void does_not_depend_on_length_alignment_or_neighbours(void **state)
{
	double x[64], y[64], z[64], one;

	(void)state;
	for (int i = 0; i < 64; i++)
		x[i] = i % 5 == 4 ? NAN : (i - 20) * 0.37;
	for (int s = 0; s < VM_ISA_COUNT; s++)
		for (size_t f = 0; vm_table_of(s) && f < ARRAY_LEN(functions); f++)
			for (int n = 0; n <= 40; n++) {
				array_function *g = of_table(vm_table_of(s), f);

				for (int i = 0; i < 64; i++)
					y[i] = 1234;
				g(x + n % 7, y + 3, n);
				memcpy(z, x, sizeof z);
				g(z + n % 7, z + n % 7, n);
				for (int i = 0; i < n; i++)
					check_true(same(z[n % 7 + i], y[3 + i]),
					           "%s in place, n = %d", functions[f].name, n);
				check_true(y[2] == 1234 && y[3 + n] == 1234,
				           "%s wrote outside, n = %d", functions[f].name, n);
				if (n) {
					g(x + n % 7 + n - 1, &one, 1);
					check_true(same(one, y[2 + n]),
					           "%s depends on position, n = %d",
					           functions[f].name, n);
				}
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keeps_the_bound_of_every_function),
	        cmocka_unit_test(gives_the_stated_values_at_special_points),
	        cmocka_unit_test(sin_cos_and_pow_are_correctly_rounded),
	        cmocka_unit_test(does_not_depend_on_length_alignment_or_neighbours),
	};

	return check_main(tests);
}
