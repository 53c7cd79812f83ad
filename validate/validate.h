/* validate.h - is a kernel right?  Runs cases on a kernel and judges them, whole campaigns of them, the
 * benchmarks' own checks for comparison, and writes the evidence (evidence.schema.json).
 *
 * Knows tolerances, device, cases, oracles, ptx and base; not calibrate.  Drawing and text reports are report/'s. */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include "cases/cases.h"
#include "device/device.h"
#include "tolerances/tolerances.h"

/* ---- a kernel made ready ---------------------------------------------------------------------- */

/* A kernel with its module loaded on a device. */
struct target {
	struct kernel *kernel;
	struct dev_module *module;
	int64_t tiles[64];
	size_t ntiles;
	bool stale;          /* shipped PTX is not what the source would give */
	char stale_why[200];
	bool recompiled;     /* the PTX was made now, not shipped */
	bool asked;          /* as was asked for, whether or not what is shipped would do */
	const char *device;  /* its name; not owned */
	const char *tolerances; /* the table that was asked for, as it was named; NULL: the device's. Not owned */
	const struct tolerance_table *table; /* envelopes that cases are judged by; NULL: the provisional one. Not
	                                        owned; target_open takes the shipped one of the device */
};
/* The PTX that NVRTC makes of a kernel's source; caller frees. */
MUST_USE enum st target_compile(const struct kernel *k, char **ptx, struct err *e);
/* Reads the folder, takes its shipped PTX (or compiles the source when there is none, when it is stale, or
 * when `recompile`), loads it. ST_INPUT, ST_UNSUP with a message that names the file. */
MUST_USE enum st target_open(struct device *d, const char *folder, bool recompile, struct target **out,
                             struct err *e);
void target_free(struct target *t);
/* The command that runs a case of the target again as it is run here, up to the case: "gpuemu replay corpus/control/relu",
 * with --device, --recompile and --tolerances where they were given. */
void target_replay(const struct target *t, struct buf *b);

/* ---- one case --------------------------------------------------------------------------------- */

struct case_options {
	bool sanitize;
	size_t max_bytes;    /* memory of a case, 0: 4 GiB */
	bool power;          /* also ask whether null kernels would pass, and what a record tells besides: wrong, abs_error, allclose, published */
	bool use_T;          /* judge with T instead of the table's envelope */
	double T;
};

/* Null kernels: what a kernel that computes nothing would give. X(name, text) */
#define NULL_LIST(X)                                                                               \
	X(ZEROS, "zeros")                                                                          \
	X(COPY, "copy of an input")                                                                \
	X(MEAN, "mean of the exact output")                                                        \
	X(ONE, "constant 1")                                                                       \
	X(UNTOUCHED, "untouched output")
enum null_kind {
#define X(name, text) NULL_##name,
	NULL_LIST(X)
#undef X
	NULL_COUNT
};
const char *null_name(enum null_kind k);

struct case_result {
	enum verdict verdict;      /* with sanitizers: an error finding is a FAIL */
	enum verdict value;        /* by the outputs alone */
	struct judgement judgement;
	struct run_report report;
	struct envelope envelope;
	char family[128];          /* of numerics, as tolerance_family() has it */
	double chain;              /* L */
	bool wrong;                /* observably: beyond the deterministic bound, or in class (design.md §6) */
	double abs_error;          /* largest |output - exact|; infinite where the class differs; NaN: not judged or not asked */
	bool allclose;             /* |output - exact| <= 1e-5 + 1e-2·|exact| everywhere, as benchmarks ask */
	bool published;            /* within the tolerance that benchmarks publish for operator and type (policies.h) */
	bool power;                /* at least one null is rejected, none that differs passes */
	char outputs_sha256[65];   /* of all outputs' elements, row-major */
	char reason[240];          /* one sentence when not PASS */
};
/* Runs c on t and judges it. Errors are the tool's or the input's; the kernel's faults are the result's.
 * A construct the oracle cannot evaluate is verdict UNSUPPORTED, memory or budget UNKNOWN. coverage may be
 * NULL. */
MUST_USE enum st case_validate(const struct target *t, const struct kase *c, const struct case_options *o,
                               struct dev_coverage *coverage, struct case_result *r, struct err *e);

/* SHA-256 of all outputs' elements, row-major, in hexadecimal. */
void case_outputs_sha256(const struct case_run *run, char out[65]);

