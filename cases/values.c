/* values.c - the value classes. A class is one function: element number → value. Rows are the innermost
 * axis (K elements); "k…" classes are arranged along the axis before it, as keys in attention are.
 *
 * Random words: element i of tensor `stream` draws words 2i and 2i+1 of Philox stream 16·stream; what a
 * class draws once a row comes from stream 16·stream + 1, numbered by the row. */
#include "cases/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gen {
	uint64_t seed, stream;
	int64_t K;       /* innermost extent, at least 1 */
	int64_t rows2;   /* extent of the axis before it, at least 1 */
	enum dtype dt;
	int p, emin, emax;
	double max;
	double a[4];     /* arguments, defaults filled in */
};

/* Octaves and steps of the table; see tools/make_normal_table.py. */
enum { OCTAVES = 40, STEPS = 32 };
static const double normal_table[] = {
#include "cases/normal_table.inc"
};

static uint64_t word(const struct gen *g, int64_t i, int which)
{
	return rand_u64(g->seed, 16 * g->stream, 2 * (uint64_t)i + (uint64_t)which);
}

static uint64_t row_word(const struct gen *g, int64_t row)
{
	return rand_u64(g->seed, 16 * g->stream + 1, (uint64_t)row);
}

static double unit(uint64_t w)
{
	return (double)(w >> 11) * 0x1p-53;
}

/* Standard normal by the quantile table: octave by the number of trailing zeros (geometric, as tail
 * probabilities halve), then linear interpolation. Bit 63 is the sign, bits 41..45 the step. */
static double normal_of(uint64_t w, uint64_t w2)
{
	int k = __builtin_ctzll(w | (uint64_t)1 << (OCTAVES - 1));
	int at = STEPS * k + (int)(w >> 41 & (STEPS - 1));
	double z0 = normal_table[at], z1 = normal_table[at + 1], z = z0 + (z1 - z0) * unit(w2);

	return w >> 63 ? -z : z;
}

static double normal(const struct gen *g, int64_t i)
{
	uint64_t w[2];

	rand_pair(g->seed, 16 * g->stream, (uint64_t)i, w);
	return normal_of(w[0], w[1]);
}

/* One normal a row, from words that no element uses. */
static double row_normal(const struct gen *g, int64_t row)
{
	uint64_t w = row_word(g, row);
	uint32_t ctr[4] = {(uint32_t)w, (uint32_t)(w >> 32), 1, 0}, key[2] = {0, 0}, out[4];

	philox4x32(ctr, key, out);
	return normal_of(w, (uint64_t)out[0] << 32 | out[1]);
}

static double u01(const struct gen *g, int64_t i)
{
	return unit(word(g, i, 0));
}

/* ---- one function a class ---- */

static double v_normal(const struct gen *g, int64_t i)
{
	return g->a[0] + g->a[1] * normal(g, i);
}

static double v_uniform(const struct gen *g, int64_t i)
{
	return g->a[0] + (g->a[1] - g->a[0]) * u01(g, i);
}

static double v_same(const struct gen *g, int64_t i)
{
	return fabs(normal(g, i)) + 1;
}

static double v_wide(const struct gen *g, int64_t i)
{
	uint64_t w = word(g, i, 0);
	int lo = -(int)g->a[0] < g->emin ? g->emin : -(int)g->a[0];
	int hi = (int)g->a[0] > g->emax - 4 ? g->emax - 4 : (int)g->a[0];
	double m = ldexp(1 + unit(word(g, i, 1)), lo + (int)(w % (uint64_t)(hi - lo + 1)));

	return w >> 63 ? -m : m;
}

/* The second half of a row nearly cancels the first. */
static double v_cancel(const struct gen *g, int64_t i)
{
	int64_t h = g->K / 2, c = i % g->K;

	if (c < h || c >= 2 * h)
		return g->a[0] * normal(g, i);
	return -g->a[0] * normal(g, i - h) * (1 + 0x1p-10 * normal(g, i));
}

static double v_allneg(const struct gen *g, int64_t i)
{
	return -3 * fabs(normal(g, i)) - 20;
}

