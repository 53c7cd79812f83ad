/* math.h - the functions of CUDA's accuracy tables: what they compute, what NVIDIA promises, their exact values, and the
 * CUDA source that measures them (private to calibrate/). */
#ifndef CALIBRATE_MATH_H
#define CALIBRATE_MATH_H

#include <mpfr.h>

#include "calibrate/calibrate.h"

enum {
	MATH_PREC = 256,     /* bits of exact values */
	MATH_CHUNKS = 65536, /* of 65,536 inputs each: every f32 */
	MATH_SAMPLE = 16     /* chunks whose hash is recorded, for devices that cannot run all */
};

/* The promise for lo <= x <= hi: the first rule that holds x counts. */
enum math_promise {
	MATH_ULP,    /* at most a from the correctly rounded result: (a + 1/2) ulp of the exact value */
	MATH_ULP_X,  /* the same with a + floor(|b x|) */
	MATH_ABS,    /* at most a from the exact value */
	MATH_REL,    /* at most a times the exact value */
	MATH_NOTHING
};
struct math_rule {
	double lo, hi;
	enum math_promise promise;
	double a, b;
};

struct math_fn {
	const char *name;  /* as the table calls it */
	const char *f32;   /* CUDA expression of float x */
	const char *f64;   /* of double x; its own published error is below 2^-45 relative, or NULL for types of 16 bits */
	const char *bound; /* the promise in words; "" for types of 16 bits: none is published */
	const char *v100;  /* max ulp of the exhaustive log in facts/accuracy.md §2.1 (V100, CUDA 11.2), or "" */
	void (*exact)(mpfr_t z, const mpfr_t x); /* to MATH_PREC bits but for the last few */
	struct math_rule rule[3];                /* ends with one of all x */
	enum dtype dt;                           /* DT_F32, DT_F16, DT_BF16 */
};
extern const struct math_fn math_fns[];
extern const size_t math_nfns;

/* Error allowed at x where the exact value is z, in units of z; INFINITY where nothing is promised. *ulps: the promise is in
 * ulps. */
double math_allowed(const struct math_fn *f, double x, double z, bool *ulps);
/* The exact value of f at the number that `bits` encode, MATH_PREC bits. */
void math_exact(const struct math_fn *f, uint32_t bits, mpfr_t z);
/* |y - z| in ulps of z (Muller's, facts/accuracy.md §2.2); an infinite y stands for the power of two behind the largest
 * number. NaN against a number: infinity; NaN against NaN: 0. */
double math_ulps(enum dtype dt, uint32_t y, const mpfr_t z);

/* The ulp of dt at z. */
double math_ulp(enum dtype dt, const mpfr_t z);

/* What one chunk of 65,536 inputs gives: written by the kernel check_I. */
struct math_chunk {
	double ulp, ratio; /* largest error in ulps where the promise is in ulps; largest error over the allowed one */
	uint32_t ulp_at, ratio_at;
	uint64_t hash;     /* sum of mix(input·2^32 + result), as in tests/ptx/data */
	uint32_t wrong;    /* not correctly rounded, by the f64 function */
	uint32_t far;      /* two or more from it */
	uint32_t special, special_at; /* NaN against a number */
};
/* CUDA source of functions from..to-1: eval_I(in, out, n), encodings in words of 32 bits; with `sweep` check_I(chunks) of
 * f32 functions too, for a grid of MATH_CHUNKS blocks of 256. */
void math_source(struct buf *b, size_t from, size_t to, bool sweep);
/* "eval_3", "check_3" */
void math_entry(char out[24], const char *kind, size_t index);
uint64_t math_mix(uint64_t z);
/* The k-th sampled chunk, the same for every function: one in each sixteenth of the encodings. */
uint32_t math_sample_chunk(int k);

#endif
