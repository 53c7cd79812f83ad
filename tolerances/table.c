/* table.c - tolerance tables as JSON: reading, writing, finding a cell. */
#include "tolerances/tolerances.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA    "gpuemu-tolerances/1"
#define MAX_FILE  ((size_t)64 << 20)
#define MAX_CELLS 100000

double fit_per_op(const struct numerics *n)
{
	return n->tensor_cores ? 2 : 1;
}

void tolerance_family(const struct numerics *n, char out[128])
{
	int at = snprintf(out, 128, "%s%s%s", dtype_name(n->acc), n->ftz ? " ftz" : "",
	                  n->tensor_cores ? " tensor" : "");

	for (int i = 0; i < n->nlow && at < 127; i++)
		at += snprintf(out + at, 128 - (size_t)at, " %s:%s", n->low[i].name, dtype_name(n->low[i].dt));
}

/* ---- fields ---- */

#define TEXT(type, key, member) {key, offsetof(type, member), sizeof(((type *)0)->member)}
struct text_field {
	const char *key;
	size_t at, size;
};
static const struct text_field table_texts[] = {
	TEXT(struct tolerance_table, "device", device),
	TEXT(struct tolerance_table, "device_text", device_text),
	TEXT(struct tolerance_table, "date", date),
	TEXT(struct tolerance_table, "command", command),
	TEXT(struct tolerance_table, "plan", plan),
	TEXT(struct tolerance_table, "tool", tool),
	TEXT(struct tolerance_table, "seed", seed),
	TEXT(struct tolerance_table, "carried", carried),
};
static const struct text_field cell_texts[] = {
	TEXT(struct tolerance_cell, "op", op),
	TEXT(struct tolerance_cell, "types", types),
	TEXT(struct tolerance_cell, "family", family),
	TEXT(struct tolerance_cell, "group", group),
	TEXT(struct tolerance_cell, "tier", tier),
	TEXT(struct tolerance_cell, "kernels", kernels),
	TEXT(struct tolerance_cell, "worst_case", worst_case),
	TEXT(struct tolerance_cell, "reason", fit.reason),
	TEXT(struct tolerance_cell, "plan", plan),
	TEXT(struct tolerance_cell, "carried", carried),
};

#define NUMBER(key, member) {key, offsetof(struct tolerance_cell, member)}
static const struct {
	const char *key;
	size_t at;
} numbers[] = {
	NUMBER("t", fit.t),
	NUMBER("slope", fit.chain.used),
	NUMBER("slope_lo", fit.chain.lo),
	NUMBER("slope_hi", fit.chain.hi),
	NUMBER("elements_slope", fit.elements.used),
	NUMBER("elements_slope_lo", fit.elements.lo),
	NUMBER("elements_slope_hi", fit.elements.hi),
	NUMBER("middle_slope", fit.middle_slope),
	NUMBER("tau", fit.tau),
	NUMBER("chain_lo", fit.chain_lo),
	NUMBER("chain_hi", fit.chain_hi),
	NUMBER("elements_lo", fit.elements_lo),
	NUMBER("elements_hi", fit.elements_hi),
	NUMBER("coverage", fit.options.coverage),
	NUMBER("confidence", fit.options.conf),
	NUMBER("exceed", fit.options.exceed),
	NUMBER("knee", fit.options.knee),
	NUMBER("per_op", fit.options.per_op),
	NUMBER("extra", fit.options.extra),
	NUMBER("u", fit.options.u),
	NUMBER("narrow", fit.options.narrow),
	NUMBER("median", fit.median),
	NUMBER("max", fit.max),
	NUMBER("order_limit", fit.order_limit),
	NUMBER("xi", fit.xi),
	NUMBER("xi_hi", fit.xi_hi),
	NUMBER("level", fit.level),
	NUMBER("level_hi", fit.level_hi),
	NUMBER("shape_p", fit.shape_p),
	NUMBER("tail", fit.tail),
	NUMBER("tail_hi", fit.tail_hi),
	NUMBER("margin", fit.margin),
	NUMBER("serial_rho", fit.serial_rho),
	NUMBER("serial_p", fit.serial_p),
	NUMBER("location_p", fit.location_p),
	NUMBER("tail_p", fit.tail_p),
	NUMBER("spread", fit.spread),
	NUMBER("attained", fit.attained),
	NUMBER("tightness", fit.tightness),
	NUMBER("over_median", fit.over_median),
	NUMBER("heldout", heldout),
	NUMBER("heldout_over", heldout_over),
	NUMBER("kernels_out", kernels_out),
	NUMBER("kernels_out_over", kernels_out_over),
	NUMBER("sizes_out", sizes_out),
	NUMBER("sizes_out_over", sizes_out_over),
	NUMBER("nulls_rejected", nulls_rejected),
	NUMBER("power_half", power[0]),
	NUMBER("power_1", power[1]),
	NUMBER("power_2", power[2]),
	NUMBER("power_4", power[3]),
	NUMBER("power_10", power[4]),
	NUMBER("atol", atol),
	NUMBER("rtol", rtol),
};

