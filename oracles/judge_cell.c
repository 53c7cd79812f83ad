/* judge_cell.c - which reals round to an encoding, and the decisions on one element: by the
 * enclosure in double where that suffices, else by MPFR at rising precision (Ziv's strategy on the
 * verdict). */
#include <math.h>

#include "oracles/judge_parts.h"

/* ---- cells ---- */

/* Exponent of half a unit in the last place of t at |v|. */
static int half_exponent(enum dtype t, double v)
{
	int e;

	frexp(dtype_ulp(t, v), &e);
	return e - 2;
}

/* Rounding overflows from max + half an ulp on; that tie goes to the side whose digits are even. */
static void cell_infinite(enum dtype t, bool negative, struct cell *c)
{
	double max = dtype_max(t);
	bool tie = dtype_encode(t, max, RND_NE, true) & 1;
	struct cell_edge inner = {negative ? -max : max, negative ? -1 : 1, half_exponent(t, max),
	                          false, tie};
	struct cell_edge outer = {0, 0, 0, true, true};

	c->below = negative ? outer : inner;
	c->above = negative ? inner : outer;
}

static void cell_float(enum dtype t, uint64_t bits, double v, struct cell *c)
{
	int e = half_exponent(t, v), unused = t == DT_TF32 ? 13 : 0, scale;
	bool even = (bits >> unused & 1) == 0;
	bool power = v != 0 && fabs(frexp(v, &scale)) == 0.5 && scale - 1 > dtype_emin(t);
	/* towards zero the gap below a power of two is half as wide */
	int down = v > 0 && power ? e - 1 : e, up = v < 0 && power ? e - 1 : e;

	c->below = (struct cell_edge){v, -1, down, false, even};
	c->above = (struct cell_edge){v, 1, up, false, even};
}

static void cell_integer(enum dtype t, uint64_t bits, double v, struct cell *c)
{
	bool even = (bits & 1) == 0;
	double least = dtype_decode(t, dtype_encode(t, -INFINITY, RND_NE, true));

	c->below = (struct cell_edge){v, -1, -1, v <= least, even};
	c->above = (struct cell_edge){v, 1, -1, v >= dtype_max(t), even};
}

static double edge_value(const struct cell_edge *g)
{
	if (g->infinite)
		return INFINITY;
	return g->base + g->sign * ldexp(1, g->exp);
}

bool cell_of(enum dtype t, uint64_t bits, double sign, struct cell *c)
{
	double v = dtype_decode(t, bits);

	if (isnan(v) && t != DT_E4M3)
		return false;
	if (isnan(v) || isinf(v))
		cell_infinite(t, (isnan(v) ? sign : v) < 0, c);
	else if (dtype_is_float(t))
		cell_float(t, bits, v, c);
	else
		cell_integer(t, bits, v, c);
	c->exact = t != DT_F64;
	if (c->exact) {
		c->lo = c->below.infinite ? -INFINITY : edge_value(&c->below);
		c->hi = edge_value(&c->above);
	} else {
		c->lo = c->hi = v;
	}
	return true;
}

/* ---- by enclosure ---- */

/* Distances are computed in double with relative errors of a few 2^-53, hence the factor of 2^-48;
 * an exact z (rad 0) inside the open cell needs none. */
bool judge_by_enclosure(const struct judge_element *el, const struct cell *c, bool *open)
{
	const double slack = 0x1p-48;
	double lo = el->z - el->rad, hi = el->z + el->rad;
	double far = fmax(fmax(hi - c->hi, c->lo - lo), 0) + (fabs(el->z) + el->rad) * 0x1p-52;
	double near = fmax(lo - c->hi, c->lo - hi) - (fabs(el->z) + el->rad) * 0x1p-52;
	bool inside = el->rad == 0 && el->z > c->lo && el->z < c->hi;
	bool pass = inside || far * (1 + slack) < el->tol;

	*open = false;
	if (pass)
		return true;
	/* the true cell of an f64 is wider than [lo, hi] by at most an ulp */
	if (!c->exact)
		near -= dtype_ulp(DT_F64, el->z) * 2;
	if (near > 0 && near * (1 - slack) > el->tol)
		return false;
	*open = true;
	return false;
}

