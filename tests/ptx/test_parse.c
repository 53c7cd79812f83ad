/* test_parse.c - what the front end takes, and what it says about what it does not take.
 * Accepted and refused operand types are as ptxas 13.0 -arch=sm_90 has them (each row was tried). */
#include "ptx/ir.h"
#include "tests/check.h"

static const char head[] =
	".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 G[4]; .const .b32 C[4];\n"
	".extern .shared .align 4 .b8 E[];\n.func nothing() { ret; }\n"
	".visible .entry k(.param .u64 a, .param .align 8 .b8 s[16]){\n"
	".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<5>; .reg .b16 %h<9>;\n"
	".reg .f64 %d<9>; .reg .f16 %hf<4>; .reg .u8 %c<4>; .reg .u32 %u<4>; .reg .s32 %s<4>;\n"
	".reg .f16x2 %hx<4>; .reg .u64 %ul<4>; .reg .u16 %us<4>; .reg .b8 %q<4>;\n"
	".shared .b32 S[4]; .local .b32 L[4];\n";
#define HEAD_LINES 11

static enum st parse(const char *text, struct err *e)
{
	struct ptx_module *m;
	enum st rc = ptx_parse(text, strlen(text), "t.ptx", &m, e);

	ptx_module_free(m);
	return rc;
}

static enum st parse_body(const char *body, struct err *e)
{
	struct buf b = { 0 };
	enum st rc;

	buf_printf(&b, "%s%s\nret;\n}\n", head, body);
	rc = parse(b.s, e);
	buf_free(&b);
	return rc;
}

static void bodies_that_ptxas_takes_are_taken(void **state)
{
	static const char *const good[] = {
#include "tests/ptx/data/accepted.inc"
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(good); k++) {
		struct err e = { 0 };
		enum st rc = parse_body(good[k], &e);

		check_true(rc == ST_OK, "%s: %s", good[k], e.msg);
	}
}

static void bodies_that_ptxas_refuses_are_refused(void **state)
{
	static const char *const bad[] = {
#include "tests/ptx/data/refused.inc"
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(bad); k++) {
		struct err e = { 0 };

		check_true(parse_body(bad[k], &e) != ST_OK, "taken: %s", bad[k]);
		check_true(strstr(e.msg, "t.ptx:12:") != NULL, "%s: no place in: %s", bad[k], e.msg);
		check_true(strchr(e.msg, '^') != NULL, "%s: no caret in: %s", bad[k], e.msg);
	}
}

