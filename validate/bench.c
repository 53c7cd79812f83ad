/* bench.c - the checks of published benchmarks, executed: what they accept on one friendly input an
 * operator, and on KernelBench's own inputs. Rules and tolerances: the sources of each profile below.
 *
 * The reference of a benchmark is its framework's result in the tensor's dtype; here it is the exact value
 * rounded to that dtype, which a good framework result is within an ulp or two of. Runs are not sanitised. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/internal.h"

/* ---- profiles ---- */

/* How candidate y is compared with reference x:
 *   SUM   |y-x| <= atol + rtol·|x|      (torch.allclose, assert_close)
 *   SUMC  |y-x| <= atol + rtol·|y|      (KernelBench: allclose(reference, candidate))
 *   MAX   |y-x| <= max(atol, rtol·|x|)
 *   NMSE  Σ(y-x)² / Σx² <= rtol         (ggml)
 * Any NaN in the candidate or reference is a failure in all of them; equal infinities are equal. */
enum rule { RULE_SUM, RULE_SUMC, RULE_MAX, RULE_NMSE };

struct profile {
	const char *name;
	enum rule rule;
	struct {
		double atol, rtol;
	} f32, f16, bf16;
	const char *inputs; /* its own inputs: version of KernelBench, or HEAD for those with none */
	const char *source;
};

static const struct profile profiles[] = {
	{"seed", RULE_SUM, {1e-5, 1e-2}, {1e-5, 1e-2}, {1e-5, 1e-2}, "head",
	 "the published one-shape check: torch.allclose(atol=1e-5, rtol=1e-2)"},
	{"assert_close", RULE_SUM, {1e-5, 1.3e-6}, {1e-5, 1e-3}, {1e-5, 1.6e-2}, "head",
	 "PyTorch torch/testing/_comparison.py, defaults"},
	{"kernelbench_v0", RULE_SUMC, {1e-2, 1e-2}, {1e-2, 1e-2}, {1e-2, 1e-2}, "v0",
	 "KernelBench v0 src/eval.py"},
	{"kernelbench_v0.1", RULE_SUMC, {1e-2, 1e-2}, {1e-2, 1e-2}, {1e-2, 1e-2}, "head",
	 "KernelBench v0.1 src/eval.py"},
	{"kernelbench_head", RULE_SUMC, {1e-4, 1e-4}, {1e-2, 1e-2}, {1e-2, 1e-2}, "head",
	 "KernelBench HEAD src/kernelbench/eval.py"},
	{"multikernelbench", RULE_SUM, {1e-4, 1e-4}, {1e-4, 1e-4}, {1e-4, 1e-4}, "head",
	 "MultiKernelBench utils/correctness.py since 2026-01-22"},
	{"cuda_l1", RULE_SUM, {1e-2, 1e-2}, {1e-2, 1e-2}, {1e-2, 1e-2}, "head",
	 "CUDA-L1 eval/eval_cuda.py"},
	{"robust_kbench", RULE_SUM, {1e-5, 1e-5}, {1e-5, 1e-5}, {1e-5, 1e-5}, "head",
	 "robust-kbench primitives/forward"},
	{"backendbench", RULE_SUM, {1e-2, 1e-2}, {1e-2, 1e-2}, {1e-2, 1e-2}, "head",
	 "BackendBench/eval.py"},
	{"flashinfer_bench", RULE_MAX, {1e-2, 1e-2}, {1e-2, 1e-2}, {1e-2, 1e-2}, "head",
	 "flashinfer_bench/bench/utils.py"},
	{"gpu_mode", RULE_SUM, {1e-8, 1e-5}, {1e-8, 1e-5}, {1e-8, 1e-5}, "head",
	 "gpu-mode reference-kernels utils.py, defaults"},
	{"geak", RULE_SUM, {1e-2, 1e-1}, {1e-2, 1e-1}, {1e-2, 1e-1}, "head",
	 "GEAK-agent TB_eval/check_correctness.py"},
	{"ggml_nmse", RULE_NMSE, {0, 1e-7}, {0, 1e-7}, {0, 1e-7}, "head",
	 "ggml tests/test-backend-ops.cpp, default NMSE"},
};
_Static_assert(ARRAY_LEN(profiles) <= 32, "accepted profiles are a 32-bit mask");

int bench_profile_count(void)
{
	return (int)ARRAY_LEN(profiles);
}

const char *bench_profile_name(int i)
{
	return profiles[i].name;
}

