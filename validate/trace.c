/* trace.c - see trace.h.
 *
 * The case is made small, the first launch whose results differ is found by leaving out those behind it, and
 * its entry runs on both devices with every definition recorded (ptx_trace_make). To record a value is to use it:
 * a compiler may contract or drop less than in the kernel itself, and the difference may be gone. Then
 * definitions are recorded one by one. */
#include "validate/internal.h"
#include "validate/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_BYTES ((size_t)16 << 20) /* of records */
#define MIN_RECORDS 64                 /* a thread */
#define MAX_ALONE 300                  /* definitions recorded one by one */
#define SHRINK_TRIES 100
#define MAX_CASE_BYTES ((size_t)1 << 30)

/* Where two runs part: thread and definition, and what both have. */
struct parting {
	bool found, path; /* path: not the value differs but which instruction came */
	uint32_t stamp;   /* since the start of run a */
	uint64_t thread, value[2];
	int def;
};
struct trace_runs {
	const struct trace_pair *p;
	const struct kase *c;
	int launch; /* the last one that is run, the one that is traced */
	uint32_t records;
	uint64_t threads;
	struct case_run *run[2];
	uint8_t *buffer[2];
};

/* ---- runs up to a launch ---- */

static void free_runs(struct trace_runs *r)
{
	for (int i = 0; i < 2; i++) {
		case_run_free(r->run[i]);
		free(r->buffer[i]);
		r->run[i] = NULL;
		r->buffer[i] = NULL;
	}
}

static enum st run_plan_on(const struct dev_module *m, const struct run_plan *plan, uint64_t budget, struct err *e)
{
	struct dev_run_options o = {.budget = budget};
	struct run_report r;

	TRY(device_run(m, plan, &o, &r, e));
	return r.complete ? ST_OK : FAIL(e, LIMIT, "a run did not end (%s)",
	                                 r.nfindings ? finding_name(r.findings[0].kind) : "no finding");
}

static bool buffers_differ(const struct trace_runs *r)
{
	const struct run_plan *a = &r->run[0]->plan, *b = &r->run[1]->plan;

	for (int i = 0; i < a->nbuffers; i++)
		if (memcmp(a->buffers[i].data, b->buffers[i].data, a->buffers[i].bytes) != 0)
			return true;
	return false;
}

/* Launches 0..r->launch as they are; *differ: what they leave. */
static enum st run_plain(struct trace_runs *r, bool *differ, struct err *e)
{
	enum st rc = ST_OK;

	for (int i = 0; i < 2; i++) {
		struct run_plan plan;

		TRY_OR(done, rc, case_make(r->c, r->p->target[i]->kernel, MAX_CASE_BYTES, &r->run[i], e));
		plan = r->run[i]->plan;
		plan.nlaunches = r->launch + 1;
		TRY_OR(done, rc, run_plan_on(r->p->target[i]->module, &plan, case_budget(r->run[i]->inst), e));
	}
	*differ = buffers_differ(r);
done:
	free_runs(r);
	return rc;
}

/* The same with the last launch's entry traced, in modules that are loaded already; keeps the runs. */
static enum st run_traced_on(struct trace_runs *r, int i, const struct dev_module *m, struct err *e)
{
	size_t bytes = ptx_trace_bytes(r->threads, r->records);
	struct run_buffer *buffers;
	struct run_launch *launches;
	struct run_arg *args;
	struct run_plan plan;
	enum st rc;

	TRY(case_make(r->c, r->p->target[i]->kernel, MAX_CASE_BYTES, &r->run[i], e));
	plan = r->run[i]->plan;
	buffers = mem_zalloc((size_t)plan.nbuffers + 1, sizeof *buffers);
	launches = mem_zalloc((size_t)r->launch + 1, sizeof *launches);
	memcpy(buffers, plan.buffers, (size_t)plan.nbuffers * sizeof *buffers);
	memcpy(launches, plan.launches, ((size_t)r->launch + 1) * sizeof *launches);
	args = mem_zalloc((size_t)launches[r->launch].nargs + 1, sizeof *args);
	memcpy(args, launches[r->launch].args, (size_t)launches[r->launch].nargs * sizeof *args);
	args[launches[r->launch].nargs++] = (struct run_arg){.buffer = plan.nbuffers, .bytes = 8};
	launches[r->launch].args = args;
	r->buffer[i] = aligned_alloc(256, (bytes + 255) / 256 * 256);
	if (!r->buffer[i])
		abort();
	buffers[plan.nbuffers++] = (struct run_buffer){.name = "trace", .role = RUN_WORKSPACE, .dt = DT_U8,
	                                               .data = r->buffer[i], .bytes = bytes};
	plan.buffers = buffers;
	plan.launches = launches;
	plan.nlaunches = r->launch + 1;
	rc = run_plan_on(m, &plan, 16 * case_budget(r->run[i]->inst), e);
	free(args);
	free(launches);
	free(buffers);
	return rc;
}

