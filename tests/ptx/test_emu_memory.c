/* test_emu_memory.c - loads and stores of the emulator in every space, and what they report. */
#include "tests/ptx/emu_kit.h"

static const char saxpy[] =
        HEAD ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)\n"
             "{\n"
             ".reg .pred %p<2>;\n.reg .f32 %f<5>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<8>;\n"
             "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nld.param.f32 %f1, [a];\n"
             "ld.param.u32 %r2, [n];\n"
             "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
             "mad.lo.s32 %r1, %r3, %r4, %r5;\nsetp.ge.s32 %p1, %r1, %r2;\n@%p1 bra DONE;\n"
             "cvta.to.global.u64 %rd3, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\n"
             "mul.wide.s32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd3, %rd5;\nadd.s64 %rd7, %rd4, %rd5;\n"
             "ld.global.f32 %f2, [%rd6];\nld.global.f32 %f3, [%rd7];\n"
             "fma.rn.f32 %f4, %f1, %f2, %f3;\nst.global.f32 [%rd7], %f4;\n"
             "DONE: ret;\n}\n";

static void saxpy_setup(struct kit *k, size_t n, uint32_t count)
{
	float *x = kit_buffer(k, "x", RUN_IN, DT_F32, n),
	      *y = kit_buffer(k, "y", RUN_IN, DT_F32, n);
	float a = 3;
	for (size_t i = 0; i < n; i++)
		x[i] = (float)i, y[i] = 1;
	kit_scalar(k, &a, 4);
	kit_u32(k, count);
	kit_shape(k, (uint32_t)(n + 127) / 128, 128);
}

static void a_kernel_adds_and_leaves_the_rest_alone(void **state)
{
	(void)state;
	for (int san = 0; san < 2; san++) {
		struct kit k = {.options.sanitize = san};
		saxpy_setup(&k, 1000, 999);
		kit_run(&k, saxpy, "saxpy");
		kit_clean(&k);
		const float *y = (float *)(void *)k.buffer[1].data;
		for (int i = 0; i < 1000; i++)
			check_true(y[i] == (i < 999 ? 3.0f * (float)i + 1 : 1), "y[%d] = %g", i,
			           (double)y[i]);
		kit_free(&k);
	}
}

static void expect_words(const char *ptx, uint32_t block, uint32_t (*f)(uint32_t i))
{
	static const char *const isa[] = {"sse2", "avx2", "avx512"};
	for (int v = 0; v < 6; v++) {
		struct kit k = {.options.sanitize = v & 1, .isa = isa[v / 2]};
		if (!emu_isa_choose(k.isa))
			continue;
		const uint32_t *out = kit_words(&k, ptx, 2, block);
		kit_clean(&k);
		for (uint32_t i = 0; i < 2 * block; i++)
			check_true(out[i] == f(i), "%s, thread %u: got %x, want %x", k.isa, i,
			           out[i], f(i));
		kit_free(&k);
	}
}
static uint32_t word(uint32_t i)
{
	return i * 2654435761u; /* what kit_words puts into `in` */
}

/* ---- shapes of access -------------------------------------------------------------------------
 */

