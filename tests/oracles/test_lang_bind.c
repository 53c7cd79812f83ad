/* Tests of binding an operator to sizes and parameters, and of the exact integer evaluation behind
 * it. Expected values: integer arithmetic by hand, convolution sizes as every framework's manual
 * gives them, correct rounding checked with 128-bit integers. */
#include "tests/check.h"

#include "oracles/lang.h"

static struct op *parse(const char *text)
{
	struct err e = {0};
	struct op *op = NULL;

	check_ok(op_parse(text, strlen(text), "t.op", &op, &e), &e);
	return op;
}

static struct op *read_data(const char *name)
{
	struct err e = {0};
	struct op *op = NULL;
	char path[100];

	snprintf(path, sizeof path, "tests/oracles/data/%s.op", name);
	check_ok(op_read(path, &op, &e), &e);
	return op;
}

/* Sizes in declared order, derived ones skipped. */
static struct op_binding sizes(const struct op *op, int n, const int64_t *v)
{
	const struct op_schema *s = op_schema(op);
	struct op_binding b = {0};
	int k = 0;

	for (int i = 0; i < s->ntypes; i++)
		b.types[i] = s->types[i].allowed[0];
	for (int i = 0; i < s->ndims; i++)
		if (!s->dims[i].derived && k < n)
			b.dims[i] = v[k++];
	return b;
}
#define SIZES(op, ...)                                                                             \
	sizes(op, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                       \
	      (int64_t[]){__VA_ARGS__})

static int64_t dim_of(const struct op_inst *in, const char *name)
{
	const struct op_schema *s = op_schema(op_inst_op(in));

	for (int i = 0; i < s->ndims; i++)
		if (strcmp(s->dims[i].name, name) == 0)
			return op_inst_binding(in)->dims[i];
	fail();
	return 0;
}

static void convolution_sizes(void **state)
{
	/* N C K H W R S, groups stride pad dil, P Q: ResNet's first layer, a dilated one, no room.
	 */
	static const struct {
		int64_t in[7];
		double param[4];
		int64_t P, Q;
	} rows[] = {
	        {{2, 3, 64, 224, 224, 7, 7}, {1, 2, 3, 1}, 112, 112},
	        {{1, 8, 4, 10, 12, 3, 3}, {4, 1, 2, 2}, 10, 12},
	        {{1, 1, 1, 5, 9, 5, 2}, {1, 3, 0, 1}, 1, 3},
	};
	struct op *op = read_data("conv2d");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		struct op_binding b = sizes(op, 7, rows[i].in);
		struct op_inst *in;
		struct tensor t;

		for (int k = 0; k < 4; k++) {
			b.param_set[k] = true;
			b.params[k] = rows[i].param[k];
		}
		check_ok(op_bind(op, &b, &in, &e), &e);
		assert_int_equal(dim_of(in, "P"), rows[i].P);
		assert_int_equal(dim_of(in, "Q"), rows[i].Q);
		assert_int_equal(dim_of(in, "Cg"), rows[i].in[1] / (int64_t)rows[i].param[0]);
		t = op_inst_tensor(in, 3);
		assert_int_equal(t.rank, 4);
		assert_int_equal(t.dim[1], rows[i].in[2]);
		assert_int_equal(t.dim[2], rows[i].P);
		assert_int_equal(t.stride[2], rows[i].Q);
		assert_int_equal(t.dt, DT_F32);
		assert_null(t.data);
		assert_false(op_inst_binding(in)->present[2]);
		assert_true(op_inst_binding(in)->present[0] && op_inst_binding(in)->present[3]);
		op_inst_free(in);
	}
	op_free(op);
}

