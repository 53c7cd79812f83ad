/* calibrate_isa.c - gpuemu calibrate --isa: the instruction conformance suite on a device, its
 * record, and what differs from a record or from another device. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate/calibrate.h"
#include "cli/cli.h"

enum { O_DEVICE = 256, O_AGAINST, O_ONLY, O_ALL, O_STRIDE, O_RECORD, O_QUIET };

static const struct option options[] = {
        {"device", 1, NULL, O_DEVICE}, {"against", 1, NULL, O_AGAINST},
        {"only", 1, NULL, O_ONLY},     {"all-inputs", 0, NULL, O_ALL},
        {"stride", 1, NULL, O_STRIDE}, {"record", 1, NULL, O_RECORD},
        {"jobs", 1, NULL, 'j'},        {"out", 1, NULL, 'o'},
        {"quiet", 0, NULL, O_QUIET},   {NULL, 0, NULL, 0},
};

struct request {
	struct conform_options o;
	const char *device, *against, *out, *record;
	char command[200];
};

static int parse_option(struct request *r, int opt, const char *arg)
{
	int64_t v = 0;

	switch (opt) {
	case O_DEVICE:
		r->device = arg;
		return 0;
	case O_AGAINST:
		r->against = arg;
		return 0;
	case O_ONLY:
		r->o.only = arg;
		return 0;
	case O_ALL:
		r->o.all_inputs = true;
		return 0;
	case O_RECORD:
		r->record = arg;
		return 0;
	case O_QUIET:
		r->o.quiet = true;
		return 0;
	case 'o':
		r->out = arg;
		return 0;
	case O_STRIDE:
	case 'j':
		if (!cli_int("calibrate", opt == 'j' ? "--jobs" : "--stride", arg, 1,
		             opt == 'j' ? 1024 : 65536, &v))
			return 2;
		*(opt == 'j' ? (uint32_t *)&r->o.jobs : &r->o.stride) = (uint32_t)v;
		return 0;
	default:
		return cli_usage("calibrate", "unknown option or missing value");
	}
}

static enum st record_figures(const char *path, const struct conform_record *r, size_t different,
                              struct err *e)
{
	struct conform_counts c = conform_record_counts(r);
	const struct cli_figure figures[] = {
	        {"forms", (double)c.forms},
	        {"forms_covered", (double)c.covered},
	        {"vectors", (double)c.vectors},
	        {"differences", (double)different},
	};

	return cli_record(path, figures, ARRAY_LEN(figures), e);
}

static void sign(struct conform_record *r, const char *command)
{
	time_t now = time(NULL);
	struct tm t;

	gmtime_r(&now, &t);
	strftime(r->date, sizeof r->date, "%Y-%m-%d", &t);
	snprintf(r->command, sizeof r->command, "%s", command);
}

static bool is_device(const char *name)
{
	return strcmp(name, "emu") == 0 || strncmp(name, "cuda:", 5) == 0;
}

static enum st measure(const struct request *q, struct conform_record *r, struct buf *text,
                       size_t *different, struct err *e)
{
	struct device *d = NULL, *other = NULL;
	struct conform_record want = {0};
	enum st rc;

	TRY_OR(done, rc, device_open(q->device, &d, e));
	if (q->against && is_device(q->against))
		TRY_OR(done, rc, device_open(q->against, &other, e));
	else if (q->against)
		TRY_OR(done, rc,
		       path_exists(q->against) ? conform_record_read(q->against, &want, e)
		                               : conform_record_shipped(q->against, &want, e));
	TRY_OR(done, rc, conform_measure(d, other, &q->o, r, text, different, e));
	if (q->against && !other)
		*different = conform_record_compare(r, &want, text);
done:
	conform_record_free(&want);
	device_close(other);
	device_close(d);
	return rc;
}

static enum st keep(const struct request *q, struct conform_record *r, size_t different,
                    struct err *e)
{
	struct buf b = {0};
	enum st rc = ST_OK;

	sign(r, q->command);
	if (q->out) {
		conform_record_print(r, &b);
		rc = file_write(q->out, b.s, b.len, e);
		buf_free(&b);
	}
	if (rc == ST_OK && q->record)
		rc = record_figures(q->record, r, different, e);
	return rc;
}

static int run(const struct request *q)
{
	struct conform_record r = {0};
	struct conform_counts c;
	struct buf text = {0};
	struct err e = {0};
	size_t different = 0;
	int rc;

	if (measure(q, &r, &text, &different, &e) != ST_OK || keep(q, &r, different, &e) != ST_OK) {
		rc = cli_error(&e);
	} else {
		c = conform_record_counts(&r);
		buf_printf(&text,
		           "%zu forms, %zu covered (%zu of them without a result, %zu end the "
		           "launch), %zu on all "
		           "2^32 inputs; %zu registers and rewrites; %llu operand tuples",
		           c.forms, c.covered, c.quiet, c.ended, c.sweeps, c.beside,
		           (unsigned long long)c.vectors);
		if (q->against)
			buf_printf(&text, "; %zu forms differ from %s", different, q->against);
		buf_putc(&text, '\n');
		rc = cli_print(text.s, text.len);
		rc = rc ? rc : different > 0;
	}
	buf_free(&text);
	conform_record_free(&r);
	return rc;
}

int calibrate_isa_command(int argc, char **argv)
{
	struct request q = {.device = "emu", .o = {.jobs = cpu_count()}};
	struct buf command = {0};
	int opt, rc = 0;

	cli_command_text(&command, "gpuemu calibrate", argc, argv);
	snprintf(q.command, sizeof q.command, "%s", command.s); /* a record has room for so much */
	buf_free(&command);
	opterr = 0;
	optind = 1;
	while (rc == 0 && (opt = getopt_long(argc, argv, "j:o:", options, NULL)) != -1)
		rc = parse_option(&q, opt, optarg);
	if (rc == 0 && optind != argc)
		rc = cli_usage("calibrate", "unknown argument '%s'", argv[optind]);
	if (rc == 0 && q.record && !q.against)
		rc = cli_usage("calibrate",
		               "--record needs --against, for the number of differences");
	return rc ? rc : run(&q);
}
