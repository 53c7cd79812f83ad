/* test_ptx_corpus.c - every committed PTX parses, and its print is a fixed point; mutations of it never
 * crash the front end (run under SAN=address,undefined as well). */
#include <glob.h>
#include <time.h>

#include "ptx/ir.h"
#include "tests/check.h"

static void parse_print_parse(const char *path)
{
	char *text;
	size_t len;
	struct err e = { 0 };
	struct ptx_module *m, *again;
	struct buf one = { 0 }, two = { 0 };

	check_ok(file_read(path, 64 << 20, &text, &len, &e), &e);
	check_ok(ptx_parse(text, len, path, &m, &e), &e);
	check_true(ptx_entry_count(m) > 0, "%s has no entry", path);
	ir_print(&one, m);
	check_ok(ptx_parse(one.s, one.len, "printed", &again, &e), &e);
	ir_print(&two, again);
	check_true(strcmp(one.s, two.s) == 0, "%s: printing is not a fixed point", path);
	check_true(m->nfunc == again->nfunc && m->nvar == again->nvar, "%s: lost something", path);
	ptx_module_free(m);
	ptx_module_free(again);
	buf_free(&one);
	buf_free(&two);
	free(text);
}

static void each_file(const char *pattern, int least)
{
	glob_t g;

	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	check_true((int)g.gl_pathc >= least, "only %zu files", g.gl_pathc);
	for (size_t k = 0; k < g.gl_pathc; k++)
		parse_print_parse(g.gl_pathv[k]);
	globfree(&g);
}

static void golden_files_print_to_a_fixed_point(void **state)
{
	(void)state;
	each_file("tests/ptx/data/*.ptx", 21);
}

static void corpus_kernels_print_to_a_fixed_point(void **state)
{
	(void)state;
	each_file("corpus/*/*/kernel.ptx", 10);
}

static void source_lines_are_kept(void **state)
{
	struct err e = { 0 };
	struct ptx_module *m;
	char *text;
	size_t len;
	int with_line = 0;

	(void)state;
	check_ok(file_read("tests/ptx/data/reduce.ptx", 1 << 20, &text, &len, &e), &e);
	check_ok(ptx_parse(text, len, "reduce.ptx", &m, &e), &e);
	for (int k = 0; k < m->func[0].ninsn; k++) {
		const struct ir_insn *i = &m->func[0].insn[k];

		/* the kernel is lines 1 to 25 of reduce.cu; headers have higher ones */
		if (i->file > 0 && strstr(m->file[i->file], "reduce.cu") != NULL) {
			check_true(i->src_line >= 0 && i->src_line <= 28, "line %d", i->src_line);
			with_line++;
		} else if (i->at_file > 0) {
			check_true(i->at_src_line >= 1, "inlined at line %d", i->at_src_line);
		}
	}
	check_true(with_line > 50, "only %d instructions have a line", with_line);
	ptx_module_free(m);
	free(text);
}

/* ---- mutations -------------------------------------------------------------------------------- */

static uint64_t dice(uint64_t run, uint64_t k, uint64_t n)
{
	return rand_u64(20261202, run, k) % n;
}

/* Pieces that upset parsers. */
static const char *const pieces[] = {
	"{", "}", "[", "]", "(", ")", ";", ",", ":", "::", "|", "!", "@", "_", "-", "0x", "0f", "0d",
	"99999999999", "%r1", "%rd1", ".v4", ".global", ".param", ".reg .b32 %z<999>;", "bra L;",
	"<262144>", ".align 3", "\"", "/*", "//", ".section x {", ".loc 1 2 3", "generic(", "\xff",
	"call.uni (", "brx.idx %r1, T;", "mov.b64 {%r1,%r2},", "+", "1.5", "-2147483648", "WARP_SZ",
};