/* One row a class of error: status, line and column (of the body), a part of the message. */
static void errors_name_place_and_remedy(void **state)
{
	static const struct {
		const char *body;
		enum st status;
		int column;
		const char *text;
	} rows[] = {
		{ "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1, 0, 0;",
		  ST_UNSUP, 1, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 is not supported yet" },
		{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1},{%r1},{%r2},{%f2};", ST_UNSUP, 1,
		  "f32 is not supported yet by the emulator; a GPU that has it runs it: --device cuda:0" },
		{ "cp.async.ca.shared.global [%r1], [%rd1], 16;", ST_UNSUP, 1, "cp.async" },
		{ "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [T, {%f1,%f2}];", ST_UNSUP, 1, "tex.2d" },
		{ "add.f128 %f1,%f2,%f3;", ST_UNSUP, 4, "'.f128' is not known for 'add'" },
		{ "add.rn.s32 %r1,%r2,%r3;", ST_UNSUP, 1, "combination 'add.rn.s32'" },
		{ "fma.f32 %f1,%f2,%f3,%f4;", ST_UNSUP, 1, "combination 'fma.f32'" },
		{ "add %f1,%f2,%f3;", ST_UNSUP, 1, "needs a type" },
		{ "adde.f32 %f1,%f2,%f3;", ST_INPUT, 1, "did you mean 'add'" },
		{ "frobnicate.f32 %f1;", ST_INPUT, 1, "is no instruction" },
		{ "add.f32 %f1,%f2,%f9;", ST_INPUT, 17, "'%f<9>' ends at '%f8'" },
		{ "add.f32 %f1,%f2,%g1;", ST_INPUT, 17, "is not declared; did you mean" },
		{ "mov.u32 %r1, %tid.w;", ST_INPUT, 14, "did you mean '%tid." },
		{ "add.f32 %f1,%f2;", ST_INPUT, 16, "needs 3 operands, not 2" },
		{ "add.f32 %f1,%f2,%f3,%f4;", ST_INPUT, 21, "needs 3 operands, not 4" },
		{ "add.s32 %f1,%r2,%r3;", ST_INPUT, 9, "'%f1' is a .f32 register" },
		{ "add.f32 %f1,%f2,1;", ST_INPUT, 17, "floating-point constant" },
		{ "bra NOWHERE; NOWHER:", ST_INPUT, 5, "did you mean 'NOWHER'" },
		{ "@%r1 bra X; X:", ST_INPUT, 2, "not a predicate" },
		{ "X: X:", ST_INPUT, 4, "declared already" },
		{ "ld.global.v4.f32 {%f1,%f2},[%rd1];", ST_INPUT, 18, "needs 4 elements here, not 2" },
		{ "ld.global.u32 %r1,[%r2];", ST_INPUT, 19, "has 32 bits" },
		{ "ld.global.u32 %r1,[S];", ST_INPUT, 19, "is in .shared memory" },
		{ "call.uni (%r1), nothing, ();", ST_INPUT, 17, "0 return values" },
		{ "bar.sync 16;", ST_INPUT, 10, "barriers 0 to 15" },
		{ ".reg .b32 x<9999999>;", ST_LIMIT, 11, "registers" },
		{ ".local .b8 big[9999999];", ST_INPUT, 16, "an array's size must be 1 to" },
		{ ".local .b8 big[999][999];", ST_LIMIT, 12, "larger than" },
		{ "add.s32 %r1,%r2,0x;", ST_INPUT, 17, "not a number" },
		{ "add.s32 %r1,%r2,18446744073709551616;", ST_INPUT, 17, "64 bits" },
		{ "add.s32 %r1,%r2,1/0;", ST_INPUT, 18, "division by zero" },
		{ "mov.f32 %f1,0f3F80;", ST_INPUT, 13, "eight" },
		{ "add.s32 %r1,%r2,`;", ST_INPUT, 17, "no meaning" },
		{ "add.s32 %r1,%r2,%r3", ST_INPUT, 0, "expected" },
		{ "/* open", ST_INPUT, 1, "never closed" },
	};
	char place[32];

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		struct err e = { 0 };
		enum st rc = parse_body(rows[k].body, &e);

		snprintf(place, sizeof place, "t.ptx:12:%d:", rows[k].column);
		if (rows[k].column == 0)
			strcpy(place, "t.ptx:13:");
		if (strcmp(rows[k].text, "eight") == 0)
			check_true(strstr(e.msg, "exactly 8") != NULL, "%s", e.msg);
		else
			check_true(strstr(e.msg, rows[k].text) != NULL, "%s: %s", rows[k].body, e.msg);
		check_true(rc == rows[k].status, "%s: '%s', %s", rows[k].body, st_text(rc), e.msg);
		check_true(strstr(e.msg, place) != NULL, "%s: want %s in %s", rows[k].body, place, e.msg);
	}
}

static void module_errors_are_found(void **state)
{
	static const struct {
		const char *text;
		enum st status;
		const char *message;
	} rows[] = {
		{ "", ST_INPUT, ".version" },
		{ ".version 9.0", ST_INPUT, ".target" },
		{ ".version 99.0\n.target sm_90", ST_UNSUP, "99.0" },
		{ ".version 9.0\n.target sm_100", ST_UNSUP, "sm_100" },
		{ ".version 9.0\n.target sm_90\n.address_size 32", ST_UNSUP, "32-bit" },
		{ ".version 9.0\n.target sm_90\n.global .b32 x", ST_INPUT, "end of the text" },
		{ ".version 9.0\n.target sm_90\n.global .b8 x[2] = {1,2,3};", ST_INPUT, "more initial" },
		{ ".version 9.0\n.target sm_90\n.global .b8 x[99999999999];", ST_INPUT, "size" },
		{ ".version 9.0\n.target sm_90\n.entry k() {", ST_INPUT, "ends inside 'k'" },
		{ ".version 9.0\n.target sm_90\n.entry k() { ret; } .entry k() { ret; }", ST_INPUT,
		  "defined already" },
		{ ".version 9.0\n.target sm_90\n.section .debug_str { .b8 1", ST_INPUT, "never closed" },
		{ ".version 9.0\n.target sm_90\n.global .texref t;", ST_UNSUP, "textures" },
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		struct err e = { 0 };

		check_fails(parse(rows[k].text, &e), rows[k].status, &e, rows[k].message);
	}
}

static void zero_bytes_are_refused(void **state)
{
	static const char text[] = ".version 9.0\n.target sm_90\n\0.address_size 64\n// \0 and more\n";
	struct ptx_module *m = NULL;
	struct err e = {0};

	(void)state;
	assert_int_equal(ptx_parse(text, sizeof text - 1, "zero.ptx", &m, &e), ST_INPUT);
	check_true(strstr(e.msg, "zero.ptx:3:1") != NULL, "%s", e.msg);
	assert_null(m);
}

