/* calibrate_envelopes.c - gpuemu calibrate: known-good kernels run on a device, a tolerance table fitted to them. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/envelopes.h"
#include "cli/cli.h"

#define KERNELS "calibrate/kernels"

struct request {
	struct envelope_options o;
	const char *device, *out, *only;
	bool dry_run;
	char command[400], runs_path[4096];
};

enum { O_DEVICE = 256, O_PLAN, O_SEED, O_RESUME, O_QUIET, O_ONLY, O_DRY, O_FROM };

static const struct option options[] = {
	{"device", 1, NULL, O_DEVICE}, {"plan", 1, NULL, O_PLAN},   {"seed", 1, NULL, O_SEED},
	{"resume", 0, NULL, O_RESUME}, {"quiet", 0, NULL, O_QUIET}, {"only", 1, NULL, O_ONLY},
	{"dry-run", 0, NULL, O_DRY},   {"out", 1, NULL, 'o'},       {"jobs", 1, NULL, 'j'},
	{"from", 1, NULL, O_FROM},
	{NULL, 0, NULL, 0},
};

static int parse_option(struct request *q, int opt, const char *arg)
{
	int64_t v = 0;

	switch (opt) {
	case O_DEVICE: q->device = arg; return 0;
	case O_PLAN: q->o.plan = arg; return 0;
	case O_SEED: return cli_seed("calibrate", arg, &q->o.seed) ? 0 : 2;
	case O_RESUME: q->o.resume = true; return 0;
	case O_QUIET: q->o.quiet = true; return 0;
	case O_ONLY: q->only = arg; return 0;
	case O_DRY: q->dry_run = true; return 0;
	case O_FROM: q->o.from = arg; return 0;
	case 'o': q->out = arg; return 0;
	case 'j':
		if (!cli_int("calibrate", "--jobs", arg, 1, 1024, &v))
			return 2;
		q->o.jobs = (int)v;
		return 0;
	default: return cli_usage("calibrate", "unknown option or missing value");
	}
}

/* Opens the known-good kernels of the folders: controls and users' own, of the operator asked for. Those that the
 * device cannot run are left out. */
static enum st open_all(const struct request *q, struct device *d, char **folders, int n, struct target **t, int *nt,
                        struct err *e)
{
	for (int i = 0; i < n; i++) {
		struct target *one = NULL;
		enum st rc = target_open(d, folders[i], false, &one, e);

		if (rc == ST_UNSUP) {
			fprintf(stderr, "gpuemu: left out: %s\n", e->msg);
			*e = (struct err){0};
			continue;
		}
		TRY(rc);
		one->table = NULL; /* what is measured must not depend on an older table */
		if (kernel_role(one->kernel) == ROLE_BUGGY ||
		    (q->only && strcmp(op_schema(kernel_op(one->kernel))->name, q->only) != 0))
			target_free(one);
		else
			t[(*nt)++] = one;
	}
	if (*nt == 0)
		return FAIL(e, INPUT, "no known-good kernel%s%s in the folders given", q->only ? " of operator " : "",
		            q->only ? q->only : "");
	return ST_OK;
}

static int tell(const struct request *q, const struct tolerance_table *t)
{
	char *text = tolerance_show(t, NULL);
	struct buf b = {0};
	int rc;

	buf_puts(&b, text);
	if (q->out)
		buf_printf(&b, "\nwritten to %s; runs in %s\n", q->out, q->o.from ? q->o.from : q->o.runs_path);
	rc = cli_print(b.s, b.len);
	buf_free(&b);
	free(text);
	return rc;
}

static enum st make(struct request *q, char **folders, int n, int *status, struct err *e)
{
	struct target **t = mem_zalloc((size_t)n + 1, sizeof *t);
	struct tolerance_table *table = NULL;
	struct device *d = NULL;
	char *plan = NULL;
	int nt = 0;
	enum st rc;

	TRY_OR(done, rc, device_open(q->device ? q->device : "emu", &d, e));
	TRY_OR(done, rc, open_all(q, d, folders, n, t, &nt, e));
	TRY_OR(done, rc, envelopes_plan(&q->o, t, nt, &plan, e));
	if (q->dry_run) {
		*status = cli_print(plan, strlen(plan));
		goto done;
	}
	if (!q->o.quiet)
		fputs(plan, stderr);
	TRY_OR(done, rc, envelopes_make(&q->o, d, t, nt, &table, e));
	if (q->out)
		TRY_OR(done, rc, tolerance_write(table, q->out, e));
	*status = tell(q, table);
done:
	for (int i = 0; i < nt; i++)
		target_free(t[i]);
	free(t);
	free(plan);
	tolerance_free(table);
	device_close(d);
	return rc;
}

static int run(struct request *q, char **paths, int npaths)
{
	char kernels[] = KERNELS, *usual[] = {kernels}, **folders = NULL;
	struct err e = {0};
	int n = 0, status = 0;
	enum st rc;

	if (npaths == 0 && !path_exists(KERNELS))
		return cli_usage("calibrate", "there is no %s here: name the folders of known-good kernels", KERNELS);
	rc = cli_find_kernels(npaths ? paths : usual, npaths ? npaths : 1, NULL, &folders, &n, &e);
	if (rc == ST_OK)
		rc = make(q, folders, n, &status, &e);
	cli_folders_free(folders, n);
	return rc == ST_OK ? status : cli_error(&e);
}

int calibrate_envelopes_command(int argc, char **argv)
{
	struct request q = {.o = {.plan = "smoke", .seed = 1, .jobs = cpu_count()}};
	struct buf command = {0};
	int opt, rc = 0;

	cli_command_text(&command, "gpuemu", argc, argv);
	snprintf(q.command, sizeof q.command, "%s", command.s); /* a record has room for so much */
	buf_free(&command);
	opterr = 0;
	optind = 1;
	while (rc == 0 && (opt = getopt_long(argc, argv, "j:o:", options, NULL)) != -1)
		rc = parse_option(&q, opt, optarg);
	if (rc == 0 && !q.out && !q.dry_run)
		rc = cli_usage("calibrate", "-o FILE.json is needed for the table (or --dry-run)");
	if (rc == 0 && q.o.from && q.o.resume)
		rc = cli_usage("calibrate", "--from fits to runs that are all there, --resume makes those that are not");
	if (rc)
		return rc;
	q.o.carry = q.device != NULL;
	snprintf(q.runs_path, sizeof q.runs_path, "%s.runs.jsonl", q.out ? q.out : "");
	q.o.runs_path = q.runs_path;
	q.o.command = q.command;
	return run(&q, argv + optind, argc - optind);
}
