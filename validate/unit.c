/* unit.c - totals of a unit from record lines, and the shrinking of its first failing case. */
#include "validate/unit.h"
#include "validate/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void unit_init(struct unit *u, const struct target *t, int target_index, int dtype)
{
	memset(u, 0, sizeof *u);
	u->target = t;
	u->target_index = target_index;
	u->dtype = dtype;
	u->seen = dev_coverage_new(t->module);
}

void unit_clear(struct unit *u)
{
	dev_coverage_free(u->seen);
	free(u->interesting);
	free(u->r_case);
	free(u->fail_case);
	free(u->value_fail_case);
	free(u->first_reason);
	for (int i = 0; i < u->nfindings; i++) {
		cJSON_Delete(u->findings[i].first);
		free(u->findings[i].first_case);
	}
	free(u->minimal.line);
	cJSON_Delete(u->minimal.elements);
	cJSON_Delete(u->error_map);
	runs_clear(&u->runs);
	policy_cases_clear(&u->policy);
}

static int64_t count_at(const cJSON *j, const char *key)
{
	double v = record_number(j, key);

	return isfinite(v) ? (int64_t)v : 0;
}

bool unit_matches(const struct unit *u, const cJSON *line)
{
	enum dtype types[OP_MAX_TYPES];

	kernel_dtypes(u->target->kernel, u->dtype, types);
	return strcmp(json_text(line, "kernel"), kernel_name(u->target->kernel)) == 0 &&
	       strcmp(json_text(line, "dtype"), dtype_name(types[0])) == 0;
}

static enum verdict verdict_of(const char *name)
{
	for (int v = 0; v < V_COUNT; v++)
		if (strcmp(verdict_name((enum verdict)v), name) == 0)
			return (enum verdict)v;
	return V_UNKNOWN;
}

static void absorb_finding(struct unit *u, const cJSON *f, const char *line)
{
	for (int i = 0; i < u->nfindings; i++) {
		const cJSON *g = u->findings[i].first;

		if (strcmp(json_text(g, "kind"), json_text(f, "kind")) == 0 &&
		    strcmp(json_text(g, "buffer"), json_text(f, "buffer")) == 0 &&
		    count_at(g, "ptx_line") == count_at(f, "ptx_line")) {
			u->findings[i].cases++;
			return;
		}
	}
	if (u->nfindings == UNIT_MAX_FINDINGS)
		return;
	u->findings[u->nfindings].first = cJSON_Duplicate(f, true);
	u->findings[u->nfindings].first_case = mem_strdup(line);
	u->findings[u->nfindings++].cases = 1;
}

static void absorb_totals(struct unit *u, const cJSON *j, const char *line)
{
	enum verdict v = verdict_of(json_text(j, "verdict")), value = verdict_of(json_text(j, "value"));
	double r = record_number(j, "r"), T = record_number(j, "T");

	u->verdicts[v]++;
	u->values[value]++;
	u->no_power += !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "power"));
	u->elements += count_at(j, "elements");
	u->failed += count_at(j, "failed");
	u->out_of_contract += count_at(j, "out_of_contract");
	u->ill += count_at(j, "ill");
	u->unknown += count_at(j, "unknown");
	u->weak += count_at(j, "weak");
	u->lane_instructions += count_at(j, "lane_instructions");
	if (value == V_PASS && r > u->r_max) {
		u->r_max = r;
		free(u->r_case);
		u->r_case = mem_strdup(line);
	}
	if (r / T > u->r_over_T)
		u->r_over_T = r / T;
	if (v == V_FAIL && !u->fail_case)
		u->fail_case = mem_strdup(line);
	if (value == V_FAIL && !u->value_fail_case)
		u->value_fail_case = mem_strdup(line);
	if (v != V_PASS && !u->first_reason)
		u->first_reason = mem_strdup(json_text(j, "reason"));
}

static void add_interesting(struct unit *u, const struct kase *c)
{
	if (u->ninteresting == u->cap) {
		u->cap = u->cap ? 2 * u->cap : 8;
		u->interesting = mem_realloc(u->interesting, u->cap * sizeof *u->interesting);
	}
	u->interesting[u->ninteresting++] = *c;
}

