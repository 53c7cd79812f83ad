/* regression.c - robust and quantile regression on designs of a few terms, on GSL's least squares.
 */
#define HAVE_INLINE
#define GSL_RANGE_CHECK_OFF
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>

#include "stats/stats.h"

/* GSL's default; a factor of it stands in the interface, for its own constants mean nothing to a
 * caller. */
#define BISQUARE    4.685
#define MM_STEPS    2000
#define MM_EPSILON  1e-7 /* the last smoothing of |residual|, in units of the range of y */
#define MM_END      1e-3 /* steps end when the coefficients move less, in units of the smoothing */
#define CENSORED_BY 4.0  /* censored values lie this many ranges below the smallest */

struct problem {
	gsl_matrix *x;
	gsl_vector *y, *b, *r, *w;
	gsl_matrix *cov;
};

static void problem_free(struct problem *p)
{
	gsl_matrix_free(p->x);
	gsl_vector_free(p->y);
	gsl_vector_free(p->b);
	gsl_vector_free(p->r);
	gsl_vector_free(p->w);
	gsl_matrix_free(p->cov);
}

static enum st check(const double *x, const double *y, size_t n, int terms, double lowest,
                     struct err *e)
{
	if (terms < 1 || terms > STATS_MAX_TERMS)
		return FAIL(e, BUG, "a regression on %d terms; 1 to %d are possible", terms,
		            STATS_MAX_TERMS);
	if (n < (size_t)terms + 2)
		return FAIL(e, INPUT,
		            "a regression on %d terms needs %d values or more, there are %zu",
		            terms, terms + 2, n);
	for (size_t i = 0; i < n; i++) {
		bool ok = isfinite(y[i]) || y[i] == lowest;

		for (int j = 0; j < terms; j++)
			ok = ok && isfinite(x[i * (size_t)terms + (size_t)j]);
		if (!ok)
			return FAIL(e, INPUT, "value %zu of a regression is not finite", i);
	}
	return ST_OK;
}

static void problem_make(struct problem *p, const double *x, const double *y, size_t n, int terms)
{
	size_t k = (size_t)terms;

	gsl_set_error_handler_off();
	p->x = gsl_matrix_alloc(n, k);
	p->cov = gsl_matrix_alloc(k, k);
	p->y = gsl_vector_alloc(n);
	p->r = gsl_vector_alloc(n);
	p->w = gsl_vector_alloc(n);
	p->b = gsl_vector_alloc(k);
	for (size_t i = 0; i < n; i++) {
		gsl_vector_set(p->y, i, y[i]);
		for (size_t j = 0; j < k; j++)
			gsl_matrix_set(p->x, i, j, x[i * k + j]);
	}
}

/* Intervals by Student's t with n - terms degrees of freedom. */
static void fill(struct regression *out, const struct problem *p, double cov_scale)
{
	size_t n = p->y->size;
	double t = gsl_cdf_tdist_Pinv(0.975, (double)n - out->terms);

	for (int j = 0; j < out->terms; j++) {
		size_t k = (size_t)j;

		out->b[j] = gsl_vector_get(p->b, k);
		out->se[j] = sqrt(cov_scale * gsl_matrix_get(p->cov, k, k));
		out->lo[j] = out->b[j] - t * out->se[j];
		out->hi[j] = out->b[j] + t * out->se[j];
	}
}

/* The rank of the design: GSL's least squares drop singular values without a word. */
static enum st full_rank(struct problem *p, gsl_multifit_linear_workspace *w, struct err *e)
{
	if (gsl_multifit_linear_svd(p->x, w) != GSL_SUCCESS ||
	    gsl_multifit_linear_rank(1e-10, w) < p->b->size)
		return FAIL(e, INPUT,
		            "a regression on %zu terms cannot tell them apart: they are collinear",
		            p->b->size);
	return ST_OK;
}

enum st regression_robust(const double *x, const double *y, size_t n, int terms, double tune,
                          struct regression *out, struct err *e)
{
	struct problem p = {0};
	gsl_multifit_linear_workspace *lw = NULL;
	gsl_multifit_robust_workspace *rw = NULL;
	double chisq;
	enum st rc;
	int g;

