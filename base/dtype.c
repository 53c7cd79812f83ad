/* dtype.c - element types: encodings to values and values to encodings, one element at a time.
 *
 * A float of precision p has the encoding (sign, then exponent field, then p-1 fraction bits). Read
 * as one integer without its sign ("magnitude"), encodings are ordered like values, and rounding up
 * in the last place is adding one, whatever it carries into.  tf32 is the upper 19 bits of an f32;
 * its low 13 bits are written as zero and not looked at when read, as the tensor cores do. */
#include "base/base.h"

#include <math.h>
#include <string.h>

static const struct type_info {
	const char *name;
	int bytes, p, emin, emax;
} type_info[DT_COUNT] = {
#define X(name, text, bytes, p, emin, emax) [DT_##name] = {text, bytes, p, emin, emax},
	DTYPE_LIST(X)
#undef X
};

#define TF32_UNUSED 13 /* low bits of a stored tf32 */

const char *dtype_name(enum dtype t)
{
	return type_info[t].name;
}

bool dtype_parse(const char *s, enum dtype *t)
{
	for (int i = 0; i < DT_COUNT; i++)
		if (!strcmp(s, type_info[i].name)) {
			*t = (enum dtype)i;
			return true;
		}
	return false;
}

int dtype_bytes(enum dtype t)
{
	return type_info[t].bytes;
}

bool dtype_is_float(enum dtype t)
{
	return type_info[t].p > 0;
}

int dtype_precision(enum dtype t)
{
	return type_info[t].p;
}

int dtype_emin(enum dtype t)
{
	return type_info[t].emin;
}

int dtype_emax(enum dtype t)
{
	return type_info[t].emax;
}

