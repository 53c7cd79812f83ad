/* runs.c - see runs.h. */
#include "validate/runs.h"
#include "validate/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATIO_LOW  (-24) /* octaves of r/T: what is smaller lies with these */
#define RATIO_HIGH 12

void runs_clear(struct unit_runs *u)
{
	free(u->point);
	free(u->use);
	free(u->worst_case);
	*u = (struct unit_runs){0};
}

double run_ratio(double r, double T)
{
	return T > 0 ? r / T : r > 0 ? INFINITY : 0;
}

/* Half octaves of a positive number; by exact operations, for the record must not depend on a libm. */
static int half_octave(double v)
{
	int e;
	double m = frexp(v, &e);

	return 2 * e + (m * m >= 0.5);
}

static int ratio_octave(double q)
{
	int e;

	if (q == 0)
		return RATIO_LOW - 1;
	if (isinf(q))
		return RATIO_HIGH + 1;
	frexp(q, &e);
	return e < RATIO_LOW ? RATIO_LOW : e > RATIO_HIGH ? RATIO_HIGH : e;
}

static void add_point(struct unit_runs *u, double L, double T, double r, bool failed)
{
	int at_L = half_octave(L), at_q = ratio_octave(run_ratio(r, T));
	size_t i = 0;

	while (i < u->npoints && (u->point[i].at_L != at_L || u->point[i].at_q != at_q || u->point[i].failed != failed))
		i++;
	if (i == u->npoints) {
		if (i == u->point_cap) {
			u->point_cap = i ? 2 * i : 32;
			u->point = mem_realloc(u->point, u->point_cap * sizeof *u->point);
		}
		u->point[u->npoints++] = (struct run_point){L, T, r, 1, failed, at_L, at_q};
		return;
	}
	u->point[i].cases++;
	if (run_ratio(r, T) > run_ratio(u->point[i].r, u->point[i].T)) {
		u->point[i].L = L;
		u->point[i].T = T;
		u->point[i].r = r;
	}
}

static struct envelope_use *find_use(struct unit_runs *u, const char *types, const char *family, const char *name)
{
	for (size_t i = 0; i < u->nuses; i++)
		if (strcmp(u->use[i].types, types) == 0 && strcmp(u->use[i].family, family) == 0 &&
		    strcmp(u->use[i].name, name) == 0)
			return &u->use[i];
	return NULL;
}

static void merge_use(struct unit_runs *u, const struct envelope_use *x)
{
	struct envelope_use *to = find_use(u, x->types, x->family, x->name);

	if (!to) {
		u->use = mem_realloc(u->use, (u->nuses + 1) * sizeof *u->use);
		u->use[u->nuses++] = *x;
		return;
	}
	to->cases += x->cases;
	to->L_lo = fmin(to->L_lo, x->L_lo);
	to->L_hi = fmax(to->L_hi, x->L_hi);
	to->T_lo = fmin(to->T_lo, x->T_lo);
	to->T_hi = fmax(to->T_hi, x->T_hi);
	to->r_over_T = fmax(to->r_over_T, x->r_over_T);
	for (size_t i = 0; i < ARRAY_LEN(to->role_cases); i++) {
		to->role_cases[i] += x->role_cases[i];
		to->role_r_over_T[i] = fmax(to->role_r_over_T[i], x->role_r_over_T[i]);
	}
}

void runs_add_uses(struct unit_runs *all, const struct unit_runs *from, enum kernel_role role)
{
	for (size_t i = 0; i < from->nuses; i++) {
		struct envelope_use x = from->use[i];

		x.role_cases[role] = x.cases;
		x.role_r_over_T[role] = x.r_over_T;
		merge_use(all, &x);
	}
}

static void note_worst(struct unit_runs *u, const cJSON *line, double L, double T, double r)
{
	if (u->worst_case && run_ratio(r, T) <= run_ratio(u->worst_r, u->worst_T))
		return;
	free(u->worst_case);
	u->worst_case = mem_strdup(json_text(line, "case"));
	snprintf(u->worst_envelope, sizeof u->worst_envelope, "%s", json_text(line, "envelope"));
	u->worst_L = L;
	u->worst_T = T;
	u->worst_r = r;
}

void runs_absorb(struct unit_runs *u, const cJSON *line)
{
	const char *value = json_text(line, "value"), *text = json_text(line, "case"), *types = strchr(text, '/');
	bool pass = strcmp(value, "PASS") == 0, fail = strcmp(value, "FAIL") == 0;
	double L = record_number(line, "L"), T = record_number(line, "T"), r = record_number(line, "r");
	struct envelope_use use = {.cases = 1, .L_lo = L, .L_hi = L, .T_lo = T, .T_hi = T};

	if ((!pass && !fail) || !(L > 0) || isinf(L) || !(T >= 0) || !(r >= 0))
		return;
	add_point(u, L, T, r, fail);
	if (types)
		snprintf(use.types, sizeof use.types, "%.*s", (int)strcspn(types + 1, " "), types + 1);
	snprintf(use.family, sizeof use.family, "%s", json_text(line, "family"));
	snprintf(use.name, sizeof use.name, "%s", json_text(line, "envelope"));
	use.r_over_T = pass ? run_ratio(r, T) : 0;
	merge_use(u, &use);
	if (pass)
		note_worst(u, line, L, T, r);
}

/* ---- evidence ---- */

static cJSON *real(double v)
{
	return isfinite(v) ? cJSON_CreateNumber(v) : cJSON_CreateString("inf");
}

