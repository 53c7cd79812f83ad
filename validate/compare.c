/* compare.c - the same cases on two devices, and two files of tensors, bit by bit.
 *
 * Cases are those of a campaign without coverage: nothing that one of the devices does chooses them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/diff.h"
#include "validate/trace.h"
#include "validate/unit.h"

#define MAX_CASE_BYTES ((size_t)4 << 30)
#define MAX_TEXT 400

/* A kernel in one dtype combination on both devices, and what has been seen of it. */
struct pair {
	const struct target *a, *b;
	int dtype;
	int64_t cases, identical, not_made;
	struct diff diff;
	char *first_case;
	char first_text[MAX_TEXT]; /* findings at the first difference */
	cJSON *trace;              /* where the runs part, or NULL */
};
struct comparison {
	const struct compare_options *o;
	struct pair *pairs;
	int npairs;
	struct outcome *outcomes; /* of the cases in flight, freed as they are committed */
	struct progress *progress;
	enum st rc;
	struct err err;
};
struct outcome {
	struct diff diff;
	bool not_made; /* the case needs more memory than allowed */
	char *line;    /* of a case that differs */
	char text[MAX_TEXT];
	enum st rc;
	struct err err;
};

/* ---- one case ---- */

static enum st run_on(const struct target *t, const struct kase *c, bool sanitize,
                      struct case_run **run, struct run_report *r, struct err *e)
{
	struct dev_run_options o = {.sanitize = sanitize};

	TRY(case_make(c, t->kernel, MAX_CASE_BYTES, run, e));
	o.budget = case_budget((*run)->inst);
	return device_run(t->module, &(*run)->plan, &o, r, e);
}

static const struct finding *first_fault(const struct run_report *r)
{
	for (int i = 0; i < r->nfindings; i++)
		if (finding_is_error(r->findings[i].kind))
			return &r->findings[i];
	return NULL;
}

/* Two runs that did not end agree when the same kind of fault ended them. */
static bool ended_alike(const struct run_report *a, const struct run_report *b)
{
	const struct finding *x = first_fault(a), *y = first_fault(b);

	return a->complete == b->complete && (a->complete || (x && y && x->kind == y->kind));
}

static void diff_outputs(const struct case_run *a, const struct case_run *b, struct diff *d)
{
	const struct op_schema *o = op_schema(op_inst_op(a->inst));

	for (int k = 0; k < a->nout; k++) {
		int64_t n = tensor_count(a->out[k]);
		uint64_t *x = mem_alloc(sizeof *x * (size_t)(n + 1));
		uint64_t *y = mem_alloc(sizeof *y * (size_t)(n + 1));

		tensor_gather_bits(a->out[k], x);
		tensor_gather_bits(b->out[k], y);
		diff_add(d, o->tensors[o->nin + k].name, a->out[k]->dt, x, y, n);
		free(x);
		free(y);
	}
}

static void add_findings(char text[MAX_TEXT], const char *where, const struct run_report *r)
{
	size_t n = strlen(text);

	for (int i = 0; i < r->nfindings && n < MAX_TEXT - 1; i++) {
		snprintf(text + n, MAX_TEXT - n, "%s%s: %s", n ? "; " : "", where,
		         finding_name(r->findings[i].kind));
		n = strlen(text);
	}
}

/* What each device has to say of a case that differs: a sanitized run tells of reads of memory that
 * nobody wrote and the like, which give other bits on every device. */
static void explain(const struct pair *p, const struct kase *c, struct outcome *out)
{
	const struct target *const targets[] = {p->a, p->b};

	for (int i = 0; i < 2; i++) {
		struct case_run *run = NULL;
		struct run_report r = {0};
		struct err ignore = {0};

		if (run_on(targets[i], c, true, &run, &r, &ignore) == ST_OK)
			add_findings(out->text, i ? "b" : "a", &r);
		case_run_free(run);
	}
}

static enum st compare_case(const struct pair *p, const struct kase *c, struct outcome *out,
                            struct err *e)
{
	struct case_run *a = NULL, *b = NULL;
	struct run_report ra, rb;
	enum st rc;

