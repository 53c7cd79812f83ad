/* bench_emu.c - speed of the emulator on the softmax and matmul_tiled kernels of the corpus, in G lane
 * instructions a second on one core, plain and sanitized.
 *
 *	make build/libptx.a build/libbase.a
 *	gcc -O2 -std=c11 -D_GNU_SOURCE -I. -o build/bench_emu tools/bench_emu.c \
 *		-Wl,--start-group build/libptx.a build/libbase.a -Wl,--end-group \
 *		-lmpfr -lgmp -lcjson -lcrypto -lm -lpthread -ldl
 *	build/bench_emu corpus/control/softmax/kernel.ptx corpus/control/matmul_tiled/kernel.ptx [ISA]
 *
 * Prints name, instruction set, mode, lane instructions, seconds, rate, and the largest error against a
 * double-precision reference (a check that the right thing was measured). */
#include "ptx/emu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
	struct run_buffer buffer[3];
	struct run_arg arg[9];
	struct run_launch launch;
	int nbuffers;
};

static float *add_buffer(struct bench *b, const char *name, enum run_role role, size_t n)
{
	size_t guard = 256, bytes = n * 4;
	uint8_t *s = aligned_alloc(256, (bytes + 2 * guard + 255) & ~(size_t)255);
	float *f = (float *)(void *)(s + guard);
	memset(s, 0, bytes + 2 * guard);
	b->buffer[b->nbuffers] = (struct run_buffer){name, role, DT_F32, s + guard, bytes, guard, NULL,
	                                             role == RUN_IN ? NULL : calloc(n, 1)};
	b->arg[b->launch.nargs++] = (struct run_arg){.buffer = b->nbuffers++, .bytes = 8};
	for (size_t i = 0; i < n && role == RUN_IN; i++)
		f[i] = (float)(rand_unit(1, (uint64_t)b->nbuffers, i) * 4 - 2);
	return f;
}
static void add_i64(struct bench *b, int64_t v)
{
	struct run_arg *a = &b->arg[b->launch.nargs++];
	*a = (struct run_arg){.buffer = -1, .bytes = 8};
	memcpy(a->value, &v, 8);
}
static void shape(struct bench *b, uint32_t grid, uint32_t x, uint32_t y)
{
	uint32_t g[3] = {grid, 1, 1}, t[3] = {x, y, 1};
	memcpy(b->launch.grid, g, sizeof g);
	memcpy(b->launch.block, t, sizeof t);
}

static double softmax_error(const float *x, const float *y, int R, int C)
{
	double worst = 0;
	for (int r = 0; r < R; r++) {
		double sum = 0;
		for (int c = 0; c < C; c++)
			sum += exp((double)x[r * C + c]);
		for (int c = 0; c < C; c++)
			worst = fmax(worst, fabs(exp((double)x[r * C + c]) / sum - (double)y[r * C + c]));
	}
	return worst;
}
static double matmul_error(const float *a, const float *b, const float *c, int M, int N, int K)
{
	double worst = 0;
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double s = 0;
			for (int k = 0; k < K; k++)
				s += (double)a[i * K + k] * (double)b[k * N + j];
			worst = fmax(worst, fabs(s - (double)c[i * N + j]));
		}
	return worst;
}

static int run(struct bench *b, const char *path, const char *entry, const char *isa, bool sanitize,
               struct run_report *best)
{
	struct err e = {0};
	char *text;
	size_t len;
	struct ptx_module *m;
	struct ptx_program *p;
	struct ptx_run_options o = {.sanitize = sanitize};
	const struct emu_isa *set = emu_isa_choose(isa);
	if (!set || file_read(path, 1 << 24, &text, &len, &e) != ST_OK ||
	    ptx_parse(text, len, path, &m, &e) != ST_OK ||
	    emu_lower(m, entry, NULL, set, &p, &e) != ST_OK) {
		fprintf(stderr, "bench_emu: %s\n", set ? e.msg : "no such instruction set here");
		return 1;
	}
	b->launch.entry = entry;
	b->launch.args = b->arg;
	for (int i = 0; i < 5; i++) {
		struct run_report r = {0};
		if (ptx_run(p, &b->launch, b->buffer, b->nbuffers, &o, &r, &e) != ST_OK) {
			fprintf(stderr, "bench_emu: %s\n", e.msg);
			return 1;
		}
		if (i == 0 || r.seconds < best->seconds)
			*best = r;
	}
	printf("%-13s %-7s %-9s %10.0f lane instructions %.4f s %6.3f G/s", entry, set->name,
	       sanitize ? "sanitized" : "plain", (double)best->lane_instructions, best->seconds,
	       (double)best->lane_instructions / best->seconds / 1e9);
	for (int i = 0; i < best->nfindings; i++)
		printf("\n  %s: %s", finding_name(best->findings[i].kind), best->findings[i].text);
	ptx_program_free(p);
	ptx_module_free(m);
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	const char *isa = argc > 3 ? argv[3] : NULL;
	int rc = 0;
	if (argc < 3)
		return 2;
	for (int san = 0; san < 2; san++) {
		enum { R = 256, C = 1000, M = 128, N = 128, K = 256 };
		struct run_report r;
		struct bench s = {.nbuffers = 0}, t = {.nbuffers = 0};
		float *x = add_buffer(&s, "x", RUN_IN, R * C), *y = add_buffer(&s, "y", RUN_OUT, R * C);
		add_i64(&s, C), add_i64(&s, C), add_i64(&s, C);
		shape(&s, R, 256, 1);
		rc |= run(&s, argv[1], "softmax_f32", isa, san, &r);
		printf("  error %.3g\n", softmax_error(x, y, R, C));
		float *a = add_buffer(&t, "a", RUN_IN, M * K), *b = add_buffer(&t, "b", RUN_IN, K * N);
		float *c = add_buffer(&t, "c", RUN_OUT, M * N);
		add_i64(&t, M), add_i64(&t, N), add_i64(&t, K);
		add_i64(&t, K), add_i64(&t, N), add_i64(&t, N);
		shape(&t, M / 16 * (N / 16), 16, 16);
		rc |= run(&t, argv[2], "matmul_tiled_f32", isa, san, &r);
		printf("  error %.3g\n", matmul_error(a, b, c, M, N, K));
	}
	return rc;
}
