/* run.c - gpuemu run KERNEL 'CASE': runs a case, or a file of them, without judging: speed, findings, outputs. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { O_DUMP = 256, O_NOSAN, O_RECOMPILE, O_DEVICE, O_REPEAT, O_JSON, O_CASES, O_REACHED };

static const struct option options[] = {
	{"dump", 1, NULL, O_DUMP},           {"no-sanitize", 0, NULL, O_NOSAN},
	{"recompile", 0, NULL, O_RECOMPILE}, {"device", 1, NULL, O_DEVICE},
	{"repeat", 1, NULL, O_REPEAT},       {"json", 0, NULL, O_JSON},
	{"cases", 1, NULL, O_CASES},         {"reached", 1, NULL, O_REACHED},
	{NULL, 0, NULL, 0},
};

struct request {
	const char *dump, *device, *cases;
	bool sanitize, recompile, json;
	int64_t repeat, reached;
};

/* The fastest of `repeat` runs; every one gives the same outputs. */
static enum st run_best(const struct target *t, const struct kase *c, const struct request *q,
                        struct case_run **run, struct run_report *best, struct err *e)
{
	struct dev_run_options o = {.sanitize = q->sanitize, .budget = (uint64_t)1 << 40};

	TRY(case_make(c, t->kernel, (size_t)16 << 30, run, e));
	for (int64_t i = 0; i < q->repeat; i++) {
		struct run_report r = {0};

		TRY(device_run(t->module, &(*run)->plan, &o, &r, e));
		if (i == 0 || r.seconds < best->seconds)
			*best = r;
	}
	return ST_OK;
}

static void show(const struct run_report *r, bool json)
{
	double rate = r->seconds > 0 ? (double)r->lane_instructions / r->seconds / 1e9 : 0;

	if (json) {
		printf("{\"lane_instructions\": %.0f, \"seconds\": %.6g, \"glips\": %.4g, \"findings\": %d, "
		       "\"complete\": %s}\n", (double)r->lane_instructions, r->seconds, rate, r->nfindings,
		       r->complete ? "true" : "false");
		return;
	}
	printf("%s, %.0f lane instructions in %.4g s: %.3g G a second on one core\n",
	       r->complete ? "ran to its end" : "stopped early", (double)r->lane_instructions, r->seconds, rate);
	for (int i = 0; i < r->nfindings; i++)
		printf("  %s: %s (%llu times)\n", finding_name(r->findings[i].kind), r->findings[i].text,
		       (unsigned long long)r->findings[i].count);
}

static bool faulty(const struct run_report *r)
{
	for (int i = 0; i < r->nfindings; i++)
		if (finding_is_error(r->findings[i].kind))
			return true;
	return !r->complete;
}

static int run(const struct request *q, const char *folder, const char *line)
{
	struct device *d = NULL;
	struct target *t = NULL;
	struct case_run *r = NULL;
	struct run_report best = {0};
	struct kase c;
	struct err e = {0};
	enum st st;
	int rc;

	TRY_OR(done, st, device_open(q->device, &d, &e));
	TRY_OR(done, st, target_open(d, folder, q->recompile, &t, &e));
	TRY_OR(done, st, case_parse(line, kernel_op(t->kernel), &c, &e));
	TRY_OR(done, st, run_best(t, &c, q, &r, &best, &e));
	if (q->dump)
		st = case_dump(q->dump, &c, r, NULL, &e);
done:
	if (st == ST_OK)
		show(&best, q->json);
	rc = st != ST_OK ? cli_error(&e) : faulty(&best);
	case_run_free(r);
	target_free(t);
	device_close(d);
	return rc;
}

/* ---- many cases: their outputs' hashes ---- */

static enum st run_line(const struct target *t, const char *line, struct dev_coverage *coverage, struct buf *out, struct err *e)
{
	struct dev_run_options o = {.budget = (uint64_t)1 << 34, .coverage = coverage};
	struct case_run *run = NULL;
	struct run_report r = {0};
	char sha[65] = "-";
	struct kase c;
	enum st rc;

	TRY(case_parse(line, kernel_op(t->kernel), &c, e));
	TRY(case_make(&c, t->kernel, (size_t)4 << 30, &run, e));
	rc = device_run(t->module, &run->plan, &o, &r, e);
	if (rc == ST_OK && r.complete)
		case_outputs_sha256(run, sha);
	buf_printf(out, "%s %s\n", sha, line);
	case_run_free(run);
	return rc;
}

/* text is cut into its lines. */
static enum st run_lines(const struct target *t, char *text, struct dev_coverage *coverage, struct buf *out, struct err *e)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		TRY(run_line(t, line, coverage, out, e));
	return ST_OK;
}

static int run_cases(const struct request *q, const char *folder)
{
	struct dev_coverage *coverage = NULL;
	struct device *d = NULL;
	struct target *t = NULL;
	struct buf out = {0};
	struct err e = {0};
	char *text = NULL;
	size_t len;
	enum st st;
	int rc;

	TRY_OR(done, st, device_open(q->device, &d, &e));
	TRY_OR(done, st, target_open(d, folder, q->recompile, &t, &e));
	TRY_OR(done, st, file_read(q->cases, (size_t)64 << 20, &text, &len, &e));
	coverage = dev_coverage_new(t->module);
	TRY_OR(done, st, run_lines(t, text, coverage, &out, &e));
	if (q->reached)
		buf_printf(&out, "line %lld was %sreached\n", (long long)q->reached,
		           dev_coverage_reached(coverage, (int)q->reached) ? "" : "not ");
done:
	rc = st != ST_OK ? cli_error(&e) : out.len ? cli_print(out.s, out.len) : 0;
	dev_coverage_free(coverage);
	buf_free(&out);
	free(text);
	target_free(t);
	device_close(d);
	return rc;
}

int cmd_run(int argc, char **argv)
{
	struct request q = {.device = "emu", .sanitize = true, .repeat = 1};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (opt) {
		case O_DUMP: q.dump = optarg; break;
		case O_NOSAN: q.sanitize = false; break;
		case O_RECOMPILE: q.recompile = true; break;
		case O_DEVICE: q.device = optarg; break;
		case O_JSON: q.json = true; break;
		case O_REPEAT:
			if (!cli_int("run", "--repeat", optarg, 1, 1000000, &q.repeat))
				return 2;
			break;
		case O_CASES: q.cases = optarg; break;
		case O_REACHED:
			if (!cli_int("run", "--reached", optarg, 1, INT32_MAX, &q.reached))
				return 2;
			break;
		default: return cli_usage("run", "unknown option or missing value");
		}
	if (q.cases && argc - optind == 1)
		return run_cases(&q, argv[optind]);
	if (argc - optind != 2)
		return cli_usage("run", "name a kernel folder and a case (in quotes)");
	return run(&q, argv[optind], argv[optind + 1]);
}