	TRY_OR(done, rc, run_on(p->b, c, false, &b, &rb, e));
	TRY_OR(done, rc, run_on(p->a, c, false, &a, &ra, e));
	if (!ended_alike(&ra, &rb)) {
		out->diff.classes[DIFF_RUN] = 1;
		out->diff.first = DIFF_RUN;
	} else if (ra.complete) {
		diff_outputs(a, b, &out->diff);
	}
done:
	case_run_free(a);
	case_run_free(b);
	if (rc == ST_LIMIT) {
		out->not_made = true;
		*e = (struct err){0};
		return ST_OK;
	}
	if (rc == ST_OK && !diff_identical(&out->diff)) {
		out->line = case_print(c);
		explain(p, c, out);
	}
	return rc;
}

static void run_outcome(void *ctx, size_t i, int worker)
{
	struct comparison *c = ctx;
	struct pair *p = &c->pairs[i / (size_t)c->o->cases];
	struct outcome *out = &c->outcomes[i];
	struct case_hints h = {.tiles = p->a->tiles, .ntiles = p->a->ntiles, .max_work = CASE_WORK};
	struct kase k = {0};

	(void)worker;
	out->rc = case_generate(p->a->kernel, p->dtype, STRATEGY_OURS, c->o->seed,
	                        i % (size_t)c->o->cases, &h, NULL, 0, &k, &out->err);
	if (out->rc == ST_OK)
		out->rc = compare_case(p, &k, out, &out->err);
	if (out->rc != ST_OK) {
		char *line = k.op ? case_print(&k) : mem_strdup("not made");

		err_prefix(&out->err, "%s, case %s", kernel_name(p->a->kernel), line);
		free(line);
	}
	progress_add(c->progress, 1);
}

static bool commit_outcome(void *ctx, size_t i)
{
	struct comparison *c = ctx;
	struct pair *p = &c->pairs[i / (size_t)c->o->cases];
	struct outcome *out = &c->outcomes[i];

	if (out->rc != ST_OK) {
		c->rc = out->rc;
		c->err = out->err;
		return false;
	}
	p->cases += !out->not_made;
	p->not_made += out->not_made;
	p->identical += !out->not_made && diff_identical(&out->diff);
	diff_merge(&p->diff, &out->diff);
	if (out->line && !p->first_case) {
		p->first_case = out->line;
		out->line = NULL;
		memcpy(p->first_text, out->text, sizeof p->first_text);
	}
	return true;
}

/* ---- kernels ---- */

static bool wanted(const struct compare_options *o, const struct kernel *k, int d)
{
	enum dtype types[OP_MAX_TYPES];

	kernel_dtypes(k, d, types);
	return !o->has_dtype || types[0] == o->dtype;
}

static enum st make_pairs(struct comparison *c, struct target *const *a, struct target *const *b,
                          int n, struct err *e)
{
	int max = 0;

	for (int t = 0; t < n; t++)
		max += kernel_dtypes(a[t]->kernel, -1, NULL);
	c->pairs = mem_zalloc((size_t)max + 1, sizeof *c->pairs);
	for (int t = 0; t < n; t++)
		for (int d = 0; d < kernel_dtypes(a[t]->kernel, -1, NULL); d++)
			if (wanted(c->o, a[t]->kernel, d))
				c->pairs[c->npairs++] = (struct pair){.a = a[t], .b = b[t],
				                                      .dtype = d};
	return c->npairs ? ST_OK : FAIL(e, INPUT, "no kernel is built for the dtype asked for");
}

