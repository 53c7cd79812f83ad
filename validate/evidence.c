/* evidence.c - evidence.json: everything a report prints (schema: evidence.schema.json). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "validate/lint/lint.h"
#include "validate/record.h"
#include "validate/unit.h"
#include "validate/words.h"

static const char *const role_names[] = {"user", "control", "buggy"};

static void add_real(cJSON *j, const char *key, double v)
{
	if (isfinite(v))
		cJSON_AddNumberToObject(j, key, v);
	else if (isnan(v))
		cJSON_AddNullToObject(j, key);
	else
		cJSON_AddStringToObject(j, key, v > 0 ? "inf" : "-inf");
}

static void add_text(cJSON *j, const char *key, const char *s)
{
	if (s)
		cJSON_AddStringToObject(j, key, s);
}

static void add_hex(cJSON *j, const char *key, uint64_t v)
{
	char s[24];

	snprintf(s, sizeof s, "0x%llx", (unsigned long long)v);
	cJSON_AddStringToObject(j, key, s);
}

/* ---- units and kernels ---- */

static cJSON *minimal_json(const struct unit *u)
{
	const struct minimal *m = &u->minimal;
	cJSON *j = cJSON_CreateObject();
	struct buf replay = {0};

	cJSON_AddStringToObject(j, "case", m->line);
	target_replay(u->target, &replay);
	buf_printf(&replay, " '%s'", m->line);
	cJSON_AddStringToObject(j, "replay", replay.s);
	buf_free(&replay);
	cJSON_AddStringToObject(j, "by", m->by_value ? "value" : m->kind);
	cJSON_AddStringToObject(j, "verdict", verdict_name(m->r.verdict));
	cJSON_AddStringToObject(j, "outputs_sha256", m->r.outputs_sha256);
	cJSON_AddStringToObject(j, "reason", m->r.reason);
	cJSON_AddNumberToObject(j, "elements_of_case", (double)m->r.judgement.n);
	cJSON_AddNumberToObject(j, "failed", (double)m->r.judgement.failed);
	add_real(j, "r", m->r.judgement.r_max);
	add_real(j, "T", m->r.envelope.T);
	add_real(j, "L", m->r.chain);
	cJSON_AddStringToObject(j, "envelope", m->r.envelope.name);
	if (m->has_twin)
		cJSON_AddStringToObject(j, "twin_verdict", verdict_name(m->twin));
	if (m->elements)
		cJSON_AddItemToObject(j, "elements", cJSON_Duplicate(m->elements, true));
	return j;
}

static cJSON *findings_json(const struct unit *u)
{
	cJSON *list = cJSON_CreateArray();

	for (int i = 0; i < u->nfindings; i++) {
		cJSON *f = cJSON_Duplicate(u->findings[i].first, true);

		cJSON_AddNumberToObject(f, "cases", (double)u->findings[i].cases);
		cJSON_AddStringToObject(f, "case", u->findings[i].first_case);
		cJSON_AddItemToArray(list, f);
	}
	return list;
}

