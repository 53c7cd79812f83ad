/* eval_simd.c - the loops of eval_loops.h, compiled once an instruction set. Plain loops that the
 * compilers vectorise; the sums fix their order by hand, so that results are the same bits
 * everywhere. */
#include "oracles/eval_loops.h"

#include <math.h>
#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)

#define LOAD2(a)     const double *restrict a##v = a.v, *restrict a##r = a.r
#define LOAD3(a)     const double *restrict a##v = a.v, *restrict a##s = a.s
#define STORE2(z)    double *restrict z##v = z.v, *restrict z##r = z.r

/* Not ordinary: a comparison with NaN is false, so NaN counts as well. */
#define ODD(v, r, lim) (int64_t) !((fabs(v) <= (lim)) & ((r) <= 0x1.fffffffffffffp+1023))

static bool l_add(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim)
{
	LOAD2(a);
	LOAD2(b);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = av[i] + bv[i];
		double r = (ar[i] + br[i] + LOOP_U * fabs(v)) * LOOP_UP;

		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

static bool l_sub(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim)
{
	LOAD2(a);
	LOAD2(b);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = av[i] - bv[i];
		double r = (ar[i] + br[i] + LOOP_U * fabs(v)) * LOOP_UP;

		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

static bool l_mul(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim)
{
	LOAD2(a);
	LOAD2(b);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = av[i] * bv[i];
		double r = fabs(av[i]) * br[i] + (fabs(bv[i]) + br[i]) * ar[i];

		r = (r + LOOP_U * fabs(v) + LOOP_TINY) * LOOP_UP;
		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

static bool l_sqr(size_t n, struct chunk z, struct chunk a, double lim)
{
	LOAD2(a);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = av[i] * av[i];
		double r = (2 * fabs(av[i]) + ar[i]) * ar[i] + LOOP_U * v + LOOP_TINY;

		r *= LOOP_UP;
		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* |a/b - v| with v = a0/b0: |a - v·b| / |b| <= (ra + |v|·rb) / (|b0| - rb). */
static bool l_div(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim)
{
	LOAD2(a);
	LOAD2(b);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = av[i] / bv[i], den = fabs(bv[i]) - br[i];
		double t = (ar[i] + fabs(v) * br[i]) / den;
		double r = (t + LOOP_U * fabs(v) + LOOP_TINY) * LOOP_UP;

		r = den > 0 ? r : INFINITY;
		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* |sqrt(x) - sqrt(a)| = |x - a|/(sqrt(x) + sqrt(a)) <= min(r/sqrt(a), sqrt(r)). Without the
 * knowledge that x >= 0 an interval that reaches below 0 may be a NaN. */
static bool l_sqrt(size_t n, struct chunk z, struct chunk a, bool nonneg, double lim)
{
	LOAD2(a);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = sqrt(av[i]), t = ar[i] / v, q = sqrt(ar[i]);
		double r = ((t < q ? t : q) + LOOP_U * v) * LOOP_UP;

		r = (nonneg | (av[i] >= ar[i])) ? r : INFINITY;
		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* 1/sqrt(1-t) - 1 <= t/(1-t), t = r/a: the change is at most v·r/(a-r). Two roundings make v. */
static bool l_rsqrt(size_t n, struct chunk z, struct chunk a, double lim)
{
	LOAD2(a);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = 1 / sqrt(av[i]), den = av[i] - ar[i];
		double r = (v * (ar[i] / den) + 2 * LOOP_U * v) * LOOP_UP;

		r = den > 0 ? r : INFINITY;
		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

static bool l_max(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim)
{
	LOAD2(a);
	LOAD2(b);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = av[i] > bv[i] ? av[i] : bv[i], r = ar[i] > br[i] ? ar[i] : br[i];

		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim) | ODD(av[i], ar[i], lim) | ODD(bv[i], br[i], lim);
	}
	return odd;
}

static bool l_min(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim)
{
	LOAD2(a);
	LOAD2(b);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = av[i] < bv[i] ? av[i] : bv[i], r = ar[i] > br[i] ? ar[i] : br[i];

		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim) | ODD(av[i], ar[i], lim) | ODD(bv[i], br[i], lim);
	}
	return odd;
}

static void l_neg(size_t n, double *restrict z, const double *restrict a)
{
	for (size_t i = 0; i < n; i++)
		z[i] = -a[i];
}

static void l_abs(size_t n, double *restrict z, const double *restrict a)
{
	for (size_t i = 0; i < n; i++)
		z[i] = fabs(a[i]);
}

/* exp, exp2: f(x) <= z·(1+rel)·e^(slope·r), and e^t - 1 <= t·(1+t) for t <= 1. */
static bool l_exp_rad(size_t n, struct chunk z, struct chunk a, double rel, double slope,
                      double lim)
{
	const double *restrict ar = a.r, *restrict zv = z.v;
	double *restrict zr = z.r;
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = zv[i], t = slope * ar[i];
		double r = (v * (t * (1 + t) * (1 + 4 * rel) + 2 * rel) + LOOP_TINY) * LOOP_UP;

		r = t <= 1 ? r : INFINITY;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* The derivative is f + 1, at most (|z| + 1)·(1 + 4 rel)·e^r nearby. */
static bool l_expm1_rad(size_t n, struct chunk z, struct chunk a, double lim)
{
	const double *restrict ar = a.r, *restrict zv = z.v;
	double *restrict zr = z.r;
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = zv[i], t = ar[i];
		double r = (fabs(v) + 1) * (t * (1 + t)) * (1 + 0x1p-40) + 0x1p-49 * fabs(v);

		r = (r + LOOP_TINY) * LOOP_UP;
		r = t <= 1 ? r : INFINITY;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* log, log2 (slope 1/ln 2), log1p (shift 1): the derivative slope/(x + shift) is largest at the
 * left end. */
static bool l_log_rad(size_t n, struct chunk z, struct chunk a, double rel, double slope,
                      double shift, double lim)
{
	LOAD2(a);
	const double *restrict zv = z.v;
	double *restrict zr = z.r;
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = zv[i], den = (av[i] + shift) * (1 - 0x1p-50) - ar[i];
		double r = (slope * ar[i] / den + 2 * rel * fabs(v) + LOOP_TINY) * LOOP_UP;

		r = den > 0 ? r : INFINITY;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* tanh, erf, sin, cos: |f'| <= slope everywhere. */
static bool l_bounded_rad(size_t n, struct chunk z, struct chunk a, double rel, double slope,
                          double lim)
{
	const double *restrict ar = a.r, *restrict zv = z.v;
	double *restrict zr = z.r;
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double v = zv[i];
		double r = (slope * ar[i] + 2 * rel * fabs(v) + LOOP_TINY) * LOOP_UP;

		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* E = erfc(|a|): 1 + erf(a) is E for a < 0, 2 - E otherwise. The derivative (2/sqrt(pi))e^(-t²) is
 * at most E·(|a| + sqrt(a²+2)) at t = a (the classical lower bound of Mills' ratio, Abramowitz &
 * Stegun 7.1.13), and grows by at most e^(2|a|r) <= 1 + 2^-12 within the radius when |a|·r <=
 * 2^-14. */
static bool l_erfp1(size_t n, struct chunk z, struct chunk a, const double *restrict t, double lim)
{
	LOAD2(a);
	STORE2(z);
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		double x = fabs(av[i]), e = t[i], v = av[i] < 0 ? e : 2 - e;
		double d = e * (x + sqrt(x * x + 2)) * (1 + 0x1p-11);
		double r;

		d = x * ar[i] <= 0x1p-14 ? d : 1.13;
		r = (d * ar[i] + 0x1p-47 * e + LOOP_U * v + LOOP_TINY) * LOOP_UP;
		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

/* E = exp(-2a): 1 + tanh(a) = 2/(1 + E), whose relative error is at most that of E, that is
 * expm1(2r) + 2^-50, plus two roundings. E = inf (a < -354) means 0, exact to 2^-1000. */
static bool l_tanhp1(size_t n, struct chunk z, struct chunk a, const double *restrict t, double lim)
{
	LOAD2(a);
	STORE2(z);
	int64_t odd = 0;

	(void)av;
	for (size_t i = 0; i < n; i++) {
		double v = 2 / (1 + t[i]), q = 2 * ar[i];
		double r = (v * (q * (1 + q) * (1 + 0x1p-40) + 0x1p-48) + LOOP_TINY) * LOOP_UP;

		r = q <= 1 ? r : 2;
		zv[i] = v;
		zr[i] = r;
		odd |= ODD(v, r, lim);
	}
	return odd;
}

static bool l_check(size_t n, const double *restrict v, double lim)
{
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++)
		odd |= ODD(v[i], 0, lim);
	return odd;
}

/* ---- the scale --------------------------------------------------------------------------------
 */

static void l_s_add(size_t n, const struct scale *k, struct chunk z, struct chunk a, struct chunk b)
{
	const double *restrict as = a.s, *restrict bs = b.s, *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_add(&q, as[i], bs[i], zv[i]);
}

#define S_BINARY(name)                                                                             \
	static void l_s_##name(size_t n, const struct scale *k, struct chunk z, struct chunk a,    \
	                       struct chunk b)                                                     \
	{                                                                                          \
		LOAD3(a);                                                                          \
		LOAD3(b);                                                                          \
		const double *restrict zv = z.v;                                                   \
		double *restrict zs = z.s;                                                         \
		struct scale q = *k;                                                               \
                                                                                                   \
		for (size_t i = 0; i < n; i++)                                                     \
			zs[i] = scale_##name(&q, av[i], as[i], bv[i], bs[i], zv[i]);               \
	}
S_BINARY(mul)
S_BINARY(div)

static void l_s_sqrt(size_t n, const struct scale *k, struct chunk z, struct chunk a)
{
	LOAD3(a);
	const double *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_sqrt(&q, av[i], as[i], zv[i]);
}

static void l_s_rsqrt(size_t n, const struct scale *k, struct chunk z, struct chunk a)
{
	LOAD3(a);
	const double *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_rsqrt(&q, av[i], as[i], zv[i]);
}

static void l_s_max(size_t n, const struct scale *k, struct chunk z, struct chunk a, struct chunk b)
{
	LOAD3(a);
	LOAD3(b);
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_max(&q, av[i], as[i], bv[i], bs[i]);
}

static void l_s_min(size_t n, const struct scale *k, struct chunk z, struct chunk a, struct chunk b)
{
	LOAD3(a);
	LOAD3(b);
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_max(&q, -av[i], as[i], -bv[i], bs[i]);
}

/* expm1(x)/x = 1 + x/2 + x²/6 + x³/24 + …; for x <= 1/64 the terms left out are below 2^-30. */
static bool l_s_growth(size_t n, const struct scale *k, double *restrict g,
                       const double *restrict s, double shift)
{
	double ku = k->ku;
	int64_t large = 0;

	for (size_t i = 0; i < n; i++) {
		double t = s[i] + shift, x = ku * t;

		g[i] = t * (1 + x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24))));
		large |= (int64_t) !(x <= 0x1p-6);
	}
	return large;
}

static void l_s_relative(size_t n, const struct scale *k, double *restrict rho, struct chunk a)
{
	LOAD3(a);
	double abs = k->exp_abs;

	for (size_t i = 0; i < n; i++)
		rho[i] = as[i] + abs * fabs(av[i]) + SCALE_C_EXP;
}

static void l_s_exp(size_t n, const struct scale *k, struct chunk z, struct chunk a,
                    const double *restrict g)
{
	const double *restrict av = a.v, *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_exp(&q, av[i], g[i], zv[i]);
}

static void l_s_slope(size_t n, const struct scale *k, struct chunk z, struct chunk a,
                      const double *restrict slope, double c)
{
	const double *restrict as = a.s, *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_slope(&q, slope[i], as[i], zv[i], c);
}

static void l_s_log(size_t n, const struct scale *k, struct chunk z, struct chunk a, double slope,
                    double shift, double c)
{
	LOAD3(a);
	const double *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++)
		zs[i] = scale_log(&q, av[i] + shift, as[i], zv[i], slope, c);
}

static void l_s_saturating(size_t n, const struct scale *k, struct chunk z, struct chunk a,
                           const double *restrict slope, const double *restrict gap, double c,
                           bool one_plus)
{
	const double *restrict as = a.s, *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale q = *k;

	for (size_t i = 0; i < n; i++) {
		double f = 1 - gap[i];
		double own = one_plus ? fabs(zv[i]) : 0;

		f = one_plus ? f : zv[i];
		zs[i] = scale_saturating(&q, slope[i], as[i], f, gap[i], c) + own;
	}
}

static void l_s_input(size_t n, const struct scale *k, double *restrict s, const double *restrict v)
{
	double flush = k->flush, u = k->u, head = k->head;

	for (size_t i = 0; i < n; i++) {
		double x = fabs(v[i]), t = x < flush ? x / u : 0;

		s[i] = x > head ? (double)NAN : t;
	}
}

static void l_s_narrow(size_t n, double *restrict s, const double *restrict v, double factor,
                       double floor)
{
	for (size_t i = 0; i < n; i++) {
		double x = fabs(v[i]), t = x * factor;

		t = t > floor ? t : floor;
		s[i] += x > 0 ? t : 0;
	}
}

/* S of y = w/sum(w), both references of the ratio rule (error-scale.md §2.3); floors in z.s last.
 */
static void l_s_unit(size_t n, struct chunk z, const double *restrict ga, const double *restrict gb,
                     const struct scale_unit *u)
{
	const double *restrict zv = z.v;
	double *restrict zs = z.s;
	struct scale_unit q = *u;

	for (size_t i = 0; i < n; i++) {
		double y = zv[i], ra = q.sum_a - y * ga[i], rb = q.sum_b - y * gb[i];
		double a = y * ((1 - y) * ga[i] + (ra > 0 ? ra : 0)) / q.den_a;
		double b = y * ((1 - y) * gb[i] + (rb > 0 ? rb : 0)) / q.den_b;

		zs[i] = (a < b ? a : b) + 4 * y + y * q.floor_rel + q.floor_abs;
	}
}

/* acc[0..n) += wa·|v - y|, acc[n..2n) += wb·|v - y|, acc[2n..3n) += p·|v|, acc[3n..4n) += p·S(v).
 */
static void l_s_weighted(size_t n, const double *restrict v, const double *restrict sv,
                         const double *restrict y, double p, double wa, double wb, double wc,
                         double *restrict acc)
{
	double *restrict a = acc, *restrict b = acc + n, *restrict c = acc + 2 * n,
	                 *restrict d = acc + 3 * n;

	for (size_t i = 0; i < n; i++) {
		double t = fabs(v[i] - y[i]);

		a[i] += wa * t;
		b[i] += wb * t;
		c[i] += wc * fabs(v[i]);
		d[i] += p * sv[i];
	}
}

static bool l_finish(size_t n, double *restrict s, double floor)
{
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		s[i] += floor;
		odd |= ODD(s[i], 0, 0x1.fffffffffffffp+1023);
	}
	return odd;
}

/* ---- sums -------------------------------------------------------------------------------------
 */

/* Eight doubles at once on every instruction set (the compilers split it where registers are
 * short). */
typedef double v8 __attribute__((vector_size(64)));

static double tree(const v8 *lo, const v8 *hi)
{
	v8 t = *lo + *hi;

	return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}

#define LANES 16

static double sum_of(size_t n, const double *x)
{
	v8 lo = {0}, hi = {0}, a, b;
	double rest[LANES] = {0};
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		memcpy(&a, x + i, sizeof a);
		memcpy(&b, x + i + 8, sizeof b);
		lo += a;
		hi += b;
	}
	memcpy(rest, x + i, (n - i) * sizeof *x);
	memcpy(&a, rest, sizeof a);
	memcpy(&b, rest + 8, sizeof b);
	lo += a;
	hi += b;
	return tree(&lo, &hi);
}