cJSON *bench_profiles_json(void)
{
	static const char *const rules[] = {"abs(y-x) <= atol + rtol*abs(x)",
	                                    "abs(y-x) <= atol + rtol*abs(y)",
	                                    "abs(y-x) <= max(atol, rtol*abs(x))",
	                                    "sum((y-x)^2)/sum(x^2) <= rtol"};
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < ARRAY_LEN(profiles); i++) {
		cJSON *p = cJSON_CreateObject();

		cJSON_AddStringToObject(p, "name", profiles[i].name);
		cJSON_AddStringToObject(p, "rule", rules[profiles[i].rule]);
		cJSON_AddNumberToObject(p, "atol_f32", profiles[i].f32.atol);
		cJSON_AddNumberToObject(p, "rtol_f32", profiles[i].f32.rtol);
		cJSON_AddStringToObject(p, "published_inputs", profiles[i].inputs);
		cJSON_AddStringToObject(p, "source", profiles[i].source);
		cJSON_AddItemToArray(list, p);
	}
	return list;
}

static bool accepts(const struct profile *p, enum dtype dt, const double *y, const double *x,
                    int64_t n)
{
	double atol = dt == DT_F16 ? p->f16.atol : dt == DT_BF16 ? p->bf16.atol : p->f32.atol;
	double rtol = dt == DT_F16 ? p->f16.rtol : dt == DT_BF16 ? p->bf16.rtol : p->f32.rtol;
	double err2 = 0, ref2 = 0;

	for (int64_t i = 0; i < n; i++) {
		double d = fabs(y[i] - x[i]), tol;

		if (isnan(y[i]) || isnan(x[i]))
			return false;
		if (y[i] == x[i])
			d = 0;
		if (isinf(d)) /* infinities of other signs, or one alone: false in all of them */
			return false;
		if (p->rule == RULE_NMSE) {
			err2 += d * d;
			ref2 += x[i] * x[i];
			continue;
		}
		if (p->rule == RULE_MAX)
			tol = fmax(atol, rtol * fabs(x[i]));
		else
			tol = atol + rtol * fabs(p->rule == RULE_SUMC ? y[i] : x[i]);
		if (!(d <= tol))
			return false;
	}
	return p->rule != RULE_NMSE || err2 <= rtol * ref2;
}

bool bench_accepts(int i, enum dtype dt, const double *y, const double *x, int64_t n)
{
	return accepts(&profiles[i], dt, y, x, n);
}

static uint32_t accepted_mask(enum dtype dt, const double *y, const double *x, int64_t n)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
		mask |= (uint32_t)accepts(&profiles[i], dt, y, x, n) << i;
	return mask;
}

/* ---- the inputs file ---- */

static const struct embedded files[] = {
#include "schemas.inc"
};

static const char *string_at(const cJSON *j, const char *a, const char *b, const char *c)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, a);

	v = b ? cJSON_GetObjectItemCaseSensitive(v, b) : v;
	v = c ? cJSON_GetObjectItemCaseSensitive(v, c) : v;
	return cJSON_IsString(v) ? v->valuestring : NULL;
}

/* ---- tasks ---- */

enum input_kind { INPUT_FRIENDLY, INPUT_V0, INPUT_HEAD, INPUT_KINDS };
static const char *const kind_names[] = {"friendly", "v0", "head"};

#define FRIENDLY_SEEDS_F32 20
#define FRIENDLY_SEEDS_16 5
#define PUBLISHED_SEEDS 5
#define MAX_NULLS (NULL_COUNT + 4)
/* Lane instructions after which a run counts as endless. */
#define BENCH_BUDGET ((uint64_t)1 << 33)

/* One run of one target on one input with one seed; or, with `nulls`, the null kernels on that input. */
struct task {
	int target, dtype;
	enum input_kind kind;
	uint64_t seed;
	bool nulls;
	/* results */
	enum st rc;
	struct err err;
	bool not_run;               /* the kernel does not take this input, err says why */
	uint32_t accepted;          /* profiles, a bit each */
	uint32_t null_accepted[MAX_NULLS], null_exists;
};

struct bench {
	struct target *const *targets;
	const cJSON *inputs;
	struct task *tasks;
	size_t n, cap;
	struct progress *progress;
};

static const char *set_of(const struct kernel *k)
{
	const char *set = kernel_first_set(k);

	return set ? set : "seed";
}

static const char *input_text(const struct bench *b, const struct kernel *k, enum input_kind kind)
{
	const char *op = op_schema(kernel_op(k))->name;
	const cJSON *all;

	if (kind == INPUT_FRIENDLY)
		return string_at(cJSON_GetObjectItemCaseSensitive(b->inputs, "friendly"), set_of(k), op,
		                 NULL);
	all = cJSON_GetObjectItemCaseSensitive(b->inputs, "published");
	return string_at(all, op, kind_names[kind], "case");
}

