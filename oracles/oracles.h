/* oracles.h - what an operator means: the operator language (operators.md), the exact value as a
 * certified enclosure, the error scale S, MPFR where that is not enough, and the judging of an output.
 *
 * Knows base only; never the emulator.  All tensors are row-major lists of elements here: strided views
 * are gathered first.  Objects are immutable after construction and may be shared between threads. */
#ifndef ORACLES_ORACLES_H
#define ORACLES_ORACLES_H

#include <mpfr.h>

#include "base/base.h"

/* ---- operators -------------------------------------------------------------------------------- */

#define OP_MAX_TYPES 4
#define OP_MAX_DIMS 24
#define OP_MAX_PARAMS 12
#define OP_MAX_OPTIONS 8
#define OP_MAX_TENSORS 12
#define OP_MAX_NEEDS 16

struct op; /* a parsed and type-checked operator */

/* Parses one .op text. Errors point at the column with a caret (ST_INPUT). */
MUST_USE enum st op_parse(const char *text, size_t len, const char *file, struct op **out,
                          struct err *e);
MUST_USE enum st op_read(const char *path, struct op **out, struct err *e);
void op_free(struct op *op);

/* The embedded operators (oracles/ops/NAME.op), parsed once, in alphabetical order. */
int op_builtin_count(void);
const char *op_builtin_name(int i);
const char *op_builtin_text(const char *name);
/* NULL when there is none of that name; never freed by the caller. */
const struct op *op_builtin(const char *name);

struct op_type {
	const char *name;
	int n;
	enum dtype allowed[DT_COUNT];
};
struct op_dim {
	const char *name;
	bool derived;
	int64_t lo, hi;     /* hi = INT64_MAX: open */
	int nvalues;        /* > 0: the size is one of values */
	int64_t values[16];
};
enum param_kind { PARAM_F32, PARAM_I64, PARAM_BOOL };
struct op_param {
	const char *name;
	enum param_kind kind;
	bool has_range, has_default;
	double lo, hi;
};
struct op_option {
	const char *name;
	int n;
	const char *values[8]; /* the first is the default */
};
struct op_tensor {
	const char *name;
	bool out, optional;
	int type;          /* index of the type variable, or -1: fixed */
	enum dtype fixed;
	int rank;
};
/* The schema. Sizes that a case gives are the dims that are not derived, in declared order. */
struct op_schema {
	const char *name, *doc;
	int ntypes, ndims, nparams, noptions, ntensors; /* tensors: inputs first, then outputs */
	int nin;
	struct op_type types[OP_MAX_TYPES];
	struct op_dim dims[OP_MAX_DIMS];
	struct op_param params[OP_MAX_PARAMS];
	struct op_option options[OP_MAX_OPTIONS];
	struct op_tensor tensors[OP_MAX_TENSORS];
	int nneeds;
	const char *needs[OP_MAX_NEEDS]; /* conditions between sizes and parameters, as text: "C%groups == 0" */
	bool exact;        /* contract exact: bitwise */
	enum dtype acc;    /* the contract's accumulation type */
};
const struct op_schema *op_schema(const struct op *op);
/* Does some reduction run over dim (number in the schema) of the operator? */
bool op_dim_reduced(const struct op *op, int dim);
/* Is the first axis of a tensor (number in the schema) such a dim? Stride 0 there makes all terms alike. */
bool op_axis_reduced(const struct op *op, int tensor);
/* Does some reduction run over any of them? Else the operator works element by element. */
bool op_reduces(const struct op *op);
/* The operator in words for `gpuemu ops NAME`: schema, mathematics, contract, S. Caller frees. */
char *op_describe(const struct op *op);

/* Values for one case. Arrays are indexed as the schema's. Derived dims are ignored (computed). A
 * parameter with set=false takes its default. Optional inputs with present=false are absent. */