typedef int64_t i8 __attribute__((vector_size(64)));
#define MAGNITUDE 0x7fffffffffffffff

static double sum_of_abs(size_t n, const double *x)
{
	v8 lo = {0}, hi = {0};
	double rest[LANES] = {0};
	i8 a, b;
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		memcpy(&a, x + i, sizeof a);
		memcpy(&b, x + i + 8, sizeof b);
		lo += (v8)(a & MAGNITUDE);
		hi += (v8)(b & MAGNITUDE);
	}
	memcpy(rest, x + i, (n - i) * sizeof *x);
	memcpy(&a, rest, sizeof a);
	memcpy(&b, rest + 8, sizeof b);
	lo += (v8)(a & MAGNITUDE);
	hi += (v8)(b & MAGNITUDE);
	return tree(&lo, &hi);
}

static struct chunk_sums l_sums(size_t n, const double *v, const double *r, const double *s)
{
	struct chunk_sums t = {sum_of(n, v), sum_of_abs(n, v), 0, 0};

	t.r = r ? sum_of(n, r) : 0;
	t.s = s ? sum_of(n, s) : 0;
	return t;
}

static double l_maximum(size_t n, const double *v, double from)
{
	double m[LANES];
	size_t i = 0;

	for (int k = 0; k < LANES; k++)
		m[k] = from;
	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++)
			m[k] = v[i + k] > m[k] ? v[i + k] : m[k];
	for (int k = 0; i < n; i++, k++)
		m[k] = v[i] > m[k] ? v[i] : m[k];
	for (int k = 1; k < LANES; k++)
		m[0] = m[k] > m[0] ? m[k] : m[0];
	return m[0];
}