static cJSON *pair_json(const struct pair *p)
{
	cJSON *j = cJSON_CreateObject(), *first;
	enum dtype types[OP_MAX_TYPES];

	kernel_dtypes(p->a->kernel, p->dtype, types);
	cJSON_AddStringToObject(j, "kernel", kernel_name(p->a->kernel));
	cJSON_AddStringToObject(j, "dtype", dtype_name(types[0]));
	cJSON_AddNumberToObject(j, "cases", (double)p->cases);
	cJSON_AddNumberToObject(j, "identical", (double)p->identical);
	if (p->not_made)
		cJSON_AddNumberToObject(j, "not_made", (double)p->not_made);
	diff_totals_json(&p->diff, j);
	if (!p->first_case)
		return j;
	first = diff_first_json(&p->diff);
	cJSON_AddStringToObject(first, "case", p->first_case);
	cJSON_AddStringToObject(first, "findings", p->first_text);
	if (p->trace)
		cJSON_AddItemToObject(first, "trace", cJSON_Duplicate(p->trace, true));
	cJSON_AddItemToObject(j, "first", first);
	return j;
}

static void add_device(cJSON *j, const char *key, const struct device *d)
{
	cJSON *x = cJSON_AddObjectToObject(j, key);

	cJSON_AddStringToObject(x, "name", device_name(d));
	cJSON_AddStringToObject(x, "text", device_text(d));
}

static cJSON *comparison_json(const struct comparison *c, const struct device *a,
                              const struct device *b, double seconds)
{
	cJSON *j = cJSON_CreateObject(), *list;
	int64_t cases = 0, identical = 0;
	struct diff sum = {0};
	char text[32];

	for (int i = 0; i < c->npairs; i++) {
		cases += c->pairs[i].cases;
		identical += c->pairs[i].identical;
		diff_merge(&sum, &c->pairs[i].diff);
	}
	cJSON_AddStringToObject(j, "mode", "devices");
	cJSON_AddStringToObject(j, "gpuemu", gpuemu_version);
	date_text(text);
	cJSON_AddStringToObject(j, "date", text);
	add_device(j, "a", a);
	add_device(j, "b", b);
	snprintf(text, sizeof text, "0x%llx", (unsigned long long)c->o->seed);
	cJSON_AddStringToObject(j, "seed", text);
	cJSON_AddNumberToObject(j, "cases_each", c->o->cases);
	cJSON_AddNumberToObject(j, "seconds", (double)(int64_t)(seconds * 10) / 10);
	cJSON_AddBoolToObject(j, "identical", diff_identical(&sum));
	cJSON_AddNumberToObject(j, "cases", (double)cases);
	cJSON_AddNumberToObject(j, "cases_identical", (double)identical);
	diff_totals_json(&sum, j);
	list = cJSON_AddArrayToObject(j, "kernels");
	for (int i = 0; i < c->npairs; i++)
		cJSON_AddItemToArray(list, pair_json(&c->pairs[i]));
	return j;
}

static enum st run_comparison(struct comparison *c, struct err *e)
{
	size_t n = (size_t)c->npairs * (size_t)c->o->cases;

	c->outcomes = mem_zalloc(n, sizeof *c->outcomes);
	c->progress = progress_new(c->o->quiet ? NULL : "cases", n);
	pool_run(c->o->jobs, n, run_outcome, commit_outcome, c);
	progress_end(c->progress);
	for (size_t i = 0; i < n; i++)
		free(c->outcomes[i].line);
	free(c->outcomes);
	if (c->rc != ST_OK)
		*e = c->err;
	return c->rc;
}

/* Where the first case that differs parts. */
static void trace_pairs(struct comparison *c, struct device *a, struct device *b)
{
	for (int i = 0; i < c->npairs; i++) {
		struct pair *p = &c->pairs[i];
		struct trace_pair tp = {{a, b}, {p->a, p->b}};
		struct err e = {0};
		struct kase k;

		if (p->first_case && p->diff.first != DIFF_RUN &&
		    case_parse(p->first_case, kernel_op(p->a->kernel), &k, &e) == ST_OK)
			p->trace = trace_difference(&tp, &k);
	}
}

static enum st open_targets(struct device *a, struct device *b, char *const *folders, int n,
                            struct target **ta, struct target **tb, struct err *e)
{
	for (int i = 0; i < n; i++) {
		TRY(target_open(a, folders[i], false, &ta[i], e));
		TRY(target_open(b, folders[i], false, &tb[i], e));
	}
	return ST_OK;
}

