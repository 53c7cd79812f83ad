/* calibrate_math.c - gpuemu calibrate --math: CUDA's math functions measured on a GPU, and a record held against a
 * device. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate/calibrate.h"
#include "cli/cli.h"

enum { O_DEVICE = 256, O_AGAINST, O_ONLY, O_PTX, O_TABLE, O_RECORD, O_QUIET };

static const struct option options[] = {
	{"device", 1, NULL, O_DEVICE}, {"against", 1, NULL, O_AGAINST}, {"only", 1, NULL, O_ONLY},
	{"out", 1, NULL, 'o'},         {"jobs", 1, NULL, 'j'},          {"ptx", 1, NULL, O_PTX},
	{"table", 0, NULL, O_TABLE},   {"record", 1, NULL, O_RECORD},   {"quiet", 0, NULL, O_QUIET},
	{NULL, 0, NULL, 0},
};

struct request {
	struct math_options o;
	const char *device, *against, *out, *ptx, *record;
	bool table;
};

static int parse_option(struct request *r, int opt, const char *arg)
{
	int64_t v = 0;

	switch (opt) {
	case O_DEVICE: r->device = arg; return 0;
	case O_AGAINST: r->against = arg; return 0;
	case O_ONLY: r->o.only = arg; return 0;
	case O_PTX: r->ptx = arg; return 0;
	case O_TABLE: r->table = true; return 0;
	case O_RECORD: r->record = arg; return 0;
	case O_QUIET: r->o.quiet = true; return 0;
	case 'o': r->out = arg; return 0;
	case 'j':
		if (!cli_int("calibrate", "--jobs", arg, 1, 1024, &v))
			return 2;
		r->o.jobs = (int)v;
		return 0;
	default: return cli_usage("calibrate", "unknown option or missing value");
	}
}

static enum st read_record(const char *name, cJSON **out, struct err *e)
{
	if (strcmp(name, "math_h200") == 0 && !path_exists(name))
		return math_shipped_record(out, e);
	return json_read(name, (size_t)4 << 20, out, e);
}

static int print_table(const cJSON *record)
{
	struct buf b = {0};
	int rc;

	math_table(record, &b);
	rc = cli_print(b.s, b.len);
	buf_free(&b);
	return rc;
}

/* Every promise met? The functions that break one are told by the table. */
static bool all_met(const cJSON *record)
{
	const cJSON *j, *met;

	cJSON_ArrayForEach(j, cJSON_GetObjectItemCaseSensitive(record, "functions"))
		if ((met = cJSON_GetObjectItemCaseSensitive(j, "met")) != NULL && !cJSON_IsTrue(met))
			return false;
	return true;
}

static int measure(const struct request *q)
{
	struct device *d = NULL;
	cJSON *record = NULL;
	struct err e = {0};
	time_t now = time(NULL);
	struct tm t;
	char date[32];
	enum st st;
	int rc;

	TRY_OR(done, st, device_open(q->device, &d, &e));
	TRY_OR(done, st, math_measure(d, &q->o, &record, &e));
	gmtime_r(&now, &t);
	strftime(date, sizeof date, "%Y-%m-%d", &t);
	cJSON_AddStringToObject(record, "date", date);
	cJSON_AddStringToObject(record, "command", "gpuemu calibrate --math --device cuda:0");
	if (q->out)
		TRY_OR(done, st, json_write(q->out, record, &e));
done:
	rc = st == ST_OK ? print_table(record) : cli_error(&e);
	if (rc == 0 && !all_met(record))
		rc = 1;
	cJSON_Delete(record);
	device_close(d);
	return rc;
}

static int hold(const struct request *q, const char *name)
{
	struct device *d = NULL;
	cJSON *record = NULL;
	struct buf text = {0};
	struct err e = {0};
	size_t compared = 0, different = 0;
	enum st st;
	int rc;

	TRY_OR(done, st, read_record(name, &record, &e));
	if (!q->table) {
		TRY_OR(done, st, device_open(q->device, &d, &e));
		TRY_OR(done, st, math_hold(d, record, &q->o, &text, &compared, &different, &e));
	}
	if (q->record) {
		const struct cli_figure f = {"math_functions", (double)compared};

		TRY_OR(done, st, cli_record(q->record, &f, 1, &e));
	}
done:
	if (st != ST_OK) {
		rc = cli_error(&e);
	} else if (q->table) {
		rc = print_table(record);
	} else {
		buf_printf(&text, "%zu functions of %s on %s: %zu differ\n", compared, name, device_name(d), different);
		rc = cli_print(text.s, text.len);
		rc = rc ? rc : different > 0;
	}
	buf_free(&text);
	cJSON_Delete(record);
	device_close(d);
	return rc;
}

static int write_ptx(const char *path)
{
	char *ptx = NULL;
	struct err e = {0};
	enum st st = math_ptx(&ptx, &e);

	if (st == ST_OK)
		st = file_write(path, ptx, strlen(ptx), &e);
	free(ptx);
	return st == ST_OK ? 0 : cli_error(&e);
}

int calibrate_math_command(int argc, char **argv)
{
	struct request r = {.o = {.jobs = cpu_count()}, .device = "emu"};
	int opt, rc = 0;
	bool emu;

	opterr = 0;
	optind = 1;
	while (rc == 0 && (opt = getopt_long(argc, argv, "j:o:", options, NULL)) != -1)
		rc = parse_option(&r, opt, optarg);
	if (rc == 0 && optind != argc)
		rc = cli_usage("calibrate", "--math takes no '%s'", argv[optind]);
	if (rc)
		return rc;
	emu = strcmp(r.device, "emu") == 0;
	if (r.ptx)
		return write_ptx(r.ptx);
	if (emu && r.out)
		return cli_usage("calibrate", "a record is made on a GPU: --device cuda:0 (2^32 inputs of each function take "
		                 "the emulator days)");
	return emu || r.against || r.table ? hold(&r, r.against ? r.against : "math_h200") : measure(&r);
}