struct op_binding {
	enum dtype types[OP_MAX_TYPES];
	int64_t dims[OP_MAX_DIMS];
	bool param_set[OP_MAX_PARAMS];
	double params[OP_MAX_PARAMS]; /* rounded to the parameter's type by op_bind; bool: 0 or 1 */
	int options[OP_MAX_OPTIONS];
	bool present[OP_MAX_TENSORS];
};

struct op_inst; /* an operator with concrete sizes */
/* Checks ranges and `need`, computes derived dims, parameter defaults and shapes. Outside the domain:
 * ST_INPUT naming the size or the need that fails. `op` must outlive the instance. */
MUST_USE enum st op_bind(const struct op *op, const struct op_binding *b, struct op_inst **out,
                         struct err *e);
void op_inst_free(struct op_inst *i);
const struct op *op_inst_op(const struct op_inst *i);
/* All dims, derived ones included, and final parameter values. */
const struct op_binding *op_inst_binding(const struct op_inst *i);
/* Shape and element type of tensor k of the schema: dt, rank, dim filled, contiguous, data NULL. */
struct tensor op_inst_tensor(const struct op_inst *i, int k);
/* Scalar terms of one evaluation: each reduction once for every value of the indices it depends on. */
double op_inst_work(const struct op_inst *i);
/* Terms of the longest reduction, at least 1: no accumulator of a kernel has a longer chain of additions. */
double op_inst_chain(const struct op_inst *i);
/* For an integer input: the values it may take, lo..hi, and up to 8 extra values. */
struct op_int_domain {
	int64_t lo, hi;
	int nextra;
	int64_t extra[8];
};
bool op_inst_int_domain(const struct op_inst *i, int k, struct op_int_domain *d);

/* ---- family of numerics, envelope ------------------------------------------------------------- */

/* How a kernel computes, as its manifest declares it; chooses the floors and terms of S and the
 * envelope's cell (design.md §3, facts/error-scale.md §6). */
struct numerics {
	enum dtype acc;          /* accumulation type, f32 by default */
	bool ftz;                /* any flush to zero: floors at the smallest normal */
	bool tensor_cores;       /* sums on them truncate: errors of terms of one sign grow as K, not as its root */
	int nlow;                /* `low` intermediates and narrowed inputs by name: {"p":"f16"} */
	struct {
		char name[32];
		enum dtype dt;
	} low[8];
	double chain;            /* L: longest chain of dependent additions; <= 0: the whole reduction */
};
struct numerics numerics_default(void);

/* The tolerance factor T of a case: |error| <= T·u·S is allowed. */
struct envelope {
	double T;
	bool provisional;
	bool hasty;    /* judging ends at the first wrong element, undescribed: only verdict and `failed` > 0 hold */
	char name[64]; /* "provisional", or table and cell */
};
/* design.md §3: T(L) = 6 + L/4, provisional. */
struct envelope envelope_provisional(double L);

/* ---- evaluation ------------------------------------------------------------------------------- */

/* Status of one output element. */
enum el_status {
	EL_FINITE = 0,   /* z ± rad encloses the exact value; S holds */
	EL_NAN,          /* the exact result is NaN */
	EL_POS_INF,
	EL_NEG_INF,
	EL_OUT,          /* out of contract: overflow of an intermediate the contract does not cover */
	EL_ILL,          /* ill-conditioned: no verdict possible */
	EL_ANY,          /* the contract accepts anything here */
	EL_UNKNOWN       /* the precision cap was reached */
};

/* The exact result of one output tensor, row-major, n elements. */
struct oracle_out {
	int64_t n;
	double *z, *rad;   /* |exact - z| <= rad; rad = inf: the class is open, too (oracle_exact) */
	double *S;         /* error scale, in units of u(acc) */
	uint8_t *status;   /* enum el_status */
};
struct oracle {
	const struct op_inst *inst;
	struct numerics num;
	double kappa;      /* T expected; used in second-order terms */
	int nout;
	struct oracle_out out[OP_MAX_TENSORS];
	int64_t mpfr_elements;   /* elements that needed MPFR so far */
	int64_t blas_fallbacks;  /* contractions whose check failed and were done by our own loops */
};

