/* test_tensor.c - strided views against index arithmetic written out by nested loops. */
#include "tests/check.h"

static void contiguous_strides(void **state)
{
	struct tensor t = {.dt = DT_F32, .rank = 3, .dim = {2, 3, 4}, .offset = 9};
	struct tensor scalar = {.dt = DT_F32};

	(void)state;
	tensor_set_contiguous(&t);
	assert_int_equal(t.stride[0], 12);
	assert_int_equal(t.stride[1], 4);
	assert_int_equal(t.stride[2], 1);
	assert_int_equal(t.offset, 0);
	assert_int_equal(tensor_count(&t), 24);
	assert_int_equal(tensor_index(&t, 23), 23);
	assert_int_equal(tensor_count(&scalar), 1);
	assert_int_equal(tensor_index(&scalar, 0), 0);
}

/* Lint asks for sizes whose product 64 bits do not hold (an overflow until 2026-12-03). */
static void strides_beyond_64_bits(void **state)
{
	struct tensor t = {.dt = DT_F32, .rank = 4, .dim = {3, 2, INT64_C(1) << 31, INT64_C(1) << 32}};

	(void)state;
	tensor_set_contiguous(&t);
	assert_int_equal(t.stride[3], 1);
	assert_int_equal(t.stride[2], INT64_C(1) << 32);
	assert_int_equal(t.stride[1], INT64_MAX);
	assert_int_equal(t.stride[0], INT64_MAX);
}

/* Storage of 64 elements 0..63; the views stay within it. */
static const struct view {
	int64_t dim[3], stride[3], offset;
} views[] = {
	{{2, 3, 4}, {12, 4, 1}, 0},                              /* contiguous */
	{{4, 3, 2}, {1, 4, 12}, 0},                              /* transposed */
	{{2, 3, 4}, {25, 7, 1}, 5},                              /* padded rows, offset */
	{{2, 3, 4}, {0, 5, 1}, 1},                               /* repeated */
	{{3, 2, 4}, {20, 10, -2}, 7},                            /* backwards */
	{{1, 1, 5}, {99, 77, 3}, 2},  {{3, 0, 4}, {4, 4, 1}, 0}, /* empty */
	{{2, 3, 4}, {12, 4, 2}, 0},                              /* overlapping */
};

static void gathers_every_view(void **state)
{
	(void)state;
	for (int dt = 0; dt < DT_COUNT; dt++)
		for (size_t v = 0; v < ARRAY_LEN(views); v++) {
			struct tensor t = {.dt = (enum dtype)dt, .rank = 3};
			uint8_t data[64 * 8];
			uint64_t bits[24];
			double values[24];
			int64_t n = 0;

			for (int i = 0; i < 64; i++)
				dtype_store(t.dt, data + i * dtype_bytes(t.dt),
				            dtype_encode(t.dt, i, RND_NE, false));
			memcpy(t.dim, views[v].dim, sizeof views[v].dim);
			memcpy(t.stride, views[v].stride, sizeof views[v].stride);
			t.offset = views[v].offset;
			t.data = data;
			t.bytes = sizeof data;
			tensor_gather(&t, values);
			tensor_gather_bits(&t, bits);
			for (int64_t i = 0; i < t.dim[0]; i++)
				for (int64_t j = 0; j < t.dim[1]; j++)
					for (int64_t k = 0; k < t.dim[2]; k++, n++) {
						int64_t at = t.offset + i * t.stride[0] +
						             j * t.stride[1] + k * t.stride[2];
						uint64_t b = dtype_encode(t.dt, (double)at, RND_NE,
						                          false);

						assert_int_equal(tensor_index(&t, n), at);
						check_bits(bits[n], b, dtype_name(t.dt));
						assert_true(values[n] == dtype_decode(t.dt, b));
					}
			assert_int_equal(tensor_count(&t), n);
		}
}

static void bits_beyond_2_53_survive(void **state)
{
	int64_t data[2] = {INT64_MAX, INT64_MIN + 1};
	struct tensor t = {
	        .dt = DT_I64, .rank = 1, .dim = {2}, .data = (uint8_t *)data, .bytes = 16};
	uint64_t bits[2];

	(void)state;
	tensor_set_contiguous(&t);
	tensor_gather_bits(&t, bits);
	check_bits(bits[0], 0x7fffffffffffffff, "max");
	check_bits(bits[1], 0x8000000000000001, "min+1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contiguous_strides),
		cmocka_unit_test(strides_beyond_64_bits),
		cmocka_unit_test(gathers_every_view),
		cmocka_unit_test(bits_beyond_2_53_survive),
	};

	return check_main(tests);
}
