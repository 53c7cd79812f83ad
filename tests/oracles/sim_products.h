/* sim_products.h - simulated matrix products and attention. */
#ifndef TESTS_ORACLES_SIM_PRODUCTS_H
#define TESTS_ORACLES_SIM_PRODUCTS_H

#include "tests/oracles/sim_rows.h"

/* How a compiler sums a product: fused and serial, split over 8, a tree, 32 lanes. */
enum dot_mode { DOT_SERIAL, DOT_SPLIT, DOT_TREE, DOT_B32, DOT_EXACT };

/* Σ a[k·sa]·b[k·sb]. */
static float dot_in(const float *a, int sa, const float *b, int sb, int K, enum dot_mode mode)
{
	float t[SIM_MAX_K], s = 0, part[8] = {0};
	double x = 0;
	switch (mode) {
	case DOT_SERIAL:
		for (int k = 0; k < K; k++)
			s = fmaf(a[k * sa], b[k * sb], s);
		return s;
	case DOT_SPLIT:
		for (int k = 0; k < K; k++)
			part[k % 8] = fmaf(a[k * sa], b[k * sb], part[k % 8]);
		return sum_tree(part, 8);
	case DOT_EXACT:
		for (int k = 0; k < K; k++)
			x += (double)a[k * sa] * (double)b[k * sb];
		return (float)x;
	default:
		for (int k = 0; k < K; k++)
			t[k] = a[k * sa] * b[k * sb];
		return sum_in(t, K, mode == DOT_TREE ? TREE : B32);
	}
}

static enum dot_mode mode_of(const struct lib *l, bool attention)
{
	switch (l->order) {
	case TREE:
		return DOT_TREE;
	case B32:
		return DOT_B32;
	case B256:
		return DOT_SPLIT;
	default:
		return attention || l->order == SEQ ? DOT_SERIAL : DOT_TREE;
	}
}

static double product_chain(const struct lib *l, int K, bool attention)
{
	switch (l->order) {
	case TREE:
		return attention ? K / 32.0 : 1;
	case B32:
		return K / 32.0;
	case B256:
		return K / 8.0;
	default:
		return K;
	}
}

static bool matmul_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	if (variant > 0 || l->order == REV)
		return false;
	for (int m = 0; m < d->M; m++)
		for (int n = 0; n < d->N; n++) {
			float a[SIM_MAX_K], b[SIM_MAX_K];
			for (int k = 0; k < d->K; k++) {
				a[k] = fl(l, d->x[m * d->K + k]);
				b[k] = fl(l, d->w[k * d->N + n]);
			}
			y[m * d->N + n] = fl(l, dot_in(a, 1, b, 1, d->K, mode_of(l, false)));
		}
	return true;
}

static const char *const matmul_bugs[] = {"f16acc",   "tf32",        "droplast",
                                          "droptail", "bf16partial", "overwrite"};

static float matmul_wrong(int bug, const float *a, const float *b, int K)
{
	float s = 0, t[SIM_MAX_K], q[SIM_MAX_K];
	int tail = K / 32 * 32, half = K / 2;
	switch (bug) {
	case 0:
		for (int k = 0; k < K; k++)
			s = f16_of(s + a[k] * b[k]);
		return s;
	case 1:
		for (int k = 0; k < K; k++) {
			t[k] = tf32_of(a[k]);
			q[k] = tf32_of(b[k]);
		}
		return dot_in(t, 1, q, 1, K, DOT_EXACT);
	case 2:
		return dot_in(a, 1, b, 1, K - 1, DOT_EXACT);
	case 3:
		return dot_in(a, 1, b, 1, tail, DOT_EXACT);
	case 4:
		return bf16_of(dot_in(a, 1, b, 1, half, DOT_EXACT)) +
		       dot_in(a + half, 1, b + half, 1, K - half, DOT_EXACT);
	default: /* the last tile of 32 only */
		tail = K % 32 ? tail : K - 32;
		return dot_in(a + tail, 1, b + tail, 1, K - tail, DOT_EXACT);
	}
}

static bool matmul_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	(void)l;
	if (bug == 3 && (d->K % 32 == 0 || d->K < 32))
		return false;
	if (bug == 5 && d->K <= 32)
		return false;
	for (int m = 0; m < d->M; m++)
		for (int n = 0; n < d->N; n++) {
			float b[SIM_MAX_K];
			for (int k = 0; k < d->K; k++)
				b[k] = d->w[k * d->N + n];
			y[m * d->N + n] = matmul_wrong(bug, d->x + m * d->K, b, d->K);
		}
	return true;
}