static struct chunk_weights l_weigh(size_t n, const double *w, const double *rho)
{
	double m[LANES] = {0}, r[LANES] = {0};
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++) {
			double q = w[i + k] > 0 ? rho[i + k] : 0;
			m[k] = w[i + k] > m[k] ? w[i + k] : m[k];
			r[k] = q > r[k] ? q : r[k];
		}
	for (int k = 0; i < n; i++, k++) {
		m[k] = w[i] > m[k] ? w[i] : m[k];
		r[k] = w[i] > 0 && rho[i] > r[k] ? rho[i] : r[k];
	}
	for (int k = 1; k < LANES; k++) {
		m[0] = m[k] > m[0] ? m[k] : m[0];
		r[0] = r[k] > r[0] ? r[k] : r[0];
	}
	return (struct chunk_weights){sum_of(n, w), m[0], r[0]};
}

/* .v = Σ w·ga, .a = Σ w·gb. */
static struct chunk_sums l_unit_sums(size_t n, const double *w, const double *ga, const double *gb)
{
	double a[LANES] = {0}, b[LANES] = {0};
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++) {
			a[k] += w[i + k] * ga[i + k];
			b[k] += w[i + k] * gb[i + k];
		}
	for (int k = 0; i < n; i++, k++) {
		a[k] += w[i] * ga[i];
		b[k] += w[i] * gb[i];
	}
	return (struct chunk_sums){sum_of(LANES, a), sum_of(LANES, b), 0, 0};
}

