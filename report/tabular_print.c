/* tabular_print.c - the formats of tables: see tabular.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/tabular.h"

static const struct figure *figure_at(const struct tabular *t, int row, int column)
{
	return &t->figure[row * t->ncolumns + column];
}

/* "260/378" */
static void part_text(const struct figure *f, enum num_style s, char out[NUM_SIZE])
{
	char x[NUM_SIZE], n[NUM_SIZE];

	if (num_are_counts(f->v, f->n))
		snprintf(out, NUM_SIZE, "%.40s/%.40s", num_count(f->v, s, x),
		         num_count(f->n, s, n));
}

/* The figure for people; interval: a share with its interval. */
static void figure_text(const struct figure *f, enum num_style s, bool interval, char out[NUM_SIZE])
{
	out[0] = 0;
	if (f->kind == FIG_COUNT)
		num_count(f->v, s, out);
	else if (f->kind == FIG_VALUE)
		num_value(f->v, f->digits, s, out);
	else if (f->kind == FIG_PART)
		part_text(f, s, out);
	else if (f->kind == FIG_SHARE && interval)
		num_share_interval(f->v, f->n, s, out);
	else if (f->kind == FIG_SHARE)
		num_share(f->v, f->n, s, out);
}

/* "9/9: 100 % [66, 100]" */
static void put_figure(struct buf *b, const struct figure *f, enum num_style s)
{
	char text[NUM_SIZE], x[NUM_SIZE], n[NUM_SIZE];

	figure_text(f, s, true, text);
	if (f->kind == FIG_SHARE && text[0])
		buf_printf(b, "%s/%s: %s", num_count(f->v, s, x), num_count(f->n, s, n), text);
	else
		buf_puts(b, text);
}

/* ---- Markdown ---- */

/* Nothing in a text ends the row or is markup. */
static void markdown_text(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr("\\`*_{}[]<>|#", *s))
			buf_putc(b, '\\');
		buf_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
	}
}

static bool is_number(const struct tabular *t, int column)
{
	for (int r = 0; r < t->nrows; r++)
		if (figure_at(t, r, column)->kind == FIG_TEXT)
			return false;
	return t->nrows > 0;
}

static void print_markdown(const struct tabular *t, const char *name, struct buf *b)
{
	(void)name;
	for (int c = 0; c < t->ncolumns; c++)
		buf_printf(b, "| %s ", t->column[c].title);
	buf_puts(b, "|\n");
	for (int c = 0; c < t->ncolumns; c++)
		buf_puts(b, is_number(t, c) ? "|--:" : "|---");
	buf_puts(b, "|\n");
	for (int r = 0; r < t->nrows; r++) {
		for (int c = 0; c < t->ncolumns; c++) {
			const struct figure *f = figure_at(t, r, c);

			buf_puts(b, "| ");
			if (f->kind == FIG_TEXT)
				markdown_text(b, f->text);
			else
				put_figure(b, f, NUM_PLAIN);
			buf_putc(b, ' ');
		}
		buf_puts(b, "|\n");
	}
}

/* ---- LaTeX ---- */

static void latex_text(struct buf *b, const char *s)
{
	static const struct {
		char c;
		const char *as;
	} special[] = {{'\\', "\\textbackslash{}"},  {'~', "\\textasciitilde{}"},
	               {'^', "\\textasciicircum{}"}, {'<', "\\textless{}"},
	               {'>', "\\textgreater{}"},     {'|', "\\textbar{}"}};

	for (; *s; s++) {
		const char *as = NULL;

		for (size_t i = 0; i < ARRAY_LEN(special); i++)
			if (*s == special[i].c)
				as = special[i].as;
		if (as) {
			buf_puts(b, as);
			continue;
		}
		if (strchr("&%$#_{}", *s))
			buf_putc(b, '\\');
		buf_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
	}
}