static enum st run_traced(struct trace_runs *r, const struct ptx_trace *t, struct err *e)
{
	enum st rc = ST_OK;

	for (int i = 0; i < 2 && rc == ST_OK; i++) {
		struct dev_module *m;

		TRY(device_load(r->p->device[i], t->text, strlen(t->text), "traced.ptx", &m, e));
		rc = run_traced_on(r, i, m, e);
		dev_module_free(m);
	}
	return rc;
}

/* ---- where they part ---- */

static uint32_t first_stamp(const struct trace_runs *r)
{
	uint32_t fill;

	memset(&fill, r->run[0]->plan.fill, sizeof fill);
	return fill;
}

/* ndefs: how many definitions there are; a device that did not run the kernel may have left anything. */
static void part_thread(const struct trace_runs *r, uint64_t thread, uint32_t ndefs, struct parting *best)
{
	uint32_t na, nb, i = 0, stamp;
	const struct ptx_trace_record *a = ptx_trace_records(r->buffer[0], thread, r->records, &na);
	const struct ptx_trace_record *b = ptx_trace_records(r->buffer[1], thread, r->records, &nb);

	while (i < na && i < nb && a[i].def == b[i].def && a[i].value == b[i].value)
		i++;
	/* one path is longer: what decided that differs in a record of some thread */
	if (i == na || i == nb || a[i].def >= ndefs || b[i].def >= ndefs)
		return;
	stamp = a[i].stamp - first_stamp(r);
	if (!best->found || stamp < best->stamp)
		*best = (struct parting){.found = true, .path = a[i].def != b[i].def, .stamp = stamp, .thread = thread,
		                         .value = {a[i].value, b[i].value}, .def = (int)a[i].def};
}

static struct parting find_parting(const struct trace_runs *r, const struct ptx_trace *all)
{
	struct parting best = {0};

	for (uint64_t t = 0; t < r->threads; t++)
		part_thread(r, t, (uint32_t)all->ndefs, &best);
	return best;
}

static bool feeds(const struct ptx_trace_def *from, const struct ptx_trace_def *to)
{
	for (int i = 0; i < to->nfrom && from->reg != to->reg; i++)
		if (to->from[i] == from->reg)
			return true;
	return false;
}

/* Each definition recorded alone: the first one that differs and whose operands do not; of a circle, the first. */
static enum st part_alone(struct trace_runs *r, const struct ptx_module *m, const char *entry,
                          const struct ptx_trace *all, struct parting *out, struct err *e)
{
	struct parting *each = mem_zalloc((size_t)all->ndefs + 1, sizeof *each);
	enum st rc = ST_OK;

	for (int i = 0; i < all->ndefs && rc == ST_OK; i++) {
		struct ptx_trace *t = NULL;

		rc = ptx_trace_make(m, entry, r->records, i, &t, e);
		if (rc == ST_OK)
			rc = run_traced(r, t, e);
		if (rc == ST_OK)
			each[i] = find_parting(r, all);
		free_runs(r);
		ptx_trace_free(t);
	}
	for (int i = all->ndefs - 1; i >= 0 && rc == ST_OK; i--) {
		bool agree = true;

		for (int k = 0; k < all->ndefs; k++)
			agree &= !each[k].found || !feeds(&all->def[k], &all->def[i]);
		if (each[i].found && (agree || !out->found))
			*out = each[i];
	}
	free(each);
	return rc;
}

/* ---- the answer ---- */

static void add_place(cJSON *j, const char *key, uint64_t n, const uint32_t dim[3])
{
	cJSON *a = cJSON_AddArrayToObject(j, key);

	for (int k = 0; k < 3; k++) {
		cJSON_AddItemToArray(a, cJSON_CreateNumber((double)(n % dim[k])));
		n /= dim[k];
	}
}

/* Values of floating-point types as numbers too. */
static void add_value(cJSON *j, const char *bits_key, const char *key, const struct ptx_trace_def *d, uint64_t v)
{
	char text[40];
	enum dtype dt;

	snprintf(text, sizeof text, "0x%0*llx", d->bits < 4 ? 1 : d->bits / 4, (unsigned long long)v);
	cJSON_AddStringToObject(j, bits_key, text);
	if (dtype_parse(d->type, &dt) && dtype_is_float(dt))
		snprintf(text, sizeof text, "%.*g", dt == DT_F64 ? 17 : 9, dtype_decode(dt, v));
	cJSON_AddStringToObject(j, key, text);
}

