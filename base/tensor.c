/* tensor.c - strided views. */
#include "base/base.h"

int64_t tensor_count(const struct tensor *t)
{
	int64_t n = 1;

	for (int k = 0; k < t->rank; k++)
		n *= t->dim[k];
	return n;
}

void tensor_set_contiguous(struct tensor *t)
{
	int64_t n = 1;

	for (int k = t->rank - 1; k >= 0; k--) {
		t->stride[k] = n;
		if (__builtin_mul_overflow(n, t->dim[k], &n))
			n = INT64_MAX;
	}
	t->offset = 0;
}

int64_t tensor_index(const struct tensor *t, int64_t i)
{
	int64_t at = t->offset;

	for (int k = t->rank - 1; k >= 0; k--) {
		at += i % t->dim[k] * t->stride[k];
		i /= t->dim[k];
	}
	return at;
}

/* Calls row for each innermost row in row-major order: storage index of its first element, its
 * length and stride, and the linear index of the first element.  Innermost dimensions that lie
 * contiguously are joined to longer rows. */
static void tensor_rows(const struct tensor *t,
			void (*row)(const struct tensor *t, int64_t at, int64_t n, int64_t stride,
                                    int64_t i, void *dst),
			void *dst)
{
	int64_t total = tensor_count(t), n = 1, stride = 1;
	int k = t->rank - 1;

	if (total == 0)
		return;
	if (k >= 0) {
		n = t->dim[k];
		stride = t->stride[k];
		while (--k >= 0 && stride == 1 && t->stride[k] == n)
			n *= t->dim[k];
	}
	for (int64_t i = 0; i < total; i += n)
		row(t, tensor_index(t, i), n, stride, i, dst);
}

static void row_values(const struct tensor *t, int64_t at, int64_t n, int64_t stride, int64_t i,
                       void *dst)
{
	size_t bytes = (size_t)dtype_bytes(t->dt);
	double *d = (double *)dst + i;

	if (stride == 1) {
		dtype_decode_n(t->dt, t->data + (size_t)at * bytes, d, (size_t)n);
		return;
	}
	for (int64_t j = 0; j < n; j++)
		d[j] = dtype_decode(t->dt,
		                    dtype_load(t->dt, t->data + (size_t)(at + j * stride) * bytes));
}

static void row_bits(const struct tensor *t, int64_t at, int64_t n, int64_t stride, int64_t i,
                     void *dst)
{
	size_t bytes = (size_t)dtype_bytes(t->dt);
	uint64_t *d = (uint64_t *)dst + i;

	for (int64_t j = 0; j < n; j++)
		d[j] = dtype_load(t->dt, t->data + (size_t)(at + j * stride) * bytes);
}

void tensor_gather(const struct tensor *t, double *dst)
{
	tensor_rows(t, row_values, dst);
}

void tensor_gather_bits(const struct tensor *t, uint64_t *dst)
{
	tensor_rows(t, row_bits, dst);
}
