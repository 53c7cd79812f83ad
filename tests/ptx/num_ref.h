/* num_ref.h - references for the tests of ptx' arithmetic: IEEE operations by MPFR, and
 * operands.
 *
 * An operation is done by MPFR with the precision of the format and an unbounded exponent; the
 * result is brought into the format's range by mpfr_check_range and mpfr_subnormalize (the MPFR
 * manual's way to emulate IEEE formats). */
#ifndef TESTS_PTX_NUM_REF_H
#define TESTS_PTX_NUM_REF_H

#include <mpfr.h>

#include "tests/check.h"

struct ref_format {
	int p, emin, emax; /* normal numbers are 1.m 2^e, emin <= e <= emax, p bits */
	int mbits, width;
	uint64_t nan; /* what the hardware returns for a NaN it makes */
};
static const struct ref_format REF_F16 = {11, -14, 15, 10, 16, 0x7fff};
static const struct ref_format REF_BF16 = {8, -126, 127, 7, 16, 0x7fff};
static const struct ref_format REF_TF32 = {11, -126, 127, 10, 19, 0x3ffff};
static const struct ref_format REF_F32 = {24, -126, 127, 23, 32, 0x7fffffff};
static const struct ref_format REF_F64 = {53, -1022, 1023, 52, 64, 0xfff8000000000000u};

static uint64_t ref_sign(const struct ref_format *f)
{
	return 1ull << (f->width - 1);
}
static uint64_t ref_inf(const struct ref_format *f)
{
	return ref_sign(f) - (1ull << f->mbits);
}
static bool ref_isnan(uint64_t u, const struct ref_format *f)
{
	return (u & ~ref_sign(f)) > ref_inf(f);
}
static uint64_t ref_flush(uint64_t u, const struct ref_format *f)
{
	return (u & ref_inf(f)) == 0 ? u & ref_sign(f) : u;
}
static mpfr_rnd_t ref_rnd(enum rnd r)
{
	return r == RND_Z ? MPFR_RNDZ : r == RND_U ? MPFR_RNDU : r == RND_D ? MPFR_RNDD : MPFR_RNDN;
}

/* x = the number u; x has enough precision. */
static void ref_set(mpfr_t x, uint64_t u, const struct ref_format *f)
{
	uint64_t mag = u & ~ref_sign(f), m = mag & ((1ull << f->mbits) - 1);
	int field = (int)(mag >> f->mbits), neg = (u & ref_sign(f)) != 0;

	if (mag > ref_inf(f)) {
		mpfr_set_nan(x);
		return;
	}
	if (mag == ref_inf(f))
		mpfr_set_inf(x, 1);
	else if (mag == 0)
		mpfr_set_zero(x, 1);
	else
		mpfr_set_ui_2exp(x, field ? m | 1ull << f->mbits : m,
		                 (field ? field : 1) - 1 + f->emin - f->mbits, MPFR_RNDN);
	mpfr_setsign(x, x, neg, MPFR_RNDN);
}
/* The encoding of x, which the format holds exactly. */
static uint64_t ref_bits(mpfr_t x, const struct ref_format *f)
{
	uint64_t sign = mpfr_signbit(x) ? ref_sign(f) : 0;
	if (mpfr_nan_p(x))
		return f->nan;
	if (mpfr_inf_p(x))
		return sign | ref_inf(f);
	if (mpfr_zero_p(x))
		return sign;
	int e = (int)mpfr_get_exp(x) - 1;
	double d = fabs(mpfr_get_d(x, MPFR_RNDN)); /* exact: at most 53 bits, in range */
	if (e < f->emin)
		return sign | (uint64_t)ldexp(ldexp(d, f->mbits), -f->emin);
	uint64_t m = (uint64_t)ldexp(d, f->mbits - e);
	return sign | (((uint64_t)(e - f->emin) << f->mbits) + m);
}
/* x was rounded by r to f->p bits, t is its ternary value: into the range of f. */
static uint64_t ref_finish(mpfr_t x, int t, enum rnd r, bool ftz, const struct ref_format *f)
{
	mpfr_exp_t lo = mpfr_get_emin(), hi = mpfr_get_emax();

	if (ftz && mpfr_regular_p(x) &&
	    mpfr_get_exp(x) <= f->emin) /* below 2^emin after rounding */
		return mpfr_signbit(x) ? ref_sign(f) : 0;
	mpfr_set_emin(f->emin - f->p + 2);
	mpfr_set_emax(f->emax + 1);
	t = mpfr_check_range(x, t, ref_rnd(r));
	mpfr_subnormalize(x, t, ref_rnd(r));
	mpfr_set_emin(lo);
	mpfr_set_emax(hi);
	return ref_bits(x, f);
}

