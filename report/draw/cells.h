/* cells.h - cells of tolerance tables as charts need them (private to report/draw/). */
#ifndef REPORT_DRAW_CELLS_H
#define REPORT_DRAW_CELLS_H

#include "report/draw/chart.h"
#include "tolerances/tolerances.h"

/* "softmax/f32", and behind a blank "f32 same" when those are to be told. */
void cell_label(const struct tolerance_cell *k, bool whole, char out[300]);

/* T where the envelope is widest: at the longest chain and the most elements it was fitted on, and
 * the deterministic bound there; both without the rounding of a 16-bit output. */
double cell_limit_at_end(const struct tolerance_cell *k);
double cell_bound_at_end(const struct tolerance_cell *k);

/* The cell that a chart of one shows: the first that in->cell names ("OP/TYPES", or a whole label)
 * and whose runs are known, preferably one with an envelope; -1: none. */
int cell_chosen(const struct charts *in);

/* Why the chart of a table is absent: no table, or none of its cells has an envelope; else NULL. */
const char *cells_absent(const struct charts *in);

#endif
