/* test_mutate.c - each kind of fault on an instruction, against statements written by hand; every mutant of the
 * corpus is PTX with the same lines. */
#include "tests/check.h"

#include <glob.h>

#include "ptx/ptx.h"

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"

/* Lines of the kernel below, from 6 on. */
static const struct row {
	const char *line;            /* as written */
	const char *kind, *becomes; /* "" : the statement is lost; NULL: the kind does not apply */
} rows[] = {
	{"setp.lt.s64 %p1, %rd1, %rd2;", "boundary", "setp.le.s64 %p1, %rd1, %rd2;"},
	{"setp.eq.s64 %p1, %rd1, %rd2;", "boundary", NULL},
	{"@%p1 st.global.f32 [%rd1], %f1;", "guard-lost", "st.global.f32 [%rd1], %f1;"},
	{"@%p1 bra END;", "guard-lost", ""},
	{"@%p1 bra END;", "left-out", "bra END;"},
	{"and.pred %p1, %p2, %p3;", "condition-lost", "mov.pred %p1, %p2;"},
	{"selp.b64 %rd1, %rd2, 5, %p1;", "select-first", "mov.b64 %rd1, %rd2;"},
	{"selp.b64 %rd1, %rd2, 5, %p1;", "select-second", "mov.b64 %rd1, 5;"},
	{"@!%p1 add.s32 %r1, %r1, 1;", "negated", "@%p1 add.s32 %r1, %r1, 1;"},
	{"@%p1 bra TOP;", "loop-once", ""},
	{"@%p1 bra END;", "loop-once", NULL},
	{"ld.global.f32 %f1, [%rd1+8];", "load-next", "ld.global.f32 %f1, [%rd1+12];"},
	{"ld.global.v2.f32 {%f1, %f2}, [%rd1+8];", "load-next", "ld.global.v2.f32 {%f1, %f2}, [%rd1+16];"},
	{"ld.shared.u16 %h1, [%rd1];", "load-before", "ld.shared.u16 %h1, [%rd1+-2];"},
	{"st.global.f32 [%rd1], %f1;", "store-next", "st.global.f32 [%rd1+4], %f1;"},
	{"add.s64 %rd1, %rd1, 1024;", "constant-up", "add.s64 %rd1, %rd1, 1028;"},
	{"and.b32 %r1, %r2, 31;", "constant-down", "and.b32 %r1, %r2, 30;"},
	{"add.s32 %r1, %r2, 0;", "constant-down", "add.s32 %r1, %r2, 4294967295;"},
	{"mul.lo.s64 %rd1, %rd2, %rd3;", "stride-lost", "mov.s64 %rd1, %rd2;"},
	{"mul.wide.u32 %rd1, %r2, %r3;", "stride-lost", "cvt.u64.u32 %rd1, %r2;"},
	{"shl.b64 %rd1, %rd2, 2;", "index-32", "shl.b64 %rd1, %rd2, 2; cvt.s64.s32 %rd1, %rd1;"},
	{"fma.rn.f32 %f1, %f2, %f3, %f1;", "addend-lost", "mul.rn.f32 %f1, %f2, %f3;"},
	{"add.f32 %f1, %f1, %f2;", "overwritten", "mov.f32 %f1, %f2;"},
	{"fma.rn.f32 %f1, %f2, %f3, %f4;", "term-lost", "mov.f32 %f1, %f4;"},
	{"fma.rn.f32 %f1, %f2, %f3, %f4;", "factor-lost", "add.f32 %f1, %f2, %f4;"},
	{"mul.f32 %f1, 0f3F000000, %f3;", "factor-lost", "mov.f32 %f1, %f3;"},
	{"div.rn.f32 %f1, %f2, %f3;", "divisor-lost", "mov.f32 %f1, %f2;"},
	{"sub.f32 %f1, %f2, %f3;", "sign", "add.f32 %f1, %f2, %f3;"},
	{"neg.f32 %f1, %f2;", "sign-lost", "mov.f32 %f1, %f2;"},
	{"sub.s64 %rd1, %rd2, %rd3;", "exchanged", "sub.s64 %rd1, %rd3, %rd2;"},
	{"max.f32 %f1, %f2, %f3;", "min-max", "min.f32 %f1, %f2, %f3;"},
	{"max.f32 %f1, %f2, %f3;", "nan-kept", "max.NaN.f32 %f1, %f2, %f3;"},
	{"max.NaN.f32 %f1, %f2, %f3;", "nan-kept", "max.f32 %f1, %f2, %f3;"},
	{"mov.f32 %f1, 0fFF800000;", "identity", "mov.f32 %f1, 0f00000000;"},
	{"mov.f32 %f1, 0f00000000;", "identity", "mov.f32 %f1, 0f3F800000;"},
	{"mov.f32 %f1, 0f40000000;", "identity", NULL},
	{"mov.f32 %f1, 0f00000000;", "uninitialised", ""},
	{"mul.f32 %f1, %f2, 0f3F000000;", "coefficient", "mul.f32 %f1, %f2, 0f3F002000;"},
	{"sqrt.rn.f32 %f1, %f2;", "function-lost", "mov.f32 %f1, %f2;"},
	{"bar.sync 0;", "barrier-lost", ""},
	{"shfl.sync.bfly.b32 %r1|%p1, %r2, %r9, 31, -1;", "shuffle-half", "shfl.sync.bfly.b32 %r1|%p1, %r2, 8, 31, 4294967295;"},
	{"shfl.sync.bfly.b32 %r1|%p1, %r2, 4, 31, -1;", "shuffle-lost", "mov.b32 %r1, %r2; setp.eq.b32 %p1, %r2, %r2;"},
	{"st.shared.f32 [%rd1], %f1;", "store-lost", ""},
	{"red.global.add.f32 [%rd1+4], %f1;", "atomic-lost",
	 "{ .reg .f32 %gpuemu_t, %gpuemu_u; ld.global.f32 %gpuemu_t, [%rd1+4]; add.f32 %gpuemu_u, %gpuemu_t, %f1; "
	 "st.global.f32 [%rd1+4], %gpuemu_u; }"},
	{"add.f32 %f1, %f1, %f2;", "through-f16",
	 "add.f32 %f1, %f1, %f2; { .reg .b16 %gpuemu_t; cvt.rn.f16.f32 %gpuemu_t, %f1; cvt.f32.f16 %f1, %gpuemu_t; }"},
	{"ld.global.f32 %f1, [%rd1];", "through-tf32",
	 "ld.global.f32 %f1, [%rd1]; { .reg .b32 %gpuemu_t; mov.b32 %gpuemu_t, %f1; and.b32 %gpuemu_t, %gpuemu_t, 4294959104; "
	 "mov.b32 %f1, %gpuemu_t; }"},
	{"cvt.rn.f16.f32 %h1, %f1;", "truncated", "cvt.rz.f16.f32 %h1, %f1;"},
	{"div.rn.f32 %f1, %f2, %f3;", "approximate", "div.approx.f32 %f1, %f2, %f3;"},
	{"fma.rn.f32 %f1, %f2, %f3, %f4;", "flushed", "fma.rn.ftz.f32 %f1, %f2, %f3, %f4;"},
	/* inside a scope of its own a name is another one: left alone */
	{"{ .reg .f32 %f1; add.f32 %f1, %f1, 0f3F800000; }", "sign", NULL},
};

