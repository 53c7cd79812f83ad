/* sim_rows.h - simulated kernels over rows: softmax, log_softmax, layernorm, rmsnorm, l2norm. */
#ifndef TESTS_ORACLES_SIM_ROWS_H
#define TESTS_ORACLES_SIM_ROWS_H

#include "tests/oracles/sim.h"

/* Fills y (R rows of K); false: this library has no such variant. */
typedef bool sim_kernel(struct lib *l, int variant, const struct sim *d, float *y);

/* ---- softmax ---- */

/* Online softmax with nt accumulators; norescale: the sum is not scaled when the maximum moves. */
static void online_row(struct lib *l, const float *x, int K, int nt, bool norescale, float *y)
{
	float m[256], s[256], M = -INFINITY, tot;
	for (int t = 0; t < nt; t++)
		m[t] = -INFINITY, s[t] = 0;
	for (int j = 0; j < K; j++) {
		int t = j % nt;
		float m2 = x[j] > m[t] ? x[j] : m[t], ms = m2 == -INFINITY ? 0 : m2;
		float r = l_exp(l, m[t] - ms);
		if (norescale)
			r = m[t] == -INFINITY ? 0 : 1;
		s[t] = fl(l, fmaf(s[t], r, l_exp(l, x[j] - ms)));
		m[t] = m2;
	}
	M = row_max(m, nt);
	for (int t = 0; t < nt; t++)
		s[t] = fl(l, s[t] * l_exp(l, m[t] - (M == -INFINITY ? 0 : M)));
	tot = l_sum(l, s, nt);
	for (int j = 0; j < K; j++)
		y[j] = l_div(l, l_exp(l, x[j] - M), tot);
}

static bool softmax_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	int nt = l->order == SEQ ? 1 : l->order == B256 ? 256 : 32;
	if (variant == 2 && !l->ex2)
		return false;
	if (variant == 3 && (l->order == TREE || l->order == REV))
		return false;
	if (variant > 3)
		return false;
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float m = row_max(x, d->K), M = m * L2E, s, e[SIM_MAX_K];
		if (variant == 3) {
			online_row(l, x, d->K, nt, false, y);
			continue;
		}
		for (int j = 0; j < d->K;
		     j++) /* variant 2: flash, exp2(x·log2e - m·log2e) by fma */
			e[j] = variant == 2 ? fl(l, l_ex2(fmaf(x[j], L2E, M == -INFINITY ? 0 : -M)))
			                    : l_exp(l, fl(l, x[j] - m));
		s = l_sum(l, e, d->K);
		for (int j = 0; j < d->K; j++)
			y[j] = variant == 1 ? fl(l, e[j] * l_div(l, 1, s)) : l_div(l, e[j], s);
	}
	return true;
}

static const char *const softmax_bugs[] = {"nomax",  "pad0",   "droptail", "droplast", "norescale",
                                           "f16acc", "f16exp", "nolog2e",  "sentinel", "bf16in"};

static void softmax_bug_row(struct lib *l, int bug, const float *x0, int K, float *y)
{
	float x[SIM_MAX_K], e[SIM_MAX_K], m, s;
	int p2 = 32, kt = bug == 2 ? K / 32 * 32 : bug == 3 && K > 1 ? K - 1 : K;
	while (p2 < K)
		p2 *= 2;
	for (int j = 0; j < K; j++)
		x[j] = bug == 8 && x0[j] == -INFINITY ? -1e4f : bug == 9 ? bf16_of(x0[j]) : x0[j];
	m = bug == 0 ? 0 : row_max(x, K);
	if (bug == 1 && p2 > K && m < 0)
		m = 0;
	for (int j = 0; j < K; j++) {
		e[j] = bug == 7 ? l_ex2(x[j] - m) : l_exp(l, x[j] - m);
		e[j] = bug == 6 ? f16_of(e[j]) : e[j];
	}
	s = bug == 5 ? sum_f16(e, K) : l_sum(l, e, kt);
	if (bug == 1)
		s += (float)(p2 - K) * l_exp(l, -m);
	for (int j = 0; j < K; j++)
		y[j] = e[j] / s;
}

static bool softmax_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	if (bug == 2 && (d->K / 32 == 0 || d->K % 32 == 0))
		return false;
	for (int i = 0; i < d->R; i++) {
		if (bug == 4)
			online_row(l, d->x + i * d->K, d->K, 32, true, y + i * d->K);
		else
			softmax_bug_row(l, bug, d->x + i * d->K, d->K, y + i * d->K);
	}
	return true;
}

