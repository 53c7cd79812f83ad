/* judge.c - gpuemu judge 'CASE' OUTPUTS: outputs that a library, another language or another machine computed. */
#include <float.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { O_TOLERANCES = 256, O_ACC, O_FTZ, O_TENSOR, O_CHAIN, O_LOW, O_JSON };

static const struct option options[] = {
	{"tolerances", 1, NULL, O_TOLERANCES}, {"acc", 1, NULL, O_ACC},
	{"ftz", 0, NULL, O_FTZ},               {"tensor-cores", 0, NULL, O_TENSOR}, {"chain", 1, NULL, O_CHAIN},
	{"low", 1, NULL, O_LOW},               {"json", 0, NULL, O_JSON},           {NULL, 0, NULL, 0},
};

struct request {
	const char *tolerances;
	struct numerics num;
	bool json, acc;
};

/* NAME=DTYPE */
static int parse_low(struct request *q, const char *arg)
{
	const char *eq = strchr(arg, '=');
	size_t n = eq ? (size_t)(eq - arg) : 0;
	struct numerics *num = &q->num;

	if (n == 0 || n >= sizeof num->low[0].name || num->nlow == (int)ARRAY_LEN(num->low) ||
	    !dtype_parse(eq + 1, &num->low[num->nlow].dt))
		return cli_usage("judge", "--low NAME=DTYPE names an intermediate value or an input, as in p=f16");
	memcpy(num->low[num->nlow].name, arg, n);
	num->low[num->nlow++].name[n] = '\0';
	return 0;
}

static int parse_option(struct request *q, int opt, const char *arg)
{
	int64_t v = 0;

	switch (opt) {
	case O_TOLERANCES: q->tolerances = arg; return 0;
	case O_FTZ: q->num.ftz = true; return 0;
	case O_TENSOR: q->num.tensor_cores = true; return 0;
	case O_JSON: q->json = true; return 0;
	case O_LOW: return parse_low(q, arg);
	case O_ACC:
		q->acc = true;
		return dtype_parse(arg, &q->num.acc) && dtype_is_float(q->num.acc) ?
		               0 : cli_usage("judge", "--acc is the float dtype in which sums are kept, as in f32");
	case O_CHAIN:
		if (!cli_int("judge", "--chain", arg, 1, INT64_C(1) << 40, &v))
			return 2;
		q->num.chain = (double)v;
		return 0;
	default: return cli_usage("judge", "unknown option or missing value");
	}
}

static char *json_of(const struct kase *c, const struct case_result *r)
{
	cJSON *j = cJSON_CreateObject();
	char *line = case_print(c), *text;

	cJSON_AddStringToObject(j, "case", line);
	cJSON_AddStringToObject(j, "verdict", verdict_name(r->verdict));
	cJSON_AddStringToObject(j, "reason", r->reason);
	cJSON_AddNumberToObject(j, "elements", (double)r->judgement.n);
	cJSON_AddNumberToObject(j, "wrong", (double)r->judgement.failed);
	if (r->judgement.r_max <= DBL_MAX)
		cJSON_AddNumberToObject(j, "r", r->judgement.r_max);
	else
		cJSON_AddStringToObject(j, "r", "inf");
	cJSON_AddNumberToObject(j, "T", r->envelope.T);
	cJSON_AddStringToObject(j, "envelope", r->envelope.name);
	cJSON_AddNumberToObject(j, "L", r->chain);
	cJSON_AddStringToObject(j, "family", r->family);
	cJSON_AddStringToObject(j, "outputs_sha256", r->outputs_sha256);
	text = json_print(j, false);
	cJSON_Delete(j);
	free(line);
	return text;
}

/* A NumPy file holds one tensor without a name: the output of an operator that has one. */
static enum st read_outputs(const struct kase *c, const char *path, struct named_tensor **ts, size_t *n, struct err *e)
{
	const struct op_schema *o = op_schema(c->op);
	size_t len = strlen(path);
	struct tensor t;

	if (len < 4 || strcmp(path + len - 4, ".npy") != 0)
		return safetensors_read(path, ts, n, e);
	if (o->ntensors - o->nin != 1)
		return FAIL(e, INPUT, "%s: operator %s has %d outputs, and an .npy file holds one tensor: write safetensors", path,
		            o->name, o->ntensors - o->nin);
	TRY(npy_read(path, &t, e));
	*ts = mem_zalloc(1, sizeof **ts);
	(*ts)->name = mem_strdup(o->tensors[o->nin].name);
	(*ts)->t = t;
	*n = 1;
	return ST_OK;
}

static enum st judge(struct request *q, const char *line, const char *path, enum verdict *verdict, struct buf *text,
                     struct err *e)
{
	const struct tolerance_table *t = NULL;
	struct tolerance_table *owned = NULL;
	struct named_tensor *ts = NULL;
	struct case_result r;
	struct buf human = {0};
	struct kase c;
	size_t n = 0;
	enum st rc;

	TRY_OR(done, rc, case_parse(line, NULL, &c, e));
	if (!q->acc)
		q->num.acc = usual_accumulation(op_schema(c.op), &c.b);
	TRY_OR(done, rc, cli_table(q->tolerances ? q->tolerances : "sm_90", &owned, &t, e));
	TRY_OR(done, rc, read_outputs(&c, path, &ts, &n, e));
	TRY_OR(done, rc, judge_outputs(&c, ts, n, &q->num, t, &human, &r, e));
	*verdict = r.verdict;
	if (q->json) {
		char *j = json_of(&c, &r);

		buf_printf(text, "%s\n", j);
		free(j);
	} else {
		buf_add(text, human.s, human.len);
	}
done:
	buf_free(&human);
	named_tensors_free(ts, n);
	tolerance_free(owned);
	return rc;
}

int cmd_judge(int argc, char **argv)
{
	struct request q = {.num = numerics_default()};
	enum verdict verdict = V_UNKNOWN;
	struct buf text = {0};
	struct err e = {0};
	int opt, rc = 0;

	opterr = 0;
	while (rc == 0 && (opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		rc = parse_option(&q, opt, optarg);
	if (rc)
		return rc;
	if (argc - optind != 2)
		return cli_usage("judge", "give a case (in quotes) and OUTPUTS.safetensors or .npy");
	if (judge(&q, argv[optind], argv[optind + 1], &verdict, &text, &e) != ST_OK)
		rc = cli_error(&e);
	else
		rc = cli_print(text.s, text.len);
	buf_free(&text);
	return rc ? rc : verdict == V_PASS ? 0 : verdict == V_FAIL ? 1 : 3;
}
