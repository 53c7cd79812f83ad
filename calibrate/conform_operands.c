/* conform_operands.c - operands that find where an implementation goes wrong. */
#include "calibrate/conform.h"

#include <string.h>

/* ---- random words ---- */

uint64_t conform_next(struct conform_random *r)
{
	return rand_u64(r->seed, 0, r->n++);
}

static unsigned below(uint64_t word, unsigned n)
{
	return (unsigned)((word >> 32) * n >> 32);
}

/* ---- formats ---- */

struct format {
	int width, mbits, bias;
};

/* False: not a floating-point type. */
static bool format_of(const struct conform_type *t, struct format *f)
{
	switch (t->kind) {
	case 'f':
		*f = t->width == 16   ? (struct format){16, 10, 15}
		     : t->width == 32 ? (struct format){32, 23, 127}
		                      : (struct format){64, 52, 1023};
		return true;
	case 'g':
		*f = (struct format){16, 7, 127};
		return true;
	case 't':
		*f = (struct format){32, 23, 127};
		return true;
	case '4':
		*f = (struct format){8, 3, 7};
		return true;
	case '5':
		*f = (struct format){8, 2, 15};
		return true;
	default:
		return false;
	}
}

static uint64_t sign_of(const struct format *f)
{
	return 1ull << (f->width - 1);
}

static uint64_t infinity_of(const struct format *f)
{
	return sign_of(f) - (1ull << f->mbits);
}

static uint64_t mask_of(int width)
{
	return width == 64 ? ~0ull : (1ull << width) - 1;
}

/* ---- special values ---- */

#define FLOAT_SPECIALS 15

/* Zero, infinity, NaNs (quiet, signalling, full payload), 1, 1.5, its neighbours, the smallest and
 * largest subnormal, the smallest normal and its neighbour, the largest; each with both signs. */
static uint64_t float_special(const struct format *f, unsigned i)
{
	uint64_t low = 1ull << f->mbits, inf = infinity_of(f), one = (uint64_t)f->bias * low;
	const uint64_t s[FLOAT_SPECIALS] = {
	        0,   one,     inf,     inf + low / 2, inf + 1, inf + low - 1, 1,         low - 1,
	        low, low + 1, inf - 1, one - 1,       one + 1, one + low / 2, one + low,
	};

	return s[i / 2 % FLOAT_SPECIALS] | (i & 1 ? sign_of(f) : 0);
}

static const uint64_t integer_specials[] = {
        0,
        1,
        2,
        3,
        7,
        8,
        15,
        16,
        31,
        32,
        33,
        63,
        64,
        0x7f,
        0x80,
        0x81,
        0xff,
        0x100,
        0x7fff,
        0x8000,
        0x8001,
        0xffff,
        0x10000,
        0xffffff,
        0x1000000,
        0x1000001,
        0x7fffffff,
        0x80000000,
        0x80000001,
        0xffffffff,
        0x100000000,
        0x1fffffffffffff,
        0x20000000000001,
        0x7fffffffffffffff,
        0x8000000000000000,
        ~0ull,
        ~1ull,
        ~0x7full,
        ~0x7fffull,
};

unsigned conform_specials(const struct conform_type *t)
{
	struct format f;

	if (t->kind == 'p')
		return 2;
	return format_of(t, &f) ? 2 * FLOAT_SPECIALS : ARRAY_LEN(integer_specials);
}

uint64_t conform_special(const struct conform_type *t, unsigned i)
{
	struct format f;

	if (t->kind == 'p')
		return i & 1;
	if (format_of(t, &f))
		return float_special(&f, i % (2 * FLOAT_SPECIALS));
	return integer_specials[i % ARRAY_LEN(integer_specials)] & mask_of(t->width);
}

/* ---- random values ---- */

/* Significands whose rounding to fewer bits is a tie or next to one: what is left of the cut is
 * random, below it stands 10…0, 10…01, 01…1 or 0. The cut falls where f16, bf16, f32, e4m3 or an
 * integer would end, or anywhere. */
static uint64_t tie(uint64_t m, int bits, uint64_t r)
{
	static const int kept[] = {23, 24, 10, 11, 7, 8, 3, 2};
	int keep = r & 8 ? kept[r & 7] : (int)below(r, (unsigned)bits), cut = bits - keep;
	uint64_t half;

	if (cut < 1 || cut > 63)
		return m;
	half = 1ull << (cut - 1);
	m &= ~(2 * half - 1);
	switch (r >> 4 & 3) {
	case 0:
		return m | half;
	case 1:
		return m | half | 1;
	case 2:
		return m | (half - 1);
	default:
		return m;
	}
}