static void every_truncation_of_a_module_is_an_error(void **state)
{
	char *text;
	size_t len;
	struct err e = { 0 };

	(void)state;
	check_ok(file_read("tests/ptx/data/volatile.ptx", 1 << 20, &text, &len, &e), &e);
	while (len > 0 && text[len - 1] != '}')
		len--;
	for (size_t cut = strstr(text, ".entry") - text + 8; cut < len; cut++) {
		struct ptx_module *m;
		struct err bad = { 0 };

		check_true(ptx_parse(text, cut, "t", &m, &bad) != ST_OK, "cut at %zu is taken", cut);
	}
	free(text);
}

static void nesting_is_limited(void **state)
{
	struct buf b = { 0 };
	struct err e = { 0 };

	(void)state;
	buf_puts(&b, "add.s32 %r1,%r2,");
	for (int k = 0; k < 100000; k++)
		buf_putc(&b, '(');
	check_fails(parse_body(b.s, &e), ST_INPUT, &e, "nested");
	b.len = 0;
	for (int k = 0; k < 100000; k++)
		buf_putc(&b, '{');
	check_fails(parse_body(b.s, &e), ST_LIMIT, &e, "nested");
	buf_free(&b);
}

static void parameters_have_offsets_and_pointers(void **state)
{
	static const char text[] =
		".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u8 c, .param .u64 p,"
		".param .u64 n, .param .align 16 .b8 s[20], .param .u64 .ptr .global .align 16 q) {\n"
		".reg .b64 %a<9>; ld.param.u64 %a1,[p]; ld.param.u64 %a2,[n]; cvta.to.global.u64 %a3,%a1;\n"
		"shl.b64 %a4,%a2,2; add.s64 %a5,%a3,%a4; st.global.u64 [%a5],%a2; ret; }";
	static const struct ptx_param want[] = {
		{ "c", 0, 1, 1, false }, { "p", 8, 8, 8, true }, { "n", 16, 8, 8, false },
		{ "s", 32, 20, 16, false }, { "q", 56, 8, 8, true },
	};
	struct err e = { 0 };
	struct ptx_module *m;
	const struct ptx_param *p;
	int n;

	(void)state;
	check_ok(ptx_parse(text, strlen(text), "t", &m, &e), &e);
	p = ptx_entry_params(m, "k", &n);
	assert_int_equal(n, ARRAY_LEN(want));
	for (int k = 0; k < n; k++) {
		assert_string_equal(p[k].name, want[k].name);
		check_true(p[k].offset == want[k].offset && p[k].bytes == want[k].bytes &&
		                   p[k].align == want[k].align && p[k].pointer == want[k].pointer,
		           "%s: %u %u %u %d", p[k].name, p[k].offset, p[k].bytes, p[k].align, p[k].pointer);
	}
	assert_null(ptx_entry_params(m, "other", &n));
	ptx_module_free(m);
}

static void tile_constants_are_found(void **state)
{
	static const char text[] =
		".version 9.0\n.target sm_90\n.address_size 64\n.entry k() .reqntid 128, 2\n{\n"
		".reg .b32 %r<9>; .reg .pred %p; .shared .align 4 .b8 t[4096];\n mov.u32 %r1, 0;\n"
		"L: ld.shared.b32 %r3,[t]; add.s32 %r2,%r1,32; mov.u32 %r1,%r2; setp.lt.s32 %p,%r1,768;\n"
		"add.s32 %r4,%r3,999; @%p bra L; ret; }";
	static const int64_t want[] = { 2, 32, 128, 768, 1024 };
	int64_t got[16];
	struct err e = { 0 };
	struct ptx_module *m;

	(void)state;
	check_ok(ptx_parse(text, strlen(text), "t", &m, &e), &e);
	assert_int_equal(ptx_tile_constants(m, "k", got, 16), ARRAY_LEN(want));
	assert_memory_equal(got, want, sizeof want);
	assert_int_equal(ptx_tile_constants(m, "k", got, 2), 2);
	ptx_module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_that_ptxas_takes_are_taken),
		cmocka_unit_test(bodies_that_ptxas_refuses_are_refused),
		cmocka_unit_test(errors_name_place_and_remedy),
		cmocka_unit_test(module_errors_are_found),
		cmocka_unit_test(zero_bytes_are_refused),
		cmocka_unit_test(every_truncation_of_a_module_is_an_error),
		cmocka_unit_test(nesting_is_limited),
		cmocka_unit_test(parameters_have_offsets_and_pointers),
		cmocka_unit_test(tile_constants_are_found),
	};

	return check_main(tests);
}
