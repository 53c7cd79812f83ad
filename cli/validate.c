/* validate.c - gpuemu validate: a campaign over kernels. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/report.h"

struct request {
	struct cli_campaign c;
	struct cli_outputs files;
	bool json;
};

static bool parse_strategy(const char *text, enum strategy *s)
{
	static const char *const names[] = {
#define X(name, text, help) text,
		STRATEGY_LIST(X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], text) == 0) {
			*s = (enum strategy)i;
			return true;
		}
	return false;
}

enum { O_CASES = 256, O_SECONDS, O_SEED, O_OUT, O_RESUME, O_JSON, O_SET, O_JUNIT, O_DTYPE, O_STRATEGY,
       O_NOSAN, O_NOBENCH, O_NOLINT, O_NOSHRINK, O_NOCOV, O_BIG, O_RECOMPILE, O_DEVICE, O_QUIET, O_TOLERANCES, O_SARIF, O_SUMMARY,
       O_BADGE };

static const struct option options[] = {
	{"cases", 1, NULL, O_CASES},         {"seconds", 1, NULL, O_SECONDS},
	{"seed", 1, NULL, O_SEED},           {"jobs", 1, NULL, 'j'},
	{"out", 1, NULL, O_OUT},             {"resume", 0, NULL, O_RESUME},
	{"json", 0, NULL, O_JSON},           {"set", 1, NULL, O_SET},
	{"junit", 1, NULL, O_JUNIT},         {"dtype", 1, NULL, O_DTYPE},
	{"strategy", 1, NULL, O_STRATEGY},   {"no-sanitize", 0, NULL, O_NOSAN},
	{"no-bench", 0, NULL, O_NOBENCH},    {"big", 0, NULL, O_BIG},
	{"recompile", 0, NULL, O_RECOMPILE}, {"device", 1, NULL, O_DEVICE},
	{"quiet", 0, NULL, O_QUIET},         {"no-coverage", 0, NULL, O_NOCOV},
	{"sarif", 1, NULL, O_SARIF},         {"summary", 1, NULL, O_SUMMARY},
	{"badge", 1, NULL, O_BADGE},         {"no-lint", 0, NULL, O_NOLINT},
	{"no-shrink", 0, NULL, O_NOSHRINK},  {"tolerances", 1, NULL, O_TOLERANCES},
	{NULL, 0, NULL, 0},
};

/* Returns 0, or the exit status after a message. */
static int parse_option(struct request *r, int opt, const char *arg)
{
	int64_t v = 0;

	switch (opt) {
	case O_CASES:
		if (!cli_int("validate", "--cases", arg, 1, 10000000, &v))
			return 2;
		r->c.o.cases = (int)v;
		return 0;
	case O_SECONDS:
		if (!cli_int("validate", "--seconds", arg, 1, 100000000, &v))
			return 2;
		r->c.o.seconds = (double)v;
		return 0;
	case O_SEED: return cli_seed("validate", arg, &r->c.o.seed) ? 0 : 2;
	case 'j':
		if (!cli_int("validate", "--jobs", arg, 1, 1024, &v))
			return 2;
		r->c.o.jobs = (int)v;
		return 0;
	case O_OUT: r->c.o.out_dir = arg; return 0;
	case O_RESUME: r->c.o.resume = true; return 0;
	case O_JSON: r->json = true; return 0;
	case O_SET: r->c.set = arg; return 0;
	case O_JUNIT: r->files.junit = arg; return 0;
	case O_SARIF: r->files.sarif = arg; return 0;
	case O_SUMMARY: r->files.summary = arg; return 0;
	case O_BADGE: r->files.badge = arg; return 0;
	case O_DTYPE:
		r->c.o.has_dtype = true;
		return dtype_parse(arg, &r->c.o.dtype) ? 0 :
		                                       cli_usage("validate", "unknown dtype '%s'", arg);
	case O_STRATEGY:
		return parse_strategy(arg, &r->c.o.strategy) ?
			       0 :
			       cli_usage("validate", "unknown strategy '%s'", arg);
	case O_NOSAN: r->c.o.sanitize = false; return 0;
	case O_NOBENCH: r->c.o.bench = false; return 0;
	case O_NOLINT: r->c.o.lint = false; return 0;
	case O_NOSHRINK: r->c.o.shrink_tries = 0; return 0;
	case O_NOCOV: r->c.o.coverage = false; return 0;
	case O_BIG: r->c.o.big = true; return 0;
	case O_RECOMPILE: r->c.recompile = true; return 0;
	case O_DEVICE: r->c.device = arg; return 0;
	case O_TOLERANCES: r->c.tolerances = arg; return 0;
	case O_QUIET: r->c.o.quiet = true; return 0;
	default: return cli_usage("validate", "unknown option or missing value");
	}
}