static double *number_of(struct tolerance_cell *c, size_t i)
{
	return (double *)((char *)c + numbers[i].at);
}

/* ---- writing ---- */

static void put_texts(cJSON *j, const void *from, const struct text_field *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *s = (const char *)from + f[i].at;

		if (*s)
			cJSON_AddStringToObject(j, f[i].key, s);
	}
}

/* Nine digits: a table is read by people, and envelopes have three. Powers of two (u) stay as they are. */
static double shorten(double v)
{
	char s[40];
	int k;

	if (fabs(frexp(v, &k)) == 0.5)
		return v;
	snprintf(s, sizeof s, "%.9g", v);
	return strtod(s, NULL);
}

static cJSON *cell_json(const struct tolerance_cell *c)
{
	cJSON *j = cJSON_CreateObject();

	put_texts(j, c, cell_texts, ARRAY_LEN(cell_texts));
	cJSON_AddStringToObject(j, "state", fit_state_name(c->fit.state));
	cJSON_AddNumberToObject(j, "runs", (double)c->fit.runs);
	cJSON_AddNumberToObject(j, "used", (double)c->fit.used);
	cJSON_AddNumberToObject(j, "zeros", (double)c->fit.zeros);
	cJSON_AddNumberToObject(j, "peaks", (double)c->fit.peaks);
	cJSON_AddStringToObject(j, "law", fit_law_name(c->fit.law));
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		double v = *(const double *)((const char *)c + numbers[i].at);

		if (isfinite(v))
			cJSON_AddNumberToObject(j, numbers[i].key, shorten(v));
	}
	return j;
}

enum st tolerance_write(const struct tolerance_table *t, const char *path, struct err *e)
{
	cJSON *j = cJSON_CreateObject(), *cells;
	enum st rc;

	cJSON_AddStringToObject(j, "schema", SCHEMA);
	put_texts(j, t, table_texts, ARRAY_LEN(table_texts));
	cells = cJSON_AddArrayToObject(j, "cells");
	for (size_t i = 0; i < t->n; i++)
		cJSON_AddItemToArray(cells, cell_json(&t->cell[i]));
	rc = json_write(path, j, e);
	cJSON_Delete(j);
	return rc;
}

/* "a; b" or "a and b" in place of a, cut where it has no room; a that says b already stays. */
static void append(char *a, size_t size, const char *between, const char *b)
{
	size_t n = strlen(a), m = strlen(between);

	if (strstr(a, b) || n + m + 1 >= size)
		return;
	memcpy(a + n, between, m + 1);
	n += m;
	snprintf(a + n, size - n, "%.*s", (int)(size - n - 1), b);
}

/* A cell that leaves its table takes along what the table said for all. */
static void add_cell(struct tolerance_table *to, const struct tolerance_table *from, const struct tolerance_cell *c)
{
	struct tolerance_cell *n = &to->cell[to->n++];

	*n = *c;
	if (!n->plan[0])
		memcpy(n->plan, from->plan, sizeof n->plan);
	if (!n->carried[0])
		memcpy(n->carried, from->carried, sizeof n->carried);
}

enum st tolerance_merge(const struct tolerance_table *a, const struct tolerance_table *b, bool replace,
                        struct tolerance_table **out, struct err *e)
{
	struct tolerance_table *t;

