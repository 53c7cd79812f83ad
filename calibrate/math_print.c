/* math_print.c - a record of the math functions as a Markdown table. */
#include "calibrate/math.h"

#include <math.h>

static const char *text_of(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsString(v) ? v->valuestring : "";
}

static double number_of(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

/* Errors are rounded up: a maximum is never told smaller than it is. */
static void put_up(struct buf *b, double v)
{
	if (isnan(v))
		buf_puts(b, "–");
	else
		buf_printf(b, "%.3f", ceil(v * 1000) / 1000);
}

static void put_f32(struct buf *b, const cJSON *j)
{
	double nan_differs = number_of(j, "nan_differs");

	buf_printf(b, "| `%s` | %s | ", text_of(j, "name"), text_of(j, "bound"));
	put_up(b, number_of(j, "max_ulp"));
	if (isnan(number_of(j, "max_ulp")))
		buf_puts(b, " | – | ");
	else
		buf_printf(b, " | %.9g (`%s`) | ", number_of(j, "x"), text_of(j, "at"));
	buf_printf(b, "%s | ", text_of(j, "v100")[0] ? text_of(j, "v100") : "–");
	put_up(b, number_of(j, "of_bound"));
	buf_printf(b, " | %s", cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "met")) ? "met" : "**not met**");
	if (nan_differs > 0)
		buf_printf(b, ", NaN differs for %.0f inputs (`%s`)", nan_differs, text_of(j, "nan_differs_at"));
	else if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "met")))
		buf_printf(b, " at `%s`", text_of(j, "of_bound_at"));
	buf_printf(b, " | %.3f | %.0f |\n", 100 * number_of(j, "not_correctly_rounded") / 0x1p32,
	           number_of(j, "two_or_more"));
}

static void put_half(struct buf *b, const cJSON *j)
{
	buf_printf(b, "| `%s` | ", text_of(j, "name"));
	put_up(b, number_of(j, "max_ulp"));
	buf_printf(b, " | %.9g (`%s`) | %.0f | %.0f | %.0f |\n", number_of(j, "x"), text_of(j, "at"),
	           number_of(j, "not_correctly_rounded"), number_of(j, "two_or_more"), number_of(j, "nan_differs"));
}

void math_table(const cJSON *record, struct buf *b)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(record, "functions"), *j;

	buf_printf(b, "Device: %s. %s. Made by `%s`.\n\n", text_of(record, "device"), text_of(record, "date"),
	           text_of(record, "command"));
	buf_puts(b, "| function | NVIDIA's bound | max ulp | at x | V100, CUDA 11.2 | largest error over the allowed one | "
	            "| not correctly rounded, % | two or more away |\n|---|---|---|---|---|---|---|---|---|\n");
	cJSON_ArrayForEach(j, list)
		if (text_of(j, "bound")[0])
			put_f32(b, j);
	buf_puts(b, "\n| function of 16 bits | max ulp | at x | not correctly rounded | two or more away | NaN differs |\n"
	            "|---|---|---|---|---|---|\n");
	cJSON_ArrayForEach(j, list)
		if (!text_of(j, "bound")[0])
			put_half(b, j);
}