/* Knuth's two-sum; the corrections are added up apart (Ogita, Rump, Oishi 2005, Sum2). */
static void l_accumulate(size_t n, struct chunk_acc z, const double *restrict v,
                         const double *restrict r, const double *restrict s)
{
	double *restrict hi = z.hi, *restrict lo = z.lo, *restrict a = z.a, *restrict zr = z.r,
	                 *restrict zs = z.s;

	for (size_t i = 0; i < n; i++) {
		double x = hi[i], y = v[i], t = x + y, bb = t - x;

		lo[i] += (x - (t - bb)) + (y - bb);
		hi[i] = t;
		a[i] += fabs(y);
		zr[i] += r[i];
		zs[i] += s[i];
	}
}

static void l_axpy(size_t n, struct chunk_acc z, const double *restrict v, struct elem w)
{
	double *restrict hi = z.hi, *restrict lo = z.lo, *restrict a = z.a, *restrict zr = z.r,
	                 *restrict zs = z.s;

	for (size_t i = 0; i < n; i++) {
		double x = hi[i], y = w.v * v[i], t = x + y, bb = t - x, m = fabs(v[i]);

		lo[i] += (x - (t - bb)) + (y - bb);
		hi[i] = t;
		a[i] += fabs(y);
		zr[i] += w.r * m;
		zs[i] += w.s * m;
	}
}