static uint32_t gathered(uint32_t i)
{
	return word(i * 37 % 1024) + word(5) + word(i);
}
static void contiguous_same_and_scattered_addresses(void **state)
{
	(void)state;
	expect_words(KERNEL("", "mul.lo.u32 %r2, %r0, 37; and.b32 %r2, %r2, 1023; mul.wide.u32 "
	                        "%d4, %r2, 4;\n"
	                        "add.u64 %d4, %d2, %d4; ld.global.u32 %r3, [%d4]; ld.global.nc.u32 "
	                        "%r4, [%d2+20];\n"
	                        "add.u64 %d5, %d2, %d3; ld.global.u32 %r5, [%d5];\n"
	                        "add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5;\n"),
	             75, gathered);
}
static uint32_t bytes(uint32_t i)
{
	uint32_t w = word(i % 64);
	return (uint32_t)(int8_t)w + (w >> 8 & 255) + (uint32_t)(int16_t)(w >> 16) * 3;
}
static void signed_and_unsigned_parts_of_words(void **state)
{
	(void)state;
	expect_words(
	        KERNEL("",
	               "and.b32 %r2, %r0, 63; mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %d2, %d4;\n"
	               "ld.global.s8 %r3, [%d4]; ld.global.u8 %h1, [%d4+1]; cvt.u32.u16 %r4, %h1;\n"
	               "ld.global.s16 %d5, [%d4+2]; cvt.u32.u64 %r5, %d5; mul.lo.u32 %r5, %r5, 3;\n"
	               "add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5;\n"),
	        64, bytes);
}
static uint32_t vectors(uint32_t i)
{
	uint32_t r = 0;
	for (uint32_t k = 0; k < 4; k++)
		r = r * 5 + word(4 * i + k);
	return r + word(2 * i + 1) * 7 + (word(4 * i) & 0xffff) + word(4 * i + 3);
}
static void vectors_of_two_and_four(void **state)
{
	(void)state;
	expect_words(
	        KERNEL("",
	               "mul.wide.u32 %d4, %r0, 16; add.u64 %d4, %d2, %d4; mul.wide.u32 %d5, %r0, "
	               "8;\n"
	               "add.u64 %d5, %d2, %d5; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d4];\n"
	               "ld.global.v2.b32 {_, %r6}, [%d5]; ld.global.v4.u16 {%h1, %h2, %h3, %h4}, "
	               "[%d4];\n"
	               "ld.global.v2.u64 {%d6, %d7}, [%d4]; shr.u64 %d7, %d7, 32; cvt.u32.u64 %r7, "
	               "%d7;\n"
	               "mad.lo.u32 %r1, %r2, 5, %r3; mad.lo.u32 %r1, %r1, 5, %r4; mad.lo.u32 %r1, "
	               "%r1, 5, %r5;\n"
	               "mad.lo.u32 %r1, %r6, 7, %r1; cvt.u32.u16 %r8, %h1; add.u32 %r1, %r1, %r8;\n"
	               "add.u32 %r1, %r1, %r7;\n"),
	        64, vectors);
}
static uint32_t through_shared(uint32_t i)
{
	uint32_t t = i % 64, other = 63 - t, j = i - t + other;
	return word(j) + 1 + (word(j) ^ 0xff) + 3;
}
static void vectors_and_generic_addresses_of_shared_memory(void **state)
{
	(void)state;
	expect_words(
	        KERNEL(".shared .align 16 .b8 s[1024];",
	               "mov.u64 %d4, s; mul.wide.u32 %d5, %r10, 16; add.u64 %d6, %d4, %d5;\n"
	               "add.u64 %d7, %d2, %d3; ld.global.u32 %r2, [%d7]; xor.b32 %r3, %r2, 255;\n"
	               "mov.u32 %r4, 1; mov.u32 %r5, 3; st.shared.v4.u32 [%d6], {%r2, %r4, %r3, "
	               "%r5};\nbar.sync 0;\n"
	               "cvta.shared.u64 %d8, %d4; sub.u32 %r6, 63, %r10; mul.wide.u32 %d9, %r6, "
	               "16;\n"
	               "add.u64 %d8, %d8, %d9; ld.v4.u32 {%r20, %r21, %r22, %r23}, [%d8];\n"
	               "add.u32 %r1, %r20, %r21; add.u32 %r1, %r1, %r22; add.u32 %r1, %r1, "
	               "%r23;\n"),
	        64, through_shared);
}
static uint32_t from_local(uint32_t i)
{
	return i % 8 * 11 + i;
}
static void local_arrays_are_each_threads_own(void **state)
{
	(void)state;
	expect_words(
	        KERNEL(".local .align 8 .b8 depot[64];",
	               "mov.u64 %d4, depot; cvta.local.u64 %d5, %d4; mov.u32 %r2, 0;\n"
	               "L: mul.wide.u32 %d6, %r2, 4; add.u64 %d7, %d5, %d6; mad.lo.u32 %r3, %r2, "
	               "11, %r0;\n"
	               "st.u32 [%d7], %r3; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8; @%p1 bra "
	               "L;\n"
	               "and.b32 %r4, %r0, 7; mul.wide.u32 %d6, %r4, 4; add.u64 %d7, %d4, %d6;\n"
	               "ld.local.u32 %r1, [%d7];\n"),
	        64, from_local);
}
static uint32_t from_tables(uint32_t i)
{
	static const uint32_t t[4] = {10, 20, 30, 40};
	return t[i & 3] + 30 + 5 + 1;
}
static void tables_in_constant_and_global_memory(void **state)
{
	(void)state;
	expect_words(
	        HEAD
	        ".const .align 4 .u32 t[4] = {10, 20, 30, 40};\n.global .align 8 .u64 p[1] = "
	        "{generic(t)};\n"
	        ".global .align 4 .u32 c = 5;\n.extern .shared .align 16 .b8 dyn[];\n"
	        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<9>; .reg .b64 "
	        "%d<9>;\n"
	        "ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, "
	        "%ntid.x;\n"
	        "mad.lo.u32 %r0, %r2, %r3, %r0; mul.wide.u32 %d2, %r0, 4; add.u64 %d1, %d1, %d2;\n"
	        "and.b32 %r2, %r0, 3; mul.wide.u32 %d3, %r2, 4; mov.u64 %d4, t; add.u64 %d4, %d4, "
	        "%d3;\n"
	        "ld.const.u32 %r1, [%d4]; ld.global.u64 %d5, [p]; ld.u32 %r3, [%d5+8];\n"
	        "ld.global.u32 %r4, [c]; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 "
	        "%r1, %r1, 1;\n"
	        "st.global.u32 [%d1], %r1; ret;\n}\n",
	        64, from_tables);
}
static void parameters_by_value_and_by_address(void **state)
{
	(void)state;
	static const char ptx[] = HEAD
	        ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[16], .param .u16 h)\n{\n"
	        ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b16 %h<3>;\n"
	        "ld.param.u64 %d1, [out]; ld.param.v2.u32 {%r1, %r2}, [s+8]; ld.param.u16 %h1, "
	        "[h];\n"
	        "mov.b64 %d2, s; ld.param.u32 %r3, [%d2+4]; cvt.u32.u16 %r4, %h1;\n"
	        "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;\n"
	        "st.global.u32 [%d1], %r1; ret;\n}\n";
	uint32_t s[4] = {1, 20, 300, 4000};
	uint16_t h = 50000;
	struct kit k = {.options.sanitize = true};
	uint32_t *out = kit_buffer(&k, "out", RUN_OUT, DT_U32, 1);
	kit_scalar(&k, s, 16);
	kit_scalar(&k, &h, 2);
	kit_shape(&k, 1, 1);
	kit_run(&k, ptx, "k");
	kit_clean(&k);
	check_true(*out == 54320, "%u", *out);
	kit_free(&k);
	struct kit few = {.nbuffers = 0};
	kit_shape(&few, 1, 1);
	check_fails(kit_try(&few, ptx, "k"), ST_INPUT, &few.err,
	            "takes 3 arguments, the launch gives 0");
	kit_u32(&few, 1);
	kit_u32(&few, 1);
	kit_u32(&few, 1);
	check_fails(kit_try(&few, ptx, "k"), ST_INPUT, &few.err, "(out) of kernel k has 8 bytes");
	check_fails(kit_try(&few, ptx, "nix"), ST_INPUT, &few.err, "no kernel named nix");
}

