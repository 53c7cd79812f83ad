/* strategy.c - the i-th case of a campaign: dims round the kernel's tiles, layouts, adversarial values.
 *
 * Draws come from Philox stream STREAM of the campaign's seed, keyed by (i, dtype, strategy), so that a
 * case depends on nothing but its number and on the interesting cases handed in. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases/kernel.h"
#include "cases/values.h"

/* Streams 0.. belong to tensors' values. */
#define STREAM 0x63617365u /* "case" */

/* Lane instructions: about what a thread costs before it does any work, and what a term of a reduction
 * costs; measured on the corpus' kernels by `gpuemu run` (40..90 and 10..45), rounded up. */
#define WORK_PER_THREAD 80
#define WORK_PER_TERM 45

struct draw {
	uint64_t seed, stream, n;
};

static uint64_t below(struct draw *d, uint64_t n)
{
	return rand_below(d->seed, d->stream, d->n++, n);
}

static bool chance(struct draw *d, uint64_t in, uint64_t of)
{
	return below(d, of) < in;
}

/* ---- sizes ---- */

static const int64_t primes[] = {3, 5, 7, 13, 31, 61, 97, 127, 257, 509, 1021, 2053, 4099};

static int64_t tile(struct draw *d, const struct case_hints *h)
{
	static const int64_t usual[] = {16, 32, 64, 128, 256};

	if (h->ntiles > 0 && chance(d, 3, 4))
		return h->tiles[below(d, h->ntiles)];
	return usual[below(d, ARRAY_LEN(usual))];
}

static int64_t boundary_size(struct draw *d, const struct case_hints *h)
{
	int64_t t = tile(d, h);

	switch (below(d, 10)) {
	case 0: return 1;
	case 1: return 2;
	case 2: return t - 1;
	case 3: return t;
	case 4: return t + 1;
	case 5: return 2 * t - 1;
	case 6: return 2 * t + 1;
	case 7: return primes[below(d, ARRAY_LEN(primes))];
	case 8: return 3 * t + (int64_t)below(d, (uint64_t)t);
	default: return 1 + (int64_t)below(d, 40);
	}
}

static int64_t size(struct draw *d, enum strategy s, const struct case_hints *h)
{
	switch (s) {
	case STRATEGY_NATIVE: return 64;
	case STRATEGY_REGULAR: return 32 * (1 + (int64_t)below(d, 16));
	case STRATEGY_ADVERSARIAL: return chance(d, 1, 2) ? 64 : 256;
	case STRATEGY_F32:
	case STRATEGY_F16:
	case STRATEGY_NAN: return 1 + (int64_t)below(d, chance(d, 1, 2) ? 40 : 600);
	default: return boundary_size(d, h);
	}
}

static int64_t clamp_dim(const struct op_dim *dim, int64_t v)
{
	if (dim->nvalues > 0)
		return dim->values[(uint64_t)v % (uint64_t)dim->nvalues];
	return v < dim->lo ? dim->lo : v > dim->hi ? dim->hi : v;
}

/* The size that this case stretches: each in its turn, those that a reduction runs over twice as often
 * again, for there a kernel has its tiles, tails and running values. */
static int focus_dim(struct draw *d, const struct kernel *k, uint64_t i)
{
	int list[3 * OP_MAX_DIMS], n = 0;

	for (int dim = 0; dim < k->schema->ndims; dim++)
		if (!k->schema->dims[dim].derived) {
			list[n++] = dim;
			if (op_dim_reduced(k->op, dim)) {
				list[n++] = dim;
				list[n++] = dim;
			}
		}
	if (n == 0)
		return -1;
	return chance(d, 1, 2) ? list[i % (uint64_t)n] : list[below(d, (uint64_t)n)];
}

/* 2^lo <= size < 2^hi, its octave uniform. */
static int64_t octave_size(struct draw *d, int lo, int hi)
{
	int64_t base = (int64_t)1 << (lo + (int)below(d, (uint64_t)(hi - lo)));

	return base + (int64_t)below(d, (uint64_t)base);
}

/* Every LONG_EVERY-th case is long in one size, of those that a reduction runs over if there are any, and small in the
 * others: a grid that stops growing (min(ceil(C,128),32) without a loop over the rest), a row that a buffer holds up to some
 * size. Up to 16383, of which an f32 row fits the shared memory of a block. */
#define LONG_EVERY 32
#define LONG_OCTAVES 12, 14
#define LONG_TRIES 100 /* a long window of a convolution needs a long row of pixels: then a case like the others */

