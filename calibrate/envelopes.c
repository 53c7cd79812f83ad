/* envelopes.c - the plan's runs, their record, and the fit of every cell with its checks.
 *
 * A cell is an operator with types and a family of numerics, fitted apart for each coherence group, which is known
 * from a run's case. Its runs go round its kernels, so
 * that the envelope belongs to the operator; run i of a cell is a pure function of the seed and i. Half as many
 * runs again are held out: they are no part of the fit. */
#include "calibrate/envelopes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "validate/record.h"

/* Estimated lane instructions of a run: 256 results of 2600 terms. */
#define RUN_WORK 30000000
/* Another case is drawn when none of its elements has a verdict. */
#define TRIES 8
/* Runs of a cell of which the power is asked. */
#define PROBES 10
/* Held-out runs of a group that are judged again by its own envelope. */
#define JUDGED_AGAIN 32
/* The share of them that must show an error of ten times the envelope. */
#define POWER_DEMANDED 0.95
/* A coherence group may have as few runs as give this many times the plan's 1 - coverage. */
#define GROUP_SHARE 5
/* One in so many recorded runs is run again on a device that another's table is carried over to. */
#define CARRY_EVERY 100
/* A bounded cell's runs: every operator of one input sees each upper half of its patterns in each of them. */
#define BOUNDED_RUNS 32
/* Over the largest error seen, for a function whose error is bounded: what a finer search may add. */
#define BOUNDED_MARGIN 1.25

struct member {
	const struct target *target;
	int dtype;
};

struct sample {
	struct run run;
	double kept; /* elements with a verdict */
	char *line;
	char out[17]; /* of the SHA-256 of the outputs */
	int kernel; /* which member */
	int group;  /* enum coherence of the case; 0 in a cell of one group */
};

struct cell {
	char op[64], types[64], family[128];
	bool exact, reduces, f32;
	double u, per_op;
	struct member *member;
	int nmembers;
	int groups;            /* coherence groups, fitted apart */
	int families;          /* of the scenes that its cases are drawn from */
	int64_t runs, heldout; /* a family */
	struct sample *sample; /* families × (runs + heldout) */
};

struct plan {
	const struct envelope_options *o;
	const struct fit_plan *plan;
	struct cell *cell;
	int ncells;
	int64_t *first; /* number of the first run of each cell, and of all */
	struct record_file record;
	int64_t resumed;
	char device[300], device_text[300]; /* of the runs */
	char carried[300];
	bool *same; /* of each CARRY_EVERY recorded runs: one was compared */
	struct progress *progress;
	enum st rc;
	struct err err;
};

/* ---- cells ---- */

static const struct fit_plan *find_plan(const char *name)
{
	for (int i = 0; i < FIT_PLANS; i++)
		if (strcmp(fit_plans[i].name, name) == 0)
			return &fit_plans[i];
	return NULL;
}

/* The case of run i of a member; another draw for another attempt. */
static enum st draw(const struct member *m, const struct cell *c, uint64_t seed, uint64_t i, struct kase *k,
                    struct err *e)
{
	struct case_hints h = {.tiles = m->target->tiles, .ntiles = m->target->ntiles, .max_work = RUN_WORK};

	TRY(case_generate(m->target->kernel, m->dtype, STRATEGY_CALIBRATE, seed, i, &h, NULL, 0, k, e));
	k->f32_outputs = c->f32;
	return ST_OK;
}

static bool narrow_output(const struct op_schema *o, const struct kase *k)
{
	for (int t = o->nin; t < o->ntensors; t++) {
		enum dtype dt = o->tensors[t].type < 0 ? o->tensors[t].fixed : k->b.types[o->tensors[t].type];

		if (dtype_is_float(dt) && dtype_bytes(dt) <= 2)
			return true;
	}
	return false;
}

static enum st describe(const struct target *t, int dtype, uint64_t seed, struct cell *c, struct err *e)
{
	struct member m = {t, dtype};
	struct cell none = {0};
	struct op_inst *inst = NULL;
	struct numerics num;
	struct kase k;
	enum st rc;

	memset(c, 0, sizeof *c);
	TRY(draw(&m, &none, seed, 0, &k, e));
	snprintf(c->op, sizeof c->op, "%s", op_schema(k.op)->name);
	case_types(&k, c->types);
	c->exact = op_schema(k.op)->exact;
	c->reduces = op_reduces(k.op);
	c->f32 = narrow_output(op_schema(k.op), &k) && kernel_f32_entry(t->kernel, dtype, 0);
	TRY_OR(done, rc, op_bind(k.op, &k.b, &inst, e));
	TRY_OR(done, rc, kernel_numerics(t->kernel, inst, &num, e));
	tolerance_family(&num, c->family);
	c->u = dtype_u(num.acc);
	c->per_op = fit_per_op(&num);
done:
	op_inst_free(inst);
	return rc;
}

