/* campaign.c - cases over kernels: generations of cases, workers, commits in order, resume, shrinking.
 *
 * A unit is a kernel in one dtype combination. Generation g holds cases 32g..32g+31 of every unit, unit by
 * unit; they depend on the state after generation g-1 alone, so neither their order nor the record depends
 * on the number of workers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/record.h"
#include "validate/unit.h"

/* The same as CASE_WORK with --big. */
#define MAX_WORK_BIG 2000000000

struct campaign {
	const struct campaign_options *o;
	struct device *device;
	struct target *const *targets;
	int ntargets;
	struct unit *units;
	int nunits;
	struct record_file record;
	int64_t committed, resumed; /* lines */
	double start;
	bool stop;
	struct progress *progress;
	/* the generation in flight */
	struct slot *slots;
	struct err err; /* the first error of a worker or a commit */
	enum st rc;
};

/* One case of the generation in flight. */
struct slot {
	struct unit *unit;
	int i;
	bool done_before; /* read from the record */
	struct kase c;
	struct case_result r;
	struct dev_coverage *coverage;
	double seconds;
	enum st rc;
	struct err err;
};

struct campaign_options campaign_defaults(void)
{
	return (struct campaign_options){.seed = 1, .cases = 100, .jobs = cpu_count(),
	                                 .strategy = STRATEGY_OURS, .sanitize = true, .bench = true, .lint = true,
	                                 .coverage = true, .shrink_tries = 150};
}

/* ---- one case ---- */

static struct case_options case_options_of(const struct campaign_options *o)
{
	return (struct case_options){.sanitize = o->sanitize, .power = true};
}

static void run_slot(void *ctx, size_t i, int worker)
{
	struct campaign *c = ctx;
	struct slot *s = &c->slots[i];
	struct case_options co = case_options_of(c->o);
	double start = clock_seconds();

	(void)worker;
	if (s->rc != ST_OK)
		return;
	if (c->o->coverage)
		s->coverage = dev_coverage_new(s->unit->target->module);
	s->rc = case_validate(s->unit->target, &s->c, &co, s->coverage, &s->r, &s->err);
	s->seconds = clock_seconds() - start;
	progress_add(c->progress, 1);
}

/* A record line's effect on its unit: the same for a fresh and for a resumed case. */
static enum st absorb(struct campaign *c, struct unit *u, const cJSON *line, struct err *e)
{
	c->committed++;
	return unit_absorb(u, line, e);
}

static bool fail_commit(struct campaign *c, enum st rc, const struct err *e)
{
	if (c->rc == ST_OK) {
		c->rc = rc;
		c->err = *e;
	}
	return false;
}

static bool commit_slot(void *ctx, size_t i)
{
	struct campaign *c = ctx;
	struct slot *s = &c->slots[i];
	struct err e = {0};
	cJSON *j = NULL;
	char *line;
	int new_edges;
	enum st rc = s->rc;

	if (s->unit->exhausted) {
		dev_coverage_free(s->coverage);
		s->coverage = NULL;
		return !c->stop;
	}
	if (rc != ST_OK) {
		char *text = s->c.op ? case_print(&s->c) : mem_strdup("not made");

		err_prefix(&s->err, "%s, case %s", kernel_name(s->unit->target->kernel), text);
		free(text);
		if (rc != ST_INPUT)
			return fail_commit(c, rc, &s->err);
		/* the manifest does not fit the case: this kernel's fault, and no reason to stop the others */
		unit_exhaust(s->unit, s->err.msg);
		if (c->o->bad_input)
			*c->o->bad_input = true;
		return !c->stop;
	}
	new_edges = s->coverage ? dev_coverage_new_edges(s->unit->seen, s->coverage) : 0;
	if (s->coverage)
		dev_coverage_merge(s->unit->seen, s->coverage);
	dev_coverage_free(s->coverage);
	s->coverage = NULL;
	line = record_line(s->unit->target, &s->c, s->i, &s->r, new_edges, s->seconds);
	rc = record_append(&c->record, line, &e);
	if (rc == ST_OK)
		rc = json_parse("cases.jsonl", line, strlen(line), &j, &e);
	if (rc == ST_OK)
		rc = absorb(c, s->unit, j, &e);
	cJSON_Delete(j);
	free(line);
	if (rc != ST_OK)
		return fail_commit(c, rc, &e);
	if (c->o->seconds > 0 && clock_seconds() - c->start > c->o->seconds)
		c->stop = true;
	return !c->stop;
}

/* ---- generations ---- */