static void print_latex(const struct tabular *t, const char *name, struct buf *b)
{
	buf_printf(b, "%% gpuemu report --table %s --format latex; \\usepackage{booktabs}\n", name);
	buf_puts(b, "\\begin{tabular}{");
	for (int c = 0; c < t->ncolumns; c++)
		buf_putc(b, is_number(t, c) ? 'r' : 'l');
	buf_puts(b, "}\n\\toprule\n");
	for (int c = 0; c < t->ncolumns; c++) {
		buf_puts(b, c ? " & " : "");
		latex_text(b, t->column[c].title);
	}
	buf_puts(b, " \\\\\n\\midrule\n");
	for (int r = 0; r < t->nrows; r++) {
		for (int c = 0; c < t->ncolumns; c++) {
			const struct figure *f = figure_at(t, r, c);

			buf_puts(b, c ? " & " : "");
			if (f->kind == FIG_TEXT)
				latex_text(b, f->text);
			else
				put_figure(b, f, NUM_LATEX);
		}
		buf_puts(b, " \\\\\n");
	}
	buf_puts(b, "\\bottomrule\n\\end{tabular}\n");
}

/* ---- CSV (RFC 4180, but lines end as everywhere here) ---- */

static void csv_text(struct buf *b, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		buf_puts(b, s);
		return;
	}
	buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_putc(b, '"');
		buf_putc(b, *s);
	}
	buf_putc(b, '"');
}

/* A share has columns of its own for the counts and the interval, a part for the counts. */
static bool is_kind(const struct tabular *t, int column, enum figure_kind kind)
{
	for (int r = 0; r < t->nrows; r++)
		if (figure_at(t, r, column)->kind == kind)
			return true;
	return false;
}

static void csv_share(struct buf *b, const struct figure *f)
{
	double lo, hi;

	if (f->kind != FIG_SHARE || !num_are_counts(f->v, f->n)) {
		buf_puts(b, ",,,,");
		return;
	}
	num_interval(f->v, f->n, &lo, &hi);
	buf_printf(b, "%.17g,%.17g,%.17g,%.17g,%.17g", f->v / f->n, f->v, f->n, lo, hi);
}

static void csv_part(struct buf *b, const struct figure *f)
{
	if (f->kind == FIG_PART && num_are_counts(f->v, f->n))
		buf_printf(b, "%.17g,%.17g,%.17g", f->v / f->n, f->v, f->n);
	else
		buf_puts(b, ",,");
}

static void print_csv(const struct tabular *t, const char *name, struct buf *b)
{
	char text[NUM_SIZE];

	(void)name;
	for (int c = 0; c < t->ncolumns; c++) {
		const char *k = t->column[c].key;

		buf_printf(b, "%s%s", c ? "," : "", k);
		if (is_kind(t, c, FIG_SHARE))
			buf_printf(b, ",%s_x,%s_n,%s_lo,%s_hi", k, k, k, k);
		if (is_kind(t, c, FIG_PART))
			buf_printf(b, ",%s_x,%s_n", k, k);
	}
	buf_putc(b, '\n');
	for (int r = 0; r < t->nrows; r++) {
		for (int c = 0; c < t->ncolumns; c++) {
			const struct figure *f = figure_at(t, r, c);

			buf_puts(b, c ? "," : "");
			if (is_kind(t, c, FIG_SHARE)) {
				csv_share(b, f);
			} else if (is_kind(t, c, FIG_PART)) {
				csv_part(b, f);
			} else if (f->kind == FIG_TEXT) {
				csv_text(b, f->text);
			} else {
				figure_text(f, NUM_DATA, false, text);
				buf_puts(b, text);
			}
		}
		buf_putc(b, '\n');
	}
}

/* ---- JSON ---- */

static cJSON *number_json(double v)
{
	return isnan(v)   ? cJSON_CreateNull()
	       : isinf(v) ? cJSON_CreateString(v < 0 ? "-inf" : "inf")
	                  : cJSON_CreateNumber(v);
}

static cJSON *figure_json(const struct figure *f)
{
	cJSON *j;
	double lo, hi;

	if (f->kind == FIG_TEXT)
		return cJSON_CreateString(f->text);
	if (f->kind == FIG_COUNT || f->kind == FIG_VALUE)
		return number_json(f->v);
	if (f->kind == FIG_NONE || !num_are_counts(f->v, f->n))
		return cJSON_CreateNull();
	j = cJSON_CreateObject();
	cJSON_AddNumberToObject(j, "x", f->v);
	cJSON_AddNumberToObject(j, "n", f->n);
	cJSON_AddNumberToObject(j, "share", f->v / f->n);
	if (f->kind == FIG_PART)
		return j;
	num_interval(f->v, f->n, &lo, &hi);
	cJSON_AddNumberToObject(j, "lo", lo);
	cJSON_AddNumberToObject(j, "hi", hi);
	return j;
}