static void domain_errors_name_the_size(void **state)
{
	struct err e = {0};
	struct op *conv = read_data("conv2d"), *quant = read_data("quant_i8");
	const struct op *soft = op_builtin("softmax"), *max = op_builtin("max");
	const struct op *att = op_builtin("attention"), *norm = op_builtin("layernorm");
	struct op_inst *in;
	struct op_binding b;

	(void)state;
	b = SIZES(max, 3, 0);
	check_fails(op_bind(max, &b, &in, &e), ST_INPUT, &e,
	            "max: the size C = 0 must be at least 1");
	b = SIZES(soft, -1, 4);
	check_fails(op_bind(soft, &b, &in, &e), ST_INPUT, &e, "R = -1 must be at least 0");
	b = SIZES(soft, 1, 4);
	b.types[0] = DT_I8;
	check_fails(op_bind(soft, &b, &in, &e), ST_INPUT, &e, "element type T cannot be i8");
	b = SIZES(att, 1, 6, 4, 2, 2, 8, 8);
	check_fails(op_bind(att, &b, &in, &e), ST_INPUT, &e,
	            "attention: the operator needs H%G == 0");
	b = SIZES(att, 1, 8, 4, 2, 2, 8, 8);
	b.options[1] = 2;
	check_fails(op_bind(att, &b, &in, &e), ST_INPUT, &e, "option anchor has no value number 2");
	b = SIZES(quant, 4, 100, 48);
	check_fails(op_bind(quant, &b, &in, &e), ST_INPUT, &e,
	            "G = 48 must be one of 16, 32, 64, 128");
	b = SIZES(conv, 1, 1, 1, 2, 9, 5, 5);
	check_fails(op_bind(conv, &b, &in, &e), ST_INPUT, &e, "derived size P = -2 is negative");
	b = SIZES(soft, INT64_C(1) << 32, INT64_C(1) << 32);
	check_fails(op_bind(soft, &b, &in, &e), ST_INPUT, &e, "x has more than 2^56 elements");
	b = SIZES(norm, 1, 4);
	b.param_set[0] = true;
	b.params[0] = -1;
	check_fails(op_bind(norm, &b, &in, &e), ST_INPUT, &e, "eps = -1 must be in 0..inf");
	b.params[0] = NAN;
	check_fails(op_bind(norm, &b, &in, &e), ST_INPUT, &e, "eps is NaN");
	op_free(conv);
	op_free(quant);
}

static void empty_tensors_are_allowed(void **state)
{
	struct err e = {0};
	const struct op *op = op_builtin("softmax");
	struct op_binding b = SIZES(op, INT64_C(1) << 60, 0);
	struct op_inst *in;
	struct tensor t;

	(void)state;
	check_ok(op_bind(op, &b, &in, &e), &e);
	t = op_inst_tensor(in, 1);
	assert_int_equal(tensor_count(&t), 0);
	op_inst_free(in);
}

/* Is v the f32 nearest to 1/sqrt(d)?  v = m·2^e; the halfway points are (2m±1)·2^(e-1), and
 * h < 1/sqrt(d) exactly when h²·d < 1. */
static bool is_rounded_rsqrt(double v, int64_t d)
{
	int e;
	double f = frexp(v, &e);
	unsigned __int128 m = (unsigned __int128)ldexp(f, 24);
	unsigned __int128 below = 2 * m - 1, above = 2 * m + 1, one;

	e -= 24;
	/* Halfway points times 2^(e-1): compare (2m±1)²·d with 2^(2-2e). */
	one = (unsigned __int128)1 << (2 - 2 * e);
	return below * below * (unsigned __int128)d < one &&
	       above * above * (unsigned __int128)d > one;
}

static void default_scale_is_correctly_rounded(void **state)
{
	const struct op *op = op_builtin("attention");

	(void)state;
	for (int64_t d = 1; d <= 2048; d++) {
		struct err e = {0};
		struct op_binding b = SIZES(op, 1, 1, 1, 1, 1, d, 1);
		struct op_inst *in;
		double v;

		check_ok(op_bind(op, &b, &in, &e), &e);
		v = op_inst_binding(in)->params[0];
		check_true(v == (double)(float)v, "1/sqrt(%" PRId64 ") is no f32", d);
		/* Powers of 4 are exact, and the lower neighbour of a power of 2 is half as far. */
		check_true(v * v * (double)d == 1 || is_rounded_rsqrt(v, d),
		           "1/sqrt(%" PRId64 ") = %a", d, v);
		op_inst_free(in);
	}
}

