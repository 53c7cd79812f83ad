/* eval_loops.h - the inner loops of the enclosure and of the error scale: one table an instruction
 * set, the same bits on each (no fused operations, fixed order of summation).
 *
 * Enclosure: an element is (v, r), |exact - v| <= r. Each loop computes v in double and r so that
 * it covers the propagated radii, the rounding of v and the roundings of the computation of r
 * itself. Let e = 2^-53. A radius is a sum of non-negative terms formed by at most eight
 * operations, so what is computed is at least the exact sum times (1-e)^8; the factor LOOP_UP = 1 +
 * 2^-49 makes up for that. LOOP_U = 2^-52 is twice the roundoff of one operation, so |z|·LOOP_U
 * covers the rounding error e·|exact result| of z. LOOP_TINY = 2^-1000 covers underflow of
 * products, quotients and functions, far above 2^-1074.
 *
 * A loop returns true when some element of the result is not ordinary: v beyond lim, not finite, or
 * r not finite. Those elements are then computed again by the careful scalar code of eval_fix.c. */
#ifndef ORACLES_EVAL_LOOPS_H
#define ORACLES_EVAL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "oracles/scale.h"

#define LOOP_UP   (1 + 0x1p-49)
#define LOOP_U    0x1p-52
#define LOOP_TINY 0x1p-1000

/* A chunk of elements: value, radius, scale. */
struct chunk {
	double *v, *r, *s;
};

/* Sums over a chunk: of v, |v|, r, s. The order: 16 lanes, then a tree; at most 36 additions deep
 * for 512 elements. */
struct chunk_sums {
	double v, a, r, s;
};

/* Of weights: their sum, the largest, and the largest relative scale of one above 0. */
struct chunk_weights {
	double total, win, rho;
};

/* Running compensated sums of vectors (mode V of eval_reduce.c). */
struct chunk_acc {
	double *hi, *lo, *a, *r, *s;
};

struct eval_loops {
	bool (*add)(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim);
	bool (*sub)(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim);
	bool (*mul)(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim);
	bool (*sqr)(size_t n, struct chunk z, struct chunk a, double lim);
	bool (*div)(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim);
	bool (*sqrt)(size_t n, struct chunk z, struct chunk a, bool nonneg, double lim);
	bool (*rsqrt)(size_t n, struct chunk z, struct chunk a, double lim);
	bool (*max)(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim);
	bool (*min)(size_t n, struct chunk z, struct chunk a, struct chunk b, double lim);
	void (*neg)(size_t n, double *z, const double *a);
	void (*abs)(size_t n, double *z, const double *a);
	/* Radii of functions whose values z.v vecmath has computed. */
	bool (*exp_rad)(size_t n, struct chunk z, struct chunk a, double rel, double slope,
	                double lim);
	bool (*expm1_rad)(size_t n, struct chunk z, struct chunk a, double lim);
	bool (*log_rad)(size_t n, struct chunk z, struct chunk a, double rel, double slope,
	                double shift, double lim);
	bool (*bounded_rad)(size_t n, struct chunk z, struct chunk a, double rel, double slope,
	                    double lim);
	/* From t = erfc(|a|): z = 1 + erf(a). From t = exp(-2a): z = 1 + tanh(a). */
	bool (*erfp1)(size_t n, struct chunk z, struct chunk a, const double *t, double lim);
	bool (*tanhp1)(size_t n, struct chunk z, struct chunk a, const double *t, double lim);
	/* Input: is every element finite and at most lim? */
	bool (*check)(size_t n, const double *v, double lim);

	/* The scale; z.v is known. */
	void (*s_add)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	              struct chunk b);
	void (*s_mul)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	              struct chunk b);
	void (*s_div)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	              struct chunk b);
	void (*s_sqrt)(size_t n, const struct scale *k, struct chunk z, struct chunk a);
	void (*s_rsqrt)(size_t n, const struct scale *k, struct chunk z, struct chunk a);
	void (*s_max)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	              struct chunk b);
	void (*s_min)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	              struct chunk b);
	/* g[i] = expm1(ku·(s + shift))/ku; the true return value says that some s is too large for
	 * the series and g must be made with vm_expm1. */
	bool (*s_growth)(size_t n, const struct scale *k, double *g, const double *s, double shift);
	/* The relative scale of exp(a): S(a) + |a| + c. */
	void (*s_relative)(size_t n, const struct scale *k, double *rho, struct chunk a);
	void (*s_exp)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	              const double *g);
	/* S = slope·S(a) + c·|z| + c·eta, slope given element by element. */
	void (*s_slope)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	                const double *slope, double c);
	void (*s_log)(size_t n, const struct scale *k, struct chunk z, struct chunk a, double slope,
	              double shift, double c);
	/* With saturation; gap = 1 - |f|, one_plus adds the rounding of 1 + f. */
	void (*s_saturating)(size_t n, const struct scale *k, struct chunk z, struct chunk a,
	                     const double *slope, const double *gap, double c, bool one_plus);
	/* S += |v|·factor (narrower types), and the S of an input that may be flushed to zero. */
	void (*s_input)(size_t n, const struct scale *k, double *s, const double *v);
	void (*s_narrow)(size_t n, double *s, const double *v, double factor, double floor);
	/* Ratios: see scale_ratio.c. */
	struct chunk_weights (*weigh)(size_t n, const double *w, const double *rho);
	struct chunk_sums (*unit_sums)(size_t n, const double *w, const double *ga,
	                               const double *gb);
	void (*s_unit)(size_t n, struct chunk z, const double *ga, const double *gb,
	               const struct scale_unit *u);
	void (*s_weighted)(size_t n, const double *v, const double *sv, const double *y, double p,
	                   double wa, double wb, double wc, double *acc);

	/* s += floor; true when some s is not finite. */
	bool (*finish)(size_t n, double *s, double floor);

	struct chunk_sums (*sums)(size_t n, const double *v, const double *r, const double *s);
	double (*maximum)(size_t n, const double *v, double from);
	/* acc += w·v, w one element, v exact. */
	void (*axpy)(size_t n, struct chunk_acc z, const double *v, struct elem w);
	void (*accumulate)(size_t n, struct chunk_acc z, const double *v, const double *r,
	                   const double *s);
};

const struct eval_loops *eval_loops_best(void);
extern const struct eval_loops eval_loops_sse2, eval_loops_avx2, eval_loops_avx512;

#endif