static cJSON *unit_json(const struct unit *u)
{
	cJSON *j = cJSON_CreateObject();
	enum dtype types[OP_MAX_TYPES];

	kernel_dtypes(u->target->kernel, u->dtype, types);
	cJSON_AddStringToObject(j, "dtype", dtype_name(types[0]));
	cJSON_AddStringToObject(j, "verdict", verdict_name(unit_verdict(u)));
	cJSON_AddStringToObject(j, "value", verdict_name(unit_value(u)));
	add_text(j, "reason", u->first_reason);
	cJSON_AddNumberToObject(j, "cases", u->done);
	cJSON_AddNumberToObject(j, "cases_failed", (double)u->verdicts[V_FAIL]);
	cJSON_AddNumberToObject(j, "cases_failed_by_value", (double)u->values[V_FAIL]);
	cJSON_AddNumberToObject(j, "cases_unknown", (double)u->verdicts[V_UNKNOWN]);
	cJSON_AddNumberToObject(j, "cases_unsupported", (double)u->verdicts[V_UNSUPPORTED]);
	cJSON_AddNumberToObject(j, "cases_no_power", (double)u->no_power);
	cJSON_AddNumberToObject(j, "elements", (double)u->elements);
	cJSON_AddNumberToObject(j, "elements_failed", (double)u->failed);
	cJSON_AddNumberToObject(j, "elements_out_of_contract", (double)u->out_of_contract);
	cJSON_AddNumberToObject(j, "elements_ill_conditioned", (double)u->ill);
	cJSON_AddNumberToObject(j, "elements_unknown", (double)u->unknown);
	cJSON_AddNumberToObject(j, "elements_no_power", (double)u->weak);
	cJSON_AddNumberToObject(j, "lane_instructions", (double)u->lane_instructions);
	add_real(j, "r_max_passed", u->r_max);
	add_text(j, "r_max_case", u->r_case);
	add_real(j, "r_over_T", u->r_over_T);
	if (u->runs.worst_case)
		cJSON_AddItemToObject(j, "worst", runs_worst_json(&u->runs));
	cJSON_AddItemToObject(j, "runs", runs_points_json(&u->runs));
	if (u->error_map)
		cJSON_AddItemToObject(j, "error_map", cJSON_Duplicate(u->error_map, true));
	cJSON_AddItemToObject(j, "findings", findings_json(u));
	if (u->minimal.line)
		cJSON_AddItemToObject(j, "minimal", minimal_json(u));
	return j;
}

struct line_list {
	const struct kernel *kernel;
	cJSON *lines;
};

static void add_line(void *ctx, const char *file, int line, uint64_t hits)
{
	struct line_list *l = ctx;
	cJSON *pair;

	/* lines of the toolkit's headers are not the author's */
	if (!kernel_is_source(l->kernel, file))
		return;
	pair = cJSON_CreateArray();
	cJSON_AddItemToArray(pair, cJSON_CreateNumber(line));
	cJSON_AddItemToArray(pair, cJSON_CreateNumber(hits > 0));
	cJSON_AddItemToArray(l->lines, pair);
}

static cJSON *coverage_json(const struct target *t, const struct unit *units, int n)
{
	struct dev_coverage *all = dev_coverage_new(t->module);
	struct ptx_coverage_sum sum;
	struct line_list l;
	cJSON *j = cJSON_CreateObject();

	for (int u = 0; u < n; u++)
		if (units[u].target == t)
			dev_coverage_merge(all, units[u].seen);
	sum = dev_coverage_total(all);
	cJSON_AddNumberToObject(j, "blocks", sum.blocks);
	cJSON_AddNumberToObject(j, "blocks_hit", sum.blocks_hit);
	cJSON_AddNumberToObject(j, "edges", sum.edges);
	cJSON_AddNumberToObject(j, "edges_hit", sum.edges_hit);
	l.kernel = t->kernel;
	l.lines = cJSON_AddArrayToObject(j, "lines");
	dev_coverage_lines(all, add_line, &l);
	dev_coverage_free(all);
	return j;
}

static cJSON *sets_json(const struct kernel *k)
{
	static const char *const sets[] = {"seed", "flash"};
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		if (kernel_in_set(k, sets[i]))
			cJSON_AddItemToArray(list, cJSON_CreateString(sets[i]));
	return list;
}

/* What lint says of the module that is run, its findings tried where the campaign's device can tell. {"problem": why not} when there is
 * no module to read. */
static cJSON *lint_of(const struct campaign_options *o, const struct device *d, const struct target *t)
{
	struct lint_report *r = NULL;
	struct err e = {0};
	cJSON *j = NULL;
	enum st rc = lint_kernel(t->kernel, dev_module_ptx(t->module), &r, &e);

	if (rc == ST_OK && o->sanitize && strcmp(device_name(d), "emu") == 0)
		rc = lint_confirm(r, t, &e);
	if (rc == ST_OK) {
		j = lint_report_json(r);
	} else {
		j = cJSON_CreateObject();
		cJSON_AddStringToObject(j, "problem", e.msg);
	}
	lint_report_free(r);
	return j;
}