static void parameters_are_rounded_to_their_type(void **state)
{
	struct err e = {0};
	struct op *op = read_data("words");
	struct op_binding b = SIZES(op, 5, 16);
	struct op_inst *in;
	const struct op_binding *c;

	(void)state;
	b.param_set[0] = true;
	b.params[0] = 0.1;
	check_ok(op_bind(op, &b, &in, &e), &e);
	c = op_inst_binding(in);
	assert_true(c->params[0] == (double)0.1f);
	assert_true(c->params[1] == 10);      /* 2*N */
	assert_true(c->params[2] == 1);       /* N > 4 */
	assert_int_equal(dim_of(in, "H"), 1); /* (5 + 16 - 1)/16 */
	op_inst_free(in);
	b.param_set[1] = true;
	b.params[1] = 2.5;
	check_fails(op_bind(op, &b, &in, &e), ST_INPUT, &e, "n = 2.5 must be an integer");
	b.params[1] = 0x1p60;
	check_fails(op_bind(op, &b, &in, &e), ST_INPUT, &e, "below 2^53");
	b.param_set[1] = false;
	b.param_set[2] = true;
	b.params[2] = 2;
	check_fails(op_bind(op, &b, &in, &e), ST_INPUT, &e, "flag = 2 must be 0 or 1");
	op_free(op);
	op = parse("op t ; param p: f32 ; out y: f32[] ; y = p");
	b = (struct op_binding){0};
	check_fails(op_bind(op, &b, &in, &e), ST_INPUT, &e, "p has no default");
	op_free(op);
}

static void f32_defaults_match_the_compiler(void **state)
{
	static const struct {
		const char *op;
		float value;
	} rows[] = {{"layernorm", 1e-5f},
	            {"rmsnorm", 1e-6f},
	            {"l2norm", 1e-12f},
	            {"leaky_relu", 0.01f},
	            {"elu", 1.0f}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		const struct op *op = op_builtin(rows[i].op);
		struct op_binding b = SIZES(op, 2, 2, 2);
		struct op_inst *in;

		check_ok(op_bind(op, &b, &in, &e), &e);
		check_true(op_inst_binding(in)->params[0] == (double)rows[i].value, "%s",
		           rows[i].op);
		op_inst_free(in);
	}
}

/* Size expressions, with N = 7, M = 3 and k = -5; INT64_MIN marks an error whose text is given. */
static const struct {
	const char *expr;
	int64_t value;
	const char *error;
} ints[] = {
        {"N/M", 2, NULL},
        {"N%M", 1, NULL},
        {"0-(0-N)/M", 3, NULL},  /* floor(-7/3) = -3 */
        {"(0-N)%M", 2, NULL},    /* -7 = 3*(-3) + 2 */
        {"N/(0-M)+10", 7, NULL}, /* floor(7/-3) = -3 */
        {"N%(0-M)+10", 8, NULL}, /* 7 = -3*-3 - 2 */
        {"(0-N)/(0-M)", 2, NULL},
        {"(0-N)%(0-M)+10", 9, NULL}, /* -7 = -3*2 - 1 */
        {"abs(k)+neg(k)", 10, NULL},
        {"k^2-M^3", -2, "negative"},
        {"M^4", 81, NULL},
        {"min(N,M)*max(N,M)", 21, NULL},
        {"if N > M and not (k > 0) then 5 else 1/0", 5, NULL},
        {"if N > M or 1/0 == 1 then 6 else 1", 6, NULL},
        {"if N > M and 1/(M-3) == 1 then 6 else 1", INT64_MIN, "division by zero"},
        {"if s > 0.25 then 1 else 2", 1, NULL},
        {"if s*3 == 1.5 or flag then 3 else 2", INT64_MIN, NULL},
        {"N/(M-3)", INT64_MIN, "division by zero"},
        {"N%(M-3)", INT64_MIN, "division by zero"},
        {"9223372036854775807+N", INT64_MIN, "64-bit"},
        {"0-9223372036854775807-N", INT64_MIN, "64-bit"},
        {"9223372036854775807*M", INT64_MIN, "64-bit"},
        {"(N*1000000007)^2*(N*1000000007)^2", INT64_MIN, "64-bit"},
        {"neg(0-9223372036854775807-1)", INT64_MIN, "64-bit"},
        {"abs(0-9223372036854775807-1)", INT64_MIN, "64-bit"},
        {"(0-9223372036854775807-1)/(0-1)", INT64_MIN, "64-bit"},
        {"9223372036854775807", INT64_MAX, NULL},
};

