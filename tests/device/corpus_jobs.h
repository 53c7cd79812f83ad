/* corpus_jobs.h - the operators of the corpus as runs made by hand: buffers and arguments in the
 * order of the manifests, and the formula in double precision.  Included by test_corpus_smoke.c
 * alone. */
#ifndef TESTS_CORPUS_JOBS_H
#define TESTS_CORPUS_JOBS_H

#include "device/device.h"
#include "tests/check.h"

/* ---- a run in the making ---- */

#define MAX_BUFFERS 6
#define MAX_ARGS    24
#define GUARD       4096

struct job {
	enum dtype t;
	uint64_t seed;
	double lo, hi; /* uniform inputs in [lo,hi), or normal when lo = hi */
	bool special;  /* NaN and infinities in the first input */
	bool unit;     /* rows of the inputs have norm 1 */
	struct run_buffer buffers[MAX_BUFFERS];
	int nbuffers;
	struct run_arg args[MAX_ARGS];
	struct run_launch launch;
	double *values[MAX_BUFFERS]; /* inputs as the kernel reads them, row-major, no padding */
	double *want;
	int64_t rows, cols, stride; /* output: element (r,c) at r*stride + c */
	int out;
};

static struct run_buffer *add_buffer(struct job *j, const char *name, enum run_role role,
                                     enum dtype t, int64_t rows, int64_t cols, int64_t stride)
{
	struct run_buffer *b = &j->buffers[j->nbuffers];
	int64_t size = dtype_bytes(t), last = rows * cols > 0 ? (rows - 1) * stride + cols : 0;

	assert_true(j->nbuffers < MAX_BUFFERS);
	*b = (struct run_buffer){.name = name, .role = role, .dt = t, .guard = GUARD};
	b->bytes = (uint64_t)(last * size);
	b->data = (uint8_t *)mem_zalloc(b->bytes + 2 * GUARD, 1) + GUARD;
	b->valid = mem_zalloc(b->bytes / 8 + 1, 1);
	for (int64_t r = 0; r < rows; r++)
		for (int64_t i = r * stride * size; i < (r * stride + cols) * size; i++)
			b->valid[i / 8] |= (uint8_t)(1 << (i % 8));
	j->args[j->launch.nargs].buffer = j->nbuffers++;
	j->args[j->launch.nargs++].bytes = 8;
	return b;
}

static void add_scalar(struct job *j, const void *value, uint32_t bytes)
{
	struct run_arg *a = &j->args[j->launch.nargs++];

	a->buffer = -1;
	a->bytes = bytes;
	memcpy(a->value, value, bytes);
}

static void add_i64(struct job *j, int64_t v)
{
	add_scalar(j, &v, 8);
}

static void add_i32(struct job *j, int32_t v)
{
	add_scalar(j, &v, 4);
}

static void add_f32(struct job *j, float v)
{
	add_scalar(j, &v, 4);
}

/* Twelve uniforms minus six have mean 0 and variance 1: normal enough here. */
static double draw(const struct job *j, uint64_t stream, uint64_t i)
{
	double sum = -6;

	if (j->lo < j->hi)
		return j->lo + (j->hi - j->lo) * rand_unit(j->seed, stream, i);
	for (uint64_t k = 0; k < 12; k++)
		sum += rand_unit(j->seed, stream, 12 * i + k);
	return sum;
}

static double row_norm(const struct job *j, uint64_t stream, int64_t r, int64_t cols)
{
	double sum = 0;

	for (int64_t c = 0; c < cols; c++) {
		double v = draw(j, stream, (uint64_t)(r * cols + c));

		sum += v * v;
	}
	return sqrt(sum);
}

/* One special value in each row of the first input, by the row's number; row 3 of 5 is all -inf. */
static double special_value(int64_t r, int64_t c, int64_t cols, double usual)
{
	if (r % 5 == 3)
		return -INFINITY;
	if (c != r % cols)
		return usual;
	return r % 5 == 0 ? NAN : r % 5 == 1 ? INFINITY : r % 5 == 2 ? -INFINITY : usual;
}

