/* trace.h - where the runs of a case on two devices begin to differ (private). */
#ifndef VALIDATE_TRACE_H
#define VALIDATE_TRACE_H

#include "validate/validate.h"

/* One kernel on two devices. */
struct trace_pair {
	struct device *device[2];
	const struct target *target[2]; /* their PTX is the same */
};
/* Runs *c, whose outputs differ, with every definition recorded. Returns {"case", "entry", "launch", "block", "thread",
 * "ptx_line", "source", "instruction", "register", "type", "a_bits", "a", "b_bits", "b"}, the first definition that
 * differs; without a place {"case", "none": why}. "alone": true when the difference showed only where single
 * definitions were recorded: the first one whose operands agree. *c becomes the smallest case that differs. */
cJSON *trace_difference(const struct trace_pair *p, struct kase *c);

#endif