static void integer_expressions_are_exact(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ints); i++) {
		struct err e = {0};
		char text[500];
		struct op *op = NULL;
		struct op_inst *in;
		struct op_binding b;
		enum st rc;

		snprintf(text, sizeof text,
		         "op t ; dim N in 0.., M in 0.. ; param k: i64 = 0-5, s: f32 = 0.5, flag: "
		         "bool = "
		         "false\ndim P = %s\nout y: f32[] ; y = 0",
		         ints[i].expr);
		rc = op_parse(text, strlen(text), "t.op", &op, &e);
		if (ints[i].value == INT64_MIN &&
		    !ints[i].error) { /* refused already: a rounded value */
			check_fails(rc, ST_INPUT, &e, "exact values");
			continue;
		}
		check_ok(rc, &e);
		b = SIZES(op, 7, 3);
		rc = op_bind(op, &b, &in, &e);
		if (ints[i].error) {
			check_true(rc == ST_INPUT && strstr(e.msg, ints[i].error), "%s: %s",
			           ints[i].expr, e.msg);
		} else {
			check_true(rc == ST_OK, "%s: %s", ints[i].expr, e.msg);
			check_true(dim_of(in, "P") == ints[i].value, "%s = %" PRId64, ints[i].expr,
			           dim_of(in, "P"));
			op_inst_free(in);
		}
		op_free(op);
	}
}

/* Constants rounded once to f32; the values are those of the C compiler, which rounds decimal
 * literals correctly (digits of the constants: Abramowitz and Stegun, table 1.1). */
static void constants_are_rounded_once(void **state)
{
	static const struct {
		const char *expr;
		float value;
	} rows[] = {
	        {"sqrt(2/pi)", 0.79788456080286535587989211986876f},
	        {"sqrt(2)", 1.41421356237309504880168872420970f},
	        {"pi", 3.14159265358979323846264338327950f},
	        {"exp(1)", 2.71828182845904523536028747135266f},
	        {"log(2)", 0.69314718055994530941723212145818f},
	        {"1/log(2)", 1.44269504088896340735992468100189f},
	        {"log(10)", 2.30258509299404568401799145468436f},
	        {"log2(10)", 3.32192809488736234787031942948939f},
	        {"exp2(0.5)", 1.41421356237309504880168872420970f},
	        {"expm1(1)", 1.71828182845904523536028747135266f},
	        {"log1p(1)", 0.69314718055994530941723212145818f},
	        {"rsqrt(2)", 0.70710678118654752440084436210485f},
	        {"sin(pi/6)", 0.5f},
	        {"cos(pi/3)", 0.5f},
	        {"erf(0.5)", 0.52049987781304653768274665389197f},
	        {"1+erf(0-0.5)", 0.47950012218695346231725334610803f},
	        {"tanh(0.5)", 0.46211715726000975850231848364367f},
	        {"1+tanh(0-0.5)", 0.53788284273999024149768151635633f},
	        {"pow(2,0.5)", 1.41421356237309504880168872420970f},
	        {"floor(0-1.5)", -2.0f},
	        {"round(2.5)", 2.0f},
	        {"abs(0-1.5)^2", 2.25f},
	        {"min(1.5,2)*max(1.5,2)", 3.0f},
	        {"if 1 < 2 then 0.1 else 0.2", 0.1f},
	        {"1e-45", 1.40129846432481707092372958328992e-45f},
	        {"neg(inf)", -INFINITY},
	        {"sin(exp(1e9))*0",
	         NAN}, /* beyond 2^20000 exponents count as infinite: quick, not exact */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		char text[300];
		struct op *op;
		double v;

		snprintf(text, sizeof text, "op t ; param p: f32 = %s ; out y: f32[] ; y = p",
		         rows[i].expr);
		op = parse(text);
		check_ok(lang_real(op, NULL, op->param_default[0], DT_F32, &v, &e), &e);
		check_true(isnan(rows[i].value) ? isnan(v) : v == (double)rows[i].value,
		           "%s: got %a, want %a", rows[i].expr, v, (double)rows[i].value);
		op_free(op);
	}
}

