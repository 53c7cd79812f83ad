/* Generated cases: inside the domain, reproducible, varied; and shrinking. */
#include "cases/cases.h"
#include "tests/check.h"

static const char *const kernels[] = {
	"corpus/control/softmax", "corpus/control/attention", "corpus/control/rmsnorm",
	"corpus/control/matmul_tiled", "corpus/control/gelu", "corpus/control/layernorm",
};

static const int64_t tiles[] = {32, 64};

static struct kernel *read_kernel(const char *folder)
{
	struct kernel *k = NULL;
	struct err e = {0};

	check_ok(kernel_read(folder, &k, &e), &e);
	return k;
}

static void every_generated_case_can_be_made_and_reads_back(void **state)
{
	(void)state;
	for (size_t f = 0; f < ARRAY_LEN(kernels); f++) {
		struct kernel *k = read_kernel(kernels[f]);
		struct case_hints h = {tiles, ARRAY_LEN(tiles), 1000000};

		for (int s = 0; s < STRATEGY_COUNT; s++)
			for (uint64_t i = 0; i < 40; i++) {
				struct kase c, again;
				struct case_run *r = NULL;
				struct err e = {0};
				char *line, *line2;

				check_ok(case_generate(k, (int)(i % 3), (enum strategy)s, 7, i, &h, NULL, 0, &c,
				                       &e), &e);
				line = case_print(&c);
				check_ok(case_parse(line, kernel_op(k), &again, &e), &e);
				line2 = case_print(&again);
				assert_string_equal(line, line2);
				check_true(case_make(&again, k, (size_t)1 << 28, &r, &e) == ST_OK, "%s: %s", line,
				           e.msg);
				case_run_free(r);
				free(line);
				free(line2);
			}
		kernel_free(k);
	}
}

static void the_same_number_gives_the_same_case(void **state)
{
	struct kernel *k = read_kernel(kernels[1]);
	struct case_hints h = {tiles, ARRAY_LEN(tiles), 1000000};

	(void)state;
	for (uint64_t i = 0; i < 50; i++) {
		struct kase a, b, other;
		struct err e = {0};
		char *la, *lb, *lo;

		check_ok(case_generate(k, 0, STRATEGY_OURS, 7, i, &h, NULL, 0, &a, &e), &e);
		check_ok(case_generate(k, 0, STRATEGY_OURS, 7, i, &h, NULL, 0, &b, &e), &e);
		check_ok(case_generate(k, 0, STRATEGY_OURS, 8, i, &h, NULL, 0, &other, &e), &e);
		la = case_print(&a);
		lb = case_print(&b);
		lo = case_print(&other);
		assert_string_equal(la, lb);
		assert_string_not_equal(la, lo);
		free(la);
		free(lb);
		free(lo);
	}
	kernel_free(k);
}

/* In 100 cases: sizes on both sides of a tile, a row longer than two tiles, several layouts, NaN, and at
 * least 25 classes of values. */
static void a_hundred_cases_cover_what_matters(void **state)
{
	struct kernel *k = read_kernel(kernels[0]);
	struct case_hints h = {tiles, ARRAY_LEN(tiles), 2500000};
	char seen[64][24];
	size_t nseen = 0;
	int below = 0, equal = 0, above = 0, odd = 0, padded = 0, empty = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		struct kase c;
		struct err e = {0};
		size_t at = 0;

		check_ok(case_generate(k, 0, STRATEGY_OURS, 1, i, &h, NULL, 0, &c, &e), &e);
		below += c.b.dims[1] < 32;
		equal += c.b.dims[1] == 32 || c.b.dims[1] == 64;
		above += c.b.dims[1] > 64;
		odd += c.b.dims[1] % 2;
		empty += c.b.dims[0] == 0 || c.b.dims[1] == 0;
		padded += strcmp(c.layout[0].name, "rowpad") == 0;
		while (at < nseen && strcmp(seen[at], c.values[0].name) != 0)
			at++;
		if (at == nseen)
			strcpy(seen[nseen++], c.values[0].name);
	}
	check_true(below >= 10 && equal >= 3 && above >= 10 && odd >= 20 && padded >= 5 && empty >= 1,
	           "below %d equal %d above %d odd %d padded %d empty %d", below, equal, above, odd, padded,
	           empty);
	check_true(nseen >= 25, "%zu classes", nseen);
	kernel_free(k);
}