enum ref_op { REF_ADD, REF_SUB, REF_MUL, REF_FMA, REF_DIV, REF_RCP, REF_SQRT };
static const char *const ref_op_name[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};
static int ref_op_operands(enum ref_op op)
{
	return op == REF_FMA ? 3 : op == REF_RCP || op == REF_SQRT ? 1 : 2;
}
/* op on a, b, c with one rounding; NaN results are f->nan. */
static uint64_t ref_apply(enum ref_op op, const uint64_t in[3], enum rnd r, bool ftz,
                          const struct ref_format *f)
{
	static mpfr_t x[3], d;
	static bool ready;
	mpfr_rnd_t m = ref_rnd(r);
	int t = 0;

	if (!ready) {
		for (int i = 0; i < 3; i++)
			mpfr_init2(x[i], 64);
		mpfr_init2(d, 64);
		ready = true;
	}
	for (int i = 0; i < ref_op_operands(op); i++)
		ref_set(x[i], ftz ? ref_flush(in[i], f) : in[i], f);
	mpfr_set_prec(d, f->p);
	switch (op) {
	case REF_ADD:
		t = mpfr_add(d, x[0], x[1], m);
		break;
	case REF_SUB:
		t = mpfr_sub(d, x[0], x[1], m);
		break;
	case REF_MUL:
		t = mpfr_mul(d, x[0], x[1], m);
		break;
	case REF_FMA:
		t = mpfr_fma(d, x[0], x[1], x[2], m);
		break;
	case REF_DIV:
		t = mpfr_div(d, x[0], x[1], m);
		break;
	case REF_RCP:
		t = mpfr_ui_div(d, 1, x[0], m);
		break;
	case REF_SQRT:
		t = mpfr_sqrt(d, x[0], m);
		break;
	}
	return ref_finish(d, t, r, ftz, f);
}
/* u of format `from` rounded to format `to`. */
static uint64_t ref_convert(uint64_t u, const struct ref_format *from, enum rnd r, bool ftz,
                            const struct ref_format *to)
{
	static mpfr_t x, d;
	static bool ready;

	if (!ready) {
		mpfr_init2(x, 64);
		mpfr_init2(d, 64);
		ready = true;
	}
	ref_set(x, u, from);
	mpfr_set_prec(d, to->p);
	return ref_finish(d, mpfr_set(d, x, ref_rnd(r)), r, ftz, to);
}
/* .sat: into [0,1], NaN and negative numbers to +0. */
static uint64_t ref_saturate(uint64_t u, const struct ref_format *f)
{
	uint64_t one = (uint64_t)-f->emin << f->mbits;
	one += 1ull << f->mbits;
	if (ref_isnan(u, f) || (u & ref_sign(f)))
		return 0;
	return u > one ? one : u;
}

/* ---- operands ------------------------------------------------------------------------------- */

