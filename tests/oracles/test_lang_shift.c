/* A `shift` has S = 0 because the result does not depend on it.  Here the claim is tried for every
 * operator that makes it: with m + 1 for m the outputs are the same, within the enclosures' radii.
 */
#include "tests/check.h"

#include "oracles/lang.h"

#define MAX_ELEMENTS 4096

struct inputs {
	struct tensor t[OP_MAX_TENSORS];
	const struct tensor *in[OP_MAX_TENSORS];
	float data[OP_MAX_TENSORS][MAX_ELEMENTS];
};

/* f32 in (-2, 2), integers in their domain. */
static void make_inputs(const struct op_inst *inst, struct inputs *x)
{
	const struct op_schema *s = op_schema(op_inst_op(inst));

	for (int k = 0; k < s->nin; k++) {
		struct op_int_domain d;
		int64_t n;

		if (!op_inst_binding(inst)->present[k]) {
			x->in[k] = NULL;
			continue;
		}
		x->t[k] = op_inst_tensor(inst, k);
		n = tensor_count(&x->t[k]);
		x->t[k].data = (uint8_t *)x->data[k];
		x->t[k].bytes = sizeof x->data[k];
		assert_true((size_t)n * (size_t)dtype_bytes(x->t[k].dt) <= sizeof x->data[k]);
		for (int64_t i = 0; i < n; i++) {
			uint8_t *at = x->t[k].data + i * dtype_bytes(x->t[k].dt);
			double u = rand_unit(42, (uint64_t)k, (uint64_t)i);

			if (op_inst_int_domain(inst, k, &d))
				dtype_store(x->t[k].dt, at,
				            (uint64_t)(d.lo +
				                       (int64_t)(u * (double)(d.hi + 1 - d.lo))));
			else
				dtype_store(x->t[k].dt, at,
				            dtype_encode(x->t[k].dt, 4 * u - 2, RND_NE, false));
		}
		x->in[k] = &x->t[k];
	}
}

/* All sizes 4, f32. */
static struct oracle *evaluate(const struct op *op, struct op_inst **inst, struct inputs *x)
{
	struct err e = {0};
	struct op_binding b = {0};
	struct numerics num = numerics_default();
	struct oracle *o;

	for (int i = 0; i < op_schema(op)->ntypes; i++)
		b.types[i] = op_schema(op)->types[i].allowed[0];
	for (int i = 0; i < op_schema(op)->ndims; i++)
		b.dims[i] = 4;
	check_ok(op_bind(op, &b, inst, &e), &e);
	make_inputs(*inst, x);
	check_ok(oracle_eval(*inst, x->in, NULL, &num, 8, 0, &o, &e), &e);
	return o;
}

/* The largest difference of the two texts' outputs beyond their radii, and the largest output. */
static double difference(const char *text, const char *moved, double *largest)
{
	struct err e = {0};
	struct op *op[2];
	struct op_inst *inst[2];
	struct oracle *o[2];
	struct inputs *x = mem_zalloc(1, sizeof *x);
	double worst = -INFINITY;

	check_ok(op_parse(text, strlen(text), "a.op", &op[0], &e), &e);
	check_ok(op_parse(moved, strlen(moved), "b.op", &op[1], &e), &e);
	for (int i = 0; i < 2; i++)
		o[i] = evaluate(op[i], &inst[i], x);
	*largest = 0;
	for (int64_t i = 0; i < o[0]->out[0].n; i++) {
		const struct oracle_out *a = &o[0]->out[0], *b = &o[1]->out[0];
		double d = fabs(a->z[i] - b->z[i]) - a->rad[i] - b->rad[i];

		assert_int_equal(a->status[i], EL_FINITE);
		assert_int_equal(b->status[i], EL_FINITE);
		worst = fmax(worst, d);
		*largest = fmax(*largest, fabs(a->z[i]));
	}
	for (int i = 0; i < 2; i++) {
		oracle_free(o[i]);
		op_inst_free(inst[i]);
		op_free(op[i]);
	}
	free(x);
	return worst;
}

/* The text with "1 + " after the '=' of its shift; NULL when it has none. */
static char *moved_text(const char *text)
{
	const char *at = strstr(text, "shift ");
	struct buf b = {0};

	if (!at)
		return NULL;
	at = strchr(at, '=') + 1;
	buf_add(&b, text, (size_t)(at - text));
	buf_puts(&b, " 1 +");
	buf_puts(&b, at);
	return b.s;
}

static void try_shift(const char *name, const char *text)
{
	char *moved = moved_text(text);
	double largest, d = difference(text, moved, &largest);

	check_true(d <= 0 && largest > 0.01, "%s: differs by %g, largest %g", name, d, largest);
	free(moved);
}

static void shifts_of_embedded_operators_cancel(void **state)
{
	int tried = 0;

	(void)state;
	for (int i = 0; i < op_builtin_count(); i++) {
		const char *text = op_builtin_text(op_builtin_name(i));

		if (op_builtin(op_builtin_name(i))->nlets > 0 && strstr(text, "\nshift ")) {
			try_shift(op_builtin_name(i), text);
			tried++;
		}
	}
	assert_int_equal(tried, 4); /* softmax, log_softmax, attention, cross_entropy */
}

static void shift_of_cross_entropy_cancels(void **state)
{
	struct err e = {0};
	char *text;
	size_t n;

	(void)state;
	check_ok(file_read("tests/oracles/data/cross_entropy.op", 10000, &text, &n, &e), &e);
	try_shift("cross_entropy", text);
	free(text);
}

/* The method finds a shift that does not cancel. */
static void a_false_shift_is_seen(void **state)
{
	static const char text[] = "op t ; dim N in 1.. ; in x: f32[N] ; out y: f32[N]\n"
	                           "shift m = max(i: x[i])\ny[i] = x[i] - m";
	char *moved = moved_text(text);
	double largest, d = difference(text, moved, &largest);

	(void)state;
	check_true(fabs(d - 1) < 1e-9, "differs by %g", d);
	free(moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(shifts_of_embedded_operators_cancel),
	        cmocka_unit_test(shift_of_cross_entropy_cancels),
	        cmocka_unit_test(a_false_shift_is_seen),
	};

	return check_main(tests);
}
