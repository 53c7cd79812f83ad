/* test_emu_memory.c - loads and stores of the emulator in every space, and what they report. */
#include "tests/ptx/emu_kit.h"

static const char saxpy[] = HEAD
	".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)\n"
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
	float *x = kit_buffer(k, "x", RUN_IN, DT_F32, n), *y = kit_buffer(k, "y", RUN_IN, DT_F32, n);
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
			check_true(y[i] == (i < 999 ? 3.0f * (float)i + 1 : 1), "y[%d] = %g", i, (double)y[i]);
		kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_adds_and_leaves_the_rest_alone),
	};
	return check_main(tests);
}
