/* metrics.c - see metrics.h. */
#include "report/metrics.h"

#include <stdio.h>
#include <string.h>

#include "report/read.h"

/* What an entry may take more of before it counts as grown. */
static const struct growth {
	const char *list, *key;
	double slack;
} growths[] = {
	{"metrics", "instructions", 0.05}, {"metrics", "registers", 0.05}, {"metrics", "shared_bytes", 0.05}, {"metrics", "local_bytes", 0},
	{"sass", "instructions", 0.05},    {"sass", "registers", 0.05},    {"sass", "shared_bytes", 0.05},    {"sass", "stack_bytes", 0},
	{"sass", "local_loads", 0},        {"sass", "local_stores", 0},
};

static const cJSON *find_entry(const cJSON *list, const char *name)
{
	const cJSON *j;

	cJSON_ArrayForEach(j, list)
		if (strcmp(ev_text(j, "entry"), name) == 0)
			return j;
	return NULL;
}

static const cJSON *own_occupancy(const cJSON *sass)
{
	const cJSON *sm = ev_get(sass, "sm"), *j;

	cJSON_ArrayForEach(j, ev_get(sass, "occupancy"))
		if (cJSON_Compare(ev_get(j, "sm"), sm, true))
			return ev_get(j, "warps");
	return NULL;
}

static int entry_grown(const char *list, const cJSON *was, const cJSON *now, metrics_tell *tell, void *ctx)
{
	const cJSON *old = own_occupancy(was), *new = own_occupancy(now);
	char text[400];
	int n = 0;

	if (cJSON_IsNumber(old) && cJSON_IsNumber(new) && new->valuedouble < old->valuedouble) {
		snprintf(text, sizeof text, "%.200s: occupancy fell from %.0f to %.0f warps", ev_text(now, "entry"), old->valuedouble, new->valuedouble);
		tell(ctx, text);
		n++;
	}
	for (size_t i = 0; i < ARRAY_LEN(growths); i++) {
		if (strcmp(growths[i].list, list) != 0)
			continue;
		old = ev_get(was, growths[i].key);
		new = ev_get(now, growths[i].key);
		if (!cJSON_IsNumber(old) || !cJSON_IsNumber(new) || new->valuedouble <= old->valuedouble * (1 + growths[i].slack))
			continue;
		snprintf(text, sizeof text, "%.200s: %s grew from %.0f to %.0f%s", ev_text(now, "entry"), growths[i].key, old->valuedouble,
		         new->valuedouble, strcmp(list, "sass") == 0 ? " (machine code)" : "");
		tell(ctx, text);
		n++;
	}
	return n;
}

int metrics_grown(const char *list, const cJSON *was, const cJSON *now, metrics_tell *tell, void *ctx)
{
	const cJSON *m;
	int n = 0;

	cJSON_ArrayForEach(m, now) {
		const cJSON *old = find_entry(was, ev_text(m, "entry"));

		n += old ? entry_grown(list, old, m, tell, ctx) : 0;
	}
	return n;
}

/* Entries of a kernel that take more than `most`; *known counts those that have the metric at all. */
static int over_budget(const cJSON *kernel, const char *key, double most, int *known, metrics_tell *tell, void *ctx)
{
	const cJSON *list = ev_get(kernel, "sass") ? ev_get(kernel, "sass") : ev_get(kernel, "metrics"), *m;
	char text[1000];
	int n = 0;

	cJSON_ArrayForEach(m, list) {
		const cJSON *v = ev_get(m, key);

		*known += cJSON_IsNumber(v);
		if (!cJSON_IsNumber(v) || v->valuedouble <= most)
			continue;
		snprintf(text, sizeof text, "%.500s %.200s: %s is %.0f, the budget is %g", ev_text(kernel, "name"), ev_text(m, "entry"), key, v->valuedouble,
		         most);
		tell(ctx, text);
		n++;
	}
	return n;
}

enum st metrics_budget(const char *budget, const cJSON *kernels, metrics_tell *tell, void *ctx, int *over, struct err *e)
{
	const cJSON *k;

	*over = 0;
	for (const char *s = budget + strspn(budget, " ,"); *s; s += strspn(s, " ,")) {
		char key[32] = "";
		double most = 0;
		int n = 0, known = 0;

		if (sscanf(s, "%31[a-z0-9_]=%lf%n", key, &most, &n) != 2 || (s[n] && !strchr(" ,", s[n])))
			return FAIL(e, INPUT, "--budget takes NAME=NUMBER of the metrics in lint --json, not '%.40s'", s);
		cJSON_ArrayForEach(k, kernels)
			*over += over_budget(k, key, most, &known, tell, ctx);
		if (!known && cJSON_GetArraySize(kernels) > 0)
			return FAIL(e, INPUT, "--budget: no entry has a metric '%s' (see lint --json; of machine code with --sass)", key);
		s += n;
	}
	return ST_OK;
}