	*out = (struct regression){.terms = terms};
	TRY(check(x, y, n, terms, 0, e));
	problem_make(&p, x, y, n, terms);
	lw = gsl_multifit_linear_alloc(n, (size_t)terms);
	TRY_OR(end, rc, full_rank(&p, lw, e));
	if (isinf(tune)) {
		g = gsl_multifit_linear(p.x, p.y, p.b, p.cov, &chisq, lw);
		out->scale = sqrt(chisq / (double)(n - (size_t)terms));
	} else {
		rw = gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, n, (size_t)terms);
		gsl_multifit_robust_tune(tune * BISQUARE, rw);
		gsl_multifit_robust_maxiter(1000, rw);
		g = gsl_multifit_robust(p.x, p.y, p.b, p.cov, rw);
		out->scale = gsl_multifit_robust_statistics(rw).sigma;
	}
	if (g != GSL_SUCCESS &&
	    g != GSL_EMAXITER) { /* 1000 steps: a cycle among ties, any is as good */
		rc = FAIL(e, BUG, "GSL's regression: %s", gsl_strerror(g));
		goto end;
	}
	fill(out, &p, 1);
	for (int j = 0; j < terms; j++)
		if (!isfinite(out->b[j]) || !isfinite(out->se[j]))
			rc = FAIL(e, INPUT, "a regression on %zu values has no finite answer", n);
end:
	if (rw)
		gsl_multifit_robust_free(rw);
	gsl_multifit_linear_free(lw);
	problem_free(&p);
	return rc;
}

/* ---- quantiles --------------------------------------------------------------------------------
 */

/* Puts censored values CENSORED_BY ranges below the smallest; *range: of what is finite. */
static enum st censor(gsl_vector *y, double *range, struct err *e)
{
	double lo = INFINITY, hi = -INFINITY;

	for (size_t i = 0; i < y->size; i++)
		if (isfinite(gsl_vector_get(y, i))) {
			lo = fmin(lo, gsl_vector_get(y, i));
			hi = fmax(hi, gsl_vector_get(y, i));
		}
	if (lo > hi)
		return FAIL(e, INPUT, "a quantile regression of values that are all censored");
	*range = hi > lo ? hi - lo : 1;
	for (size_t i = 0; i < y->size; i++)
		if (!isfinite(gsl_vector_get(y, i)))
			gsl_vector_set(y, i, lo - CENSORED_BY * *range);
	return ST_OK;
}

static void residuals(const struct problem *p, gsl_vector *r)
{
	size_t k = p->b->size;

	for (size_t i = 0; i < r->size; i++) {
		const double *row = p->x->data + i * k;
		double s = p->y->data[i];

		for (size_t j = 0; j < k; j++)
			s -= row[j] * p->b->data[j];
		r->data[i] = s;
	}
}

/* One step: Σ ρ(r) is majorised by a quadratic of weights w = 1/(ε + |r|), whose minimum lies δ
 * away with (XᵀWX)·δ = Xᵀ(W·r + 2τ - 1).  Returns the largest |δ|, NaN when the matrix is singular.
 */
static double mm_step(struct problem *p, double tau, double epsilon)
{
	size_t k = p->b->size;
	double moved = 0, a[STATS_MAX_TERMS][STATS_MAX_TERMS] = {{0}}, c[STATS_MAX_TERMS] = {0};
	gsl_vector_view d = gsl_vector_subvector(p->w, 0, k); /* w is free for use */

	for (size_t i = 0; i < p->r->size; i++) {
		const double *x = p->x->data + i * k;
		double r = p->r->data[i], w = 1 / (epsilon + fabs(r)), g = w * r + 2 * tau - 1;

		for (size_t j = 0; j < k; j++) {
			c[j] += x[j] * g;
			for (size_t l = 0; l <= j; l++)
				a[j][l] += w * x[j] * x[l];
		}
	}
	for (size_t j = 0; j < k; j++) {
		gsl_vector_set(&d.vector, j, c[j]);
		for (size_t l = 0; l <= j; l++)
			gsl_matrix_set(p->cov, j, l, a[j][l]);
	}
	if (gsl_linalg_cholesky_decomp1(p->cov) != GSL_SUCCESS)
		return NAN;
	gsl_linalg_cholesky_svx(p->cov, &d.vector);
	gsl_vector_add(p->b, &d.vector);
	residuals(p, p->r);
	for (size_t j = 0; j < k; j++)
		moved = fmax(moved, fabs(gsl_vector_get(&d.vector, j)));
	return moved;
}

