/* judge.c - verdicts on the outputs of a kernel by the rule of design.md §3: an element passes if
 * and only if cast(z - T·u·S) <= y <= cast(z + T·u·S), that is, if the exact value z lies within
 * T·u·S of the reals that round to y. */
#include "oracles/judge_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- families, envelopes, verdicts ---- */

struct numerics numerics_default(void)
{
	return (struct numerics){.acc = DT_F32};
}

struct envelope envelope_provisional(double L)
{
	struct envelope v = {.T = 6 + L / 4, .provisional = true, .name = "provisional"};

	return v;
}

const char *verdict_name(enum verdict v)
{
	static const char *const name[V_COUNT] = {
	        [V_PASS] = "PASS",
	        [V_FAIL] = "FAIL",
	        [V_UNKNOWN] = "UNKNOWN",
	        [V_UNSUPPORTED] = "UNSUPPORTED",
	};

	return name[v];
}

/* The verdict of two parts together: one FAIL is a FAIL; a part that was not decided, or could not
 * be, never becomes a PASS. */
enum verdict verdict_and(enum verdict a, enum verdict b)
{
	/* clang-format off */
	static const enum verdict and[V_COUNT][V_COUNT] = {
		/*                 PASS           FAIL    UNKNOWN    UNSUPPORTED */
		[V_PASS] =        {V_PASS,        V_FAIL, V_UNKNOWN, V_UNSUPPORTED},
		[V_FAIL] =        {V_FAIL,        V_FAIL, V_FAIL,    V_FAIL},
		[V_UNKNOWN] =     {V_UNKNOWN,     V_FAIL, V_UNKNOWN, V_UNKNOWN},
		[V_UNSUPPORTED] = {V_UNSUPPORTED, V_FAIL, V_UNKNOWN, V_UNSUPPORTED},
	};
	/* clang-format on */

	return and[a][b];
}

/* ---- one judging ---- */

/* An enclosure narrower than u·S over this tells r well enough to find the largest. */
#define TELLS_R 4096

struct judging {
	struct oracle *o;
	const struct tensor *const *in, *const *y;
	const struct envelope *env;
	struct judgement *j;
	double u;
	bool exact; /* contract exact: bitwise */
	double q_wrong, q_expected, q_near;
	struct judge_element most; /* the element of r_max */
	struct exact *x;           /* for the elements that need MPFR */
	double most_r;
	struct err *e;
};

/* One output, in chunks. */
struct output {
	struct judging *g;
	const struct oracle_out *z;
	const struct tensor *y;
	int k;
	bool contiguous;
	double *values; /* gathered when not contiguous */
	bool scanned;   /* the type has doubles as edges of its cells */
	struct scan_in scan;
};

static const struct judge_loops *loops(void)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return &judge_loops_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &judge_loops_avx2;
	return &judge_loops_sse2;
}

static uint64_t load_element(const struct tensor *y, int64_t i)
{
	return dtype_load(y->dt, y->data + tensor_index(y, i) * dtype_bytes(y->dt));
}

static struct judge_element element_of(const struct output *w, int64_t i)
{
	const struct judging *g = w->g;
	double S = w->z->S ? w->z->S[i] : 0; /* contract exact needs none */

	return (struct judge_element){
	        .inst = g->o->inst,
	        .in = g->in,
	        .output = w->k,
	        .element = i,
	        .t = w->y->dt,
	        .got = load_element(w->y, i),
	        .z = w->z->z[i],
	        .rad = w->z->rad[i],
	        .S = S,
	        .tol = S * g->u * g->env->T,
	        .u = g->u,
	        .exact = g->x,
	};
}

/* Remembers the element of the largest scaled error; equal ones: the first. */
static void note_r(struct judging *g, const struct judge_element *el, double r)
{
	if (r > g->most_r) {
		g->most_r = r;
		g->most = *el;
	}
}

/* ---- single elements ---- */

/* What an element whose exact result is of another class than finite must be. */
static bool class_right(const struct judge_element *el, enum el_status status)
{
	double x = status == EL_NAN ? NAN : status == EL_POS_INF ? INFINITY : -INFINITY;
	uint64_t want = dtype_encode(el->t, x, RND_NE, false);

	if (dtype_is_float(el->t) && isnan(dtype_decode(el->t, want)))
		return isnan(dtype_decode(el->t, el->got));
	return el->got == want;
}

static void show(const struct output *w, const struct judge_element *el, enum el_status status,
                 struct judged *s)
{
	const struct tensor *y = w->y;
	int64_t i = el->element;