static double v_onehot(const struct gen *g, int64_t i)
{
	uint64_t w = row_word(g, i / g->K);

	return (uint64_t)(i % g->K) != (w >> 8) % (uint64_t)g->K ? 0 : w & 1 ? 1 : g->a[0];
}

static double v_const(const struct gen *g, int64_t i)
{
	return 0.1 + g->a[0] * row_normal(g, i / g->K);
}

static double v_constbig(const struct gen *g, int64_t i)
{
	return g->a[0] * (1 + unit(row_word(g, i / g->K)));
}

/* Constant rows whose sums are exact in any order: k/8, |k| <= 64. */
static double v_dyadic(const struct gen *g, int64_t i)
{
	return (double)((int64_t)(row_word(g, i / g->K) % 129) - 64) / 8;
}

static double v_rising(const struct gen *g, int64_t i)
{
	return (double)(i % g->K / (int64_t)g->a[0]) * g->a[1] + normal(g, i);
}

static double v_falling(const struct gen *g, int64_t i)
{
	return -(double)(i % g->K / (int64_t)g->a[0]) * g->a[1] + normal(g, i);
}

static double v_maxlast(const struct gen *g, int64_t i)
{
	return i % g->K == g->K - 1 ? g->a[0] : normal(g, i);
}

static double v_maxfirst(const struct gen *g, int64_t i)
{
	return i % g->K == 0 ? g->a[0] : normal(g, i);
}

static double v_masked(const struct gen *g, int64_t i)
{
	int64_t c = i % g->K;

	if (c == g->K - 1)
		return normal(g, i);
	return c < g->K / 3 || unit(word(g, i, 1) ^ 0x5555555555555555u) < g->a[0] ? -INFINITY :
	                                                                            3 * normal(g, i);
}

static double v_maskrow(const struct gen *g, int64_t i)
{
	return unit(row_word(g, i / g->K)) < g->a[0] ? -INFINITY : normal(g, i);
}

static double v_krising(const struct gen *g, int64_t i)
{
	return fabs(normal(g, i)) * (double)(i / g->K % g->rows2 / (int64_t)g->a[0] + 1) * g->a[1];
}

static double v_klast(const struct gen *g, int64_t i)
{
	return i / g->K % g->rows2 == g->rows2 - 1 ? g->a[0] : normal(g, i);
}

static double v_subnormal(const struct gen *g, int64_t i)
{
	return ldexp(normal(g, i), g->emin - (g->p < 12 ? g->p / 2 : 9));
}

static double v_nearovf(const struct gen *g, int64_t i)
{
	double z = normal(g, i) * g->a[0];

	return g->max * (z > 0.99 ? 0.99 : z < -0.99 ? -0.99 : z);
}

/* mean/std = 2^(p-3): as large as the type can show (facts/error-scale.md, pitfall 8). */
static double v_meanbig(const struct gen *g, int64_t i)
{
	int e = g->p - 3 > 13 ? 13 : g->p - 3;

	return ldexp(1, e) + normal(g, i);
}

static double v_tiny(const struct gen *g, int64_t i)
{
	return g->a[0] * normal(g, i);
}

static double v_zeros(const struct gen *g, int64_t i)
{
	(void)g, (void)i;
	return 0;
}

static double v_signedzero(const struct gen *g, int64_t i)
{
	return word(g, i, 0) >> 63 ? -0.0 : 0.0;
}

static double v_ints(const struct gen *g, int64_t i)
{
	int64_t n = (int64_t)g->a[0];

	return (double)((int64_t)(word(g, i, 0) % (uint64_t)(2 * n + 1)) - n);
}

static double v_mixed(const struct gen *g, int64_t i)
{
	int lo = g->emin + 4 > -20 ? g->emin + 4 : -20;

	return ldexp(normal(g, i), lo + (int)(row_word(g, i / g->K) % (uint64_t)(7 - lo)));
}

static double v_neglogits(const struct gen *g, int64_t i)
{
	double base = -(g->a[0] < g->max / 2 ? g->a[0] : g->max / 2);

	if (i % g->K == g->K - 1)
		return base;
	return word(g, i, 1) >> 63 ? -INFINITY : base + 20 * normal(g, i);
}