extern const struct eval_loops PASTE(eval_loops_, ISA);
const struct eval_loops PASTE(eval_loops_, ISA) = {
        .add = l_add,
        .sub = l_sub,
        .mul = l_mul,
        .sqr = l_sqr,
        .div = l_div,
        .sqrt = l_sqrt,
        .rsqrt = l_rsqrt,
        .max = l_max,
        .min = l_min,
        .neg = l_neg,
        .abs = l_abs,
        .exp_rad = l_exp_rad,
        .expm1_rad = l_expm1_rad,
        .log_rad = l_log_rad,
        .bounded_rad = l_bounded_rad,
        .erfp1 = l_erfp1,
        .tanhp1 = l_tanhp1,
        .check = l_check,
        .s_add = l_s_add,
        .s_mul = l_s_mul,
        .s_div = l_s_div,
        .s_sqrt = l_s_sqrt,
        .s_rsqrt = l_s_rsqrt,
        .s_max = l_s_max,
        .s_min = l_s_min,
        .s_growth = l_s_growth,
        .s_relative = l_s_relative,
        .weigh = l_weigh,
        .unit_sums = l_unit_sums,
        .s_exp = l_s_exp,
        .s_slope = l_s_slope,
        .s_log = l_s_log,
        .s_saturating = l_s_saturating,
        .s_input = l_s_input,
        .s_narrow = l_s_narrow,
        .s_unit = l_s_unit,
        .s_weighted = l_s_weighted,
        .finish = l_finish,
        .sums = l_sums,
        .maximum = l_maximum,
        .axpy = l_axpy,
        .accumulate = l_accumulate,
};