/* Cuts, doubles, overwrites or inserts at a few places; returns the new length. */
static size_t mutate(char *t, size_t len, size_t cap, uint64_t run)
{
	for (uint64_t k = 0, n = 1 + dice(run, 0, 4); k < n; k++) {
		size_t at = dice(run, 10 * k + 1, len), part = 1 + dice(run, 10 * k + 2, 30);
		const char *piece = pieces[dice(run, 10 * k + 3, ARRAY_LEN(pieces))];
		size_t add = strlen(piece);

		if (part > len - at)
			part = len - at;
		switch (dice(run, 10 * k + 4, 5)) {
		case 0: /* a byte */
			t[at] = (char)dice(run, 10 * k + 5, 256);
			break;
		case 1: /* cut */
			memmove(t + at, t + at + part, len - at - part);
			len -= part;
			break;
		case 2: /* a piece */
			if (len + add < cap) {
				memmove(t + at + add, t + at, len - at);
				memcpy(t + at, piece, add);
				len += add;
			}
			break;
		case 3: /* double */
			if (len + part < cap) {
				memmove(t + at + part, t + at, len - at);
				len += part;
			}
			break;
		default: /* end here */
			if (dice(run, 10 * k + 6, 10) == 0 && at > 0)
				len = at;
		}
		if (len == 0)
			break;
	}
	return len;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Parse; when it is taken after all, rewrite, print and parse again as well. */
static bool survives(const char *t, size_t len)
{
	struct err e = { 0 };
	struct ptx_module *m;
	struct buf b = { 0 };

	if (ptx_parse(t, len, "mutant", &m, &e) != ST_OK) {
		check_true(e.msg[0] != 0 && (e.code == ST_INPUT || e.code == ST_UNSUP ||
		                             e.code == ST_LIMIT), "status %d", e.code);
		return false;
	}
	for (int k = 0; k < m->nfunc; k++) {
		struct arena *a = arena_new();

		ptx_rewrite_with(a, ir_func_copy(a, &m->func[k]), RW_ALL);
		arena_free(a);
	}
	ir_print(&b, m);
	buf_free(&b);
	ptx_module_free(m);
	return true;
}

static void mutants_never_crash_nor_hang(void **state)
{
	static const char *const seeds[] = { "volatile", "asmblocks", "switch", "calls_O1", "cvt8",
		                             "constants", "generic", "atomics" };
	uint64_t runs = check_exhaustive() ? 1000000 : 20000, taken = 0;
	double worst = 0;

	(void)state;
	for (uint64_t run = 0; run < runs; run++) {
		char path[64], *text, *copy;
		size_t len, cap;
		struct err e = { 0 };
		double t;

		snprintf(path, sizeof path, "tests/ptx/data/%s.ptx", seeds[run % ARRAY_LEN(seeds)]);
		check_ok(file_read(path, 1 << 20, &text, &len, &e), &e);
		cap = len + 1000;
		copy = mem_alloc(cap);
		memcpy(copy, text, len);
		len = mutate(copy, len, cap, run);
		copy = mem_realloc(copy, len ? len : 1); /* exact: reading beyond shows under ASan */
		t = seconds();
		taken += survives(copy, len);
		t = seconds() - t;
		worst = t > worst ? t : worst;
		free(copy);
		free(text);
	}
	print_message("%llu mutants, %llu taken, slowest %.1f ms\n", (unsigned long long)runs,
	              (unsigned long long)taken, 1e3 * worst);
	check_true(taken > runs / 100 && taken < runs * 9 / 10, "%llu taken", (unsigned long long)taken);
	check_true(worst < 0.2, "a mutant took %.0f ms", 1e3 * worst); /* aim 10; machines are shared */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_files_print_to_a_fixed_point),
		cmocka_unit_test(corpus_kernels_print_to_a_fixed_point),
		cmocka_unit_test(source_lines_are_kept),
		cmocka_unit_test(mutants_never_crash_nor_hang),
	};

	return check_main(tests);
}
