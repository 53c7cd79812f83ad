/* judge_parts.h - the pieces of judging: the reals that round to an encoding, the vectorised scan
 * that passes what passes for sure, and the exact decision on one element.  Private to oracles/. */
#ifndef ORACLES_JUDGE_PARTS_H
#define ORACLES_JUDGE_PARTS_H

#include "oracles/oracles.h"

/* ---- cells ---- */

/* An end of a cell: base + sign·2^exp, or infinite. The end itself belongs to the cell when closed.
 */
struct cell_edge {
	double base;
	int sign, exp;
	bool infinite, closed;
};
/* The reals that the conversion to the type (to nearest even, overflow as the type says, integers
 * saturating) turns into one encoding, the two zeros being one. lo, hi are the edges as doubles
 * when `exact` (every type but f64); else lo = hi = the value itself, which lies inside. */
struct cell {
	struct cell_edge below, above;
	double lo, hi;
	bool exact;
};
/* false: the encoding is NaN, which no real gives; but of a type without infinity, what overflows
 * on the side of `sign` does. */
bool cell_of(enum dtype t, uint64_t bits, double sign, struct cell *c);

/* ---- scan ---- */

enum { JUDGE_CHUNK = 1024 }; /* a multiple of every vector width */

/* Arrays of n elements, n a multiple of 8, and the constants of one output. */
struct scan_in {
	const double *y, *z, *rad, *S;
	size_t n;
	double T, u;
	int p; /* precision of the output type, at most 24 */
	double min_normal;
};
struct scan_out {
	int64_t pass[JUDGE_CHUNK];    /* -1: passes for sure, 0: open */
	double r[JUDGE_CHUNK];        /* scaled error with z for the exact value; NaN for 0/0 */
	double expected[JUDGE_CHUNK]; /* min(1, u·S/ulp(z)) */
	double r_max;                 /* of all r that are numbers, 0 at least */
	int64_t passed, no_power, misrounded, near; /* counts */
};
/* Element i passes for sure when |y - z| + rad is below T·u·S + half the gap between y and its
 * neighbour on the side of z, less 2^-48 of it for the roundings of the comparison (at most 5, of
 * 2^-53 each). It is misrounded for sure when |y - z| - rad exceeds that half gap and y is finite. It
 * is near when z lies within u·S of a rounding boundary, so that an error of u·S may misround it.
 * The same bits on every instruction set. */
struct judge_loops {
	void (*scan)(const struct scan_in *in, struct scan_out *out);
};
extern const struct judge_loops judge_loops_sse2, judge_loops_avx2, judge_loops_avx512;

/* ---- exact decisions ---- */

enum { JUDGE_FIRST_PREC = 128, JUDGE_MAX_PREC = 4096 };

/* One element of one output. */
struct judge_element {
	const struct op_inst *inst;
	const struct tensor *const *in;
	int output;
	int64_t element;
	enum dtype t;
	uint64_t got;
	double z, rad, S, tol, u;
	double z_low;        /* z + z_low ± rad holds the exact value: MPFR has found more than a double holds */
	struct exact *exact; /* or NULL */
};

/* How far z + z_low lies outside of the cell: 0 inside. */
double judge_distance(const struct judge_element *el, const struct cell *c);
/* exact ∈ cell widened by tol on both sides? *open when the enclosure z ± rad does not tell. */
bool judge_by_enclosure(const struct judge_element *el, const struct cell *c, bool *open);
/* The same by MPFR at rising precision. *status: EL_FINITE and *pass; EL_UNKNOWN at the cap; or the
 * class that the exact evaluation found. Narrows z ± rad of the element when it is finite. */
MUST_USE enum st judge_by_mpfr(struct judge_element *el, const struct cell *c, bool *pass,
                               enum el_status *status, struct err *e);
/* The encoding of the exact value, by enclosure where it tells, else by MPFR (*escalated). */
MUST_USE enum st judge_rounded(const struct judge_element *el, uint64_t *want, bool *escalated,
                               enum el_status *status, struct err *e);
/* Scaled error rounded up to three significant digits: from the enclosure, or, where the three
 * digits depend on it, by MPFR. */
MUST_USE enum st judge_r(const struct judge_element *el, double *r, struct err *e);
/* Fills want, lo, hi, exact, r, ulps of a wrong element by MPFR. */
MUST_USE enum st judge_describe(const struct judge_element *el, struct judged *j, struct err *e);
/* x rounded up to three significant decimal digits. */
double judge_ceil3(double x);

#endif