static void draw_long(struct draw *d, const struct kernel *k, struct kase *c)
{
	const struct op_schema *o = k->schema;
	int list[OP_MAX_DIMS], n = 0;

	for (int pass = 0; pass < 2 && n == 0; pass++)
		for (int i = 0; i < o->ndims; i++)
			if (!o->dims[i].derived && (pass > 0 || op_dim_reduced(k->op, i)))
				list[n++] = i;
	for (int i = 0; i < o->ndims; i++)
		if (!o->dims[i].derived)
			c->b.dims[i] = clamp_dim(&o->dims[i], 1 + (int64_t)below(d, 3));
	if (n > 0) {
		int i = list[below(d, (uint64_t)n)];

		c->b.dims[i] = clamp_dim(&o->dims[i], octave_size(d, LONG_OCTAVES));
	}
}

/* With more than two sizes, one or two reach past a tile and the others stay small: a product of middling
 * sizes would leave, under the cap on work, none that reaches a second tile. */
static void draw_dims(struct draw *d, const struct kernel *k, enum strategy s, uint64_t i_case,
                      const struct case_hints *h, struct kase *c)
{
	const struct op_schema *o = k->schema;
	int free_dims = 0, focus = focus_dim(d, k, i_case);
	int second = chance(d, 1, 3) ? focus_dim(d, k, i_case + 1) : focus;
	bool ours = s == STRATEGY_OURS || s == STRATEGY_BOUNDARY;

	for (int i = 0; i < o->ndims; i++)
		free_dims += !o->dims[i].derived;
	for (int i = 0; i < o->ndims; i++) {
		int64_t v;

		if (o->dims[i].derived)
			continue;
		v = size(d, s, h);
		if (ours && free_dims > 2 && i != focus && i != second)
			v = 1 + (int64_t)below(d, 4);
		if (ours && o->dims[i].lo == 0 && chance(d, 1, 40))
			v = 0;
		c->b.dims[i] = clamp_dim(&o->dims[i], v);
	}
}

/* Calibration: one reduced size over the octaves of 4..8191, other reduced ones small, and the rest so that
 * there are about CALIBRATE_RESULTS results, in shapes that vary. */
#define CALIBRATE_RESULTS 256

static void draw_calibration_dims(struct draw *d, const struct kernel *k, struct kase *c)
{
	const struct op_schema *o = k->schema;
	int reduced[OP_MAX_DIMS], nr = 0, other[OP_MAX_DIMS], no = 0;
	double left = CALIBRATE_RESULTS;

	for (int i = 0; i < o->ndims; i++) {
		if (o->dims[i].derived)
			continue;
		if (op_dim_reduced(k->op, i))
			reduced[nr++] = i;
		else
			other[no++] = i;
	}
	if (nr == 0)
		left = 65536; /* element by element: class "bits" then holds every pattern */
	for (int i = 0, stretched = nr ? (int)below(d, (uint64_t)nr) : 0; i < nr; i++)
		c->b.dims[reduced[i]] = clamp_dim(&o->dims[reduced[i]],
		                                  i == stretched ? octave_size(d, 2, 13) : octave_size(d, 1, 6));
	for (int i = 0; i < no; i++) {
		double share = i == no - 1 ? left : pow(left, 1.0 / (no - i)) *
		                                            ldexp(1, (int)below(d, 3) - 1);

		c->b.dims[other[i]] = clamp_dim(&o->dims[other[i]], (int64_t)fmax(1, ceil(share)));
		left = fmax(1, left / (double)c->b.dims[other[i]]);
	}
}

/* Estimated lane instructions of the case on this kernel; < 0 when it lies outside the domain. */
static double estimate(const struct kernel *k, const struct kase *c)
{
	struct err e = {0};
	struct op_inst *inst = NULL;
	struct kernel_scope s = {.k = k};
	struct expr_env env = kernel_env(&s);
	double work = -1;

	if (op_bind(k->op, &c->b, &inst, &e) != ST_OK)
		return -1;
	s.b = op_inst_binding(inst);
	for (int i = 0; i < k->nrequires; i++) {
		struct value v;

		if (expr_eval(k->requires[i], "requires", &env, false, &v, &e) != ST_OK ||
		    (v.real ? v.d == 0 : v.i == 0))
			goto done;
	}
	work = WORK_PER_TERM * op_inst_work(inst);
	for (int l = 0; l < k->nlaunches; l++) {
		double threads = 1;

		for (int i = 0; i < 6; i++) {
			const char *text = i < 3 ? k->launches[l].grid[i] : k->launches[l].block[i - 3];
			struct value v;

			if (expr_eval(text, "launch", &env, false, &v, &e) != ST_OK) {
				work = -1;
				goto done;
			}
			threads *= (double)(v.i > 0 ? v.i : 0); /* less than 0 is told when the case is made */
		}
		work += WORK_PER_THREAD * threads;
	}
done:
	op_inst_free(inst);
	return work;
}