static const char *group_name(const struct cell *c, int g)
{
	return c->groups == 1 ? "all" : coherence_name((enum coherence)g);
}

static void add_member(struct plan *p, const struct cell *c, const struct target *t, int dtype)
{
	struct cell *at = NULL;

	for (int i = 0; i < p->ncells && !at; i++)
		if (strcmp(p->cell[i].op, c->op) == 0 && strcmp(p->cell[i].types, c->types) == 0 &&
		    strcmp(p->cell[i].family, c->family) == 0 && p->cell[i].f32 == c->f32)
			at = &p->cell[i];
	if (!at) {
		p->cell = mem_realloc(p->cell, (size_t)(p->ncells + 1) * sizeof *p->cell);
		at = &p->cell[p->ncells++];
		*at = *c;
		at->groups = c->reduces ? COHERENCE_COUNT : 1;
		at->families = c->reduces ? CALIBRATION_FAMILIES : 1;
		/* an eighth more than the plan's, for sizes at which all results are exact do not count */
		at->runs = c->reduces ? p->plan->runs + p->plan->runs / 8 + 8 : BOUNDED_RUNS;
		at->heldout = (at->runs + 1) / 2;
	}
	at->member = mem_realloc(at->member, (size_t)(at->nmembers + 1) * sizeof *at->member);
	at->member[at->nmembers++] = (struct member){t, dtype};
}

static int64_t runs_of(const struct cell *c)
{
	return c->families * (c->runs + c->heldout);
}

static enum st plan_make(struct plan *p, const struct envelope_options *o, struct target *const *targets, int n,
                         struct err *e)
{
	*p = (struct plan){.o = o, .plan = find_plan(o->plan)};
	if (!p->plan)
		return FAIL(e, INPUT, "there is no plan '%s': smoke, pr or release", o->plan);
	for (int t = 0; t < n; t++)
		for (int d = 0; d < kernel_dtypes(targets[t]->kernel, -1, NULL); d++) {
			struct cell c;

			TRY(describe(targets[t], d, o->seed, &c, e));
			add_member(p, &c, targets[t], d);
		}
	if (p->ncells == 0)
		return FAIL(e, INPUT, "no known-good kernel among the folders given");
	p->first = mem_zalloc((size_t)p->ncells + 1, sizeof *p->first);
	for (int i = 0; i < p->ncells; i++) {
		p->cell[i].sample = mem_zalloc((size_t)runs_of(&p->cell[i]), sizeof *p->cell[i].sample);
		p->first[i + 1] = p->first[i] + runs_of(&p->cell[i]);
	}
	return ST_OK;
}

static void plan_free(struct plan *p)
{
	for (int i = 0; i < p->ncells; i++) {
		for (int64_t k = 0; p->cell[i].sample && k < runs_of(&p->cell[i]); k++)
			free(p->cell[i].sample[k].line);
		free(p->cell[i].sample);
		free(p->cell[i].member);
	}
	free(p->cell);
	free(p->first);
}

enum st envelopes_plan(const struct envelope_options *o, struct target *const *targets, int n, char **text,
                       struct err *e)
{
	struct plan p;
	struct buf b = {0};
	enum st rc;

	TRY_OR(done, rc, plan_make(&p, o, targets, n, e));
	for (int i = 0; i < p.ncells; i++) {
		const struct cell *c = &p.cell[i];

		buf_printf(&b, "%-16s %-10s %-16s %2d kernels, %d group%s, %lld + %lld runs\n", c->op, c->types,
		           c->family, c->nmembers, c->groups, c->groups == 1 ? "" : "s", (long long)(c->families * c->runs),
		           (long long)(c->families * c->heldout));
	}
	buf_printf(&b, "%d cells, %lld runs of plan %s (coverage %g at 95 %% confidence)\n", p.ncells,
	           (long long)p.first[p.ncells], p.plan->name, p.plan->coverage);
	*text = b.s;
	b.s = NULL;
done:
	buf_free(&b);
	plan_free(&p);
	return rc;
}

/* ---- runs ---- */

static struct cell *cell_of(struct plan *p, int64_t run, int64_t *within)
{
	int c = 0;

	while (run >= p->first[c + 1])
		c++;
	*within = run - p->first[c];
	return &p->cell[c];
}

