/* policies.c - see policies.h. */
#include "validate/policies.h"
#include "validate/record.h"
#include "validate/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* ---- what is published ---- */

/* Liger-Kernel ead96b6, test/transformers/; the rest: KernelBench 423217d, src/kernelbench/eval.py. */
static const struct {
	const char *op;
	enum dtype dt;
	struct published p;
} liger[] = {
	{"rmsnorm", DT_F32, {1e-4, 1e-6}},   {"rmsnorm", DT_BF16, {2e-1, 2e-2}},
	{"layernorm", DT_F32, {1e-5, 1e-5}}, {"layernorm", DT_BF16, {2e-2, 2e-2}},
	{"softmax", DT_F32, {1e-5, 1e-5}},   {"softmax", DT_BF16, {5e-2, 5e-2}},
};

struct published published_tolerance(const char *op, enum dtype dt)
{
	for (size_t i = 0; i < ARRAY_LEN(liger); i++)
		if (liger[i].dt == dt && strcmp(liger[i].op, op) == 0)
			return liger[i].p;
	if (!dtype_is_float(dt))
		return (struct published){0, 0};
	return dtype_bytes(dt) <= 2 ? (struct published){1e-2, 1e-2} : (struct published){1e-4, 1e-4};
}

/* ---- cases ---- */

void policy_cases_clear(struct policy_cases *p)
{
	free(p->c);
	*p = (struct policy_cases){0};
}

static bool is_true(const cJSON *line, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, key));
}

void policy_cases_absorb(struct policy_cases *p, const cJSON *line)
{
	const char *value = json_text(line, "value");
	double abs_error = record_number(line, "abs_error");
	bool fail = strcmp(value, "FAIL") == 0;

	if (isnan(abs_error) || (!fail && strcmp(value, "PASS") != 0))
		return;
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->c = mem_realloc(p->c, p->cap * sizeof *p->c);
	}
	p->c[p->n++] = (struct policy_case){abs_error, is_true(line, "wrong"), fail, is_true(line, "allclose"),
	                                    is_true(line, "published")};
}

/* ---- the policies ---- */

enum { PUBLISHED, ALLCLOSE, P95, OURS, POLICIES };

static const struct {
	const char *name, *rule, *source;
} policies[POLICIES] = {
	[PUBLISHED] = {"published per operator and type", "abs(y-z) <= atol + rtol*abs(z)",
	               "Liger-Kernel test/transformers for rmsnorm, layernorm and softmax in f32 and bf16; else KernelBench "
	               "HEAD src/kernelbench/eval.py: f32 1e-4, f16 and bf16 1e-2"},
	[ALLCLOSE] = {"allclose 1e-5, 1e-2", "abs(y-z) <= 1e-5 + 1e-2*abs(z)", "the published one-shape check"},
	[P95] = {"p95 of the absolute error, times 1.5", "max abs(y-z) <= 1.5*p95",
	         "p95 over every other case of the controls of the operator and type"},
	[OURS] = {"gpuemu", "abs(y-z) <= T*u*S", "the tolerance table named under tolerance"},
};

static bool same_key(const struct unit *a, const struct unit *b)
{
	enum dtype ta[OP_MAX_TYPES], tb[OP_MAX_TYPES];

	kernel_dtypes(a->target->kernel, a->dtype, ta);
	kernel_dtypes(b->target->kernel, b->dtype, tb);
	return ta[0] == tb[0] && strcmp(op_schema(kernel_op(a->target->kernel))->name,
	                                op_schema(kernel_op(b->target->kernel))->name) == 0;
}

/* 1.5 times the 95th percentile of what the controls with the operator and type of u err by; infinite errors teach
 * nothing. Without any control: no limit. */
static double learnt(const struct unit *units, int n, const struct unit *u)
{
	double *x = NULL, limit = INFINITY;
	size_t have = 0;

	for (int i = 0; i < n; i++) {
		const struct policy_cases *p = &units[i].policy;

		if (kernel_role(units[i].target->kernel) != ROLE_CONTROL || !same_key(&units[i], u))
			continue;
		x = mem_realloc(x, (have + p->n + 1) * sizeof *x);
		for (size_t k = 0; k < p->n; k += 2)
			if (isfinite(p->c[k].abs_error))
				x[have++] = p->c[k].abs_error;
	}
	if (have > 0) {
		stats_sort(x, have);
		limit = 1.5 * stats_quantile(x, have, 0.95);
	}
	free(x);
	return limit;
}

struct tally {
	double wrong, control, caught[POLICIES], alarms[POLICIES];
};

static void count(struct tally *t, const struct policy_case *c, double p95, bool buggy)
{
	const bool flags[POLICIES] = {[PUBLISHED] = !c->published,
	                              [ALLCLOSE] = !c->allclose,
	                              [P95] = !(c->abs_error <= p95),
	                              [OURS] = c->flagged};

	if (buggy && !c->wrong)
		return;
	*(buggy ? &t->wrong : &t->control) += 1;
	for (int i = 0; i < POLICIES; i++)
		(buggy ? t->caught : t->alarms)[i] += flags[i];
}

cJSON *policies_json(const struct unit *units, int n, const char *set)
{
	struct tally t = {0};
	cJSON *list;

	for (int i = 0; i < n; i++) {
		const struct policy_cases *p = &units[i].policy;
		const struct kernel *k = units[i].target->kernel;
		bool buggy = kernel_role(k) == ROLE_BUGGY;
		double p95;

		if (!kernel_in_set(k, set) || p->n == 0)
			continue;
		p95 = learnt(units, n, &units[i]);
		for (size_t c = buggy ? 0 : 1; c < p->n; c += buggy ? 1 : 2)
			count(&t, &p->c[c], p95, buggy);
	}
	if (t.wrong + t.control == 0)
		return NULL;
	list = cJSON_CreateArray();
	for (int i = 0; i < POLICIES; i++) {
		cJSON *j = cJSON_CreateObject();

		cJSON_AddStringToObject(j, "policy", policies[i].name);
		cJSON_AddStringToObject(j, "rule", policies[i].rule);
		cJSON_AddStringToObject(j, "source", policies[i].source);
		cJSON_AddNumberToObject(j, "wrong_cases", t.wrong);
		cJSON_AddNumberToObject(j, "caught", t.caught[i]);
		cJSON_AddNumberToObject(j, "control_cases", t.control);
		cJSON_AddNumberToObject(j, "false_alarms", t.alarms[i]);
		cJSON_AddItemToArray(list, j);
	}
	return list;
}