/* ---- what is wrong with an access -------------------------------------------------------------
 */

static void outside(const char *ptx, uint32_t block, enum finding_kind kind, const char *buffer,
                    int64_t element, uint32_t thread, bool complete)
{
	for (int san = 0; san < 2; san++) {
		struct kit k = {.options.sanitize = san};
		kit_buffer(&k, "out", RUN_OUT, DT_U32, 64);
		kit_buffer(&k, "in", RUN_WORKSPACE, DT_U32, 64);
		memset(k.buffer[1].written, 0xff, 32);
		kit_shape(&k, 1, block);
		kit_run(&k, ptx, "k");
		const struct finding *f = kit_found(&k, kind);
		check_true(f && !strcmp(f->buffer, buffer) && f->element == element &&
		                   f->thread[0] == thread,
		           "%s: %s", finding_name(kind),
		           f                    ? f->text
		           : k.report.nfindings ? k.report.findings[0].text
		                                : "nothing");
		check_true(k.report.complete == complete, "complete: %d", k.report.complete);
		check_true(complete || kit_found(&k, FIND_ILLEGAL_ADDRESS) ||
		                   kind == FIND_MISALIGNED,
		           "no end");
		kit_free(&k);
	}
}
static void accesses_outside_a_buffer(void **state)
{
	(void)state;
	/* one element past the end, one before the beginning: in the guard, the run goes on */
	outside(KERNEL("", "add.u64 %d4, %d2, %d3; ld.global.u32 %r1, [%d4+4];\n"), 64,
	        FIND_OOB_READ, "in", 64, 63, true);
	outside(KERNEL("", "add.u64 %d4, %d2, %d3; ld.global.u32 %r1, [%d4+-8];\n"), 64,
	        FIND_OOB_READ, "in", -2, 0, true);
	outside(KERNEL("", "add.u64 %d4, %d2, %d3; st.global.u32 [%d4+240], %r1;\n"), 64,
	        FIND_OOB_WRITE, "in", 64, 4, true);
	outside(KERNEL("", "add.u64 %d4, %d2, %d3; red.global.add.u32 [%d4+4], 1;\n"), 64,
	        FIND_OOB_WRITE, "in", 64, 63, true);
	/* far away, both ways */
	outside(KERNEL("", "ld.global.u32 %r1, [%d2+1000000];\n"), 64, FIND_OOB_READ, "in", 250000,
	        0, false);
	outside(KERNEL("", "ld.global.u32 %r1, [%d2+-1000000];\n"), 64, FIND_OOB_READ, "in",
	        -250000, 0, false);
	outside(KERNEL("", "mul.wide.s32 %d4, %r0, -2147483647; shl.b64 %d4, %d4, 2; add.u64 %d4, "
	                   "%d2, %d4;\n"
	                   "ld.global.u32 %r1, [%d4];\n"),
	        64, FIND_OOB_READ, "in", -2147483647, 1, false);
	outside(KERNEL("", "mov.u64 %d4, 64; ld.global.u32 %r1, [%d4];\n"), 64,
	        FIND_ILLEGAL_ADDRESS, "", 0, 0, false);
	outside(KERNEL("", "add.u64 %d4, %d2, %d3; ld.global.u32 %r1, [%d4+2];\n"), 32,
	        FIND_MISALIGNED, "", 0, 0, false);
	outside(KERNEL("", "add.u64 %d4, %d2, %d3; ld.global.v2.u32 {%r1, %r2}, [%d4];\n"), 32,
	        FIND_MISALIGNED, "", 0, 1, false);
}
static void what_lies_in_the_guard_is_read(void **state)
{
	(void)state;
	struct kit k = {.nbuffers = 0};
	uint32_t *out = kit_buffer(&k, "out", RUN_OUT, DT_U32, 32);
	kit_buffer(&k, "in", RUN_IN, DT_U32, 32);
	kit_shape(&k, 1, 32);
	kit_run(&k, KERNEL("", "add.u64 %d4, %d2, %d3; ld.global.u32 %r1, [%d4+4];\n"), "k");
	check_true(out[30] == 0 && out[31] == 0xa5a5a5a5u, "%x %x", out[30], out[31]);
	kit_free(&k);
}
static void accesses_outside_shared_and_local_memory(void **state)
{
	(void)state;
	outside(KERNEL(".shared .align 4 .b8 s[256];",
	               "mov.u32 %r2, s; shl.b32 %r3, %r10, 2; add.u32 %r2, %r2, %r3;\n"
	               "st.shared.u32 [%r2+4], %r1;\n"),
	        64, FIND_OOB_WRITE, "shared", 256, 63, true);
	outside(KERNEL(".shared .align 4 .b8 s[256];",
	               "mov.u32 %r2, s; ld.shared.u32 %r1, [%r2+-4];\n"),
	        32, FIND_OOB_READ, "shared", -4, 0, true);
	outside(KERNEL(".shared .align 4 .b8 s[256];",
	               "mov.u64 %d4, s; ld.shared.u32 %r1, [%d4+100000];\n"),
	        32, FIND_OOB_READ, "shared", 100000, 0, false);
	outside(KERNEL(".shared .align 4 .b8 s[256];",
	               "mov.u64 %d4, 0x7ffffffffffffffc; ld.shared.u32 %r1, [%d4];\n"),
	        32, FIND_OOB_READ, "shared", INT64_MAX - 3, 0, false);
	outside(KERNEL(".local .align 4 .b8 l[16];",
	               "mov.u64 %d4, l; st.local.u32 [%d4+16], %r1;\n"),
	        32, FIND_OOB_WRITE, "local", 16, 0, false);
}
static void dynamic_shared_memory_follows_the_static(void **state)
{
	(void)state;
	static const char ptx[] = HEAD
	        ".extern .shared .align 16 .b8 dyn[];\n"
	        ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[20];\n.reg .b32 "
	        "%r<9>; .reg .b64 %d<9>;\n"
	        "ld.param.u64 %d1, [out]; mov.u32 %r1, dyn; mov.u32 %r2, s; sub.u32 %r3, %r1, "
	        "%r2;\n"
	        "st.shared.u32 [%r1+60], %r3; mov.u32 %r5, %dynamic_smem_size; st.shared.u32 [s], "
	        "%r5;\n"
	        "ld.shared.u32 %r4, [dyn+60]; ld.shared.u32 %r6, [%r2]; add.u32 %r4, %r4, %r6;\n"
	        "st.global.u32 [%d1], %r4; ret;\n}\n";
	struct kit k = {.launch.shared = 64, .options.sanitize = true};
	uint32_t *out = kit_buffer(&k, "out", RUN_OUT, DT_U32, 1);
	kit_shape(&k, 1, 1);
	kit_run(&k, ptx, "k");
	kit_clean(&k);
	check_true(*out == 32 + 64, "%u", *out); /* 20 rounded up to the 16 of dyn, and its size */
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_kernel_adds_and_leaves_the_rest_alone),
	        cmocka_unit_test(contiguous_same_and_scattered_addresses),
	        cmocka_unit_test(signed_and_unsigned_parts_of_words),
	        cmocka_unit_test(vectors_of_two_and_four),
	        cmocka_unit_test(vectors_and_generic_addresses_of_shared_memory),
	        cmocka_unit_test(local_arrays_are_each_threads_own),
	        cmocka_unit_test(tables_in_constant_and_global_memory),
	        cmocka_unit_test(parameters_by_value_and_by_address),
	        cmocka_unit_test(accesses_outside_a_buffer),
	        cmocka_unit_test(what_lies_in_the_guard_is_read),
	        cmocka_unit_test(accesses_outside_shared_and_local_memory),
	        cmocka_unit_test(dynamic_shared_memory_follows_the_static),
	};
	return check_main(tests);
}
