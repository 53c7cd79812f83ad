/* diff.c - see diff.h. */
#include "validate/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *diff_name(enum diff_class c)
{
	static const char *const names[] = {
#define X(name, text) text,
		DIFF_LIST(X)
#undef X
	};

	return names[c];
}

static enum diff_class classify(enum dtype dt, uint64_t a, uint64_t b)
{
	double x, y;

	if (!dtype_is_float(dt))
		return DIFF_VALUE;
	x = dtype_decode(dt, a);
	y = dtype_decode(dt, b);
	if (isnan(x) && isnan(y))
		return DIFF_NAN_PAYLOAD;
	if (!isfinite(x) || !isfinite(y))
		return DIFF_CLASS;
	return x == 0 && y == 0 ? DIFF_ZERO_SIGN : DIFF_VALUE;
}

static void add_difference(struct diff *d, const char *name, enum dtype dt, int64_t i, uint64_t a,
                           uint64_t b)
{
	enum diff_class c = classify(dt, a, b);
	uint64_t ulps = dtype_ulp_diff(dt, a, b);

	if (diff_identical(d)) {
		snprintf(d->tensor, sizeof d->tensor, "%s", name);
		d->dt = dt;
		d->element = i;
		d->a = a;
		d->b = b;
		d->first = c;
	}
	d->different++;
	d->classes[c]++;
	if (c == DIFF_VALUE && ulps > d->ulp_max)
		d->ulp_max = ulps;
}

void diff_add(struct diff *d, const char *name, enum dtype dt, const uint64_t *a, const uint64_t *b,
              int64_t n)
{
	d->elements += n;
	for (int64_t i = 0; i < n; i++)
		if (a[i] != b[i])
			add_difference(d, name, dt, i, a[i], b[i]);
}

void diff_merge(struct diff *d, const struct diff *more)
{
	struct diff first = diff_identical(d) ? *more : *d;

	first.elements = d->elements + more->elements;
	first.different = d->different + more->different;
	for (int c = 0; c < DIFF_COUNT; c++)
		first.classes[c] = d->classes[c] + more->classes[c];
	first.ulp_max = d->ulp_max > more->ulp_max ? d->ulp_max : more->ulp_max;
	*d = first;
}

bool diff_identical(const struct diff *d)
{
	return d->different == 0 && d->classes[DIFF_RUN] == 0;
}

void diff_totals_json(const struct diff *d, cJSON *j)
{
	cJSON *classes;

	cJSON_AddNumberToObject(j, "elements", (double)d->elements);
	cJSON_AddNumberToObject(j, "elements_different", (double)d->different);
	cJSON_AddNumberToObject(j, "ulp_max", (double)d->ulp_max);
	classes = cJSON_AddObjectToObject(j, "classes");
	for (int c = 0; c < DIFF_COUNT; c++)
		cJSON_AddNumberToObject(classes, diff_name((enum diff_class)c), (double)d->classes[c]);
}

/* Bits in hexadecimal, and the value as text, for JSON has neither NaN nor infinity. */
static void add_encoding(cJSON *j, const char *bits_key, const char *value_key, enum dtype dt,
                         uint64_t bits)
{
	char text[32];

	snprintf(text, sizeof text, "0x%0*llx", 2 * dtype_bytes(dt), (unsigned long long)bits);
	cJSON_AddStringToObject(j, bits_key, text);
	snprintf(text, sizeof text, "%.*g", dt == DT_F64 ? 17 : 9, dtype_decode(dt, bits));
	cJSON_AddStringToObject(j, value_key, text);
}

cJSON *diff_first_json(const struct diff *d)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "class", diff_name(d->first));
	if (d->first == DIFF_RUN)
		return j;
	cJSON_AddStringToObject(j, "tensor", d->tensor);
	cJSON_AddStringToObject(j, "dtype", dtype_name(d->dt));
	cJSON_AddNumberToObject(j, "element", (double)d->element);
	add_encoding(j, "a_bits", "a", d->dt, d->a);
	add_encoding(j, "b_bits", "b", d->dt, d->b);
	if (d->first == DIFF_VALUE)
		cJSON_AddNumberToObject(j, "ulps", (double)dtype_ulp_diff(d->dt, d->a, d->b));
	return j;
}
