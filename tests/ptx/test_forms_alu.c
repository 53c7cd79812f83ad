/* test_forms_alu.c - every arithmetic form of the instruction table, through parser, lowering
 * and emulator, against form_alu.h.  The forms come from the table: one that is added there is
 * tested here, or fails by name for want of a reference.  (tests/calibrate/test_isa.c holds the same
 * forms against what an H200 computed.) */
#include "tests/ptx/form_alu.h"

enum { THREADS = 96, BATCH = 64 };

static const char alu_ops[] =
        " abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a"
        " dp4a ex2 fma fns lg2 lop3 mad mad24 madc max min mov mul mul24 neg not or popc prmt rcp "
        "rem rsqrt"
        " sad selp set setp shf shl shr sin slct sqrt sub subc szext tanh testp xor ";
static const char memory_ops[] = " atom ld ldu red st ";
static const char flow_ops[] =
        " activemask bar barrier bra brkpt brx call cvta exit fence isspacep membar"
        " nanosleep prefetch prefetchu ret shfl trap vote ";

static enum form_group group_of(const char *text)
{
	char op[24];
	snprintf(op, sizeof op, " %.*s ", (int)strcspn(text, "."), text);
	return strstr(alu_ops, op)      ? GROUP_ALU
	       : strstr(memory_ops, op) ? GROUP_MEMORY
	       : strstr(flow_ops, op)   ? GROUP_FLOW
	                                : GROUP_NONE;
}
static void every_form_belongs_to_a_test(void **state)
{
	(void)state;
	check_true(ptx_form_count() > 1000, "only %zu forms", ptx_form_count());
	for (size_t i = 0; i < ptx_form_count(); i++) {
		struct ptx_form f = ptx_form_get(i);
		check_true(group_of(f.text) != GROUP_NONE, "no test has a reference for %s",
		           f.text);
	}
}

struct batch {
	struct form form[BATCH];
	int n;
};
/* What went wrong, one line a form; all of them are shown at the end. */
static struct buf wrong;
static unsigned nwrong;

static bool check_form(const struct form *f, const struct form_values *v, const uint64_t *out,
                       const char *isa)
{
	for (unsigned i = 0; i < THREADS; i++) {
		struct form_values want = v[i];
		if (!alu_reference(f, &want)) {
			buf_printf(&wrong, "%s: there is no reference\n", f->text);
			return false;
		}
		if (out[2 * i] == want.d && out[2 * i + 1] == want.second)
			continue;
		buf_printf(&wrong,
		           "%s (%s) of %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64
		           " carry %" PRIx64 ": got %" PRIx64 " and %" PRIx64 ", want %" PRIx64
		           " and %" PRIx64 "\n",
		           f->text, isa, v[i].in[0], v[i].in[1], v[i].in[2], v[i].in[3], v[i].in[5],
		           out[2 * i], out[2 * i + 1], want.d, want.second);
		return false;
	}
	return true;
}
/* Runs kernel number i of m on one instruction set of the host. */
static bool run_form(const struct ptx_module *m, int i, const struct form *f,
                     const struct form_values *v, const char *set)
{
	const struct emu_isa *isa = emu_isa_choose(set);
	struct kit kit = {0};
	struct ptx_program *p = NULL;
	char name[16];
	if (!isa)
		return true;
	uint64_t *in = kit_buffer(&kit, "in", RUN_IN, DT_U64, THREADS * FORM_IN);
	uint64_t *out = kit_buffer(&kit, "out", RUN_OUT, DT_U64, THREADS * 2);
	for (unsigned t = 0; t < THREADS; t++)
		memcpy(in + t * FORM_IN, v[t].in, sizeof v[t].in);
	kit_shape(&kit, 1, THREADS);
	snprintf(name, sizeof name, "k%d", i);
	kit.launch.entry = name;
	kit.launch.args = kit.arg;
	bool ok = emu_lower(m, name, &kit.lowering, isa, &p, &kit.err) == ST_OK;
	if (ok) {
		check_ok(ptx_run(p, &kit.launch, kit.buffer, kit.nbuffers, &kit.options,
		                 &kit.report, &kit.err),
		         &kit.err);
		kit_clean(&kit);
		ok = check_form(f, v, out, set);
	} else {
		buf_printf(&wrong, "%s: %s\n", f->text, kit.err.msg);
	}
	ptx_program_free(p);
	kit_free(&kit);
	return ok;
}
/* All kernels of a batch are one module. */
static void run_batch(const struct batch *b)
{
	static const char *const sets[] = {"sse2", "avx2", "avx512"};
	struct ptx_module *m = NULL;
	struct err e = {0};
	struct buf text = {0};

	buf_puts(&text, ".version 8.5\n.target sm_90\n.address_size 64\n");
	for (int i = 0; i < b->n; i++)
		form_kernel(&text, &b->form[i], (unsigned)i);
	check_ok(ptx_parse(text.s, text.len, "forms.ptx", &m, &e), &e);
	for (int i = 0; i < b->n; i++) {
		struct form_values v[THREADS];
		bool ok = true;
		alu_sources(&b->form[i], v, THREADS);
		for (size_t k = 0; ok && k < ARRAY_LEN(sets); k++)
			ok = run_form(m, i, &b->form[i], v, sets[k]);
		nwrong += !ok;
	}
	ptx_module_free(m);
	buf_free(&text);
}

/* The forms of group ALU whose opcode is one of ops. */
static void check_ops(const char *ops)
{
	static struct batch b;
	char op[24];
	unsigned tested = 0;
	b.n = 0;
	for (size_t i = 0; i < ptx_form_count(); i++) {
		struct ptx_form f = ptx_form_get(i);
		snprintf(op, sizeof op, " %.*s ", (int)strcspn(f.text, "."), f.text);
		if (!strstr(ops, op))
			continue;
		form_read(&b.form[b.n++], f.text);
		tested++;
		if (b.n == BATCH) {
			run_batch(&b);
			b.n = 0;
		}
	}
	run_batch(&b);
	check_true(tested > 0, "no form of%s", ops);
	if (nwrong)
		print_error("%s", wrong.s);
	buf_free(&wrong);
	wrong = (struct buf){0};
	unsigned n = nwrong;
	nwrong = 0;
	check_true(n == 0, "%u of %u forms are wrong", n, tested);
}
static void comparisons(void **state)
{
	(void)state;
	check_ops(" set setp selp slct ");
}
static void conversions(void **state)
{
	(void)state;
	check_ops(" cvt ");
}
static void logic_and_bits(void **state)
{
	(void)state;
	check_ops(" popc clz bfind brev bfe bfi szext bmsk fns shl shr shf lop3 prmt and or xor "
	          "not cnot mov ");
}
static void special_functions(void **state)
{
	(void)state;
	check_ops(" rcp sqrt rsqrt sin cos lg2 ex2 tanh ");
}
static void arithmetic(void **state)
{
	(void)state;
	check_ops(" abs add addc copysign div dp2a dp4a fma mad mad24 madc max min mul mul24 neg "
	          "rem sad sub"
	          " subc testp ");
}

static int init(void **state)
{
	(void)state;
	mpfr_init2(alu_x, 64);
	return 0;
}
int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_form_belongs_to_a_test),
	        cmocka_unit_test(arithmetic),
	        cmocka_unit_test(logic_and_bits),
	        cmocka_unit_test(special_functions),
	        cmocka_unit_test(comparisons),
	        cmocka_unit_test(conversions),
	};
	return cmocka_run_group_tests_name(__FILE__, tests, init, NULL);
}
