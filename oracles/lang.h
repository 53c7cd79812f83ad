/* lang.h - the operator language inside oracles/: the checked tree of an operator, and the exact
 * evaluation of its integer and boolean expressions.  Private to the module.
 *
 * What an evaluator may rely on, for every `struct op` that op_parse gave:
 *
 *  names      Every name is resolved. A node's index variables point at struct lang_index; dims,
 *             params, options, tensors are indices into the schema. Lets come in `op->lets` in an
 *             order in which each uses only earlier ones (no recursion). op->outs[k] defines the
 *             k-th output, that is tensor op->schema.nin + k; every output has exactly one
 *             definition.
 *  types      Each node is LT_REAL, LT_INT (int64) or LT_BOOL. An integer where a real is wanted
 *             is wrapped in N_TO_REAL (exact), so both operands of a node have the same type.
 *             N_DIV is the real quotient; N_IDIV and N_MOD are floor division and its remainder
 *             (sign of the divisor), LT_INT only. N_NEG, N_ABS, N_ADD, N_SUB, N_MUL, N_SQR, N_MIN,
 *             N_MAX, N_IF, and sum, prod, max, min occur as LT_INT and as LT_REAL. Reads of
 *             integer tensors are LT_INT, of bool tensors LT_BOOL, of floats LT_REAL. Integer
 *             arithmetic that leaves int64 is an error.
 *  free       Bit i of node->free: index number i occurs free. A node whose mask lacks an index
 *             does not depend on it: it can be hoisted. All indices of an operator (those of lets,
 *             outputs and reductions) have different numbers 0..nindices-1 < 64. A let's body
 *             mentions only the let's own indices free; a reference N_LET passes one LT_INT
 *             expression for each.
 *  extents    Every index runs from 0 to its extent - 1; inst->extent[number] is the concrete
 *             extent. An extent is an expression of dims and params alone. Axis a of a let has the
 *             extent of idx[a].
 *  exact      node->exact: the value is a number that every correct evaluation finds (inputs,
 *             integers, params, literals that a double holds; neg, abs, min, max, if, floor, round,
 *             cast of such; lets of such; integer arithmetic). Conditions (of if, guards, accept)
 *             are exact or `class_only`; argmax, argmin operands are exact; index expressions are
 *             exact integers (input gathers and actual() included).
 *  class_only a comparison with inf or -inf (operand arg[1], normalised to the right): looks only
 *             at the class of arg[0] (NaN, -inf, finite, +inf), which may be a rounded value.
 *  literal    node made of literals and pi alone: one constant, to be rounded once (sqrt(2/pi)).
 *  invariant  no input, let of inputs or index: depends on dims, params and options only.
 *  lazy       N_IF evaluates one branch. A guard that is false means that the body is not
 *             evaluated. A read out of range that is evaluated gives its `else` value, or without
 *             one is an error.
 *  if         arg[0] condition, arg[1] then, arg[2] else.
 *  reductions N_REDUCE: red, idx[0..nidx-1], arg[0] body, arg[1] guard (nargs == 2) or none. Of
 *             nothing: sum 0, prod 1, mean NaN, max -inf, min +inf, any false, all true; argmax,
 *             argmin of nothing is an error. mean divides by the number of terms whose guard is
 *             true. argmax has one index; ties and NaN are the contract's. max and min (both
 *             forms) treat NaN as the contract says: NAN_PROPAGATE (result NaN) or NAN_DROP (NaN
 *             ignored). Comparisons with NaN are false, != true.
 *  marks      n->contraction (N_REDUCE sum of a product of two reads or lets): con_a, con_b are
 *             the N_READ or N_LET factors (arg[0] is the N_MUL of them). n->scan: the guard is
 *             exactly `k <= j` (scan_strict: k < j), k = idx[0] the only index, j = scan_to a free
 *             index, and the body does not depend on j. n->ratio on N_DIV: arg[0] is sum(w·v),
 *             arg[1] is sum(w) with equal w, extents and guard; ratio_w, ratio_v (NULL: v = 1) are
 *             expressions in the numerator's indices.
 *  functions  FN_ERFP1(a) = 1 + erf(a), FN_TANHP1(a) = 1 + tanh(a): made from 1 + f(a), f(a) + 1
 *             and, with -a, from 1 - f(a). To be computed without cancellation.
 *  sharing    The tree is a DAG (x^3 is x·x² with one x); nodes are immutable after op_parse.
 *  options    `masked_row` used as a value is N_IF of N_OPTION_IS over the constants its values
 *             name.
 *  absent     A read of an absent optional input has the value of tensor[k].deflt (a literal) and
 *             S = 0; lang_skip_absent() removes products by an absent 1 and sums with an absent 0.
 *  low        and shift are properties of the let (def->low, def->kind).
 *  depth      No tree is deeper than LANG_MAX_DEPTH (each let's body apart): recursion is safe. */
