/* calibrate.h - measures a device: what each instruction form computes on it (the conformance
 * suite, a golden file), and holds one device against another or against a golden file.
 *
 * Knows device, cases, oracles, ptx and base. */
#ifndef CALIBRATE_CALIBRATE_H
#define CALIBRATE_CALIBRATE_H

#include "device/device.h"

/* ---- the instruction conformance suite --------------------------------------------------------
 */

/* Every form of the instruction table has a micro-kernel and operands that follow from its text
 * alone; what a device makes of them is a record: per form a hash of all results, and for
 * one-operand 32-bit instructions hashes over all 2^32 inputs. A record of a GPU is committed as
 * results/isa_NAME.txt and is what `make check` holds the emulator against. */

enum conform_state {
	CONFORM_NONE,     /* not run */
	CONFORM_MEASURED, /* it has results */
	CONFORM_REFUSED,  /* the device's compiler does not take it */
	CONFORM_ENDED,    /* the launch ended with a fault, as it does for trap */
};

enum {
	CONFORM_FOLDS = 16, /* hashes of a sweep, 2^28 inputs each */
	CONFORM_EDGES = 16, /* chunks of 2^16 inputs hashed by themselves: edges of types, and some
	                       of the form's own */
	CONFORM_SHOWN = 4,  /* differing vectors that are told of a form */
};

struct conform_line {
	char form[64];
	enum conform_state state;
	char note[160]; /* refused: the compiler's message; ended: the finding's name */
	uint32_t vectors;
	uint64_t hash;
	bool has_edges, has_folds;
	uint64_t edge[CONFORM_EDGES], fold[CONFORM_FOLDS];
};
struct conform_record {
	char device[300], date[32], command[200];
	struct conform_line *line; /* in the order of the instruction table */
	size_t n;
};
void conform_record_free(struct conform_record *r);

struct conform_options {
	const char *only; /* NULL: all forms; else those whose text contains it */
	int jobs;
	bool all_inputs; /* sweeps over all 2^32 inputs; else the edge chunks alone */
	uint32_t stride; /* with another device: it runs every stride-th chunk of the sweeps; 0: the
	                    edges alone */
	bool quiet;
};

/* Runs the suite on d. Forms without a class have state CONFORM_NONE. With another device, that one
 * runs it too and *differences gets a text: per form that differs a line with counts, then the
 * first differing operands and results. *different: how many forms differ. differences, different
 * may be NULL when other is. */
MUST_USE enum st conform_measure(struct device *d, struct device *other,
                                 const struct conform_options *o, struct conform_record *out,
                                 struct buf *differences, size_t *different, struct err *e);

/* The golden file's text, and back. Malformed text is ST_INPUT with its line. */
void conform_record_print(const struct conform_record *r, struct buf *b);
MUST_USE enum st conform_record_read(const char *path, struct conform_record *out, struct err *e);
/* A record that gpuemu carries with it: "isa_h200", of results/. ST_INPUT when there is none of
 * that name. */
MUST_USE enum st conform_record_shipped(const char *name, struct conform_record *out,
                                        struct err *e);
/* NULL: the record has no line of that form. *at, 0 at first, makes looking up forms in the table's
 * order quick. */
const struct conform_line *conform_record_find(const struct conform_record *r, const char *form,
                                               size_t *at);
/* A line for each form of `got` that differs from `want`; how many. Hashes of sweeps are compared
 * where both have them. Forms that want has not (they are modelled) or that got has not run are
 * left out. */
size_t conform_record_compare(const struct conform_record *got, const struct conform_record *want,
                              struct buf *b);

struct conform_counts {
	size_t forms, covered; /* of the table; those with results, or with the fault that belongs
	                          to them */
	size_t quiet, ended;   /* of those: fences, prefetches, nanosleep, which leave everything as
	                          it is; trap, brkpt */
	size_t sweeps;         /* instructions run on all 2^32 inputs */
	size_t beside;         /* special registers, and sequences that ptxas rewrites */
	uint64_t vectors;      /* operand tuples, sweeps' included */
};
struct conform_counts conform_record_counts(const struct conform_record *r);

/* ---- the functions of CUDA's accuracy tables --------------------------------------------------- */

struct math_options {
	const char *only; /* NULL: all functions; else those whose name contains it */
	int jobs;
	bool quiet;
};

/* Measures every function on a GPU: f32 on all 2^32 inputs, f16 and bf16 on all 65,536. Worst inputs are found against
 * CUDA's double functions and judged by MPFR (math_source.c says why that is enough). The record: {"schema", "device",
 * "functions": [{"name", "bound", "max_ulp", "at", "got", "exact", "of_bound", "met", …, "sample"}]}. Needs NVRTC. */
MUST_USE enum st math_measure(struct device *d, const struct math_options *o, cJSON **record, struct err *e);
/* Runs the worst inputs of a record, and its sampled chunks, on d, from the PTX that gpuemu carries with it. *different:
 * functions of which a bit differs; text has a line each. */
MUST_USE enum st math_hold(struct device *d, const cJSON *record, const struct math_options *o, struct buf *text,
                           size_t *compared, size_t *different, struct err *e);
MUST_USE enum st math_shipped_record(cJSON **out, struct err *e); /* an H200's */
/* PTX of all functions, what gpuemu carries as calibrate/math.ptx; caller frees. Needs NVRTC. */
MUST_USE enum st math_ptx(char **ptx, struct err *e);
/* The record as a Markdown table. */
void math_table(const cJSON *record, struct buf *b);

#endif
