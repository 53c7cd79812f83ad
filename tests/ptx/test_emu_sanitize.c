/* test_emu_sanitize.c - each sanitizer with a kernel that must set it off, and a look-alike that
 * must not. */
#include "tests/ptx/emu_kit.h"

/* Runs the kernel sanitized; the finding of that kind, which must be there (or, want false, no
 * error). */
static struct kit check_kernel(const char *ptx, uint32_t block, enum finding_kind kind, bool want)
{
	struct kit k = {.options.sanitize = true};
	kit_words(&k, ptx, 1, block);
	const struct finding *f = kit_found(&k, kind);
	if (want)
		check_true(f != NULL, "no %s; %d findings, the first: %s", finding_name(kind),
		           k.report.nfindings,
		           k.report.nfindings ? k.report.findings[0].text : "-");
	else
		kit_clean(&k);
	return k;
}
static void bad(const char *ptx, enum finding_kind kind, const char *text, int ptx_line)
{
	struct kit k = check_kernel(ptx, 64, kind, true);
	const struct finding *f = kit_found(&k, kind);
	check_true(strstr(f->text, text) && f->ptx_line == ptx_line, "line %d: %s", f->ptx_line,
	           f->text);
	kit_free(&k);
}
static void good(const char *ptx)
{
	struct kit k = check_kernel(ptx, 64, FIND_COUNT, false);
	kit_free(&k);
}
/* In KERNEL the first line of the body is line 13, out's store follows the body. */
#define BODY 13

/* ---- uninitialised values ---------------------------------------------------------------------
 */

