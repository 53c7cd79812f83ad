/* model.h - evidence arranged for drawing: rows in groups, and what stands in each cell (private to
 * report/draw/). Every figure is read from the evidence or counts its entries. */
#ifndef REPORT_DRAW_MODEL_H
#define REPORT_DRAW_MODEL_H

#include "report/read.h"

/* Columns beyond these are told of, not drawn: more would not be legible on a page. */
#define MODEL_MAX_PROFILES 16
#define MODEL_MAX_DTYPES   6

/* The profile that headlines speak of: the published one-shape check. */
#define MODEL_HEADLINE "seed"

enum group { GROUP_USER, GROUP_BUGGY, GROUP_CONTROL, GROUP_COUNT };

struct row {
	const cJSON *kernel;
	const char *name;
	enum group group;
	struct ev_totals n;
};

struct profile_column {
	const char *title; /* for people */
	const char *name;
	const char *own; /* key under "bench" of its published inputs */
};

/* Of a group, how many kernels a check accepts, and for how many it had something to say. */
struct tally {
	int accepted, judged;
};

enum input { INPUT_FRIENDLY, INPUT_OWN, INPUT_COUNT };

struct model {
	const cJSON *evidence;
	struct row *rows; /* by group, within a group in the order of the evidence */
	int nrows, size[GROUP_COUNT];
	struct profile_column profiles[MODEL_MAX_PROFILES];
	int nprofiles, hidden_profiles;
	const char *dtypes[MODEL_MAX_DTYPES];
	int ndtypes, hidden_dtypes;
	struct tally bench[GROUP_COUNT][INPUT_COUNT][MODEL_MAX_PROFILES];
	struct tally dtype[GROUP_COUNT][MODEL_MAX_DTYPES];
};

void model_init(struct model *m, const cJSON *evidence);
void model_clear(struct model *m);

/* What an oracle said of a kernel. SOME: a benchmark check accepts at some seeds only, which is a
 * rejection. */
enum mark { MARK_NONE, MARK_ACCEPT, MARK_SOME, MARK_REJECT, MARK_UNKNOWN, MARK_UNSUPPORTED };
/* Whether that is right: buggy kernels are to be rejected, controls accepted; of a user's nobody
 * knows. */
enum sense { SENSE_NONE, SENSE_RIGHT, SENSE_WRONG, SENSE_OPEN };
struct cell {
	enum mark mark;
	enum sense sense;
};

struct cell model_bench(const struct model *m, const struct row *r, enum input input, int profile);
struct cell model_dtype(const struct model *m, const struct row *r, int dtype);

/* Share of the cases that fail, in [0, 1]; by_value: by their outputs alone. */
double model_failing(const struct row *r, bool by_value);

#endif