double judge_distance(const struct judge_element *el, const struct cell *c)
{
	double up, down;

	if (c->exact)
		return fmax(fmax(el->z - c->hi, c->lo - el->z), 0);
	up = c->above.infinite ? 0 : el->z - c->above.base + el->z_low - ldexp(1, c->above.exp);
	down = c->below.infinite ? 0 : c->below.base - el->z - el->z_low - ldexp(1, c->below.exp);
	return fmax(fmax(up, down), 0);
}

/* ---- by MPFR ---- */

/* Sums of doubles and of powers of two of their range are exact at this precision. */
#define SUM_PREC 2300

/* The two borders of the accepted reals: the cell's edges, tol beyond. */
struct borders {
	mpfr_t lo, hi;
};

static void edge_set(mpfr_t r, const struct cell_edge *g, int infinity_sign)
{
	if (g->infinite) {
		mpfr_set_inf(r, infinity_sign);
		return;
	}
	mpfr_set_si_2exp(r, g->sign, g->exp, MPFR_RNDN);
	mpfr_add_d(r, r, g->base, MPFR_RNDN);
}

static void borders_init(struct borders *b, const struct cell *c, double tol)
{
	mpfr_inits2(SUM_PREC, b->lo, b->hi, (mpfr_ptr)0);
	edge_set(b->lo, &c->below, -1);
	edge_set(b->hi, &c->above, 1);
	mpfr_sub_d(b->lo, b->lo, tol, MPFR_RNDN);
	mpfr_add_d(b->hi, b->hi, tol, MPFR_RNDN);
}

static void borders_clear(struct borders *b)
{
	mpfr_clears(b->lo, b->hi, (mpfr_ptr)0);
}

/* Is all of [lo, hi] accepted (1), nothing of it (0), or neither (-1)? */
static int borders_decide(const struct borders *b, const struct cell *c, const mpfr_t lo,
                          const mpfr_t hi)
{
	int below = mpfr_cmp(lo, b->lo), above = mpfr_cmp(hi, b->hi);
	bool all = (c->below.closed ? below >= 0 : below > 0) &&
	           (c->above.closed ? above <= 0 : above < 0);
	int hi_below = mpfr_cmp(hi, b->lo), lo_above = mpfr_cmp(lo, b->hi);
	bool none = (c->below.closed ? hi_below < 0 : hi_below <= 0) ||
	            (c->above.closed ? lo_above > 0 : lo_above >= 0);

	return all ? 1 : none ? 0 : -1;
}

/* The enclosure of the exact value at prec bits; an exact z needs no evaluation. */
static enum st exact_at(const struct judge_element *el, mpfr_prec_t prec, mpfr_t lo, mpfr_t hi,
                        enum el_status *status, struct err *e)
{
	if (el->rad == 0 && el->z_low == 0) {
		mpfr_set_prec(lo, 53);
		mpfr_set_prec(hi, 53);
		mpfr_set_d(lo, el->z, MPFR_RNDN);
		mpfr_set_d(hi, el->z, MPFR_RNDN);
		*status = EL_FINITE;
		return ST_OK;
	}
	mpfr_set_prec(lo, prec);
	mpfr_set_prec(hi, prec);
	if (el->exact)
		return oracle_exact_next(el->exact, el->output, el->element, prec, lo, hi, status, e);
	return oracle_exact(el->inst, el->in, el->output, el->element, prec, lo, hi, status, e);
}

/* Raises the precision until test(ctx, lo, hi) is satisfied or the cap is reached (EL_UNKNOWN). */
static enum st refine(const struct judge_element *el,
                      bool (*test)(void *ctx, const mpfr_t lo, const mpfr_t hi), void *ctx,
                      enum el_status *status, struct err *e)
{
	enum st rc = ST_OK;
	mpfr_t lo, hi;