	if (strcmp(a->device_text, b->device_text) != 0)
		return FAIL(e, INPUT, "tables of different devices: %s and %s", a->device_text, b->device_text);
	for (size_t i = 0; i < b->n && !replace; i++) {
		const struct tolerance_cell *c = &b->cell[i];

		if (tolerance_find(a, c->op, c->types, c->family, c->group))
			return FAIL(e, INPUT, "both tables have the cell %s %s, %s, %s; with --replace the second's stand",
			            c->op, c->types, c->family, c->group);
	}
	t = mem_alloc(sizeof *t);
	*t = *a;
	append(t->command, sizeof t->command, "; ", b->command);
	append(t->plan, sizeof t->plan, " and ", b->plan);
	if (strcmp(a->date, b->date) < 0)
		memcpy(t->date, b->date, sizeof t->date);
	t->carried[0] = 0;
	t->cell = mem_alloc((a->n + b->n) * sizeof *t->cell);
	t->n = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct tolerance_cell *c = &a->cell[i], *other = tolerance_find(b, c->op, c->types, c->family, c->group);

		add_cell(t, other ? b : a, other ? other : c);
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct tolerance_cell *c = &b->cell[i];

		if (!tolerance_find(a, c->op, c->types, c->family, c->group))
			add_cell(t, b, c);
	}
	*out = t;
	return ST_OK;
}

/* ---- reading ---- */

static enum st take_texts(const cJSON *j, void *to, const struct text_field *f, size_t n, const char *where,
                          struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, f[i].key);

		if (!v)
			continue;
		if (!cJSON_IsString(v) || strlen(v->valuestring) >= f[i].size)
			return FAIL(e, INPUT, "%s.%s: a text of less than %zu bytes is expected", where, f[i].key,
			            f[i].size);
		memcpy((char *)to + f[i].at, v->valuestring, strlen(v->valuestring) + 1);
	}
	return ST_OK;
}

static enum st check_cell(const struct tolerance_cell *c, const char *where, struct err *e)
{
	const struct cell_fit *f = &c->fit;

	if (!c->op[0] || !c->types[0] || !c->family[0] || !c->group[0])
		return FAIL(e, INPUT, "%s: op, types, family and group must be there", where);
	if (!(f->t >= 0) || !(f->chain.used >= 0 && f->chain.used <= 1) ||
	    !(f->elements.used >= 0 && f->elements.used <= 1) || !(f->options.u > 0 && f->options.u < 1) ||
	    !(f->options.knee >= 1) || !(f->options.per_op > 0) || !(f->options.extra >= 0) || !(f->options.narrow >= 0) ||
	    !(f->options.exceed > 0 && f->options.exceed < 1))
		return FAIL(e, INPUT, "%s: t >= 0, slopes in [0,1], 0 < u < 1, knee >= 1, per_op > 0, extra >= 0, narrow >= 0 and 0 < exceed < 1 "
		            "must hold", where);
	if ((f->state == FIT_ENVELOPE || f->state == FIT_LOOSE) && !(f->elements_lo >= 1 && f->chain_hi >= 1))
		return FAIL(e, INPUT, "%s: elements_lo and chain_hi must be at least 1", where);
	return ST_OK;
}

static size_t count_at(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble < 1e12 ? (size_t)v->valuedouble : 0;
}

static enum st read_cell(const cJSON *j, struct tolerance_cell *c, const char *where, struct err *e)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, "state");
	int state = -1;

	if (!cJSON_IsObject(j))
		return FAIL(e, INPUT, "%s: an object is expected", where);
	TRY(take_texts(j, c, cell_texts, ARRAY_LEN(cell_texts), where, e));
	for (int i = FIT_ENVELOPE; i <= FIT_REFUSED && cJSON_IsString(v); i++)
		if (strcmp(v->valuestring, fit_state_name((enum fit_state)i)) == 0)
			state = i;
	if (state < 0)
		return FAIL(e, INPUT, "%s.state: envelope, exact, loose or refused is expected", where);
	c->fit.state = (enum fit_state)state;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		v = cJSON_GetObjectItemCaseSensitive(j, numbers[i].key);
		if (v && !cJSON_IsNumber(v))
			return FAIL(e, INPUT, "%s.%s: a number is expected", where, numbers[i].key);
		if (v)
			*number_of(c, i) = v->valuedouble;
	}
	c->fit.runs = count_at(j, "runs");
	c->fit.used = count_at(j, "used");
	c->fit.zeros = count_at(j, "zeros");
	c->fit.peaks = count_at(j, "peaks");
	v = cJSON_GetObjectItemCaseSensitive(j, "law");
	for (int i = FIT_LAW_LINEAR; i <= FIT_LAW_POWER && cJSON_IsString(v); i++)
		if (strcmp(v->valuestring, fit_law_name((enum fit_law)i)) == 0)
			c->fit.law = (enum fit_law)i;
	return check_cell(c, where, e);
}

