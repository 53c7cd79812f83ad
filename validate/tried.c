/* tried.c - see tried.h. */
#include "validate/tried.h"

#include <stdio.h>
#include <string.h>

static void widen(struct tried *t, const int64_t *lo, const int64_t *hi)
{
	for (int i = 0; i < t->schema->ndims; i++) {
		t->lo[i] = lo[i] < t->lo[i] ? lo[i] : t->lo[i];
		t->hi[i] = hi[i] > t->hi[i] ? hi[i] : t->hi[i];
	}
}

static void begin(struct tried *t, const struct op_schema *schema, const int64_t *lo, const int64_t *hi)
{
	if (!t->schema) {
		t->schema = schema;
		memcpy(t->lo, lo, sizeof t->lo);
		memcpy(t->hi, hi, sizeof t->hi);
	}
	widen(t, lo, hi);
}

static struct tried_class *class_of(struct tried *t, const char *name, bool layout)
{
	for (int i = 0; i < t->n; i++)
		if (t->class[i].layout == layout && strcmp(t->class[i].name, name) == 0)
			return &t->class[i];
	if (t->n == TRIED_MAX)
		return NULL;
	snprintf(t->class[t->n].name, sizeof t->class[0].name, "%s", name);
	t->class[t->n].layout = layout;
	return &t->class[t->n++];
}

/* Each class of a case counts once, however many of its tensors have it: those before k do not. */
static bool met_before(const struct kase *c, int k, bool layout)
{
	for (int i = 0; i < k; i++)
		if (c->b.present[i] && (layout ? strcmp(c->layout[i].name, c->layout[k].name) == 0 :
		                                 strcmp(c->values[i].name, c->values[k].name) == 0))
			return true;
	return false;
}

static void add_class(struct tried *t, const char *name, bool layout, int64_t cases)
{
	struct tried_class *at = class_of(t, name, layout);

	if (at)
		at->cases += cases;
}

void tried_add(struct tried *t, const struct kase *c)
{
	const struct op_schema *o = op_schema(c->op);

	begin(t, o, c->b.dims, c->b.dims);
	for (int k = 0; k < o->ntensors; k++) {
		if (!c->b.present[k])
			continue;
		if (!met_before(c, k, true))
			add_class(t, c->layout[k].name, true, 1);
		if (k < o->nin && !met_before(c, k, false))
			add_class(t, c->values[k].name, false, 1);
	}
}

void tried_merge(struct tried *t, const struct tried *from)
{
	if (!from->schema)
		return;
	begin(t, from->schema, from->lo, from->hi);
	for (int i = 0; i < from->n; i++)
		add_class(t, from->class[i].name, from->class[i].layout, from->class[i].cases);
}

cJSON *tried_json(const struct tried *t)
{
	cJSON *j = cJSON_CreateObject(), *sizes = cJSON_AddObjectToObject(j, "sizes"),
	      *layouts = cJSON_AddObjectToObject(j, "layouts"), *values = cJSON_AddObjectToObject(j, "values");

	for (int i = 0; t->schema && i < t->schema->ndims; i++) {
		cJSON *range;

		if (t->schema->dims[i].derived)
			continue;
		range = cJSON_AddArrayToObject(sizes, t->schema->dims[i].name);
		cJSON_AddItemToArray(range, cJSON_CreateNumber((double)t->lo[i]));
		cJSON_AddItemToArray(range, cJSON_CreateNumber((double)t->hi[i]));
	}
	for (int i = 0; i < t->n; i++)
		cJSON_AddNumberToObject(t->class[i].layout ? layouts : values, t->class[i].name,
		                        (double)t->class[i].cases);
	return j;
}