static double v_nan(const struct gen *g, int64_t i)
{
	return unit(word(g, i, 1) ^ 0x5555555555555555u) < g->a[0] ? NAN : normal(g, i);
}

static double v_inf(const struct gen *g, int64_t i)
{
	uint64_t w = word(g, i, 1) ^ 0x5555555555555555u;

	return unit(w) >= g->a[0] ? normal(g, i) : w & 1 ? INFINITY : -INFINITY;
}

static double v_ties(const struct gen *g, int64_t i)
{
	return (double)(word(g, i, 0) % (uint64_t)(int64_t)g->a[0]) * 0.5;
}

/* One large term among many small ones; softmax's weights then are 1 and about 2^-24. */
static double v_swamp(const struct gen *g, int64_t i)
{
	return i % g->K == 0 ? 1 : 1 - 16.6 + 0.5 * u01(g, i);
}

static double v_index(const struct gen *g, int64_t i)
{
	(void)g;
	return (double)(i % 4096 - 2048) / 64;
}

/* An even ramp along the row: every tile weighs differently, so a lost one shows. */
static double v_linear(const struct gen *g, int64_t i)
{
	return g->a[0] + (g->a[1] - g->a[0]) * ((double)(i % g->K) / (double)g->K);
}

/* Every bit pattern of a 16-bit type within 2^16 elements, in an order that the seed chooses; of a wider type
 * every upper 16 bits (sign, exponent and the first significand bits) with random lower ones. */
static double v_bits(const struct gen *g, int64_t i)
{
	uint64_t w = word(g, i, 0), top = ((uint64_t)i * 40503 + g->seed) & 0xffff;
	int more = 8 * dtype_bytes(g->dt) - 16;

	return dtype_decode(g->dt, more > 0 ? top << more | (w & (((uint64_t)1 << more) - 1)) : top);
}

struct value_class {
	const char *name;
	double (*fn)(const struct gen *, int64_t);
	int nargs;          /* arguments it takes */
	double defaults[2];
	bool positive;      /* the first argument must be >= 1 (a count) */
	const char *help;
	enum coherence coherence; /* of its default arguments */
};