#ifndef ORACLES_LANG_H
#define ORACLES_LANG_H

#include "oracles/oracles.h"

#define LANG_MAX_TEXT 65536 /* bytes of one .op text */
#define LANG_MAX_DEPTH 200
#define LANG_MAX_NODES 20000
#define LANG_MAX_INDICES 64
#define LANG_MAX_LETS 32
#define LANG_MAX_NEEDS OP_MAX_NEEDS
#define LANG_MAX_ACCEPTS 8
#define LANG_MAX_RELATIONS 8
#define LANG_MAX_RANK TENSOR_MAX_RANK

enum lang_type { LT_REAL, LT_INT, LT_BOOL };

enum node_kind {
	N_INT,       /* ival */
	N_REAL,      /* literal with point or exponent: text exact, dval nearest double */
	N_INF,       /* +inf */
	N_NAN,
	N_PI,
	N_BOOL,      /* true, false: ival */
	N_DIM,       /* k: dim of the schema */
	N_PARAM,     /* k: param of the schema */
	N_OPTION_IS, /* k: option of the schema; ival: the value's number */
	N_INDEX,     /* index */
	N_READ,      /* k: input; arg[0..rank-1] indices, arg[rank] else value (has_else) */
	N_LET,       /* let; arguments as N_READ */
	N_ACTUAL,    /* k: output tensor; arguments as N_READ: what the kernel wrote there */
	N_TO_REAL,
	N_NEG,
	N_ABS,
	N_SQR,
	N_ADD,
	N_SUB,
	N_MUL,
	N_DIV,
	N_IDIV,
	N_MOD,
	N_MIN,
	N_MAX,
	N_FN,        /* fn; pow has two arguments, the others one; LT_REAL */
	N_CMP,       /* cmp; operands of one type (LT_BOOL with == and != only) */
	N_AND,
	N_OR,
	N_NOT,
	N_IF,
	N_REDUCE,
	N_CAST       /* cast_to, cast_rnd, cast_sat; LT_INT for integer types, else LT_REAL */
};