/* Runs until some element has a verdict; none in TRIES: a run of 0 elements, which the fit leaves out. */
static enum st run_sample(const struct plan *p, const struct cell *c, int64_t within, struct sample *s, struct err *e)
{
	int64_t per = c->runs + c->heldout;
	uint64_t family = (uint64_t)(within / per), i = (uint64_t)(within % per);

	s->kernel = (int)(i % (uint64_t)c->nmembers);
	for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
		const struct member *m = &c->member[s->kernel];
		struct case_options co = {0};
		struct case_result r;
		struct kase k;

		TRY(draw(m, c, p->o->seed, (i + attempt * (uint64_t)per) * CALIBRATION_FAMILIES + family, &k, e));
		TRY(case_validate(m->target, &k, &co, NULL, &r, e));
		s->kept = (double)(r.judgement.n - r.judgement.out_of_contract - r.judgement.ill - r.judgement.unknown);
		if (r.verdict == V_UNKNOWN || r.verdict == V_UNSUPPORTED || s->kept < 1)
			continue;
		s->run = (struct run){r.judgement.r_max, fmax(1, r.chain), s->kept};
		s->line = case_print(&k);
		snprintf(s->out, sizeof s->out, "%.16s", r.outputs_sha256);
		return ST_OK;
	}
	s->kept = 0;
	s->run = (struct run){0, 1, 1};
	s->line = mem_strdup("");
	return ST_OK;
}

struct chunk {
	struct plan *p;
	int64_t from;
};

static void run_one(void *ctx, size_t i, int worker)
{
	struct chunk *k = ctx;
	int64_t within;
	struct cell *c = cell_of(k->p, k->from + (int64_t)i, &within);
	struct err e = {0};
	enum st rc;

	(void)worker;
	rc = run_sample(k->p, c, within, &c->sample[within], &e);
	if (rc != ST_OK) {
		err_prefix(&e, "%s %s, run %lld", c->op, c->types, (long long)within);
		c->sample[within].line = mem_strdup("");
		c->sample[within].kept = -1;
		c->sample[within].run.r = NAN;
		if (k->p->rc == ST_OK) { /* the first in time: any one will do to stop */
			k->p->err = e;
			k->p->rc = rc;
		}
	}
	progress_add(k->p->progress, 1);
}

/* The group that a run is fitted in: its case's, which a layout can make another than the one it was drawn for. */
static enum st run_group(const struct cell *c, const struct sample *s, int *group, struct err *e)
{
	struct kase k;

	if (c->groups == 1)
		return ST_OK;
	TRY(case_parse(s->line, kernel_op(c->member[s->kernel].target->kernel), &k, e));
	*group = (int)case_coherence(&k);
	return ST_OK;
}

static bool commit_one(void *ctx, size_t i)
{
	struct chunk *k = ctx;
	int64_t within, run = k->from + (int64_t)i;
	const struct cell *c = cell_of(k->p, run, &within);
	const struct sample *s = &c->sample[within];
	struct buf b = {0};
	struct err e = {0};
	enum st rc;
	int group = (int)(within / (c->runs + c->heldout));

	if (k->p->rc != ST_OK)
		return false;
	if (s->line[0] && (rc = run_group(c, s, &group, &e)) != ST_OK) {
		k->p->rc = rc;
		k->p->err = e;
		return false;
	}
	buf_printf(&b, "{\"run\":%lld,\"cell\":\"%s/%s %s %s\",\"heldout\":%s,\"kernel\":\"%s\",", (long long)run, c->op,
	           c->types, c->family, group_name(c, group),
	           within % (c->runs + c->heldout) < c->runs ? "false" : "true",
	           kernel_name(c->member[s->kernel].target->kernel));
	if (isinf(s->run.r))
		buf_puts(&b, "\"r\":\"inf\",");
	else
		buf_printf(&b, "\"r\":%.17g,", s->run.r);
	buf_printf(&b, "\"L\":%.17g,\"n\":%.17g,\"out\":\"%s\",\"case\":\"%s\"}", s->run.chain, s->kept, s->out,
	           s->line);
	rc = record_append(&k->p->record, b.s, &e);
	buf_free(&b);
	if (rc != ST_OK) {
		k->p->rc = rc;
		k->p->err = e;
	}
	return rc == ST_OK;
}

static double number_at(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsNumber(v) ? v->valuedouble : cJSON_IsString(v) ? INFINITY : NAN;
}