	*s = (struct judged){.output = w->k,
	                     .element = i,
	                     .rank = y->rank,
	                     .got = el->got,
	                     .r = INFINITY,
	                     .S = status == EL_FINITE ? el->S : NAN,
	                     .tol = status == EL_FINITE ? el->tol : NAN,
	                     .ulps = UINT64_MAX,
	                     .status = status};
	for (int d = y->rank - 1; d >= 0; d--) {
		s->index[d] = i % y->dim[d];
		i /= y->dim[d];
	}
	if (status != EL_FINITE) {
		s->exact = status == EL_NAN ? NAN : status == EL_POS_INF ? INFINITY : -INFINITY;
		s->want = s->lo = s->hi = dtype_encode(el->t, s->exact, RND_NE, false);
	}
}

/* Counts a wrong element and keeps it when it is among the first. */
static enum st wrong(const struct output *w, const struct judge_element *el, enum el_status status)
{
	struct judging *g = w->g;
	struct judgement *j = g->j;
	struct cell c;
	double r = INFINITY;

	j->failed++;
	if (g->env->hasty)
		return ST_OK;
	if (status == EL_FINITE && !g->exact && cell_of(el->t, el->got, el->z, &c)) {
		double d = fmax(fmax(el->z - c.hi, c.lo - el->z), 0);

		if (d > 0 && el->S > 0)
			r = d / (el->S * el->u);
	}
	note_r(g, el, r);
	if (j->nshown == JUDGE_MAX_SHOWN)
		return ST_OK;
	show(w, el, status, &j->shown[j->nshown]);
	if (status == EL_FINITE)
		TRY(judge_describe(el, &j->shown[j->nshown], g->e));
	if (g->exact)
		j->shown[j->nshown].r = INFINITY;
	j->nshown++;
	return ST_OK;
}

/* Nothing more is asked of a hasty judging that has found an error. */
static bool answered(const struct judging *g)
{
	return g->env->hasty && g->j->failed > 0;
}

/* Elements that are no number, or cannot be judged. */
static enum st judge_class(const struct output *w, const struct judge_element *el,
                           enum el_status status)
{
	struct judgement *j = w->g->j;

	switch (status) {
	case EL_ANY:
		return ST_OK;
	case EL_OUT:
		j->out_of_contract++;
		return ST_OK;
	case EL_ILL:
		j->ill++;
		return ST_OK;
	case EL_UNKNOWN:
		j->unknown++;
		return ST_OK;
	default:
		return class_right(el, status) ? ST_OK : wrong(w, el, status);
	}
}

/* Contract exact: the bits of the correctly rounded result; of a NaN the class. */
static enum st judge_bitwise(const struct output *w, const struct judge_element *el)
{
	enum el_status status;
	uint64_t want;
	bool escalated;

	TRY(judge_rounded(el, &want, &escalated, &status, w->g->e));
	w->g->o->mpfr_elements += escalated;
	if (status != EL_FINITE)
		return judge_class(w, el, status);
	return want == el->got ? ST_OK : wrong(w, el, EL_FINITE);
}

static enum st judge_finite(const struct output *w, struct judge_element *el)
{
	struct judging *g = w->g;
	enum el_status status = EL_FINITE;
	struct cell c;
	bool open, pass;

	if (!(el->S < INFINITY))
		return judge_class(w, el, EL_ILL);
	if (!cell_of(el->t, el->got, el->z, &c))
		return wrong(w, el, EL_FINITE);
	pass = judge_by_enclosure(el, &c, &open);
	/* of an f64 the enclosure in double may tell the verdict, but not the scaled error */
	open |= el->t == DT_F64 && el->rad * TELLS_R > el->S * el->u;
	if (open) {
		g->o->mpfr_elements++;
		TRY(judge_by_mpfr(el, &c, &pass, &status, g->e));
	}
	if (status != EL_FINITE)
		return judge_class(w, el, status);
	if (!pass)
		return wrong(w, el, EL_FINITE);
	if (el->S > 0)
		note_r(g, el, judge_distance(el, &c) / (el->S * el->u));
	return ST_OK;
}

static enum st judge_one(const struct output *w, int64_t i)
{
	struct judge_element el = element_of(w, i);
	enum el_status status = w->z->status[i];

	if (status != EL_FINITE)
		return judge_class(w, &el, status);
	return w->g->exact ? judge_bitwise(w, &el) : judge_finite(w, &el);
}

/* ---- chunks ---- */

static bool all_finite(const uint8_t *status, size_t n)
{
	uint8_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= status[i];
	return any == 0; /* EL_FINITE */
}

/* Copies a chunk that is short or has elements that are no numbers; those become harmless (0 = 0, S
 * = 0, which is no loss of power and no error). */
