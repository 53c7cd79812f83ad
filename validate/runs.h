/* runs.h - what the cases of a unit say of the envelopes they were judged by (private to validate/): the
 * runs thinned out, the envelopes used, the passing run nearest to its tolerance. Everything is taken
 * from record lines, so that a resumed campaign gives the same. */
#ifndef VALIDATE_RUNS_H
#define VALIDATE_RUNS_H

#include "validate/internal.h"

/* One of the runs that are alike: L within half an octave, r/T within one; that with the largest r/T. */
struct run_point {
	double L, T, r;
	int64_t cases;
	bool failed;    /* by value */
	int at_L, at_q; /* where it lies */
};

/* An envelope, by its name, and what was judged by it. */
struct envelope_use {
	char types[64], family[128], name[64];
	int64_t cases;
	double L_lo, L_hi, T_lo, T_hi, r_over_T; /* r_over_T: the largest of passing runs */
	/* the same by the role of the kernels, by enum kernel_role */
	int64_t role_cases[3];
	double role_r_over_T[3];
};

struct unit_runs {
	struct run_point *point;
	size_t npoints, point_cap;
	struct envelope_use *use;
	size_t nuses;
	char *worst_case, worst_envelope[64]; /* of passing runs, the largest r/T */
	double worst_r, worst_T, worst_L;
};

void runs_clear(struct unit_runs *u);
/* Takes in a record line; one whose outputs were not judged changes nothing. */
void runs_absorb(struct unit_runs *u, const cJSON *line);
/* [[L, T, r, cases, failed], …]: how many cases are alike, and how many of them fail by value */
cJSON *runs_points_json(const struct unit_runs *u);
/* {"case", "r", "T", "L", "envelope"} or NULL when nothing passed. */
cJSON *runs_worst_json(const struct unit_runs *u);
/* Adds what `from`, the runs of a kernel of that role, used to the uses of `all`. */
void runs_add_uses(struct unit_runs *all, const struct unit_runs *from, enum kernel_role role);
/* One object an envelope used: the cell of the table that it names, and what was judged by it. op: the operator of
 * the uses. Appended to list. */
void runs_cells_json(cJSON *list, const struct unit_runs *u, const char *op, const struct tolerance_table *t);

/* r/T with 0/0 = 0 and x/0 = infinity. */
double run_ratio(double r, double T);

#endif
