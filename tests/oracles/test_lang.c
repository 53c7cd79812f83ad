/* Tests of the operator language: what parses, what is refused and where, what the tree promises
 * (oracles/lang.h). Expected values are written by hand from the language's definition. */
#include "tests/check.h"

#include "oracles/lang.h"

/* What most texts below share; five lines, so that the text under test begins in line 6. */
#define HEAD                                                                                       \
	"op t ; type T in f32, f16\n"                                                              \
	"dim R in 0.., C in 1.. ; param eps: f32 = 1e-5, n: i64 = 2\n"                             \
	"option mode = fast | slow\n"                                                              \
	"in x: T[R,C], id: i32[R] in 0..C-1, mask: bool[R] ; in? w: T[C] = 1\n"                    \
	"out y: T[R,C]\n"

static struct op *parse(const char *text)
{
	struct err e = {0};
	struct op *op = NULL;

	check_ok(op_parse(text, strlen(text), "t.op", &op, &e), &e);
	return op;
}

static struct op *parse_body(const char *body)
{
	char text[4000];

	snprintf(text, sizeof text, "%sy[r,c] = %s\n", HEAD, body);
	return parse(text);
}

static const char *const data[] = {"argmax", "argmax_any",    "attention", "bmm",
                                   "conv2d", "cross_entropy", "cumsum",    "embedding",
                                   "l2norm", "layernorm",     "quant_i8",  "rmsnorm",
                                   "rope",   "var",           "words"};

static struct op *read_data(const char *name)
{
	struct err e = {0};
	struct op *op = NULL;
	char path[100];

	snprintf(path, sizeof path, "tests/oracles/data/%s.op", name);
	check_ok(op_read(path, &op, &e), &e);
	return op;
}

static void reads_every_hard_example(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(data); i++) {
		struct op *op = read_data(data[i]);

		assert_string_equal(op_schema(op)->name, data[i]);
		op_free(op);
	}
}

static void embeds_the_operators_in_alphabetical_order(void **state)
{
	static const char *const names[] = {
	        "attention",  "bmm",        "conv1d",      "conv2d", "cross_entropy", "cumsum",
	        "dequant_i8", "elu",        "embedding",   "gelu",   "gelu_tanh",     "l2norm",
	        "layernorm",  "leaky_relu", "log_softmax", "matmul", "max",           "mean",
	        "quant_i8",   "relu",       "rmsnorm",     "rope",   "sigmoid",       "silu",
	        "softmax",    "sum",        "tanh",        "var"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct op *op = op_builtin(names[i]);

		check_true(op != NULL, "%s is not embedded", names[i]);
		assert_string_equal(op_schema(op)->name, names[i]);
		assert_true(op == op_builtin(names[i]));
		assert_non_null(strstr(op_builtin_text(names[i]), names[i]));
	}
	for (int i = 1; i < op_builtin_count(); i++)
		assert_true(strcmp(op_builtin_name(i - 1), op_builtin_name(i)) < 0);
	assert_null(op_builtin("softmaks"));
	assert_null(op_builtin_text("softmaks"));
	assert_null(op_builtin_name(-1));
	assert_null(op_builtin_name(op_builtin_count()));
}

static void schema_of_attention(void **state)
{
	const struct op_schema *s = op_schema(op_builtin("attention"));

	(void)state;
	assert_int_equal(s->ntypes, 1);
	assert_int_equal(s->types[0].n, 3);
	assert_int_equal(s->types[0].allowed[2], DT_BF16);
	assert_int_equal(s->ndims, 7);
	assert_string_equal(s->dims[4].name, "L");
	assert_int_equal(s->dims[4].lo, 0);
	assert_true(s->dims[4].hi == INT64_MAX && !s->dims[4].derived);
	assert_int_equal(s->nparams, 2);
	assert_int_equal(s->params[0].kind, PARAM_F32);
	assert_true(s->params[0].has_default && !s->params[0].has_range);
	assert_int_equal(s->params[1].kind, PARAM_BOOL);
	assert_int_equal(s->noptions, 2);
	assert_string_equal(s->options[1].values[0], "bottom_right");
	assert_int_equal(s->nin, 4);
	assert_int_equal(s->ntensors, 5);
	assert_true(s->tensors[3].optional && s->tensors[3].type == -1);
	assert_int_equal(s->tensors[3].fixed, DT_F32);
	assert_true(s->tensors[4].out && s->tensors[4].rank == 4 && s->tensors[4].type == 0);
	assert_int_equal(s->acc, DT_F32);
	assert_false(s->exact);
}

