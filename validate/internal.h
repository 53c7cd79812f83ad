/* internal.h - what the files of validate/ share. */
#ifndef VALIDATE_INTERNAL_H
#define VALIDATE_INTERNAL_H

#include "validate/validate.h"

/* L of the family, or the longest possible when the manifest does not say. */
double chain_length(const struct numerics *n, const struct op_inst *inst);

/* Elements of null kernel k as doubles of type dt; false when it does not exist for this case. */
bool null_output(enum null_kind k, const struct case_run *run, const struct oracle_out *o,
                 enum dtype dt, double *y);

/* case_validate that hands out the run and (if oracle is not NULL and the verdict is a judged one) the
 * oracle; the caller frees both, also after an error. */
MUST_USE enum st run_and_judge(const struct target *t, const struct kase *c, const struct case_options *o,
                               struct dev_coverage *coverage, struct case_run **run,
                               struct oracle **oracle, struct case_result *r, struct err *e);

/* Judges the outputs of a run that went to its end: envelope and chain, judgement, value verdict, hash. t: its table
 * counts. keep as oracle above. */
MUST_USE enum st judge_run(const struct target *t, const struct kase *c, const struct case_run *run,
                           const struct case_options *o, struct case_result *r, struct oracle **keep, struct err *e);

/* Then: verdict and reason; what judge_run (status rc) could not judge is UNSUPPORTED or UNKNOWN. */
MUST_USE enum st settle(struct case_result *r, enum st rc, struct err *e);

/* ---- benchmark checks (bench.c) ---- */

/* Runs the benchmarks' checks of all targets on friendly and published inputs, `jobs` at a time. Adds
 * "bench" to each kernel object of `kernels` (a JSON array in target order), and returns the list of
 * friendly inputs with the null kernels accepted on them. */
MUST_USE enum st bench_run(const struct campaign_options *o, struct target *const *targets, int n,
                           cJSON *kernels, cJSON **friendly, struct err *e);
/* Names of all profiles, for messages and the evidence. */
cJSON *bench_profiles_json(void);
int bench_profile_count(void);
const char *bench_profile_name(int i);
/* Does profile i accept candidate y against reference x, n elements of dtype dt? */
bool bench_accepts(int i, enum dtype dt, const double *y, const double *x, int64_t n);

/* ---- evidence (evidence.c) ---- */

/* Adds summary.SET for every set that a kernel of the evidence is in. */
void evidence_summary(cJSON *evidence);

/* Lane instructions after which a case counts as endless. It depends on the case alone, so that a replay ends
 * as the campaign did: some forty times what the costliest case of the corpus takes. */
uint64_t case_budget(const struct op_inst *inst);

#endif
