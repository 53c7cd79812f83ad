/* ci.c - gpuemu ci: a campaign against a stored baseline; says only what changed. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/baseline.h"
#include "report/metrics.h"
#include "report/report.h"

enum { O_BASELINE = 256, O_UPDATE, O_CASES, O_SEED, O_OUT, O_DEVICE, O_TOLERANCES, O_RECOMPILE, O_BUDGET, O_GITHUB, O_QUIET,
       O_JUNIT, O_SARIF, O_SUMMARY, O_BADGE };

static const struct option options[] = {
	{"baseline", 1, NULL, O_BASELINE}, {"update", 0, NULL, O_UPDATE},         {"cases", 1, NULL, O_CASES},
	{"seed", 1, NULL, O_SEED},         {"jobs", 1, NULL, 'j'},                {"out", 1, NULL, O_OUT},
	{"device", 1, NULL, O_DEVICE},     {"tolerances", 1, NULL, O_TOLERANCES}, {"recompile", 0, NULL, O_RECOMPILE},
	{"budget", 1, NULL, O_BUDGET},     {"github", 0, NULL, O_GITHUB},         {"quiet", 0, NULL, O_QUIET},
	{"junit", 1, NULL, O_JUNIT},       {"sarif", 1, NULL, O_SARIF},           {"summary", 1, NULL, O_SUMMARY},
	{"badge", 1, NULL, O_BADGE},       {NULL, 0, NULL, 0},
};

struct request {
	struct cli_campaign c;
	struct cli_outputs files;
	const char *baseline, *budget;
	bool update, github, has_cases, has_seed;
	cJSON *was;             /* NULL: there is none yet */
	char **folders;         /* the arguments, as keys of the baseline */
	int nfolders;
	cJSON *replayed, *failing; /* for baseline_make */
	struct changes changes;
};

static int parse_option(struct request *r, int opt, const char *arg)
{
	int64_t v = 0;

	switch (opt) {
	case O_BASELINE: r->baseline = arg; return 0;
	case O_UPDATE: r->update = true; return 0;
	case O_CASES:
		if (!cli_int("ci", "--cases", arg, 1, 10000000, &v))
			return 2;
		r->c.o.cases = (int)v;
		r->has_cases = true;
		return 0;
	case O_SEED: r->has_seed = true; return cli_seed("ci", arg, &r->c.o.seed) ? 0 : 2;
	case 'j':
		if (!cli_int("ci", "--jobs", arg, 1, 1024, &v))
			return 2;
		r->c.o.jobs = (int)v;
		return 0;
	case O_OUT: r->c.o.out_dir = arg; return 0;
	case O_DEVICE: r->c.device = arg; return 0;
	case O_TOLERANCES: r->c.tolerances = arg; return 0;
	case O_RECOMPILE: r->c.recompile = true; return 0;
	case O_BUDGET: r->budget = arg; return 0;
	case O_GITHUB: r->github = true; return 0;
	case O_QUIET: r->c.o.quiet = true; return 0;
	case O_JUNIT: r->files.junit = arg; return 0;
	case O_SARIF: r->files.sarif = arg; return 0;
	case O_SUMMARY: r->files.summary = arg; return 0;
	case O_BADGE: r->files.badge = arg; return 0;
	default: return cli_usage("ci", "unknown option or missing value");
	}
}

/* ---- before: the baseline, its options, its cases ---- */

/* Kernels of the baseline that are not run now keep what another seed or number of cases gave: then both must agree. */
static bool runs_all(const struct request *r)
{
	const cJSON *u;

	cJSON_ArrayForEach(u, cJSON_GetObjectItemCaseSensitive(r->was, "units"))
		if (!baseline_within(json_text(u, "kernel"), r->folders, r->nfolders))
			return false;
	return true;
}

/* The campaign takes the baseline's seed and number of cases. */
static enum st take_options(struct request *r, struct err *e)
{
	uint64_t seed = strtoull(json_text(r->was, "seed"), NULL, 16);
	int cases = cJSON_GetObjectItemCaseSensitive(r->was, "cases")->valueint;
	bool differs = (r->has_cases && cases != r->c.o.cases) || (r->has_seed && seed != r->c.o.seed);

	if (differs && !r->update)
		return FAIL(e, INPUT, "%s was made with --cases %d --seed 0x%llx: leave both options out, or make it again with --update", r->baseline, cases,
		            (unsigned long long)seed);
	if (differs && !runs_all(r))
		return FAIL(e, INPUT, "%s was made with --cases %d --seed 0x%llx and has kernels that are not named here: name all to change that", r->baseline,
		            cases, (unsigned long long)seed);
	if (!r->has_cases)
		r->c.o.cases = cases;
	if (!r->has_seed)
		r->c.o.seed = seed;
	return ST_OK;
}