static void a_register_that_nothing_set(void **state)
{
	(void)state;
	bad(KERNEL("", "add.u32 %r1, %r30, 1;\n"), FIND_UNINIT_READ,
	    "%r1, which nothing has set, is stored", BODY + 2);
	bad(KERNEL("", "setp.eq.u32 %p1, %r30, 1; \n@%p1 bra E;\nmov.u32 %r1, 1;\nE:\n"),
	    FIND_UNINIT_READ, "used as a branch condition", BODY + 1);
	bad(KERNEL("", "ld.global.u32 %r1, [%d30];\n"), FIND_UNINIT_READ, "used as an address",
	    BODY);
	/* set in one branch only, and used only there */
	good(KERNEL(
	        "",
	        "setp.lt.u32 %p1, %r0, 7; @%p1 mov.u32 %r30, 5;\n@%p1 add.u32 %r1, %r30, 1;\n"));
	/* both sources of a choice are computed, the unset one is not chosen */
	good(KERNEL("", "setp.lt.u32 %p1, %r0, 100; selp.u32 %r1, 5, %r30, %p1;\n"));
	/* an unset predicate beside one that decides */
	good(KERNEL("", "setp.gt.u32 %p1, %r0, 100; and.pred %p2, %p1, %p3;\n@%p2 bra E;\nmov.u32 "
	                "%r1, 1;\nE:\n"));
	good(KERNEL("", "setp.lt.u32 %p1, %r0, 100; or.pred %p1, %p1, %p3;\n@%p1 bra E;\nmov.u32 "
	                "%r1, 1;\nE:\n"));
}
static void shared_memory_that_nothing_wrote(void **state)
{
	(void)state;
#define SHARED(stores)                                                                             \
	KERNEL(".shared .align 4 .b8 s[256];",                                                     \
	       "shl.b32 %r2, %r10, 2;\n"                                                           \
	       "mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n" stores "bar.sync 0;\n"                   \
	       "ld.shared.u32 %r4, [%r3];\nmov.u32 %r1, %r4;\n")
	bad(SHARED("setp.lt.u32 %p1, %r10, 63;\n@%p1 st.shared.u32 [%r3], %r2;\n"),
	    FIND_UNINIT_READ, "(read at PTX line 18)", BODY + 8);
	good(SHARED("st.shared.u32 [%r3], %r2;\n"));
	/* a byte of it is missing */
	bad(SHARED("st.shared.u8 [%r3], %r2; st.shared.u16 [%r3+2], %r2;\n"), FIND_UNINIT_READ,
	    "nothing has written", BODY + 7);
}
static void global_memory_that_nothing_wrote(void **state)
{
	(void)state;
	bad(KERNEL("", "ld.global.u32 %r1, [%d0];\n"), FIND_UNINIT_READ, "nothing has written",
	    BODY + 2);
	good(KERNEL("", "st.global.u32 [%d0], %r0; ld.global.u32 %r1, [%d0];\n"));
	bad(KERNEL("", "red.global.add.u32 [%d0], 1; mov.u32 %r1, 1;\n"), FIND_UNINIT_READ,
	    "updates memory that nothing has written", BODY);
	good(KERNEL("", "atom.global.exch.b32 %r2, [%d0], 1;\n"));
}
static void padding_between_the_rows_of_a_view(void **state)
{
	(void)state;
	/* in: bytes 64..127 belong to no element */
	static const char *ptx[2] = {
	        KERNEL("", "cvt.u64.u32 %d4, %r0; shl.b64 %d4, %d4, 2; add.u64 %d4, %d2, %d4;\n"
	                   "ld.global.u32 %r1, [%d4];\n"),
	        KERNEL("", "cvt.u64.u32 %d4, %r0; shl.b64 %d4, %d4, 2; add.u64 %d4, %d2, %d4;\n"
	                   "ld.global.u32 %r1, [%d4]; setp.ge.u32 %p1, %r0, 16; setp.lt.u32 %p2, "
	                   "%r0, 32;\n"
	                   "and.pred %p1, %p1, %p2; selp.u32 %r1, 0, %r1, %p1;\n")};
	for (int i = 0; i < 2; i++) {
		struct kit k = {.options.sanitize = true};
		kit_buffer(&k, "out", RUN_OUT, DT_U32, 64);
		kit_buffer(&k, "in", RUN_IN, DT_U32, 64);
		k.buffer[1].valid = malloc(32);
		memset(k.buffer[1].valid, 0xff, 32);
		memset(k.buffer[1].valid + 8, 0, 8);
		kit_shape(&k, 1, 64);
		kit_run(&k, ptx[i], "k");
		const struct finding *f = kit_found(&k, FIND_UNINIT_READ);
		check_true((f != NULL) == (i == 0), "%d: %s", i, f ? f->text : "nothing");
		check_true(!f || (f->thread[0] == 16 && f->count == 16), "thread %u, %" PRIu64,
		           f ? f->thread[0] : 0, f ? f->count : 0);
		kit_free(&k);
	}
	/* writing padding is out of bounds */
	struct kit k = {.options.sanitize = true};
	kit_buffer(&k, "out", RUN_OUT, DT_U32, 64);
	kit_buffer(&k, "in", RUN_IN, DT_U32, 64);
	k.buffer[0].valid = malloc(32);
	memset(k.buffer[0].valid, 0xff, 32);
	k.buffer[0].valid[31] = 0x0f;
	kit_shape(&k, 1, 64);
	kit_run(&k, KERNEL("", ""), "k");
	const struct finding *f = kit_found(&k, FIND_OOB_WRITE);
	check_true(f && f->element == 63 && !strcmp(f->buffer, "out"), "%s",
	           f ? f->text : "nothing");
	kit_free(&k);
}
static void written_bytes_are_marked(void **state)
{
	(void)state;
	struct kit k = {.options.sanitize = true};
	kit_words(&k, KERNEL("", "setp.lt.u32 %p1, %r0, 5; @%p1 ret;\n"), 1, 64);
	for (int i = 0; i < 256; i++)
		check_true((k.buffer[0].written[i / 8] >> i % 8 & 1) == (i >= 20), "byte %d", i);
	kit_free(&k);
}

/* ---- arithmetic -------------------------------------------------------------------------------
 */

