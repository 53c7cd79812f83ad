/* bench_oracle.c - what the certified evaluation costs, on one core, beside plain float64.
 *
 *	cc -std=c11 -D_GNU_SOURCE -O2 -I. -o build/bench_oracle tools/bench_oracle.c
 *build/liboracles.a \
 *		build/libbase.a -L/usr/lib/x86_64-linux-gnu/openblas-serial -lopenblas -lmpfr -lgmp
 *-lcjson \ -lcrypto -lm -lpthread -ldl build/bench_oracle [repetitions] >build/bench-oracle.json
 *
 * Ours and the reference are timed in turns; ratios are of medians. Reference: numpy float64 with
 *scipy's erf (tools/bench_numpy.py, a child process), and for matmul cblas_dgemm of the OpenBLAS
 *that this program is linked with. Prints flat JSON on stdout, a table for people on stderr.
 *oracle.NAME.mpfr_fraction is the part of the elements that needed MPFR when the correctly rounded
 *f32 output is judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracles/oracles.h"

extern void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
                        const double *a, int lda, const double *b, int ldb, double beta, double *c,
                        int ldc);
extern const char *openblas_get_corename(void);

enum { MAX_REPS = 99 };

static void die(const char *what, const struct err *e)
{
	fprintf(stderr, "bench_oracle: %s: %s\n", what, e ? e->msg : "failed");
	exit(3);
}

/* ---- numpy, at the other end of two pipes ---- */

static FILE *to_numpy, *from_numpy;