/* ---- attention: M queries, K keys, head sizes D and E; scale 1/8 (D = 64) ---- */

#define ATT_SCALE 0.125f

/* One query over tiles of 32 keys, exponentials by ex2 of scaled differences; norescale as the bug.
 */
static void flash_row(struct lib *l, const float *s, const struct sim *d, bool norescale, float *y)
{
	float sc = ATT_SCALE * L2E, m = -INFINITY, sum = 0;
	for (int e = 0; e < d->E; e++)
		y[e] = 0;
	for (int j = 0; j < d->K; j += 32) {
		int n = d->K - j < 32 ? d->K - j : 32;
		float t = row_max(s + j, n), m2 = m > t ? m : t, M = m2 == -INFINITY ? 0 : m2 * sc;
		float p[32], q[32], a = fl(l, l_ex2(m == -INFINITY ? m : m * sc - M));
		if (norescale)
			a = m == -INFINITY ? 0 : 1;
		for (int k = 0; k < n; k++)
			p[k] = fl(l, l_ex2(fmaf(s[j + k], sc, -M)));
		sum = sum * a + l_sum(l, p, n);
		for (int e = 0; e < d->E; e++) {
			for (int k = 0; k < n; k++)
				q[k] = p[k] * d->v[(j + k) * d->E + e];
			y[e] = y[e] * a + sum_tree(q, n);
		}
		m = m2;
	}
	for (int e = 0; e < d->E; e++)
		y[e] = l_div(l, y[e], sum);
}

/* Variants: flash (ex2 compilers), else P·V then division, and division then P·V. */
static bool attention_good(struct lib *l, int variant, const struct sim *d, float *y)
{
	enum dot_mode mode = mode_of(l, true);
	if (variant > (l->ex2 ? 0 : 1))
		return false;
	for (int m = 0; m < d->M; m++, y += d->E) {
		float s[SIM_MAX_K], p[SIM_MAX_K], top, sum;
		for (int j = 0; j < d->K; j++) {
			float t = dot_in(d->q + m * d->D, 1, d->k + j * d->D, 1, d->D, mode);
			s[j] = l->ex2 ? t : fl(l, t * ATT_SCALE);
		}
		if (l->ex2) {
			flash_row(l, s, d, false, y);
			continue;
		}
		top = row_max(s, d->K);
		for (int j = 0; j < d->K; j++)
			p[j] = l_exp(l, fl(l, s[j] - top));
		sum = l_sum(l, p, d->K);
		for (int j = 0; j < d->K && variant; j++)
			p[j] = l_div(l, p[j], sum);
		for (int e = 0; e < d->E; e++) {
			float t = dot_in(p, 1, d->v + e, d->E, d->K,
			                 variant            ? DOT_SPLIT
			                 : mode == DOT_TREE ? DOT_B32
			                                    : mode);
			y[e] = variant ? t : l_div(l, t, sum);
		}
	}
	return true;
}

static const char *const attention_bugs[] = {"noscale", "norescale", "droplast", "p_bf16",
                                             "f16sum",  "nomax",     "pad0",     "swapv"};

static bool attention_bug(struct lib *l, int bug, const struct sim *d, float *y)
{
	for (int m = 0; m < d->M; m++, y += d->E) {
		float s[SIM_MAX_K], p[SIM_MAX_K], q[SIM_MAX_K], top, sum;
		int K = bug == 2 && d->K > 1 ? d->K - 1 : d->K;
		for (int j = 0; j < d->K; j++) {
			float t = dot_in(d->q + m * d->D, 1, d->k + j * d->D, 1, d->D, DOT_EXACT);
			s[j] = bug == 0 || bug == 1 ? t : t * ATT_SCALE;
		}
		if (bug == 1) {
			flash_row(l, s, d, true, y);
			continue;
		}
		top = bug == 5 ? 0 : row_max(s, d->K);
		for (int j = 0; j < K; j++) {
			p[j] = l_exp(l, s[j] - top);
			q[j] = bug == 3 ? bf16_of(p[j]) : p[j];
		}
		sum = bug == 4 ? sum_f16(p, K) : l_sum(l, p, K);
		if (bug == 6)
			sum += (float)((32 - d->K % 32) % 32) * l_exp(l, -top);
		for (int e = 0; e < d->E; e++)
			y[e] = (bug == 7 ? dot_in(q, 1, d->v + (K - 1) * d->E + e, -d->E, K,
			                          DOT_EXACT)
			                 : dot_in(q, 1, d->v + e, d->E, K, DOT_EXACT)) /
			       sum;
	}
	return true;
}

#endif