/* The toolkit that made the PTX, as NVCC and NVRTC write it at its head: "CUDA 13.0, V13.0.88". */
static void add_toolkit(cJSON *j, const struct target *t)
{
	static const char mark[] = "Cuda compilation tools, release ";
	char path[512], version[16], headers[512], why[512], text[64];
	size_t len = 0;
	const char *ptx = kernel_ptx(t->kernel, &len), *at = NULL;

	if (t->recompiled && nvrtc_find(path, version, headers, why)) {
		snprintf(text, sizeof text, "NVRTC %s", version);
		cJSON_AddStringToObject(j, "toolkit", text);
		return;
	}
	for (const char *line = ptx; !t->recompiled && line && line < ptx + len && line[0] != '.' && !at;) {
		size_t n = strcspn(line, "\n");
		const char *found = strstr(line, mark);

		at = found && found < line + n ? found + strlen(mark) : NULL;
		line += n + 1;
	}
	if (!at)
		return;
	snprintf(text, sizeof text, "CUDA %.*s", (int)strcspn(at, "\n"), at);
	cJSON_AddStringToObject(j, "toolkit", text);
}

static cJSON *kernel_tried(const struct target *t, const struct unit *units, int n)
{
	struct tried all = {0};

	for (int u = 0; u < n; u++)
		if (units[u].target == t)
			tried_merge(&all, &units[u].tried);
	return tried_json(&all);
}

/* Line `number` of a text, of at most `most` bytes; false: it has no such line. */
static bool line_of(const char *text, int number, char *out, size_t most)
{
	while (text && --number > 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || !*text || number)
		return false;
	snprintf(out, most, "%.*s", (int)strcspn(text, "\r\n"), text);
	return true;
}

#define MAX_SOURCE_LINES 60

static void note_line(cJSON *list, const char *source, const cJSON *line)
{
	const cJSON *x;
	char text[200];
	cJSON *pair;

	if (!cJSON_IsNumber(line) || line->valueint <= 0 || cJSON_GetArraySize(list) == MAX_SOURCE_LINES)
		return;
	cJSON_ArrayForEach(x, list)
		if (cJSON_GetArrayItem(x, 0)->valueint == line->valueint)
			return;
	if (!line_of(source, line->valueint, text, sizeof text))
		return;
	pair = cJSON_CreateArray();
	cJSON_AddItemToArray(pair, cJSON_CreateNumber(line->valueint));
	cJSON_AddItemToArray(pair, cJSON_CreateString(text));
	cJSON_AddItemToArray(list, pair);
}

/* The source lines that findings, errors of lint and missing coverage speak of, for readers without the source. */
static void add_source_lines(cJSON *kernel, const char *source)
{
	cJSON *list = cJSON_AddArrayToObject(kernel, "source_lines");
	const cJSON *d, *f;

	cJSON_ArrayForEach(d, cJSON_GetObjectItemCaseSensitive(kernel, "dtypes"))
		cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(d, "findings"))
			note_line(list, source, cJSON_GetObjectItemCaseSensitive(f, "source_line"));
	cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(kernel, "lint"), "findings"))
		note_line(list, source, cJSON_GetObjectItemCaseSensitive(f, "source_line"));
	cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(kernel, "coverage"), "lines"))
		if (cJSON_GetArrayItem(f, 1)->valueint == 0)
			note_line(list, source, cJSON_GetArrayItem(f, 0));
}