/* Makes the case fit: shrinks the largest size until the estimate is below the cap. */
static bool fit_work(const struct kernel *k, const struct case_hints *h, struct kase *c)
{
	const struct op_schema *o = k->schema;
	bool stuck[OP_MAX_DIMS] = {false}; /* a condition makes it large again */

	for (int tries = 0; tries < 200; tries++) {
		double work = estimate(k, c);
		int64_t before;
		int big = -1;

		if (work < 0 && tries == 0)
			return false;
		if (work >= 0 && (h->max_work == 0 || work <= (double)h->max_work))
			return true;
		/* a need such as H % G == 0 may fail while one of its sizes is halved before the other */
		for (int i = 0; i < o->ndims; i++)
			if (!o->dims[i].derived && o->dims[i].nvalues == 0 && !stuck[i] &&
			    c->b.dims[i] > o->dims[i].lo && c->b.dims[i] > 1 &&
			    (big < 0 || c->b.dims[i] > c->b.dims[big]))
				big = i;
		if (big < 0)
			return work >= 0;
		/* an odd size stays odd, a multiple of a tile keeps its remainder's character */
		before = c->b.dims[big];
		c->b.dims[big] = clamp_dim(&o->dims[big], (before + 1) / 2);
		case_bend(k, c, true);
		stuck[big] = c->b.dims[big] >= before;
	}
	return false;
}

/* ---- parameters, options, optional inputs, layouts ---- */

static void draw_params(struct draw *d, const struct op_schema *o, struct kase *c)
{
	static const double usual[] = {0.5, 1, 0.125, 2};

	for (int i = 0; i < o->nparams; i++) {
		const struct op_param *p = &o->params[i];
		double lo = p->has_range ? p->lo : 0, hi = p->has_range ? p->hi : 2;

		if (p->kind == PARAM_BOOL ? !chance(d, 1, 2) : p->has_default && !chance(d, 1, 6))
			continue;
		c->b.param_set[i] = true;
		if (p->kind == PARAM_BOOL)
			c->b.params[i] = 1;
		else if (p->kind == PARAM_I64)
			c->b.params[i] = lo + (double)below(d, hi - lo < 8 ? (uint64_t)(hi - lo) + 1 : 8);
		else
			c->b.params[i] = usual[below(d, ARRAY_LEN(usual))];
		if (p->kind == PARAM_F32 && !(c->b.params[i] >= lo && c->b.params[i] <= hi))
			c->b.params[i] = lo;
	}
}

static void draw_choices(struct draw *d, const struct kernel *k, struct kase *c)
{
	const struct op_schema *o = k->schema;

	for (int i = 0; i < o->noptions; i++)
		do
			c->b.options[i] = (int)below(d, (uint64_t)o->options[i].n);
		while (!(k->option_mask[i] >> c->b.options[i] & 1));
	for (int t = 0; t < o->ntensors; t++)
		c->b.present[t] = !o->tensors[t].optional || (k->takes[t] && !chance(d, 1, 3));
}

static void draw_layouts(struct draw *d, const struct kernel *k, struct kase *c)
{
	for (int t = 0; t < k->schema->ntensors; t++) {
		struct layout_spec *l = &c->layout[t];

		*l = (struct layout_spec){.name = "contiguous"};
		if (k->nlayouts[t] == 0 || !c->b.present[t] || !chance(d, 2, 5))
			continue;
		snprintf(l->name, sizeof l->name, "%s",
		         k->layouts[t][below(d, (uint64_t)k->nlayouts[t])]);
		if (strcmp(l->name, "transposed") != 0 && strcmp(l->name, "broadcast") != 0)
			l->arg = 1 + (int64_t)below(d, chance(d, 1, 3) ? 64 : 8);
	}
}

/* ---- values ---- */

/* A scene gives the class of the first input, of the second, and of the others. */
struct scene {
	const char *first, *second, *rest;
};