/* ---- log_softmax ---- */

static bool log_softmax_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	if (variant > 0)
		return false;
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float m = row_max(x, d->K), e[SIM_MAX_K], s;
		for (int j = 0; j < d->K; j++)
			e[j] = l_exp(l, fl(l, x[j] - m));
		s = l_log(l, l_sum(l, e, d->K));
		for (int j = 0; j < d->K; j++)
			y[j] = fl(l, fl(l, x[j] - m) - s);
	}
	return true;
}

static const char *const log_softmax_bugs[] = {"x-(m+log)", "log(softmax)", "droplast", "f16acc",
                                               "log2"};

static bool log_softmax_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float m = row_max(x, d->K), e[SIM_MAX_K], s, ls;
		for (int j = 0; j < d->K; j++)
			e[j] = l_exp(l, x[j] - m);
		s = bug == 3 ? sum_f16(e, d->K)
		             : l_sum(l, e, bug == 2 && d->K > 1 ? d->K - 1 : d->K);
		ls = bug == 4 ? f32_value(mufu_lg2(f32_bits(s))) : l_log(l, s);
		for (int j = 0; j < d->K; j++)
			y[j] = bug == 0   ? x[j] - (m + ls)
			       : bug == 1 ? l_log(l, e[j] / s)
			                  : x[j] - m - ls;
	}
	return true;
}

/* ---- layernorm ---- */

#define LN_EPS 1e-5f

/* Welford's recurrence with nt accumulators, merged pairwise (Chan). */
static void welford(const float *x, int K, int nt, float *mean, float *var)
{
	float m[32] = {0}, q[32] = {0}, c[32] = {0};
	nt = nt < K ? nt : K;
	for (int j = 0; j < K; j++) {
		int t = j % nt;
		float d = x[j] - m[t];
		c[t] += 1;
		m[t] = fmaf(d, 1 / c[t], m[t]);
		q[t] = fmaf(d, x[j] - m[t], q[t]);
	}
	for (; nt > 1; nt = (nt + 1) / 2)
		for (int t = 0; t < (nt + 1) / 2; t++) {
			int a = 2 * t, b = a + 1;
			if (b < nt) {
				float d = m[b] - m[a], n = c[a] + c[b], f = n > 0 ? c[b] / n : 0;
				float q2 = fmaf(d * d, c[a] * f, q[a] + q[b]);
				m[t] = fmaf(d, f, m[a]);
				q[t] = q2;
				c[t] = n;
			} else {
				m[t] = m[a], q[t] = q[a], c[t] = c[a];
			}
		}
	*mean = m[0];
	*var = q[0] / (float)K;
}

/* Variants: two pass with fma; without; scale folded into w; Welford. */
static bool layernorm_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	if (variant > 3 || (variant == 3 && l->order != SEQ && l->order != B32))
		return false;
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float c[SIM_MAX_K], mu, va, rs;
		mu = l_sum(l, x, d->K) / (float)d->K;
		if (variant == 3)
			welford(x, d->K, l->order == SEQ ? 1 : 32, &mu, &va);
		for (int j = 0; j < d->K; j++)
			c[j] = fl(l, x[j] - mu);
		if (variant != 3)
			va = l_sumsq(l, c, d->K) / (float)d->K;
		rs = l_rsqrt(l, va + LN_EPS);
		for (int j = 0; j < d->K; j++) {
			if (variant == 1)
				y[j] = fl(l, c[j] * rs * d->w[j]) + d->b[j];
			else if (variant == 2)
				y[j] = c[j] * (rs * d->w[j]) + d->b[j];
			else
				y[j] = fl(l, fmaf(c[j] * rs, d->w[j], d->b[j]));
		}
	}
	return true;
}

static const char *const layernorm_bugs[] = {"onepass", "unbiased", "noeps",
                                             "eps_out", "eps1e-6",  "nomean",
                                             "f16acc",  "droplast", "bf16in"};