static cJSON *kernel_json(const struct campaign_options *o, const struct device *d, const struct target *t, const struct unit *units,
                          int n)
{
	const struct kernel *k = t->kernel;
	enum verdict v = V_COUNT, value = V_COUNT, expected;
	cJSON *j = cJSON_CreateObject(), *list;
	struct buf replay = {0};

	cJSON_AddStringToObject(j, "name", kernel_name(k));
	cJSON_AddStringToObject(j, "folder", kernel_folder(k));
	target_replay(t, &replay);
	cJSON_AddStringToObject(j, "replay", replay.s);
	buf_free(&replay);
	cJSON_AddStringToObject(j, "operator", op_schema(kernel_op(k))->name);
	cJSON_AddStringToObject(j, "role", role_names[kernel_role(k)]);
	add_text(j, "twin", kernel_twin(k));
	add_text(j, "bug_class", kernel_bug_class(k));
	add_text(j, "bug", kernel_bug(k));
	add_text(j, "doc", kernel_doc(k));
	cJSON_AddItemToObject(j, "sets", sets_json(k));
	cJSON_AddStringToObject(j, "sha256", kernel_sha256(k));
	add_text(j, "source_file", kernel_source_path(k));
	if (!t->recompiled)
		add_text(j, "ptx_file", kernel_ptx_path(k));
	cJSON_AddStringToObject(j, "ptx", t->recompiled ? "compiled now" : t->stale ? "shipped, stale" : "shipped");
	if (t->stale)
		cJSON_AddStringToObject(j, "ptx_stale", t->stale_why);
	add_toolkit(j, t);
	if (kernel_manifest(k, "numerics"))
		cJSON_AddItemToObject(j, "numerics", cJSON_Duplicate(kernel_manifest(k, "numerics"), true));
	if (kernel_requires(k, 0)) {
		list = cJSON_AddArrayToObject(j, "requires");
		for (int i = 0; kernel_requires(k, i); i++)
			cJSON_AddItemToArray(list, cJSON_CreateString(kernel_requires(k, i)));
	}
	list = cJSON_AddArrayToObject(j, "dtypes");
	for (int u = 0; u < n; u++)
		if (units[u].target == t) {
			enum verdict uv = unit_verdict(&units[u]), uval = unit_value(&units[u]);

			cJSON_AddItemToArray(list, unit_json(&units[u]));
			v = v == V_COUNT ? uv : verdict_and(v, uv);
			value = value == V_COUNT ? uval : verdict_and(value, uval);
		}
	expected = kernel_role(k) == ROLE_BUGGY ? V_FAIL : V_PASS;
	cJSON_AddStringToObject(j, "verdict", verdict_name(v == V_COUNT ? V_UNKNOWN : v));
	cJSON_AddStringToObject(j, "value", verdict_name(value == V_COUNT ? V_UNKNOWN : value));
	cJSON_AddStringToObject(j, "expected", verdict_name(expected));
	cJSON_AddBoolToObject(j, "as_expected", v == expected);
	cJSON_AddItemToObject(j, "coverage", coverage_json(t, units, n));
	cJSON_AddItemToObject(j, "tried", kernel_tried(t, units, n));
	if (o->lint)
		cJSON_AddItemToObject(j, "lint", lint_of(o, d, t));
	add_source_lines(j, kernel_source(k));
	return j;
}

/* ---- summary ---- */

static double number_at(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static bool in_set(const cJSON *k, const char *set)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, cJSON_GetObjectItemCaseSensitive(k, "sets"))
		if (strcmp(s->valuestring, set) == 0)
			return true;
	return false;
}

/* Does the profile accept the kernel on its friendly input, or on its own published inputs, at every seed?
 * -1: there is no such input. */
static int accepted(const cJSON *k, const char *input, const char *dtype, const char *profile)
{
	const cJSON *in = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(k, "bench"), input);
	const cJSON *runs = cJSON_GetObjectItemCaseSensitive(in, dtype);

	if (!runs || number_at(runs, "seeds") == 0)
		return -1;
	return number_at(cJSON_GetObjectItemCaseSensitive(runs, "accepted"), profile) ==
	       number_at(runs, "seeds");
}

static const cJSON *find_kernel(const cJSON *kernels, const char *name)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, kernels)
		if (strcmp(json_text(k, "name"), name) == 0)
			return k;
	return NULL;
}

static const cJSON *dtype_entry(const cJSON *k, const char *dtype)
{
	const cJSON *d;

	cJSON_ArrayForEach(d, cJSON_GetObjectItemCaseSensitive(k, "dtypes"))
		if (strcmp(json_text(d, "dtype"), dtype) == 0)
			return d;
	return NULL;
}