static void name_of(const char *path, char out[64])
{
	const char *base = path_base(path);
	size_t n = strlen(base);

	if (n > 5 && strcmp(base + n - 5, ".json") == 0)
		n -= 5;
	snprintf(out, 64, "%.*s", (int)n, base);
}

static enum st from_json(const cJSON *j, const char *path, struct tolerance_table **out, struct err *e)
{
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(j, "schema"), *one,
	            *cells = cJSON_GetObjectItemCaseSensitive(j, "cells");
	struct tolerance_table *t;
	enum st rc;

	if (!cJSON_IsString(schema) || strcmp(schema->valuestring, SCHEMA) != 0 || !cJSON_IsArray(cells))
		return FAIL(e, INPUT, "%s: no tolerance table (schema %s with an array cells); `gpuemu calibrate` "
		            "makes one", path, SCHEMA);
	if (cJSON_GetArraySize(cells) > MAX_CELLS)
		return FAIL(e, LIMIT, "%s: more than %d cells", path, MAX_CELLS);
	t = mem_zalloc(1, sizeof *t);
	name_of(path, t->name);
	t->cell = mem_zalloc((size_t)cJSON_GetArraySize(cells) + 1, sizeof *t->cell);
	TRY_OR(done, rc, take_texts(j, t, table_texts, ARRAY_LEN(table_texts), path, e));
	cJSON_ArrayForEach(one, cells) {
		char where[400];

		snprintf(where, sizeof where, "%.300s: cells[%zu]", path, t->n);
		TRY_OR(done, rc, read_cell(one, &t->cell[t->n], where, e));
		t->n++;
	}
	*out = t;
	t = NULL;
done:
	tolerance_free(t);
	return rc;
}

enum st tolerance_read(const char *path, struct tolerance_table **out, struct err *e)
{
	char *text = NULL;
	cJSON *j = NULL;
	size_t len;
	enum st rc;

	TRY(file_read(path, MAX_FILE, &text, &len, e));
	TRY_OR(done, rc, json_parse(path, text, len, &j, e));
	TRY_OR(done, rc, from_json(j, path, out, e));
	sha256_hex(text, len, (*out)->sha256);
done:
	cJSON_Delete(j);
	free(text);
	return rc;
}

void tolerance_free(struct tolerance_table *t)
{
	if (t)
		free(t->cell);
	free(t);
}

/* ---- shipped tables ---- */

static const struct {
	const char *name, *text;
} texts[] = {
#include "tolerances.inc"
	{NULL, NULL},
};
static struct tolerance_table *parsed[ARRAY_LEN(texts)];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A table that does not read is a mistake of the build, found by the first test. */
static void parse_all(void)
{
	for (size_t i = 0; texts[i].name; i++) {
		struct err e = {0};
		cJSON *j = NULL;

		if (json_parse(texts[i].name, texts[i].text, strlen(texts[i].text), &j, &e) != ST_OK ||
		    from_json(j, texts[i].name, &parsed[i], &e) != ST_OK) {
			fprintf(stderr, "gpuemu: embedded tolerance table: %s\n", e.msg);
			abort();
		}
		sha256_hex(texts[i].text, strlen(texts[i].text), parsed[i]->sha256);
		cJSON_Delete(j);
	}
}

__attribute__((destructor)) static void free_all(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		tolerance_free(parsed[i]);
}

const char *tolerance_builtin_name(int i)
{
	return i >= 0 && i < (int)ARRAY_LEN(texts) ? texts[i].name : NULL;
}

/* Without cells: T(L) = 6 + L/4, and the deterministic bound of every family. */
static const struct tolerance_table special[] = {
	{.name = "provisional", .device_text = "any device", .plan = "no"},
	{.name = "bound", .device_text = "any device", .plan = "no"},
};

