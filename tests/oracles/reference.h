/* reference.h - what the tests against hand-written MPFR references share: values of every kind,
 * running the oracle on a case, and the claims that are checked.  A reference computes all elements
 * of the output from the decoded inputs, straight from the mathematics, never through the
 * operator's text.
 *
 * Claims, for every element: where the oracle says EL_FINITE, |exact - z| <= rad; where it says NaN
 * or an infinity the reference has the same class, and conversely; a sample of elements is
 * evaluated by oracle_exact, whose interval must contain the reference. Sums are exact at 700 bits
 * (products of f32 lie between 2^-298 and 2^256), functions have 300 bits. */
#ifndef TESTS_ORACLES_REFERENCE_H
#define TESTS_ORACLES_REFERENCE_H

#include <mpfr.h>

#include "oracles/oracles.h"
#include "tests/check.h"

enum { REF_BITS = 300, SUM_BITS = 700, REF_MAX_ELEMENTS = 1 << 15 };

/* Values. TAME ones never bring an intermediate out of range or make a denominator uncertain. */
enum values {
	VAL_NORMAL,
	VAL_UNIFORM,
	VAL_FEW_DIGITS, /* ties, integers, halves */
	VAL_TINY,
	VAL_TAME_COUNT,
	VAL_ZEROS = VAL_TAME_COUNT, /* ±0 and a few ones */
	VAL_WIDE,                   /* all exponents of the type */
	VAL_CANCEL,                 /* neighbours cancel but for the last digits */
	VAL_SUBNORMAL,
	VAL_NEAR_MAX,
	VAL_LOGITS,   /* up to ±2^20 */
	VAL_CONSTANT, /* one value a row */
	VAL_MAX_LAST,
	VAL_OFFSET,  /* mean large against the spread */
	VAL_SPECIAL, /* now and then NaN or an infinity */
	VAL_NEG_INF, /* half of it -inf */
	VAL_BITS,    /* any encoding */
	VAL_COUNT
};

struct ref_input {
	bool present;
	struct tensor t;
	double *x; /* decoded */
};

struct ref_case {
	const struct op *op;
	const struct op_schema *s;
	struct op_binding b;
	struct op_inst *inst;
	struct ref_input in[OP_MAX_TENSORS];
	const struct tensor *views[OP_MAX_TENSORS];
	enum values values;
	uint64_t seed;
	int output; /* the one that is checked; set_up chooses it before ref_fill, 0 by default */
	int64_t n;  /* its elements */
};

typedef void reference(const struct ref_case *c, mpfr_t *y);

/* Element i (in rows of `row` elements) of a tensor of type t. */
static double ref_value(enum values v, enum dtype t, uint64_t seed, uint64_t stream, int64_t i,
                        int64_t row)
{
	uint64_t w = rand_u64(seed, 100 + stream, i), wr = rand_u64(seed, 200 + stream, i / row);
	double u = rand_unit(seed, 300 + stream, i), sign = w & 1 ? -1 : 1;
	double normal =
	        (u + rand_unit(seed, 400 + stream, i) + rand_unit(seed, 500 + stream, i) - 1.5) * 2;
	double max = dtype_max(t);
	int emin = dtype_emin(t), p = dtype_precision(t);

	switch (v) {
	case VAL_UNIFORM:
		return u;
	case VAL_FEW_DIGITS:
		return (double)(int64_t)(w >> 8 & 31) / 4 - 4;
	case VAL_TINY:
		return normal * 1e-3;
	case VAL_ZEROS:
		return w >> 8 & 7 ? sign * 0 : sign;
	case VAL_WIDE:
		return sign * ldexp(1 + u, emin - p + (int)((w >> 8) % (dtype_emax(t) - emin + p)));
	case VAL_CANCEL:
		u = rand_unit(seed, 300 + stream, i / 2) + 1;
		return (i & 1 ? -u : u) * (double)(1 << (w >> 60)) + normal * ldexp(1, -p);
	case VAL_SUBNORMAL:
		return sign * ldexp(u, emin + (int)(w >> 8 & 1));
	case VAL_NEAR_MAX:
		return sign * max * (w >> 8 & 3 ? u : 1);
	case VAL_LOGITS:
		return normal * ldexp(1, (int)(w >> 8) % 20);
	case VAL_CONSTANT:
		return (double)(wr >> 40) * 0x1p-20 - 8;
	case VAL_MAX_LAST:
		return i % row == row - 1 ? 20 + u : normal;
	case VAL_OFFSET:
		return normal + ldexp(1, p - 3);
	case VAL_SPECIAL:
		return w >> 8 & 15 || wr & 1 ? normal : w >> 12 & 1 ? NAN : sign * INFINITY;
	case VAL_NEG_INF:
		return w >> 8 & 1 || !(wr & 3) ? -INFINITY : normal * 8;
	case VAL_BITS:
		return dtype_decode(t, w >> (64 - 8 * dtype_bytes(t)));
	default:
		return normal;
	}
}