static void schema_of_words(void **state)
{
	struct op *op = read_data("words");
	const struct op_schema *s = op_schema(op);
	const struct lang_contract *c = &op->contract;

	(void)state;
	assert_string_equal(s->doc, "First sentence. Second sentence.");
	assert_int_equal(s->dims[1].nvalues, 3);
	assert_int_equal(s->dims[1].values[1], 16);
	assert_true(s->dims[2].derived);
	assert_true(s->params[0].has_range && s->params[0].lo == 0 && s->params[0].hi == 1);
	assert_int_equal(s->noptions, 2);
	assert_int_equal(op->tensor[1].nextra, 2);
	assert_int_equal(op->naccepts, 1);
	assert_int_equal(op->nrelations, 1);
	assert_int_equal(op->relations[0].nsubst, 2);
	assert_int_equal(op->relations[0].nclaims, 2);
	assert_int_equal(s->acc, DT_F64);
	assert_true(c->nan == NAN_DROP && c->reach == REACH_ROW && c->ties_any && c->ftz &&
	            !c->fma);
	assert_true(c->exp_accurate && c->logits == 0x1p24 && c->alias == 0 && c->empty != NULL);
	assert_true(op->lets[3]->low && op->lets[4]->kind == DEF_SHIFT);
	op_free(op);
}

static void clauses_end_at_semicolons_and_lines(void **state)
{
	struct op *op =
	        parse("op t ;; type T in f32\n\n# comment; not a clause\ndim N in\n1..4, "
	              "M in 0..\nin x: T[\nN\n]\nout y: T[N]\ny[i] = x[i] +\n  x[i]\n  * 2\n"
	              "  - (if N == 1\n    then 1\n    else 0)");

	(void)state;
	assert_int_equal(op_schema(op)->ndims, 2);
	assert_int_equal(op->outs[0]->body->kind, N_SUB);
	op_free(op);
}

/* Expression as written, and as printed: fewest parentheses, one spelling. */
static const struct {
	const char *in, *out;
} prints[] = {
        {"x[r,c]", "x[r,c]"},
        {"((x[r,c]))+(1)", "x[r,c] + 1"},
        {"1-(2-x[r,c])", "1 - (2 - x[r,c])"},
        {"(1-2)-x[r,c]", "1 - 2 - x[r,c]"},
        {"x[r,c]/(2*x[r,c])", "x[r,c]/(2*x[r,c])"},
        {"(x[r,c]/2)*x[r,c]", "x[r,c]/2*x[r,c]"},
        {"-x[r,c]^2", "-x[r,c]^2"},
        {"(-x[r,c])^2", "(-x[r,c])^2"},
        {"2*-x[r,c]", "2*-x[r,c]"},
        {"+x[r,c]", "x[r,c]"},
        {"neg(x[r,c])+abs(x[r,c])", "-x[r,c] + abs(x[r,c])"},
        {"x[r,c]^3", "x[r,c]*x[r,c]^2"},
        {"x[r,c]^4", "(x[r,c]^2)^2"},
        {"max(x[r,c],0)", "max(x[r,c], 0)"},
        {"max(k:x[r,k])", "max(k: x[r,k])"},
        {"min(k|k<=c and k>0:x[r,k])", "min(k | k <= c and k > 0: x[r,k])"},
        {"sum(a<R,k<C-1:x[a,k+1])", "sum(a<R,k<C - 1: x[a,k + 1])"},
        {"(x[r,c-1] else 0.5)*2", "(x[r,c - 1] else 0.5)*2"},
        {"if c<2 then x[r,c] else if c<3 then 1 else 2",
         "if c < 2 then x[r,c] else if c < 3 then 1 else 2"},
        {"(if c<2 then 1 else 2)*x[r,c]", "(if c < 2 then 1 else 2)*x[r,c]"},
        {"if c<2 then (x[r,c+1] else 0) else 1", "if c < 2 then (x[r,c + 1] else 0) else 1"},
        {"if not (c<2 and r<1) or c>3 then 1 else 0",
         "if not (c < 2 and r < 1) or c > 3 then 1 else 0"},
        {"if not c<2 and r<1 then 1 else 0", "if not c < 2 and r < 1 then 1 else 0"},
        {"if mode==slow then 1 else 0", "if mode == slow then 1 else 0"},
        {"if mode!=slow then 1 else 0", "if not mode == slow then 1 else 0"},
        {"if inf>x[r,c] then 1 else 0", "if x[r,c] < inf then 1 else 0"},
        {"if mask[r]==true then 1 else 0", "if mask[r] == true then 1 else 0"},
        {"1+erf(x[r,c])", "1 + erf(x[r,c])"},
        {"erf(x[r,c])+1", "1 + erf(x[r,c])"},
        {"1-tanh(x[r,c])", "1 + tanh(-x[r,c])"},
        {"erf(x[r,c])-1", "-(1 + erf(-x[r,c]))"},
        {"2+erf(x[r,c])", "2 + erf(x[r,c])"},
        {"pow(x[r,c],1.5)*exp(x[r,c])", "pow(x[r,c], 1.5)*exp(x[r,c])"},
        {"cast(T,rne,inf,x[r,c])+cast(f16,rz,sat,1)",
         "cast(T, rne, inf, x[r,c]) + cast(f16, rz, sat, 1)"},
        {"x[id[r],(c+1)%C]*w[c/n]", "x[id[r],(c + 1)%C]*w[c/n]"},
        {"actual(y[r,c])+sqrt(2/pi)-nan", "actual(y[r,c]) + sqrt(2/pi) - nan"},
        {"1.0*argmin(k: x[r,k])+mean(k: x[r,k])", "1.0*argmin(k: x[r,k]) + mean(k: x[r,k])"},
};