/* 1 when a kernel is not as expected by a FAIL (or a PASS of a buggy one), 3 when something stays
 * undecided, else 0. A user's kernel is expected to PASS. */
static int exit_status(const cJSON *evidence)
{
	const cJSON *k;
	int rc = 0;

	cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(evidence, "kernels"))
	{
		const char *v = json_text(k, "verdict");
		bool decided = strcmp(v, "PASS") == 0 || strcmp(v, "FAIL") == 0;

		if (strcmp(v, json_text(k, "expected")) == 0)
			continue;
		if (decided)
			return 1;
		rc = 3;
	}
	return rc;
}

/* A line for each kernel of which lint has an error or a warning: the first of them. */
static void lint_table(const cJSON *evidence, struct buf *b)
{
	const cJSON *k, *f;

	cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(evidence, "kernels"))
	{
		const cJSON *lint = cJSON_GetObjectItemCaseSensitive(k, "lint");
		const cJSON *first = NULL;

		cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(lint, "findings"))
			if (!cJSON_GetObjectItemCaseSensitive(f, "allowed") && strcmp(json_text(f, "severity"), "note") != 0 &&
			    (!first || (strcmp(json_text(f, "severity"), "error") == 0 && strcmp(json_text(first, "severity"), "error") != 0)))
				first = f;
		if (first)
			buf_printf(b, "lint  %s: %s: %s [%s]\n", json_text(k, "name"), json_text(first, "severity"), json_text(first, "message"),
			           json_text(first, "rule"));
	}
}

static int show(const struct request *r, const cJSON *evidence)
{
	struct buf b = {0};
	int rc = 0;

	if (r->json) {
		char *s = json_print(evidence, true);

		rc = cli_print(s, strlen(s));
		free(s);
	} else {
		report_table(evidence, 100, isatty(STDOUT_FILENO), &b);
		lint_table(evidence, &b);
		rc = cli_print(b.s, b.len);
	}
	buf_free(&b);
	return rc ? rc : cli_write_outputs(&r->files, evidence);
}

static int run(struct request *r, char *const *paths, int npaths)
{
	cJSON *evidence = NULL;
	int left = 0, rc = cli_campaign_run(&r->c, paths, npaths, &evidence, &left);

	if (rc == 0 && evidence)
		rc = show(r, evidence);
	if (rc == 0 && evidence)
		rc = exit_status(evidence);
	cJSON_Delete(evidence);
	/* wrong input comes before what it leaves undecided */
	return rc == 3 && left == 2 ? left : rc ? rc : left;
}

int cmd_validate(int argc, char **argv)
{
	struct request r = {.c = {.o = campaign_defaults(), .device = "emu"}};
	struct buf command = {0};
	int opt, rc = 0;

	r.c.o.out_dir = "gpuemu-out";
	cli_command_text(&command, "gpuemu", argc, argv);
	r.c.o.argv_text = command.s;
	opterr = 0;
	while (rc == 0 && (opt = getopt_long(argc, argv, "j:", options, NULL)) != -1)
		rc = parse_option(&r, opt, optarg);
	if (rc == 0 && optind == argc)
		rc = cli_usage("validate", "name a kernel folder, or a folder of them");
	if (r.json)
		r.c.o.quiet = true;
	if (rc == 0)
		rc = run(&r, argv + optind, argc - optind);
	buf_free(&command);
	return rc;
}