static void add_ci(cJSON *ci, const char *key, double x, double n)
{
	double lo, hi;
	cJSON *a = cJSON_AddArrayToObject(ci, key);

	clopper_pearson((int64_t)x, (int64_t)n, &lo, &hi);
	cJSON_AddItemToArray(a, cJSON_CreateNumber(lo));
	cJSON_AddItemToArray(a, cJSON_CreateNumber(hi));
}

/* Counts of a set, over all dtypes or one. */
struct counts {
	double buggy_total, buggy_bench, buggy_caught, buggy_caught_value;
	double control_total, control_bench, control_passed, control_flagged;
	double buggy_cases, buggy_cases_flagged, control_cases, control_cases_flagged;
	double unknown, unsupported, no_power, out;
};

static void count_cases(struct counts *c, const cJSON *d, bool buggy)
{
	double cases = number_at(d, "cases"), failed = number_at(d, "cases_failed");

	if (buggy) {
		c->buggy_cases += cases;
		c->buggy_cases_flagged += failed;
	} else {
		c->control_cases += cases;
		c->control_cases_flagged += failed;
	}
	c->unknown += number_at(d, "cases_unknown");
	c->unsupported += number_at(d, "cases_unsupported");
	c->no_power += number_at(d, "cases_no_power");
	c->out += number_at(d, "elements_out_of_contract");
}

/* The verdict of a kernel over all dtypes, or in one. */
static const char *verdict_at(const cJSON *k, const char *dtype, const char *key)
{
	const cJSON *d = dtype ? dtype_entry(k, dtype) : NULL;

	return dtype ? json_text(d, key) : json_text(k, key);
}

static struct counts count_set(const cJSON *kernels, const char *set, const char *dtype)
{
	const char *input_dtype = dtype ? dtype : "f32";
	struct counts c = {0};
	const cJSON *k, *d;

	cJSON_ArrayForEach(k, kernels)
	{
		bool buggy = strcmp(json_text(k, "role"), "buggy") == 0;
		bool control = strcmp(json_text(k, "role"), "control") == 0;
		const cJSON *twin = find_kernel(kernels, json_text(k, "twin"));

		if (!in_set(k, set) || (!buggy && !control) || (dtype && !dtype_entry(k, dtype)))
			continue;
		if (buggy) {
			bool twin_ok = twin && strcmp(verdict_at(twin, dtype, "verdict"), "PASS") == 0;

			c.buggy_total++;
			c.buggy_bench += accepted(k, "friendly", input_dtype, "seed") == 1;
			c.buggy_caught += twin_ok && strcmp(verdict_at(k, dtype, "verdict"), "FAIL") == 0;
			c.buggy_caught_value += twin_ok && strcmp(verdict_at(k, dtype, "value"), "FAIL") == 0;
		} else {
			c.control_total++;
			c.control_bench += accepted(k, "friendly", input_dtype, "seed") == 1;
			c.control_passed += strcmp(verdict_at(k, dtype, "verdict"), "PASS") == 0;
			c.control_flagged += strcmp(verdict_at(k, dtype, "verdict"), "FAIL") == 0;
		}
		cJSON_ArrayForEach(d, cJSON_GetObjectItemCaseSensitive(k, "dtypes"))
			if (!dtype || strcmp(json_text(d, "dtype"), dtype) == 0)
				count_cases(&c, d, buggy);
	}
	return c;
}

