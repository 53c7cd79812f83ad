/* test_trace.c - what traced entries leave in their buffers, against values worked out by hand; traced texts of the
 * corpus are PTX that runs as before. */
#include "tests/ptx/emu_kit.h"

#include <glob.h>

#include "ptx/ptx.h"

#define THREADS 64
#define RECORDS 16

/* Guarded definitions, a scoped register, halves, a predicate pair, a vector, an address that is left out. */
static const char kernel[] = HEAD
	".visible .entry k(.param .u64 .ptr .global out)\n{\n"
	"\t.reg .pred %p, %q; .reg .b32 %r<6>; .reg .b16 %h; .reg .b64 %d<4>; .reg .f32 %f;\n"
	"\tld.param.u64 %d1, [out];\n"
	"\tmov.u32 %r1, %tid.x;\n"                /* 0: thread */
	"\tmul.wide.u32 %d2, %r1, 4;\n"           /* 1: 4·thread, 64 bits */
	"\tadd.s64 %d3, %d1, %d2;\n"              /* an address */
	"\tsetp.lt.and.u32 %p|%q, %r1, 40, 1;\n"  /* 2, 3 */
	"\t@%p add.u32 %r2, %r1, 7;\n"            /* 4, below 40 */
	"\t@!%p add.u32 %r2, %r1, 9;\n"           /* 5, else */
	"\t{ .reg .b32 %r1; mov.u32 %r1, 5; add.u32 %r2, %r2, %r1; }\n" /* 6, 7 */
	"\tcvt.u16.u32 %h, %r2;\n"                /* 8 */
	"\tmov.b64 {%r3, %r4}, %d2;\n"            /* 9, 10 */
	"\tcvt.rn.f32.u32 %f, %r2;\n"             /* 11 */
	"\tst.global.u32 [%d3], %r2;\n\tret;\n}\n";

static struct ptx_trace *make(const char *text, const char *entry, int only)
{
	struct ptx_module *m = NULL;
	struct ptx_trace *t = NULL;
	struct err e = {0};

	check_ok(ptx_parse(text, strlen(text), "k", &m, &e), &e);
	check_ok(ptx_trace_make(m, entry, RECORDS, only, &t, &e), &e);
	ptx_module_free(m);
	return t;
}

/* Runs the traced kernel; returns the trace's buffer, in *k. */
static uint8_t *run(struct kit *k, const struct ptx_trace *t)
{
	uint32_t *out = kit_buffer(k, "out", RUN_OUT, DT_U32, THREADS);
	uint8_t *buffer = kit_buffer(k, "trace", RUN_WORKSPACE, DT_U8, ptx_trace_bytes(THREADS, RECORDS));

	memset(buffer, 0xee, ptx_trace_bytes(THREADS, RECORDS));
	kit_shape(k, 1, THREADS);
	kit_run(k, t->text, "k");
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(out[i], i + (i < 40 ? 12 : 14));
	return buffer;
}

static void every_definition_is_recorded(void **state)
{
	struct ptx_trace *t = make(kernel, "k", -1);
	struct kit k = {0};
	const uint8_t *buffer = run(&k, t);
	uint8_t seen[THREADS * 11] = {0};

	(void)state;
	assert_int_equal(t->ndefs, 12);
	assert_string_equal(t->def[5].insn, "@!%p add.u32 %r2, %r1, 9;");
	assert_string_equal(t->def[11].type, "f32");
	assert_string_equal(t->def[11].reg_name, "%f");
	for (uint64_t i = 0; i < THREADS; i++) {
		const uint64_t low = i < 40, sum = i + (low ? 12 : 14);
		const struct {
			uint32_t def;
			uint64_t value;
		} want[] = {{0, i}, {1, 4 * i}, {2, low}, {3, !low}, {low ? 4 : 5, sum - 5}, {6, 5}, {7, sum},
		            {8, sum}, {9, 4 * i}, {10, 0}, {11, dtype_encode(DT_F32, (double)sum, RND_NE, 0)}};
		uint32_t n;
		const struct ptx_trace_record *r = ptx_trace_records(buffer, i, RECORDS, &n);

		assert_int_equal(n, ARRAY_LEN(want));
		for (uint32_t j = 0; j < n; j++) {
			uint32_t stamp = r[j].stamp - 0xeeeeeeee;

			check_true(r[j].def == want[j].def && r[j].value == want[j].value,
			           "thread %d record %u: definition %u is %llx", (int)i, j, r[j].def,
			           (unsigned long long)r[j].value);
			check_true(stamp < sizeof seen && !seen[stamp], "stamp %u", stamp); /* each once */
			assert_true(j == 0 || stamp > r[j - 1].stamp - 0xeeeeeeee);
			seen[stamp] = 1;
		}
	}
	kit_free(&k);
	ptx_trace_free(t);
}