static void add_parting(cJSON *j, const struct trace_runs *r, const struct run_launch *l, const struct ptx_trace *t,
                        const struct parting *p)
{
	const struct ptx_trace_def *d = &t->def[p->def];
	uint64_t block = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	char text[200];

	cJSON_AddStringToObject(j, "entry", l->entry);
	cJSON_AddNumberToObject(j, "launch", r->launch);
	add_place(j, "block", p->thread / block, l->grid);
	add_place(j, "thread", p->thread % block, l->block);
	cJSON_AddNumberToObject(j, "ptx_line", d->line);
	if (d->source[0]) {
		snprintf(text, sizeof text, "%s:%d", d->source, d->source_line);
		cJSON_AddStringToObject(j, "source", text);
	}
	cJSON_AddStringToObject(j, "instruction", d->insn);
	cJSON_AddStringToObject(j, "register", d->reg_name);
	cJSON_AddStringToObject(j, "type", d->type);
	if (p->path) {
		cJSON_AddBoolToObject(j, "path", true);
		return;
	}
	add_value(j, "a_bits", "a", d, p->value[0]);
	add_value(j, "b_bits", "b", d, p->value[1]);
}

/* ---- the whole ---- */

static bool still_differs(void *ctx, const struct kase *c)
{
	const struct trace_pair *p = ctx;
	struct trace_runs r = {.p = p, .c = c, .launch = kernel_launches(p->target[0]->kernel) - 1};
	struct err e = {0};
	bool differ;

	return run_plain(&r, &differ, &e) == ST_OK && differ;
}

static enum st find_launch(struct trace_runs *r, struct err *e)
{
	int n = kernel_launches(r->p->target[0]->kernel);
	bool differ = false;

	for (r->launch = 0; r->launch < n; r->launch++) {
		TRY(run_plain(r, &differ, e));
		if (differ)
			return ST_OK;
	}
	return FAIL(e, LIMIT, "a second run gives the same outputs on both");
}

static enum st size_records(struct trace_runs *r, const struct run_launch *l, struct err *e)
{
	uint64_t n;

	r->threads = 1;
	for (int k = 0; k < 3; k++)
		r->threads *= (uint64_t)l->grid[k] * l->block[k];
	n = TRACE_BYTES / 16 / r->threads;
	if (n <= MIN_RECORDS)
		return FAIL(e, LIMIT, "too many threads to trace (%llu)", (unsigned long long)r->threads);
	r->records = (uint32_t)(n - 1 < PTX_TRACE_RECORDS ? n - 1 : PTX_TRACE_RECORDS);
	return ST_OK;
}

static enum st trace_launch(struct trace_runs *r, const struct ptx_module *m, const struct run_launch *l, cJSON *j,
                            struct err *e)
{
	struct ptx_trace *t = NULL;
	struct parting p = {0};
	enum st rc;

	TRY(size_records(r, l, e));
	TRY(ptx_trace_make(m, l->entry, r->records, -1, &t, e));
	TRY_OR(done, rc, run_traced(r, t, e));
	p = find_parting(r, t);
	free_runs(r);
	if (!p.found && t->ndefs <= MAX_ALONE) {
		TRY_OR(done, rc, part_alone(r, m, l->entry, t, &p, e));
		cJSON_AddBoolToObject(j, "alone", true);
	}
	if (p.found)
		add_parting(j, r, l, t, &p);
	else
		rc = FAIL(e, LIMIT, "no definition differs when it is recorded");
done:
	free_runs(r);
	ptx_trace_free(t);
	return rc;
}

cJSON *trace_difference(const struct trace_pair *p, struct kase *c)
{
	const struct ptx_module *m = dev_module_ptx(p->target[0]->module);
	struct trace_runs r = {.p = p, .c = c};
	struct case_run *run = NULL;
	cJSON *j = cJSON_CreateObject();
	struct err e = {0};
	char *line;
	enum st rc = m ? ST_OK : FAIL(&e, LIMIT, "the kernel is machine code");

	if (rc == ST_OK) {
		case_shrink(c, p->target[0]->kernel, SHRINK_TRIES, still_differs, (void *)(uintptr_t)p);
		rc = find_launch(&r, &e);
	}
	if (rc == ST_OK)
		rc = case_make(c, p->target[0]->kernel, MAX_CASE_BYTES, &run, &e);
	if (rc == ST_OK)
		rc = trace_launch(&r, m, &run->plan.launches[r.launch], j, &e);
	line = case_print(c);
	cJSON_AddStringToObject(j, "case", line);
	if (rc != ST_OK)
		cJSON_AddStringToObject(j, "none", e.msg);
	free(line);
	case_run_free(run);
	return j;
}
