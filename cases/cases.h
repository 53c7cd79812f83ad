/* cases.h - what a kernel is run on: kernel manifests (kernel.json), case lines, shapes, layouts, values,
 * the run plan made from them, and the shrinking of a failing case.
 *
 * Knows base and oracles.  Everything is a pure function of the case line: the same bytes on every
 * machine, by integer and exactly rounded operations alone. */
#ifndef CASES_CASES_H
#define CASES_CASES_H

#include "base/launch.h"
#include "oracles/oracles.h"

/* ---- kernels ---------------------------------------------------------------------------------- */

enum kernel_role { ROLE_USER, ROLE_CONTROL, ROLE_BUGGY };

struct kernel; /* a kernel folder: manifest and texts; immutable */

/* Reads folder/kernel.json, checks it against the schema (messages name the path inside the file) and
 * against the operator: parameter names, expressions, dtypes, options. */
MUST_USE enum st kernel_read(const char *folder, struct kernel **out, struct err *e);
/* The same, when a shipped PTX need not be there or readable: for compiling it. */
MUST_USE enum st kernel_read_source(const char *folder, struct kernel **out, struct err *e);
void kernel_free(struct kernel *k);

const char *kernel_name(const struct kernel *k); /* folder's name, or "name" of the manifest */
const char *kernel_folder(const struct kernel *k);
const struct op *kernel_op(const struct kernel *k);
enum kernel_role kernel_role(const struct kernel *k);
const char *kernel_twin(const struct kernel *k);  /* corpus: name of the control twin, or NULL */
const char *kernel_bug(const struct kernel *k);   /* corpus: what is wrong, or NULL */
const char *kernel_bug_class(const struct kernel *k);
const char *kernel_doc(const struct kernel *k);
const char *kernel_first_set(const struct kernel *k); /* its own set, or NULL */
bool kernel_in_set(const struct kernel *k, const char *set); /* "seed", "flash" */
/* The type combinations the kernel is built for, each ntypes of the schema; returns how many. */
int kernel_dtypes(const struct kernel *k, int i, enum dtype out[OP_MAX_TYPES]);
/* Does the kernel take input t of the schema? Optional ones it takes are absent in some cases. */
bool kernel_takes(const struct kernel *k, int t);
/* Condition i of "requires", as the manifest has it; NULL behind the last. */
const char *kernel_requires(const struct kernel *k, int i);
/* Bytes that parameter i of a launch takes; 0 behind the last. *where: its path in the manifest. */
size_t kernel_param_bytes(const struct kernel *k, int launch, int i, const char **where);
/* The accumulation where nothing is said: the contract's, and f64 for operators in f64. */
enum dtype usual_accumulation(const struct op_schema *o, const struct op_binding *b);
/* Numerics of the manifest with `chain` evaluated for the sizes of inst. */
MUST_USE enum st kernel_numerics(const struct kernel *k, const struct op_inst *inst,
                                 struct numerics *n, struct err *e);
/* Source (kernel.cu text, or NULL when only PTX is given), shipped PTX (or NULL), compile options. */
const char *kernel_source(const struct kernel *k);
const char *kernel_source_path(const struct kernel *k);
/* Is a file that PTX names (.file) the kernel's source, and not a header? By base name, for PTX is made elsewhere; true where no
 * name or no source is there to tell. */
bool kernel_is_source(const struct kernel *k, const char *file);
const char *kernel_ptx(const struct kernel *k, size_t *len);
const char *kernel_ptx_path(const struct kernel *k);
int kernel_options(const struct kernel *k, const char *const **options);
int kernel_include_dirs(const struct kernel *k, const char *const **dirs);
int kernel_launches(const struct kernel *k);
/* PTX entry names for the type combination i, one a launch. */
const char *kernel_entry(const struct kernel *k, int dtype_index, int launch);
/* The same built with f32 outputs (manifest: "f32_outputs"), or NULL: not built so, or its outputs are
 * not of 16 bits. */
const char *kernel_f32_entry(const struct kernel *k, int dtype_index, int launch);
/* The CUDA type of elements of a type: "__half" for f16. */
const char *kernel_cuda_type(enum dtype t);
/* The wrapper text that is compiled to kernel.ptx (includes the source once per type), caller frees. */
char *kernel_compile_text(const struct kernel *k);
/* The comment lines that stand before NVRTC's text in a shipped kernel.ptx, caller frees. */
char *kernel_ptx_head(const struct kernel *k, const char *nvrtc_version);
/* Is shipped PTX stale (source hash or options in its head differ)? why: one sentence. */
bool kernel_ptx_stale(const struct kernel *k, char why[200]);
/* The manifest's own value of a key, or NULL. */
const cJSON *kernel_manifest(const struct kernel *k, const char *key);
const char *kernel_sha256(const struct kernel *k); /* of manifest, source and PTX */

/* ---- cases ------------------------------------------------------------------------------------ */

/* How the values of one input are made: class name with numeric arguments, "normal(0,4)". */
struct value_spec {
	char name[24];
	int nargs;
	double args[4];
};
/* How one tensor lies in memory: "contiguous", "rowpad7", "transposed", "offset3", … */
struct layout_spec {
	char name[24];
	int64_t arg;
};
struct kase {
	const struct op *op;
	struct op_binding b;
	struct layout_spec layout[OP_MAX_TENSORS];
	struct value_spec values[OP_MAX_TENSORS];
	uint64_t seed;
	uint8_t fill;
	bool f32_outputs; /* 16-bit outputs are not rounded but left in f32: for calibration */
};
/* One line of text, complete and self-describing (design.md §5). `file_op` resolves operator names that
 * are not built in and may be NULL. case_print(case_parse(x)) is a normal form. */
