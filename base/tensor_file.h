/* tensor_file.h - what the readers and writers of tensor files share. */
#ifndef BASE_TENSOR_FILE_H
#define BASE_TENSOR_FILE_H

#include "base/base.h"

/* Largest file that is read. */
#define TENSOR_FILE_MAX ((size_t)1 << 34)

/* Bytes of a contiguous tensor of t's dtype and dims; false when they do not fit in 62 bits,
 * whatever the order of multiplication (a dimension of 0 does not help). */
bool tensor_file_bytes(const struct tensor *t, uint64_t *bytes);

/* Makes t own a copy of the n bytes at p, contiguous. */
void tensor_file_copy(struct tensor *t, const void *p, size_t n);

/* Adds t's elements to b in row-major order, contiguous. */
void tensor_file_add(struct buf *b, const struct tensor *t);

#endif