/* 2^e for -1022 <= e <= 1023. */
static double pow2(int e)
{
	uint64_t bits = (uint64_t)(e + 1023) << 52;
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint64_t double_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

double dtype_u(enum dtype t)
{
	return pow2(-type_info[t].p);
}

/* ---- magnitudes ---- */

/* Magnitude of the largest finite value.  e4m3 uses the top exponent for values too, but for its
 * last encoding, NaN. */
static uint64_t mag_max(const struct type_info *f)
{
	uint64_t inf = (uint64_t)(f->emax - f->emin + 2) << (f->p - 1);

	return f->p == 4 ? inf - 2 : inf - 1;
}

/* Bits of the sign within a float's encoding, without tf32's unused ones. */
static int sign_shift(enum dtype t)
{
	return t == DT_TF32 ? 31 - TF32_UNUSED : type_info[t].bytes * 8 - 1;
}

/* Is a magnitude above the largest finite one infinity (else it is NaN)? */
static bool mag_is_inf(enum dtype t, uint64_t mag)
{
	return t != DT_E4M3 && mag == mag_max(&type_info[t]) + 1;
}

double dtype_max(enum dtype t)
{
	static const double largest[DT_COUNT] = {
		[DT_I8] = 127,     [DT_U8] = 255,         [DT_I16] = 32767,
		[DT_U16] = 65535,  [DT_I32] = 2147483647, [DT_U32] = 4294967295.0,
		[DT_I64] = 0x1p63, [DT_U64] = 0x1p64,     [DT_BOOL] = 1,
	};

	if (!dtype_is_float(t))
		return largest[t];
	return dtype_decode(t, mag_max(&type_info[t]) << (t == DT_TF32 ? TF32_UNUSED : 0));
}

/* ---- decoding ---- */

/* Value of a float's finite magnitude: exact, for p <= 24. */
static double mag_value(const struct type_info *f, uint64_t mag)
{
	uint64_t frac = mag & (((uint64_t)1 << (f->p - 1)) - 1);
	int field = (int)(mag >> (f->p - 1));

	if (field == 0)
		return (double)frac * pow2(f->emin - f->p + 1);
	return (double)(frac + ((uint64_t)1 << (f->p - 1))) * pow2(field - 1 + f->emin - f->p + 1);
}

static double float_decode(enum dtype t, uint64_t bits)
{
	const struct type_info *f = &type_info[t];
	int top = sign_shift(t);
	uint64_t mag;
	double x;

	if (t == DT_F64) {
		memcpy(&x, &bits, sizeof x);
		return x;
	}
	if (t == DT_TF32)
		bits >>= TF32_UNUSED;
	mag = bits & (((uint64_t)1 << top) - 1);
	if (mag <= mag_max(f))
		x = mag_value(f, mag);
	else
		x = mag_is_inf(t, mag) ? INFINITY : NAN;
	return bits >> top & 1 ? -x : x;
}

double dtype_decode(enum dtype t, uint64_t bits)
{
	switch (t) {
	case DT_I8:
		return (int8_t)bits;
	case DT_U8:
		return (uint8_t)bits;
	case DT_I16:
		return (int16_t)bits;
	case DT_U16:
		return (uint16_t)bits;
	case DT_I32:
		return (int32_t)bits;
	case DT_U32:
		return (uint32_t)bits;
	case DT_I64:
		return (double)(int64_t)bits;
	case DT_U64:
		return (double)bits;
	case DT_BOOL:
		return (bits & 0xff) != 0;
	default:
		return float_decode(t, bits);
	}
}

/* ---- encoding ---- */

/* Is an inexact magnitude rounded away from zero?  half: how what is cut off compares with half a
 * unit (-1, 0, 1); odd: of what is kept. */
static bool rounds_up(enum rnd r, bool negative, int half, bool odd)
{
	switch (r) {
	case RND_NE:
		return half > 0 || (half == 0 && odd);
	case RND_NA:
		return half >= 0;
	case RND_Z:
		return false;
	case RND_U:
		return !negative;
	default:
		return negative;
	}
}

/* The magnitude beyond the largest finite one that r and the type give: e4m3's is NaN, of the sign
 * of the value (as CUDA's conversion without saturation). */
static uint64_t mag_overflow(const struct type_info *f, enum rnd r, bool negative, bool satfinite)
{
	bool away = r == RND_NE || r == RND_NA || r == (negative ? RND_D : RND_U);

	return away && !satfinite ? mag_max(f) + 1 : mag_max(f);
}

/* Rounds the finite double m·2^(e-52), 2^52 <= m < 2^53, to a magnitude of f, p <= 24. */
static uint64_t mag_round(const struct type_info *f, uint64_t m, int e, enum rnd r, bool negative)
{
	int drop = 53 - f->p + (e < f->emin ? f->emin - e : 0);
	uint64_t kept, cut, middle;
	int half;

	if (drop > 54) /* below a quarter of the smallest value */
		return rounds_up(r, negative, -1, false);
	kept = m >> drop;
	cut = m & (((uint64_t)1 << drop) - 1);
	middle = (uint64_t)1 << (drop - 1);
	half = (cut > middle) - (cut < middle);
	if (e >= f->emin)
		kept += (uint64_t)(e - f->emin) << (f->p - 1);
	return kept + (cut != 0 && rounds_up(r, negative, half, kept & 1));
}

/* The canonical NaN: all bits but the sign, as NVIDIA's hardware. */
static uint64_t canonical_nan(enum dtype t)
{
	return t == DT_TF32 ? 0x7fffe000 : ~(uint64_t)0 >> (65 - type_info[t].bytes * 8);
}

/* f64 keeps every value but NaN and, with satfinite, infinity. */
static uint64_t double_encode(double x, bool satfinite)
{
	if (isnan(x))
		return canonical_nan(DT_F64);
	return satfinite && isinf(x) ? double_bits(x) - 1 : double_bits(x);
}

static uint64_t float_encode(enum dtype t, double x, enum rnd r, bool satfinite)
{
	const struct type_info *f = &type_info[t];
	uint64_t bits = double_bits(x), m = bits & 0xfffffffffffff, mag;
	bool negative = bits >> 63;
	int e = (int)(bits >> 52 & 0x7ff) - 1023;

	if (t == DT_F64)
		return double_encode(x, satfinite);
	if (isnan(x))
		return canonical_nan(t);
	if (isinf(x)) /* exact, whatever the rounding */
		mag = mag_max(f) + !satfinite;
	else if (e == -1023) /* zero, or below every unit of every narrower type */
		mag = m != 0 && rounds_up(r, negative, -1, false);
	else
		mag = mag_round(f, m | (uint64_t)1 << 52, e, r, negative);
	if (mag > mag_max(f) && !isinf(x))
		mag = mag_overflow(f, r, negative, satfinite);
	mag |= (uint64_t)negative << sign_shift(t);
	return t == DT_TF32 ? mag << TF32_UNUSED : mag;
}

/* x rounded to an integer. a and a - trunc(a) are exact. */
static double round_integer(double x, enum rnd r)
{
	double a = fabs(x), whole = trunc(a), cut = a - whole;
	int half = (cut > 0.5) - (cut < 0.5);

	if (cut != 0 && rounds_up(r, x < 0, half, fmod(whole, 2) != 0))
		whole += 1;
	return x < 0 ? -whole : whole;
}

/* Largest value of an integer type as an integer; the least is -largest-1, or 0. */
static uint64_t integer_max(enum dtype t)
{
	if (t == DT_BOOL)
		return 1;
	if (t == DT_I8 || t == DT_I16 || t == DT_I32 || t == DT_I64)
		return canonical_nan(t);
	return ~(uint64_t)0 >> (64 - type_info[t].bytes * 8);
}

static bool is_signed(enum dtype t)
{
	return integer_max(t) >> (type_info[t].bytes * 8 - 1) == 0 && t != DT_BOOL;
}

static uint64_t integer_encode(enum dtype t, double x, enum rnd r)
{
	uint64_t max = integer_max(t), mask = ~(uint64_t)0 >> (64 - type_info[t].bytes * 8), bits;
	double a;

	if (isnan(x))
		return 0;
	x = isinf(x) ? x : round_integer(x, r);
	a = fabs(x);
	if (x < 0 && !is_signed(t))
		return 0;
	max += x < 0; /* the least value's distance from 0 */
	/* (double)max is max or, for 64 bits, one above it: then a >= is still exact */
	bits = a >= (double)max ? max : (uint64_t)a;
	return (x < 0 ? -bits : bits) & mask;
}

uint64_t dtype_encode(enum dtype t, double x, enum rnd r, bool satfinite)
{
	return dtype_is_float(t) ? float_encode(t, x, r, satfinite) : integer_encode(t, x, r);
}

/* ---- memory ---- */

/* Little endian, as every machine this runs on; p need not be aligned. */
uint64_t dtype_load(enum dtype t, const void *p)
{
	uint64_t bits = 0;

	switch (type_info[t].bytes) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		memcpy(&bits, p, 2);
		return bits;
	case 4:
		memcpy(&bits, p, 4);
		return bits;
	default:
		memcpy(&bits, p, 8);
		return bits;
	}
}