/* A kernel with the line as its seventh. */
static char *kernel_with(const char *line)
{
	struct buf b = {0};

	buf_printf(&b, HEAD ".visible .entry k()\n{\n\t.reg .pred %%p<4>; .reg .b16 %%h<4>; .reg .b32 %%r<10>; .reg .b64 %%rd<4>; "
	                    ".reg .f32 %%f<5>; mov.f32 %%f1, 0f40400000; mov.u32 %%r9, 16; TOP: mov.u32 %%r1, %%tid.x;\n"
	                    "\t%s\nEND:\n\tret;\n}\n", line);
	return b.s;
}

static struct ptx_module *parsed(const char *text)
{
	struct ptx_module *m = NULL;
	struct err e = {0};

	check_ok(ptx_parse(text, strlen(text), "k", &m, &e), &e);
	return m;
}

static void each_kind_makes_the_fault_it_tells(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *text = kernel_with(rows[i].line), *got = NULL, *want = rows[i].becomes ? kernel_with(rows[i].becomes) : NULL;
		struct ptx_module *m = parsed(text);
		struct err e = {0};
		enum st rc = ptx_mutate(m, rows[i].kind, 7, &got, NULL, &e);

		if (!want) {
			check_true(rc == ST_INPUT, "%s of '%s' gives %s", rows[i].kind, rows[i].line, got);
		} else {
			check_true(rc == ST_OK, "%s of '%s': %s", rows[i].kind, rows[i].line, e.msg);
			check_true(strcmp(got, want) == 0, "%s of '%s' gives\n%s\nand not\n%s", rows[i].kind, rows[i].line, got, want);
			ptx_module_free(parsed(got));
		}
		ptx_module_free(m);
		free(text);
		free(got);
		free(want);
	}
}