static void prints_what_it_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(prints); i++) {
		struct op *op = parse_body(prints[i].in), *again;
		struct buf b = {0}, c = {0};

		lang_print(&b, op, op->outs[0]->body);
		check_true(strcmp(b.s, prints[i].out) == 0, "%s: printed %s, want %s", prints[i].in,
		           b.s, prints[i].out);
		again = parse_body(b.s);
		lang_print(&c, again, again->outs[0]->body);
		assert_string_equal(b.s, c.s);
		buf_free(&b);
		buf_free(&c);
		op_free(op);
		op_free(again);
	}
}

/* What is refused: the text, the place "line:column:", and a part of the message. */
static const struct {
	const char *text, *place, *message;
} refused[] = {
        {"", "1:1:", "expected 'op'"},
        {"type T in f32", "1:1:", "first clause"},
        {"op t", "1:5:", "no output"},
        {"op t\nop u", "2:4:", "one text holds one operator"},
        {"op t\nout y: f32[]", "2:5:", "'y' is not defined"},
        {HEAD "dimm K in 1..", "6:1:", "did you mean 'dim'?"},
        {HEAD "dim K in 5..3", "6:10:", "empty range"},
        {HEAD "dim k in 1..", "6:5:", "upper-case"},
        {HEAD "dim K = Q+1", "6:9:", "unknown name 'Q'"},
        {HEAD "dim K = 1.5", "6:9:", "must be an integer"},
        {HEAD "dim K = sum(i<C: 1)", "6:9:", "cannot stand in a size"},
        {HEAD "dim K in {1, 2", "6:15:", "expected ',' or '}'"},
        {HEAD "need C", "6:6:", "must be true or false, not an integer"},
        {HEAD "need sqrt(C) > 2", "6:6:", "exact values"},
        {HEAD "param p: f33 = 1", "6:10:", "expected f32, i64 or bool, found 'f33'"},
        {HEAD "param p: i64 = 0.5", "6:16:", "must be an integer"},
        {HEAD "param p: bool = 2", "6:17:", "must be true or false"},
        {HEAD "param p: f32 = 1 in 2..C", "6:24:", "only a constant"},
        {HEAD "param C: f32", "6:7:", "'C' is a size already"},
        {HEAD "option o = a | a", "6:16:", "stands twice"},
        {HEAD "type U in f32, i8", "6:16:", "floats only or integers only"},
        {HEAD "type U in f23", "6:11:", "did you mean 'f32'?"},
        {HEAD "in z: T[R]", "6:4:", "inputs are declared before outputs"},
        {HEAD "out z: U[R]", "6:8:", "unknown element type 'U'"},
        {HEAD "out z: T[x]", "6:10:", "only sizes"},
        {HEAD "let sum = 3", "6:5:", "a word of the language"},
        {HEAD "let q[i] = 2*i", "6:7:", "no extent"},
        {HEAD "let q[i<C] low = 2*i", "6:5:", "only a real let"},
        {HEAD "let q[i<0.5] = i", "6:9:", "must be an integer"},
        {HEAD "y[r,c] = sqt(x[r,c])", "6:10:", "did you mean 'sqrt'?"},
        {HEAD "y[r,c] = x[r,c", "6:15:", "expected ',' or ']', found the end of the text"},
        {HEAD "y[r,c] = x[c,r]", "6:12:", "'c' runs to R here but to C elsewhere"},
        {HEAD "y[r,c] = sum(k: x[r,k]*x[k,c])", "6:26:", "'k' runs to R here but to C"},
        {HEAD "y[r,c<R] = 1", "6:5:", "not that of the axis"},
        {HEAD "y[r] = 1", "6:1:", "'y' has 2 axes, but 1 index is given"},
        {HEAD "y[r,c] = x[r]", "6:10:", "'x' has 2 axes, but 1 index is given"},
        {HEAD "y[r,c] = x[r,k]", "6:14:", "unknown name 'k'"},
        {HEAD "y[r,c] = sum(c: x[r,c])", "6:14:", "an index already"},
        {HEAD "y[r,c] = sum(R: 1)", "6:14:", "lower-case"},
        {HEAD "y[r,c] = sum(k: 1)", "6:14:", "'k' has no extent"},
        {HEAD "y[r,c] = x[r,c] +", "6:18:", "expected an expression"},
        {HEAD "y[r,c] = x[r,c] and true",
         "6:10:", "'and' needs true or false, found a real number"},
        {HEAD "y[r,c] = 1 + (c < 2)", "6:17:", "needs a number"},
        {HEAD "y[r,c] = c < 2", "6:12:", "expected a number"},
        {HEAD "y[r,c] = 1/2*x[r,c]", "6:11:", "'/' between integers floors"},
        {HEAD "y[r,c] = x[r,c]%2", "6:16:", "'%' is for integers"},
        {HEAD "y[r,c] = x[r,c]^x[r,c]", "6:17:", "integer exponent"},
        {HEAD "y[r,c] = x[r,c]^17", "6:16:", "1 to 16"},
        {HEAD "y[r,c] = y[r,c]", "6:10:", "is an output"},
        {HEAD "y[r,c] = actual(x[r,c])", "6:17:", "takes an output"},
        {HEAD "y[r,c] = 1\ny[r,c] = 2", "7:1:", "defined twice"},
        {HEAD "y[r,c] = if mode == fats then 1 else 0", "6:21:", "did you mean 'fast'?"},
        {HEAD "y[r,c] = mode", "6:10:", "compare it with =="},
        {HEAD "y[r,c] = T", "6:10:", "element type, not a value"},
        {HEAD "y[r,c] = x[r,c] $ 1", "6:17:", "unexpected character '$'"},
        {HEAD "y[r,c] = x[r,c] < 1 < 2", "6:21:", "do not chain"},
        {HEAD "y[r,c] = 1 + x[r,c] else 0", "6:21:", "belongs to 'if' or to one read"},
        {HEAD "y[r,c] = x[r,x[r,c]]", "6:14:", "exact integer"},
        {HEAD "y[r,c] = x[r,cast(i8,rz,sat,2*x[r,c])]", "6:14:", "exact integer"},
        {HEAD "y[r,c] = 99999999999999999999", "6:10:", "beyond 2^63"},
        {HEAD "y[r,c] = 1e999", "6:10:", "double precision"},
        {HEAD "y[r,c] = 1e-999", "6:10:", "double precision"},
        {HEAD "y[r,c] = 3x", "6:11:", "cannot be followed"},
        {HEAD "y[r,c] = cast(f16, up, sat, 1)", "6:20:", "'rne' or 'rz'"},
        {HEAD "y[r,c] = max(x[r,c])", "6:20:", "max(a, b) or max(i: e)"},
        /* A decision on a rounded value has no defined answer. */
        {HEAD "y[r,c] = if sqrt(x[r,c]) > 1 then 1 else 0", "6:13:", "exact values"},
        {HEAD "y[r,c] = if x[r,c] > 0.1 then 1 else 0", "6:22:", "make it a param"},
        {HEAD "y[r,c] = sum(k | x[r,k]*2 > 1: x[r,k])", "6:24:", "exact values"},
        {HEAD "let m = mean(i,k: x[i,k])\ny[r,c] = if m >= 0 then 1 else 0",
         "7:13:", "exact values"},
        {HEAD "y[r,c] = argmax(k: exp(x[r,k]))", "6:20:", "no defined answer"},
        {HEAD "accept y[r,c] when exp(x[r,c]) == 1", "6:20:", "exact values"},
        {HEAD "accept x[r,c] when true", "6:8:", "expected an output, but 'x' is an input"},
        {HEAD "relation a: x[r,c] -> 1 => y[r,c] = 2", "6:35:", "expected '=='"},
        {HEAD "y[r,c] = 2*x[r,c]\ncontract exact", "6:11:", "is rounded"},
        {HEAD "y[r,c] = 1\ncontract exact, nann wins", "7:17:", "did you mean 'nan'?"},
        {HEAD "y[r,c] = 1\ncontract acc i8", "7:14:", "accumulation type"},
        {HEAD "y[r,c] = 1\ncontract alias q", "7:16:", "alias takes an input"},
        {HEAD "doc \"abc", "6:5:", "string does not end"},
        {HEAD "y[r,c] = 1 \xc3\x97 2", "6:12:", "plain ASCII"},
};