/* What a case can tell apart under tolerance factor T. */
#define POWER_STEPS 5
extern const double power_steps[POWER_STEPS]; /* 0.5, 1.01, 2, 4, 10 */
struct power_probe {
	bool judged;            /* it has elements with a verdict */
	bool nulls;             /* the null kernels are rejected or right, one is rejected */
	bool seen[POWER_STEPS]; /* exact results, each with an error of step·(T·u·S + ulp/2), then rounded, are rejected */
	/* The classical equivalent: with rtol = u of the output's type + T·u, the smallest atol that accepts all
	 * that the envelope accepts. */
	double rtol, atol;
};
MUST_USE enum st case_power(const struct target *t, const struct kase *c, double T, struct power_probe *p,
                            struct err *e);

/* ---- replay ----------------------------------------------------------------------------------- */

/* Runs one case and writes what a person needs to see to `out`: verdict, findings, the first wrong
 * elements with exact value, ulps, scaled error and allowed range, SHA-256 of inputs and outputs.
 * dump: NULL, or a safetensors file that receives inputs, outputs and the exact values. */
MUST_USE enum st replay(const struct target *t, const char *line, const struct case_options *o,
                        const char *dump, struct buf *out, struct case_result *r, struct err *e);

/* Judges outputs that were computed elsewhere from the inputs of the case (case_inputs): n tensors by name, of the
 * case's shapes and dtypes. num: how they were computed, chain <= 0 for the whole reduction. table may be NULL. Text
 * as by replay. ST_INPUT: an output is missing or of another shape or dtype. */
MUST_USE enum st judge_outputs(const struct kase *c, const struct named_tensor *outputs, size_t n,
                               const struct numerics *num, const struct tolerance_table *table, struct buf *text,
                               struct case_result *r, struct err *e);

/* Writes inputs, outputs and, with an oracle (or NULL), NAME.exact (f64) of every output as safetensors. */
MUST_USE enum st case_dump(const char *path, const struct kase *c, const struct case_run *run,
                           const struct oracle *or, struct err *e);

/* ---- campaigns -------------------------------------------------------------------------------- */

struct campaign_options {
	const char *out_dir;   /* evidence.json, cases.jsonl */
	const char *argv_text; /* the command, for the evidence */
	const char *corpus_dir;/* where a twin that is not in the campaign is looked for, or NULL */
	uint64_t seed;
	int cases;             /* a kernel and dtype */
	double seconds;        /* > 0: stop after the generation that passes this */
	int jobs;
	enum strategy strategy;
	bool has_dtype;        /* only combinations whose first type is `dtype` */
	enum dtype dtype;
	bool sanitize, bench, lint, resume, big, quiet;
	bool coverage;         /* let coverage guide the choice of cases: not, and every device gets the same */
	int shrink_tries;
	bool *bad_input;       /* NULL, or set when a kernel's manifest does not fit a case of its operator */
	const cJSON *left_out; /* NULL, or an array for the evidence: {"folder", "reason"} of kernels that could not be opened */
};
struct campaign_options campaign_defaults(void);

/* Runs the campaign over n targets. Cases are committed to out_dir/cases.jsonl in case order; with
 * resume, those already there are not run again. Writes out_dir/evidence.json and returns it. */
MUST_USE enum st campaign_run(const struct campaign_options *o, struct device *d,
                              struct target *const *targets, int n, cJSON **evidence, struct err *e);

/* Calls fn for every case in the record of the campaign in out_dir, in the order in which they were committed. */
MUST_USE enum st campaign_each(const char *out_dir,
                               void (*fn)(void *ctx, const char *kernel, const char *dtype, const char *line, const char *verdict), void *ctx,
                               struct err *e);

/* ---- comparing -------------------------------------------------------------------------------- */

struct compare_options {
	uint64_t seed;
	int cases, jobs; /* cases a kernel and dtype */
	const char *set; /* NULL, or only kernels of this set */
	bool has_dtype;
	enum dtype dtype;
	bool quiet;
};

/* Runs the same cases of n kernel folders on devices a and b and compares all outputs bit by bit. *out:
 * {"mode": "devices", "identical": bool, totals, "kernels": one object a kernel and dtype with the first
 * difference}. */
MUST_USE enum st compare_devices(const struct compare_options *o, struct device *a, struct device *b,
                                 char *const *folders, int n, cJSON **out, struct err *e);
/* Compares two safetensors files tensor by tensor: {"mode": "tensors", "identical", totals, "tensors"}. */
MUST_USE enum st compare_tensors(const char *a, const char *b, cJSON **out, struct err *e);
/* Compares the records of two campaigns case by case: verdicts, values, outputs' SHA-256. A path is a
 * cases.jsonl, an evidence.json beside one, or their folder. {"mode": "records", "identical": every case
 * is in both and equal, totals, "differences": the first ones}. */
MUST_USE enum st compare_records(const char *a, const char *b, cJSON **out, struct err *e);

#endif