/* The case line of an input for a dtype and seed, or an error. */
static enum st input_case(const struct kernel *k, const char *text, int dtype, uint64_t seed,
                          struct kase *c, struct err *e)
{
	enum dtype types[OP_MAX_TYPES];
	struct buf b = {0};
	enum st rc;

	kernel_dtypes(k, dtype, types);
	buf_printf(&b, "%s/", op_schema(kernel_op(k))->name);
	for (int v = 0; v < op_schema(kernel_op(k))->ntypes; v++)
		buf_printf(&b, "%s%s", v ? "," : "", dtype_name(types[v]));
	buf_printf(&b, " %s seed=0x%llx fill=a5", text, (unsigned long long)seed);
	rc = case_parse(b.s, kernel_op(k), c, e);
	buf_free(&b);
	return rc;
}

/* The exact outputs rounded to their dtype, as doubles; *n elements of output 0 (every operator of the
 * table has one output). */
static enum st reference(const struct case_run *run, double **x, int64_t *n, struct oracle **or,
                         struct err *e)
{
	enum dtype dt = run->out[0]->dt;

	TRY(oracle_eval(run->inst, run->in, run->out, &run->num, 6, 0, or, e));
	*n = (*or)->out[0].n;
	*x = mem_alloc(sizeof **x * (size_t)(*n + 1));
	for (int64_t i = 0; i < *n; i++) {
		uint8_t st = (*or)->out[0].status[i];
		double z = st == EL_POS_INF ? INFINITY :
		           st == EL_NEG_INF ? -INFINITY :
		           st == EL_NAN     ? NAN :
		                              (*or)->out[0].z[i];

		(*x)[i] = dtype_decode(dt, dtype_encode(dt, z, RND_NE, false));
	}
	return ST_OK;
}

/* A null kernel given as an operator text of the same schema: its exact value. */
static enum st extra_null(const char *text, const struct case_run *run, double *y, struct err *e)
{
	struct op *op = NULL;
	struct op_inst *inst = NULL;
	struct oracle *or = NULL;
	enum dtype dt = run->out[0]->dt;
	enum st rc;

	TRY_OR(done, rc, op_parse(text, strlen(text), "bench_inputs.json", &op, e));
	TRY_OR(done, rc, op_bind(op, op_inst_binding(run->inst), &inst, e));
	TRY_OR(done, rc, oracle_eval(inst, run->in, NULL, &run->num, 6, 0, &or, e));
	for (int64_t i = 0; i < or->out[0].n; i++)
		y[i] = dtype_decode(dt, dtype_encode(dt, or->out[0].z[i], RND_NE, false));
done:
	oracle_free(or);
	op_inst_free(inst);
	op_free(op);
	return rc;
}

static enum st try_nulls(const struct bench *b, struct task *t, const struct case_run *run,
                         const struct oracle *or, const double *x, int64_t n, struct err *e)
{
	const char *op = op_schema(kernel_op(b->targets[t->target]->kernel))->name;
	const cJSON *extra = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(b->inputs, "nulls"), op), *item;
	double *y = mem_alloc(sizeof *y * (size_t)(n + 1));
	enum dtype dt = run->out[0]->dt;
	enum st rc = ST_OK;
	int at = NULL_COUNT;

	for (int k = 0; k < NULL_COUNT; k++)
		if (null_output((enum null_kind)k, run, &or->out[0], dt, y)) {
			t->null_exists |= 1u << k;
			t->null_accepted[k] = accepted_mask(dt, y, x, n);
		}
	cJSON_ArrayForEach(item, extra)
	{
		if (at == MAX_NULLS)
			break;
		TRY_OR(done, rc, extra_null(item->valuestring, run, y, e));
		t->null_exists |= 1u << at;
		t->null_accepted[at++] = accepted_mask(dt, y, x, n);
	}
done:
	free(y);
	return rc;
}

/* Sizes that a user's kernel excludes ("requires", launch limits), or that this machine cannot hold. */
static bool is_not_taken(enum st rc)
{
	return rc == ST_INPUT || rc == ST_UNSUP || rc == ST_LIMIT;
}

static enum st run_task(const struct bench *b, struct task *t, struct err *e)
{
	const struct target *target = b->targets[t->target];
	struct dev_run_options dro = {.budget = BENCH_BUDGET};
	struct run_report report = {0};
	struct case_run *run = NULL;
	struct oracle *or = NULL;
	double *x = NULL, *y = NULL;
	struct kase c;
	int64_t n;
	enum st rc;