static enum st resume_line(void *ctx, const cJSON *j, struct err *e)
{
	struct plan *p = ctx;
	const cJSON *line = cJSON_GetObjectItemCaseSensitive(j, "case");
	const char *out = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, "out"));
	struct sample *s;
	struct cell *c;
	int64_t within;

	if (number_at(j, "run") != (double)p->resumed || p->resumed >= p->first[p->ncells] || !cJSON_IsString(line))
		return FAIL(e, INPUT, "%s: run %lld is missing; remove the file to start again",
		            p->o->from ? p->o->from : p->o->runs_path, (long long)p->resumed);
	c = cell_of(p, p->resumed++, &within);
	s = &c->sample[within];
	s->kernel = (int)(within % (c->runs + c->heldout) % c->nmembers);
	s->kept = number_at(j, "n");
	s->run = (struct run){number_at(j, "r"), number_at(j, "L"), fmax(1, s->kept)};
	s->line = mem_strdup(line->valuestring);
	snprintf(s->out, sizeof s->out, "%.16s", out ? out : "");
	return ST_OK;
}

static void kernels_sha256(const struct plan *p, char out[65])
{
	struct buf all = {0};

	for (int i = 0; i < p->ncells; i++)
		for (int m = 0; m < p->cell[i].nmembers; m++)
			buf_printf(&all, "%s %s\n", p->cell[i].types, kernel_sha256(p->cell[i].member[m].target->kernel));
	sha256_hex(all.s, all.len, out);
	buf_free(&all);
}

static char *header_of(const struct plan *p)
{
	struct buf b = {0};
	char sha[65];

	kernels_sha256(p, sha);
	buf_printf(&b, "{\"gpuemu\":\"%s\",\"plan\":\"%s\",\"seed\":\"0x%llx\",\"on\":\"%s\",\"device\":\"%s\",\"kernels\":\"%s\"}",
	           gpuemu_version, p->plan->name, (unsigned long long)p->o->seed, p->device, p->device_text, sha);
	return b.s;
}

static enum st run_all(struct plan *p, struct err *e)
{
	char *header = header_of(p);
	int64_t total = p->first[p->ncells];
	struct err close_err = {0};
	struct chunk k = {.p = p};
	enum st rc, rc2;

	TRY_OR(done, rc, record_open(&p->record, p->o->runs_path, header, p->o->resume, resume_line, p, e));
	p->progress = progress_new(p->o->quiet ? NULL : "runs", (uint64_t)total);
	progress_add(p->progress, (uint64_t)p->resumed);
	k.from = p->resumed;
	pool_run(p->o->jobs, (size_t)(total - p->resumed), run_one, commit_one, &k);
	progress_end(p->progress);
	rc = p->rc;
	if (rc != ST_OK)
		*e = p->err;
done:
	rc2 = record_close(&p->record, &close_err);
	if (rc == ST_OK && rc2 != ST_OK) {
		*e = close_err;
		rc = rc2;
	}
	free(header);
	return rc;
}

/* ---- runs recorded before ---- */

static bool header_says(const cJSON *j, const char *key, const char *want)
{
	const char *is = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, key));

	return is && strcmp(is, want) == 0;
}

/* The record must be of this plan, seed and these kernels; it tells on which device they ran. */
static enum st from_header(void *ctx, const cJSON *j, struct err *e)
{
	struct plan *p = ctx;
	const char *on = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, "on")),
	           *device = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, "device"));
	char sha[65], seed[24];

	kernels_sha256(p, sha);
	snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)p->o->seed);
	if (!on || !device)
		return FAIL(e, INPUT, "%s is no record of calibration runs", p->o->from);
	if (!header_says(j, "plan", p->plan->name) || !header_says(j, "seed", seed))
		return FAIL(e, INPUT, "%s was made by another plan or seed than %s and %s: name them with --plan and --seed",
		            p->o->from, p->plan->name, seed);
	if (!header_says(j, "kernels", sha))
		return FAIL(e, INPUT, "%s was made with other kernels, or these have changed since", p->o->from);
	snprintf(p->device, sizeof p->device, "%s", on);
	snprintf(p->device_text, sizeof p->device_text, "%s", device);
	return ST_OK;
}

/* Runs one recorded run on the device of the targets. *same: it came to an end and has the recorded outputs. A run that
 * ends without outputs there, by the emulator's budget of instructions, says nothing. */
static enum st carry_run(const struct plan *p, const struct target *t, const struct sample *s, bool *same, struct err *e)
{
	struct case_options co = {0};
	struct case_result r = {0};
	struct kase k;

	*same = false;
	if (s->kept < 1)
		return ST_OK;
	TRY(case_parse(s->line, kernel_op(t->kernel), &k, e));
	TRY(case_validate(t, &k, &co, NULL, &r, e));
	if (r.verdict == V_UNKNOWN && !r.outputs_sha256[0])
		return ST_OK;
	if (strncmp(r.outputs_sha256, s->out, 16) != 0)
		return FAIL(e, INPUT, "its outputs (SHA-256 %.16s) are not those of %s (%s): the table does not carry over; "
		            "the case is %s", r.outputs_sha256[0] ? r.outputs_sha256 : "none", p->device_text, s->out, s->line);
	*same = true;
	return ST_OK;
}

