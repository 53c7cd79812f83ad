/* words.c - see words.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audit/words.h"
#include "report/draw/palette.h"

void put_count(struct buf *b, double v)
{
	char digits[32];
	size_t n;

	if (!(v >= 0 && v < 1e15) || v != floor(v)) {
		buf_printf(b, "%.6g", v);
		return;
	}
	snprintf(digits, sizeof digits, "%.0f", v);
	n = strlen(digits);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_putc(b, ',');
		buf_putc(b, digits[i]);
	}
}

void put_plural(struct buf *b, double n, const char *one, const char *many)
{
	put_count(b, n);
	buf_printf(b, " %s", n == 1 ? one : many);
}

void put_real(struct buf *b, const cJSON *v, int digits)
{
	if (cJSON_IsNumber(v))
		buf_printf(b, "%.*g", digits, v->valuedouble);
	else if (cJSON_IsString(v))
		buf_puts(b, v->valuestring);
	else if (cJSON_IsNull(v))
		buf_puts(b, "nan");
}

void put_index(struct buf *b, const cJSON *a, const char *open, const char *close)
{
	const cJSON *v;
	const char *before = open;

	if (!cJSON_IsArray(a))
		return;
	cJSON_ArrayForEach(v, a)
	{
		buf_printf(b, "%s%.15g", before, v->valuedouble);
		before = ",";
	}
	buf_puts(b, before == open ? open : "");
	buf_puts(b, close);
}

enum colour verdict_colour(const char *verdict)
{
	return strcmp(verdict, "PASS") == 0   ? C_RIGHT_INK
	       : strcmp(verdict, "FAIL") == 0 ? C_WRONG
	                                      : C_OPEN;
}

double elements_judged(const cJSON *dtype)
{
	return ev_number(dtype, "elements") - ev_number(dtype, "elements_out_of_contract") -
	       ev_number(dtype, "elements_ill_conditioned") - ev_number(dtype, "elements_unknown");
}

enum limit_kind limit_of(const cJSON *cell)
{
	if (!ev_get(cell, "runs"))
		return LIMIT_NONE;
	if (strstr(ev_text(cell, "name"), ", bound") ||
	    strcmp(ev_text(cell, "state"), "refused") == 0)
		return LIMIT_BOUND;
	if (strcmp(ev_text(cell, "state"), "exact") == 0)
		return LIMIT_EXACT;
	return strcmp(ev_text(cell, "tier"), "bounded") == 0 ? LIMIT_LARGEST : LIMIT_FITTED;
}

double sum_dtypes(const cJSON *kernel, const char *key)
{
	const cJSON *d;
	double n = 0;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes")) n += ev_number(d, key);
	return n;
}

const char *source_line(const cJSON *kernel, double number)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, ev_get(kernel, "source_lines"))
	{
		const cJSON *line = cJSON_GetArrayItem(x, 0), *text = cJSON_GetArrayItem(x, 1);

		if (cJSON_IsNumber(line) && cJSON_IsString(text) && line->valuedouble == number)
			return text->valuestring + strspn(text->valuestring, " \t");
	}
	return "";
}