	TRY_OR(done, rc, input_case(target->kernel, input_text(b, target->kernel, t->kind), t->dtype,
	                            t->seed, &c, e));
	rc = case_make(&c, target->kernel, (size_t)8 << 30, &run, e);
	t->not_run = is_not_taken(rc);
	if (rc != ST_OK)
		goto done;
	TRY_OR(done, rc, reference(run, &x, &n, &or, e));
	if (t->nulls) {
		rc = try_nulls(b, t, run, or, x, n, e);
		goto done;
	}
	rc = device_run(target->module, &run->plan, &dro, &report, e);
	t->not_run = is_not_taken(rc);
	if (rc != ST_OK)
		goto done;
	y = mem_alloc(sizeof *y * (size_t)(n + 1));
	tensor_gather(run->out[0], y);
	if (report.complete) /* a kernel that faults is rejected by every harness */
		t->accepted = accepted_mask(run->out[0]->dt, y, x, n);
done:
	if (rc != ST_OK)
		err_prefix(e, "benchmark check of %s", kernel_name(target->kernel));
	free(x);
	free(y);
	oracle_free(or);
	case_run_free(run);
	return rc;
}

static void task_fn(void *ctx, size_t i, int worker)
{
	struct bench *b = ctx;

	(void)worker;
	b->tasks[i].rc = run_task(b, &b->tasks[i], &b->tasks[i].err);
	progress_add(b->progress, 1);
}

static void add_task(struct bench *b, struct task t)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 256;
		b->tasks = mem_realloc(b->tasks, b->cap * sizeof *b->tasks);
	}
	b->tasks[b->n++] = t;
}

/* Is this the first target with its operator and set? Null kernels are tried once for those. */
static bool first_of_operator(const struct bench *b, int target)
{
	const struct kernel *k = b->targets[target]->kernel;

	for (int i = 0; i < target; i++)
		if (kernel_op(b->targets[i]->kernel) == kernel_op(k) &&
		    strcmp(set_of(b->targets[i]->kernel), set_of(k)) == 0)
			return false;
	return true;
}

static void add_tasks_of(struct bench *b, int target)
{
	const struct kernel *k = b->targets[target]->kernel;
	enum dtype types[OP_MAX_TYPES];
	int nd = kernel_dtypes(k, -1, types);

	for (int kind = 0; kind < INPUT_KINDS; kind++)
		for (int d = 0; d < nd && input_text(b, k, (enum input_kind)kind); d++) {
			struct task t = {.target = target, .dtype = d, .kind = (enum input_kind)kind};
			uint64_t seeds = PUBLISHED_SEEDS;

			kernel_dtypes(k, d, types);
			if (kind == INPUT_FRIENDLY)
				seeds = types[0] == DT_F32 ? FRIENDLY_SEEDS_F32 : FRIENDLY_SEEDS_16;
			else if (types[0] != DT_F32)
				continue; /* KernelBench's inputs are f32 */
			for (t.seed = 0; t.seed < seeds; t.seed++) {
				t.nulls = false;
				add_task(b, t);
				t.nulls = true;
				if (kind == INPUT_FRIENDLY && types[0] == DT_F32 &&
				    first_of_operator(b, target))
					add_task(b, t);
			}
		}
}

/* ---- results to JSON ---- */

static const char *null_label(const struct bench *b, const char *op, int k)
{
	const cJSON *extra = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(b->inputs, "nulls"), op);

	return k < NULL_COUNT ? null_name((enum null_kind)k) :
	                        cJSON_GetArrayItem(extra, k - NULL_COUNT)->string;
}

/* {"seeds": s, "accepted": {profile: seeds that accept}} over the tasks of one target, input and dtype that
 * could be run, and "not_run": why others could not; NULL when there are no tasks. */
static cJSON *accepted_json(const struct bench *b, int target, enum input_kind kind, int dtype)
{
	int count[32] = {0}, seeds = 0;
	const char *not_run = NULL;
	cJSON *j, *a;

	for (size_t i = 0; i < b->n; i++) {
		const struct task *t = &b->tasks[i];

		if (t->target != target || t->kind != kind || t->dtype != dtype || t->nulls)
			continue;
		if (t->not_run) {
			not_run = t->err.msg;
			continue;
		}
		seeds++;
		for (size_t p = 0; p < ARRAY_LEN(profiles); p++)
			count[p] += t->accepted >> p & 1;
	}
	if (!seeds && !not_run)
		return NULL;
	j = cJSON_CreateObject();
	cJSON_AddNumberToObject(j, "seeds", seeds);
	if (not_run)
		cJSON_AddStringToObject(j, "not_run", not_run);
	a = cJSON_AddObjectToObject(j, "accepted");
	for (size_t p = 0; p < ARRAY_LEN(profiles); p++)
		cJSON_AddNumberToObject(a, profiles[p].name, count[p]);
	return j;
}