static void one_definition_alone(void **state)
{
	struct ptx_trace *t = make(kernel, "k", 5);
	struct kit k = {0};
	const uint8_t *buffer = run(&k, t);
	uint32_t n;

	(void)state;
	assert_int_equal(t->ndefs, 12);
	ptx_trace_records(buffer, 39, RECORDS, &n);
	assert_int_equal(n, 0);
	assert_int_equal(ptx_trace_records(buffer, 40, RECORDS, &n)->value, 49);
	assert_int_equal(n, 1);
	kit_free(&k);
	ptx_trace_free(t);
}

/* A loop of 40 definitions of which 16 are kept; the thread's neighbours keep theirs. */
static void records_end_where_the_room_does(void **state)
{
	static const char loop[] = HEAD
		".visible .entry k(.param .u64 .ptr .global out)\n{\n"
		"\t.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
		"\tmov.u32 %r1, 0;\nL:\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p, %r1, 20;\n\t@%p bra L;\n"
		"\tmov.u32 %r2, %tid.x;\n\tmul.wide.u32 %d2, %r2, 4;\n\tld.param.u64 %d1, [out];\n\tadd.s64 %d3, %d1, %d2;\n"
		"\tsetp.lt.u32 %p, %r2, 40;\n\tselp.u32 %r3, 12, 14, %p;\n\tadd.u32 %r2, %r2, %r3;\n"
		"\tst.global.u32 [%d3], %r2;\n\tret;\n}\n";
	struct ptx_trace *t = make(loop, "k", -1);
	struct kit k = {0};
	const uint8_t *buffer = run(&k, t);

	(void)state;
	for (uint64_t i = 0; i < THREADS; i++) {
		uint32_t n;
		const struct ptx_trace_record *r = ptx_trace_records(buffer, i, RECORDS, &n);

		assert_int_equal(n, RECORDS);
		assert_int_equal(r[RECORDS - 1].def, 1);
		assert_int_equal(r[RECORDS - 1].value, 8);
	}
	kit_free(&k);
	ptx_trace_free(t);
}

static void refuses_what_it_cannot_trace(void **state)
{
	struct ptx_module *m = NULL;
	struct ptx_trace *t = NULL;
	struct err e = {0};

	(void)state;
	check_ok(ptx_parse(kernel, strlen(kernel), "k", &m, &e), &e);
	check_fails(ptx_trace_make(m, "other", RECORDS, -1, &t, &e), ST_INPUT, &e, "no entry 'other'");
	check_fails(ptx_trace_make(m, "k", 0, -1, &t, &e), ST_INPUT, &e, "records");
	assert_null(t);
	ptx_module_free(m);
}

static void traced_texts_of_the_corpus_are_programs(void **state)
{
	int entries = 0;
	glob_t g;

	(void)state;
	assert_int_equal(glob("corpus/*/*/kernel.ptx", 0, NULL, &g), 0);
	for (size_t f = 0; f < g.gl_pathc; f++) {
		struct ptx_module *m = NULL, *traced = NULL;
		char *text = NULL;
		struct err e = {0};
		size_t len;

		check_ok(file_read(g.gl_pathv[f], 1 << 24, &text, &len, &e), &e);
		check_ok(ptx_parse(text, len, g.gl_pathv[f], &m, &e), &e);
		for (int i = 0; i < ptx_entry_count(m); i++, entries++) {
			struct ptx_program *p = NULL;
			struct ptx_trace *t = NULL;

			check_ok(ptx_trace_make(m, ptx_entry_name(m, i), RECORDS, -1, &t, &e), &e);
			assert_true(t->ndefs > 5);
			check_ok(ptx_parse(t->text, strlen(t->text), "traced", &traced, &e), &e);
			check_ok(ptx_lower(traced, ptx_entry_name(m, i), NULL, &p, &e), &e);
			ptx_program_free(p);
			ptx_module_free(traced);
			ptx_trace_free(t);
		}
		ptx_module_free(m);
		free(text);
	}
	assert_true(entries >= 78);
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_definition_is_recorded),
		cmocka_unit_test(one_definition_alone),
		cmocka_unit_test(records_end_where_the_room_does),
		cmocka_unit_test(refuses_what_it_cannot_trace),
		cmocka_unit_test(traced_texts_of_the_corpus_are_programs),
	};

	return check_main(tests);
}