/* X(name, text) */
#define LANG_FN_LIST(X)                                                                            \
	X(EXP, "exp")                                                                              \
	X(EXP2, "exp2")                                                                            \
	X(EXPM1, "expm1")                                                                          \
	X(LOG, "log")                                                                              \
	X(LOG2, "log2")                                                                            \
	X(LOG1P, "log1p")                                                                          \
	X(SQRT, "sqrt")                                                                            \
	X(RSQRT, "rsqrt")                                                                          \
	X(SIN, "sin")                                                                              \
	X(COS, "cos")                                                                              \
	X(TANH, "tanh")                                                                            \
	X(ERF, "erf")                                                                              \
	X(FLOOR, "floor")                                                                          \
	X(ROUND, "round") /* to an integer, ties to even */                                        \
	X(POW, "pow")                                                                              \
	X(EXP10, "exp10")                                                                          \
	X(LOG10, "log10")                                                                          \
	X(TAN, "tan")                                                                              \
	X(ASIN, "asin")                                                                            \
	X(ACOS, "acos")                                                                            \
	X(ATAN, "atan")                                                                            \
	X(SINH, "sinh")                                                                            \
	X(COSH, "cosh")                                                                            \
	X(ASINH, "asinh")                                                                          \
	X(ACOSH, "acosh")                                                                          \
	X(ATANH, "atanh")                                                                          \
	X(SINPI, "sinpi") /* sin(pi x) */                                                          \
	X(COSPI, "cospi")                                                                          \
	X(CBRT, "cbrt")                                                                            \
	X(RCBRT, "rcbrt")                                                                          \
	X(ERFC, "erfc")                                                                            \
	X(ERFCX, "erfcx") /* exp(x^2) erfc(x) */                                                   \
	X(ERFINV, "erfinv")                                                                        \
	X(ERFCINV, "erfcinv")                                                                      \
	X(NORMCDF, "normcdf")                                                                      \
	X(NORMCDFINV, "normcdfinv")                                                                \
	X(LGAMMA, "lgamma") /* log |gamma(x)| */                                                   \
	X(TGAMMA, "tgamma")                                                                        \
	X(J0, "bessel_j0")                                                                                \
	X(J1, "bessel_j1")                                                                                \
	X(Y0, "bessel_y0")                                                                                \
	X(Y1, "bessel_y1")                                                                                \
	X(I0, "bessel_i0") /* modified, of the first kind */                                       \
	X(I1, "bessel_i1")                                                                         \
	X(ERFP1, "1+erf")                                                                          \
	X(TANHP1, "1+tanh")

enum lang_fn {
#define X(name, text) FN_##name,
	LANG_FN_LIST(X)
#undef X
	FN_COUNT
};

/* Those that MPFR alone evaluates, by the table of exact_fn.c. */
static inline bool lang_fn_in_table(enum lang_fn f)
{
	return f > FN_POW && f < FN_ERFP1;
}

enum lang_cmp { CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_EQ, CMP_NE };
/* Does the comparison hold for operands in this order (<0, 0, >0, as strcmp)? */
bool lang_cmp_holds(enum lang_cmp c, int order);

#define LANG_RED_LIST(X)                                                                           \
	X(SUM, "sum")                                                                              \
	X(PROD, "prod")                                                                            \
	X(MEAN, "mean")                                                                            \
	X(MAX, "max")                                                                              \
	X(MIN, "min")                                                                              \
	X(ARGMAX, "argmax")                                                                        \
	X(ARGMIN, "argmin")                                                                        \
	X(ANY, "any")                                                                              \
	X(ALL, "all")

enum lang_red {
#define X(name, text) RED_##name,
	LANG_RED_LIST(X)
#undef X
	RED_COUNT
};

struct lang_node;
struct lang_def;

/* One index variable: of a let, an output or a reduction. */
struct lang_index {
	const char *name;
	int number;               /* 0..op->nindices-1 */
	uint32_t pos;
	bool given;               /* its extent was written: i<N */
	struct lang_node *extent; /* LT_INT, of dims and params */
};

/* An element type as written: a variable of the schema or a fixed type. */
struct lang_etype {
	int var; /* index of the type variable, or -1 */
	enum dtype dt;
};

struct lang_node {
	enum node_kind kind;
	enum lang_type type;
	uint32_t pos;   /* byte offset in op->text, for messages */
	uint64_t free;  /* index numbers that occur free */
	bool exact, literal, invariant, class_only, has_else;
	int nargs;
	struct lang_node **arg;

