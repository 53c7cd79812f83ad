/* eval_fn.c - elementary functions of a chunk: value and radius from vecmath's bounds, scale by its
 * rules. */
#include <string.h>

#include "oracles/eval.h"
#include "oracles/exact.h"
#include "oracles/vecmath.h"

/* 2/sqrt(pi), 1/ln 2, ln 2, rounded up in the last place. */
#define TWO_OVER_SQRT_PI 0x1.20dd750429b6ep+0
#define ONE_OVER_LN2     0x1.71547652b82ffp+0
#define LN2              0x1.62e42fefa39f0p-1

/* What 1 + erf and 1 + tanh are made from, in lanes of x. */
static void companion(enum lang_fn f, int n, const double *a, double *t)
{
	for (int i = 0; i < n; i++)
		t[i] = f == FN_ERFP1 ? fabs(a[i]) : -2 * a[i];
	(f == FN_ERFP1 ? vm_erfc : vm_exp)(t, t, (size_t)n);
}

static void round_integers(enum lang_fn f, int n, struct chunk z, struct chunk a)
{
	for (int i = 0; i < n; i++) {
		double lo = a.v[i] - a.r[i], hi = a.v[i] + a.r[i];
		double p = f == FN_FLOOR ? floor(lo) : rint(lo),
		       q = f == FN_FLOOR ? floor(hi) : rint(hi);
		z.v[i] = f == FN_FLOOR ? floor(a.v[i]) : rint(a.v[i]);
		z.r[i] = p == q ? 0 : q - p;
	}
}

static bool enclose_by_table(struct eval *x, struct enode *e, struct chunk a)
{
	bool odd = false;

	for (int i = 0; i < e->lanes; i++) {
		struct elem z = fix_table_fn(e->fn, eval_elem(&a, i));

		e->c.v[i] = z.v;
		e->c.r[i] = z.r;
		odd |= !elem_finite(z) || fabs(z.v) > x->lim;
	}
	return odd;
}

static bool enclose(struct eval *x, struct enode *e, struct chunk a, double *t)
{
	const struct eval_loops *l = x->loops;
	size_t n = (size_t)e->lanes;
	struct chunk z = e->c;

	switch (e->fn) {
	case FN_EXP:
		vm_exp(a.v, z.v, n);
		return l->exp_rad(n, z, a, VM_EXP_REL, 1, x->lim);
	case FN_EXP2:
		vm_exp2(a.v, z.v, n);
		return l->exp_rad(n, z, a, VM_EXP2_REL, LN2, x->lim);
	case FN_EXPM1:
		vm_expm1(a.v, z.v, n);
		return l->expm1_rad(n, z, a, x->lim);
	case FN_LOG:
		vm_log(a.v, z.v, n);
		return l->log_rad(n, z, a, VM_LOG_REL, 1, 0, x->lim);
	case FN_LOG2:
		vm_log2(a.v, z.v, n);
		return l->log_rad(n, z, a, VM_LOG2_REL, ONE_OVER_LN2, 0, x->lim);
	case FN_LOG1P:
		vm_log1p(a.v, z.v, n);
		return l->log_rad(n, z, a, VM_LOG1P_REL, 1, 1, x->lim);
	case FN_SQRT:
		return l->sqrt(n, z, a, e->arg[0]->nonneg, x->lim);
	case FN_RSQRT:
		return l->rsqrt(n, z, a, x->lim);
	case FN_TANH:
		vm_tanh(a.v, z.v, n);
		return l->bounded_rad(n, z, a, VM_TANH_REL, 1, x->lim);
	case FN_ERF:
		vm_erf(a.v, z.v, n);
		return l->bounded_rad(n, z, a, VM_ERF_REL, TWO_OVER_SQRT_PI, x->lim);
	case FN_SIN:
		vm_sin(a.v, z.v, n);
		return l->bounded_rad(n, z, a, VM_SIN_REL, 1, x->lim);
	case FN_COS:
		vm_cos(a.v, z.v, n);
		return l->bounded_rad(n, z, a, VM_COS_REL, 1, x->lim);
	case FN_ERFP1:
		companion(e->fn, e->lanes, a.v, t);
		return l->erfp1(n, z, a, t, x->lim);
	case FN_TANHP1:
		companion(e->fn, e->lanes, a.v, t);
		return l->tanhp1(n, z, a, t, x->lim);
	default:
		if (lang_fn_in_table(e->fn))
			return enclose_by_table(x, e, a);
		round_integers(e->fn, e->lanes, z, a);
		return true;
	}
}

/* ---- the scale --------------------------------------------------------------------------------
 */

/* g = expm1(ku·S(a))/ku. Beyond S(a)·ku = 300 everything is hopeless alike. */
static void growth(struct eval *x, int n, const double *s, double *g)
{
	if (!x->loops->s_growth((size_t)n, &x->k, g, s, 0))
		return;
	for (int i = 0; i < n; i++)
		g[i] = x->k.ku * s[i] < 300 ? x->k.ku * s[i] : isnan(s[i]) ? s[i] : 300;
	vm_expm1(g, g, (size_t)n);
	for (int i = 0; i < n; i++)
		g[i] /= x->k.ku;
}

