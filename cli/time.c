/* time.c - gpuemu time KERNEL … 'CASE': how long kernels take on a GPU, one beside the other. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "stats/stats.h"

enum { O_DEVICE = 256, O_CASE, O_ROUNDS, O_RUNS, O_WARM, O_JSON, O_RECOMPILE };

static const struct option options[] = {
	{"device", 1, NULL, O_DEVICE}, {"case", 1, NULL, O_CASE}, {"rounds", 1, NULL, O_ROUNDS},       {"runs", 1, NULL, O_RUNS},
	{"warm", 1, NULL, O_WARM},     {"json", 0, NULL, O_JSON}, {"recompile", 0, NULL, O_RECOMPILE}, {NULL, 0, NULL, 0},
};

struct request {
	const char *device, *line;
	int64_t rounds, runs, warm;
	bool json, recompile;
};

/* A kernel made ready for the case. */
struct timed {
	struct target *t;
	struct case_run *run;
	double *round; /* median of each round, in microseconds */
};

/* ---- statistics ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct summary {
	double median, low, high; /* low, high: between them lies the median with a confidence of at least 95 %; NaN: too few values */
};

/* The median of n values and its interval without assumptions on their distribution: between the order statistics k and n + 1 - k, for the
 * largest k at which a binomial(n, 1/2) is below k with a probability of at most 0.025. Sorts x. */
static struct summary summarise(double *x, size_t n)
{
	struct summary s = {.low = NAN, .high = NAN};
	double p = pow(0.5, (double)n), below = p;
	size_t k = 0;

	qsort(x, n, sizeof *x, ascending);
	s.median = stats_quantile(x, n, 0.5);
	while (below <= 0.025 && k < n / 2) {
		k++;
		p *= (double)(n - k + 1) / (double)k;
		below += p;
	}
	if (k > 0) {
		s.low = x[k - 1];
		s.high = x[n - k];
	}
	return s;
}

static struct summary summarise_copy(const double *x, size_t n, const double *over)
{
	double *copy = mem_alloc(n * sizeof *copy);
	struct summary s;

	for (size_t i = 0; i < n; i++)
		copy[i] = over ? x[i] / over[i] : x[i];
	s = summarise(copy, n);
	free(copy);
	return s;
}

/* ---- timing ---- */

static enum st make_ready(struct device *d, const char *folder, const struct request *q, struct timed *k, struct err *e)
{
	struct kase c;
	enum st rc;

	TRY(target_open(d, folder, q->recompile, &k->t, e));
	TRY(case_parse(q->line, kernel_op(k->t->kernel), &c, e));
	rc = case_make(&c, k->t->kernel, (size_t)16 << 30, &k->run, e);
	if (rc == ST_OK)
		k->round = mem_alloc(sizeof *k->round * (size_t)q->rounds);
	return rc == ST_OK ? ST_OK : err_prefix(e, "%s", folder);
}

/* Kernels take turns, so that a clock that drifts does to all the same. */
static enum st time_rounds(struct timed *k, int n, const struct request *q, struct err *e)
{
	double *ms = mem_alloc(sizeof *ms * (size_t)q->runs);
	enum st rc = ST_OK;

	for (int64_t round = 0; round < q->rounds && rc == ST_OK; round++)
		for (int i = 0; i < n && rc == ST_OK; i++) {
			rc = device_time(k[i].t->module, &k[i].run->plan, (int)q->warm, (int)q->runs, ms, e);
			if (rc == ST_OK)
				k[i].round[round] = 1000 * summarise(ms, (size_t)q->runs).median;
		}
	free(ms);
	return rc;
}

/* ---- output ---- */

static void add_summary(cJSON *j, const char *name, struct summary s)
{
	cJSON *list = cJSON_AddArrayToObject(j, name);

	cJSON_AddItemToArray(list, cJSON_CreateNumber(s.median));
	cJSON_AddItemToArray(list, isnan(s.low) ? cJSON_CreateNull() : cJSON_CreateNumber(s.low));
	cJSON_AddItemToArray(list, isnan(s.high) ? cJSON_CreateNull() : cJSON_CreateNumber(s.high));
}