static enum st generate(struct campaign *c, struct slot *s, struct err *e)
{
	struct unit *u = s->unit;
	struct case_hints h = {.tiles = u->target->tiles, .ntiles = u->target->ntiles,
	                       .max_work = c->o->big ? MAX_WORK_BIG : CASE_WORK};

	return case_generate(u->target->kernel, u->dtype, c->o->strategy, c->o->seed, (uint64_t)s->i, &h,
	                     u->interesting, u->known, &s->c, e);
}

/* The rest of a unit of which no case can be drawn: the other kernels' cases are run all the same. */
static void exhaust(const struct campaign *c, struct unit *u, int i, const struct err *e)
{
	unit_exhaust(u, e->msg);
	progress_add(c->progress, (uint64_t)(c->o->cases - i));
}

static enum st run_generation(struct campaign *c, int first, struct err *e)
{
	int last = first + GENERATION < c->o->cases ? first + GENERATION : c->o->cases;
	size_t n = 0;

	c->slots = mem_zalloc((size_t)c->nunits * GENERATION, sizeof *c->slots);
	for (int u = 0; u < c->nunits; u++)
		for (int i = first; i < last && !c->units[u].exhausted; i++) {
			struct slot *s = &c->slots[n];

			if (i < c->units[u].done)
				continue; /* in the record already */
			s->unit = &c->units[u];
			s->i = i;
			s->rc = generate(c, s, &s->err);
			if (s->rc == ST_UNSUP) {
				exhaust(c, s->unit, i, &s->err);
				memset(s, 0, sizeof *s);
			} else {
				n++;
			}
		}
	pool_run(c->o->jobs, n, run_slot, commit_slot, c);
	for (size_t i = 0; i < n; i++)
		dev_coverage_free(c->slots[i].coverage);
	free(c->slots);
	if (c->rc != ST_OK)
		*e = c->err;
	return c->rc;
}

static enum st run_all(struct campaign *c, struct err *e)
{
	for (int first = 0; first < c->o->cases && !c->stop; first += GENERATION)
		TRY(run_generation(c, first, e));
	return ST_OK;
}

/* ---- the record ---- */

static char *header_line(const struct campaign *c)
{
	cJSON *j = cJSON_CreateObject(), *list;
	char seed[24], *s;

	cJSON_AddStringToObject(j, "gpuemu", gpuemu_version);
	cJSON_AddNumberToObject(j, "format", 1);
	snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)c->o->seed);
	cJSON_AddStringToObject(j, "seed", seed);
	cJSON_AddNumberToObject(j, "cases", c->o->cases);
	cJSON_AddNumberToObject(j, "strategy", c->o->strategy);
	cJSON_AddBoolToObject(j, "sanitize", c->o->sanitize);
	cJSON_AddBoolToObject(j, "big", c->o->big);
	if (!c->o->coverage)
		cJSON_AddBoolToObject(j, "coverage", false);
	cJSON_AddStringToObject(j, "dtype", c->o->has_dtype ? dtype_name(c->o->dtype) : "all");
	cJSON_AddStringToObject(j, "device", device_name(c->device));
	cJSON_AddStringToObject(j, "tolerances", c->targets[0]->table ? c->targets[0]->table->name : "provisional");
	list = cJSON_AddArrayToObject(j, "kernels");
	for (int i = 0; i < c->ntargets; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(kernel_sha256(c->targets[i]->kernel)));
	s = json_print(j, false);
	cJSON_Delete(j);
	return s;
}

/* A line of the record on --resume: it must be the next case of its unit. */
static enum st resume_line(void *ctx, const cJSON *j, struct err *e)
{
	struct campaign *c = ctx;
	const cJSON *i = cJSON_GetObjectItemCaseSensitive(j, "i");

	for (int u = 0; u < c->nunits && cJSON_IsNumber(i); u++)
		if (unit_matches(&c->units[u], j) && i->valueint == c->units[u].done) {
			c->resumed++;
			return absorb(c, &c->units[u], j, e);
		}
	return FAIL(e, INPUT, "cases.jsonl: a line is out of order; remove the file to start again");
}

/* The coverage seen is the union over the cases that added to it. */
static enum st rebuild_coverage(struct campaign *c, struct err *e)
{
	struct case_options co = case_options_of(c->o);

	co.power = false;
	for (int u = 0; u < c->nunits; u++)
		for (size_t i = 0; i < c->units[u].ninteresting; i++) {
			struct case_result r;

			TRY(case_validate(c->units[u].target, &c->units[u].interesting[i], &co,
			                  c->units[u].seen, &r, e));
		}
	return ST_OK;
}

