/* tabular.h - tables of figures: how one is filled, and printed in every format (private to
 * report/).
 *
 * A table is filled by one function, row by row; formats know nothing of what is in it, so that a
 * figure reads the same in LaTeX, Markdown, CSV and JSON. Whoever adds one writes the function and
 * its line in the table of tabular.c. */
#ifndef REPORT_TABULAR_H
#define REPORT_TABULAR_H

#include "report/number.h"
#include "report/read.h"
#include "report/sources.h"
#include "tolerances/tolerances.h"

struct column {
	const char *key;   /* of CSV, JSON and macros: lower case, underscores */
	const char *title; /* for people */
};

/* A share is of trials that could have gone otherwise, and has an interval; a part is of things
 * that were all counted. */
enum figure_kind { FIG_NONE, FIG_TEXT, FIG_COUNT, FIG_VALUE, FIG_SHARE, FIG_PART };
struct figure {
	enum figure_kind kind;
	char *text;
	double v, n; /* of a share and a part: v of n */
	int digits;
};

/* Zero-initialise; tabular_free. */
struct tabular {
	const struct column *column;
	int ncolumns;
	int nkeys;             /* so many columns, the first ones, tell rows apart */
	struct figure *figure; /* row-major */
	int nrows, cap, at;    /* at: columns filled of the row under way */
};

/* The next figure of the row under way; after the last column the next row begins. NULL texts are
 * "".
 */
void put_text(struct tabular *t, const char *text);
void put_count(struct tabular *t, double v);
void put_value(struct tabular *t, double v, int digits);
void put_share(struct tabular *t, double x, double n);
void put_part(struct tabular *t, double x, double n);
void put_none(struct tabular *t); /* does not apply */
void tabular_free(struct tabular *t);

/* What tables are made from. table: NULL where none was given. */
struct tabular_input {
	struct sources src;
	struct tolerance_table *table[2];
};

struct tabular_entry {
	const char *name, *title;
	const struct column *column;
	int ncolumns, nkeys;
	enum source needs, needs2; /* needs2: SRC_COUNT for none */
	void (*fill)(struct tabular *t, const struct tabular_input *in);
};

/* tabular_evidence.c */
void fill_summary(struct tabular *t, const struct tabular_input *in);
void fill_kernels(struct tabular *t, const struct tabular_input *in);
void fill_checks(struct tabular *t, const struct tabular_input *in);
void fill_bench(struct tabular *t, const struct tabular_input *in);
void fill_set_policies(struct tabular *t, const struct tabular_input *in);
void fill_nulls(struct tabular *t, const struct tabular_input *in);
/* tabular_studies.c */
void fill_cells(struct tabular *t, const struct tabular_input *in);
void fill_states(struct tabular *t, const struct tabular_input *in);
void fill_devices(struct tabular *t, const struct tabular_input *in);
void fill_strategies(struct tabular *t, const struct tabular_input *in);
void fill_coverage(struct tabular *t, const struct tabular_input *in);
void fill_mutation(struct tabular *t, const struct tabular_input *in);
void fill_policies(struct tabular *t, const struct tabular_input *in);
void fill_calibration(struct tabular *t, const struct tabular_input *in);
void fill_fidelity(struct tabular *t, const struct tabular_input *in);
void fill_math(struct tabular *t, const struct tabular_input *in);
void fill_rules(struct tabular *t, const struct tabular_input *in);
void fill_twins(struct tabular *t, const struct tabular_input *in);
void fill_lint(struct tabular *t, const struct tabular_input *in);

/* tabular_print.c: the formats. name: of the table, for macros. */
struct tabular_format {
	const char *name;
	void (*print)(const struct tabular *t, const char *name, struct buf *out);
};
extern const struct tabular_format tabular_formats[];
extern const size_t ntabular_formats;

#endif