static const struct value_class classes[] = {
	{"normal", v_normal, 2, {0, 1}, false, "normal(mean,deviation)", COHERENCE_MIXED},
	{"uniform", v_uniform, 2, {0, 1}, false, "uniform(a,b) on [a,b)", COHERENCE_MIXED},
	{"same", v_same, 0, {0}, false, "1 + |normal|", COHERENCE_SAME},
	{"wide", v_wide, 1, {30}, true, "either sign, exponents within ±e", COHERENCE_WIDE},
	{"cancel", v_cancel, 1, {100}, false, "second half of a row nearly cancels the first, scale s", COHERENCE_MIXED},
	{"allneg", v_allneg, 0, {0}, false, "-20 - 3|normal|", COHERENCE_SAME},
	{"onehot", v_onehot, 1, {100}, false, "one element a row is 1 or v", COHERENCE_SPIKE},
	{"const", v_const, 1, {3}, false, "rows of one value with a full significand, deviation s", COHERENCE_CONST},
	{"constbig", v_constbig, 1, {1e4}, false, "rows of one value between v and 2v", COHERENCE_CONST},
	{"dyadic", v_dyadic, 0, {0}, false, "rows of one value k/8: sums are exact", COHERENCE_CONST},
	{"rising", v_rising, 2, {32, 2}, true, "grows by `step` every `tile` elements", COHERENCE_SPIKE},
	{"falling", v_falling, 2, {32, 2}, true, "falls by `step` every `tile` elements", COHERENCE_SPIKE},
	{"maxlast", v_maxlast, 1, {20}, false, "normal, the last element of a row v", COHERENCE_SPIKE},
	{"maxfirst", v_maxfirst, 1, {20}, false, "normal, the first element of a row v", COHERENCE_SPIKE},
	{"masked", v_masked, 1, {0.5}, false, "-inf with probability p and in the first third", COHERENCE_MIXED},
	{"maskrow", v_maskrow, 1, {0.25}, false, "whole rows of -inf with probability p", COHERENCE_MIXED},
	{"krising", v_krising, 2, {32, 0.25}, true, "|normal| growing by `step` every `tile` rows (keys)", COHERENCE_SAME},
	{"klast", v_klast, 1, {3}, false, "normal, the last row v (keys)", COHERENCE_SAME},
	{"subnormal", v_subnormal, 0, {0}, false, "below the smallest normal number", COHERENCE_WIDE},
	{"nearovf", v_nearovf, 1, {0.3}, false, "normal(0,s) times the largest number", COHERENCE_WIDE},
	{"meanbig", v_meanbig, 0, {0}, false, "mean over deviation as large as the type can show", COHERENCE_SAME},
	{"tiny", v_tiny, 1, {0x1p-10}, false, "normal(0,s)", COHERENCE_WIDE},
	{"zeros", v_zeros, 0, {0}, false, "+0", COHERENCE_MIXED},
	{"signedzero", v_signedzero, 0, {0}, false, "+0 and -0", COHERENCE_MIXED},
	{"ints", v_ints, 1, {8}, true, "integers -n..n", COHERENCE_SPIKE},
	{"mixed", v_mixed, 0, {0}, false, "normal, rows scaled by powers of two", COHERENCE_WIDE},
	{"neglogits", v_neglogits, 1, {5e4}, false, "about -v, half of them -inf", COHERENCE_WIDE},
	{"nan", v_nan, 1, {0.02}, false, "normal, NaN with probability p", COHERENCE_MIXED},
	{"inf", v_inf, 1, {0.02}, false, "normal, ±inf with probability p", COHERENCE_MIXED},
	{"ties", v_ties, 1, {4}, true, "n distinct values", COHERENCE_SPIKE},
	{"swamp", v_swamp, 0, {0}, false, "one 1 a row, the rest near -15.6", COHERENCE_SPIKE},
	{"index", v_index, 0, {0}, false, "a ramp that tells positions apart", COHERENCE_SPIKE},
	{"linear", v_linear, 2, {-8, 8}, false, "an even ramp along the row from a to b", COHERENCE_SPIKE},
	{"bits", v_bits, 0, {0}, false, "2^16 elements hold every 16-bit pattern, or every upper half of a 32-bit one", COHERENCE_MIXED},
	{"unitrows", NULL, 0, {0}, false, "normal, rows of unit norm", COHERENCE_MIXED},
};

static const struct value_class *find_class(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if (strcmp(classes[i].name, name) == 0)
			return &classes[i];
	return NULL;
}

/* Normal values of a deviation above this are wide once they are exponents of a softmax. */
#define WIDE_DEVIATION 2

enum coherence values_coherence(const struct value_spec *v)
{
	const struct value_class *c = find_class(v->name);

	if (!c)
		return COHERENCE_CONST;
	if (c->fn == v_uniform)
		return v->nargs < 2 || v->args[0] >= 0 || v->args[1] <= 0 ? COHERENCE_SAME : COHERENCE_MIXED;
	if (c->fn == v_normal && v->nargs > 1 && fabs(v->args[0]) > v->args[1])
		return COHERENCE_SAME;
	if (c->fn == v_normal && v->nargs > 1 && v->args[1] > WIDE_DEVIATION)
		return COHERENCE_WIDE;
	return c->coherence;
}

bool values_class_known(const char *name)
{
	return find_class(name) != NULL;
}

char *values_describe(void)
{
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		struct buf form = {0};

		buf_puts(&form, classes[i].name);
		for (int k = 0; k < classes[i].nargs; k++)
			buf_printf(&form, "%s%g", k ? "," : "(", classes[i].defaults[k]);
		if (classes[i].nargs)
			buf_putc(&form, ')');
		buf_printf(&b, "%-20s %s\n", form.s, classes[i].help);
		buf_free(&form);
	}
	return b.s;
}