static void integer_division_by_zero(void **state)
{
	(void)state;
	bad(KERNEL("", "div.u32 %r1, 100, %r0;\n"), FIND_DIV_BY_ZERO, "divided by zero", BODY);
	bad(KERNEL("", "cvt.u64.u32 %d4, %r0; \nrem.s64 %d5, 5, %d4; cvt.u32.u64 %r1, %d5;\n"),
	    FIND_DIV_BY_ZERO, "divided by zero", BODY + 1);
	good(KERNEL("", "add.u32 %r2, %r0, 1; div.u32 %r1, 100, %r2;\n"));
	/* the lanes with a zero do not take part */
	good(KERNEL("", "setp.ne.u32 %p1, %r0, 0; @%p1 div.u32 %r1, 100, %r0;\n"));
}
static void where_the_first_infinity_comes_from(void **state)
{
	(void)state;
	struct kit k = check_kernel(
	        KERNEL("", "cvt.rn.f32.u32 %f1, %r0; mov.f32 %f2, 0f7F000000;\n"
	                   "mul.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %f3;\nmov.b32 %r1, %f4;\n"),
	        64, FIND_NONFINITE, true);
	const struct finding *f = kit_found(&k, FIND_NONFINITE);
	/* 2^127 * 2 overflows: threads 2 and up; 2^127 + 2^127 in the next line: thread 1 */
	check_true(f->ptx_line == BODY + 1 && f->thread[0] == 2 && f->count == 62,
	           "line %d thread %u count %" PRIu64, f->ptx_line, f->thread[0], f->count);
	check_true(k.report.nfindings == 2 && k.report.findings[1].thread[0] == 1 &&
	                   k.report.findings[1].count == 1,
	           "%d findings", k.report.nfindings);
	kit_clean(&k); /* information, not an error */
	kit_free(&k);
	/* an accumulator that is already infinite does not make it */
	struct kit q =
	        check_kernel(KERNEL("", "mov.f32 %f1, 0f7F800000; fma.rn.f32 %f1, %f1, %f1, %f1;\n"
	                                "mov.b32 %r1, %f1;\n"),
	                     64, FIND_COUNT, false);
	check_true(q.report.nfindings == 0, "%d findings", q.report.nfindings);
	kit_free(&q);
}
static void a_32_bit_index_that_overflows(void **state)
{
	(void)state;
	/* row * 2^27 as a signed int: thread 16 and up overflow (and all addresses lead outside) */
	bad(KERNEL("", "mul.lo.s32 %r2, %r0, 134217728;\nmul.wide.s32 %d4, %r2, 4; add.s64 %d5, "
	               "%d2, %d4;\n"
	               "ld.global.u32 %r1, [%d5];\n"),
	    FIND_ADDRESS_OVERFLOW, "32-bit product or sum", BODY + 2);
	static const char wide[] = KERNEL("", "mul.lo.u32 %r2, %r0, 67108864;\nand.b32 %r3, %r2, "
	                                      "255; cvt.u64.u32 %d4, %r3; add.s64 %d5, %d2, %d4;\n"
	                                      "ld.global.u32 %r1, [%d5];\n");
	good(wide); /* cut down to its low bits: meant to wrap */
	/* a + b - b wraps there and back */
	good(KERNEL(
	        "",
	        "add.s32 %r2, %r10, 2147483647; sub.s32 %r3, %r2, 2147483647;\n"
	        "mul.wide.s32 %d4, %r3, 4; add.s64 %d5, %d2, %d4; ld.global.u32 %r1, [%d5];\n"));
	/* negative steps of an unsigned counter wrap as unsigned numbers only */
	good(KERNEL("", "add.u32 %r2, %r10, 4; add.u32 %r2, %r2, -1; mul.wide.u32 %d4, %r2, 4;\n"
	                "add.s64 %d5, %d2, %d4; ld.global.u32 %r1, [%d5];\n"));
	/* overflowed, but the access is not made */
	good(KERNEL("", "mul.lo.s32 %r2, %r0, 67108864; setp.lt.u32 %p1, %r0, 1;\n"
	                "mul.wide.s32 %d4, %r2, 4; add.s64 %d5, %d2, %d4; @%p1 ld.global.u32 %r1, "
	                "[%d5];\n"));
	/* a hash that wraps and is reduced */
	good(KERNEL(
	        "",
	        "mul.lo.u32 %r2, %r0, -1640531535; rem.u32 %r2, %r2, 100;\n"
	        "mul.wide.u32 %d4, %r2, 4; add.s64 %d5, %d2, %d4; ld.global.u32 %r1, [%d5];\n"));
}

/* ---- shuffles ---------------------------------------------------------------------------------
 */

