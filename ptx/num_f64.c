/* num_f64.c - f64 multiply-add, product, quotient and square root in integers, every rounding.
 *
 * A finite number is m * 2^e with an integer m; results are gathered in 128 bits whose lowest
 * bit is sticky (set when anything below was lost), and rounded once by pack().  Only the
 * directed roundings come here, so clarity goes before speed. */
#include "ptx/num.h"

typedef unsigned __int128 u128;

struct part {
	uint64_t sign; /* F64_SIGN or 0 */
	uint64_t m;    /* significand, below 2^53 */
	int e;         /* of its last bit */
	bool inf, nan;
};

static struct part unpack(uint64_t u)
{
	struct part p = {.sign = u & F64_SIGN, .m = u & 0x000fffffffffffffull};
	int field = (int)(u >> 52 & 0x7ff);

	p.nan = f64_isnan(u);
	p.inf = (u & ~F64_SIGN) == F64_INF;
	p.e = (field ? field : 1) - 1075;
	if (field)
		p.m |= 1ull << 52;
	return p;
}

static int top_bit(u128 m)
{
	uint64_t high = (uint64_t)(m >> 64);
	return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)m);
}

/* m shifted right by n >= 0, what is lost kept as a sticky last bit. */
static u128 shift_sticky(u128 m, int n)
{
	if (n == 0)
		return m;
	if (n > 127)
		return m != 0;
	return m >> n | ((m & (((u128)1 << n) - 1)) != 0);
}

static bool round_up(uint64_t sign, bool odd, unsigned rest, enum rnd r)
{
	/* rest: the two bits below the last, the second one sticky */
	switch (r) {
	case RND_NE:
		return rest > 2 || (rest == 2 && odd);
	case RND_NA:
		return rest >= 2;
	case RND_U:
		return rest && !sign;
	case RND_D:
		return rest && sign;
	case RND_Z:
		break;
	}
	return false;
}

/* sign m 2^e, m > 0 with a sticky last bit below the 55 that count, rounded to f64. */
static uint64_t pack(uint64_t sign, u128 m, int e, enum rnd r)
{
	int t = top_bit(m), scale = e + t - 54; /* 55 bits kept: 53 and two for the rounding */
	if (scale < -1076)
		scale = -1076; /* subnormal: the last kept bit is 2^-1074 */
	m = scale >= e ? shift_sticky(m, scale - e) : m << (e - scale);
	uint64_t keep = (uint64_t)(m >> 2);
	if (round_up(sign, keep & 1, (unsigned)(m & 3), r))
		keep++;
	/* the hidden bit, when there, adds one to the exponent field; so does a carry */
	if (scale + 1076 >= 0x7ff || (keep += (uint64_t)(scale + 1076) << 52) >= F64_INF)
		keep = r == RND_Z || (r == RND_U && sign) || (r == RND_D && !sign) ? F64_INF - 1
		                                                                   : F64_INF;
	return sign | keep;
}

uint64_t f64_soft_fma(uint64_t a, uint64_t b, uint64_t c, enum rnd r)
{
	struct part x = unpack(a), y = unpack(b), z = unpack(c);
	uint64_t sign = x.sign ^ y.sign;
	bool pinf = x.inf || y.inf;

	if (x.nan || y.nan || z.nan || (pinf && (x.m == 0 || y.m == 0)) ||
	    (pinf && z.inf && sign != z.sign))
		return F64_NAN;
	if (pinf)
		return sign | F64_INF;
	if (z.inf)
		return c;
	u128 p = (u128)x.m * y.m, q = z.m;
	int pe = x.e + y.e, qe = z.e;
	if (p == 0 && q == 0)
		return sign == z.sign ? sign : r == RND_D ? F64_SIGN : 0;
	if (q == 0)
		return pack(sign, p, pe, r);
	if (p == 0)
		return pack(z.sign, q, qe, r);

	/* Both tops to bit 126; then the smaller is shifted right.  If bits are lost the tops
	 * are at least two apart (p has 21 zeros below, q more), so a difference keeps 125 bits. */
	int ps = 126 - top_bit(p), qs = 126 - top_bit(q);
	p <<= ps, pe -= ps, q <<= qs, qe -= qs;
	if (pe < qe) {
		u128 m = p;
		int e = pe;
		uint64_t s = sign;
		p = q, pe = qe, sign = z.sign;
		q = m, qe = e, z.sign = s;
	}
	q = shift_sticky(q, pe - qe);
	if (sign == z.sign)
		return pack(sign, p + q, pe, r);
	if (p == q)
		return r == RND_D ? F64_SIGN : 0;
	return p > q ? pack(sign, p - q, pe, r) : pack(z.sign, q - p, pe, r);
}

uint64_t f64_soft_mul(uint64_t a, uint64_t b, enum rnd r)
{
	/* a zero of the product's sign changes nothing; NaN and infinity times zero come out of
	 * fma */
	return f64_soft_fma(a, b, (a ^ b) & F64_SIGN, r);
}

uint64_t f64_soft_div(uint64_t a, uint64_t b, enum rnd r)
{
	struct part x = unpack(a), y = unpack(b);
	uint64_t sign = x.sign ^ y.sign;

	if (x.nan || y.nan || (x.inf && y.inf) || (x.m == 0 && y.m == 0 && !x.inf && !y.inf))
		return F64_NAN;
	if (x.inf || y.m == 0)
		return y.inf ? F64_NAN : sign | F64_INF;
	if (y.inf || x.m == 0)
		return sign;
	/* 2^127 or so over at most 2^53: 74 bits or more of quotient */
	int shift = 126 - top_bit(x.m);
	u128 n = (u128)x.m << shift, q = n / y.m;
	return pack(sign, q << 1 | (n % y.m != 0), x.e - y.e - shift - 1, r);
}

uint64_t f64_soft_sqrt(uint64_t a, enum rnd r)
{
	struct part x = unpack(a);

	if (x.nan || (x.sign && (x.m || x.inf)))
		return F64_NAN;
	if (x.m == 0 || x.inf)
		return a;
	int shift = 126 - top_bit(x.m);
	if ((x.e - shift) & 1)
		shift--;
	u128 n = (u128)x.m << shift, root = 0;
	for (u128 bit = (u128)1 << 63; bit; bit >>= 1) /* 63 or 64 bits, more than 55 */
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return pack(0, root << 1 | (root * root != n), (x.e - shift) / 2 - 1, r);
}