/* The sparsity 1/f(F⁻¹(τ)) of the residuals: a difference quotient of their quantiles over
 * Bofinger's (1975) bandwidth, one-sided where the lower end is censored (below `floor`) or τ is
 * near an end. */
static double sparsity(const gsl_vector *r, double tau, double floor)
{
	size_t n = r->size;
	double *s = mem_alloc(n * sizeof *s);
	double z = gsl_cdf_ugaussian_Pinv(tau), f = exp(-z * z / 2) / sqrt(2 * M_PI);
	double h = pow((double)n, -0.2) * pow(4.5 * pow(f, 4) / pow(2 * z * z + 1, 2), 0.2);
	double lo = fmax(tau - h, 0), hi = fmin(tau + h, 1), out;

	for (size_t i = 0; i < n; i++)
		s[i] = gsl_vector_get(r, i);
	stats_sort(s, n);
	if (stats_quantile(s, n, lo) < floor)
		lo = tau;
	out = (stats_quantile(s, n, hi) - stats_quantile(s, n, lo)) / (hi - lo);
	free(s);
	return out;
}

/* Smoothing that shrinks as the steps go on: the first find the place, the last the vertex. */
static enum st mm_solve(struct problem *p, double tau, double range, struct err *e)
{
	gsl_vector_set_zero(p->b);
	residuals(p, p->r);
	for (double epsilon = range; epsilon >= MM_EPSILON * range; epsilon /= 10)
		for (int i = 0; i < MM_STEPS; i++) {
			double moved = mm_step(p, tau, epsilon);

			if (isnan(moved))
				return FAIL(e, INPUT,
				            "a quantile regression of %zu values is singular",
				            p->y->size);
			if (!(moved > MM_END * epsilon))
				break;
		}
	return ST_OK;
}

/* p->cov = (XᵀX)⁻¹, which GSL gives as the covariance under unit weights; p->b is kept. */
static void unit_covariance(struct problem *p, gsl_multifit_linear_workspace *lw)
{
	gsl_vector *b = gsl_vector_alloc(p->b->size);
	double chisq;

	gsl_vector_set_all(p->w, 1);
	gsl_multifit_wlinear(p->x, p->w, p->y, b, p->cov, &chisq, lw);
	gsl_vector_free(b);
}

enum st regression_quantile(const double *x, const double *y, size_t n, int terms, double tau,
                            struct regression *out, struct err *e)
{
	struct problem p = {0};
	gsl_multifit_linear_workspace *lw = NULL;
	double range = 0, floor;
	enum st rc;

	*out = (struct regression){.terms = terms};
	if (!(tau > 0 && tau < 1))
		return FAIL(e, BUG, "the %g-quantile of a regression", tau);
	TRY(check(x, y, n, terms, -INFINITY, e));
	problem_make(&p, x, y, n, terms);
	lw = gsl_multifit_linear_alloc(n, (size_t)terms);
	TRY_OR(end, rc, full_rank(&p, lw, e));
	TRY_OR(end, rc, censor(p.y, &range, e));
	TRY_OR(end, rc, mm_solve(&p, tau, range, e));
	floor = -0.5 * CENSORED_BY * range;
	for (size_t i = 0; i < n; i++)
		if (isinf(y[i]) && gsl_vector_get(p.r, i) > floor) {
			rc = FAIL(e, INPUT, "too many values are censored for the %g-quantile",
			          tau);
			goto end;
		}
	out->scale = sparsity(p.r, tau, floor);
	unit_covariance(&p, lw);
	fill(out, &p, tau * (1 - tau) * out->scale * out->scale);
end:
	gsl_multifit_linear_free(lw);
	problem_free(&p);
	return rc;
}