/* Groups of a convolution divide its channels: drawn apart, they were 1 in 300 cases of 300, and a kernel that takes
 * k % groups for k / (K/groups) passed. */
static void parameters_that_sizes_depend_on_vary(void **state)
{
	struct kernel *k = read_kernel("calibrate/kernels/conv1d_serial");
	struct case_hints h = {tiles, ARRAY_LEN(tiles), 2500000};
	int grouped = 0, telling = 0;

	(void)state;
	for (uint64_t i = 0; i < 200; i++) {
		struct kase c;
		struct err e = {0};

		check_ok(case_generate(k, 0, STRATEGY_OURS, 1, i, &h, NULL, 0, &c, &e), &e);
		if (c.b.param_set[0] && c.b.params[0] > 1) { /* N, C, K, …; groups, … */
			grouped++;
			telling += c.b.dims[1] > c.b.params[0] && c.b.dims[2] > c.b.params[0];
		}
	}
	check_true(grouped >= 15 && telling >= 5, "%d with groups, %d with several channels in and out of a group", grouped, telling);
	kernel_free(k);
}

/* The longest row that tiles and primes give has 4,099 elements; a grid of min(ceil(C,128),32) blocks and no loop passed. */
static void some_cases_have_a_long_row(void **state)
{
	struct kernel *k = read_kernel(kernels[0]);
	struct case_hints h = {tiles, ARRAY_LEN(tiles), 5000000};
	int longer = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		struct kase c;
		struct err e = {0};

		check_ok(case_generate(k, 0, STRATEGY_OURS, 1, i, &h, NULL, 0, &c, &e), &e);
		longer += c.b.dims[1] > 4099;
		check_true(c.b.dims[1] < 16384, "case %d", (int)i);
	}
	check_true(longer >= 2, "%d cases", longer);
	kernel_free(k);
}

/* ---- requires ---- */

/* Writes PREFIX and what follows the first SKIP bytes of a file of control/attention to a folder. */
static void copy(const char *folder, const char *name, const char *prefix, size_t skip)
{
	struct err e = {0};
	char path[128], *text = NULL;
	size_t len;
	FILE *f;

	snprintf(path, sizeof path, "corpus/control/attention/%s", name);
	check_ok(file_read(path, 1 << 24, &text, &len, &e), &e);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(prefix, f);
	fwrite(text + skip, 1, len - skip, f);
	fclose(f);
	free(text);
}

/* control/attention with conditions of its own, from a folder that is gone again. */
static struct kernel *attention_that_requires(const char *conditions)
{
	static const char *const names[] = {"kernel.cu", "kernel.ptx", "kernel.json"};
	struct err e = {0};
	struct kernel *k = NULL;
	char folder[] = "/tmp/gpuemu-strategy.XXXXXX", text[200], path[64];

	assert_non_null(mkdtemp(folder));
	snprintf(text, sizeof text, "{\"requires\": [%s],", conditions);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		copy(folder, names[i], i == 2 ? text : "", i == 2);
	check_ok(kernel_read(folder, &k, &e), &e);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		remove(path);
	}
	remove(folder);
	return k;
}

