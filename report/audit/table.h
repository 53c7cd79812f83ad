/* table.h - tables that break over pages and repeat their heads (private to report/audit/). */
#ifndef REPORT_AUDIT_TABLE_H
#define REPORT_AUDIT_TABLE_H

#include "report/audit/flow.h"

#define TABLE_MAX_COLUMNS 20
#define TABLE_SIZE        7.4 /* points of its text, where nothing asks for less */

struct column {
	const char *title;
	double w; /* points; negative: its share of what the others leave */
	enum align align;
	bool mono;
	bool fit; /* one line, made smaller where it would be wider than the column: for numbers */
	bool up;  /* the title stands upright, for narrow columns */
};

/* One cell. Members left out: the table's plain text. */
struct td {
	const char *text; /* NULL: empty */
	bool bold, mono, coloured;
	enum colour colour, ground; /* ground: behind the cell, when has_ground */
	bool has_ground;
	int dest;
	const char *uri;
};

struct table {
	struct flow *f;
	struct column column[TABLE_MAX_COLUMNS];
	double x[TABLE_MAX_COLUMNS], w[TABLE_MAX_COLUMNS];
	int n;
	double size, head_h;
	bool plain; /* no head: labels and values */
};

/* Draws the head, keeping it with a first row. size: of the text. title NULL in every column: no
 * head. */
void table_begin(struct table *t, struct flow *f, const struct column *columns, int n, double size);
/* The same for a table of so many rows of a line each, which goes to the next page as a whole, with
 * what leads to it, where it does not fit. One of more than half a page is broken as others are. */
void table_begin_whole(struct table *t, struct flow *f, const struct column *columns, int n,
                       double size, int rows);
/* n cells as begun with. A row stands on one page; a cell of more than 24 lines ends with an
 * ellipsis. */
void table_row(struct table *t, const struct td *cells);
/* A heading over rows that belong together. */
void table_group(struct table *t, const char *text);
void table_end(struct table *t);

#endif
