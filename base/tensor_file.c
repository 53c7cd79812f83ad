/* tensor_file.c - what the readers and writers of tensor files share. */
#include "base/tensor_file.h"

#include <stdlib.h>
#include <string.h>

bool tensor_file_bytes(const struct tensor *t, uint64_t *bytes)
{
	uint64_t n = (uint64_t)dtype_bytes(t->dt), all = n;

	for (int k = 0; k < t->rank; k++) {
		uint64_t d = (uint64_t)t->dim[k];

		/* `all` takes zeros as ones, so that the product does not depend on their place */
		if (__builtin_mul_overflow(all, d ? d : 1, &all) || all >> 62)
			return false;
		n *= d;
	}
	*bytes = n;
	return true;
}

void tensor_file_copy(struct tensor *t, const void *p, size_t n)
{
	tensor_set_contiguous(t);
	t->data = mem_alloc(n);
	t->bytes = n;
	if (n > 0)
		memcpy(t->data, p, n);
}

void tensor_file_add(struct buf *b, const struct tensor *t)
{
	size_t bytes = (size_t)dtype_bytes(t->dt), n = (size_t)tensor_count(t);
	uint64_t *bits = mem_alloc(n * sizeof *bits);

	tensor_gather_bits(t, bits);
	for (size_t i = 0; i < n; i++)
		buf_add(b, &bits[i], bytes); /* little endian: the low bytes come first */
	free(bits);
}

void named_tensors_free(struct named_tensor *ts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(ts[i].name);
		free(ts[i].t.data);
	}
	free(ts);
}