static int ref_dim(const struct ref_case *c, const char *name)
{
	for (int i = 0; i < c->s->ndims; i++)
		if (!strcmp(c->s->dims[i].name, name))
			return i;
	fail_msg("no dim %s", name);
	return 0;
}

static int64_t ref_size(const struct ref_case *c, const char *name)
{
	return op_inst_binding(c->inst)->dims[ref_dim(c, name)];
}

static int ref_param_number(const struct ref_case *c, const char *name)
{
	for (int i = 0; i < c->s->nparams; i++)
		if (!strcmp(c->s->params[i].name, name))
			return i;
	fail_msg("no param %s", name);
	return 0;
}

/* As passed to the kernel: rounded to the parameter's type. */
static double ref_param(const struct ref_case *c, const char *name)
{
	return op_inst_binding(c->inst)->params[ref_param_number(c, name)];
}

/* Sets size NAME=value, … of a case by the schema's names. */
static void ref_set(struct ref_case *c, const char *name, int64_t value)
{
	c->b.dims[ref_dim(c, name)] = value;
}

static void ref_begin(struct ref_case *c, const char *op, enum dtype t, enum values v,
                      uint64_t seed)
{
	memset(c, 0, sizeof *c);
	c->op = op_builtin(op);
	check_true(c->op != NULL, "no operator %s", op);
	c->s = op_schema(c->op);
	c->values = v;
	c->seed = seed;
	for (int i = 0; i < c->s->ntypes; i++)
		c->b.types[i] = t;
	for (int i = 0; i < c->s->ntensors; i++)
		c->b.present[i] = true;
}

/* Storage for the tensor: contiguous, or for every fifth seed with holes of two elements, which
 * hold NaN, between any two. */
static void ref_store(struct ref_case *c, struct tensor *t, int64_t n)
{
	int64_t step = c->seed % 5 == 0 ? 3 : 1, all = n * step + step;
	int bytes = dtype_bytes(t->dt);

	for (int k = 0; k < t->rank; k++)
		t->stride[k] *= step;
	t->offset = step - 1;
	t->bytes = (size_t)(all * bytes);
	t->data = mem_alloc(t->bytes);
	memset(t->data, 0xff, t->bytes);
}

/* An integer input's element: any of the values it may take, those beside the range every eighth
 * time. */
static int64_t ref_integer(const struct ref_case *c, int input, int64_t i)
{
	uint64_t w = rand_u64(c->seed, 600 + input, i);
	struct op_int_domain d;

	assert_true(op_inst_int_domain(c->inst, input, &d));
	if (d.nextra > 0 && w % 8 == 0)
		return d.extra[(w >> 32) % d.nextra];
	return d.lo + (int64_t)((w >> 8) % (uint64_t)(d.hi - d.lo + 1));
}

/* Binds the sizes and fills the inputs with values of the case's class. */
static void ref_fill(struct ref_case *c)
{
	struct err e = {0};
	struct tensor out;

	check_ok(op_bind(c->op, &c->b, &c->inst, &e), &e);
	for (int k = 0; k < c->s->nin; k++) {
		struct ref_input *in = &c->in[k];
		struct tensor *t = &in->t;
		int64_t n, row;

		in->present = c->b.present[k];
		if (!in->present)
			continue;
		*t = op_inst_tensor(c->inst, k);
		n = tensor_count(t);
		row = t->rank && t->dim[t->rank - 1] ? t->dim[t->rank - 1] : 1;
		in->x = mem_zalloc(n + 1, sizeof *in->x);
		ref_store(c, t, n);
		for (int64_t i = 0; i < n; i++) {
			double x = dtype_is_float(t->dt)
			                   ? ref_value(c->values, t->dt, c->seed, k, i, row)
			                   : (double)ref_integer(c, k, i);

			dtype_store(t->dt, t->data + tensor_index(t, i) * dtype_bytes(t->dt),
			            dtype_encode(t->dt, x, RND_NE, isfinite(x)));
		}
		tensor_gather(t, in->x);
		c->views[k] = t;
	}
	out = op_inst_tensor(c->inst, c->s->nin + c->output);
	c->n = tensor_count(&out);
	assert_true(c->n <= REF_MAX_ELEMENTS);
}

