/* diff.h - two arrays of encodings compared bit by bit (private). */
#ifndef VALIDATE_DIFF_H
#define VALIDATE_DIFF_H

#include "validate/validate.h"

/* How two encodings differ. X(name, text) */
#define DIFF_LIST(X)                                                                               \
	X(NAN_PAYLOAD, "nan-payload")                                                              \
	X(ZERO_SIGN, "zero-sign")                                                                  \
	X(VALUE, "value")                                                                          \
	X(CLASS, "class")                                                                          \
	X(RUN, "run")
/* VALUE: both finite, or integers. CLASS: a NaN or an infinity against something else. RUN: one device
 * ended the run and the other did not; it counts cases, the others count elements. */
enum diff_class {
#define X(name, text) DIFF_##name,
	DIFF_LIST(X)
#undef X
	DIFF_COUNT
};
const char *diff_name(enum diff_class c);

struct diff {
	int64_t elements, different;
	int64_t classes[DIFF_COUNT];
	uint64_t ulp_max; /* over VALUE */
	/* the first difference */
	char tensor[48];
	enum dtype dt;
	int64_t element; /* row-major, in the tensor */
	uint64_t a, b;
	enum diff_class first;
};

/* Adds n elements of tensor `name`. */
void diff_add(struct diff *d, const char *name, enum dtype dt, const uint64_t *a, const uint64_t *b,
              int64_t n);
/* Adds the counts of `more`; its first difference becomes d's when d has none. */
void diff_merge(struct diff *d, const struct diff *more);
bool diff_identical(const struct diff *d);
/* Adds "elements", "elements_different", "ulp_max", "classes" to j. */
void diff_totals_json(const struct diff *d, cJSON *j);
/* The first difference: tensor, element, both encodings and values, class, ulps. */
cJSON *diff_first_json(const struct diff *d);

#endif