void dtype_store(enum dtype t, void *p, uint64_t bits)
{
	memcpy(p, &bits, (size_t)type_info[t].bytes);
}

/* ---- units in the last place ---- */

double dtype_ulp(enum dtype t, double z)
{
	const struct type_info *f = &type_info[t];
	int e;

	if (!dtype_is_float(t))
		return 1;
	if (isnan(z) || isinf(z))
		return fabs(z);
	if (z == 0)
		return ldexp(1, f->emin - f->p + 1);
	frexp(z, &e); /* |z| = m·2^e, 1/2 <= m < 1 */
	e -= 1;
	return ldexp(1, (e > f->emin ? e : f->emin) - f->p + 1);
}

/* Place of a float's encoding in the order of values, 0 at zero. */
static int64_t float_order(enum dtype t, uint64_t bits)
{
	int top = sign_shift(t);
	int64_t mag;

	if (t == DT_TF32)
		bits >>= TF32_UNUSED;
	mag = (int64_t)(bits & (((uint64_t)1 << top) - 1));
	return bits >> top & 1 ? -mag : mag;
}

static uint64_t integer_diff(enum dtype t, uint64_t a, uint64_t b)
{
	int unused = 64 - type_info[t].bytes * 8;

	if (t == DT_BOOL)
		return (a & 0xff) != 0 ? (b & 0xff) == 0 : (b & 0xff) != 0;
	a <<= unused;
	b <<= unused;
	if (is_signed(t)) {
		a ^= (uint64_t)1 << 63;
		b ^= (uint64_t)1 << 63;
	}
	return (a > b ? a - b : b - a) >> unused;
}

uint64_t dtype_ulp_diff(enum dtype t, uint64_t a, uint64_t b)
{
	int64_t x, y;
	bool na, nb;

	if (!dtype_is_float(t))
		return integer_diff(t, a, b);
	na = isnan(dtype_decode(t, a));
	nb = isnan(dtype_decode(t, b));
	if (na || nb)
		return na && nb ? 0 : UINT64_MAX;
	x = float_order(t, a);
	y = float_order(t, b);
	return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}