struct chunk_copy {
	double y[JUDGE_CHUNK], z[JUDGE_CHUNK], rad[JUDGE_CHUNK], S[JUDGE_CHUNK];
};

static void copy_chunk(struct chunk_copy *c, struct scan_in *in, const uint8_t *status, size_t n)
{
	size_t padded = (n + 7) / 8 * 8;

	for (size_t i = 0; i < padded; i++) {
		bool use = i < n && status[i] == EL_FINITE;

		c->y[i] = use ? in->y[i] : 0;
		c->z[i] = use ? in->z[i] : 0;
		c->rad[i] = use ? in->rad[i] : 0;
		c->S[i] = use ? in->S[i] : 0;
	}
	in->y = c->y;
	in->z = c->z;
	in->rad = c->rad;
	in->S = c->S;
	in->n = padded;
}

/* In the order of the elements, so that the sum does not depend on the vector's width. */
static double sum_expected(const double *x, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += x[i] > 0 ? x[i] : 0; /* 0/0: no S, no ulp */
	return s;
}

static enum st judge_chunk(struct output *w, int64_t at, size_t n)
{
	struct judging *g = w->g;
	struct scan_in in = w->scan;
	const uint8_t *status = w->z->status + at;
	double y[JUDGE_CHUNK];
	struct chunk_copy copy;
	struct scan_out out;

	in.n = n;
	in.z = w->z->z + at;
	in.rad = w->z->rad + at;
	in.S = w->z->S + at;
	in.y = y;
	if (w->contiguous)
		dtype_decode_n(w->y->dt, w->y->data + (w->y->offset + at) * dtype_bytes(w->y->dt),
		               y, n);
	else
		in.y = w->values + at;
	if (n % 8 || !all_finite(status, n))
		copy_chunk(&copy, &in, status, n);
	loops()->scan(&in, &out);
	g->j->no_power_elements += out.no_power;
	if (dtype_bytes(w->y->dt) == 2) {
		g->q_wrong += out.misrounded;
		g->q_near += out.near;
		g->q_expected += sum_expected(out.expected, in.n);
	}
	if (out.passed == (int64_t)n && in.y != copy.y && !(out.r_max > g->most_r))
		return ST_OK;
	for (size_t i = 0; i < n && !answered(g); i++) {
		struct judge_element el;

		if (!out.pass[i] || status[i] != EL_FINITE) {
			TRY(judge_one(w, at + i));
		} else if (out.r[i] > g->most_r) {
			el = element_of(w, at + i);
			note_r(g, &el, out.r[i]);
		}
	}
	return ST_OK;
}

static bool is_contiguous(const struct tensor *t)
{
	int64_t n = 1;

	for (int k = t->rank - 1; k >= 0; k--) {
		if (t->dim[k] != 1 && t->stride[k] != n)
			return false;
		n *= t->dim[k];
	}
	return true;
}

static enum st judge_scanned(struct output *w)
{
	int64_t n = w->z->n;

	w->contiguous = is_contiguous(w->y);
	if (!w->contiguous && n > 0) {
		w->values = mem_alloc(n * sizeof *w->values);
		tensor_gather(w->y, w->values);
	}
	for (int64_t at = 0; at < n && !answered(w->g); at += JUDGE_CHUNK) {
		size_t m = n - at < JUDGE_CHUNK ? (size_t)(n - at) : JUDGE_CHUNK;

		TRY(judge_chunk(w, at, m));
	}
	return ST_OK;
}

static enum st judge_output(struct judging *g, int k, const struct tensor *y)
{
	const struct op_schema *s = op_schema(op_inst_op(g->o->inst));
	struct output w = {.g = g, .z = &g->o->out[k], .y = y, .k = k};
	bool is_float = dtype_is_float(y->dt);
	enum st rc = ST_OK;

	if (tensor_count(y) != w.z->n)
		return FAIL(g->e, INPUT, "output %s has %lld elements, the operator gives %lld",
		            s->tensors[s->nin + k].name, (long long)tensor_count(y),
		            (long long)w.z->n);
	if (!w.z->S && !g->exact)
		return FAIL(g->e, BUG, "the oracle was evaluated without its error scale");
	g->j->n += w.z->n;
	w.scan = (struct scan_in){.T = g->env->T, .u = g->u, .p = dtype_precision(y->dt)};
	if (is_float && y->dt != DT_F64 && !g->exact) {
		w.scan.min_normal = ldexp(1, dtype_emin(y->dt));
		rc = judge_scanned(&w);
		free(w.values);
		return rc;
	}
	for (int64_t i = 0; i < w.z->n && !answered(g); i++)
		TRY(judge_one(&w, i));
	return ST_OK;
}