static bool layernorm_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float c[SIM_MAX_K], mu = l_sum(l, x, d->K) / (float)d->K, va, n = (float)d->K;
		float eps = bug == 2 ? 0 : bug == 4 ? 1e-6f : LN_EPS, rs;
		for (int j = 0; j < d->K; j++)
			c[j] = x[j] - mu;
		va = l_sumsq(l, c, bug == 7 && d->K > 1 ? d->K - 1 : d->K) / n;
		if (bug == 0) {
			va = l_sumsq(l, x, d->K) / n - mu * mu;
			va = va > 0 ? va : 0;
		}
		if (bug == 1)
			va = va * n / (n > 1 ? n - 1 : 1);
		if (bug == 6) {
			float t[SIM_MAX_K];
			for (int j = 0; j < d->K; j++)
				t[j] = c[j] * c[j];
			va = sum_f16(t, d->K) / n;
		}
		rs = bug == 3 ? 1 / (sqrtf(va) + LN_EPS) : 1 / sqrtf(va + eps);
		for (int j = 0; j < d->K; j++) {
			float t = bug == 5 ? x[j] : bug == 8 ? bf16_of(x[j]) - mu : c[j];
			y[j] = fmaf(t * rs, d->w[j], d->b[j]);
		}
	}
	return true;
}

/* ---- rmsnorm ---- */

#define RMS_EPS 1e-6f

static bool rmsnorm_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	if (variant > 1)
		return false;
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float rs = l_rsqrt(l, l_sumsq(l, x, d->K) / (float)d->K + RMS_EPS);
		for (int j = 0; j < d->K; j++)
			y[j] = variant ? fl(l, x[j] * fl(l, rs * d->w[j]))
			               : fl(l, fl(l, fl(l, x[j]) * rs) * d->w[j]);
	}
	return true;
}

static const char *const rmsnorm_bugs[] = {"noeps",    "eps_sum", "eps_out", "eps1e-5",
                                           "droplast", "f16acc",  "rs_f16"};

static bool rmsnorm_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float n = (float)d->K, ms = l_sumsq(l, x, bug == 4 && d->K > 1 ? d->K - 1 : d->K),
		      r;
		if (bug == 5) {
			float t[SIM_MAX_K];
			for (int j = 0; j < d->K; j++)
				t[j] = x[j] * x[j];
			ms = sum_f16(t, d->K);
		}
		r = bug == 0   ? sqrtf(ms / n)
		    : bug == 1 ? sqrtf((ms + RMS_EPS) / n)
		    : bug == 2 ? sqrtf(ms / n) + RMS_EPS
		               : sqrtf(ms / n + (bug == 3 ? 1e-5f : RMS_EPS));
		for (int j = 0; j < d->K; j++)
			y[j] = bug == 6 ? x[j] * f16_of(1 / r) * d->w[j] : x[j] / r * d->w[j];
	}
	return true;
}

/* ---- l2norm ---- */

#define L2_EPS 1e-12f

static bool l2norm_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	if (variant > 1)
		return false;
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float ss = l_sumsq(l, x, d->K), n = sqrtf(ss), rs = l_rsqrt(l, ss);
		n = n > L2_EPS ? n : L2_EPS;
		rs = rs < 1e12f ? rs : 1e12f;
		for (int j = 0; j < d->K; j++)
			y[j] = variant ? fl(l, fl(l, x[j]) * rs) : l_div(l, x[j], n);
	}
	return true;
}

static const char *const l2norm_bugs[] = {"eps_in", "eps_mean", "noeps", "droplast", "f16acc"};

static bool l2norm_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	for (int i = 0; i < d->R; i++, y += d->K) {
		const float *x = d->x + i * d->K;
		float s = l_sumsq(l, x, bug == 3 ? d->K - 1 : d->K), n;
		if (bug == 4) {
			float t[SIM_MAX_K];
			for (int j = 0; j < d->K; j++)
				t[j] = x[j] * x[j];
			s = sum_f16(t, d->K);
		}
		n = bug == 0   ? sqrtf(s + L2_EPS)
		    : bug == 1 ? sqrtf(s + (float)d->K * 1e-6f)
		               : sqrtf(s);
		if (bug >= 3)
			n = n > L2_EPS ? n : L2_EPS;
		for (int j = 0; j < d->K; j++)
			y[j] = x[j] / n;
	}
	return true;
}

/* ---- sum ---- */

static bool sum_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	if (variant > 0)
		return false;
	for (int i = 0; i < d->R; i++)
		y[i] = l_sum(l, d->x + i * d->K, d->K);
	return true;
}

static const char *const sum_bugs[] = {"droplast", "f16acc", "bf16in", "mean"};

static bool sum_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	for (int i = 0; i < d->R; i++) {
		const float *x = d->x + i * d->K;
		float t[SIM_MAX_K];
		for (int j = 0; j < d->K; j++)
			t[j] = bf16_of(x[j]);
		y[i] = bug == 1 ? sum_f16(x, d->K)
		                : l_sum(l, bug == 2 ? t : x, bug ? d->K : d->K - 1);
		if (bug == 3)
			y[i] /= (float)d->K;
	}
	return true;
}

#endif
