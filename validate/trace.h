/* trace.h - where two devices part (private). */
#ifndef VALIDATE_TRACE_H
#define VALIDATE_TRACE_H

#include "validate/internal.h"

/* Runs a case of kernel k on two devices, each with its module of the same instructions, both instrumented. True: *out is
 * the first instruction, in the text's order, whose results differ. False: none does, or the kernel cannot be traced
 * (several launches, no parameters, PTX that is not understood). */
bool trace_first(struct device *a, const struct ptx_module *ma, struct device *b, const struct ptx_module *mb,
                 const struct kernel *k, const struct kase *c, struct ptx_trace_place *out);

#endif