static void a_loop_that_ends_a_step_early_is_asked_a_step_further(void **state)
{
	static const char text[] = HEAD ".visible .entry k()\n{\n\t.reg .pred %p<2>; .reg .b64 %rd<3>;\nTOP:\n"
	                                "\tadd.s64 %rd1, %rd1, 256;\n\tsetp.lt.s64 %p1, %rd1, %rd2;\n\t@%p1 bra TOP;\n\tret;\n}\n";
	struct ptx_module *m = parsed(text);
	struct buf change = {0};
	struct err e = {0};
	char *got = NULL;

	(void)state;
	check_ok(ptx_mutate(m, "loop-short", 9, &got, &change, &e), &e);
	assert_string_equal(change.s, "setp.lt.s64 %p1, %rd1, %rd2; becomes { .reg .s64 %gpuemu_t; add.s64 %gpuemu_t, %rd1, 256; "
	                              "setp.lt.s64 %p1, %gpuemu_t, %rd2; }");
	ptx_module_free(parsed(got));
	ptx_module_free(m);
	buf_free(&change);
	free(got);
}

static void what_does_not_apply_is_said(void **state)
{
	char *text = kernel_with("bar.sync 0;"), *got = NULL;
	struct ptx_module *m = parsed(text);
	struct err e = {0}, e2 = {0};

	(void)state;
	assert_int_equal(ptx_mutate(m, "no-such-kind", 7, &got, NULL, &e), ST_INPUT);
	assert_non_null(strstr(e.msg, "no-such-kind"));
	assert_int_equal(ptx_mutate(m, "sign", 7, &got, NULL, &e2), ST_INPUT);
	assert_non_null(strstr(e2.msg, "k:7"));
	ptx_module_free(m);
	free(text);
}

static size_t lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

/* Of a corpus kernel's mutants every 29th (all: with GPUEMU_EXHAUSTIVE); returns how many were made. */
static size_t make_mutants(const char *text, bool *kinds)
{
	struct ptx_module *m = parsed(text);
	const char *entry = ptx_entry_name(m, 0);
	struct ptx_mutant *v;
	size_t n = ptx_mutants(m, entry, &v), made = 0;

	for (size_t i = 0; i < n; i++) {
		const char *kind = ptx_mutator_get(v[i].mutator)->name;
		struct ptx_module *mm = NULL;
		struct ptx_program *p = NULL;
		struct err e = {0};
		char *got = NULL;

		kinds[v[i].mutator] = true;
		if (!check_exhaustive() && i % 29)
			continue;
		check_ok(ptx_mutate(m, kind, v[i].line, &got, NULL, &e), &e);
		check_true(ptx_parse(got, strlen(got), kind, &mm, &e) == ST_OK, "%s:%d: %s", kind, v[i].line, e.msg);
		check_ok(ptx_lower(mm, entry, NULL, &p, &e), &e);
		assert_int_equal(lines(got), lines(text));
		assert_string_not_equal(got, text);
		ptx_program_free(p);
		ptx_module_free(mm);
		free(got);
		made++;
	}
	free(v);
	ptx_module_free(m);
	return made;
}

static void mutants_of_the_corpus_are_kernels_with_the_same_lines(void **state)
{
	bool *kinds = mem_zalloc(ptx_mutator_count(), 1);
	size_t made = 0;
	glob_t g;

	(void)state;
	assert_int_equal(glob("corpus/control/*/kernel.ptx", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct err e = {0};
		char *text;
		size_t len;

		check_ok(file_read(g.gl_pathv[i], 1 << 24, &text, &len, &e), &e);
		made += make_mutants(text, kinds);
		free(text);
	}
	globfree(&g);
	assert_true(made > 150);
	/* no first entry has an atomic, or rounds to 16 bits */
	for (size_t k = 0; k < ptx_mutator_count(); k++)
		if (strcmp(ptx_mutator_get(k)->name, "atomic-lost") && strcmp(ptx_mutator_get(k)->name, "truncated"))
			check_true(kinds[k], "the corpus has no %s", ptx_mutator_get(k)->name);
	free(kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_makes_the_fault_it_tells),
		cmocka_unit_test(a_loop_that_ends_a_step_early_is_asked_a_step_further),
		cmocka_unit_test(what_does_not_apply_is_said),
		cmocka_unit_test(mutants_of_the_corpus_are_kernels_with_the_same_lines),
	};

	return check_main(tests);
}