cJSON *runs_points_json(const struct unit_runs *u)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < u->npoints; i++) {
		const struct run_point *p = &u->point[i];
		cJSON *x = cJSON_CreateArray();

		cJSON_AddItemToArray(x, real(p->L));
		cJSON_AddItemToArray(x, real(p->T));
		cJSON_AddItemToArray(x, real(p->r));
		cJSON_AddItemToArray(x, cJSON_CreateNumber((double)p->cases));
		cJSON_AddItemToArray(x, cJSON_CreateNumber(p->failed ? (double)p->cases : 0));
		cJSON_AddItemToArray(list, x);
	}
	return list;
}

cJSON *runs_worst_json(const struct unit_runs *u)
{
	cJSON *j;

	if (!u->worst_case)
		return NULL;
	j = cJSON_CreateObject();
	cJSON_AddStringToObject(j, "case", u->worst_case);
	cJSON_AddItemToObject(j, "r", real(u->worst_r));
	cJSON_AddItemToObject(j, "T", real(u->worst_T));
	cJSON_AddItemToObject(j, "L", real(u->worst_L));
	cJSON_AddStringToObject(j, "envelope", u->worst_envelope);
	return j;
}

/* "sm_90 mixed, bound: cell refused" names table, group and how. */
static const struct tolerance_cell *cell_of(const struct tolerance_table *t, const char *op,
                                            const struct envelope_use *u)
{
	size_t n = t ? strlen(t->name) : 0;
	char group[16];

	if (!t || strncmp(u->name, t->name, n) != 0 || u->name[n] != ' ')
		return NULL;
	snprintf(group, sizeof group, "%.*s", (int)strcspn(u->name + n + 1, ","), u->name + n + 1);
	return tolerance_find(t, op, u->types, u->family, group);
}

/* The numbers of T(L, M), by the names that the table has for them (tolerances/fit.h). */
static void add_formula(cJSON *j, const struct cell_fit *f)
{
	cJSON_AddNumberToObject(j, "t", f->t);
	cJSON_AddNumberToObject(j, "slope", f->chain.used);
	cJSON_AddNumberToObject(j, "knee", f->options.knee);
	cJSON_AddNumberToObject(j, "elements_slope", f->elements.used);
	cJSON_AddNumberToObject(j, "elements_lo", f->elements_lo);
	cJSON_AddNumberToObject(j, "chain_lo", f->chain_lo);
	cJSON_AddNumberToObject(j, "chain_hi", f->chain_hi);
	cJSON_AddNumberToObject(j, "narrow", f->options.narrow);
	cJSON_AddNumberToObject(j, "per_op", f->options.per_op);
	cJSON_AddNumberToObject(j, "extra", f->options.extra);
	cJSON_AddNumberToObject(j, "exceed", f->options.exceed);
	cJSON_AddNumberToObject(j, "max", f->max);
	cJSON_AddStringToObject(j, "law", fit_law_name(f->law));
}

static void add_cell(cJSON *j, const struct tolerance_cell *c)
{
	cJSON_AddStringToObject(j, "group", c->group);
	cJSON_AddStringToObject(j, "tier", c->tier);
	cJSON_AddStringToObject(j, "state", fit_state_name(c->fit.state));
	if (c->fit.reason[0])
		cJSON_AddStringToObject(j, "reason", c->fit.reason);
	cJSON_AddNumberToObject(j, "runs", (double)c->fit.runs);
	cJSON_AddNumberToObject(j, "coverage", c->fit.options.coverage);
	cJSON_AddNumberToObject(j, "confidence", c->fit.options.conf);
	cJSON_AddNumberToObject(j, "heldout", c->heldout);
	cJSON_AddNumberToObject(j, "heldout_over", c->heldout_over);
	add_formula(j, &c->fit);
}

/* {"control": {"cases", "r_over_T"}, …} of the roles that used it. */
static cJSON *roles_json(const struct envelope_use *x)
{
	static const char *const names[] = {"user", "control", "buggy"};
	cJSON *j = cJSON_CreateObject(), *role;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!x->role_cases[i])
			continue;
		role = cJSON_AddObjectToObject(j, names[i]);
		cJSON_AddNumberToObject(role, "cases", (double)x->role_cases[i]);
		cJSON_AddItemToObject(role, "r_over_T", real(x->role_r_over_T[i]));
	}
	return j;
}

void runs_cells_json(cJSON *list, const struct unit_runs *u, const char *op, const struct tolerance_table *t)
{
	for (size_t i = 0; i < u->nuses; i++) {
		const struct envelope_use *x = &u->use[i];
		const struct tolerance_cell *c = cell_of(t, op, x);
		cJSON *j = cJSON_CreateObject();

		cJSON_AddStringToObject(j, "op", op);
		cJSON_AddStringToObject(j, "types", x->types);
		cJSON_AddStringToObject(j, "family", x->family);
		cJSON_AddStringToObject(j, "name", x->name);
		if (c)
			add_cell(j, c);
		cJSON_AddNumberToObject(j, "cases", (double)x->cases);
		cJSON_AddItemToObject(j, "L_lo", real(x->L_lo));
		cJSON_AddItemToObject(j, "L_hi", real(x->L_hi));
		cJSON_AddItemToObject(j, "T_lo", real(x->T_lo));
		cJSON_AddItemToObject(j, "T_hi", real(x->T_hi));
		cJSON_AddItemToObject(j, "r_over_T", real(x->r_over_T));
		cJSON_AddItemToObject(j, "by_role", roles_json(x));
		cJSON_AddItemToArray(list, j);
	}
}
