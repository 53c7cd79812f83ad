/* unit.h - what a campaign has learned of one kernel in one dtype combination (private). */
#ifndef VALIDATE_UNIT_H
#define VALIDATE_UNIT_H

#include "validate/policies.h"
#include "validate/runs.h"
#include "validate/tried.h"

#define UNIT_MAX_FINDINGS 32
/* Cases of a unit that are chosen from the same state. */
#define GENERATION 32
/* Estimated lane instructions that a case may take (design.md §5). */
#define CASE_WORK 2500000

/* A finding over all cases of a unit; JSON of its first occurrence. */
struct unit_finding {
	cJSON *first;  /* as in the record */
	char *first_case;
	int64_t cases; /* in how many cases */
};

/* The smallest failing case found. */
struct minimal {
	char *line;
	bool by_value;
	char kind[40];           /* finding kind when not by value */
	struct case_result r;
	bool has_twin;
	enum verdict twin;
	cJSON *elements;         /* first wrong elements for a person */
};

struct unit {
	const struct target *target;
	int target_index, dtype;
	struct dev_coverage *seen;
	struct kase *interesting;
	size_t ninteresting, cap;
	size_t known; /* of these, what the generations before the one under way found */
	int done;     /* cases committed */
	bool exhausted; /* a case could not be drawn, and no more are tried */
	/* totals over cases */
	int64_t verdicts[V_COUNT], values[V_COUNT], no_power;
	int64_t elements, failed, out_of_contract, ill, unknown, weak, lane_instructions;
	double r_max, r_over_T; /* largest r of passing cases; largest r/T */
	struct unit_runs runs;
	struct policy_cases policy;
	struct tried tried;
	char *r_case, *fail_case, *value_fail_case, *first_reason;
	struct unit_finding findings[UNIT_MAX_FINDINGS];
	int nfindings;
	struct minimal minimal;
	cJSON *error_map; /* of the first case that fails by value, or NULL */
};

void unit_init(struct unit *u, const struct target *t, int target_index, int dtype);
void unit_clear(struct unit *u);
/* Does a record line belong to this unit? */
bool unit_matches(const struct unit *u, const cJSON *line);
/* Adds a record line to the totals. */
MUST_USE enum st unit_absorb(struct unit *u, const cJSON *line, struct err *e);
/* No further case can be drawn: without a FAIL the verdict is UNKNOWN, why being its reason. */
void unit_exhaust(struct unit *u, const char *why);
/* FAIL if any case failed; UNKNOWN when nothing was decided; else PASS. */
enum verdict unit_verdict(const struct unit *u);
enum verdict unit_value(const struct unit *u);

/* Shrinks the first failing case of every failing unit, workers in parallel, and runs it on the twin. */
void units_shrink(const struct campaign_options *o, struct device *d, struct unit *units, int n,
                  struct target *const *targets, int ntargets);

/* Where in an output the errors of a case lie: the largest r/T of each tile of at most 24 by 64, rows being all
 * dims but the last ({"case", "output", "rows", "cols", "tile_rows", "tile_cols", "r_over_T": rows of numbers, null
 * where nothing has a verdict}). NULL: nothing is wrong, or the case cannot be run. */
cJSON *error_map(const struct target *t, const char *line);

/* The evidence of a campaign, written to out_dir/evidence.json. */
MUST_USE enum st evidence_make(const struct campaign_options *o, struct device *d,
                               struct target *const *targets, int n, struct unit *units, int nunits,
                               double seconds, double cases_run, cJSON **out, struct err *e);

#endif
