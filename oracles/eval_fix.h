/* eval_fix.h - the careful arithmetic of single elements that are not ordinary.
 *
 * What (v, r) means, r >= 0 being the radius:
 *   v, r finite           the exact value lies in [v - r, v + r]
 *   v NaN or ±inf, r = 0  the exact value is NaN or that infinity
 *   v = ±inf, r = inf     "big": finite, of that sign, beyond 2^1000 (double overflowed)
 *   otherwise             unknown; v, when finite, is an estimate that serves the error scale */
#ifndef ORACLES_EVAL_FIX_H
#define ORACLES_EVAL_FIX_H

#include "oracles/lang.h"
#include "oracles/scale.h"

static inline bool elem_nan(struct elem a)
{
	return isnan(a.v) && a.r == 0;
}
static inline bool elem_inf(struct elem a)
{
	return isinf(a.v) && a.r == 0;
}
static inline bool elem_big(struct elem a)
{
	return isinf(a.v) && a.r == INFINITY;
}
static inline bool elem_finite(struct elem a)
{
	return isfinite(a.v) && a.r <= 0x1.fffffffffffffp+1023;
}
static inline bool elem_zero(struct elem a)
{
	return a.v == 0 && a.r == 0;
}

struct elem fix_add(struct elem a, struct elem b);
struct elem fix_mul(struct elem a, struct elem b);
struct elem fix_div(struct elem a, struct elem b);
/* The larger one; drop: a NaN loses instead of winning. */
struct elem fix_max(struct elem a, struct elem b, bool drop);
/* f(a) for a function of the table of exact_fn.c, by MPFR. */
struct elem fix_table_fn(enum lang_fn f, struct elem a);
/* f(a) where the loops gave z. */
struct elem fix_fn(enum lang_fn f, struct elem a, struct elem z);

#endif