enum st unit_absorb(struct unit *u, const cJSON *j, struct err *e)
{
	const char *line = json_text(j, "case");
	const cJSON *f;
	struct kase c;

	u->done++;
	TRY(case_parse(line, kernel_op(u->target->kernel), &c, e));
	tried_add(&u->tried, &c);
	absorb_totals(u, j, line);
	runs_absorb(&u->runs, j);
	policy_cases_absorb(&u->policy, j);
	cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(j, "findings"))
		absorb_finding(u, f, line);
	if (count_at(j, "new_edges") > 0)
		add_interesting(u, &c);
	if (u->done % GENERATION == 0)
		u->known = u->ninteresting;
	return ST_OK;
}

void unit_exhaust(struct unit *u, const char *why)
{
	u->exhausted = true;
	if (!u->first_reason)
		u->first_reason = mem_strdup(why);
}

/* The first case on which the kernel did not end, or NULL: it is not right on its domain then, whatever it does on
 * other cases. */
static const char *endless_case(const struct unit *u)
{
	for (int i = 0; i < u->nfindings; i++)
		if (strcmp(json_text(u->findings[i].first, "kind"), finding_name(FIND_BUDGET)) == 0)
			return u->findings[i].first_case;
	return NULL;
}

enum verdict unit_verdict(const struct unit *u)
{
	return u->verdicts[V_FAIL]  ? V_FAIL :
	       endless_case(u)      ? V_UNKNOWN :
	       u->exhausted         ? V_UNKNOWN :
	       u->verdicts[V_PASS]  ? V_PASS :
	       u->verdicts[V_UNSUPPORTED] && !u->verdicts[V_UNKNOWN] ? V_UNSUPPORTED :
	                                                               V_UNKNOWN;
}

enum verdict unit_value(const struct unit *u)
{
	return u->values[V_FAIL] ? V_FAIL : u->values[V_PASS] ? V_PASS : V_UNKNOWN;
}

/* ---- shrinking ---- */

struct shrinking {
	const struct campaign_options *o;
	struct device *d;
	struct unit *units;
	struct target *const *targets;
	int ntargets;
	struct progress *progress;
};

struct failing {
	const struct target *target;
	bool by_value;
	char kind[40]; /* of the finding looked for */
};

static bool has_finding(const struct run_report *r, const char *kind)
{
	for (int i = 0; i < r->nfindings; i++)
		if (strcmp(finding_name(r->findings[i].kind), kind) == 0)
			return true;
	return false;
}

static bool fails_same_way(void *ctx, const struct kase *c)
{
	const struct failing *f = ctx;
	struct case_options co = {.sanitize = !f->by_value};
	struct case_result r;
	struct err e = {0};

	if (case_validate(f->target, c, &co, NULL, &r, &e) != ST_OK)
		return false;
	return f->by_value ? r.value == V_FAIL : has_finding(&r.report, f->kind);
}

static cJSON *elements_json(const struct kase *c, const struct judgement *j)
{
	const struct op_schema *o = op_schema(c->op);
	cJSON *list = cJSON_CreateArray();

	for (int i = 0; i < j->nshown; i++) {
		const struct judged *s = &j->shown[i];
		const struct op_tensor *t = &o->tensors[o->nin + s->output];
		enum dtype dt = t->type < 0 ? t->fixed : c->b.types[t->type];
		cJSON *x = cJSON_CreateObject(), *index;
		const double v[] = {dtype_decode(dt, s->got), dtype_decode(dt, s->want),
		                    dtype_decode(dt, s->lo), dtype_decode(dt, s->hi), s->exact, s->r,
		                    s->S, s->tol};
		static const char *const keys[] = {"got", "want", "lo", "hi", "exact", "r", "S", "tol"};
		char hex[24];

		cJSON_AddStringToObject(x, "output", t->name);
		index = cJSON_AddArrayToObject(x, "index");
		for (int k = 0; k < s->rank; k++)
			cJSON_AddItemToArray(index, cJSON_CreateNumber((double)s->index[k]));
		for (size_t k = 0; k < ARRAY_LEN(v); k++) {
			if (isfinite(v[k]))
				cJSON_AddNumberToObject(x, keys[k], v[k]);
			else
				cJSON_AddStringToObject(x, keys[k], isnan(v[k]) ? "nan" :
				                                    v[k] > 0 ? "inf" : "-inf");
		}
		snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)s->got);
		cJSON_AddStringToObject(x, "got_bits", hex);
		cJSON_AddNumberToObject(x, "ulps", (double)s->ulps);
		cJSON_AddItemToArray(list, x);
	}
	return list;
}