static void integer_inputs_have_domains(void **state)
{
	struct err e = {0};
	struct op *op = read_data("words");
	struct op_binding b = SIZES(op, 5, 16);
	struct op_inst *in;
	struct op_int_domain d;

	(void)state;
	b.types[1] = DT_U8;
	check_ok(op_bind(op, &b, &in, &e), &e);
	assert_false(op_inst_int_domain(in, 0, &d)); /* floats */
	assert_true(op_inst_int_domain(in, 1, &d));
	assert_int_equal(d.lo, 0);
	assert_int_equal(d.hi, 4);
	assert_int_equal(d.nextra, 2);
	assert_int_equal(d.extra[0], -1);
	assert_int_equal(d.extra[1], 10);
	assert_true(op_inst_int_domain(in, 2, &d)); /* bool */
	assert_true(d.lo == 0 && d.hi == 1 && d.nextra == 0);
	assert_true(op_inst_int_domain(in, 3, &d)); /* u8 without a domain */
	assert_true(d.lo == 0 && d.hi == 255);
	assert_false(op_inst_int_domain(in, 6, &d)); /* an output */
	op_inst_free(in);
	b.types[1] = DT_I8;
	check_ok(op_bind(op, &b, &in, &e), &e);
	assert_true(op_inst_int_domain(in, 3, &d) && d.lo == -128 && d.hi == 127);
	op_inst_free(in);
	op_free(op);
}

/* rope's integer lets against their definition: halves, or neighbours. */
static void integer_lets_are_evaluated(void **state)
{
	struct op *op = read_data("rope");

	(void)state;
	for (int style = 0; style < 2; style++) {
		struct err e = {0};
		struct op_binding b = SIZES(op, 1, 2, 1, 3);
		struct op_inst *in;
		int64_t index[LANG_MAX_INDICES] = {0}, f, mate;
		struct lang_env env;

		b.options[0] = style;
		check_ok(op_bind(op, &b, &in, &e), &e);
		env = (struct lang_env){
		        .op = op, .b = &in->b, .extent = in->extent, .index = index};
		for (int64_t d = 0; d < 6; d++) {
			index[op->lets[0]->idx[0]->number] = d;
			index[op->lets[1]->idx[0]->number] = d;
			check_ok(lang_int(&env, op->lets[0]->body, &f, &e), &e);
			check_ok(lang_int(&env, op->lets[1]->body, &mate, &e), &e);
			assert_int_equal(f, style == 0 ? d % 3 : d / 2);
			assert_int_equal(mate, style == 0 ? (d < 3 ? d + 3 : d - 3) : (d ^ 1));
		}
		op_inst_free(in);
	}
	op_free(op);
}

static enum st read_square(void *ctx, const struct lang_node *n, const int64_t *at, int64_t *v,
                           struct err *e)
{
	(void)n;
	(void)e;
	++*(int *)ctx;
	*v = at[0] * at[0];
	return ST_OK;
}