static uint64_t ref_seed = 0x243f6a8885a308d3u; /* of the fixed sequence (splitmix64) */
static uint64_t ref_random(void)
{
	uint64_t z = ref_seed += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#define REF_SPECIALS 26
/* Zeros, infinities, NaNs, 1, 2, 1/2, neighbours of 1, of the smallest normal and of the
 * largest. */
static uint64_t ref_special(unsigned i, const struct ref_format *f)
{
	uint64_t ulp = 1, low = 1ull << f->mbits, inf = ref_inf(f),
	         one = (uint64_t)(1 - f->emin) * low;
	const uint64_t s[REF_SPECIALS / 2] = {
	        0,   one,       inf,       inf + low / 2, inf + 1,   ulp,       low - ulp,
	        low, low + ulp, inf - ulp, one - ulp,     one + ulp, one + low,
	};
	return s[i / 2 % (REF_SPECIALS / 2)] | (i & 1 ? ref_sign(f) : 0);
}
static uint64_t ref_at_exponent(int field, const struct ref_format *f)
{
	int top = (1 << (f->width - 1 - f->mbits)) - 2;
	uint64_t u = ref_random(), cut = ref_random();
	uint64_t m = u & ((1ull << f->mbits) - 1);
	if (cut & 1) /* few significant bits: ties */
		m = m >> (cut >> 8) % (unsigned)f->mbits << (cut >> 8) % (unsigned)f->mbits;
	field = field < 0 ? 0 : field > top ? top : field;
	return (u >> 63 ? ref_sign(f) : 0) | (uint64_t)field << f->mbits | m;
}
/* Operand `pos` of a case whose earlier operands are in `prev`: all kinds of cases where something
 * can go wrong (cancellation, results near overflow and near the subnormals, ties, specials). */
static uint64_t ref_operand(int pos, const uint64_t prev[3], const struct ref_format *f)
{
	uint64_t r = ref_random(), mask = f->width == 64 ? ~0ull : (1ull << f->width) - 1;
	int bias = 1 - f->emin - 1, jitter = (int)(r >> 32 & 7) - 4, e0, e1;

	e0 = pos > 0 ? (int)((prev[0] & ref_inf(f)) >> f->mbits) : 0;
	e1 = pos > 1 ? (int)((prev[1] & ref_inf(f)) >> f->mbits) : 0;
	switch (r % 9) {
	case 0:
		return ref_special((unsigned)(r >> 8), f);
	case 1:
		return ref_random() & mask;
	case 2:
		return ref_at_exponent(jitter + 4, f);
	case 3:
		return ref_at_exponent(2 * bias + jitter, f);
	case 4: /* near +- an earlier operand */
		if (pos == 0)
			return ref_at_exponent(bias + jitter, f);
		return ((prev[(r >> 8) % (unsigned)pos] ^ (r & 1ull << 16 ? ref_sign(f) : 0)) +
		        (uint64_t)jitter) &
		       mask;
	case 5:
		return ref_at_exponent(pos == 2 ? e0 + e1 - bias + jitter : 2 * bias - e0 + jitter,
		                       f);
	case 6:
		return ref_at_exponent(
		        pos == 2 ? e0 + e1 - bias - f->p + jitter : bias - e0 + jitter, f);
	case 7:
		return ref_at_exponent(pos == 2 ? e0 + e1 - bias + f->p + jitter : e0 + jitter, f);
	default:
		return ref_at_exponent(bias + (int)(r >> 8 & 31) - 16, f);
	}
}
/* Case i: first all pairs of specials, then random ones. */
static void ref_case(unsigned i, uint64_t out[3], const struct ref_format *f)
{
	bool special = i < REF_SPECIALS * REF_SPECIALS;
	out[0] = special ? ref_special(i % REF_SPECIALS, f) : ref_operand(0, out, f);
	out[1] = special ? ref_special(i / REF_SPECIALS, f) : ref_operand(1, out, f);
	out[2] = ref_operand(2, out, f);
}

static const enum rnd ref_rounds[4] = {RND_NE, RND_Z, RND_D, RND_U};
static const char *const ref_round_name[4] = {"rn", "rz", "rm", "rp"};

static char ref_label_text[200];
static const char *ref_label(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(ref_label_text, sizeof ref_label_text, fmt, ap);
	va_end(ap);
	return ref_label_text;
}
/* check_bits without the cost of a label where all is well. */
#define REF_CHECK(got, want, ...)                                                                  \
	do {                                                                                       \
		uint64_t got_ = (got), want_ = (want);                                             \
		if (got_ != want_)                                                                 \
			check_bits(got_, want_, ref_label(__VA_ARGS__));                           \
	} while (0)

#endif