/* A number of exponent field `field`, cut to the range. */
static uint64_t at_exponent(struct conform_random *r, const struct format *f, int field)
{
	int top = (1 << (f->width - 1 - f->mbits)) - 2;
	uint64_t u = conform_next(r), how = conform_next(r), m = u & ((1ull << f->mbits) - 1);

	if (how & 1)
		m = tie(m, f->mbits, how >> 1);
	field = field < 0 ? 0 : field > top ? top : field;
	return (u >> 63 ? sign_of(f) : 0) | (uint64_t)field << f->mbits | m;
}

/* Exponents where some format or integer type begins or ends. */
static int edge_exponent(uint64_t r)
{
	static const int edges[] = {
	        -1074, -1022, -150, -149, -133, -126, -25, -24, -15, -14, -9,   -8, -6,
	        -1,    0,     1,    3,    6,    7,    8,   14,  15,  16,  22,   23, 24,
	        30,    31,    32,   52,   53,   62,   63,  64,  127, 128, 1023,
	};

	return edges[below(r, ARRAY_LEN(edges))] + (int)(r & 3) - 1;
}

/* With earlier operands: near them, cancelling, and with products and quotients near overflow, near
 * the subnormals and with ties. */
static uint64_t float_value(struct conform_random *r, const struct format *f, int pos,
                            const uint64_t *prev)
{
	uint64_t w = conform_next(r), inf = infinity_of(f), mask = mask_of(f->width);
	int jitter = (int)(w >> 8 & 7) - 4, p = f->mbits + 1;
	int e0 = pos > 0 ? (int)((prev[0] & inf) >> f->mbits) : 0;
	int e1 = pos > 1 ? (int)((prev[1] & inf) >> f->mbits) : 0;

	switch (below(w, 10)) {
	case 0:
		return float_special(f, (unsigned)(w >> 8) % (2 * FLOAT_SPECIALS));
	case 1:
		return conform_next(r) & mask;
	case 2:
		return at_exponent(r, f, jitter + 4);
	case 3:
		return at_exponent(r, f, 2 * f->bias + jitter);
	case 4: /* near ± an earlier operand */
		if (pos == 0)
			return at_exponent(r, f, f->bias + jitter);
		return ((prev[(w >> 12) % (unsigned)pos] ^ (w & 1 ? sign_of(f) : 0)) +
		        (uint64_t)(int64_t)jitter) &
		       mask;
	case 5:
		return at_exponent(
		        r, f, pos == 2 ? e0 + e1 - f->bias + jitter : 2 * f->bias - e0 + jitter);
	case 6:
		return at_exponent(
		        r, f, pos == 2 ? e0 + e1 - f->bias - p + jitter : f->bias - e0 + jitter);
	case 7:
		return at_exponent(r, f, pos == 2 ? e0 + e1 - f->bias + p + jitter : e0 + jitter);
	case 8:
		return at_exponent(r, f, f->bias + edge_exponent(conform_next(r)));
	default:
		return at_exponent(r, f, f->bias + (int)(w >> 8 & 31) - 16);
	}
}

static uint64_t integer_value(struct conform_random *r, int pos, const uint64_t *prev)
{
	uint64_t w = conform_next(r), u = conform_next(r);
	int shift = (int)(w >> 8 & 63);

	switch (w & 7) {
	case 0:
		return integer_specials[below(w, ARRAY_LEN(integer_specials))];
	case 1:
		return u >> shift;
	case 2:
		return (uint64_t)((int64_t)u >> shift);
	case 3:
		return tie(u >> shift, 64 - shift, w >> 14);
	case 4:
		return -tie(u >> shift, 64 - shift, w >> 14);
	case 5:
		return pos ? prev[below(w, (unsigned)pos)] +
		                       (uint64_t)(int64_t)((int)(w >> 8 & 3) - 1)
		           : u;
	default:
		return u;
	}
}

uint64_t conform_value(struct conform_random *r, const struct conform_type *t, int pos,
                       const uint64_t *prev)
{
	struct format f;

	if (t->kind == 'p')
		return conform_next(r) & 1;
	if (format_of(t, &f))
		return float_value(r, &f, pos, prev);
	return integer_value(r, pos, prev) & mask_of(t->width);
}