static void a_shuffle_from_lanes_that_are_not_there(void **state)
{
	(void)state;
	struct kit k = check_kernel(KERNEL("", "shfl.sync.down.b32 %r1, %r0, 16, 31, -1;\n"), 48,
	                            FIND_SHUFFLE_INACTIVE, true);
	const struct finding *f = kit_found(&k, FIND_SHUFFLE_INACTIVE);
	check_true(f->thread[0] == 32 && strstr(f->text, "lane 16, which does not exist"), "%u %s",
	           f->thread[0], f->text);
	check_true(kit_found(&k, FIND_UNINIT_READ) != NULL, "the value is not poisoned");
	kit_free(&k);
	bad(KERNEL("", "setp.lt.u32 %p1, %r10, 16; @%p1 bra A; bra J;\nA: shfl.sync.bfly.b32 %r1, "
	               "%r0, 16, 31, -1;\nJ:\n"),
	    FIND_SHUFFLE_INACTIVE, "does not take part", BODY + 1);
	good(KERNEL("", "shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;\n"));
	/* half a warp that stays within itself */
	good(KERNEL("", "setp.lt.u32 %p1, %r10, 16; @!%p1 bra J;\n"
	                "shfl.sync.bfly.b32 %r1, %r0, 8, 0x101f, 0xffff;\nJ:\n"));
}

/* ---- where ------------------------------------------------------------------------------------
 */

static void a_finding_names_the_source_line(void **state)
{
	(void)state;
	struct kit k = check_kernel(
	        KERNEL("", ".loc 1 42 7\ndiv.u32 %r1, 100, %r0;\n") ".file 1 \"kernel.cu\"\n", 64,
	        FIND_DIV_BY_ZERO, true);
	const struct finding *f = kit_found(&k, FIND_DIV_BY_ZERO);
	check_true(f->source_line == 42 && !strcmp(f->source_file, "kernel.cu") &&
	                   !strcmp(f->entry, "k") && f->count == 1 && f->block[0] == 0 &&
	                   f->thread[0] == 0,
	           "%s:%d %s", f->source_file, f->source_line, f->entry);
	kit_free(&k);
}

/* An inlined function of a header is told at its call: the line of its text says nothing to who has not the header. In the same
 * file its own line tells more. */
static void what_a_header_does_is_told_at_its_call(void **state)
{
#define AT(loc)                                                                                    \
	KERNEL("", loc "\ndiv.u32 %r1, 100, %r0;\n") ".file 1 \"kernel.cu\"\n.file 2 \"cuda_fp16.h\"\n"
	static const struct {
		const char *ptx, *file;
		int line;
	} places[] = {{AT(".loc 2 4690 25, function_name F, inlined_at 1 31 4"), "kernel.cu", 31},
	              {AT(".loc 1 17 3, function_name F, inlined_at 1 31 4"), "kernel.cu", 17},
	              {AT(".loc 2 4690 25"), "cuda_fp16.h", 4690}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		struct kit k = check_kernel(places[i].ptx, 64, FIND_DIV_BY_ZERO, true);
		const struct finding *f = kit_found(&k, FIND_DIV_BY_ZERO);
		check_true(f->source_line == places[i].line &&
		                   !strcmp(f->source_file, places[i].file),
		           "%s:%d, not %s:%d", f->source_file, f->source_line, places[i].file,
		           places[i].line);
		kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_a_header_does_is_told_at_its_call),
	        cmocka_unit_test(a_register_that_nothing_set),
	        cmocka_unit_test(shared_memory_that_nothing_wrote),
	        cmocka_unit_test(global_memory_that_nothing_wrote),
	        cmocka_unit_test(padding_between_the_rows_of_a_view),
	        cmocka_unit_test(written_bytes_are_marked),
	        cmocka_unit_test(integer_division_by_zero),
	        cmocka_unit_test(where_the_first_infinity_comes_from),
	        cmocka_unit_test(a_32_bit_index_that_overflows),
	        cmocka_unit_test(a_shuffle_from_lanes_that_are_not_there),
	        cmocka_unit_test(a_finding_names_the_source_line),
	};
	return check_main(tests);
}
