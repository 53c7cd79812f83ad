/* tried.h - which part of its domain a kernel was tried on: sizes, layouts, classes of values (private to
 * validate/). */
#ifndef VALIDATE_TRIED_H
#define VALIDATE_TRIED_H

#include "cases/cases.h"

#define TRIED_MAX 64

/* A layout or a class of values, and in how many cases some tensor has it. */
struct tried_class {
	char name[24];
	bool layout;
	int64_t cases;
};

struct tried {
	const struct op_schema *schema; /* NULL: no case yet */
	int64_t lo[OP_MAX_DIMS], hi[OP_MAX_DIMS];
	struct tried_class class[TRIED_MAX];
	int n;
};

void tried_add(struct tried *t, const struct kase *c);
/* Adds what another, of the same operator, has. */
void tried_merge(struct tried *t, const struct tried *from);
/* {"sizes": {"R": [1, 64], …}, "layouts": {"contiguous": cases, …}, "values": {"normal": cases, …}} */
cJSON *tried_json(const struct tried *t);

#endif