/* The first of CARRY_EVERY runs that can be compared. */
static void carry_one(void *ctx, size_t i, int worker)
{
	struct plan *p = ctx;
	int64_t run = (int64_t)i * CARRY_EVERY, last = run + CARRY_EVERY, within;
	struct err e = {0};
	bool same = false;

	(void)worker;
	for (; !same && p->rc == ST_OK && run < last && run < p->first[p->ncells]; run++) {
		const struct cell *c = cell_of(p, run, &within);
		const struct target *t = c->member[c->sample[within].kernel].target;
		enum st rc = carry_run(p, t, &c->sample[within], &same, &e);

		if (rc != ST_OK && p->rc == ST_OK) {
			err_prefix(&e, "%s, run %lld", kernel_name(t->kernel), (long long)run);
			p->err = e;
			p->rc = rc;
		}
	}
	p->same[i] = same;
	progress_add(p->progress, 1);
}

/* Runs one in CARRY_EVERY of the recorded runs on the device of the targets. */
static enum st carry_over(struct plan *p, struct device *d, struct err *e)
{
	size_t n = (size_t)((p->first[p->ncells] + CARRY_EVERY - 1) / CARRY_EVERY), compared = 0;

	p->same = mem_zalloc(n, sizeof *p->same);
	p->progress = progress_new(p->o->quiet ? NULL : "runs compared", n);
	pool_run(p->o->jobs, n, carry_one, NULL, p);
	progress_end(p->progress);
	for (size_t i = 0; i < n; i++)
		compared += p->same[i];
	free(p->same);
	if (p->rc != ST_OK) {
		*e = p->err;
		return p->rc;
	}
	if (compared == 0)
		return FAIL(e, INPUT, "%s: no run of it comes to an end on this device: the table does not carry over", p->o->from);
	snprintf(p->carried, sizeof p->carried,
	         "carried over from %.120s: %zu of its %lld runs (one in %d) were run on this device, the outputs are the "
	         "same in every bit", p->device_text, compared, (long long)p->first[p->ncells], CARRY_EVERY);
	snprintf(p->device, sizeof p->device, "%s", device_name(d));
	snprintf(p->device_text, sizeof p->device_text, "%s", device_text(d));
	return ST_OK;
}

static enum st read_runs(struct plan *p, struct device *d, struct err *e)
{
	TRY(record_read(p->o->from, from_header, resume_line, p, e));
	if (p->resumed != p->first[p->ncells])
		return FAIL(e, INPUT, "%s has %lld of %lld runs: make the others with --resume on its device", p->o->from,
		            (long long)p->resumed, (long long)p->first[p->ncells]);
	return p->o->carry ? carry_over(p, d, e) : ST_OK;
}

/* ---- fits ---- */

/* Which runs of a group, among those first..last-1 that have a verdict. */
struct pick {
	int64_t first, last;
	int without, only;      /* not this kernel's; this kernel's alone; -1: no such condition */
	double at_least, below; /* of chains in [at_least, below) */
};

static struct pick fitted_runs(const struct cell *c)
{
	return (struct pick){0, c->runs, -1, -1, 0, INFINITY};
}

/* The runs of group g picked, in turn from each family, to out[]; *at (or NULL): their samples. */
static size_t collect(const struct cell *c, int g, struct pick p, struct run *out, size_t *at)
{
	int64_t per = c->runs + c->heldout;
	size_t n = 0;

	for (int64_t i = p.first * c->families; i < p.last * c->families; i++) {
		size_t k = (size_t)(i % c->families * per + i / c->families);
		const struct sample *s = &c->sample[k];

		if (s->kept < 1 || s->group != g || s->kernel == p.without || (p.only >= 0 && s->kernel != p.only) ||
		    !(s->run.chain >= p.at_least && s->run.chain < p.below))
			continue;
		out[n] = s->run;
		if (at)
			at[n] = k;
		n++;
	}
	return n;
}

/* Which group each run belongs to, by its case. */
static enum st find_groups(struct plan *p, struct err *e)
{
	for (int i = 0; i < p->ncells; i++)
		for (int64_t k = 0; p->cell[i].groups > 1 && k < runs_of(&p->cell[i]); k++) {
			struct sample *s = &p->cell[i].sample[k];

			if (s->kept >= 1)
				TRY(run_group(&p->cell[i], s, &s->group, e));
		}
	return ST_OK;
}

