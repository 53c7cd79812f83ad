/* prose.h - the sentences and small tables of the page, made from evidence (private to
 * report/draw/). */
#ifndef REPORT_DRAW_PROSE_H
#define REPORT_DRAW_PROSE_H

#include "report/draw/model.h"

#define PROSE_MAX_COLUMNS 3

/* One sentence a set, and one for a user's kernels, as Pango markup, one a line. */
void prose_verdicts(const struct model *m, struct buf *out);

/* A line of markup a set of the corpus: how many kernels, and what it shares with the sets before
 * it. */
void prose_sets(const struct model *m, struct buf *out);
/* A line of markup a kernel that passes in some dtypes and fails in others; none: nothing. */
void prose_passing(const struct model *m, struct buf *out);

/* The table of counts. A column is a set, or the user's kernels (set NULL). */
struct prose_column {
	const char *title;
	const cJSON *set;
};
int prose_columns(const struct model *m, struct prose_column columns[PROSE_MAX_COLUMNS]);
int prose_rows(void);
const char *prose_label(int row);
/* The value, "" where the row does not apply; note: a 95 % interval or "". */
void prose_value(const struct model *m, const struct prose_column *column, int row, char value[64],
                 char note[64]);

/* Null kernels that the headline's check accepts on the friendly inputs; "none" if none. Markup. */
void prose_nulls(const struct model *m, struct buf *out);

/* The i-th failure whose replay is worth showing: those of users' kernels and controls, then one of
 * a buggy kernel. NULL: no more. *row: whose it is. */
const cJSON *prose_replay(const struct model *m, int i, const struct row **row);

/* The text with Pango's markup escaped and control characters as blanks. */
void put_escaped(struct buf *b, const char *s);

#endif