/* Lets, reads with and without else, reductions; id[i] = i². */
static void reads_and_reductions_of_integers(void **state)
{
	static const struct {
		const char *expr;
		int64_t value;
		const char *error;
	} rows[] = {
	        {"sum(i: id[i])", 0 + 1 + 4 + 9, NULL},
	        {"sum(i | i%2 == 1: id[i])", 1 + 9, NULL},
	        {"prod(i<3: id[i+1])", 1 * 4 * 9, NULL},
	        {"max(i: 3*i - id[i])", 2, NULL},
	        {"min(i: id[i] - 2*i)", -1, NULL},
	        {"sum(i<4,j<4 | i < j: 1)", 6, NULL},
	        {"sum(i<6: (id[i] else 100))", 14 + 200, NULL},
	        {"sum(i<6: id[i])", 0, "index 4 is outside 0..3"},
	        {"id[0-1]", 0, "outside 0..3"},
	        {"sq[sq[2]]", 16, NULL},
	        {"sum(i: sq[i])", 285, NULL},
	        {"sq[99]", 0, "index 99 is outside 0..9"},
	        {"(sq[99] else 7)", 7, NULL},
	        {"if any(i: id[i] == 9) and all(i: id[i] >= 0) then 1 else 0", 1, NULL},
	        {"if any(i: id[i] == 3) or not all(i: id[i] < 9) then 1 else 0", 1, NULL},
	        {"sum(i<1000000000, j<1000000000: 1)", 0, "too much work"},
	        {"max(i<0: i)", 0, "no integers"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		char text[400];
		struct op *op;
		struct op_inst *in;
		struct op_binding b = {0};
		int64_t index[LANG_MAX_INDICES] = {0}, v, budget = 100000;
		int reads = 0;
		struct lang_env env;
		enum st rc;

		snprintf(text, sizeof text,
		         "op t ; in id: i32[4] ; out y: i64[] ; let sq[n<10] = n*n\ny = %s",
		         rows[i].expr);
		op = parse(text);
		check_ok(op_bind(op, &b, &in, &e), &e);
		env = (struct lang_env){op,          &in->b, in->extent, index,
		                        read_square, &reads, &budget};
		rc = lang_int(&env, op->outs[0]->body, &v, &e);
		if (rows[i].error)
			check_true(rc != ST_OK && strstr(e.msg, rows[i].error), "%s: %s",
			           rows[i].expr, e.msg);
		else
			check_true(rc == ST_OK && v == rows[i].value, "%s = %" PRId64 " %s",
			           rows[i].expr, v, e.msg);
		op_inst_free(in);
		op_free(op);
	}
}

static void extents_are_concrete(void **state)
{
	struct err e = {0};
	struct op *op = read_data("quant_i8");
	struct op_binding b = SIZES(op, 3, 100, 32);
	struct op_inst *in;

	(void)state;
	check_ok(op_bind(op, &b, &in, &e), &e);
	/* s[r,g], then c<G of the maximum, then q[r,c]. */
	assert_int_equal(in->extent[0], 3);
	assert_int_equal(in->extent[1], 4);
	assert_int_equal(in->extent[2], 32);
	assert_int_equal(in->extent[4], 100);
	op_inst_free(in);
	op_free(op);
	op = parse("op t ; dim N in 0.. ; in x: f32[N] ; out y: f32[] ; y = sum(i<N-2: x[i+2])");
	b = SIZES(op, 1);
	check_fails(op_bind(op, &b, &in, &e), ST_INPUT, &e, "the extent of i is negative: -1");
	op_free(op);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(convolution_sizes),
	        cmocka_unit_test(domain_errors_name_the_size),
	        cmocka_unit_test(empty_tensors_are_allowed),
	        cmocka_unit_test(default_scale_is_correctly_rounded),
	        cmocka_unit_test(parameters_are_rounded_to_their_type),
	        cmocka_unit_test(f32_defaults_match_the_compiler),
	        cmocka_unit_test(integer_expressions_are_exact),
	        cmocka_unit_test(constants_are_rounded_once),
	        cmocka_unit_test(integer_inputs_have_domains),
	        cmocka_unit_test(integer_lets_are_evaluated),
	        cmocka_unit_test(reads_and_reductions_of_integers),
	        cmocka_unit_test(extents_are_concrete),
	};

	return check_main(tests);
}