/* The control twin: among the campaign's targets, else opened from the corpus. */
static const struct target *find_twin(const struct shrinking *s, const struct kernel *k,
                                      struct target **opened)
{
	const char *twin = kernel_twin(k);
	char *folder;
	struct err e = {0};

	*opened = NULL;
	if (!twin)
		return NULL;
	for (int i = 0; i < s->ntargets; i++)
		if (strcmp(kernel_name(s->targets[i]->kernel), twin) == 0)
			return s->targets[i];
	if (!s->o->corpus_dir)
		return NULL;
	folder = mem_alloc(strlen(s->o->corpus_dir) + strlen(twin) + 16);
	sprintf(folder, "%s/control/%s", s->o->corpus_dir, twin);
	if (target_open(s->d, folder, false, opened, &e) != ST_OK)
		*opened = NULL;
	free(folder);
	return *opened;
}

/* The twin takes the same case though its operator object may be another copy of the same text. */
static void run_twin(const struct shrinking *s, struct unit *u)
{
	struct target *opened;
	const struct target *twin = find_twin(s, u->target->kernel, &opened);
	struct case_options co = {.sanitize = true};
	struct case_result r;
	struct err e = {0};
	struct kase c;

	if (twin && case_parse(u->minimal.line, kernel_op(twin->kernel), &c, &e) == ST_OK &&
	    case_validate(twin, &c, &co, NULL, &r, &e) == ST_OK) {
		u->minimal.has_twin = true;
		u->minimal.twin = r.verdict;
	}
	target_free(opened);
}

static void shrink_unit(void *ctx, size_t i, int worker)
{
	struct shrinking *s = ctx;
	struct unit *u = &s->units[i];
	struct failing f = {.target = u->target, .by_value = u->value_fail_case != NULL};
	const char *line = f.by_value   ? u->value_fail_case :
	                   u->fail_case ? u->fail_case :
	                                  endless_case(u);
	struct case_options co = {.sanitize = true, .power = false};
	struct err e = {0};
	struct kase c;

	(void)worker;
	if (!line || case_parse(line, kernel_op(u->target->kernel), &c, &e) != ST_OK)
		return;
	for (int k = 0; k < u->nfindings && !f.by_value; k++)
		if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(u->findings[k].first, "error")) &&
		    strcmp(u->findings[k].first_case, line) == 0) {
			snprintf(f.kind, sizeof f.kind, "%s", json_text(u->findings[k].first, "kind"));
			break;
		}
	if (u->fail_case) /* a case that does not end is told as it is: each try would last as long */
		case_shrink(&c, u->target->kernel, s->o->shrink_tries, fails_same_way, &f);
	u->minimal.line = case_print(&c);
	u->minimal.by_value = f.by_value;
	snprintf(u->minimal.kind, sizeof u->minimal.kind, "%s", f.kind);
	if (case_validate(u->target, &c, &co, NULL, &u->minimal.r, &e) == ST_OK) {
		u->minimal.elements = elements_json(&c, &u->minimal.r.judgement);
	} else {
		u->minimal.r.verdict = V_UNKNOWN;
		snprintf(u->minimal.r.reason, sizeof u->minimal.r.reason, "%.190s", e.msg);
	}
	run_twin(s, u);
	if (u->value_fail_case)
		u->error_map = error_map(u->target, u->value_fail_case);
	progress_add(s->progress, 1);
}

void units_shrink(const struct campaign_options *o, struct device *d, struct unit *units, int n,
                  struct target *const *targets, int ntargets)
{
	struct shrinking s = {o, d, units, targets, ntargets, NULL};
	uint64_t failing = 0;

	for (int i = 0; i < n; i++)
		failing += units[i].fail_case || endless_case(&units[i]);
	s.progress = progress_new(o->quiet ? NULL : "shrinking", failing);
	pool_run(o->jobs, (size_t)n, shrink_unit, NULL, &s);
	progress_end(s.progress);
}