static cJSON *counts_json(const struct counts *c)
{
	cJSON *j = cJSON_CreateObject(), *ci;

	cJSON_AddNumberToObject(j, "buggy_total", c->buggy_total);
	cJSON_AddNumberToObject(j, "buggy_accepted_by_bench", c->buggy_bench);
	cJSON_AddNumberToObject(j, "buggy_caught", c->buggy_caught);
	cJSON_AddNumberToObject(j, "buggy_caught_by_value", c->buggy_caught_value);
	cJSON_AddNumberToObject(j, "control_total", c->control_total);
	cJSON_AddNumberToObject(j, "control_accepted_by_bench", c->control_bench);
	cJSON_AddNumberToObject(j, "control_passed", c->control_passed);
	cJSON_AddNumberToObject(j, "control_flagged", c->control_flagged);
	cJSON_AddNumberToObject(j, "buggy_cases", c->buggy_cases);
	cJSON_AddNumberToObject(j, "buggy_cases_flagged", c->buggy_cases_flagged);
	cJSON_AddNumberToObject(j, "control_cases", c->control_cases);
	cJSON_AddNumberToObject(j, "control_cases_flagged", c->control_cases_flagged);
	cJSON_AddNumberToObject(j, "unknown", c->unknown);
	cJSON_AddNumberToObject(j, "unsupported", c->unsupported);
	cJSON_AddNumberToObject(j, "cases_no_power", c->no_power);
	cJSON_AddNumberToObject(j, "elements_out_of_contract", c->out);
	ci = cJSON_AddObjectToObject(j, "ci95");
	add_ci(ci, "buggy_accepted_by_bench", c->buggy_bench, c->buggy_total);
	add_ci(ci, "buggy_caught", c->buggy_caught, c->buggy_total);
	add_ci(ci, "control_flagged", c->control_flagged, c->control_total);
	add_ci(ci, "buggy_cases_flagged", c->buggy_cases_flagged, c->buggy_cases);
	add_ci(ci, "control_cases_flagged", c->control_cases_flagged, c->control_cases);
	return j;
}

/* How many buggy kernels of the set each profile accepts: on the friendly inputs, on its published ones
 * (and for how many there are such inputs). */
static cJSON *accepted_by_json(const cJSON *evidence, const char *set)
{
	const cJSON *kernels = cJSON_GetObjectItemCaseSensitive(evidence, "kernels"), *p, *k;
	cJSON *j = cJSON_CreateObject();

	cJSON_ArrayForEach(p, cJSON_GetObjectItemCaseSensitive(evidence, "profiles"))
	{
		const char *name = json_text(p, "name"), *own = json_text(p, "published_inputs");
		int friendly = 0, published = 0, total = 0;
		cJSON *a = cJSON_AddObjectToObject(j, name);

		cJSON_ArrayForEach(k, kernels)
		{
			if (!in_set(k, set) || strcmp(json_text(k, "role"), "buggy") != 0)
				continue;
			friendly += accepted(k, "friendly", "f32", name) == 1;
			published += accepted(k, own, "f32", name) == 1;
			total += accepted(k, own, "f32", name) >= 0;
		}
		cJSON_AddNumberToObject(a, "friendly", friendly);
		cJSON_AddNumberToObject(a, "published", published);
		cJSON_AddNumberToObject(a, "published_total", total);
	}
	return j;
}

/* Null kernels that the profile `seed` accepts at every seed on a friendly input of the set. */
static cJSON *nulls_accepted_json(const cJSON *evidence, const char *set)
{
	const cJSON *f, *n;
	cJSON *list = cJSON_CreateArray();

	cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(evidence, "friendly_inputs"))
	{
		/* the set flash contains the set seed */
		if (strcmp(json_text(f, "set"), set) != 0 && strcmp(set, "flash") != 0)
			continue;
		cJSON_ArrayForEach(n, cJSON_GetObjectItemCaseSensitive(f, "nulls"))
			if (number_at(n, "seed") == number_at(f, "seeds")) {
				cJSON *a = cJSON_CreateObject();

				cJSON_AddStringToObject(a, "operator", json_text(f, "operator"));
				cJSON_AddStringToObject(a, "case", json_text(f, "case"));
				cJSON_AddStringToObject(a, "null", n->string);
				cJSON_AddItemToArray(list, a);
			}
	}
	return list;
}

void evidence_summary(cJSON *evidence)
{
	static const char *const sets[] = {"seed", "flash"}, *const dtypes[] = {"f32", "f16", "bf16"};
	const cJSON *kernels = cJSON_GetObjectItemCaseSensitive(evidence, "kernels");
	cJSON *summary = cJSON_AddObjectToObject(evidence, "summary");

	for (size_t s = 0; s < ARRAY_LEN(sets); s++) {
		struct counts c = count_set(kernels, sets[s], NULL);
		cJSON *j, *by;

		if (c.buggy_total + c.control_total == 0)
			continue;
		j = counts_json(&c);
		cJSON_AddItemToObject(summary, sets[s], j);
		cJSON_AddItemToObject(j, "buggy_accepted_by", accepted_by_json(evidence, sets[s]));
		cJSON_AddItemToObject(j, "friendly_null_accepted", nulls_accepted_json(evidence, sets[s]));
		by = cJSON_AddObjectToObject(j, "by_dtype");
		for (size_t d = 0; d < ARRAY_LEN(dtypes); d++) {
			struct counts cd = count_set(kernels, sets[s], dtypes[d]);

			if (cd.buggy_cases + cd.control_cases > 0)
				cJSON_AddItemToObject(by, dtypes[d], counts_json(&cd));
		}
	}
}