static cJSON *kernel_json(const struct bench *b, int target)
{
	const struct kernel *k = b->targets[target]->kernel;
	const char *op = op_schema(kernel_op(k))->name;
	enum dtype types[OP_MAX_TYPES];
	int nd = kernel_dtypes(k, -1, types);
	cJSON *j = cJSON_CreateObject();

	for (int kind = 0; kind < INPUT_KINDS; kind++) {
		const char *text = input_text(b, k, (enum input_kind)kind);
		const cJSON *published = cJSON_GetObjectItemCaseSensitive(b->inputs, "published");
		cJSON *in;

		if (!text)
			continue;
		in = cJSON_AddObjectToObject(j, kind_names[kind]);
		cJSON_AddStringToObject(in, "case", text);
		if (kind == INPUT_FRIENDLY) {
			cJSON_AddStringToObject(in, "set", set_of(k));
		} else {
			cJSON_AddStringToObject(in, "problem", string_at(published, op, "problem", NULL));
			cJSON_AddStringToObject(in, "original",
			                        string_at(published, op, kind_names[kind], "original"));
		}
		for (int d = 0; d < nd; d++) {
			cJSON *a = accepted_json(b, target, (enum input_kind)kind, d);

			kernel_dtypes(k, d, types);
			if (a)
				cJSON_AddItemToObject(in, dtype_name(types[0]), a);
		}
	}
	return j;
}

/* The null kernels on the friendly input of a target's operator and set. */
static cJSON *nulls_json(const struct bench *b, int target)
{
	const struct kernel *k = b->targets[target]->kernel;
	const char *op = op_schema(kernel_op(k))->name;
	cJSON *j = cJSON_CreateObject(), *nulls;
	uint32_t exists = 0;
	int seeds = 0;

	cJSON_AddStringToObject(j, "set", set_of(k));
	cJSON_AddStringToObject(j, "operator", op);
	cJSON_AddStringToObject(j, "case", input_text(b, k, INPUT_FRIENDLY));
	nulls = cJSON_AddObjectToObject(j, "nulls");
	for (size_t i = 0; i < b->n; i++)
		if (b->tasks[i].target == target && b->tasks[i].nulls && !b->tasks[i].not_run) {
			exists |= b->tasks[i].null_exists;
			seeds++;
		}
	cJSON_AddNumberToObject(j, "seeds", seeds);
	for (int n = 0; n < MAX_NULLS; n++) {
		cJSON *a;

		if (!(exists >> n & 1))
			continue;
		a = cJSON_AddObjectToObject(nulls, null_label(b, op, n));
		for (size_t p = 0; p < ARRAY_LEN(profiles); p++) {
			int count = 0;

			for (size_t i = 0; i < b->n; i++)
				if (b->tasks[i].target == target && b->tasks[i].nulls)
					count += b->tasks[i].null_accepted[n] >> p & 1;
			cJSON_AddNumberToObject(a, profiles[p].name, count);
		}
	}
	return j;
}

enum st bench_run(const struct campaign_options *o, struct target *const *targets, int n,
                  cJSON *kernels, cJSON **friendly, struct err *e)
{
	struct bench b = {.targets = targets};
	cJSON *inputs = NULL;
	enum st rc = ST_OK;

	TRY(json_embedded(files, ARRAY_LEN(files), "bench_inputs", &inputs, e));
	b.inputs = inputs;
	for (int i = 0; i < n; i++)
		add_tasks_of(&b, i);
	b.progress = progress_new(o->quiet ? NULL : "benchmark checks", b.n);
	pool_run(o->jobs, b.n, task_fn, NULL, &b);
	progress_end(b.progress);
	for (size_t i = 0; i < b.n && rc == ST_OK; i++)
		if (b.tasks[i].rc != ST_OK && !b.tasks[i].not_run) {
			*e = b.tasks[i].err;
			rc = b.tasks[i].rc;
		}
	*friendly = cJSON_CreateArray();
	for (int i = 0; i < n && rc == ST_OK; i++) {
		cJSON_AddItemToObject(cJSON_GetArrayItem(kernels, i), "bench", kernel_json(&b, i));
		if (first_of_operator(&b, i) && input_text(&b, targets[i]->kernel, INPUT_FRIENDLY))
			cJSON_AddItemToArray(*friendly, nulls_json(&b, i));
	}
	free(b.tasks);
	cJSON_Delete(inputs);
	return rc;
}