/* Slopes and gaps of the saturating functions. erf: slope (2/sqrt(pi))·exp(-a²), gap erfc(|a|).
 * tanh: with E = exp(-2|a|), slope 4E/(1+E)², gap 2E/(1+E). */
static void saturation(enum lang_fn f, int n, const double *a, double *slope, double *gap)
{
	bool erf = f == FN_ERF || f == FN_ERFP1;

	for (int i = 0; i < n; i++) {
		slope[i] = erf ? -a[i] * a[i] : -2 * fabs(a[i]);
		gap[i] = fabs(a[i]);
	}
	vm_exp(slope, slope, (size_t)n);
	if (erf)
		vm_erfc(gap, gap, (size_t)n);
	for (int i = 0; i < n; i++) {
		double t = slope[i];
		if (!erf)
			gap[i] = 2 * t / (1 + t);
		slope[i] = erf ? TWO_OVER_SQRT_PI * t : 4 * t / ((1 + t) * (1 + t));
	}
}

static void slopes(enum lang_fn f, int n, struct chunk a, struct chunk z, double *t)
{
	for (int i = 0; i < n; i++)
		t[i] = f == FN_EXPM1 ? z.v[i] + 1 : 1;
	if (f == FN_SIN || f == FN_COS) {
		(f == FN_SIN ? vm_cos : vm_sin)(a.v, t, (size_t)n);
		for (int i = 0; i < n; i++)
			t[i] = fabs(t[i]);
	}
}

/* An exact operand moves nothing, however steep the function is. */
static void scale_table(const struct scale *k, enum lang_fn f, int n, struct chunk a, struct chunk z)
{
	for (int i = 0; i < n; i++) {
		double slope = a.s[i] == 0 ? 0 : fn_slope(f, a.v[i], z.v[i], k->ku * a.s[i]);

		z.s[i] = scale_slope(k, slope, a.s[i], fn_own(f, a.v[i], z.v[i]), fn_factor(f));
	}
}

static void scale_fn(struct eval *x, struct enode *e, struct chunk a, double *t, double *gap)
{
	const struct eval_loops *l = x->loops;
	size_t n = (size_t)e->lanes;
	struct chunk z = e->c;
	bool one_plus = e->fn == FN_ERFP1 || e->fn == FN_TANHP1;

	switch (e->fn) {
	case FN_EXP:
	case FN_EXP2:
		growth(x, e->lanes, a.s, t);
		if (e->fn == FN_EXP2)
			for (int i = 0; i < e->lanes; i++)
				t[i] *= LN2;
		l->s_exp(n, &x->k, z, a, t);
		break;
	case FN_LOG:
	case FN_LOG2:
	case FN_LOG1P:
		l->s_log(n, &x->k, z, a, e->fn == FN_LOG2 ? ONE_OVER_LN2 : 1,
		         e->fn == FN_LOG1P ? 1 : 0, SCALE_C_LOG);
		break;
	case FN_SQRT:
		l->s_sqrt(n, &x->k, z, a);
		break;
	case FN_RSQRT:
		l->s_rsqrt(n, &x->k, z, a);
		break;
	case FN_TANH:
	case FN_TANHP1:
	case FN_ERF:
	case FN_ERFP1:
		saturation(e->fn, e->lanes, a.v, t, gap);
		l->s_saturating(n, &x->k, z, a, t, gap,
		                e->fn == FN_TANH || e->fn == FN_TANHP1 ? SCALE_C_TANH : SCALE_C_ERF,
		                one_plus);
		break;
	case FN_EXPM1:
	case FN_SIN:
	case FN_COS:
		slopes(e->fn, e->lanes, a, z, t);
		l->s_slope(n, &x->k, z, a, t, e->fn == FN_EXPM1 ? SCALE_C_EXP : SCALE_C_TRIG);
		break;
	default:
		if (lang_fn_in_table(e->fn))
			scale_table(&x->k, e->fn, e->lanes, a, z);
		else
			memcpy(z.s, a.s, n * sizeof *z.s);
	}
}

enum st eval_fn(struct eval *x, struct enode *e)
{
	double t[EVAL_CHUNK], gap[EVAL_CHUNK];
	struct enode *ea = e->arg[0];
	struct chunk a = eval_chunk(x, ea, e->lanes);
	bool bad = enclose(x, e, a, t);

	if (x->scaling) {
		scale_fn(x, e, a, t, gap);
		bad |= x->loops->check((size_t)e->lanes, e->c.s, 0x1.fffffffffffffp+1023);
	}
	e->odd = bad || ea->odd;
	for (int i = 0; e->odd && i < e->lanes; i++) {
		struct elem p = eval_elem(&a, i), z = eval_elem(&e->c, i);
		if (!elem_finite(z) || !elem_finite(p))
			z = fix_fn(e->fn, p, z);
		e->c.v[i] = z.v;
		e->c.r[i] = z.r;
		if (x->scaling)
			e->c.s[i] = scale_fix_fn(&x->k, e->fn, p, z, z.s);
	}
	return ST_OK;
}