/* ---- the verdict ---- */

/* Limit of the misrounding ratio q, of what is rounded wrongly to what an error of u·S explains: where
 * z lies anywhere between two boundaries, e = the sum of min(1, u·S/ulp), and 2e elements lie within
 * u·S of one; where more do, because z crowds there as sums and differences of 16-bit inputs do, each of
 * the others may be rounded wrongly, too (facts of error analysis: good kernels stay below 0.55 for L <=
 * 32; 2 is recommended where at least 20 misroundings are expected at an error of u·S). An envelope
 * that lets errors grow with L beyond its value at L = 8, T = 8, lets q grow alike. */
static double q_limit(const struct judging *g)
{
	return 2 * fmax(1, g->env->T / 8);
}

static void judge_q(struct judging *g)
{
	double expected = fmax(g->q_expected, g->q_near - g->q_expected);

	g->j->q = expected >= 20 ? g->q_wrong / expected : NAN;
	g->j->q_failed = g->j->q > q_limit(g);
}

static enum st judge_largest(struct judging *g)
{
	struct judgement *j = g->j;

	if (!(g->most_r > 0))
		return ST_OK;
	j->r_max_element = g->most.element;
	j->r_max_output = g->most.output;
	j->r_max = INFINITY;
	return isinf(g->most_r) ? ST_OK : judge_r(&g->most, &j->r_max, g->e);
}

static void explain_failure(struct judging *g)
{
	const struct op_schema *s = op_schema(op_inst_op(g->o->inst));
	struct judgement *j = g->j;
	const struct judged *w = &j->shown[0];
	size_t n = 0;

	if (j->nshown == 0) {
		snprintf(j->reason, sizeof j->reason,
		         "misrounding ratio q = %.3g: so many times more results are rounded wrongly than an "
		         "error of u*S explains; the limit is %.3g",
		         j->q, q_limit(g));
		return;
	}
	n += snprintf(j->reason, sizeof j->reason, "%lld of %lld element%s wrong; %s[",
	              (long long)j->failed, (long long)j->n,
	              j->failed > 1 ? "s are" : j->n > 1 ? "s is" : " is",
	              s->tensors[s->nin + w->output].name);
	for (int d = 0; d < w->rank && n < sizeof j->reason; d++)
		n += snprintf(j->reason + n, sizeof j->reason - n, "%s%lld", d ? "," : "",
		              (long long)w->index[d]);
	if (n < sizeof j->reason)
		snprintf(j->reason + n, sizeof j->reason - n,
		         "] is %.6g, exact %.6g (r = %.3g, T = %.3g)",
		         dtype_decode(g->y[w->output]->dt, w->got), w->exact, w->r, g->env->T);
}

static void conclude(struct judging *g)
{
	struct judgement *j = g->j;

	if (j->failed || j->q_failed) {
		j->verdict = V_FAIL;
		explain_failure(g);
	} else if (j->unknown) {
		j->verdict = V_UNKNOWN;
		snprintf(j->reason, sizeof j->reason, "%lld elements were not decided at %d bits",
		         (long long)j->unknown, JUDGE_MAX_PREC);
	} else if (j->n && j->out_of_contract + j->ill == j->n) {
		j->verdict = V_UNKNOWN;
		snprintf(j->reason, sizeof j->reason, "every element is %s",
		         j->ill == 0               ? "out of contract: an intermediate overflows"
		         : j->out_of_contract == 0 ? "ill-conditioned"
		                                   : "out of contract or ill-conditioned");
	}
}

enum st oracle_judge(struct oracle *o, const struct tensor *const in[],
                     const struct tensor *const y[], const struct envelope *env,
                     struct judgement *j, struct err *e)
{
	struct judging g = {.o = o, .in = in, .y = y, .env = env, .j = j, .e = e};

	enum st rc = ST_OK;

	thread_at_exit(mpfr_free_cache);
	memset(j, 0, sizeof *j);
	j->verdict = V_PASS;
	g.u = dtype_u(o->num.acc);
	g.exact = op_schema(op_inst_op(o->inst))->exact;
	g.x = oracle_exact_open(o->inst, in);
	for (int k = 0; k < o->nout; k++)
		TRY_OR(done, rc, judge_output(&g, k, y[k]));
	if (answered(&g)) {
		j->verdict = V_FAIL;
		goto done;
	}
	judge_q(&g);
	TRY_OR(done, rc, judge_largest(&g));
	conclude(&g);
done:
	oracle_exact_close(g.x);
	return rc;
}
