/* layout.c - how a tensor lies in memory: from a layout word to strides, offset and storage size.
 * Every view of gpuemu's cases is injective except stride 0 (broadcast), which only inputs may have. */
#include "cases/layout.h"

#include <string.h>

/* X(name, help); the number in "rowpad7" is arg. */
#define LAYOUT_LIST(X)                                                                             \
	X(contiguous, "row-major, nothing between elements")                                       \
	X(rowpad, "N unused elements after each innermost row")                                    \
	X(offset, "the first element stands N elements into the storage")                          \
	X(slice, "rows are every (N+1)-th row of a larger tensor")                                 \
	X(transposed, "the last two axes swapped in memory")                                       \
	X(colstride, "innermost elements N+1 apart")                                               \
	X(broadcast, "inputs only: the first axis has stride 0")

static const char *const names[] = {
#define X(name, help) #name,
	LAYOUT_LIST(X)
#undef X
};

bool layout_family_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

const char *layout_family_list(void)
{
#define X(name, help) ", " #name
	static const char list[] = LAYOUT_LIST(X);
#undef X
	return list + 2;
}

char *layouts_describe(void)
{
	struct buf b = {0};

#define X(name, help) buf_printf(&b, "%-20s %s\n", #name, help);
	LAYOUT_LIST(X)
#undef X
	return b.s;
}

static void swap64(int64_t *a, int64_t *b)
{
	int64_t t = *a;

	*a = *b;
	*b = t;
}

/* Strides for row-major order with the innermost stride `inner` and `pad` elements after each row. */
static bool set_strides(struct tensor *t, int64_t inner, int64_t pad, int64_t row_factor)
{
	int64_t s = inner;

	for (int k = t->rank - 1; k >= 0; k--) {
		int64_t n = t->dim[k] > 0 ? t->dim[k] : 1;

		t->stride[k] = s;
		if (__builtin_mul_overflow(s, n, &s))
			return false;
		if (k == t->rank - 1 && (__builtin_add_overflow(s, pad, &s) ||
		                         __builtin_mul_overflow(s, row_factor, &s)))
			return false;
	}
	return true;
}

enum st layout_apply(struct tensor *t, const struct layout_spec *l, bool input, const char *name,
                     struct err *e)
{
	int64_t a = l->arg, last = t->rank - 1, end;
	bool ok = true;

	t->offset = 0;
	if (a < 0 || a > (1 << 20))
		return FAIL(e, INPUT, "layout of %s: %s%lld is out of range", name, l->name,
		            (long long)a);
	if (strcmp(l->name, "transposed") == 0 && t->rank >= 2) {
		swap64(&t->dim[last], &t->dim[last - 1]);
		ok = set_strides(t, 1, 0, 1);
		swap64(&t->dim[last], &t->dim[last - 1]);
		swap64(&t->stride[last], &t->stride[last - 1]);
	} else if (strcmp(l->name, "rowpad") == 0) {
		ok = set_strides(t, 1, a, 1);
	} else if (strcmp(l->name, "slice") == 0) {
		ok = set_strides(t, 1, 0, a + 1);
	} else if (strcmp(l->name, "colstride") == 0) {
		ok = set_strides(t, a + 1, 0, 1);
	} else if (strcmp(l->name, "broadcast") == 0) {
		if (!input)
			return FAIL(e, INPUT, "layout of %s: an output cannot be broadcast", name);
		ok = set_strides(t, 1, 0, 1);
		if (t->rank > 0)
			t->stride[0] = 0;
	} else if (layout_family_known(l->name)) {
		ok = set_strides(t, 1, 0, 1);
		t->offset = strcmp(l->name, "offset") == 0 ? a : 0;
	} else {
		return FAIL(e, INPUT, "layout of %s: unknown layout '%s'; known are %s", name, l->name,
		            layout_family_list());
	}
	end = t->offset;
	for (int k = 0; k < t->rank && ok; k++) {
		int64_t span;

		if (t->dim[k] == 0) {
			end = t->offset - 1;
			break;
		}
		ok = !__builtin_mul_overflow(t->dim[k] - 1, t->stride[k], &span) &&
		     !__builtin_add_overflow(end, span, &end);
	}
	if (!ok || end >= ((int64_t)1 << 40))
		return FAIL(e, LIMIT, "layout of %s: the tensor needs more than 2^40 elements", name);
	t->bytes = (size_t)(end + 1) * (size_t)dtype_bytes(t->dt);
	return ST_OK;
}