/* ---- set-up ---- */

static void make_units(struct campaign *c)
{
	int max = 0;

	for (int t = 0; t < c->ntargets; t++)
		max += kernel_dtypes(c->targets[t]->kernel, -1, NULL);
	c->units = mem_zalloc((size_t)max + 1, sizeof *c->units);
	for (int t = 0; t < c->ntargets; t++)
		for (int d = 0; d < kernel_dtypes(c->targets[t]->kernel, -1, NULL); d++) {
			enum dtype types[OP_MAX_TYPES];
			bool want = !c->o->has_dtype;

			kernel_dtypes(c->targets[t]->kernel, d, types);
			want |= c->o->has_dtype && types[0] == c->o->dtype;
			want &= c->o->strategy != STRATEGY_F32 || types[0] == DT_F32;
			want &= c->o->strategy != STRATEGY_F16 || types[0] == DT_F16;
			if (want)
				unit_init(&c->units[c->nunits++], c->targets[t], t, d);
		}
}

static void campaign_free(struct campaign *c)
{
	for (int u = 0; u < c->nunits; u++)
		unit_clear(&c->units[u]);
	free(c->units);
}

static enum st campaign_cases(struct campaign *c, struct err *e)
{
	char *path = path_join(c->o->out_dir, "cases.jsonl"), *header = header_line(c);
	struct err close_err = {0};
	enum st rc, rc2;

	TRY_OR(done, rc, record_open(&c->record, path, header, c->o->resume, resume_line, c, e));
	TRY_OR(done, rc, c->resumed ? rebuild_coverage(c, e) : ST_OK);
	c->progress = progress_new(c->o->quiet ? NULL : "cases",
	                           (uint64_t)c->nunits * (uint64_t)c->o->cases);
	progress_add(c->progress, (uint64_t)c->resumed);
	c->start = clock_seconds();
	rc = run_all(c, e);
	progress_end(c->progress);
done:
	rc2 = record_close(&c->record, &close_err);
	if (rc == ST_OK && rc2 != ST_OK) {
		*e = close_err;
		rc = rc2;
	}
	free(path);
	free(header);
	return rc;
}

enum st campaign_run(const struct campaign_options *o, struct device *d,
                     struct target *const *targets, int n, cJSON **evidence, struct err *e)
{
	struct campaign c = {.o = o, .device = d, .targets = targets, .ntargets = n};
	double seconds;
	enum st rc;

	TRY(dir_make(o->out_dir, e));
	make_units(&c);
	if (c.nunits == 0) {
		campaign_free(&c);
		return FAIL(e, INPUT, "no kernel is built for the dtype asked for");
	}
	TRY_OR(done, rc, campaign_cases(&c, e));
	seconds = clock_seconds() - c.start;
	if (c.stop && c.committed < (int64_t)c.nunits * o->cases)
		fprintf(stderr, "gpuemu: stopped after %g s with %lld of %lld cases; --resume goes on\n", o->seconds,
		        (long long)c.committed, (long long)c.nunits * o->cases);
	units_shrink(o, d, c.units, c.nunits, targets, n);
	rc = evidence_make(o, d, targets, n, c.units, c.nunits, seconds,
	                   (double)(c.committed - c.resumed), evidence, e);
done:
	campaign_free(&c);
	return rc;
}

/* ---- reading it again ---- */

struct each {
	void (*fn)(void *ctx, const char *kernel, const char *dtype, const char *line, const char *verdict);
	void *ctx;
};

static enum st each_header(void *ctx, const cJSON *j, struct err *e)
{
	(void)ctx;
	return json_text(j, "gpuemu")[0] ? ST_OK : FAIL(e, INPUT, "cases.jsonl is no record of a campaign: its first line has no \"gpuemu\"");
}

static enum st each_case(void *ctx, const cJSON *j, struct err *e)
{
	const struct each *each = ctx;

	(void)e;
	each->fn(each->ctx, json_text(j, "kernel"), json_text(j, "dtype"), json_text(j, "case"), json_text(j, "verdict"));
	return ST_OK;
}

enum st campaign_each(const char *out_dir, void (*fn)(void *ctx, const char *kernel, const char *dtype, const char *line, const char *verdict),
                      void *ctx, struct err *e)
{
	struct each each = {fn, ctx};
	char *path = path_join(out_dir, "cases.jsonl");
	enum st rc = record_read(path, each_header, each_case, &each, e);

	free(path);
	return rc;
}