static void refuses_and_points_at_the_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct err e = {0};
		struct op *op = NULL;
		char place[40];
		enum st rc = op_parse(refused[i].text, strlen(refused[i].text), "t.op", &op, &e);

		snprintf(place, sizeof place, "t.op:%s", refused[i].place);
		check_true(rc == ST_INPUT, "row %zu: status %s", i, st_text(rc));
		check_true(strncmp(e.msg, place, strlen(place)) == 0 &&
		                   strstr(e.msg, refused[i].message),
		           "row %zu: want %s %s, got: %s", i, place, refused[i].message, e.msg);
		check_true(strstr(e.msg, "^") != NULL, "row %zu: no caret: %s", i, e.msg);
		assert_null(op);
	}
}

static void limits_keep_hostile_texts_small(void **state)
{
	struct err e = {0};
	struct op *op;
	char *text = mem_zalloc(LANG_MAX_TEXT + 100, 1);
	int n = snprintf(text, 1000, "%sy[r,c] = ", HEAD);

	(void)state;
	memset(text + n, '(', 5000);
	check_fails(op_parse(text, strlen(text), "t", &op, &e), ST_INPUT, &e, "nested too deeply");
	memset(text + n, '-', 5000);
	check_fails(op_parse(text, strlen(text), "t", &op, &e), ST_INPUT, &e, "nested too deeply");
	for (int i = 0; i < 2500; i++)
		memcpy(text + n + 2 * i, "1+", 2);
	check_fails(op_parse(text, strlen(text), "t", &op, &e), ST_INPUT, &e, "too large");
	/* 3^12 nodes when the shared ones are unfolded. */
	strcpy(text + n, "((((((((((((x[r,c]^3)^3)^3)^3)^3)^3)^3)^3)^3)^3)^3)^3)");
	check_fails(op_parse(text, strlen(text), "t", &op, &e), ST_INPUT, &e, "too large");
	memset(text, ' ', LANG_MAX_TEXT + 1);
	check_fails(op_parse(text, LANG_MAX_TEXT + 1, "t", &op, &e), ST_INPUT, &e, "65536 bytes");
	check_fails(op_read("tests/oracles/data/none.op", &op, &e), ST_INPUT, &e, "none.op");
	free(text);
}