MUST_USE enum st case_parse(const char *line, const struct op *op, struct kase *out, struct err *e);
char *case_print(const struct kase *c);
/* The dtype in which output k (0, 1, …) is stored. */
enum dtype case_output_dtype(const struct kase *c, int k);
/* The types as the line's head has them: "f32", "i32,f16". */
void case_types(const struct kase *c, char out[64]);

/* How the roundings of a sum behave, by what is known of its terms; the later ones grow faster with the chain
 * (facts/error-scale.md §3.2 and §6). `gpuemu validate --help` lists the classes of values. */
enum coherence {
	COHERENCE_MIXED, /* even terms of both signs: roundings cancel, errors hardly grow */
	COHERENCE_WIDE,  /* both signs, sizes that differ by many powers of two: the large ones decide */
	COHERENCE_SAME,  /* one sign: about the root of the chain */
	COHERENCE_SPIKE, /* a large term among small ones, terms that rise, few distinct ones: many steps round alike */
	COHERENCE_CONST, /* equal terms: about the chain itself */
	COHERENCE_COUNT
};
const char *coherence_name(enum coherence c); /* "mixed", "wide", "same", "spike", "const" */
/* The last of the classes of its inputs' values. A tensor that is repeated along a reduced first axis is constant. */
enum coherence case_coherence(const struct kase *c);
/* The scenes of strategy `calibrate` come in turn from so many families: run i of a kernel draws from i modulo this. */
enum { CALIBRATION_FAMILIES = 3 };

/* A case made concrete for a kernel. */
struct case_run {
	struct op_inst *inst;
	struct numerics num;
	struct run_plan plan;
	const struct tensor *in[OP_MAX_TENSORS];   /* views of inputs, NULL when absent */
	const struct tensor *out[OP_MAX_TENSORS];  /* views of outputs, in output order */
	int nout;
	void *impl;
};
/* Instance, inputs, outputs, guards and launches. ST_LIMIT when it needs more than max_bytes. */
MUST_USE enum st case_make(const struct kase *c, const struct kernel *k, size_t max_bytes,
                           struct case_run **out, struct err *e);
/* The same without storage, for analyses: buffers have sizes and no data, sizes beyond any memory are allowed. */
MUST_USE enum st case_plan(const struct kase *c, const struct kernel *k, struct case_run **out, struct err *e);
void case_run_free(struct case_run *r);
/* The inputs of a case alone, contiguous copies in schema order; free with named_tensors_free. */
MUST_USE enum st case_inputs(const struct kase *c, struct named_tensor **out, size_t *n,
                             struct err *e);
/* The classes of values with their arguments, a line each, for people. Caller frees. */
char *values_describe(void);
/* The families of layout, a line each, in the same form. Caller frees. */
char *layouts_describe(void);
/* The kernel's dtype combination that the case uses, or -1. */
int case_dtype_index(const struct kase *c, const struct kernel *k);

/* ---- strategies ------------------------------------------------------------------------------- */

/* X(name, text, help) */
#define STRATEGY_LIST(X)                                                                           \
	X(OURS, "ours", "boundary shapes, layouts, adversarial values, coverage: the default")     \
	X(NATIVE, "native", "one shape as a benchmark would pick it, normal values")               \
	X(BOUNDARY, "boundary", "sizes round 1, 2, T-1, T, T+1, 2T-1 and primes, normal values")   \
	X(REGULAR, "regular", "random sizes that are multiples of 32, normal values")              \
	X(F32, "f32", "random shapes and values in f32 alone")                                     \
	X(F16, "f16", "random shapes and values in f16 alone")                                     \
	X(NAN, "nan", "NaN and infinity among normal values")                                      \
	X(ADVERSARIAL, "adversarial", "adversarial values on fixed shapes")                       \
	X(CALIBRATE, "calibrate", "sizes even over octaves, a few hundred results, value classes by coherence in turn")
enum strategy {
#define X(name, text, help) STRATEGY_##name,
	STRATEGY_LIST(X)
#undef X
	STRATEGY_COUNT
};

/* What the generator may know of a kernel. */
struct case_hints {
	const int64_t *tiles; /* tile constants of its PTX and launch */
	size_t ntiles;
	uint64_t max_work;    /* cap on the estimated lane instructions of a case; 0: none */
};
/* The i-th case of a campaign over kernel k in dtype combination d: a pure function of its arguments
 * and of `interesting`, cases found earlier that reached new coverage (may be empty). */
MUST_USE enum st case_generate(const struct kernel *k, int d, enum strategy s, uint64_t seed,
                               uint64_t i, const struct case_hints *h,
                               const struct kase *interesting, size_t ninteresting,
                               struct kase *out, struct err *e);

/* Shrinks a failing case: fails(ctx, candidate) says whether a candidate still fails the same way. At
 * most `tries` calls. *c becomes the smallest found. */
void case_shrink(struct kase *c, const struct kernel *k, int tries,
                 bool (*fails)(void *ctx, const struct kase *candidate), void *ctx);

#endif