	mpfr_inits2(JUDGE_FIRST_PREC, lo, hi, (mpfr_ptr)0);
	for (int prec = JUDGE_FIRST_PREC; prec <= JUDGE_MAX_PREC; prec *= 2) {
		TRY_OR(done, rc, exact_at(el, prec, lo, hi, status, e));
		if (*status != EL_FINITE || test(ctx, lo, hi))
			goto done;
	}
	*status = EL_UNKNOWN;
done:
	mpfr_clears(lo, hi, (mpfr_ptr)0);
	return rc;
}

struct decision {
	const struct borders *b;
	const struct cell *c;
	int answer;
	double z, z_low, rad;
};

/* lo..hi as z + z_low ± rad. */
static void narrow(struct decision *d, const mpfr_t lo, const mpfr_t hi)
{
	mpfr_t t;

	d->z = mpfr_get_d(lo, MPFR_RNDN);
	mpfr_init2(t, SUM_PREC);
	mpfr_sub_d(t, lo, d->z, MPFR_RNDN);
	d->z_low = mpfr_get_d(t, MPFR_RNDN);
	mpfr_sub_d(t, t, d->z_low, MPFR_RNDN);
	d->rad = fabs(mpfr_get_d(t, MPFR_RNDA));
	mpfr_sub_d(t, hi, d->z, MPFR_RNDU);
	mpfr_sub_d(t, t, d->z_low, MPFR_RNDU);
	d->rad = fmax(d->rad, mpfr_get_d(t, MPFR_RNDU));
	mpfr_clear(t);
}


static bool decided(void *ctx, const mpfr_t lo, const mpfr_t hi)
{
	struct decision *d = ctx;

	d->answer = borders_decide(d->b, d->c, lo, hi);
	if (d->answer < 0)
		return false;
	narrow(d, lo, hi);
	return true;
}

enum st judge_by_mpfr(struct judge_element *el, const struct cell *c, bool *pass,
                      enum el_status *status, struct err *e)
{
	struct borders b;
	struct decision d = {&b, c, -1, el->z, el->z_low, el->rad};
	enum st rc;

	borders_init(&b, c, el->tol);
	rc = refine(el, decided, &d, status, e);
	*pass = d.answer == 1;
	el->z = d.z;
	el->z_low = d.z_low;
	el->rad = d.rad;
	borders_clear(&b);
	return rc;
}

/* ---- rounding the exact value ---- */

/* x to t with one rounding: to odd at 53 bits first, which no narrower type's rounding notices. */
static uint64_t encode_mpfr(enum dtype t, const mpfr_t x)
{
	double d = mpfr_get_d(x, t == DT_F64 ? MPFR_RNDN : MPFR_RNDZ);
	uint64_t b;

	if (t != DT_F64 && isfinite(d) && mpfr_cmp_d(x, d) != 0) {
		b = dtype_encode(DT_F64, d, RND_NE, false) | 1;
		d = dtype_decode(DT_F64, b);
	}
	return dtype_encode(t, d, RND_NE, false);
}

struct rounding {
	enum dtype t;
	uint64_t bits;
};

static bool rounded(void *ctx, const mpfr_t lo, const mpfr_t hi)
{
	struct rounding *r = ctx;

	r->bits = encode_mpfr(r->t, lo);
	return r->bits == encode_mpfr(r->t, hi);
}

enum st judge_rounded(const struct judge_element *el, uint64_t *want, bool *escalated,
                      enum el_status *status, struct err *e)
{
	struct rounding r = {el->t, 0};
	enum st rc;

	*status = EL_FINITE;
	*escalated = false;
	*want = dtype_encode(el->t, el->z, RND_NE, false);
	if (el->rad == 0 ||
	    (dtype_encode(el->t, nextafter(el->z - el->rad, -INFINITY), RND_NE, false) == *want &&
	     dtype_encode(el->t, nextafter(el->z + el->rad, INFINITY), RND_NE, false) == *want))
		return ST_OK;
	*escalated = true;
	rc = refine(el, rounded, &r, status, e);
	*want = r.bits;
	return rc;
}

/* ---- the scaled error ---- */

double judge_ceil3(double x)
{
	double r;
	mpfr_t v;
	char text[32];

	if (!(x > 0) || isinf(x))
		return x;
	mpfr_init2(v, 53);
	mpfr_set_d(v, x, MPFR_RNDN);
	mpfr_snprintf(text, sizeof text, "%.2RUe", v);
	mpfr_set_str(v, text, 10, MPFR_RNDN);
	r = mpfr_get_d(v, MPFR_RNDN);
	mpfr_clear(v);
	return r;
}