/* Runs one kept case again; its verdict goes into list. What does not fit the kernel any more is told and dropped. */
static void replay_case(struct request *r, const struct target *t, const cJSON *unit, const char *line, cJSON *list)
{
	struct case_options co = {.sanitize = true};
	struct case_result res;
	struct err e = {0};
	struct kase k;
	cJSON *j;

	if (case_parse(line, kernel_op(t->kernel), &k, &e) != ST_OK || case_validate(t, &k, &co, NULL, &res, &e) != ST_OK) {
		struct buf b = {0};

		buf_printf(&b, "the kept case '%s' cannot be run any more (%s)", line, e.msg);
		changes_add(&r->changes, &(struct change){.kind = CHANGE_NEUTRAL, .kernel = json_text(unit, "kernel"),
		                                          .dtype = json_text(unit, "dtype"), .text = b.s});
		buf_free(&b);
		return;
	}
	j = cJSON_CreateObject();
	cJSON_AddStringToObject(j, "case", line);
	cJSON_AddStringToObject(j, "verdict", verdict_name(res.verdict));
	cJSON_AddItemToArray(list, j);
}

/* The cases that the baseline kept of the kernels, before any other. */
static enum st replay_all(void *ctx, struct target *const *targets, int n, struct err *e)
{
	struct request *r = ctx;
	const cJSON *u, *c;

	(void)e;
	for (int i = 0; i < n; i++) {
		char *key = baseline_key(r->baseline, kernel_folder(targets[i]->kernel));

		cJSON_ArrayForEach(u, cJSON_GetObjectItemCaseSensitive(r->was, "units")) {
			struct buf id = {0};
			cJSON *list;

			if (strcmp(json_text(u, "kernel"), key) != 0)
				continue;
			buf_printf(&id, "%s:%s", key, json_text(u, "dtype"));
			list = cJSON_CreateArray();
			cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(u, "replay"))
				replay_case(r, targets[i], u, json_text(c, "case"), list);
			cJSON_DeleteItemFromObjectCaseSensitive(r->replayed, id.s); /* a unit that a wrong file has twice */
			cJSON_AddItemToObject(r->replayed, id.s, list);
			buf_free(&id);
		}
		free(key);
	}
	return ST_OK;
}

/* ---- after: what fails, what changed ---- */

static void note_failing(void *ctx, const char *kernel, const char *dtype, const char *line, const char *verdict)
{
	cJSON *failing = ctx, *list;
	struct buf id = {0};

	if (strcmp(verdict, "FAIL") != 0)
		return;
	buf_printf(&id, "%s:%s", kernel, dtype);
	list = cJSON_GetObjectItemCaseSensitive(failing, id.s);
	if (!list)
		list = cJSON_AddArrayToObject(failing, id.s);
	cJSON_AddItemToArray(list, cJSON_CreateString(line));
	buf_free(&id);
}

/* Keys of the kernels that could not be opened. */
static cJSON *left_out_keys(const struct request *r, const cJSON *evidence)
{
	cJSON *list = cJSON_CreateArray();
	const cJSON *l;

	cJSON_ArrayForEach(l, cJSON_GetObjectItemCaseSensitive(evidence, "left_out")) {
		char *key = baseline_key(r->baseline, json_text(l, "folder"));

		cJSON_AddItemToArray(list, cJSON_CreateString(key));
		free(key);
	}
	return list;
}

static void over_budget(void *ctx, const char *text)
{
	struct request *r = ctx;

	changes_add(&r->changes, &(struct change){.kind = CHANGE_WORSE, .about = ABOUT_LINT, .kernel = "budget", .text = text});
}

static enum st check_budget(struct request *r, const cJSON *evidence, struct err *e)
{
	cJSON *kernels = cJSON_CreateArray();
	const cJSON *k;
	int over;
	enum st rc;

	cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(evidence, "kernels")) {
		const cJSON *m = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(k, "lint"), "metrics");
		cJSON *j = cJSON_CreateObject();

		cJSON_AddStringToObject(j, "name", json_text(k, "folder"));
		cJSON_AddItemToObject(j, "metrics", m ? cJSON_Duplicate(m, true) : cJSON_CreateArray());
		cJSON_AddItemToArray(kernels, j);
	}
	rc = metrics_budget(r->budget, kernels, over_budget, r, &over, e);
	cJSON_Delete(kernels);
	return rc;
}

/* Appends to the summary of the step, which may have a part of another command already. */
static enum st append_summary(const struct request *r, struct err *e)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	struct buf b = {0};
	struct stat s;
	size_t there;
	enum st rc = ST_OK;
	FILE *f;

	if (!path || !path[0])
		return ST_OK;
	there = stat(path, &s) == 0 && s.st_size > 0 ? (size_t)s.st_size : 0;
	if (there + 4096 > REPORT_SUMMARY_MOST)
		return ST_OK;
	f = fopen(path, "a");
	if (!f)
		return FAIL(e, INPUT, "%s (GITHUB_STEP_SUMMARY) cannot be written: %s", path, strerror(errno));
	changes_markdown(&b, &r->changes, r->baseline, REPORT_SUMMARY_MOST - there);
	if (fwrite(b.s, 1, b.len, f) != b.len)
		rc = FAIL(e, IO, "%s: %s", path, strerror(errno));
	if (fclose(f) != 0 && rc == ST_OK)
		rc = FAIL(e, IO, "%s: %s", path, strerror(errno));
	buf_free(&b);
	return rc;
}

