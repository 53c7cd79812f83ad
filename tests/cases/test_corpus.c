/* test_corpus.c - the folders of corpus/ as a whole: every manifest is read and fits its operator,
 * sets and twins are complete, the shipped PTX belongs to the source and holds the entries the
 * manifest names. */
#include "tests/check.h"

#include <dirent.h>

#include "cases/cases.h"

#define MAX_KERNELS 64

struct corpus {
	int n;
	struct kernel *kernels[MAX_KERNELS];
};

static void read_side(struct corpus *c, const char *side)
{
	DIR *d = opendir(side);
	struct dirent *f;
	struct err e = {0};

	assert_non_null(d);
	while ((f = readdir(d)) != NULL) {
		char *folder;

		if (f->d_name[0] == '.')
			continue;
		assert_true(c->n < MAX_KERNELS);
		folder = path_join(side, f->d_name);
		check_ok(kernel_read(folder, &c->kernels[c->n++], &e), &e);
		free(folder);
	}
	closedir(d);
}

static int read_corpus(void **state)
{
	static struct corpus c;

	read_side(&c, "corpus/control");
	read_side(&c, "corpus/buggy");
	*state = &c;
	return 0;
}

static int free_corpus(void **state)
{
	struct corpus *c = *state;

	for (int i = 0; i < c->n; i++)
		kernel_free(c->kernels[i]);
	return 0;
}

static const struct kernel *find(const struct corpus *c, const char *name)
{
	for (int i = 0; i < c->n; i++)
		if (strcmp(kernel_name(c->kernels[i]), name) == 0)
			return c->kernels[i];
	fail_msg("there is no kernel %s", name);
	return NULL;
}

static bool in_folder(const struct kernel *k, const char *side)
{
	return strstr(kernel_folder(k), side) != NULL;
}

/* The counts of the evidence: 15 controls and 9 buggy kernels in seed, 16 and 10 in flash. */
static void sets_have_the_published_sizes(void **state)
{
	const struct corpus *c = *state;
	int seed[2] = {0}, flash[2] = {0};

	for (int i = 0; i < c->n; i++) {
		const struct kernel *k = c->kernels[i];
		bool buggy = kernel_role(k) == ROLE_BUGGY;

		assert_true(kernel_role(k) != ROLE_USER);
		assert_true(in_folder(k, buggy ? "/buggy/" : "/control/"));
		seed[buggy] += kernel_in_set(k, "seed");
		flash[buggy] += kernel_in_set(k, "flash");
	}
	assert_int_equal(seed[0], 15);
	assert_int_equal(seed[1], 9);
	assert_int_equal(flash[0], 16);
	assert_int_equal(flash[1], 10);
}

/* A twin is a control of the same operator in every set of the buggy kernel. */
static void every_buggy_kernel_has_its_twin(void **state)
{
	static const char *const sets[] = {"seed", "flash"};
	const struct corpus *c = *state;

	for (int i = 0; i < c->n; i++) {
		const struct kernel *k = c->kernels[i], *twin;

		if (kernel_role(k) != ROLE_BUGGY) {
			assert_null(kernel_twin(k));
			continue;
		}
		assert_non_null(kernel_twin(k));
		assert_non_null(kernel_bug(k));
		assert_non_null(kernel_bug_class(k));
		twin = find(c, kernel_twin(k));
		assert_int_equal(kernel_role(twin), ROLE_CONTROL);
		assert_ptr_equal(kernel_op(twin), kernel_op(k));
		for (size_t s = 0; s < ARRAY_LEN(sets); s++)
			assert_true(!kernel_in_set(k, sets[s]) || kernel_in_set(twin, sets[s]));
	}
}

static void kernels_are_built_for_three_types(void **state)
{
	static const enum dtype want[] = {DT_F32, DT_F16, DT_BF16};
	const struct corpus *c = *state;

	for (int i = 0; i < c->n; i++) {
		enum dtype types[OP_MAX_TYPES];

		assert_int_equal(kernel_dtypes(c->kernels[i], 0, types), ARRAY_LEN(want));
		for (size_t t = 0; t < ARRAY_LEN(want); t++) {
			kernel_dtypes(c->kernels[i], (int)t, types);
			assert_int_equal(types[0], want[t]);
		}
	}
}

static void shipped_ptx_belongs_to_the_source(void **state)
{
	const struct corpus *c = *state;

	for (int i = 0; i < c->n; i++) {
		const struct kernel *k = c->kernels[i];
		const char *ptx;
		char why[200] = "";
		size_t len;

		check_true(!kernel_ptx_stale(k, why), "%s: %s (mend with `make corpus-ptx`)",
		           kernel_folder(k), why);
		ptx = kernel_ptx(k, &len);
		assert_non_null(ptx);
		for (int t = 0; t < 3; t++) {
			char entry[128];

			snprintf(entry, sizeof entry, ".visible .entry %s(", kernel_entry(k, t, 0));
			check_true(strstr(ptx, entry) != NULL, "%s: no '%s'", kernel_folder(k),
			           entry);
		}
	}
}

/* Nothing of the machine it was made on: folders of the source or of the toolkit. */
static void shipped_ptx_names_no_folder(void **state)
{
	const struct corpus *c = *state;

	for (int i = 0; i < c->n; i++) {
		size_t len;
		const char *ptx = kernel_ptx(c->kernels[i], &len);

		for (const char *p = ptx; (p = strstr(p, "\t.file\t")) != NULL; p++) {
			size_t name = strcspn(p, "\"") + 1;

			check_true(strcspn(p + name, "/\n") > strcspn(p + name, "\""), "%s: %.80s",
			           kernel_folder(c->kernels[i]), p);
		}
	}
}

/* Longest chains by hand: matmul K=100 adds 16 products, then 7 partial sums; layernorm C=5000 has
 * 20 terms a thread (16 and then 2 partial sums) and 8 steps of the block's tree; an element alone
 * is 1. */
static void chain_lengths_are_those_of_the_source(void **state)
{
	static const struct {
		const char *kernel, *line;
		double chain;
	} want[] = {
	        {"matmul", "matmul/f32 M=2,N=3,K=100 seed=0x1 fill=00", 23},
	        {"layernorm", "layernorm/f32 R=1,C=5000 seed=0x1 fill=00", 26},
	        {"gelu", "gelu/f32 N=7 seed=0x1 fill=00", 1},
	};
	const struct corpus *c = *state;

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct kernel *k = find(c, want[i].kernel);
		struct op_binding b = {.types = {DT_F32}};
		struct op_inst *inst;
		struct numerics num;
		struct err e = {0};
		struct kase kase;

		check_ok(case_parse(want[i].line, kernel_op(k), &kase, &e), &e);
		b = kase.b;
		check_ok(op_bind(kernel_op(k), &b, &inst, &e), &e);
		check_ok(kernel_numerics(k, inst, &num, &e), &e);
		check_true(num.chain == want[i].chain, "%s: chain %g", want[i].kernel, num.chain);
		assert_int_equal(num.acc, DT_F32);
		assert_false(num.ftz);
		op_inst_free(inst);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sets_have_the_published_sizes),
	        cmocka_unit_test(every_buggy_kernel_has_its_twin),
	        cmocka_unit_test(kernels_are_built_for_three_types),
	        cmocka_unit_test(shipped_ptx_belongs_to_the_source),
	        cmocka_unit_test(shipped_ptx_names_no_folder),
	        cmocka_unit_test(chain_lengths_are_those_of_the_source),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, read_corpus, free_corpus);
}