enum st compare_devices(const struct compare_options *o, struct device *a, struct device *b,
                        char *const *folders, int n, cJSON **out, struct err *e)
{
	struct comparison c = {.o = o};
	struct target **ta = mem_zalloc((size_t)n + 1, sizeof *ta);
	struct target **tb = mem_zalloc((size_t)n + 1, sizeof *tb);
	double start = clock_seconds();
	enum st rc;

	TRY_OR(done, rc, open_targets(a, b, folders, n, ta, tb, e));
	TRY_OR(done, rc, make_pairs(&c, ta, tb, n, e));
	TRY_OR(done, rc, run_comparison(&c, e));
	trace_pairs(&c, a, b);
	*out = comparison_json(&c, a, b, clock_seconds() - start);
done:
	for (int i = 0; i < c.npairs; i++) {
		free(c.pairs[i].first_case);
		cJSON_Delete(c.pairs[i].trace);
	}
	free(c.pairs);
	for (int i = 0; i < n; i++) {
		target_free(ta[i]);
		target_free(tb[i]);
	}
	free(ta);
	free(tb);
	return rc;
}

/* ---- files of tensors ---- */

static const struct named_tensor *find_tensor(const struct named_tensor *ts, size_t n,
                                              const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(ts[i].name, name) == 0)
			return &ts[i];
	return NULL;
}

static bool same_shape(const struct tensor *a, const struct tensor *b)
{
	if (a->dt != b->dt || a->rank != b->rank)
		return false;
	for (int k = 0; k < a->rank; k++)
		if (a->dim[k] != b->dim[k])
			return false;
	return true;
}

/* y NULL: the other file lacks it. Returns whether they are identical. */
static bool tensor_diff(const struct named_tensor *x, const struct named_tensor *y, struct diff *sum,
                        cJSON *list)
{
	cJSON *j = cJSON_CreateObject();
	struct diff d = {0};
	bool comparable = y && same_shape(&x->t, &y->t);

	cJSON_AddStringToObject(j, "tensor", x->name);
	if (!comparable) {
		cJSON_AddStringToObject(j, "problem", y ? "other type or shape" :
		                                          "only in one of the files");
	} else {
		int64_t n = tensor_count(&x->t);
		uint64_t *a = mem_alloc(sizeof *a * (size_t)(n + 1));
		uint64_t *b = mem_alloc(sizeof *b * (size_t)(n + 1));

		tensor_gather_bits(&x->t, a);
		tensor_gather_bits(&y->t, b);
		diff_add(&d, x->name, x->t.dt, a, b, n);
		free(a);
		free(b);
		diff_totals_json(&d, j);
		if (!diff_identical(&d))
			cJSON_AddItemToObject(j, "first", diff_first_json(&d));
		diff_merge(sum, &d);
	}
	cJSON_AddItemToArray(list, j);
	return comparable && diff_identical(&d);
}

enum st compare_tensors(const char *a, const char *b, cJSON **out, struct err *e)
{
	struct named_tensor *x = NULL, *y = NULL;
	size_t nx = 0, ny = 0;
	struct diff sum = {0};
	bool identical = true;
	cJSON *list;
	enum st rc;

	TRY_OR(done, rc, safetensors_read(a, &x, &nx, e));
	TRY_OR(done, rc, safetensors_read(b, &y, &ny, e));
	list = cJSON_CreateArray();
	for (size_t i = 0; i < nx; i++)
		identical &= tensor_diff(&x[i], find_tensor(y, ny, x[i].name), &sum, list);
	for (size_t i = 0; i < ny; i++)
		if (!find_tensor(x, nx, y[i].name))
			identical &= tensor_diff(&y[i], NULL, &sum, list);
	*out = cJSON_CreateObject();
	cJSON_AddStringToObject(*out, "mode", "tensors");
	cJSON_AddStringToObject(*out, "a", a);
	cJSON_AddStringToObject(*out, "b", b);
	cJSON_AddBoolToObject(*out, "identical", identical);
	diff_totals_json(&sum, *out);
	cJSON_AddItemToObject(*out, "tensors", list);
done:
	named_tensors_free(x, nx);
	named_tensors_free(y, ny);
	return rc;
}