static void add_policies(cJSON *evidence, const struct unit *units, int nunits)
{
	cJSON *set, *list;

	cJSON_ArrayForEach(set, cJSON_GetObjectItemCaseSensitive(evidence, "summary"))
		if ((list = policies_json(units, nunits, set->string)) != NULL)
			cJSON_AddItemToObject(set, "policies", list);
}

/* ---- the whole ---- */

/* Which table cases are judged by, and how sure it is. */
static void add_tolerance(cJSON *x, const struct tolerance_table *t, struct device *d)
{
	char text[600];

	if (!t || t->n == 0) {
		cJSON_AddStringToObject(x, "name", t ? t->name : "provisional");
		cJSON_AddStringToObject(x, "text", t && strcmp(t->name, "bound") == 0 ? "the deterministic bound, T = L + 5" :
		                                   "T(L) = 6 + L/4, provisional: no table");
		return;
	}
	snprintf(text, sizeof text, "tolerances/%s: %.100s, %s plan, %.10s%s", t->name, t->device_text, t->plan,
	         t->date, tolerance_made_on(t, device_text(d)) ? "" : "; the nearest: this device has none");
	cJSON_AddStringToObject(x, "name", t->name);
	cJSON_AddStringToObject(x, "text", text);
	cJSON_AddStringToObject(x, "sha256", t->sha256);
}

/* The cells that cases were judged by, operator by operator in the order in which they occur. */
static cJSON *cells_json(struct target *const *targets, int n, const struct unit *units, int nunits)
{
	cJSON *list = cJSON_CreateArray();

	for (int i = 0; i < n; i++) {
		const char *op = op_schema(kernel_op(targets[i]->kernel))->name;
		struct unit_runs all = {0};
		bool told = false;

		for (int k = 0; k < i && !told; k++)
			told = strcmp(op, op_schema(kernel_op(targets[k]->kernel))->name) == 0;
		for (int u = 0; u < nunits && !told; u++)
			if (strcmp(op, op_schema(kernel_op(units[u].target->kernel))->name) == 0)
				runs_add_uses(&all, &units[u].runs, kernel_role(units[u].target->kernel));
		runs_cells_json(list, &all, op, targets[i]->table);
		runs_clear(&all);
	}
	return list;
}

/* The driver that the device's text names, or that there is none. */
static const char *driver_of(struct device *d)
{
	const char *at = strstr(device_text(d), "driver ");

	return at ? at + strlen("driver ") : strncmp(device_name(d), "emu", 3) == 0 ? "none: the PTX is run in software" : NULL;
}

static void add_identity(cJSON *j, const struct campaign_options *o, struct device *d,
                         struct target *const *targets, int n, const struct unit *units, int nunits)
{
	static const char commit[] =
#include "commit.inc"
		;
	cJSON *x = cJSON_AddObjectToObject(j, "tool");
	struct buf all = {0};
	char date[32], sha[65];

