/* values.h - the values of an input, from its class, the seed and the tensor's number (private to cases/).
 *
 * Every generator is made of integer operations and of exactly rounded double operations (+ - * / sqrt,
 * ldexp), so that the same case line gives the same bytes on every machine. */
#ifndef CASES_VALUES_H
#define CASES_VALUES_H

#include "cases/kernel.h"

/* Writes all elements of t (any strides). `stream` numbers the tensor. dom: for integer tensors. */
MUST_USE enum st values_fill(struct tensor *t, const struct value_spec *v, uint64_t seed,
                             uint64_t stream, const struct op_int_domain *dom, const char *name,
                             struct err *e);
bool values_class_known(const char *name);
enum coherence values_coherence(const struct value_spec *v);

#endif