/* A function of one element has a largest error: no tail to fit. */
static void fit_bounded(struct cell_fit *f, const struct fit_options *o, const struct run *r, size_t n)
{
	double t, unit;

	*f = (struct cell_fit){.options = *o, .runs = n, .used = n, .margin = BOUNDED_MARGIN,
	                       .serial_p = 1, .location_p = 1, .tail_p = 1, .spread = 1, .elements_lo = 1,
	                       .chain_lo = 1};
	for (size_t i = 0; i < n; i++) {
		f->zeros += r[i].r == 0;
		f->max = fmax(f->max, r[i].r);
		f->chain_hi = fmax(f->chain_hi, r[i].chain);
		f->elements_hi = fmax(f->elements_hi, r[i].elements);
		if (r[i].r > r[f->worst].r)
			f->worst = i;
	}
	if (isinf(f->max)) {
		f->state = FIT_REFUSED;
		snprintf(f->reason, sizeof f->reason, "an infinite scaled error: a known-good kernel is wrong there");
		return;
	}
	f->state = f->max == 0 ? FIT_EXACT : FIT_ENVELOPE;
	if (f->max == 0)
		return;
	t = f->max * BOUNDED_MARGIN;
	unit = pow(10, floor(log10(t)) - 2);
	f->t = ceil(t / unit * (1 - 1e-12)) * unit;
	f->tightness = f->max / f->t;
}

static enum st fit(const struct cell *c, const struct fit_options *o, const struct run *r, size_t n,
                   struct cell_fit *f, struct err *e)
{
	if (c->reduces && !c->exact)
		return cell_fit(r, n, o, f, e);
	fit_bounded(f, o, r, n);
	return ST_OK;
}

/* Whether there is a fitted limit, tight or not. */
static bool has_limit(const struct cell_fit *f)
{
	return f->state == FIT_ENVELOPE || f->state == FIT_LOOSE;
}

/* Runs over the limit of a fit in the cell's place; with f32 outputs they have not the rounding that `narrow` stands
 * for. */
static double over(const struct tolerance_cell *cell, const struct cell_fit *f, const struct run *r, size_t n)
{
	struct tolerance_cell c = *cell;
	double count = 0;

	c.fit = *f;
	for (size_t i = 0; i < n; i++)
		count += !(r[i].r <= tolerance_cell_limit(&c, r[i].chain, r[i].elements, NULL) - f->options.narrow);
	return count;
}

/* A fit to some of the runs, with the knee of all, at the coverage that their number gives. */
static enum st fit_part(const struct cell_fit *whole, const struct run *r, size_t n, struct cell_fit *out, struct err *e)
{
	const struct fit_options *o = &whole->options;
	struct fit_options weak = *o;

	weak.knees = 1;
	weak.boot = 0;
	weak.least = weak.coverage = fmax(0.5, tolerance_coverage((int64_t)n, o->conf, o->rank) * (1 - 1e-9));
	return cell_fit(r, n, &weak, out, e);
}

/* A fit to the chains below a quarter of the longest, its power law continued over the others. */
static enum st check_sizes(const struct cell *c, int g, struct run *r,
                           struct tolerance_cell *out, struct err *e)
{
	struct pick shorter = fitted_runs(c), longer = fitted_runs(c);
	struct cell_fit part;
	size_t n;

	shorter.below = longer.at_least = out->fit.chain_hi / 4;
	TRY(fit_part(&out->fit, r, collect(c, g, shorter, r, NULL), &part, e));
	if (!has_limit(&part) || !part.chain.fitted)
		return ST_OK;
	part.chain_hi = INFINITY;
	n = collect(c, g, longer, r, NULL);
	out->sizes_out = (double)n;
	out->sizes_out_over = over(out, &part, r, n);
	return ST_OK;
}

/* Each kernel in turn against a fit to the others. */
static enum st check_kernels(const struct cell *c, int g, struct run *r,
                             struct tolerance_cell *out, struct err *e)
{
	for (int m = 0; m < c->nmembers && c->nmembers > 1; m++) {
		struct pick others = fitted_runs(c), own = fitted_runs(c);
		struct cell_fit part;

		others.without = own.only = m;
		TRY(fit_part(&out->fit, r, collect(c, g, others, r, NULL), &part, e));
		if (part.state == FIT_REFUSED)
			continue;
		out->kernels_out++;
		out->kernels_out_over += over(out, &part, r, collect(c, g, own, r, NULL)) > 0;
	}
	return ST_OK;
}

static void hold_out(const struct cell *c, int g, struct run *r, struct tolerance_cell *out)
{
	struct pick heldout = fitted_runs(c);
	size_t n;

	heldout.first = c->runs;
	heldout.last = c->runs + c->heldout;
	n = collect(c, g, heldout, r, NULL);
	out->heldout = (double)n;
	out->heldout_over = over(out, &out->fit, r, n);
}