static const double *add_input(struct job *j, const char *name, enum dtype t, int64_t rows,
                               int64_t cols, int64_t stride)
{
	int k = j->nbuffers;
	struct run_buffer *b = add_buffer(j, name, RUN_IN, t, rows, cols, stride);
	size_t size = (size_t)dtype_bytes(t);

	j->values[k] = mem_zalloc((size_t)(rows * cols) + 1, sizeof(double));
	for (int64_t r = 0; r < rows; r++) {
		double norm = j->unit ? row_norm(j, (uint64_t)k, r, cols) : 1;

		for (int64_t c = 0; c < cols; c++) {
			double v = draw(j, (uint64_t)k, (uint64_t)(r * cols + c)) / norm;
			uint64_t bits;

			if (j->special && k == 0)
				v = special_value(r, c, cols, v);
			bits = dtype_encode(t, v, RND_NE, false);
			dtype_store(t, b->data + (size_t)(r * stride + c) * size, bits);
			j->values[k][r * cols + c] = dtype_decode(t, bits);
		}
	}
	return j->values[k];
}

static double *add_output(struct job *j, int64_t rows, int64_t cols, int64_t stride)
{
	j->out = j->nbuffers;
	j->rows = rows;
	j->cols = cols;
	j->stride = stride;
	add_buffer(j, "y", RUN_OUT, j->t, rows, cols, stride);
	j->want = mem_zalloc((size_t)(rows * cols) + 1, sizeof(double));
	return j->want;
}

static void add_absent(struct job *j)
{
	add_i64(j, 0);
}

static void set_launch(struct job *j, int64_t gx, int64_t gy, uint32_t bx, uint32_t by)
{
	j->launch.grid[0] = (uint32_t)gx;
	j->launch.grid[1] = (uint32_t)gy;
	j->launch.grid[2] = 1;
	j->launch.block[0] = bx;
	j->launch.block[1] = by;
	j->launch.block[2] = 1;
}

static void job_free(struct job *j)
{
	for (int i = 0; i < j->nbuffers; i++) {
		free(j->buffers[i].data - GUARD);
		free(j->buffers[i].valid);
		free(j->values[i]);
	}
	free(j->want);
}

/* ---- the operators: arguments as in the manifests, and the formula ---- */

struct shape {
	int64_t d[7];
	int64_t pad;   /* elements between rows */
	bool left_out; /* optional inputs are absent */
	bool special, friendly, unit;
	double lo, hi;
	int causal, masked_row, anchor;
};