	cJSON_AddStringToObject(x, "name", "gpuemu");
	cJSON_AddStringToObject(x, "version", gpuemu_version);
	if (commit[0])
		cJSON_AddStringToObject(x, "commit", commit);
	add_text(x, "command", o->argv_text);
	date_text(date);
	cJSON_AddStringToObject(j, "date", date);
	add_hex(j, "seed", o->seed);
	x = cJSON_AddObjectToObject(j, "device");
	cJSON_AddStringToObject(x, "name", device_name(d));
	cJSON_AddStringToObject(x, "text", device_text(d));
	add_text(x, "driver", driver_of(d));
	x = cJSON_AddObjectToObject(j, "tolerance");
	add_tolerance(x, n ? targets[0]->table : NULL, d);
	cJSON_AddItemToObject(x, "cells", cells_json(targets, n, units, nunits));
	for (int i = 0; i < n; i++)
		buf_printf(&all, "%s %s\n", kernel_name(targets[i]->kernel), kernel_sha256(targets[i]->kernel));
	sha256_hex(all.s, all.len, sha);
	buf_free(&all);
	x = cJSON_AddObjectToObject(j, "corpus");
	cJSON_AddStringToObject(x, "sha256", sha);
	cJSON_AddNumberToObject(x, "kernels", n);
	x = cJSON_AddObjectToObject(j, "options");
	cJSON_AddNumberToObject(x, "cases", o->cases);
	cJSON_AddNumberToObject(x, "jobs", o->jobs);
	cJSON_AddNumberToObject(x, "seconds", o->seconds);
	cJSON_AddBoolToObject(x, "sanitize", o->sanitize);
	cJSON_AddBoolToObject(x, "big", o->big);
}

/* Kernels' objects are made by workers: lint takes a part of a second each. */
struct kernel_objects {
	const struct campaign_options *o;
	const struct device *device;
	struct target *const *targets;
	const struct unit *units;
	int nunits;
	cJSON **out;
};

static void make_kernel_object(void *ctx, size_t i, int worker)
{
	const struct kernel_objects *k = ctx;

	(void)worker;
	k->out[i] = kernel_json(k->o, k->device, k->targets[i], k->units, k->nunits);
}

static cJSON *kernels_json(const struct campaign_options *o, const struct device *d, struct target *const *targets, int n,
                           const struct unit *units, int nunits)
{
	struct kernel_objects k = {o, d, targets, units, nunits, mem_zalloc((size_t)n + 1, sizeof *k.out)};
	cJSON *list = cJSON_CreateArray();

	pool_run(o->jobs, (size_t)n, make_kernel_object, NULL, &k);
	for (int i = 0; i < n; i++)
		cJSON_AddItemToArray(list, k.out[i]);
	free(k.out);
	return list;
}

enum st evidence_make(const struct campaign_options *o, struct device *d,
                      struct target *const *targets, int n, struct unit *units, int nunits,
                      double seconds, double cases_run, cJSON **out, struct err *e)
{
	cJSON *j = cJSON_CreateObject(), *kernels, *friendly = NULL;
	char *path = path_join(o->out_dir, "evidence.json");
	double start = clock_seconds();
	enum st rc = ST_OK;

	cJSON_AddStringToObject(j, "schema", "gpuemu-evidence/1");
	add_identity(j, o, d, targets, n, units, nunits);
	cJSON_AddNumberToObject(j, "seconds", seconds);
	cJSON_AddNumberToObject(j, "cases_per_s", seconds > 0 ? cases_run / seconds : 0);
	kernels = kernels_json(o, d, targets, n, units, nunits);
	cJSON_AddItemToObject(j, "kernels", kernels);
	if (cJSON_GetArraySize(o->left_out) > 0)
		cJSON_AddItemToObject(j, "left_out", cJSON_Duplicate(o->left_out, true));
	if (o->bench)
		TRY_OR(done, rc, bench_run(o, targets, n, kernels, &friendly, e));
	cJSON_AddNumberToObject(j, "bench_seconds", o->bench ? clock_seconds() - start : 0);
	cJSON_AddItemToObject(j, "profiles", o->bench ? bench_profiles_json() : cJSON_CreateArray());
	cJSON_AddItemToObject(j, "friendly_inputs", friendly ? friendly : cJSON_CreateArray());
	friendly = NULL;
	evidence_summary(j);
	add_policies(j, units, nunits);
	cJSON_AddItemToObject(j, "words", words_json(targets, n));
	TRY_OR(done, rc, json_write(path, j, e));
	*out = j;
	j = NULL;
done:
	cJSON_Delete(friendly);
	cJSON_Delete(j);
	free(path);
	return rc;
}