struct scaled {
	const struct cell *c;
	double us, r;
};

/* r for an exact value x: distance to the cell over u·S, rounded up; 0/0 = 0, x/0 = inf. */
static double scaled_error(const struct cell *c, double us, const mpfr_t x)
{
	mpfr_t edge, d;
	double r = 0;

	mpfr_inits2(SUM_PREC, edge, d, (mpfr_ptr)0);
	edge_set(edge, &c->below, -1);
	mpfr_sub(d, edge, x, MPFR_RNDN);
	if (c->below.infinite || mpfr_sgn(d) <= 0) {
		edge_set(edge, &c->above, 1);
		mpfr_sub(d, x, edge, MPFR_RNDN);
	}
	if (mpfr_regular_p(d) && mpfr_sgn(d) > 0) {
		mpfr_set_prec(edge, 64);
		mpfr_div_d(edge, d, us, MPFR_RNDU);
		r = mpfr_get_d(edge, MPFR_RNDU);
	}
	mpfr_clears(edge, d, (mpfr_ptr)0);
	return judge_ceil3(r);
}

static bool scaled_settled(void *ctx, const mpfr_t lo, const mpfr_t hi)
{
	struct scaled *s = ctx;
	double other = scaled_error(s->c, s->us, lo);

	s->r = scaled_error(s->c, s->us, hi);
	if (s->r == other)
		return true;
	s->r = fmax(s->r, other);
	return false;
}

enum st judge_r(const struct judge_element *el, double *r, struct err *e)
{
	enum el_status status = EL_FINITE;
	struct cell c;
	struct scaled s = {&c, el->S * el->u, INFINITY};
	mpfr_t lo, hi;
	bool settled;
	enum st rc = ST_OK;

	*r = INFINITY;
	if (!cell_of(el->t, el->got, el->z, &c))
		return ST_OK;
	mpfr_inits2(SUM_PREC, lo, hi, (mpfr_ptr)0);
	mpfr_set_d(lo, el->z, MPFR_RNDN);
	mpfr_add_d(lo, lo, el->z_low, MPFR_RNDN);
	mpfr_add_d(hi, lo, el->rad, MPFR_RNDN);
	mpfr_sub_d(lo, lo, el->rad, MPFR_RNDN);
	settled = scaled_settled(&s, lo, hi);
	mpfr_clears(lo, hi, (mpfr_ptr)0);
	if (!settled)
		rc = refine(el, scaled_settled, &s, &status, e);
	*r = s.r;
	return rc;
}

/* ---- for a person ---- */

struct description {
	const struct judge_element *el;
	double exact;
	uint64_t want, lo, hi;
};

static bool described(void *ctx, const mpfr_t lo, const mpfr_t hi)
{
	struct description *d = ctx;
	enum dtype t = d->el->t;
	mpfr_t w;

	d->exact = mpfr_get_d(lo, MPFR_RNDN);
	d->want = encode_mpfr(t, lo);
	mpfr_init2(w, SUM_PREC + JUDGE_MAX_PREC);
	mpfr_sub_d(w, lo, d->el->tol, MPFR_RNDD);
	d->lo = encode_mpfr(t, w);
	mpfr_add_d(w, hi, d->el->tol, MPFR_RNDU);
	d->hi = encode_mpfr(t, w);
	mpfr_clear(w);
	return d->want == encode_mpfr(t, hi) && d->exact == mpfr_get_d(hi, MPFR_RNDN);
}

enum st judge_describe(const struct judge_element *el, struct judged *j, struct err *e)
{
	struct description d = {el, el->z, 0, 0, 0};
	enum el_status status = EL_FINITE;

	TRY(refine(el, described, &d, &status, e));
	j->exact = d.exact;
	j->want = d.want;
	j->lo = d.lo;
	j->hi = d.hi;
	j->ulps = dtype_ulp_diff(el->t, el->got, d.want);
	return judge_r(el, &j->r, e);
}
