/* envelopes.h - known-good kernels run over sizes, values and layouts; a tolerance table fitted to them. */
#ifndef CALIBRATE_ENVELOPES_H
#define CALIBRATE_ENVELOPES_H

#include "tolerances/tolerances.h"
#include "validate/validate.h"

struct envelope_options {
	const char *plan;      /* name in fit_plans */
	const char *runs_path; /* where runs are recorded, a line each; with `resume` those there are not run again */
	const char *from;      /* NULL, or a file of such lines that are fitted; nothing is run then but a share on `carry` */
	bool carry;            /* with `from`: the table is for the targets' device, which must give the same outputs */
	const char *command;   /* for the table */
	uint64_t seed;
	int jobs;
	bool resume, quiet;
};

/* The cells that n known-good kernels have, and what the plan takes, for a person: caller frees. */
MUST_USE enum st envelopes_plan(const struct envelope_options *o, struct target *const *targets, int n, char **text,
                                struct err *e);
/* Runs the plan on targets (of one device) and fits every cell. The same options and kernels give the same
 * table but for the date. ST_INPUT: with carry, outputs of a run are not those recorded. */
MUST_USE enum st envelopes_make(const struct envelope_options *o, struct device *d, struct target *const *targets,
                                int n, struct tolerance_table **out, struct err *e);

#endif
