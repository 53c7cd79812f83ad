/* layout.h - layout words to strides (private to cases/). */
#ifndef CASES_LAYOUT_H
#define CASES_LAYOUT_H

#include "cases/kernel.h"

/* Sets stride, offset and bytes (of the storage) of t, whose dims and dtype are set; data is not touched.
 * The same word gives the same bytes for ever: it is part of the case line. */
MUST_USE enum st layout_apply(struct tensor *t, const struct layout_spec *l, bool input,
                              const char *name, struct err *e);

#endif