static void print_json(const struct tabular *t, const char *name, struct buf *b)
{
	cJSON *root = cJSON_CreateObject(), *rows;
	char *text;

	cJSON_AddStringToObject(root, "table", name);
	rows = cJSON_AddArrayToObject(root, "rows");
	for (int r = 0; r < t->nrows; r++) {
		cJSON *row = cJSON_CreateObject();

		for (int c = 0; c < t->ncolumns; c++)
			cJSON_AddItemToObject(row, t->column[c].key,
			                      figure_json(figure_at(t, r, c)));
		cJSON_AddItemToArray(rows, row);
	}
	text = json_print(root, true);
	buf_puts(b, text);
	buf_putc(b, '\n');
	free(text);
	cJSON_Delete(root);
}

/* ---- macros ---- */

/* "softmax/f32 same" as SoftmaxFThreeTwoSame: names of macros have letters alone. */
static void camel(struct buf *b, const char *s)
{
	static const char *const digits[] = {"Zero", "One", "Two",   "Three", "Four",
	                                     "Five", "Six", "Seven", "Eight", "Nine"};
	bool first = true;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= '0' && c <= '9')
			buf_puts(b, digits[c - '0']);
		else if (c < 0x80 && isalpha(c))
			buf_putc(b, first ? (char)toupper(c) : (char)c);
		first = !(c < 0x80 && isalpha(c));
	}
}

static void macro(struct buf *b, const char *stem, const char *end, const char *value)
{
	buf_printf(b, "\\newcommand{\\%s%s}{%s}\n", stem, end, value);
}

static void figure_macros(struct buf *b, const char *stem, const struct figure *f)
{
	char text[NUM_SIZE];

	figure_text(f, NUM_LATEX, false, text);
	if (!text[0])
		return;
	macro(b, stem, "", text);
	if (f->kind != FIG_SHARE && f->kind != FIG_PART)
		return;
	if (f->kind == FIG_SHARE) {
		figure_text(f, NUM_LATEX, true, text);
		macro(b, stem, "Interval", text);
	}
	macro(b, stem, "Count", num_count(f->v, NUM_LATEX, text));
	macro(b, stem, "Of", num_count(f->n, NUM_LATEX, text));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two rows whose names differ in what macros cannot have would define one macro twice: LaTeX stops.
 * The second is left out, by a comment. */
static bool is_taken(char **names, size_t n, const char *name)
{
	return bsearch(&name, names, n, sizeof *names, by_text) != NULL;
}

static void print_macros(const struct tabular *t, const char *name, struct buf *b)
{
	char **names = mem_zalloc((size_t)t->nrows + 1, sizeof *names);

	buf_printf(b, "%% gpuemu report --table %s --format macros\n", name);
	for (int r = 0; r < t->nrows; r++) {
		struct buf row = {0};

		buf_puts(&row, "gpuemu");
		camel(&row, name);
		for (int c = 0; c < t->nkeys; c++)
			camel(&row, figure_at(t, r, c)->text ? figure_at(t, r, c)->text : "");
		if (is_taken(names, (size_t)r, row.s))
			buf_printf(b, "%% another row is \\%s, too\n", row.s);
		for (int c = t->nkeys; c < t->ncolumns && !is_taken(names, (size_t)r, row.s); c++) {
			struct buf stem = {0};

			buf_puts(&stem, row.s);
			camel(&stem, t->column[c].key);
			figure_macros(b, stem.s, figure_at(t, r, c));
			buf_free(&stem);
		}
		names[r] = row.s;
		qsort(names, (size_t)r + 1, sizeof *names, by_text);
	}
	for (int r = 0; r < t->nrows; r++)
		free(names[r]);
	free(names);
}

const struct tabular_format tabular_formats[] = {
        {"markdown", print_markdown}, {"latex", print_latex},   {"csv", print_csv},
        {"json", print_json},         {"macros", print_macros},
};
const size_t ntabular_formats = ARRAY_LEN(tabular_formats);