static struct gen gen_new(const struct tensor *t, const struct value_class *c,
                          const struct value_spec *v, uint64_t seed, uint64_t stream)
{
	struct gen g = {.seed = seed, .stream = stream, .K = 1, .rows2 = 1};

	if (t->rank > 0 && t->dim[t->rank - 1] > 0)
		g.K = t->dim[t->rank - 1];
	if (t->rank > 1 && t->dim[t->rank - 2] > 0)
		g.rows2 = t->dim[t->rank - 2];
	g.dt = t->dt;
	g.p = dtype_precision(t->dt);
	g.emin = dtype_emin(t->dt);
	g.emax = dtype_emax(t->dt);
	g.max = dtype_max(t->dt);
	for (int k = 0; k < c->nargs; k++)
		g.a[k] = k < v->nargs ? v->args[k] : c->defaults[k];
	return g;
}

/* The offsets of elements in row-major order, without a division an element. */
struct walk {
	const struct tensor *t;
	int64_t at[TENSOR_MAX_RANK], offset;
};

static struct walk walk_new(const struct tensor *t)
{
	return (struct walk){.t = t, .offset = t->offset};
}

static void walk_next(struct walk *w)
{
	for (int k = w->t->rank - 1; k >= 0; k--) {
		w->offset += w->t->stride[k];
		if (++w->at[k] < w->t->dim[k])
			return;
		w->offset -= w->t->stride[k] * w->t->dim[k];
		w->at[k] = 0;
	}
}

static void put(struct tensor *t, int64_t offset, double v)
{
	dtype_store(t->dt, t->data + (size_t)offset * (size_t)dtype_bytes(t->dt),
	            dtype_encode(t->dt, v, RND_NE, false));
}

/* Rows of unit Euclidean norm: normals divided by the root of the sum of their squares. */
static void fill_unit_rows(struct tensor *t, const struct gen *g)
{
	int64_t n = tensor_count(t);
	struct walk w = walk_new(t);

	for (int64_t row = 0; row < n; row += g->K) {
		double s = 0;

		for (int64_t c = 0; c < g->K; c++) {
			double z = normal(g, row + c);

			s += z * z;
		}
		for (int64_t c = 0; c < g->K; c++, walk_next(&w))
			put(t, w.offset, s > 0 ? normal(g, row + c) / sqrt(s) : 0);
	}
}

static void fill_integers(struct tensor *t, uint64_t seed, uint64_t stream,
                          const struct op_int_domain *d)
{
	int64_t n = tensor_count(t);
	uint64_t span = (uint64_t)d->hi - (uint64_t)d->lo + 1;
	struct walk w = walk_new(t);

	for (int64_t i = 0; i < n; i++, walk_next(&w)) {
		uint64_t r = rand_u64(seed, 16 * stream, (uint64_t)i);
		int64_t v = d->lo + (int64_t)(span ? r % span : r);

		if (d->nextra > 0 && r >> 60 == 0)
			v = d->extra[(r >> 32) % (uint64_t)d->nextra];
		dtype_store(t->dt, t->data + (size_t)w.offset * (size_t)dtype_bytes(t->dt), (uint64_t)v);
	}
}

enum st values_fill(struct tensor *t, const struct value_spec *v, uint64_t seed, uint64_t stream,
                    const struct op_int_domain *dom, const char *name, struct err *e)
{
	const struct value_class *c = find_class(v->name);
	struct walk w = walk_new(t);
	int64_t n = tensor_count(t);
	struct gen g;

	if (!dtype_is_float(t->dt)) {
		static const struct op_int_domain small = {.lo = 0, .hi = 7};

		fill_integers(t, seed, stream, dom ? dom : &small);
		return ST_OK;
	}
	if (!c)
		return FAIL(e, INPUT, "values of %s: unknown class '%s'; `gpuemu inputs --classes` lists "
		            "them", name, v->name);
	if (v->nargs > c->nargs)
		return FAIL(e, INPUT, "values of %s: %s takes %d arguments, not %d", name, v->name,
		            c->nargs, v->nargs);
	g = gen_new(t, c, v, seed, stream);
	if (c->positive && !(g.a[0] >= 1 && g.a[0] <= 1e9))
		return FAIL(e, INPUT, "values of %s: the argument of %s must lie in 1..1e9", name, v->name);
	if (!c->fn)
		fill_unit_rows(t, &g);
	for (int64_t i = 0; c->fn && i < n; i++, walk_next(&w))
		put(t, w.offset, c->fn(&g, i));
	return ST_OK;
}