static void ref_end(struct ref_case *c)
{
	for (int k = 0; k < c->s->nin; k++) {
		free(c->in[k].x);
		free(c->in[k].t.data);
	}
	op_inst_free(c->inst);
}

/* ---- claims ---- */

struct ref_totals {
	int64_t elements, finite, out, ill, open, exact_calls;
	double worst; /* largest |exact - z|/rad */
};

static const char *ref_where(const struct ref_case *c, int64_t i)
{
	static char text[200];
	int n = snprintf(text, sizeof text, "%s/%s values %d seed %" PRIu64, c->s->name,
	                 dtype_name(c->b.types[0]), c->values, c->seed);

	for (int d = 0; d < c->s->ndims; d++)
		n += snprintf(text + n, sizeof text - n, " %s=%" PRId64, c->s->dims[d].name,
		              op_inst_binding(c->inst)->dims[d]);
	snprintf(text + n, sizeof text - n, " element %" PRId64, i);
	return text;
}

static enum el_status ref_class(const mpfr_t y)
{
	if (mpfr_nan_p(y))
		return EL_NAN;
	if (mpfr_inf_p(y))
		return mpfr_sgn(y) > 0 ? EL_POS_INF : EL_NEG_INF;
	return EL_FINITE;
}

/* |y - z| <= rad, but for the reference's own error of 2^-250 of y. */
static void ref_check_enclosure(const struct ref_case *c, int64_t i, const mpfr_t y, double z,
                                double rad, struct ref_totals *t)
{
	mpfr_t d, bound;
	double q;

	mpfr_init2(d, 800);
	mpfr_init2(bound, 300);
	mpfr_sub_d(d, y, z, MPFR_RNDN);
	mpfr_abs(bound, y, MPFR_RNDN);
	mpfr_mul_2si(bound, bound, -250, MPFR_RNDN);
	mpfr_add_d(bound, bound, rad, MPFR_RNDD);
	check_true(mpfr_cmpabs(d, bound) <= 0, "%s: exact %.17g, z = %a, rad = %a", ref_where(c, i),
	           mpfr_get_d(y, MPFR_RNDN), z, rad);
	if (rad > 0) {
		mpfr_div_d(d, d, rad, MPFR_RNDN);
		q = fabs(mpfr_get_d(d, MPFR_RNDN));
		t->worst = q > t->worst ? q : t->worst;
	}
	mpfr_clear(d);
	mpfr_clear(bound);
}

/* lo <= y <= hi, widened by the reference's own error; where it underflowed there is nothing to
 * compare. */
static void ref_check_exact(const struct ref_case *c, int64_t i, const mpfr_t y,
                            struct ref_totals *t)
{
	enum el_status status;
	struct err e = {0};
	mpfr_t lo, hi, slack;

	mpfr_inits2(120, lo, hi, (mpfr_ptr)0);
	mpfr_init2(slack, 53);
	check_ok(oracle_exact(c->inst, c->views, c->output, i, 120, lo, hi, &status, &e), &e);
	t->exact_calls++;
	check_true(status == ref_class(y) || status == EL_UNKNOWN,
	           "%s: oracle_exact says %d, the class is %d", ref_where(c, i), status,
	           ref_class(y));
	if (status == EL_FINITE && !mpfr_zero_p(y)) {
		mpfr_set_prec(slack, 400);
		mpfr_mul_2si(slack, y, -250, MPFR_RNDN);
		mpfr_abs(slack, slack, MPFR_RNDN);
		mpfr_prec_round(lo, 800, MPFR_RNDN);
		mpfr_prec_round(hi, 800, MPFR_RNDN);
		mpfr_sub(lo, lo, slack, MPFR_RNDD);
		mpfr_add(hi, hi, slack, MPFR_RNDU);
		check_true(mpfr_cmp(lo, y) <= 0 && mpfr_cmp(y, hi) <= 0,
		           "%s: exact %.17g is outside [%.17g, %.17g]", ref_where(c, i),
		           mpfr_get_d(y, MPFR_RNDN), mpfr_get_d(lo, MPFR_RNDD),
		           mpfr_get_d(hi, MPFR_RNDU));
	}
	mpfr_clears(lo, hi, slack, (mpfr_ptr)0);
}