/* Second-order terms of S grow with T, and runs are judged by another T than the fitted: what is held out must pass the
 * cell's own. */
static enum st judge_again(const struct cell *c, int g, struct run *r, size_t *at, struct tolerance_cell *out, struct err *e)
{
	struct pick heldout = fitted_runs(c);
	size_t n, failed = 0, judged = 0, step;

	heldout.first = c->runs;
	heldout.last = c->runs + c->heldout;
	n = collect(c, g, heldout, r, at);
	step = n / JUDGED_AGAIN + 1;
	for (size_t i = 0; i < n; i += step, judged++) {
		const struct sample *s = &c->sample[at[i]];
		const struct target *t = c->member[s->kernel].target;
		struct case_options co = {.use_T = true};
		struct case_result res;
		struct kase k;

		TRY(case_parse(s->line, kernel_op(t->kernel), &k, e));
		co.T = tolerance_cell_limit(out, s->run.chain, s->run.elements, NULL) - (k.f32_outputs ? out->fit.options.narrow : 0);
		TRY(case_validate(t, &k, &co, NULL, &res, e));
		failed += res.value == V_FAIL;
	}
	if (failed > 0)
		cell_fit_lower(&out->fit, FIT_REFUSED, "second order: judged by the cell's own envelope, %zu of %zu held-out runs fail (T = %.3g)",
		                failed, judged, out->fit.t);
	return ST_OK;
}

/* Held-out seeds, sizes and kernels. */
static enum st check_fit(const struct cell *c, int g, struct run *r,
                         struct tolerance_cell *out, struct err *e)
{
	hold_out(c, g, r, out);
	if (!c->reduces || c->exact || !has_limit(&out->fit))
		return ST_OK;
	TRY(check_sizes(c, g, r, out, e));
	return check_kernels(c, g, r, out, e);
}

static enum st probe(const struct cell *c, const size_t *at, size_t n, struct tolerance_cell *out, struct err *e)
{
	double judged = 0;

	for (size_t i = 0; i < n && judged < PROBES; i++) {
		const struct sample *s = &c->sample[at[i]];
		const struct member *m = &c->member[s->kernel];
		struct power_probe probe;
		struct kase k;

		TRY(case_parse(s->line, kernel_op(m->target->kernel), &k, e));
		k.f32_outputs = false;
		TRY(case_power(m->target, &k, tolerance_cell_limit(out, s->run.chain, s->run.elements, NULL), &probe, e));
		if (!probe.judged)
			continue;
		judged++;
		out->nulls_rejected += probe.nulls;
		for (int step = 0; step < POWER_STEPS; step++)
			out->power[step] += probe.seen[step];
		out->rtol = fmax(out->rtol, probe.rtol);
		out->atol = fmax(out->atol, probe.atol);
	}
	for (int step = 0; step < POWER_STEPS && judged > 0; step++)
		out->power[step] /= judged;
	if (judged > 0)
		out->nulls_rejected /= judged;
	return ST_OK;
}

/* What is published holds for the held-out runs, is tight and sees errors. A bitwise cell has nothing to halve. */
static void demand(struct tolerance_cell *c)
{
	double largest = c->power[POWER_STEPS - 1];

	if (c->heldout_over > 0) {
		cell_fit_lower(&c->fit, FIT_REFUSED, "held out: %g of %g runs are over the envelope (T = %.3g)", c->heldout_over, c->heldout,
		                c->fit.t);
	} else if (has_limit(&c->fit) && !(c->fit.tightness > 0.5))
		cell_fit_lower(&c->fit, FIT_LOOSE, "loose: the largest r/T is %.2f, so that half the envelope would fail no run (T = %.3g)",
		                c->fit.tightness, c->fit.t);
	else if (largest < POWER_DEMANDED)
		cell_fit_lower(&c->fit, FIT_REFUSED, "no power: of %g times the envelope, %.0f %% of runs show the error", power_steps[POWER_STEPS - 1],
		                100 * largest);
	else if (!(c->nulls_rejected > 0))
		cell_fit_lower(&c->fit, FIT_REFUSED, "no power: the null kernels pass every run");
}

static enum st fit_group(const struct plan *p, const struct cell *c, int g, struct tolerance_cell *out, struct err *e)
{
	struct fit_options o = fit_options_of(p->plan, c->u);
	struct run *r = mem_alloc((size_t)runs_of(c) * sizeof *r);
	size_t *at = mem_alloc((size_t)runs_of(c) * sizeof *at), n;
	enum st rc;