enum { ORACLE_SCALE = 1 }; /* flag: compute S as well */

/* Evaluates all outputs. in[k] for each input of the schema (NULL for an absent optional one), views of
 * any strides; `actual` (outputs as the kernel wrote them, may be NULL) serves operators whose text
 * uses actual(). kappa: expected T(L). ST_UNSUP names a construct that cannot be evaluated yet. */
MUST_USE enum st oracle_eval(const struct op_inst *inst, const struct tensor *const in[],
                             const struct tensor *const actual[], const struct numerics *num,
                             double kappa, unsigned flags, struct oracle **out, struct err *e);
void oracle_free(struct oracle *o);

/* One element of output k at `prec` bits: lo <= exact <= hi by directed evaluation with a running
 * error bound. *status as above (EL_FINITE when lo, hi are finite bounds). */
MUST_USE enum st oracle_exact(const struct op_inst *inst, const struct tensor *const in[], int k,
                              int64_t element, mpfr_prec_t prec, mpfr_t lo, mpfr_t hi,
                              enum el_status *status, struct err *e);
/* The same for many elements of the same inputs: what one has computed of lets and reductions is there for the next, as
 * long as prec stays. One thread at a time. */
struct exact;
struct exact *oracle_exact_open(const struct op_inst *inst, const struct tensor *const in[]);
void oracle_exact_close(struct exact *x); /* NULL: nothing */
MUST_USE enum st oracle_exact_next(struct exact *x, int k, int64_t element, mpfr_prec_t prec, mpfr_t lo, mpfr_t hi,
                                   enum el_status *status, struct err *e);

/* ---- judging ---------------------------------------------------------------------------------- */

enum verdict { V_PASS, V_FAIL, V_UNKNOWN, V_UNSUPPORTED, V_COUNT };
const char *verdict_name(enum verdict v);
enum verdict verdict_and(enum verdict a, enum verdict b);

/* One judged element, for a person. got/want in the output's type; lo..hi the allowed encodings. */
struct judged {
	int output;
	int64_t element;
	int64_t index[TENSOR_MAX_RANK];
	int rank;
	uint64_t got, want, lo, hi;   /* encodings; want = the exact value rounded */
	double exact;                 /* nearest double of the exact value, by MPFR */
	double r;                     /* scaled error, three significant digits, may be INFINITY */
	double S, tol;                /* the error scale, and T·u·S: what it may err by; NAN for another class than finite */
	uint64_t ulps;                /* distance of got from want */
	enum el_status status;
};

#define JUDGE_MAX_SHOWN 8

struct judgement {
	enum verdict verdict;
	int64_t n, failed, out_of_contract, ill, unknown, no_power_elements;
	double r_max;            /* largest scaled error of a judged element, rounded up to 3 digits */
	int64_t r_max_element;
	int r_max_output;
	double q;                /* misrounding ratio of facts/error-scale.md §5; NAN when too few */
	bool q_failed;
	int nshown;
	struct judged shown[JUDGE_MAX_SHOWN]; /* the first wrong elements, in order */
	char reason[240];        /* one sentence when not PASS */
};
/* Judges outputs y[0..nout-1] (views) by design.md §3: cast(z-T·u·S) <= y <= cast(z+T·u·S), classes and
 * signs for NaN and infinity, bitwise for `exact`. Escalates to MPFR only where the enclosure leaves
 * the verdict of an element open. `in` as given to oracle_eval. */
MUST_USE enum st oracle_judge(struct oracle *o, const struct tensor *const in[],
                              const struct tensor *const y[], const struct envelope *env,
                              struct judgement *j, struct err *e);

#endif