static void ref_check_element(const struct ref_case *c, const struct oracle_out *o, bool scale,
                              int64_t i, const mpfr_t y, struct ref_totals *t)
{
	enum el_status status = o->status[i], class = ref_class(y);

	if (status == EL_OUT || status == EL_ILL) {
		check_true(scale && c->values >= VAL_TAME_COUNT, "%s: tame values, status %d",
		           ref_where(c, i), status);
		t->out += status == EL_OUT;
		t->ill += status == EL_ILL;
		return;
	}
	if (status == EL_FINITE &&
	    isinf(o->rad[i])) { /* the enclosure leaves even the class open */
		t->open++;
		ref_check_exact(c, i, y, t);
		return;
	}
	check_true(status == class, "%s: status %d, but the exact value %.17g has class %d",
	           ref_where(c, i), status, mpfr_get_d(y, MPFR_RNDN), class);
	if (status != EL_FINITE)
		return;
	t->finite++;
	check_true(!scale || o->S[i] >= 0, "%s: S = %g", ref_where(c, i), o->S[i]);
	ref_check_enclosure(c, i, y, o->z[i], o->rad[i], t);
}

/* Evaluates the case with and without S and compares with the reference; every `sample`-th element
 * is also evaluated by oracle_exact. */
static void ref_check(const struct ref_case *c, reference *ref, int sample, struct ref_totals *t)
{
	mpfr_t *y = mem_alloc((c->n + 1) * sizeof *y);
	struct numerics num = numerics_default();
	struct err e = {0};

	for (int64_t i = 0; i < c->n; i++)
		mpfr_init2(y[i], REF_BITS);
	ref(c, y);
	for (int scale = 0; scale < 2; scale++) {
		struct oracle *o;

		check_ok(oracle_eval(c->inst, c->views, NULL, &num, 8, scale ? ORACLE_SCALE : 0, &o,
		                     &e),
		         &e);
		assert_true(o->nout > c->output && o->out[c->output].n == c->n);
		for (int64_t i = 0; i < c->n; i++)
			ref_check_element(c, &o->out[c->output], scale, i, y[i], t);
		oracle_free(o);
	}
	for (int64_t i = c->seed % sample; i < c->n; i += sample)
		ref_check_exact(c, i, y[i], t);
	t->elements += c->n;
	for (int64_t i = 0; i < c->n; i++)
		mpfr_clear(y[i]);
	free(y);
}

/* Elements wanted for each operator and type. */
static int64_t ref_wanted(void)
{
	return check_exhaustive() ? 400000 : 34000;
}

static void ref_report(const char *op, const struct ref_totals *t)
{
	print_message("%-12s %7" PRId64 " elements (%" PRId64
	              " by oracle_exact), out of contract %" PRId64 ", ill %" PRId64
	              ", open %" PRId64 "; largest |exact - z|/rad %.3f\n",
	              op, t->elements, t->exact_calls, t->out, t->ill, t->open, t->worst);
	assert_true(t->elements >= 100000 && t->finite > t->elements / 4);
}

static const enum dtype ref_types[] = {DT_F32, DT_F16, DT_BF16};

/* Cases of `op` in every float type until enough elements are checked; set_up chooses sizes and the like. */
static void ref_check_operator(const char *op, reference *ref,
                               void (*set_up)(struct ref_case *, uint64_t), int sample)
{
	struct ref_totals t = {0};
	struct ref_case c;

	for (size_t k = 0; k < ARRAY_LEN(ref_types); k++) {
		int64_t before = t.elements;

		for (uint64_t seed = 1; t.elements - before < ref_wanted(); seed++) {
			ref_begin(&c, op, ref_types[k], seed % VAL_COUNT, seed);
			set_up(&c, seed);
			ref_fill(&c);
			ref_check(&c, ref, sample, &t);
			ref_end(&c);
		}
	}
	ref_report(op, &t);
}

#endif