static struct envelope without_cell(const struct tolerance_table *t, const struct numerics *n, double chain)
{
	struct fit_options o = fit_options_of(&fit_plans[0], dtype_u(n->acc));

	o.per_op = fit_per_op(n);
	if (t != &special[1])
		return envelope_provisional(chain);
	return (struct envelope){.T = fit_bound(&o, chain) + 1, .name = "bound"};
}

const struct tolerance_table *tolerance_builtin(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(special); i++)
		if (strcmp(special[i].name, name) == 0)
			return &special[i];
	pthread_once(&once, parse_all);
	for (size_t i = 0; texts[i].name; i++)
		if (strcmp(texts[i].name, name) == 0)
			return parsed[i];
	return NULL;
}

bool tolerance_made_on(const struct tolerance_table *t, const char *device_text)
{
	size_t n = strcspn(t->device_text, ",");

	return n == strcspn(device_text, ",") && strncmp(t->device_text, device_text, n) == 0;
}

const struct tolerance_table *tolerance_of_device(const char *device_text)
{
	pthread_once(&once, parse_all);
	for (size_t i = 0; texts[i].name; i++)
		if (tolerance_made_on(parsed[i], device_text))
			return parsed[i];
	return parsed[0];
}

/* ---- finding ---- */

const struct tolerance_cell *tolerance_find(const struct tolerance_table *t, const char *op,
                                            const char *types, const char *family, const char *group)
{
	for (size_t i = 0; t && i < t->n; i++) {
		const struct tolerance_cell *c = &t->cell[i];

		if (strcmp(c->op, op) == 0 && strcmp(c->types, types) == 0 && strcmp(c->family, family) == 0 &&
		    (!group || strcmp(c->group, group) == 0))
			return c;
	}
	return NULL;
}

double tolerance_cell_limit(const struct tolerance_cell *c, double chain, double elements, enum fit_source *source)
{
	/* truncations have no mean of 0, whatever the data */
	bool apart = c->fit.options.per_op <= 1 && (strcmp(c->group, "mixed") == 0 || strcmp(c->group, "wide") == 0 ||
	                                            strcmp(c->group, "same") == 0);
	double T, bound = fit_fallback(&c->fit.options, chain, elements, !apart);

	if (source)
		*source = FIT_BY_BOUND;
	if (c->fit.state == FIT_REFUSED)
		return bound;
	T = cell_fit_limit(&c->fit, chain, elements, source);
	if (c->fit.state == FIT_LOOSE && bound <= T) {
		if (source)
			*source = FIT_BY_BOUND;
		return bound;
	}
	/* that no run erred does not show that none may: S counts a rounding at least, where the contract is not exact */
	return c->fit.state == FIT_EXACT && strcmp(c->tier, "exact") != 0 ? T + 1 : T;
}

static struct envelope of_cell(const struct tolerance_table *t, const struct tolerance_cell *c, double chain,
                               double elements)
{
	enum fit_source s;
	struct envelope v = {.T = tolerance_cell_limit(c, chain, elements, &s)};
	const char *how[] = {"", ", bound", ", bound: L beyond the fit"};

	snprintf(v.name, sizeof v.name, "%.20s %.8s%.32s", t->name, c->group,
	         c->fit.state == FIT_REFUSED                        ? ", bound: cell refused"
	         : c->fit.state == FIT_LOOSE && s == FIT_BY_ENVELOPE ? ", loose"
	                                                             : how[s]);
	return v;
}

struct envelope tolerance_envelope(const struct tolerance_table *t, const char *op, const char *types,
                                   const struct numerics *n, const char *group, double chain,
                                   double elements)
{
	struct envelope most = {.T = -1};
	char family[128];

	tolerance_family(n, family);
	for (size_t i = 0; t && i < t->n; i++) {
		const struct tolerance_cell *c = &t->cell[i];
		struct envelope v;

		if (strcmp(c->op, op) != 0 || strcmp(c->types, types) != 0 || strcmp(c->family, family) != 0 ||
		    (group && strcmp(c->group, "all") != 0 && strcmp(c->group, group) != 0))
			continue;
		v = of_cell(t, c, chain, elements);
		if (v.T > most.T)
			most = v;
	}
	return most.T < 0 ? without_cell(t, n, chain) : most;
}
