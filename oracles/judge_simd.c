/* judge_simd.c - the scan of judge_parts.h, compiled once an instruction set. */
#include <string.h>

#include "oracles/judge_parts.h"

#if defined(__AVX512F__)
#define WIDTH 8
#elif defined(__AVX2__)
#define WIDTH 4
#else
#define WIDTH 2
#endif

typedef double vd __attribute__((vector_size(8 * WIDTH)));
typedef int64_t vl __attribute__((vector_size(8 * WIDTH)));

#define INLINE   static inline __attribute__((always_inline))
#define EXPONENT 0x7ff0000000000000

INLINE vd load(const double *p)
{
	vd v;

	memcpy(&v, p, sizeof v);
	return v;
}

INLINE vd pick(vl mask, vd yes, vd no)
{
	return (vd)((mask & (vl)yes) | (~mask & (vl)no));
}

INLINE vd magnitude(vd x)
{
	return (vd)((vl)x & INT64_MAX);
}

/* Half the unit in the last place, precision p, of |x|: 2^(max(e, emin) - p). */
INLINE vd half_ulp(vd ax, const struct scan_in *in)
{
	vd a = pick(ax < in->min_normal, (vd){0} + in->min_normal, ax);

	return (vd)(((vl)a & EXPONENT) - ((int64_t)in->p << 52));
}

/* Half the gap from y to its neighbour on the side of z: below a power of two it is half as wide.
 */
INLINE vd half_gap(vd y, vd z, const struct scan_in *in)
{
	vd ay = magnitude(y), h = half_ulp(ay, in);
	vl narrow = ((vd)((vl)y & EXPONENT) == ay) & (magnitude(z) < ay) & (ay > in->min_normal);

	return pick(narrow, h * 0.5, h);
}

/* Distance of z from the nearest midpoint between two neighbours, h half an ulp of z: adding 2^52
 * rounds z/ulp to an integer, from which it is at most 1/2. */
INLINE vd off_boundary(vd az, vd h)
{
	vd t = az / (2 * h), n = (t + 0x1p52) - 0x1p52;

	return (0.5 - magnitude(t - n)) * (2 * h);
}

static void scan(const struct scan_in *in, struct scan_out *out)
{
	vl passed = {0}, powerless = {0}, wrong = {0}, near = {0};
	vd most = {0};

	for (size_t i = 0; i < in->n; i += WIDTH) {
		vd y = load(in->y + i), z = load(in->z + i), rad = load(in->rad + i);
		vd us = load(in->S + i) * in->u, tol = us * in->T, d = magnitude(y - z);
		vd h = half_gap(y, z, in);
		vl pass = (d + rad <= (tol + h) * (1 - 0x1p-48)) & (tol < __builtin_inf());
		vd over = pick(d > h, d - h, (vd){0}), r = over / us;
		vd hz = half_ulp(magnitude(z), in), e = us / (2 * hz);
		vl known = rad < __builtin_inf();

		e = pick(known, pick(e < 1, e, (vd){0} + 1), (vd){0});
		passed += pass;
		powerless += (tol * 16 > magnitude(z)) & known;
		wrong += (d - rad > h * (1 + 0x1p-48)) & (magnitude(y) < __builtin_inf());
		near += (off_boundary(magnitude(z), hz) <= us) & known & (us > 0);
		most = pick(r > most, r, most);
		memcpy(out->pass + i, &pass, sizeof pass);
		memcpy(out->r + i, &r, sizeof r);
		memcpy(out->expected + i, &e, sizeof e);
	}
	out->passed = out->no_power = out->misrounded = out->near = 0;
	out->r_max = 0;
	for (int k = 0; k < WIDTH; k++) {
		out->passed -= passed[k];
		out->no_power -= powerless[k];
		out->misrounded -= wrong[k];
		out->near -= near[k];
		if (most[k] > out->r_max)
			out->r_max = most[k];
	}
}

#define PASTE(a, b) a##b
#define TABLE(isa)  PASTE(judge_loops_, isa)
const struct judge_loops TABLE(ISA) = {.scan = scan};
