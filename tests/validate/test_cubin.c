/* test_cubin.c - machine code of kernels with a known number of each instruction (tests/lint/machine/), read for three architectures, and in the format of CUDA 12: sizes are
 * those that `ptxas -v` printed, counts those of the source. Damaged files never do harm. Occupancy is NVIDIA's own (cuda_occupancy.h of CUDA
 * 13.0, run apart). */
#include "tests/check.h"
#include "validate/lint/cubin.h"

struct known {
	const char *entry;
	int registers[3], barriers, max_threads; /* sm_80, sm_90, sm_100 */
	uint64_t stack, shared, params;
	struct { enum sass_kind kind; int n; } count[4];
};

static const struct known kernels[] = {
	{"loads7", {18, 18, 18}, 0, 0, 0, 0, 16, {{SASS_global_loads, 7}, {SASS_fp32, 7}, {SASS_global_stores, 1}, {SASS_shared_loads, 0}}},
	{"stores5", {8, 8, 8}, 0, 0, 0, 0, 8, {{SASS_global_stores, 5}, {SASS_global_loads, 0}, {SASS_atomics, 0}, {SASS_tensor, 0}}},
	{"shared", {12, 12, 12}, 4, 0, 0, 400, 16,
	 {{SASS_shared_loads, 1}, {SASS_shared_stores, 1}, {SASS_barriers_passed, 2}, {SASS_global_loads, 1}}},
	{"bounded", {14, 14, 14}, 0, 64, 0, 0, 16, {{SASS_shuffles, 7}, {SASS_special, 6}, {SASS_fp32, 7}, {SASS_votes, 0}}},
	{"stack", {19, 19, 19}, 0, 0, 64, 0, 20, {{SASS_local_loads, 5}, {SASS_local_stores, 7}, {SASS_global_loads, 7}, {SASS_fp32, 5}}},
	{"atomics", {18, 18, 18}, 0, 0, 0, 0, 16, {{SASS_atomics, 5}, {SASS_global_stores, 1}, {SASS_fp64, 0}, {SASS_async_copies, 0}}},
};
static const struct { const char *file; int sm, column; } codes[] = {{"80", 80, 0}, {"90", 90, 1}, {"100", 100, 2}, {"90_cuda12", 90, 1}};

static char *read_code(const char *file, size_t *n)
{
	char path[64], *data;
	struct err e = {0};

	snprintf(path, sizeof path, "tests/lint/machine/machine_sm%s.cubin", file);
	check_ok(file_read(path, (size_t)1 << 20, &data, n, &e), &e);
	return data;
}

static const struct sass *find(const struct sass *s, int n, const char *entry)
{
	for (int i = 0; i < n; i++)
		if (strcmp(s[i].entry, entry) == 0)
			return &s[i];
	return NULL;
}

static void sizes_are_those_of_ptxas_and_counts_those_of_the_source(void **state)
{
	(void)state;
	for (size_t a = 0; a < ARRAY_LEN(codes); a++) {
		struct arena *arena = arena_new();
		struct err e = {0};
		struct sass *s;
		size_t bytes;
		char *data = read_code(codes[a].file, &bytes);
		int n;

		check_ok(cubin_read(data, bytes, "machine", arena, &s, &n, &e), &e);
		assert_int_equal(n, (int)ARRAY_LEN(kernels));
		for (size_t k = 0; k < ARRAY_LEN(kernels); k++) {
			const struct known *want = &kernels[k];
			const struct sass *got = find(s, n, want->entry);

			check_true(got != NULL, "%s: no %s", codes[a].file, want->entry);
			check_true(got->sm == codes[a].sm && got->registers == want->registers[codes[a].column] && got->barriers == want->barriers &&
			           got->max_threads == want->max_threads && got->stack == want->stack && got->shared == want->shared &&
			           got->params == want->params,
			           "%s %s: sm_%d, %d registers, %d barriers, %d threads, %d stack, %d shared, %d params", codes[a].file, want->entry,
			           got->sm, got->registers, got->barriers, got->max_threads, (int)got->stack, (int)got->shared, (int)got->params);
			for (int c = 0; c < 4; c++)
				check_true(got->count[want->count[c].kind] == want->count[c].n, "%s %s: %d %s", codes[a].file, want->entry,
				           got->count[want->count[c].kind], sass_kind_name(want->count[c].kind));
		}
		free(data);
		arena_free(arena);
	}
}

static void read_any(const char *data, size_t n)
{
	struct arena *arena = arena_new();
	struct err e = {0};
	struct sass *s = NULL;
	int count = 0;
	char *copy = mem_alloc(n + 1); /* its own block, so that a read beyond it shows */
	enum st rc;

	memcpy(copy, data, n);
	rc = cubin_read(copy, n, "damaged", arena, &s, &count, &e);
	check_true(rc == ST_OK ? count > 0 : rc == ST_INPUT || rc == ST_UNSUP || rc == ST_LIMIT, "%s", st_text(rc));
	check_true(rc == ST_OK || strncmp(e.msg, "damaged", 7) == 0, "no name: %s", e.msg);
	free(copy);
	arena_free(arena);
}