static int64_t ceil_div(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static void softmax(struct job *j, const struct shape *s)
{
	int64_t R = s->d[0], C = s->d[1], stride = C + s->pad;
	const double *x = add_input(j, "x", j->t, R, C, stride);
	double *y = add_output(j, R, C, stride);

	add_i64(j, C);
	add_i64(j, stride);
	add_i64(j, stride);
	set_launch(j, R, 1, 256, 1);
	for (int64_t r = 0; r < R; r++, x += C, y += C) {
		double m = -INFINITY, sum = 0;

		for (int64_t c = 0; c < C; c++)
			m = x[c] > m ? x[c] : m;
		for (int64_t c = 0; c < C; c++)
			sum += exp(x[c] - m);
		for (int64_t c = 0; c < C; c++)
			y[c] = exp(x[c] - m) / sum;
	}
}

static void layernorm(struct job *j, const struct shape *s)
{
	int64_t R = s->d[0], C = s->d[1], stride = C + s->pad;
	const double *x = add_input(j, "x", j->t, R, C, stride), *w = NULL, *b = NULL;
	double *y;

	if (s->left_out) {
		add_absent(j);
		add_absent(j);
	} else {
		w = add_input(j, "w", j->t, 1, C, C);
		b = add_input(j, "b", j->t, 1, C, C);
	}
	y = add_output(j, R, C, stride);
	add_i64(j, C);
	add_i64(j, stride);
	add_i64(j, stride);
	add_f32(j, 1e-5f);
	set_launch(j, R, 1, 256, 1);
	for (int64_t r = 0; r < R; r++, x += C, y += C) {
		double mu = 0, va = 0;

		for (int64_t c = 0; c < C; c++)
			mu += x[c] / (double)C;
		for (int64_t c = 0; c < C; c++)
			va += (x[c] - mu) * (x[c] - mu) / (double)C;
		for (int64_t c = 0; c < C; c++)
			y[c] = (x[c] - mu) / sqrt(va + 1e-5f) * (w ? w[c] : 1) + (b ? b[c] : 0);
	}
}

static void rmsnorm(struct job *j, const struct shape *s)
{
	int64_t A = s->d[0], N = s->d[1], B = s->d[2], inner = B + s->pad, outer = N * inner;
	const double *x = add_input(j, "x", j->t, A * N, B, inner), *w = NULL;
	double *y;
	int cols = 1;

	if (s->left_out)
		add_absent(j);
	else
		w = add_input(j, "w", j->t, 1, N, N);
	y = add_output(j, A * N, B, inner);
	while (cols < B && cols < 32)
		cols *= 2;
	add_i64(j, N);
	add_i64(j, B);
	for (int k = 0; k < 2; k++) {
		add_i64(j, outer);
		add_i64(j, inner);
	}
	add_i32(j, cols);
	add_f32(j, 1e-6f);
	set_launch(j, A * ceil_div(B, cols), 1, 256, 1);
	for (int64_t a = 0; a < A; a++)
		for (int64_t b = 0; b < B; b++) {
			const double *xa = x + a * N * B + b;
			double ms = 0;

			for (int64_t n = 0; n < N; n++)
				ms += xa[n * B] * xa[n * B] / (double)N;
			for (int64_t n = 0; n < N; n++)
				y[(a * N + n) * B + b] =
				        xa[n * B] / sqrt(ms + 1e-6f) * (w ? w[n] : 1);
		}
}

static void l2norm(struct job *j, const struct shape *s)
{
	int64_t R = s->d[0], C = s->d[1], stride = C + s->pad;
	const double *x = add_input(j, "x", j->t, R, C, stride);
	double *y = add_output(j, R, C, stride);

	add_i64(j, C);
	add_i64(j, stride);
	add_i64(j, stride);
	add_f32(j, 1e-12f);
	set_launch(j, R, 1, 256, 1);
	for (int64_t r = 0; r < R; r++, x += C, y += C) {
		double sum = 0;

		for (int64_t c = 0; c < C; c++)
			sum += x[c] * x[c];
		for (int64_t c = 0; c < C; c++)
			y[c] = x[c] / (sqrt(sum) < 1e-12f ? 1e-12f : sqrt(sum));
	}
}

static double gelu_value(double x)
{
	return 0.5 * x * (x > -37 ? erfc(-x / sqrt(2)) : x > -INFINITY ? 0 : 0 * x);
}

static double silu_value(double x)
{
	return x / (1 + exp(-x));
}

static double relu_value(double x)
{
	return x < 0 ? 0 : x;
}

static double leaky_relu_value(double x)
{
	return x > 0 ? x : 0.01f * x;
}

static double sigmoid_value(double x)
{
	return 1 / (1 + exp(-x));
}

static double elu_value(double x)
{
	return x > 0 ? x : 1.5 * expm1(x);
}

/* per: elements a block; param: passed when it is not NaN. */
static void elementwise(struct job *j, const struct shape *s, double (*f)(double), int64_t per,
                        float param)
{
	int64_t N = s->d[0];
	/* A row of 1 has its special value in column 0: one-element rows give all of them. */
	const double *x = add_input(j, "x", j->t, N, 1, 1);
	double *y = add_output(j, N, 1, 1);

	add_i64(j, N);
	if (!isnan(param))
		add_f32(j, param);
	set_launch(j, ceil_div(N, per), 1, 256, 1);
	for (int64_t i = 0; i < N; i++)
		y[i] = f(x[i]);
}

#define ELEMENTWISE(name, per, param)                                                              \
	static void name(struct job *j, const struct shape *s)                                     \
	{                                                                                          \
		elementwise(j, s, name##_value, per, param);                                       \
	}
#define tanh_value tanh
ELEMENTWISE(gelu, 1024, NAN)
ELEMENTWISE(silu, 1024, NAN)
ELEMENTWISE(relu, 256, NAN)
ELEMENTWISE(leaky_relu, 256, 0.01f)
ELEMENTWISE(sigmoid, 256, NAN)
ELEMENTWISE(elu, 256, 1.5f)

static void tanh_op(struct job *j, const struct shape *s)
{
	elementwise(j, s, tanh, 256, NAN);
}

static void matmul_with(struct job *j, const struct shape *s, bool all_strides)
{
	int64_t M = s->d[0], N = s->d[1], K = s->d[2];
	int64_t stride[3] = {K + s->pad, N + s->pad, N + s->pad};
	const double *a = add_input(j, "a", j->t, M, K, stride[0]);
	const double *b = add_input(j, "b", j->t, K, N, stride[1]);
	double *c = add_output(j, M, N, stride[2]);

	add_i64(j, M);
	add_i64(j, N);
	add_i64(j, K);
	for (int t = 0; t < 3; t++) {
		add_i64(j, stride[t]);
		if (all_strides)
			add_i64(j, 1);
	}
	set_launch(j, ceil_div(M, 16) * ceil_div(N, 16), 1, 16, 16);
	for (int64_t m = 0; m < M; m++)
		for (int64_t n = 0; n < N; n++)
			for (int64_t k = 0; k < K; k++)
				c[m * N + n] += a[m * K + k] * b[k * N + n];
}

static void matmul(struct job *j, const struct shape *s)
{
	matmul_with(j, s, true);
}

static void matmul_tiled(struct job *j, const struct shape *s)
{
	matmul_with(j, s, false);
}

/* One query: scores against its keys, softmax, weighted mean of V. */
static void attend(const double *q, const double *k, const double *v, const double *bias,
                   int64_t seen, int64_t D, int64_t E, double scale, double masked, double *o)
{
	double *p = mem_zalloc((size_t)seen + 1, sizeof *p), m = -INFINITY, sum = 0;

	for (int64_t j = 0; j < seen; j++) {
		for (int64_t d = 0; d < D; d++)
			p[j] += q[d] * k[j * D + d];
		p[j] = p[j] * scale + (bias ? bias[j] : 0);
		m = p[j] > m ? p[j] : m;
	}
	for (int64_t j = 0; j < seen; j++)
		sum += p[j] = exp(p[j] - m);
	for (int64_t e = 0; e < E; e++) {
		o[e] = 0;
		for (int64_t j = 0; j < seen; j++)
			o[e] += p[j] / sum * v[j * E + e];
		if (seen == 0)
			o[e] = masked;
	}
	free(p);
}

static void attention_with(struct job *j, const struct shape *s, bool flash)
{
	int64_t B = s->d[0], H = s->d[1], G = s->d[2], N = s->d[3], L = s->d[4], D = s->d[5],
	        E = s->d[6];
	const double *q = add_input(j, "q", j->t, B * H * N, D, D + s->pad);
	const double *k = add_input(j, "k", j->t, B * G * L, D, D + s->pad);
	const double *v = add_input(j, "v", j->t, B * G * L, E, E + s->pad), *bias = NULL;
	float scale = (float)(1 / sqrt((double)D));
	double *o;

	if (s->left_out)
		add_absent(j);
	else
		bias = add_input(j, "bias", DT_F32, B * H * N, L, L);
	o = add_output(j, B * H * N, E, E + s->pad);
	if (flash)
		add_i64(j, B * H * N);
	else
		add_buffer(j, "weights", RUN_WORKSPACE, DT_F32, B * H * N, L, L);
	add_i32(j, (int32_t)H);
	add_i32(j, (int32_t)G);
	add_i64(j, N);
	add_i64(j, L);
	add_i32(j, (int32_t)D);
	add_i32(j, (int32_t)E);
	add_i64(j, D + s->pad);
	add_i64(j, D + s->pad);
	add_i64(j, E + s->pad);
	add_i64(j, E + s->pad);
	add_f32(j, scale);
	add_i32(j, s->causal);
	add_i32(j, s->masked_row);
	add_i32(j, s->anchor);
	set_launch(j, flash ? ceil_div(B * H * N, 4) : B * H * N, flash ? ceil_div(E, 256) : 1, 128,
	           1);
	for (int64_t row = 0; row < B * H * N; row++) {
		int64_t b = row / N / H, h = row / N % H, group = b * G + h / (H / G);
		int64_t seen = L, last = row % N + (s->anchor == 0 ? L - N : 0);

		if (s->causal)
			seen = last < 0 ? 0 : last + 1 < L ? last + 1 : L;
		attend(q + row * D, k + group * L * D, v + group * L * E,
		       bias ? bias + row * L : NULL, seen, D, E, scale,
		       s->masked_row == 0 ? 0 : NAN, o + row * E);
	}
}

static void attention(struct job *j, const struct shape *s)
{
	attention_with(j, s, false);
}

static void flash_attention(struct job *j, const struct shape *s)
{
	attention_with(j, s, true);
}

#endif