static void zero_bytes_are_no_ends(void **state)
{
	static const char text[] = "op t # \0\nout y: f32[]\ny = 1 \0 + 2";
	struct err e = {0};
	struct op *op = NULL;

	(void)state;
	check_fails(op_parse(text, sizeof text - 1, "t", &op, &e), ST_INPUT, &e,
	            "t:3:7: unexpected byte 0x00");
	check_ok(op_parse(text, 28, "t", &op, &e), &e);
	op_free(op);
}

static void an_earlier_error_is_kept(void **state)
{
	struct err e = {0};
	struct op *op;

	(void)state;
	FAIL(&e, LIMIT, "earlier");
	assert_true(op_parse("op", 2, "t", &op, &e) != ST_OK);
	assert_string_equal(e.msg, "earlier");
}

/* ---- what the tree promises ---- */

static void integers_are_converted_where_a_real_is_wanted(void **state)
{
	struct op *op = parse_body("x[r,c] + c");
	const struct lang_node *n = op->outs[0]->body;

	(void)state;
	assert_int_equal(n->type, LT_REAL);
	assert_int_equal(n->arg[1]->kind, N_TO_REAL);
	assert_int_equal(n->arg[1]->arg[0]->type, LT_INT);
	op_free(op);
	op = parse_body("w[(c+1)/2] - 1/w[c]");
	n = op->outs[0]->body;
	assert_int_equal(n->arg[0]->arg[0]->kind, N_IDIV);
	assert_int_equal(n->arg[1]->kind, N_DIV);
	op_free(op);
}