static void a_file_that_is_cut_is_refused_or_read_in_part(void **state)
{
	size_t bytes;
	char *data = read_code("90", &bytes);

	(void)state;
	for (size_t n = 0; n < bytes; n += n < 64 ? 1 : 13)
		read_any(data, n);
	free(data);
}

static void bytes_changed_anywhere_do_no_harm(void **state)
{
	static const unsigned char with[] = {0x00, 0xff, 0x7f, 0x01};
	size_t bytes;
	char *data = read_code("90", &bytes);

	(void)state;
	for (size_t at = 0; at < bytes; at += at < 64 || at > bytes - 3000 ? 1 : 7) /* the header, then the tables at the end, wholly */
		for (size_t w = 0; w < sizeof with; w++) {
			char was = data[at];

			data[at] = (char)with[w];
			read_any(data, bytes);
			data[at] = was;
		}
	free(data);
}

static void what_is_no_cubin_is_told(void **state)
{
	struct arena *arena = arena_new();
	struct err e = {0};
	struct sass *s;
	size_t bytes;
	char *data = read_code("90", &bytes);
	int n;

	(void)state;
	check_fails(cubin_read("hello", 5, "x.cubin", arena, &s, &n, &e), ST_INPUT, &e, "x.cubin: not a cubin");
	data[18] = 62; /* x86-64 */
	data[19] = 0;
	check_fails(cubin_read(data, bytes, "x.cubin", arena, &s, &n, &e), ST_INPUT, &e, "machine 62");
	data[18] = (char)190;
	data[49] = 61; /* sm_61 */
	check_fails(cubin_read(data, bytes, "x.cubin", arena, &s, &n, &e), ST_UNSUP, &e, "sm_61");
	free(data);
	arena_free(arena);
}

static void occupancy_is_nvidias(void **state)
{
	static const struct { int sm, registers, threads, shared, blocks; } known[] = {
		{70, 32, 256, 0, 8},      {70, 33, 256, 0, 6},      {70, 64, 96, 0, 10},      {70, 255, 256, 0, 1},      {70, 32, 128, 20000, 4},
		{75, 32, 256, 0, 4},      {75, 16, 32, 0, 16},      {75, 32, 128, 49152, 1},  {75, 32, 128, 20000, 3},   {75, 128, 512, 101376, 0},
		{80, 32, 256, 0, 8},      {80, 64, 96, 0, 10},      {80, 32, 128, 49152, 3},  {80, 32, 128, 20000, 7},   {80, 24, 64, 1024, 32},
		{86, 32, 256, 0, 6},      {86, 16, 32, 0, 16},      {86, 32, 128, 20000, 4},  {86, 128, 512, 101376, 1}, {86, 24, 64, 1024, 16},
		{89, 16, 32, 0, 24},      {89, 32, 128, 49152, 2},  {89, 128, 512, 101376, 1}, {89, 40, 1024, 0, 1},     {89, 24, 64, 1024, 24},
		{90, 33, 256, 0, 6},      {90, 168, 384, 0, 1},     {90, 32, 128, 49152, 4},  {90, 32, 128, 20000, 11},  {90, 24, 64, 1024, 32},
		{100, 33, 256, 0, 6},     {100, 255, 256, 0, 1},    {100, 32, 128, 49152, 4}, {100, 32, 128, 20000, 11}, {100, 40, 1024, 0, 1},
	};
	struct occupancy o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		assert_true(occupancy_of(known[i].sm, known[i].registers, (uint64_t)known[i].shared, known[i].threads, &o));
		check_true(o.blocks == known[i].blocks, "line %d: %d blocks, %s", (int)i, o.blocks, o.limit);
		assert_int_equal(o.warps, o.blocks * ((known[i].threads + 31) / 32));
	}
	assert_false(occupancy_of(61, 32, 0, 128, &o));
	assert_false(occupancy_of(90, 32, 0, 0, &o));
	assert_true(occupancy_of(90, 32, UINT64_MAX, 128, &o));
	assert_int_equal(o.blocks, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_those_of_ptxas_and_counts_those_of_the_source),
		cmocka_unit_test(a_file_that_is_cut_is_refused_or_read_in_part),
		cmocka_unit_test(bytes_changed_anywhere_do_no_harm),
		cmocka_unit_test(what_is_no_cubin_is_told),
		cmocka_unit_test(occupancy_is_nvidias),
	};

	return check_main(tests);
}