	int k;          /* N_DIM, N_PARAM, N_OPTION_IS, N_READ, N_ACTUAL */
	int64_t ival;   /* N_INT, N_BOOL, N_OPTION_IS */
	double dval;    /* N_INT, N_REAL: nearest double */
	bool dexact;    /* N_REAL: dval is the literal exactly */
	uint16_t depth; /* of the tree below, at most LANG_MAX_DEPTH */
	uint32_t size;  /* nodes of the tree below, shared ones counted each time */
	const char *text; /* N_REAL: the literal as written */
	enum lang_fn fn;
	enum lang_cmp cmp;
	struct lang_index *index; /* N_INDEX */
	struct lang_def *let;     /* N_LET */

	enum lang_red red;        /* N_REDUCE */
	int nidx;
	struct lang_index *idx[LANG_MAX_RANK];

	struct lang_etype cast_to; /* N_CAST */
	enum rnd cast_rnd;
	bool cast_sat;

	/* marks */
	bool contraction, scan, scan_strict, ratio;
	struct lang_node *con_a, *con_b;
	struct lang_index *scan_to;
	struct lang_node *ratio_w, *ratio_v;
};

enum def_kind { DEF_LET, DEF_SHIFT, DEF_OUT };

/* name[idx…] = body */
struct lang_def {
	const char *name;
	enum def_kind kind;
	bool low;
	int number;         /* position in op->lets or op->outs */
	int tensor;         /* DEF_OUT: index in the schema */
	uint32_t pos;
	int rank;
	struct lang_index *idx[LANG_MAX_RANK];
	struct lang_node *body;
};

struct lang_tensor {
	struct lang_etype type;
	int rank;
	struct lang_node *axis[LANG_MAX_RANK]; /* LT_INT, of dims and params */
	struct lang_node *deflt;               /* optional inputs: a literal (LT_REAL for floats) */
	bool has_domain;                       /* integer inputs */
	struct lang_node *lo, *hi, *extra[8];
	int nextra;
	uint32_t pos;
};

struct lang_accept {
	int tensor;
	int rank;
	struct lang_index *idx[LANG_MAX_RANK];
	struct lang_node *when;
};

/* relation NAME: x[i,j] -> EXPR, … => y[i,j] == EXPR, …
 * With the inputs on the left of -> replaced by the expressions (of the old inputs), the outputs
 * become the expressions after ==, in which actual(y[…]) is the output of the old inputs. */
struct lang_rel_part {
	int tensor;
	int rank;
	struct lang_index *idx[LANG_MAX_RANK];
	struct lang_node *expr;
	uint32_t pos;
};
struct lang_relation {
	const char *name;
	int nsubst, nclaims;
	struct lang_rel_part subst[4], claim[4];
};

enum lang_nan { NAN_PROPAGATE, NAN_DROP, NAN_WINS };
enum lang_reach { REACH_ELEMENT, REACH_ROW, REACH_ALL };

struct lang_contract {
	enum dtype acc;            /* f32 */
	bool exact;
	enum lang_nan nan;         /* NAN_WINS: argmax, argmin give the first NaN */
	bool nan_given;
	enum lang_reach reach;     /* what a NaN in an input may turn into NaN */
	bool empty_forbidden;
	struct lang_node *empty;   /* value of an output of nothing, or NULL: as defined */
	bool ties_any;             /* argmax, argmin; false: first */
	int alias;                 /* an input the output may share memory with, or -1 */
	bool ftz, fma;             /* flush to zero allowed; fused multiply-add demanded */
	bool exp_accurate;         /* no ex2(a·log2e) expansion */
	double logits;             /* largest |logit| of the contract, 0: none */
	const char *note;          /* sentences for people, or NULL */
};