	o.narrow = c->f32 && !c->exact;
	o.per_op = c->per_op;
	snprintf(out->op, sizeof out->op, "%s", c->op);
	snprintf(out->types, sizeof out->types, "%s", c->types);
	snprintf(out->family, sizeof out->family, "%s", c->family);
	snprintf(out->group, sizeof out->group, "%s", group_name(c, g));
	snprintf(out->tier, sizeof out->tier, "%s", c->exact ? "exact" : c->reduces ? "statistical" : "bounded");
	for (int m = 0; m < c->nmembers; m++) {
		size_t len = strlen(out->kernels);

		snprintf(out->kernels + len, sizeof out->kernels - len, "%s%s", m ? ", " : "",
		         kernel_name(c->member[m].target->kernel));
	}
	n = collect(c, g, fitted_runs(c), r, at);
	if (c->groups > 1)
		o.least = 1 - GROUP_SHARE * (1 - o.coverage);
	TRY_OR(done, rc, fit(c, &o, r, n, &out->fit, e));
	if (n > 0)
		snprintf(out->worst_case, sizeof out->worst_case, "%s", c->sample[at[out->fit.worst]].line);
	TRY_OR(done, rc, check_fit(c, g, r, out, e));
	if (out->fit.state == FIT_REFUSED)
		goto done;
	TRY_OR(done, rc, probe(c, at, n, out, e));
	demand(out);
	if (has_limit(&out->fit) && c->groups > 1)
		TRY_OR(done, rc, judge_again(c, g, r, at, out, e));
	if (out->fit.state >= FIT_LOOSE) /* it is the bound that stands now, or the lower of the two */
		hold_out(c, g, r, out);
done:
	free(r);
	free(at);
	return rc;
}

struct fitting {
	const struct plan *p;
	struct tolerance_table *t;
	struct {
		const struct cell *c;
		int g;
	} *job;
	enum st rc;
	struct err err;
};

static void fit_one(void *ctx, size_t i, int worker)
{
	struct fitting *f = ctx;
	struct err e = {0};
	enum st rc = fit_group(f->p, f->job[i].c, f->job[i].g, &f->t->cell[i], &e);

	(void)worker;
	if (rc != ST_OK && f->rc == ST_OK) {
		err_prefix(&e, "%s %s", f->job[i].c->op, f->job[i].c->types);
		f->err = e;
		f->rc = rc;
	}
}

static enum st fit_all(struct plan *p, struct tolerance_table *t, struct err *e)
{
	struct fitting f = {.p = p, .t = t};

	f.job = mem_alloc((size_t)p->ncells * COHERENCE_COUNT * sizeof *f.job);
	t->cell = mem_zalloc((size_t)p->ncells * COHERENCE_COUNT, sizeof *t->cell);
	for (int c = 0; c < p->ncells; c++)
		for (int g = 0; g < p->cell[c].groups; g++) {
			f.job[t->n].c = &p->cell[c];
			f.job[t->n++].g = g;
		}
	pool_run(p->o->jobs, t->n, fit_one, NULL, &f);
	free(f.job);
	if (f.rc != ST_OK)
		*e = f.err;
	return f.rc;
}

enum st envelopes_make(const struct envelope_options *o, struct device *d, struct target *const *targets, int n,
                       struct tolerance_table **out, struct err *e)
{
	struct tolerance_table *t = mem_zalloc(1, sizeof *t);
	struct plan p;
	enum st rc;

	TRY_OR(done, rc, plan_make(&p, o, targets, n, e));
	snprintf(p.device, sizeof p.device, "%s", device_name(d));
	snprintf(p.device_text, sizeof p.device_text, "%s", device_text(d));
	TRY_OR(done, rc, o->from ? read_runs(&p, d, e) : run_all(&p, e));
	snprintf(t->device, sizeof t->device, "%s", p.device);
	snprintf(t->device_text, sizeof t->device_text, "%s", p.device_text);
	snprintf(t->carried, sizeof t->carried, "%s", p.carried);
	date_text(t->date);
	snprintf(t->command, sizeof t->command, "%s", o->command);
	snprintf(t->plan, sizeof t->plan, "%s", o->plan);
	snprintf(t->tool, sizeof t->tool, "gpuemu %s", gpuemu_version);
	snprintf(t->seed, sizeof t->seed, "0x%llx", (unsigned long long)o->seed);
	TRY_OR(done, rc, find_groups(&p, e));
	TRY_OR(done, rc, fit_all(&p, t, e));
	*out = t;
	t = NULL;
done:
	plan_free(&p);
	tolerance_free(t);
	return rc;
}