static int show(const struct request *r)
{
	const char *actions = getenv("GITHUB_ACTIONS");
	struct buf b = {0};
	struct err e = {0};
	int rc;

	changes_print(&b, &r->changes, r->baseline);
	if (r->github || (actions && strcmp(actions, "true") == 0))
		changes_annotate(&b, &r->changes, r->baseline);
	rc = b.len ? cli_print(b.s, b.len) : 0;
	buf_free(&b);
	if (rc == 0 && r->github && append_summary(r, &e) != ST_OK)
		rc = cli_error(&e);
	return rc;
}

static enum st update(const struct request *r, const cJSON *now, const cJSON *left_out, struct err *e)
{
	cJSON *j = baseline_merge(r->was, now, r->folders, r->nfolders, left_out);
	enum st rc = baseline_write(r->baseline, j, e);
	const cJSON *u;
	int n = 0, bad = 0;

	cJSON_ArrayForEach(u, cJSON_GetObjectItemCaseSensitive(j, "units")) {
		n++;
		bad += strcmp(json_text(u, "verdict"), json_text(u, "expected")) != 0;
	}
	if (rc == ST_OK && !r->c.o.quiet)
		fprintf(stderr, "gpuemu: %s written: %d kernels in a dtype, %d of them not as expected\n", r->baseline, n, bad);
	cJSON_Delete(j);
	return rc;
}

static int exit_of(const struct request *r, int left)
{
	if (r->update)
		return left;
	if (changes_count(&r->changes, CHANGE_WORSE))
		return 1;
	return left ? left : changes_count(&r->changes, CHANGE_UNDECIDED) ? 3 : 0;
}

static int compare(struct request *r, const cJSON *evidence, int left)
{
	cJSON *left_out = left_out_keys(r, evidence), *now = NULL;
	struct err e = {0};
	int rc = 0;
	enum st st;

	TRY_OR(done, st, campaign_each(r->c.o.out_dir, note_failing, r->failing, &e));
	now = baseline_make(evidence, r->baseline, r->failing, r->replayed);
	if (r->was)
		baseline_compare(&r->changes, r->was, now, r->folders, r->nfolders, left_out);
	TRY_OR(done, st, r->budget ? check_budget(r, evidence, &e) : ST_OK);
	rc = show(r);
	if (rc == 0)
		rc = cli_write_outputs(&r->files, evidence);
	if (rc == 0 && r->update)
		st = update(r, now, left_out, &e);
done:
	cJSON_Delete(left_out);
	cJSON_Delete(now);
	return st != ST_OK ? cli_error(&e) : rc ? rc : exit_of(r, left);
}

static int run(struct request *r, char *const *paths, int npaths)
{
	cJSON *evidence = NULL;
	struct err e = {0};
	int left = 0, rc = 0;
	enum st st = ST_OK;

	r->folders = mem_zalloc((size_t)npaths, sizeof *r->folders);
	for (r->nfolders = 0; r->nfolders < npaths; r->nfolders++)
		r->folders[r->nfolders] = baseline_key(r->baseline, paths[r->nfolders]);
	r->replayed = cJSON_CreateObject();
	r->failing = cJSON_CreateObject();
	if (!r->update || path_exists(r->baseline))
		TRY_OR(done, st, baseline_read(r->baseline, &r->was, &e));
	if (r->was)
		TRY_OR(done, st, take_options(r, &e));
	r->c.before = r->was ? replay_all : NULL;
	r->c.ctx = r;
	rc = cli_campaign_run(&r->c, paths, npaths, &evidence, &left);
	if (rc == 0)
		rc = evidence ? compare(r, evidence, left) : left;
done:
	if (st != ST_OK)
		rc = cli_error(&e);
	for (int i = 0; i < r->nfolders; i++)
		free(r->folders[i]);
	free(r->folders);
	cJSON_Delete(evidence);
	cJSON_Delete(r->was);
	cJSON_Delete(r->replayed);
	cJSON_Delete(r->failing);
	changes_free(&r->changes);
	return rc;
}

int cmd_ci(int argc, char **argv)
{
	struct request r = {.c = {.o = campaign_defaults(), .device = "emu"}};
	struct buf command = {0};
	int opt, rc = 0;

	r.c.o.out_dir = "gpuemu-out";
	r.c.o.bench = false;
	cli_command_text(&command, "gpuemu", argc, argv);
	r.c.o.argv_text = command.s;
	opterr = 0;
	while (rc == 0 && (opt = getopt_long(argc, argv, "j:", options, NULL)) != -1)
		rc = parse_option(&r, opt, optarg);
	if (rc == 0 && !r.baseline)
		rc = cli_usage("ci", "name the baseline: --baseline FILE");
	if (rc == 0 && optind == argc)
		rc = cli_usage("ci", "name a kernel folder, or a folder of them");
	if (rc == 0)
		rc = run(&r, argv + optind, argc - optind);
	buf_free(&command);
	return rc;
}