static const struct scene scenes[] = {
	{"normal", "normal", "normal"},   {"uniform", "uniform", "uniform"},
	{"rising", "normal", "normal"},   {"maxlast", "normal", "normal"},
	{"same", "same", "normal"},       {"wide", "normal", "normal"},
	{"cancel", "normal", "normal"},   {"allneg", "normal", "normal"},
	{"onehot", "normal", "normal"},   {"const", "const", "normal"},
	{"same", "krising", "normal"},    {"same", "klast", "normal"},
	{"dyadic", "dyadic", "dyadic"},   {"subnormal", "subnormal", "normal"},
	{"huge", "normal", "normal"},     {"ints", "ints", "ints"},
	{"tiny", "normal", "normal"},     {"mixed", "mixed", "normal"},
	{"meanbig", "normal", "normal"},  {"zeros", "normal", "normal"},
	{"neglogits", "normal", "normal"}, {"masked", "normal", "normal"},
	{"nan", "normal", "normal"},      {"inf", "normal", "normal"},
	{"signedzero", "normal", "normal"}, {"ties", "ties", "normal"},
	{"swamp", "normal", "normal"},    {"nearovf", "normal", "normal"},
	{"linear", "normal", "normal"},   {"falling", "normal", "normal"},
	{"normal", "wide", "wide"},       {"normal", "index", "index"},
	{"maskrow", "normal", "normal"},  {"constbig", "normal", "normal"},
};
/* "huge" is normal(0, 1000). */

static void set_class(struct value_spec *v, const char *name)
{
	*v = (struct value_spec){0};
	if (strcmp(name, "huge") == 0) {
		v->nargs = 2;
		v->args[1] = 1000;
		name = "normal";
	}
	snprintf(v->name, sizeof v->name, "%s", name);
}

static void set_tile(struct draw *d, const struct case_hints *h, struct value_spec *v, double step)
{
	v->nargs = 2;
	v->args[0] = (double)tile(d, h);
	v->args[1] = step;
}

static void set_scene(struct draw *d, const struct op_schema *o, const struct scene *sc,
                      const struct case_hints *h, struct kase *c)
{
	for (int t = 0; t < o->nin; t++) {
		struct value_spec *v = &c->values[t];

		set_class(v, t == 0 ? sc->first : t == 1 ? sc->second : sc->rest);
		if (strcmp(v->name, "rising") == 0 || strcmp(v->name, "falling") == 0)
			set_tile(d, h, v, 2);
		else if (strcmp(v->name, "krising") == 0)
			set_tile(d, h, v, 0.25);
		else if (strcmp(v->name, "normal") == 0 && v->nargs == 0 && chance(d, 1, 4)) {
			v->nargs = 2;
			v->args[0] = 0;
			v->args[1] = chance(d, 1, 2) ? 4 : 0.25;
		}
	}
}

/* Calibration's scenes: terms of both signs, of one sign, and such as make roundings agree. Values that give exact
 * results or none are left out: they would say nothing of an envelope. */
#define CALIBRATION_SCENES 6
static const struct scene calibration_scenes[CALIBRATION_FAMILIES][CALIBRATION_SCENES] = {
	{{"normal", "normal", "normal"},
                             {"normal", "wide", "wide"},
                             {"wide", "normal", "normal"},
                             {"mixed", "mixed", "normal"},
                             {"linear", "normal", "normal"},
                             {"cancel", "normal", "normal"}},
	{{"same", "same", "normal"},
                            {"uniform", "uniform", "uniform"},
                            {"allneg", "normal", "normal"},
                            {"meanbig", "normal", "normal"},
                            {"rising", "normal", "normal"},
                            {"same", "krising", "same"}},
	{{"const", "const", "normal"},
                                {"constbig", "same", "normal"},
                                {"swamp", "normal", "normal"},
                                {"onehot", "same", "normal"},
                                {"maxlast", "normal", "normal"},
                                {"same", "const", "const"}},
};
static const struct scene all_bits = {"bits", "bits", "bits"};

static const struct scene *calibration_scene(struct draw *d, const struct kernel *k, uint64_t i)
{
	if (!op_reduces(k->op) && k->schema->nin == 1)
		return &all_bits;
	return &calibration_scenes[i % CALIBRATION_FAMILIES][below(d, CALIBRATION_SCENES)];
}

