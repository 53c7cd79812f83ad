/* sim_run.h - runs a simulated kernel against the oracle: one case is (operator, class of values,
 * K). */
#ifndef TESTS_ORACLES_SIM_RUN_H
#define TESTS_ORACLES_SIM_RUN_H

#include "oracles/scale.h"
#include "tests/oracles/sim_points.h"
#include "tests/oracles/sim_products.h"
#include "tests/oracles/sim_values.h"

enum sim_kind { SIM_ROW, SIM_POINT, SIM_MATMUL, SIM_ATTENTION };

struct sim_op {
	const char *name, *oracle; /* oracle: text of the operator, or NULL: the embedded one */
	enum sim_kind kind;
	bool masks; /* takes -inf */
	double t;   /* T of short chains: 4, gelu 6 */
	sim_kernel *good, *bug;
	const char *const *bugs;
	int nbugs;
};

#define SIM_OP(name, kind, masks, t)                                                               \
	{                                                                                          \
#name, NULL, kind, masks, t, name##_good, name##_bug, name##_bugs,                 \
		        ARRAY_LEN(name##_bugs)                                                     \
	}
static const struct sim_op sim_ops[] = {
        SIM_OP(softmax, SIM_ROW, true, 4),    SIM_OP(log_softmax, SIM_ROW, true, 4),
        SIM_OP(layernorm, SIM_ROW, false, 4), SIM_OP(rmsnorm, SIM_ROW, false, 4),
        SIM_OP(l2norm, SIM_ROW, false, 4),    SIM_OP(sum, SIM_ROW, false, 4),
        SIM_OP(gelu, SIM_POINT, false, 6),    SIM_OP(gelu_tanh, SIM_POINT, false, 4),
        SIM_OP(silu, SIM_POINT, false, 4),    SIM_OP(sigmoid, SIM_POINT, false, 4),
        SIM_OP(tanh, SIM_POINT, false, 4),    SIM_OP(elu, SIM_POINT, false, 4),
        SIM_OP(relu, SIM_POINT, false, 4),    SIM_OP(leaky_relu, SIM_POINT, false, 4),
        SIM_OP(matmul, SIM_MATMUL, false, 4), SIM_OP(attention, SIM_ATTENTION, false, 4),
};

enum { SIM_ROOM = 65536 };

struct sim_case {
	const struct sim_op *o;
	enum sim_class cls;
	int K;
	const struct op *op;
	struct op *parsed;
	struct op_inst *inst;
	struct sim d;
	enum dtype dt;      /* of inputs and outputs */
	float *in[3];       /* as the kernel sees them after loading */
	uint8_t *stored[3]; /* in the element type */
	struct tensor t[3];
	const struct tensor *views[OP_MAX_TENSORS];
	int64_t n;
	struct {
		bool ftz;
		double kappa;
		unsigned rules;
		struct oracle *o;
	} cache[16];
	int ncache;
};

static void sim_tensor(struct sim_case *c, int k, int i)
{
	int64_t n;

	c->t[i] = op_inst_tensor(c->inst, k);
	tensor_set_contiguous(&c->t[i]);
	n = tensor_count(&c->t[i]);
	c->t[i].bytes = (size_t)n * (size_t)dtype_bytes(c->dt);
	c->t[i].data = c->stored[i] = mem_alloc(c->t[i].bytes);
	for (int64_t j = 0; j < n; j++) {
		uint64_t bits = dtype_encode(c->dt, (double)c->in[i][j], RND_NE, false);
		dtype_store(c->dt, c->stored[i] + j * dtype_bytes(c->dt), bits);
		c->in[i][j] = (float)dtype_decode(c->dt, bits);
	}
	c->views[k] = &c->t[i];
}

static void sim_inputs(struct sim_case *c, uint64_t seed)
{
	enum sim_class cl = c->cls, mild = cl == CL_RISING || cl == CL_MAXLAST || cl == CL_MASKED
	                                           ? CL_NORMAL
	                                           : cl;
	struct sim *d = &c->d;
	struct gen g = {seed + 99, 0};
	int K = c->K;

	for (int i = 0; i < 3; i++)
		c->in[i] = mem_zalloc(SIM_ROOM, sizeof(float));
	if (c->o->kind == SIM_ATTENTION) {
		sim_fill(mild, d->M, d->D, seed, c->dt, c->in[0]);
		sim_fill(mild, K, d->D, seed + 1, c->dt, c->in[1]);
		sim_fill(cl == CL_MASKED || cl == CL_NEAROVF ? CL_NORMAL : cl, K, d->E, seed + 2,
		         c->dt, c->in[2]);
		for (int i = 0; i < K * d->D && cl == CL_RISING; i++)
			c->in[1][i] = fabsf(c->in[1][i]) * (float)(i / d->D / 32 + 1) * .2f;
		for (int i = 0; i < d->M * d->D && cl == CL_RISING; i++)
			c->in[0][i] = fabsf(c->in[0][i]) + 1;
		for (int i = 0; i < d->D && cl == CL_MAXLAST; i++)
			c->in[1][(K - 1) * d->D + i] = c->in[0][i] * 3;
		d->q = c->in[0];
		d->k = c->in[1];
		d->v = c->in[2];
		return;
	}
	sim_fill(cl, d->R, K, seed, c->dt, c->in[0]);
	d->x = c->in[0];
	d->w = c->in[1];
	d->b = c->in[2];
	if (c->o->kind == SIM_MATMUL) {
		bool ones = cl == CL_CANCEL || cl == CL_ONEHOT || cl == CL_NEAROVF;
		float *t = mem_alloc(sizeof(float) * (size_t)(K * d->N));
		sim_fill(cl, d->N, K, seed + 1, c->dt, t);
		for (int n = 0; n < d->N; n++) {
			float one = (float)(1 + g_unit(&g));
			for (int k = 0; k < K; k++)
				c->in[1][k * d->N + n] = ones ? one : t[n * K + k];
		}
		free(t);
		return;
	}
	for (int j = 0; j < K; j++) {
		c->in[1][j] = (float)g_normal(&g);
		c->in[2][j] = (float)g_normal(&g);
	}
}

static int64_t *sim_dim(struct op_binding *b, const struct op *op, const char *name)
{
	const struct op_schema *s = op_schema(op);
	for (int i = 0; i < s->ndims; i++)
		if (strcmp(s->dims[i].name, name) == 0)
			return &b->dims[i];
	check_true(false, "%s has no size %s", s->name, name);
	return NULL;
}

static void sim_sizes(struct sim_case *c, struct op_binding *b)
{
	struct sim *d = &c->d;
	int rows = 2048 / c->K;

	d->K = c->K;
	d->R = rows < 2 ? 2 : rows > 16 ? 16 : rows;
	d->M = d->N = 8;
	d->D = 64;
	d->E = 16;
	if (c->o->kind == SIM_MATMUL)
		d->R = d->M;
	if (c->o->kind == SIM_ROW) {
		*sim_dim(b, c->op, strcmp(c->o->name, "rmsnorm") ? "R" : "A") = d->R;
		*sim_dim(b, c->op, strcmp(c->o->name, "rmsnorm") ? "C" : "N") = d->K;
		if (strcmp(c->o->name, "rmsnorm") == 0)
			*sim_dim(b, c->op, "B") = 1;
	} else if (c->o->kind == SIM_POINT) {
		*sim_dim(b, c->op, "N") = d->R * d->K;
	} else if (c->o->kind == SIM_MATMUL) {
		*sim_dim(b, c->op, "M") = d->M;
		*sim_dim(b, c->op, "N") = d->N;
		*sim_dim(b, c->op, "K") = d->K;
	} else {
		*sim_dim(b, c->op, "B") = *sim_dim(b, c->op, "H") = *sim_dim(b, c->op, "G") = 1;
		*sim_dim(b, c->op, "N") = d->M;
		*sim_dim(b, c->op, "L") = d->K;
		*sim_dim(b, c->op, "D") = d->D;
		*sim_dim(b, c->op, "E") = d->E;
	}
}

static void sim_open_as(struct sim_case *c, const struct sim_op *o, enum sim_class cls, int K,
                        uint64_t seed, enum dtype dt)
{
	struct op_binding b = {0};
	struct err e = {0};

	memset(c, 0, sizeof *c);
	c->o = o;
	c->cls = cls;
	c->K = K;
	if (o->oracle)
		check_ok(op_parse(o->oracle, strlen(o->oracle), o->name, &c->parsed, &e), &e);
	c->op = o->oracle ? c->parsed : op_builtin(o->name);
	c->dt = dt;
	for (int i = 0; i < OP_MAX_TYPES; i++)
		b.types[i] = dt;
	const struct op_schema *s = op_schema(c->op);
	for (int k = 0; k < s->nin; k++)
		b.present[k] = strcmp(s->tensors[k].name, "bias") != 0;
	sim_sizes(c, &b);
	check_ok(op_bind(c->op, &b, &c->inst, &e), &e);
	sim_inputs(c, seed);
	for (int k = 0, i = 0; k < s->nin; k++)
		if (b.present[k])
			sim_tensor(c, k, i++);
	struct tensor y = op_inst_tensor(c->inst, s->nin);
	c->n = tensor_count(&y);
}

static void sim_open(struct sim_case *c, const struct sim_op *o, enum sim_class cls, int K,
                     uint64_t seed)
{
	sim_open_as(c, o, cls, K, seed, DT_F32);
}

static void sim_close(struct sim_case *c)
{
	for (int i = 0; i < c->ncache; i++)
		oracle_free(c->cache[i].o);
	for (int i = 0; i < 3; i++)
		free(c->in[i]), free(c->stored[i]);
	op_inst_free(c->inst);
	if (c->parsed)
		op_free(c->parsed);
}

/* The oracle for a family: flushing or not, kappa, rules of the scale. */
static struct oracle *sim_oracle(struct sim_case *c, bool ftz, double kappa, unsigned rules)
{
	struct numerics num = numerics_default();
	struct err e = {0};
	int i = 0;

	for (; i < c->ncache; i++)
		if (c->cache[i].ftz == ftz && c->cache[i].kappa == kappa &&
		    c->cache[i].rules == rules)
			return c->cache[i].o;
	check_true(i < (int)ARRAY_LEN(c->cache), "too many families");
	num.ftz = ftz;
	check_ok(eval_with_rules(c->inst, c->views, NULL, &num, kappa, ORACLE_SCALE, rules,
	                         &c->cache[i].o, &e),
	         &e);
	c->cache[i].ftz = ftz;
	c->cache[i].kappa = kappa;
	c->cache[i].rules = rules;
	c->ncache++;
	return c->cache[i].o;
}

static double sim_chain_of(const struct sim_case *c, const struct lib *l)
{
	if (c->o->kind == SIM_POINT)
		return 1;
	if (c->o->kind == SIM_ROW)
		return sim_chain(l, c->K);
	return product_chain(l, c->K, c->o->kind == SIM_ATTENTION);
}

/* Largest scaled error of y over the judged elements, error-scale.md's r; *at the element. */
static double sim_score(const struct oracle *o, const float *y, int64_t *at)
{
	const struct oracle_out *q = &o->out[0];
	double worst = 0;

	for (int64_t i = 0; i < q->n; i++) {
		double err, r;
		if (q->status[i] != EL_FINITE)
			continue;
		err = isfinite(y[i]) ? fabs((double)y[i] - q->z[i]) : 0x1p128;
		err -= dtype_ulp(DT_F32, q->z[i]) / 2;
		r = err <= 0 ? 0 : err / (0x1p-24 * q->S[i]);
		if (r > worst) {
			worst = r;
			*at = i;
		}
	}
	return worst;
}

#endif
