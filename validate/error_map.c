/* error_map.c - where in an output the errors lie: see unit.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/unit.h"

/* Tiles at most: what a map of half a page can show. */
#define MAP_ROWS 24
#define MAP_COLS 64

struct map {
	int64_t rows, cols, high, wide; /* of the output, and of a tile */
	int64_t tiles_down, tiles_across;
	double *worst; /* of each tile; negative: no element with a verdict */
};

/* t has elements. */
static void map_init(struct map *m, const struct tensor *t)
{
	int64_t n = tensor_count(t);

	m->cols = t->rank ? t->dim[t->rank - 1] : 1;
	m->rows = n / m->cols;
	m->high = (m->rows + MAP_ROWS - 1) / MAP_ROWS;
	m->wide = (m->cols + MAP_COLS - 1) / MAP_COLS;
	m->tiles_down = (m->rows + m->high - 1) / m->high;
	m->tiles_across = (m->cols + m->wide - 1) / m->wide;
	m->worst = mem_alloc(sizeof *m->worst * (size_t)(m->tiles_down * m->tiles_across));
	for (int64_t i = 0; i < m->tiles_down * m->tiles_across; i++)
		m->worst[i] = -1;
}

/* r/T of element i in double: half an ulp of the output stands for its rounding. Negative: no verdict. */
static double ratio_at(const struct oracle_out *o, const double *y, int64_t i, enum dtype dt, double Tu)
{
	bool inf = o->status[i] == EL_POS_INF || o->status[i] == EL_NEG_INF;
	double d;

	if (o->status[i] == EL_NAN)
		return isnan(y[i]) ? 0 : INFINITY;
	if (inf)
		return isinf(y[i]) && signbit(y[i]) == (o->status[i] == EL_NEG_INF) ? 0 : INFINITY;
	if (o->status[i] != EL_FINITE)
		return -1;
	if (!isfinite(y[i]))
		return INFINITY;
	d = fabs(y[i] - o->z[i]) - (dtype_is_float(dt) ? dtype_ulp(dt, o->z[i]) / 2 : 0);
	return d <= 0 ? 0 : run_ratio(d, Tu * o->S[i]);
}

/* Three digits are what a colour can show, and they do not depend on how sums were rounded. */
static double three_digits(double v)
{
	char text[32];

	snprintf(text, sizeof text, "%.3g", v);
	return strtod(text, NULL);
}

static cJSON *map_json(const struct map *m, const char *line, const char *output)
{
	cJSON *j = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(j, "case", line);
	cJSON_AddStringToObject(j, "output", output);
	cJSON_AddNumberToObject(j, "rows", (double)m->rows);
	cJSON_AddNumberToObject(j, "cols", (double)m->cols);
	cJSON_AddNumberToObject(j, "tile_rows", (double)m->high);
	cJSON_AddNumberToObject(j, "tile_cols", (double)m->wide);
	list = cJSON_AddArrayToObject(j, "r_over_T");
	for (int64_t r = 0; r < m->tiles_down; r++) {
		cJSON *row = cJSON_CreateArray();

		for (int64_t c = 0; c < m->tiles_across; c++) {
			double v = m->worst[r * m->tiles_across + c];

			cJSON_AddItemToArray(row, v < 0    ? cJSON_CreateNull() :
			                          isinf(v) ? cJSON_CreateString("inf") :
			                                     cJSON_CreateNumber(three_digits(v)));
		}
		cJSON_AddItemToArray(list, row);
	}
	return j;
}

/* The first output with an element beyond its tolerance, or NULL. */
static cJSON *map_outputs(const char *line, const struct op_schema *o, const struct case_run *run, const struct oracle *or,
                          const struct envelope *env)
{
	double Tu = env->T * dtype_u(or->num.acc);
	cJSON *j = NULL;

	for (int k = 0; k < or->nout && !j; k++) {
		int64_t n = tensor_count(run->out[k]);
		bool wrong = false;
		struct map m;
		double *y;

		if (n == 0)
			continue;
		y = mem_alloc(sizeof *y * (size_t)n);
		tensor_gather(run->out[k], y);
		map_init(&m, run->out[k]);
		for (int64_t i = 0; i < n; i++) {
			double v = ratio_at(&or->out[k], y, i, run->out[k]->dt, Tu);
			double *at = &m.worst[i / m.cols / m.high * m.tiles_across + i % m.cols / m.wide];

			*at = fmax(*at, v);
			wrong |= v > 1;
		}
		if (wrong)
			j = map_json(&m, line, o->tensors[o->nin + k].name);
		free(m.worst);
		free(y);
	}
	return j;
}

cJSON *error_map(const struct target *t, const char *line)
{
	struct case_options co = {.sanitize = false};
	struct case_run *run = NULL;
	struct oracle *or = NULL;
	struct case_result r;
	struct err e = {0};
	struct kase c;
	cJSON *j = NULL;

	if (case_parse(line, kernel_op(t->kernel), &c, &e) == ST_OK &&
	    run_and_judge(t, &c, &co, NULL, &run, &or, &r, &e) == ST_OK && or)
		j = map_outputs(line, op_schema(c.op), run, or, &r.envelope);
	oracle_free(or);
	case_run_free(run);
	return j;
}
