/* test_isa.c - the emulator against an H200's record of every instruction form
 * (results/isa_h200.txt; its head names the command that makes it), and the suite itself. All 2^32
 * inputs of the sweeps under GPUEMU_EXHAUSTIVE. */
#include "calibrate/conform.h"
#include <unistd.h>

#include "tests/check.h"

/* Sanitized builds run a part of the suite, for time. */
#if defined(__SANITIZE_ADDRESS__)
#define ONLY "add"
#else
#define ONLY NULL
#endif

static struct conform_options options(void)
{
	return (struct conform_options){
	        .only = ONLY, .jobs = cpu_count(), .all_inputs = check_exhaustive(), .quiet = true};
}

static void the_emulator_computes_what_an_h200_does(void **state)
{
	struct conform_options o = options();
	struct conform_record got, want;
	struct device *emu;
	struct buf text = {0};
	struct err e = {0};
	size_t different;

	(void)state;
	check_ok(device_open("emu", &emu, &e), &e);
	check_ok(conform_record_shipped("isa_h200", &want, &e), &e);
	check_ok(conform_measure(emu, NULL, &o, &got, NULL, NULL, &e), &e);
	different = conform_record_compare(&got, &want, &text);
	check_true(different == 0, "%zu forms differ:\n%s", different, text.s);
	buf_free(&text);
	conform_record_free(&got);
	conform_record_free(&want);
	device_close(emu);
}

/* A form may be modelled only (gpuemu doctor --isa tells); those that were asked of an H200 stay
 * known. */
static void every_form_has_a_class_and_most_a_result_of_an_h200(void **state)
{
	struct conform_record want;
	struct err e = {0};
	size_t at = 0, sweeps = 0, known = 0;

	(void)state;
	check_ok(conform_record_shipped("isa_h200", &want, &e), &e);
	for (size_t i = 0; i < ptx_form_count(); i++) {
		struct ptx_form f = ptx_form_get(i);
		struct conform_kernel k;
		const struct conform_line *l;

		check_true(conform_plan(&k, &f), "%s: conform_form.c has no class for its opcode",
		           f.text);
		l = conform_record_find(&want, f.text, &at);
		if (!l)
			continue;
		known++;
		check_true(l->state == (k.form.cls == CLASS_END ? CONFORM_ENDED : CONFORM_MEASURED),
		           "%s: %s", f.text, l->note);
		check_true(l->has_folds == k.sweep, "%s: sweep", f.text);
		sweeps += l->has_folds;
	}
	check_true(known >= 13768 && sweeps >= 377, "only %zu forms and %zu sweeps on record",
	           known, sweeps);
	conform_record_free(&want);
}

/* The record as it is written is the record as it is read, and a change of one bit is seen. */
static void a_record_survives_its_file(void **state)
{
	struct conform_options o = {.only = "popc", .jobs = 1, .quiet = true};
	struct conform_record a, b;
	struct device *emu;
	struct buf text = {0}, report = {0};
	struct err e = {0};
	char path[] = "build/record-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	check_true(fd >= 0, "no temporary file");
	close(fd);
	check_ok(device_open("emu", &emu, &e), &e);
	check_ok(conform_measure(emu, NULL, &o, &a, NULL, NULL, &e), &e);
	strcpy(a.date, "2026-12-02");
	strcpy(a.command, "a command");
	conform_record_print(&a, &text);
	check_ok(file_write(path, text.s, text.len, &e), &e);
	check_ok(conform_record_read(path, &b, &e), &e);
	check_true(conform_record_compare(&a, &b, &report) == 0, "%s", report.s);
	b.line[0].hash ^= 1;
	check_true(conform_record_compare(&a, &b, &report) == 1, "a changed hash is not seen");
	b.line[0].hash ^= 1;
	b.line[0].edge[3] ^= 1;
	check_true(conform_record_compare(&a, &b, &report) == 1, "a changed chunk is not seen");
	b.n = 0;
	check_true(conform_record_compare(&a, &b, &report) == 0,
	           "forms that are modelled only do not differ");
	remove(path);
	buf_free(&text);
	buf_free(&report);
	conform_record_free(&a);
	conform_record_free(&b);
	device_close(emu);
}

static void malformed_records_are_told_with_their_line(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
	        {"", "not a record"},
	        {"gpuemu-isa 2\n", ":1:"},
	        {"gpuemu-isa 1\ndevice d\ndate d\n", "not a record"},
	        {"gpuemu-isa 1\ndevice d\ndate d\ncommand c\nadd.u32\n", ":5:"},
	        {"gpuemu-isa 1\ndevice d\ndate d\ncommand c\nadd.u32 0 0123456789abcdef\n", ":5:"},
	        {"gpuemu-isa 1\ndevice d\ndate d\ncommand c\nadd.u32 9 0123456789abcde\n", ":5:"},
	        {"gpuemu-isa 1\ndevice d\ndate d\ncommand c\nadd.u32 9 0123456789abcdef 1\n",
	         ":5:"},
	        {"gpuemu-isa 1\ndevice d\ndate d\ncommand c\nedges add.u32 0123456789abcdef\n",
	         ":5:"},
	};
	char path[] = "build/record-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	check_true(fd >= 0, "no temporary file");
	close(fd);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct conform_record r;
		struct err e = {0}, ignore = {0};

		check_ok(file_write(path, bad[i].text, strlen(bad[i].text), &ignore), &ignore);
		check_true(conform_record_read(path, &r, &e) == ST_INPUT, "'%s' is taken",
		           bad[i].text);
		check_true(strstr(e.msg, bad[i].says) != NULL, "'%s': %s", bad[i].text, e.msg);
	}
	remove(path);
}

/* Two devices of one kind agree, with operands at hand; different kernels of one form would not. */
static void two_devices_are_compared_vector_by_vector(void **state)
{
	struct conform_options o = {
	        .only = "sat.f32.f32", .jobs = 2, .quiet = true, .stride = 8192};
	struct conform_record r;
	struct device *a, *b;
	struct buf text = {0};
	struct err e = {0};
	size_t different = 0;

	(void)state;
	check_ok(device_open("emu", &a, &e), &e);
	check_ok(device_open("emu", &b, &e), &e);
	check_ok(conform_measure(a, b, &o, &r, &text, &different, &e), &e);
	check_true(different == 0 && text.len == 0, "%s", text.s);
	buf_free(&text);
	conform_record_free(&r);
	device_close(a);
	device_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_form_has_a_class_and_most_a_result_of_an_h200),
	        cmocka_unit_test(the_emulator_computes_what_an_h200_does),
	        cmocka_unit_test(a_record_survives_its_file),
	        cmocka_unit_test(malformed_records_are_told_with_their_line),
	        cmocka_unit_test(two_devices_are_compared_vector_by_vector),
	};
	return check_main(tests);
}