struct op {
	struct op_schema schema;
	struct arena *arena;
	const char *file, *text;
	size_t len;
	/* Dims and params in the order of the text, in which each uses only earlier ones. */
	int norder;
	struct {
		bool param;
		int k;
	} order[OP_MAX_DIMS + OP_MAX_PARAMS];
	struct lang_node *dim_def[OP_MAX_DIMS];         /* derived dims */
	struct lang_node *param_default[OP_MAX_PARAMS]; /* or NULL */
	struct lang_tensor tensor[OP_MAX_TENSORS];
	struct lang_node *need[LANG_MAX_NEEDS]; /* schema.nneeds */
	int nlets, nouts, naccepts, nrelations, nindices, nnodes;
	struct lang_def *lets[LANG_MAX_LETS];
	struct lang_def *outs[OP_MAX_TENSORS];
	struct lang_accept accepts[LANG_MAX_ACCEPTS];
	struct lang_relation relations[LANG_MAX_RELATIONS];
	struct lang_index *index[LANG_MAX_INDICES];     /* by number */
	struct lang_contract contract;
};

struct op_inst {
	const struct op *op;
	struct op_binding b;                 /* complete: derived dims, params */
	int64_t extent[LANG_MAX_INDICES];    /* by index number */
	int64_t shape[OP_MAX_TENSORS][LANG_MAX_RANK];
	struct op_int_domain domain[OP_MAX_TENSORS];
};

/* The concrete element type of a cast or tensor. */
enum dtype lang_dtype(const struct lang_etype *t, const struct op_binding *b);

/* The node itself, or the operand that stays when the other is an absent optional input whose
 * default is neutral (x*1, 1*x, x/1, x+0, 0+x, x-0); such operations add no rounding. */
const struct lang_node *lang_skip_absent(const struct op *op, const struct op_binding *b,
                                         const struct lang_node *n);

/* What is evaluated for an output: its expression, or, where that is a saturating cast to nearest even
 * to the output's own integer type, the operand. Judging rounds as that cast does (oracle_judge),
 * NaN to 0. */
const struct lang_node *lang_before_cast(const struct op *op, const struct lang_def *out);

/* Do two expressions mean the same, bound indices renamed? pairs: npairs pairs of indices (of a, of
 * b) that correspond; others must be identical. */
bool lang_equal(const struct lang_node *a, const struct lang_node *b,
                struct lang_index *const (*pairs)[2], int npairs);

/* Where the values of names come from. index: by index number (may be NULL when no index is free).
 * read: value of N_READ or N_ACTUAL of integer or bool type at concrete indices, in range (NULL:
 * such nodes are an error). */
struct lang_env {
	const struct op *op;
	const struct op_binding *b;
	const int64_t *extent; /* by index number; needed for reductions and lets */
	int64_t *index;
	enum st (*read)(void *ctx, const struct lang_node *n, const int64_t *at, int64_t *v,
	                struct err *e);
	void *ctx;
	int64_t *budget; /* nodes that may still be visited (ST_LIMIT at 0); NULL: no limit */
};

/* Exact values of integer and boolean expressions; ST_INPUT on overflow, division by zero, or an
 * index out of range. Messages point into the text. Real operands of comparisons are evaluated when
 * they are literals or params, else ST_UNSUP. */
MUST_USE enum st lang_int(const struct lang_env *env, const struct lang_node *n, int64_t *v,
                          struct err *e);
MUST_USE enum st lang_bool(const struct lang_env *env, const struct lang_node *n, bool *v,
                           struct err *e);
/* An invariant real expression (of literals, dims, params) rounded once to `t`, by MPFR. */
MUST_USE enum st lang_real(const struct op *op, const struct op_binding *b,
                           const struct lang_node *n, enum dtype t, double *v, struct err *e);

/* The expression as text of the language, with as few parentheses as needed. */
void lang_print(struct buf *out, const struct op *op, const struct lang_node *n);
/* The same, but a part for which name() gives a text is printed as that text (name may be NULL). */
typedef const char *lang_name_fn(void *ctx, const struct lang_node *n);
void lang_print_named(struct buf *out, const struct op *op, const struct lang_node *n,
                      lang_name_fn *name, void *ctx);

const char *lang_fn_name(enum lang_fn fn);
const char *lang_red_name(enum lang_red red);

#endif
