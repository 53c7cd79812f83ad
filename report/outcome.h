/* outcome.h - what a campaign came to, in counts and one sentence (private to report/). */
#ifndef REPORT_OUTCOME_H
#define REPORT_OUTCOME_H

#include "report/read.h"

struct outcome {
	int user, user_pass, user_fail; /* users' kernels; the rest is undecided */
	int configurations;             /* kernels in a dtype, over all roles */
	/* the corpus: of the set with the most kernels as its summary has them; without a set, of the roles */
	double buggy, caught, control, flagged;
	int left_out;   /* kernels that could not be opened */
	bool wrong;     /* a verdict that should not be */
	bool undecided; /* something is, or was left out, or there is no kernel at all */
};
struct outcome outcome_of(const cJSON *evidence);
/* "3 of 4 kernels pass, 1 fails." and, of a corpus, "10 of 10 buggy kernels are caught, 0 of 16 controls are flagged." */
void outcome_sentence(const struct outcome *o, struct buf *b);

#endif