static int print_json(const struct timed *k, int n, const struct request *q, const struct device *d)
{
	cJSON *j = cJSON_CreateObject(), *list;
	char *s;
	int rc;

	cJSON_AddStringToObject(j, "device", device_text(d));
	cJSON_AddStringToObject(j, "case", q->line);
	cJSON_AddNumberToObject(j, "rounds", (double)q->rounds);
	cJSON_AddNumberToObject(j, "runs", (double)q->runs);
	list = cJSON_AddArrayToObject(j, "kernels");
	for (int i = 0; i < n; i++) {
		cJSON *o = cJSON_CreateObject();

		cJSON_AddStringToObject(o, "name", kernel_name(k[i].t->kernel));
		add_summary(o, "us", summarise_copy(k[i].round, (size_t)q->rounds, NULL));
		if (i > 0)
			add_summary(o, "ratio", summarise_copy(k[i].round, (size_t)q->rounds, k[0].round));
		cJSON_AddItemToArray(list, o);
	}
	s = json_print(j, true);
	cJSON_Delete(j);
	rc = cli_print(s, strlen(s));
	free(s);
	return rc;
}

static int print_text(const struct timed *k, int n, const struct request *q)
{
	struct buf b = {0};
	int rc;

	for (int i = 0; i < n; i++) {
		struct summary s = summarise_copy(k[i].round, (size_t)q->rounds, NULL);

		buf_printf(&b, "%-32s %10.3f us  (%.3f to %.3f)", kernel_name(k[i].t->kernel), s.median, s.low, s.high);
		if (i > 0) {
			s = summarise_copy(k[i].round, (size_t)q->rounds, k[0].round);
			buf_printf(&b, "  %.4f of the first (%.4f to %.4f)", s.median, s.low, s.high);
		}
		buf_putc(&b, '\n');
	}
	rc = cli_print(b.s, b.len);
	buf_free(&b);
	return rc;
}

static int run(const struct request *q, char *const *folders, int n)
{
	struct timed *k = mem_zalloc((size_t)n, sizeof *k);
	struct device *d = NULL;
	struct err e = {0};
	enum st st;
	int rc;

	TRY_OR(done, st, device_open(q->device, &d, &e));
	for (int i = 0; i < n; i++)
		TRY_OR(done, st, make_ready(d, folders[i], q, &k[i], &e));
	st = time_rounds(k, n, q, &e);
done:
	rc = st != ST_OK ? cli_error(&e) : q->json ? print_json(k, n, q, d) : print_text(k, n, q);
	for (int i = 0; i < n; i++) {
		case_run_free(k[i].run);
		target_free(k[i].t);
		free(k[i].round);
	}
	free(k);
	device_close(d);
	return rc;
}

int cmd_time(int argc, char **argv)
{
	struct request q = {.device = "cuda:0", .rounds = 20, .runs = 20, .warm = 3};
	bool ok = true;
	int opt;

	opterr = 0;
	while (ok && (opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (opt) {
		case O_DEVICE: q.device = optarg; break;
		case O_CASE: q.line = optarg; break;
		case O_ROUNDS: ok = cli_int("time", "--rounds", optarg, 1, 10000, &q.rounds); break;
		case O_RUNS: ok = cli_int("time", "--runs", optarg, 1, 10000, &q.runs); break;
		case O_WARM: ok = cli_int("time", "--warm", optarg, 0, 10000, &q.warm); break;
		case O_JSON: q.json = true; break;
		case O_RECOMPILE: q.recompile = true; break;
		default: return cli_usage("time", "unknown option or missing value");
		}
	if (!ok)
		return 2;
	if (!q.line || optind == argc)
		return cli_usage("time", "give --case 'CASE' and name kernel folders");
	return run(&q, argv + optind, argc - optind);
}
