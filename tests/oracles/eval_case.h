/* eval_case.h - an operator from its text on generated inputs; the enclosure against oracle_exact.
 */
#ifndef TESTS_ORACLES_EVAL_CASE_H
#define TESTS_ORACLES_EVAL_CASE_H

#include "oracles/scale.h"
#include "tests/check.h"

enum data {
	DATA_NORMAL,
	DATA_INTS,
	DATA_WIDE,
	DATA_SPECIAL,
	DATA_MASKED,
	DATA_EXTREME,
	DATA_COUNT
};

struct eval_case {
	struct op *op;
	struct op_inst *inst;
	struct tensor t[OP_MAX_TENSORS];
	const struct tensor *views[OP_MAX_TENSORS];
};

static double case_value(enum data d, uint64_t seed, int k, int64_t i)
{
	uint64_t w = rand_u64(seed, 1000 + (uint64_t)k, (uint64_t)i) >> 8;
	double u = 0;

	for (int j = 0; j < 4; j++)
		u += rand_unit(seed, (uint64_t)k, (uint64_t)(4 * i + j)) - 0.5;
	switch (d) {
	case DATA_INTS:
		return (double)(w % 9) - 4;
	case DATA_WIDE:
		return ldexp(u, (int)(w % 80) - 40);
	case DATA_SPECIAL:
		return w % 11 == 0   ? NAN
		       : w % 13 == 0 ? INFINITY
		       : w % 17 == 0 ? -INFINITY
		       : w % 7 == 0  ? -0.0
		                     : u;
	case DATA_MASKED:
		return w % 2 ? -INFINITY : 3 * u;
	case DATA_EXTREME:
		return ldexp(u, w % 3 == 0 ? 127 : w % 3 == 1 ? -140 : 3);
	default:
		return u;
	}
}

/* sizes: "R=3,C=5"; strided: every tensor lies with its axes reversed and a gap. */
static void case_open(struct eval_case *c, const char *text, const char *sizes, enum data d,
                      uint64_t seed, bool strided)
{
	struct op_binding b = {0};
	struct err e = {0};

	memset(c, 0, sizeof *c);
	check_ok(op_parse(text, strlen(text), "test", &c->op, &e), &e);
	const struct op_schema *s = op_schema(c->op);
	for (int i = 0; i < s->ndims; i++) {
		char name[40];
		snprintf(name, sizeof name, "%s=", s->dims[i].name);
		const char *p = strstr(sizes, name);
		b.dims[i] = p ? atoi(p + strlen(name)) : 0;
	}
	for (int i = 0; i < OP_MAX_TYPES; i++)
		b.types[i] = DT_F32;
	for (int i = 0; i < s->nin; i++)
		b.present[i] = !s->tensors[i].optional || strstr(sizes, "all") != NULL;
	check_ok(op_bind(c->op, &b, &c->inst, &e), &e);
	for (int k = 0; k < s->nin; k++) {
		struct tensor *t = &c->t[k];
		int64_t n, span = 1;
		if (!b.present[k])
			continue;
		*t = op_inst_tensor(c->inst, k);
		tensor_set_contiguous(t);
		for (int a = 0; strided && a < t->rank; a++) {
			t->stride[a] = span;
			span *= t->dim[a] + 1;
		}
		t->offset = strided ? 3 : 0;
		n = tensor_count(t);
		t->bytes = (size_t)(strided ? span + 4 : n) * (size_t)dtype_bytes(t->dt) + 64;
		t->data = mem_zalloc(t->bytes, 1);
		for (int64_t i = 0; i < n; i++) {
			uint8_t *p = t->data + tensor_index(t, i) * dtype_bytes(t->dt);
			struct op_int_domain q;
			uint64_t bits;
			if (dtype_is_float(t->dt)) {
				bits = dtype_encode(t->dt, case_value(d, seed, k, i), RND_NE,
				                    false);
			} else {
				check_true(op_inst_int_domain(c->inst, k, &q), "no domain");
				bits = (uint64_t)q.lo + rand_below(seed, 50 + (uint64_t)k,
				                                   (uint64_t)i,
				                                   (uint64_t)(q.hi - q.lo + 1));
				if (q.nextra && i % 3 == 1)
					bits = (uint64_t)q.extra[0];
			}
			dtype_store(t->dt, p, bits);
		}
		c->views[k] = t;
	}
}

static void case_close(struct eval_case *c)
{
	for (int k = 0; k < OP_MAX_TENSORS; k++)
		free(c->t[k].data);
	op_inst_free(c->inst);
	op_free(c->op);
}

static enum el_status case_class(enum el_status s, bool *scaled)
{
	*scaled = s == EL_OUT || s == EL_ILL;
	return *scaled ? EL_FINITE : s;
}

/* One element of one output. `tight`: the radius is far below what the scale allows. */
static void case_check_element(const struct eval_case *c, const struct oracle *o, int k, int64_t i,
                               bool tight, int64_t *open)
{
	const struct oracle_out *q = &o->out[k];
	enum el_status status, want;
	bool scaled;
	mpfr_t lo, hi, a, b;
	struct err e = {0};

	mpfr_inits2(300, lo, hi, (mpfr_ptr)0);
	mpfr_inits2(1200, a, b, (mpfr_ptr)0);
	check_ok(oracle_exact(c->inst, c->views, k, i, 300, lo, hi, &status, &e), &e);
	want = case_class(q->status[i], &scaled);
	if (want == EL_FINITE && isinf(q->rad[i])) {
		(*open)++;
	} else if (status != EL_UNKNOWN) {
		check_true(want == status, "%s[%" PRId64 "]: status %d, exact says %d",
		           op_schema(c->op)->name, i, q->status[i], status);
	}
	if (want == EL_FINITE && status == EL_FINITE && isfinite(q->rad[i])) {
		mpfr_set_d(a, q->z[i], MPFR_RNDN);
		mpfr_sub_d(b, a, q->rad[i], MPFR_RNDN);
		mpfr_add_d(a, a, q->rad[i], MPFR_RNDN);
		check_true(mpfr_cmp(b, lo) <= 0 && mpfr_cmp(a, hi) >= 0,
		           "%s[%" PRId64 "]: z = %.17g, rad = %g, exact %.17g",
		           op_schema(c->op)->name, i, q->z[i], q->rad[i],
		           mpfr_get_d(lo, MPFR_RNDN));
		if (tight && q->S && q->status[i] == EL_FINITE)
			check_true(q->rad[i] <= 1e-3 * 0x1p-24 * q->S[i] + 1e-300,
			           "%s[%" PRId64 "]: rad = %g, S = %g", op_schema(c->op)->name, i,
			           q->rad[i], q->S[i]);
	}
	mpfr_clears(lo, hi, a, b, (mpfr_ptr)0);
}

/* About forty elements of each output; returns how many the enclosure leaves open. */
static int64_t case_check(const char *text, const char *sizes, enum data d, uint64_t seed,
                          bool strided, unsigned flags)
{
	struct numerics num = numerics_default();
	struct eval_case c;
	struct oracle *o;
	struct err e = {0};
	int64_t open = 0;

	case_open(&c, text, sizes, d, seed, strided);
	check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, flags, &o, &e), &e);
	for (int k = 0; k < o->nout; k++)
		for (int64_t i = 0, step = o->out[k].n / 40 + 1; i < o->out[k].n; i += step)
			case_check_element(&c, o, k, i, d == DATA_NORMAL, &open);
	oracle_free(o);
	case_close(&c);
	return open;
}

#endif
