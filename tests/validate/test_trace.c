/* test_trace.c - the first instruction that gives another result is found: every kernel of the corpus against itself, and
 * against copies in which one instruction was changed. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#include "validate/trace.h"

static struct device *emu;

static struct dev_module *load(const char *text)
{
	struct dev_module *m = NULL;
	struct err e = {0};

	check_ok(device_load(emu, text, strlen(text), "test", &m, &e), &e);
	return m;
}

static void changed_instructions_are_found(void **state)
{
	static const struct {
		const char *folder, *line;
		const char *was, *becomes; /* everywhere; the instruction that is found begins with the first */
		bool differs;
	} rows[] = {
		{"corpus/control/relu", "relu/f32 N=300 seed=0x1", "st.global", "st.global", false},
		{"corpus/control/softmax", "softmax/f32 R=3,C=70 seed=0x1", "ex2.approx.ftz.f32", "lg2.approx.ftz.f32", true},
		{"corpus/control/sigmoid", "sigmoid/f32 N=300 seed=0x1", "ex2.approx.ftz.f32", "lg2.approx.ftz.f32", true},
		{"corpus/control/matmul", "matmul/f32 M=5,N=6,K=9 seed=0x1", "fma.rn.f32", "fma.rz.f32", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kernel *k = NULL;
		struct dev_module *a, *b;
		struct ptx_trace_place at;
		struct kase c;
		struct err e = {0};
		const char *ptx;
		char *other, *place;
		size_t len;
		bool found;

		check_ok(kernel_read(rows[i].folder, &k, &e), &e);
		ptx = kernel_ptx(k, &len);
		other = mem_strdup(ptx);
		for (place = other; (place = strstr(place, rows[i].was)) != NULL; place++)
			memcpy(place, rows[i].becomes, strlen(rows[i].becomes));
		check_ok(case_parse(rows[i].line, kernel_op(k), &c, &e), &e);
		a = load(ptx);
		b = load(other);
		found = trace_first(emu, dev_module_ptx(a), emu, dev_module_ptx(b), k, &c, &at);
		check_true(found == rows[i].differs, "%s: found %d", rows[i].folder, found);
		if (found) /* the place is told as the first module has it */
			check_true(strncmp(at.text, rows[i].was, strlen(rows[i].was)) == 0 && at.ptx_line > 0,
			           "%s: line %d: %s", rows[i].folder, at.ptx_line, at.text);
		free(other);
		dev_module_free(a);
		dev_module_free(b);
		kernel_free(k);
	}
}

/* What is traced computes what it computed, and is the same twice. */
static void instrumented_kernels_agree_with_themselves(void **state)
{
	static const char *const kernels[][2] = {
		{"corpus/control/softmax_tiled", "softmax/f16 R=3,C=130 seed=0x1"},
		{"corpus/control/layernorm", "layernorm/bf16 R=3,C=33 seed=0x1"},
		{"corpus/control/flash_attention", "attention/f32 B=1,H=2,G=1,N=5,L=40,D=16,E=16 seed=0x1"},
		{"corpus/control/gelu", "gelu/f16 N=77 seed=0x1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
		struct kernel *k = NULL;
		struct dev_module *m, *traced;
		struct ptx_trace_place *places = NULL, at;
		struct buf text = {0};
		struct kase c;
		struct err e = {0};
		size_t len;
		int n = 0;

		check_ok(kernel_read(kernels[i][0], &k, &e), &e);
		check_ok(case_parse(kernels[i][1], kernel_op(k), &c, &e), &e);
		m = load(kernel_ptx(k, &len));
		check_ok(ptx_trace_text(dev_module_ptx(m), kernel_entry(k, case_dtype_index(&c, k), 0), &text, &places, &n,
		                        &e), &e);
		check_true(n > 20, "%s: only %d instructions", kernels[i][0], n);
		traced = load(text.s);
		check_true(!trace_first(emu, dev_module_ptx(m), emu, dev_module_ptx(m), k, &c, &at), "%s: line %d: %s",
		           kernels[i][0], at.ptx_line, at.text);
		dev_module_free(traced);
		dev_module_free(m);
		kernel_free(k);
		buf_free(&text);
		free(places);
	}
}

static int open_emu(void **state)
{
	struct err e = {0};

	(void)state;
	return device_open("emu", &emu, &e) == ST_OK ? 0 : -1;
}

static int close_emu(void **state)
{
	(void)state;
	device_close(emu);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_instructions_are_found),
		cmocka_unit_test(instrumented_kernels_agree_with_themselves),
	};

	return cmocka_run_group_tests(tests, open_emu, close_emu);
}
