/* tolerances.h - tolerance tables: per operator, types, family of numerics and coherence the fitted envelope
 * (fit.h), how it is written, found and applied.
 *
 * Shipped tables lie beside this file, one JSON a device, and are embedded. Knows oracles, stats and base. */
#ifndef TOLERANCES_TOLERANCES_H
#define TOLERANCES_TOLERANCES_H

#include "oracles/oracles.h"
#include "tolerances/fit.h"


/* One cell. A family is the text of tolerance_family(). */
struct tolerance_cell {
	char op[64], types[64], family[128], group[16];
	char tier[16];       /* "exact", "bounded", "statistical" */
	char kernels[600];   /* the known-good kernels, comma list */
	char worst_case[600];/* the run with the largest r/T */
	char plan[48], carried[300]; /* of a merged table, as a table has them; else empty */
	struct cell_fit fit;
	/* checks of the envelope (calibrate/) */
	double heldout, heldout_over;         /* runs of held-out seeds, those over the envelope */
	double kernels_out, kernels_out_over; /* kernels left out of the fit in turn; those beyond it */
	double sizes_out, sizes_out_over;     /* runs of the longest chains, those beyond a fit without them, extrapolated */
	double power[5];                      /* share of runs in which errors of 0.5, 1, 2, 4, 10 T are seen */
	double nulls_rejected;                /* share of runs that reject the null kernels */
	double atol, rtol;                    /* classical equivalent over the runs seen */
};

struct tolerance_table {
	char name[64];     /* file name without .json */
	char device[300], device_text[300], date[32], command[800], plan[48], tool[32], seed[24];
	char sha256[65];   /* of the file's text; empty for a table made in memory */
	char carried[300]; /* how a table of other hardware holds here, or empty */
	struct tolerance_cell *cell;
	size_t n;
};

/* Roundoffs that one operation may err by: 1, but 2 on tensor cores, which truncate. */
double fit_per_op(const struct numerics *n);
/* "f32", "f32 ftz", "f32 tensor", "f32 p:f16": accumulation type, flush, tensor cores, low intermediates by name. */
void tolerance_family(const struct numerics *n, char out[128]);

MUST_USE enum st tolerance_read(const char *path, struct tolerance_table **out, struct err *e);
MUST_USE enum st tolerance_write(const struct tolerance_table *t, const char *path, struct err *e);
void tolerance_free(struct tolerance_table *t);
/* A table with the cells of a and those of b, its texts a's but for commands and plans, which it joins; each cell says which
 * plan it is of and how it was carried over. replace: b's cell stands for one that both have. ST_INPUT: other devices, or,
 * without replace, a cell that both have. */
MUST_USE enum st tolerance_merge(const struct tolerance_table *a, const struct tolerance_table *b, bool replace,
                                 struct tolerance_table **out, struct err *e);
/* A shipped table by name, or "provisional" or "bound" (the deterministic bound and one rounding), which have no
 * cells; NULL when there is none. Lives as long as the program. */
const struct tolerance_table *tolerance_builtin(const char *name);
const char *tolerance_builtin_name(int i); /* NULL behind the last */
/* Is it of that kind of device (its text up to the first comma: driver and toolkit apart)? */
bool tolerance_made_on(const struct tolerance_table *t, const char *device_text);
/* The shipped table of a device by its text (device_text): its own (tolerance_made_on), or the nearest; NULL
 * when none is shipped. */
const struct tolerance_table *tolerance_of_device(const char *device_text);

const struct tolerance_cell *tolerance_find(const struct tolerance_table *t, const char *op,
                                            const char *types, const char *family, const char *group);
/* T of a case by one cell: its envelope; the bound of a refused one (fit_fallback), of a loose one the lower of both; one
 * rounding for a cell that is exact by its runs but not by contract. *source (may be NULL) as cell_fit_limit has it. */
double tolerance_cell_limit(const struct tolerance_cell *c, double chain, double elements, enum fit_source *source);
/* T of a case. group NULL: not known, the largest of the groups. An operator or family that the table has not
 * gets the provisional envelope, a refused cell its deterministic bound; the name says so. t may be NULL. */
struct envelope tolerance_envelope(const struct tolerance_table *t, const char *op, const char *types,
                                   const struct numerics *n, const char *group, double chain,
                                   double elements);

/* Texts for people: caller frees. filter: NULL, or only cells whose "op/types" begins so; NULL when there are
 * none. */
char *tolerance_show(const struct tolerance_table *t, const char *filter);
/* format: "csv", "latex", "python"; NULL for an unknown one. */
char *tolerance_export(const struct tolerance_table *t, const char *format);
/* Which cells of b moved against a by more than the fits' confidence. *moved: how many. */
char *tolerance_diff(const struct tolerance_table *a, const struct tolerance_table *b, int *moved);

#endif
