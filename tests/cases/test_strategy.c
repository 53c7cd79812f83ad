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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_generated_case_can_be_made_and_reads_back),
		cmocka_unit_test(the_same_number_gives_the_same_case),
		cmocka_unit_test(a_hundred_cases_cover_what_matters),
		cmocka_unit_test(shrinking_finds_the_smallest_case),
	};

	return check_main(tests);
}