/* Scenes come round evenly: a permutation of all of them, then another. */
static void draw_values(struct draw *d, const struct kernel *k, enum strategy s, uint64_t i,
                        const struct case_hints *h, struct kase *c)
{
	const struct op_schema *o = k->schema;
	static const struct scene plain = {"normal", "normal", "normal"},
	                          nan = {"nan", "normal", "normal"}, inf = {"inf", "normal", "normal"};
	/* 13 is coprime to the number of scenes: i*13 visits each once a round */
	const struct scene *sc = &scenes[(i * 13 + i / ARRAY_LEN(scenes) * 5) % ARRAY_LEN(scenes)];

	switch (s) {
	case STRATEGY_NATIVE:
	case STRATEGY_BOUNDARY:
	case STRATEGY_REGULAR:
		for (int t = 0; t < o->nin; t++)
			set_class(&c->values[t], "normal");
		return;
	case STRATEGY_NAN: sc = chance(d, 1, 2) ? &nan : &inf; break;
	case STRATEGY_F32:
	case STRATEGY_F16: sc = chance(d, 1, 2) ? &plain : &scenes[1]; break;
	case STRATEGY_CALIBRATE: sc = calibration_scene(d, k, i); break;
	default: break;
	}
	set_scene(d, o, sc, h, c);
}

/* ---- the case ---- */

static void draw_rest(struct draw *d, struct kase *c)
{
	static const uint8_t fills[] = {0x00, 0xa5, 0xff, 0x7f, 0x3c};

	c->seed = below(d, (uint64_t)1 << 32);
	c->fill = fills[below(d, ARRAY_LEN(fills))];
}

/* Changes one thing of a case that reached new code. */
static void mutate(struct draw *d, const struct kernel *k, uint64_t i, const struct case_hints *h,
                   struct kase *c)
{
	const struct op_schema *o = k->schema;
	int dim = (int)below(d, (uint64_t)(o->ndims > 0 ? o->ndims : 1));

	switch (below(d, 4)) {
	case 0:
		if (o->ndims > 0 && !o->dims[dim].derived) {
			int64_t v = c->b.dims[dim] + (chance(d, 1, 2) ? 1 : -1);

			c->b.dims[dim] = clamp_dim(&o->dims[dim], chance(d, 1, 4) ? 2 * v : v);
		}
		break;
	case 1: draw_layouts(d, k, c); break;
	case 2: draw_choices(d, k, c); break;
	default: draw_values(d, k, STRATEGY_OURS, i, h, c); break;
	}
	draw_rest(d, c);
}

enum st case_generate(const struct kernel *k, int di, enum strategy s, uint64_t seed, uint64_t i,
                      const struct case_hints *h, const struct kase *interesting,
                      size_t ninteresting, struct kase *out, struct err *e)
{
	struct draw d = {.seed = seed, .stream = (uint64_t)STREAM << 32 | (uint64_t)s << 8 | (uint64_t)di};

	/* each case has room for 2^20 draws of its own */
	d.n = i << 20;
	if (s == STRATEGY_OURS && ninteresting > 0 && chance(&d, 1, 4)) {
		*out = interesting[below(&d, ninteresting)];
		mutate(&d, k, i, h, out);
		memcpy(out->b.types, k->dtypes[di], sizeof out->b.types);
		case_bend(k, out, false);
		if (fit_work(k, h, out))
			return ST_OK;
	}
	for (int tries = 0; tries < 1000; tries++) {
		memset(out, 0, sizeof *out);
		out->op = k->op;
		memcpy(out->b.types, k->dtypes[di], sizeof out->b.types);
		if (s == STRATEGY_CALIBRATE)
			draw_calibration_dims(&d, k, out);
		else
			draw_dims(&d, k, s, i, h, out);
		if (s == STRATEGY_OURS && i % LONG_EVERY == LONG_EVERY - 1 && tries < LONG_TRIES)
			draw_long(&d, k, out);
		draw_params(&d, k->schema, out);
		draw_choices(&d, k, out);
		if (s != STRATEGY_CALIBRATE)
			case_bend_needs(k, out);
		case_bend(k, out, false);
		if (!fit_work(k, h, out))
			continue;
		draw_layouts(&d, k, out);
		draw_values(&d, k, s, i, h, out);
		draw_rest(&d, out);
		return ST_OK;
	}
	return FAIL(e, UNSUP, "in 1000 draws no sizes that operator %s allows, \"requires\" takes and whose grid and block can "
	            "be computed; simple terms joined by `and` are met by the draw (N == 1, D == E, C %% 4 == 0, C <= 128, not "
	            "causal), any other must hold for one size in hundreds", k->schema->name);
}