static void exactness_follows_the_definition(void **state)
{
	static const struct {
		const char *body;
		bool exact, literal, invariant;
	} rows[] = {
	        {"x[r,c]", true, false, false},
	        {"max(x[r,c], -abs(w[c]))", true, false, false},
	        {"x[r,c]*2", false, false, false},
	        {"max(k: x[r,k])", true, false, false},
	        {"sum(k: x[r,k])", false, false, false},
	        {"sum(k<C: k)", true, false, false}, /* integers */
	        {"0.5", true, true, true},
	        {"0.1", false, true, true},
	        {"sqrt(2/pi)", false, true, true},
	        {"eps", true, false, true},
	        {"1.0*C/n", false, false, true},
	        {"if mask[r] then x[r,c] else eps", true, false, false},
	        {"floor(x[r,c])", true, false, false},
	        {"floor(2*x[r,c])", false, false, false},
	        {"cast(f16,rne,inf,x[r,c])", true, false, false},
	        {"cast(i8,rne,sat,x[r,c]/2)", false, false, false},
	        {"argmax(k: x[r,k])", true, false, false},
	        {"actual(y[r,c])", true, false, false},
	        {"c", true, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct op *op = parse_body(rows[i].body);
		const struct lang_node *n = op->outs[0]->body;

		check_true(n->exact == rows[i].exact && n->literal == rows[i].literal &&
		                   n->invariant == rows[i].invariant,
		           "%s: exact %d, literal %d, invariant %d", rows[i].body, n->exact,
		           n->literal, n->invariant);
		op_free(op);
	}
}

static void free_indices_are_known(void **state)
{
	struct op *op = parse_body("x[r,c] - sum(k: x[r,k]*w[k])");
	const struct lang_def *d = op->outs[0];
	uint64_t r = UINT64_C(1) << d->idx[0]->number, c = UINT64_C(1) << d->idx[1]->number;

	(void)state;
	assert_true(d->body->free == (r | c));
	assert_true(d->body->arg[1]->free == r);
	assert_int_equal(op->nindices, 3);
	for (int i = 0; i < op->nindices; i++)
		assert_int_equal(op->index[i]->number, i);
	op_free(op);
}

static const struct lang_node *find(const struct lang_node *n, enum node_kind k)
{
	if (n->kind == k)
		return n;
	for (int i = 0; i < n->nargs; i++) {
		const struct lang_node *f = find(n->arg[i], k);

		if (f)
			return f;
	}
	return NULL;
}

static void marks_contractions(void **state)
{
	static const struct {
		const char *body;
		bool marked;
	} rows[] = {{"sum(k: x[r,k]*w[k])", true},
	            {"sum(k: x[r,k])", false},
	            {"sum(k: x[r,k]*2)", false},
	            {"sum(k: x[r,k]^2)", false},
	            {"mean(k: x[r,k]*w[k])", false},
	            {"sum(k | k < c: x[r,k]*w[k])", true},
	            {"sum(k: (x[r,k+1] else 0)*w[k])", true},
	            {"sum(k<C: k*id[r])", false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct op *op = parse_body(rows[i].body);
		const struct lang_node *n = find(op->outs[0]->body, N_REDUCE);

		check_true(n->contraction == rows[i].marked, "%s", rows[i].body);
		if (rows[i].marked)
			assert_true(n->con_a == n->arg[0]->arg[0] && n->con_b == n->arg[0]->arg[1]);
		op_free(op);
	}
}

static void marks_scans(void **state)
{
	static const struct {
		const char *body;
		bool scan, strict;
	} rows[] = {{"sum(k | k <= c: x[r,k])", true, false},
	            {"sum(k | k < c: x[r,k])", true, true},
	            {"max(k | c >= k: x[r,k])", true, false},
	            {"sum(k | c > k: x[r,k])", true, true},
	            {"sum(k | k >= c: x[r,k])", false, false},
	            {"sum(k<C | k <= c: x[r,c])", false, false},
	            {"sum(k | k <= c+1: x[r,k])", false, false},
	            {"sum(k | k == c: x[r,k])", false, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct op *op = parse_body(rows[i].body);
		const struct lang_node *n = op->outs[0]->body;

		check_true(n->scan == rows[i].scan && n->scan_strict == rows[i].strict, "%s",
		           rows[i].body);
		if (rows[i].scan)
			assert_true(n->scan_to == op->outs[0]->idx[1]);
		op_free(op);
	}
}

static void marks_ratios_with_common_weights(void **state)
{
	static const struct {
		const char *body, *w, *v; /* NULL: not a ratio */
	} rows[] = {
	        {"sum(k: w[k]*x[r,k])/sum(j: w[j])", "w[k]", "x[r,k]"},
	        {"sum(k: x[r,k]*w[k])/sum(j: w[j])", "w[k]", "x[r,k]"},
	        {"sum(k: x[r,k]*w[k]*eps)/sum(j: w[j])", "w[k]", "x[r,k]*eps"},
	        {"sum(k: exp(x[r,k])*w[k])/sum(k: exp(x[r,k]))", "exp(x[r,k])", "w[k]"},
	        {"sum(k | k<c: w[k]*x[r,k])/sum(j | j<c: w[j])", "w[k]", "x[r,k]"},
	        {"sum(k | k<c: w[k]*x[r,k])/sum(j | j<=c: w[j])", NULL, NULL},
	        {"sum(k: w[k]*x[r,k])/sum(j<n: w[j])", NULL, NULL},
	        {"sum(k: w[k]*x[r,k])/sum(j: w[j]^2)", NULL, NULL},
	        {"sum(k: w[k]*x[r,k])/mean(j: w[j])", NULL, NULL},
	        {"sum(k: x[r,k])/sum(j: w[j])", NULL, NULL},
	        {"x[r,c]/sum(j: w[j])", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct op *op = parse_body(rows[i].body);
		const struct lang_node *n = op->outs[0]->body;
		struct buf b = {0};

		check_true(n->ratio == (rows[i].w != NULL), "%s", rows[i].body);
		if (n->ratio) {
			lang_print(&b, op, n->ratio_w);
			assert_string_equal(b.s, rows[i].w);
			b.len = 0;
			lang_print(&b, op, n->ratio_v);
			assert_string_equal(b.s, rows[i].v);
		}
		buf_free(&b);
		op_free(op);
	}
	assert_true(find(op_builtin("attention")->outs[0]->body, N_DIV)->ratio);
}

static void infinities_make_a_comparison_of_classes(void **state)
{
	struct op *op = parse_body("if -inf < mean(k: x[r,k]) then eps else w[c]");
	const struct lang_node *c = op->outs[0]->body->arg[0];

	(void)state;
	assert_true(c->class_only && c->exact && c->cmp == CMP_GT);
	assert_int_equal(c->arg[0]->kind, N_REDUCE);
	op_free(op);
}

static void absent_inputs_add_no_operation(void **state)
{
	const struct op *op = op_builtin("layernorm");
	const struct lang_node *y = op->outs[0]->body; /* q*w[c] + b[c] */
	struct op_binding b = {0};

	(void)state;
	b.present[1] = b.present[2] = true;
	assert_true(lang_skip_absent(op, &b, y) == y);
	b.present[2] = false;
	assert_true(lang_skip_absent(op, &b, y) == y->arg[0]);
	b.present[1] = false;
	assert_true(lang_skip_absent(op, &b, y) == y->arg[0]->arg[0]);
	assert_int_equal(y->arg[0]->arg[0]->kind, N_DIV);
}

static void equality_renames_bound_indices(void **state)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} rows[] = {{"sum(k: x[r,k])", "sum(j: x[r,j])", true},
	            {"sum(k: x[r,k])", "sum(j: x[j,c])", false},
	            {"sum(i,k: x[i,k])", "sum(a,b: x[a,b])", true},
	            {"sum(i<C,k<C: x[i,k])", "sum(a<C,b<C: x[b,a])", false},
	            {"sum(k: x[r,k])", "max(k: x[r,k])", false},
	            {"0.50", "0.5", true},
	            {"exp(eps)", "exp(eps)", true},
	            {"exp(eps)", "log(eps)", false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[400];
		struct op *op;
		const struct lang_node *n;

		snprintf(text, sizeof text, "%s - %s", rows[i].a, rows[i].b);
		op = parse_body(text);
		n = op->outs[0]->body;
		check_true(lang_equal(n->arg[0], n->arg[1], NULL, 0) == rows[i].equal, "%s", text);
		op_free(op);
	}
}

/* ---- the description ---- */

static void describes_every_operator(void **state)
{
	(void)state;
	for (int i = 0; i < op_builtin_count(); i++) {
		const struct op *op = op_builtin(op_builtin_name(i));
		char *s = op_describe(op);

		assert_non_null(strstr(s, "Mathematics\n"));
		assert_non_null(strstr(s, op_schema(op)->exact ? "compared bit by bit"
		                                               : "Error scale S\n"));
		for (const char *p = s; *p;) {
			const char *end = strchr(p, '\n');

			check_true(end - p <= 200, "%s: a line of %td characters",
			           op_builtin_name(i), end - p);
			p = end + 1;
		}
		free(s);
	}
}

static void describes_attention_from_its_tree(void **state)
{
	char *s = op_describe(op_builtin("attention"));

	(void)state;
	assert_non_null(strstr(s, "needs        H%G == 0"));
	assert_non_null(strstr(s, "scale        f32, 1/sqrt(D) unless given"));
	assert_non_null(strstr(s, "bias         f32[B,H,N,L]  input, may be absent: then 0"));
	assert_non_null(strstr(s, "m[b,h,i]: S = 0, as the result does not depend on it"));
	assert_non_null(strstr(s, "mean with common weights"));
	assert_non_null(strstr(s, "narrower type"));
	free(s);
	s = op_describe(op_builtin("relu"));
	assert_non_null(strstr(s, "y[i]: exact, S = 0"));
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_every_hard_example),
	        cmocka_unit_test(embeds_the_operators_in_alphabetical_order),
	        cmocka_unit_test(schema_of_attention),
	        cmocka_unit_test(schema_of_words),
	        cmocka_unit_test(clauses_end_at_semicolons_and_lines),
	        cmocka_unit_test(prints_what_it_reads),
	        cmocka_unit_test(refuses_and_points_at_the_place),
	        cmocka_unit_test(limits_keep_hostile_texts_small),
	        cmocka_unit_test(zero_bytes_are_no_ends),
	        cmocka_unit_test(an_earlier_error_is_kept),
	        cmocka_unit_test(integers_are_converted_where_a_real_is_wanted),
	        cmocka_unit_test(exactness_follows_the_definition),
	        cmocka_unit_test(free_indices_are_known),
	        cmocka_unit_test(marks_contractions),
	        cmocka_unit_test(marks_scans),
	        cmocka_unit_test(marks_ratios_with_common_weights),
	        cmocka_unit_test(infinities_make_a_comparison_of_classes),
	        cmocka_unit_test(absent_inputs_add_no_operation),
	        cmocka_unit_test(equality_renames_bound_indices),
	        cmocka_unit_test(describes_every_operator),
	        cmocka_unit_test(describes_attention_from_its_tree),
	};

	return check_main(tests);
}