/* Decoding: one query, equal head sizes. Drawn one by one, 1000 draws in a row met these conditions for no size. */
static void conditions_on_sizes_are_met_by_the_draw(void **state)
{
	struct kernel *k = attention_that_requires("\"N == 1 and D == E\", \"D <= 128\", \"not causal\", \"L % 4 == 0\", "
	                                           "\"8 < L\", \"H == 4*G\"");
	struct case_hints h = {tiles, ARRAY_LEN(tiles), 1000000};
	int sizes = 0, lengths = 0;
	bool seen[129] = {false}, long_seen[64] = {false};

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		struct kase c;
		struct err e = {0};
		const int64_t *d = c.b.dims; /* B, H, G, N, L, D, E */

		check_ok(case_generate(k, 0, STRATEGY_OURS, 1, i, &h, NULL, 0, &c, &e), &e);
		check_true(d[3] == 1 && d[5] == d[6] && d[5] <= 128 && d[4] % 4 == 0 && d[4] > 8 && d[1] == 4 * d[2] &&
		                   !c.b.params[1], "case %d", (int)i);
		sizes += !seen[d[5]];
		seen[d[5]] = true;
		lengths += !long_seen[d[4] / 4 % 64];
		long_seen[d[4] / 4 % 64] = true;
	}
	/* not the few that a lucky draw finds */
	check_true(sizes >= 12 && lengths >= 12, "%d sizes of a head, %d lengths", sizes, lengths);
	kernel_free(k);
}

/* What cannot be met one by one is not bent to. */
static void a_condition_that_cannot_be_met_is_said_to_be(void **state)
{
	struct kernel *k = attention_that_requires("\"L*D == 77 or L == 9999\"");
	struct case_hints h = {tiles, ARRAY_LEN(tiles), 1000000};
	struct kase c;
	struct err e = {0};

	(void)state;
	assert_int_equal(case_generate(k, 0, STRATEGY_OURS, 1, 0, &h, NULL, 0, &c, &e), ST_UNSUP);
	assert_non_null(strstr(e.msg, "requires"));
	kernel_free(k);
}

/* ---- shrinking ---- */

/* "Fails" when C > 37 and R >= 2: the smallest failing case is R=2, C=38 with everything else plain. */
static bool fails(void *ctx, const struct kase *c)
{
	++*(int *)ctx;
	return c->b.dims[1] > 37 && c->b.dims[0] >= 2;
}

static void shrinking_finds_the_smallest_case(void **state)
{
	struct kernel *k = read_kernel(kernels[0]);
	struct kase c;
	struct err e = {0};
	int calls = 0;
	char *line;

	(void)state;
	check_ok(case_parse("softmax/f16 R=77,C=1023 layout=x:rowpad7 values=x:wide(12) seed=0x9f3c21 fill=a5",
	                    kernel_op(k), &c, &e), &e);
	case_shrink(&c, k, 500, fails, &calls);
	line = case_print(&c);
	assert_string_equal(line, "softmax/f16 R=2,C=38 values=x:ints(2) seed=0x1 fill=00");
	check_true(calls <= 500, "%d calls", calls);
	free(line);
	kernel_free(k);
}

/* Fails when D > 9; under D == E both must become smaller at once. */
static bool fails_by_head(void *ctx, const struct kase *c)
{
	(void)ctx;
	return c->b.dims[5] > 9 && c->b.dims[5] == c->b.dims[6];
}

static void shrinking_keeps_to_the_conditions(void **state)
{
	struct kernel *k = attention_that_requires("\"D == E\"");
	struct kase c;
	struct err e = {0};
	char *line;

	(void)state;
	check_ok(case_parse("attention/f32 B=2,H=2,G=1,N=3,L=5,D=64,E=64 bias=absent seed=0x3 fill=a5", kernel_op(k), &c,
	                    &e), &e);
	case_shrink(&c, k, 500, fails_by_head, NULL);
	line = case_print(&c);
	assert_non_null(strstr(line, " B=1,H=1,G=1,N=1,L=1,D=10,E=10 "));
	free(line);
	kernel_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_generated_case_can_be_made_and_reads_back),
		cmocka_unit_test(the_same_number_gives_the_same_case),
		cmocka_unit_test(a_hundred_cases_cover_what_matters),
		cmocka_unit_test(parameters_that_sizes_depend_on_vary),
		cmocka_unit_test(some_cases_have_a_long_row),
		cmocka_unit_test(conditions_on_sizes_are_met_by_the_draw),
		cmocka_unit_test(a_condition_that_cannot_be_met_is_said_to_be),
		cmocka_unit_test(shrinking_finds_the_smallest_case),
		cmocka_unit_test(shrinking_keeps_to_the_conditions),
	};

	return check_main(tests);
}