static void numpy_start(void)
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		die("pipe", NULL);
	switch (fork()) {
	case -1:
		die("fork", NULL);
		break;
	case 0:
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		unsetenv("OPENBLAS_CORETYPE"); /* numpy's own choice */
		execl("/usr/bin/python3", "python3", "tools/bench_numpy.py", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	to_numpy = fdopen(in[1], "w");
	from_numpy = fdopen(out[0], "r");
}

static void numpy_ask(const char *request, char *line, size_t size)
{
	fprintf(to_numpy, "%s\n", request);
	fflush(to_numpy);
	if (!fgets(line, (int)size, from_numpy))
		die("tools/bench_numpy.py (run from the source folder; needs numpy and scipy)",
		    NULL);
	line[strcspn(line, "\n")] = 0;
}

/* ---- workloads ---- */

struct workload {
	const char *name;
	int64_t dims[3];
};

static const struct workload workloads[] = {
        {"softmax", {2048, 2048}},
        {"layernorm", {2048, 2048}},
        {"gelu", {1 << 22}},
        {"matmul", {512, 512, 512}},
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *t, int n)
{
	qsort(t, n, sizeof *t, by_value);
	return t[n / 2];
}

struct run {
	const struct workload *w;
	struct op_inst *inst;
	struct tensor in[4], out;
	const struct tensor *views[4];
	double *a, *b, *c; /* matmul in double, for dgemm */
};

static void fill_normal(struct tensor *t, uint64_t stream)
{
	int64_t n = tensor_count(t);
	float *x;

	t->bytes = n * sizeof *x;
	t->data = mem_alloc(t->bytes);
	x = (float *)t->data;
	for (int64_t i = 0; i < n; i++) { /* sum of 12 uniforms, less 6 */
		double s = -6;

		for (int k = 0; k < 6; k++) {
			uint64_t w = rand_u64(stream, k, i);

			s += (double)(w >> 32) * 0x1p-32 + (double)(uint32_t)w * 0x1p-32;
		}
		x[i] = (float)s;
	}
}

static void run_init(struct run *r, const struct workload *w)
{
	const struct op *op = op_builtin(w->name);
	struct op_binding b = {.types = {DT_F32}};
	struct err e = {0};

	memset(r, 0, sizeof *r);
	r->w = w;
	memcpy(b.dims, w->dims, sizeof w->dims);
	for (int k = 0; k < OP_MAX_TENSORS; k++)
		b.present[k] = true;
	if (!op || op_bind(op, &b, &r->inst, &e))
		die(w->name, &e);
	for (int k = 0; k < op_schema(op)->nin; k++) {
		r->in[k] = op_inst_tensor(r->inst, k);
		fill_normal(&r->in[k], k + 1);
		r->views[k] = &r->in[k];
	}
	r->out = op_inst_tensor(r->inst, op_schema(op)->nin);
	if (strcmp(w->name, "matmul"))
		return;
	r->a = mem_alloc(tensor_count(&r->in[0]) * sizeof(double));
	r->b = mem_alloc(tensor_count(&r->in[1]) * sizeof(double));
	r->c = mem_alloc(tensor_count(&r->out) * sizeof(double));
	tensor_gather(&r->in[0], r->a);
	tensor_gather(&r->in[1], r->b);
}

static void run_clear(struct run *r)
{
	for (int k = 0; k < 4; k++)
		free(r->in[k].data);
	free(r->a);
	free(r->b);
	free(r->c);
	op_inst_free(r->inst);
}

static double time_oracle(const struct run *r, unsigned flags)
{
	struct numerics num = numerics_default();
	struct oracle *o;
	struct err e = {0};
	double start = clock_seconds();

	if (oracle_eval(r->inst, r->views, NULL, &num, 8, flags, &o, &e))
		die(r->w->name, &e);
	start = clock_seconds() - start;
	oracle_free(o);
	return start;
}

static double time_reference(const struct run *r)
{
	char line[100];
	double start = clock_seconds();
	int m = (int)r->w->dims[0];

	if (r->a) { /* 101: row-major, 111: not transposed */
		cblas_dgemm(101, 111, 111, m, m, m, 1, r->a, m, r->b, m, 0, r->c, m);
		return clock_seconds() - start;
	}
	numpy_ask(r->w->name, line, sizeof line);
	return strtod(line, NULL);
}

/* Judges the correctly rounded output; returns the part of the elements that MPFR decided. */
static double mpfr_fraction(const struct run *r, double *judge_seconds)
{
	struct numerics num = numerics_default();
	struct envelope env = envelope_provisional(num.chain > 0 ? num.chain : 8);
	struct tensor y = r->out;
	const struct tensor *views[1] = {&y};
	struct judgement j;
	struct oracle *o;
	struct err e = {0};
	double f;

	if (oracle_eval(r->inst, r->views, NULL, &num, env.T, ORACLE_SCALE, &o, &e))
		die(r->w->name, &e);
	y.bytes = o->out[0].n * sizeof(float);
	y.data = mem_alloc(y.bytes);
	dtype_encode_n(DT_F32, o->out[0].z, y.data, o->out[0].n);
	*judge_seconds = clock_seconds();
	if (oracle_judge(o, r->views, views, &env, &j, &e))
		die(r->w->name, &e);
	*judge_seconds = clock_seconds() - *judge_seconds;
	if (j.verdict != V_PASS) {
		snprintf(e.msg, sizeof e.msg, "the correctly rounded output is judged %s: %.160s",
		         verdict_name(j.verdict), j.reason);
		die(r->w->name, &e);
	}
	f = (double)o->mpfr_elements / (double)o->out[0].n;
	free(y.data);
	oracle_free(o);
	return f;
}

static void bench(const struct workload *w, int reps, bool last)
{
	double plain[MAX_REPS], scaled[MAX_REPS], ref[MAX_REPS], judge, fraction, p, s, f;
	struct run r;

	run_init(&r, w);
	time_reference(&r); /* caches and pages warm */
	time_oracle(&r, ORACLE_SCALE);
	for (int i = 0; i < reps; i++) {
		ref[i] = time_reference(&r);
		plain[i] = time_oracle(&r, 0);
		scaled[i] = time_oracle(&r, ORACLE_SCALE);
	}
	fraction = mpfr_fraction(&r, &judge);
	p = median(plain, reps);
	s = median(scaled, reps);
	f = median(ref, reps);
	fprintf(stderr,
	        "%-10s reference %7.2f ms, certified %7.2f ms (%.2f x), with S %7.2f ms (%.2f x), "
	        "judging %.2f ms, by MPFR %.2g\n",
	        w->name, f * 1e3, p * 1e3, p / f, s * 1e3, s / f, judge * 1e3, fraction);
	printf("  \"oracle.%s.ratio\": %.4g,\n  \"oracle.%s.ratio_with_scale\": %.4g,\n"
	       "  \"oracle.%s.mpfr_fraction\": %.4g,\n  \"oracle.%s.seconds\": %.4g,\n"
	       "  \"oracle.%s.reference_seconds\": %.4g,\n  \"oracle.%s.judge_seconds\": %.4g%s\n",
	       w->name, p / f, w->name, s / f, w->name, fraction, w->name, p, w->name, f, w->name,
	       judge, last ? "" : ",");
	run_clear(&r);
}

int main(int argc, char **argv)
{
	int reps = argc > 1 ? atoi(argv[1]) : 9;
	const char *core = getenv("OPENBLAS_CORETYPE");
	char line[100];

	if (reps < 1 || reps > MAX_REPS) {
		fprintf(stderr, "bench_oracle: 1 to %d repetitions\n", MAX_REPS);
		return 2;
	}
	numpy_start();
	numpy_ask("version", line, sizeof line);
	fprintf(stderr,
	        "one core; %s; OpenBLAS kernels %s (OPENBLAS_CORETYPE %s; numpy without it)\n",
	        line, openblas_get_corename(), core ? core : "not set");
	printf("{\n");
	for (size_t i = 0; i < ARRAY_LEN(workloads); i++)
		bench(&workloads[i], reps, i + 1 == ARRAY_LEN(workloads));
	printf("}\n");
	fclose(to_numpy);
	fclose(from_numpy);
	wait(NULL);
	return 0;
}
