/* tabular.c - the list of tables, and their filling: see tabular.h and report.h. */
#include <stdlib.h>
#include <string.h>

#include "report/tabular.h"

/* ---- columns ---- */

static const struct column summary_columns[] = {
        {"set", "set"},
        {"bench_friendly", "buggy accepted, friendly inputs"},
        {"bench_own", "buggy accepted, KernelBench's own"},
        {"bench_controls", "controls accepted"},
        {"caught", "buggy caught by gpuemu"},
        {"caught_by_value", "by value alone"},
        {"flagged", "controls flagged"},
        {"buggy_cases", "buggy cases flagged"},
        {"control_cases", "control cases flagged"},
        {"unknown", "cases undecided"},
        {"no_power", "cases without power"},
};
static const struct column kernels_columns[] = {
        {"kernel", "kernel"},        {"operator", "operator"},       {"role", "role"},
        {"verdict", "verdict"},      {"expected", "expected"},       {"failed", "cases failing"},
        {"by_value", "by value"},    {"unknown", "undecided"},       {"finding", "finding"},
        {"edges", "branches taken"}, {"lint_errors", "lint errors"},
};
static const struct column checks_columns[] = {
        {"check", "check"},
        {"rule", "rule"},
        {"buggy_friendly", "buggy accepted, friendly inputs"},
        {"buggy_own", "buggy accepted, KernelBench's own"},
        {"controls_friendly", "controls accepted, friendly inputs"},
        {"controls_own", "controls accepted, KernelBench's own"},
};
static const struct column bench_columns[] = {
        {"kernel", "kernel"}, {"check", "check"},       {"input", "input"},
        {"dtype", "type"},    {"accepted", "accepted"}, {"seeds", "seeds"},
};
static const struct column nulls_columns[] = {
        {"set", "set"},
        {"operator", "operator"},
        {"null", "null kernel accepted"},
        {"case", "input"},
};
static const struct column set_policies_columns[] = {
        {"set", "set"},
        {"policy", "tolerance"},
        {"recall", "wrong cases caught"},
        {"false_alarms", "control cases flagged"},
};
static const struct column cells_columns[] = {
        {"op", "operator"},
        {"types", "types"},
        {"family", "numerics"},
        {"group", "group"},
        {"state", "state"},
        {"runs", "runs"},
        {"t", "t"},
        {"slope", "slope in L"},
        {"elements_slope", "slope in M"},
        {"chain", "L to"},
        {"limit", "T there"},
        {"bound", "bound there"},
        {"tightness", "largest r/T"},
        {"power_2", "seen at 2T"},
        {"power_10", "at 10T"},
        {"heldout_over", "held-out runs over"},
        {"rtol", "rtol"},
        {"reason", "loose or refused because"},
};
static const struct column states_columns[] = {
        {"types", "types"},
        {"cells", "cells"},
        {"envelopes", "with an envelope"},
        {"exact", "exact"},
        {"loose", "loose"},
        {"refused", "refused"},
        {"tight", "tight"},
        {"power_10", "full power at 10T"},
};
static const struct column devices_columns[] = {
        {"op", "operator"}, {"types", "types"},      {"family", "numerics"},    {"group", "group"},
        {"first", "T"},     {"second", "T, second"}, {"ratio", "second/first"},
};
static const struct column policies_columns[] = {
        {"policy", "tolerance"},
        {"recall", "wrong cases caught"},
        {"false_alarms", "good cases flagged"},
};
static const struct column strategies_columns[] = {
        {"strategy", "strategy"},
        {"caught", "buggy units caught"},
        {"caught_by_value", "by value alone"},
        {"flagged", "control units flagged"},
        {"buggy_cases", "buggy cases failing"},
        {"control_cases", "control cases flagged"},
};
static const struct column coverage_columns[] = {
        {"kernel", "kernel"},
        {"one_shape_bug_lines", "bug's lines run, one shape"},
        {"campaign_bug_lines", "campaign"},
        {"one_shape_edges", "branches taken, one shape"},
        {"campaign_edges", "campaign"},
        {"one_shape_rejects", "rejected in one shape"},
};
static const struct column mutation_columns[] = {
        {"class", "class of faults"},
        {"caught", "mutants caught"},
        {"by_value", "by value"},
        {"by_finding", "by findings alone"},
        {"endless", "do not end"},
        {"within", "within the tolerance"},
        {"same", "no difference seen"},
        {"not_reached", "not reached"},
        {"undecided", "undecided"},
        {"r_over_t", "largest r/T within"},
        {"friendly", "wrong ones the one-shape check accepts, friendly inputs"},
        {"own", "KernelBench's own"},
};
static const struct column calibration_columns[] = {
        {"figure", "figure"},
        {"share", "share"},
};
static const struct column fidelity_columns[] = {
        {"what", "compared"},
        {"n", "number"},
        {"differ", "differ"},
        {"upper", "95 % upper limit of the share"},
};
static const struct column math_columns[] = {
        {"function", "function"},     {"dtype", "type"},
        {"bound", "NVIDIA's bound"},  {"max_ulp", "max. ulp"},
        {"of_bound", "of the bound"}, {"met", "met"},
};
static const struct column lint_columns[] = {
        {"set", "set"},           {"kernel", "kernel"},         {"rule", "rule"},
        {"severity", "severity"}, {"confidence", "confidence"}, {"places", "places"},
};

static const struct column rules_columns[] = {
        {"rule", "rule"},
        {"bad", "faulty kernels named"},
        {"good", "look-alikes named"},
};
static const struct column twins_columns[] = {
        {"kernel", "kernel"},          {"dtype", "type"},          {"change", "change of the PTX"},
        {"registers", "registers"},    {"registers_twin", "twin"}, {"instructions", "instructions"},
        {"instructions_twin", "twin"},
};

#define COLUMNS(c) c##_columns, (int)ARRAY_LEN(c##_columns)
static const struct tabular_entry entries[] = {
        {"summary", "What the one-shape check and gpuemu say, by set", COLUMNS(summary), 1,
         SRC_EVIDENCE, SRC_COUNT, fill_summary},
        {"kernels", "Every kernel", COLUMNS(kernels), 1, SRC_EVIDENCE, SRC_COUNT, fill_kernels},
        {"checks", "Every published check", COLUMNS(checks), 1, SRC_EVIDENCE, SRC_COUNT,
         fill_checks},
        {"bench", "Every check on every kernel as executed", COLUMNS(bench), 4, SRC_EVIDENCE,
         SRC_COUNT, fill_bench},
        {"nulls", "Null kernels that the one-shape check accepts", COLUMNS(nulls), 3, SRC_EVIDENCE,
         SRC_COUNT, fill_nulls},
        {"set_policies", "Four tolerances on the campaign's cases", COLUMNS(set_policies), 2,
         SRC_EVIDENCE, SRC_COUNT, fill_set_policies},
        {"cells", "Every cell of a tolerance table", COLUMNS(cells), 4, SRC_TABLE, SRC_COUNT,
         fill_cells},
        {"states", "Cells of a tolerance table counted", COLUMNS(states), 1, SRC_TABLE, SRC_COUNT,
         fill_states},
        {"devices", "Two tolerance tables", COLUMNS(devices), 4, SRC_TABLE, SRC_TABLE2,
         fill_devices},
        {"policies", "Tolerance policies on the same cases", COLUMNS(policies), 1, SRC_CALIBRATION,
         SRC_COUNT, fill_policies},
        {"strategies", "The corpus under every strategy of choosing cases", COLUMNS(strategies), 1,
         SRC_STRATEGIES, SRC_COUNT, fill_strategies},
        {"coverage", "What one shape runs of a buggy kernel, and the campaign", COLUMNS(coverage),
         1, SRC_COVERAGE, SRC_COUNT, fill_coverage},
        {"mutation", "Mutants of good kernels by class of faults", COLUMNS(mutation), 1,
         SRC_MUTATION, SRC_COUNT, fill_mutation},
        {"calibration", "Checks of the calibration", COLUMNS(calibration), 1, SRC_CALIBRATION,
         SRC_COUNT, fill_calibration},
        {"fidelity", "The emulator held against hardware", COLUMNS(fidelity), 1, SRC_FIDELITY,
         SRC_COUNT, fill_fidelity},
        {"math", "CUDA's math functions on all inputs", COLUMNS(math), 2, SRC_MATH, SRC_COUNT,
         fill_math},
        {"lint", "Lint findings by kernel and rule", COLUMNS(lint), 3, SRC_LINT, SRC_COUNT,
         fill_lint},
        {"rules", "Lint rules on the kernels made for them", COLUMNS(rules), 1, SRC_LINT, SRC_COUNT,
         fill_rules},
        {"twins", "Machine code of buggy kernels beside their twins", COLUMNS(twins), 2, SRC_LINT,
         SRC_COUNT, fill_twins},
};

/* ---- figures ---- */

static struct figure *next_figure(struct tabular *t, enum figure_kind kind)
{
	struct figure *f;

	if (t->at == 0) {
		if (t->nrows == t->cap) {
			t->cap = t->cap ? 2 * t->cap : 32;
			t->figure = mem_realloc(t->figure, (size_t)t->cap * (size_t)t->ncolumns *
			                                           sizeof *t->figure);
		}
		t->nrows++;
	}
	f = &t->figure[(t->nrows - 1) * t->ncolumns + t->at];
	t->at = (t->at + 1) % t->ncolumns;
	*f = (struct figure){.kind = kind};
	return f;
}

void put_text(struct tabular *t, const char *text)
{
	next_figure(t, FIG_TEXT)->text = mem_strdup(text ? text : "");
}

void put_count(struct tabular *t, double v)
{
	next_figure(t, FIG_COUNT)->v = v;
}

void put_value(struct tabular *t, double v, int digits)
{
	struct figure *f = next_figure(t, FIG_VALUE);

	f->v = v;
	f->digits = digits;
}

void put_share(struct tabular *t, double x, double n)
{
	struct figure *f = next_figure(t, FIG_SHARE);

	f->v = x;
	f->n = n;
}

void put_part(struct tabular *t, double x, double n)
{
	struct figure *f = next_figure(t, FIG_PART);

	f->v = x;
	f->n = n;
}

void put_none(struct tabular *t)
{
	next_figure(t, FIG_NONE);
}

void tabular_free(struct tabular *t)
{
	for (int i = 0; i < t->nrows * t->ncolumns; i++)
		free(t->figure[i].text);
	free(t->figure);
	*t = (struct tabular){0};
}

/* ---- by name: report.h ---- */

static const struct tabular_entry *entry_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		if (strcmp(entries[i].name, name) == 0)
			return &entries[i];
	return NULL;
}

static const char *missing(const struct tabular_entry *k, const struct sources *s)
{
	if (!s->file[k->needs])
		return source_missing(k->needs);
	return k->needs2 < SRC_COUNT && !s->file[k->needs2] ? source_missing(k->needs2) : NULL;
}

static enum st read_input(struct tabular_input *in, char *const *paths, int n, struct err *e)
{
	static const enum source tables[] = {SRC_TABLE, SRC_TABLE2};

	for (int i = 0; i < n; i++)
		TRY(sources_add(&in->src, paths[i], e));
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (in->src.path[tables[i]])
			TRY(tolerance_read(in->src.path[tables[i]], &in->table[i], e));
	return ST_OK;
}

static void free_input(struct tabular_input *in)
{
	sources_free(&in->src);
	for (size_t i = 0; i < ARRAY_LEN(in->table); i++)
		tolerance_free(in->table[i]);
}

static const struct tabular_format *format_of(const char *name)
{
	for (size_t i = 0; i < ntabular_formats; i++)
		if (strcmp(tabular_formats[i].name, name) == 0)
			return &tabular_formats[i];
	return NULL;
}

static void print_one(const struct tabular_entry *k, const struct tabular_input *in,
                      const struct tabular_format *f, struct buf *out)
{
	struct tabular t = {.column = k->column, .ncolumns = k->ncolumns, .nkeys = k->nkeys};

	k->fill(&t, in);
	f->print(&t, k->name, out);
	tabular_free(&t);
}

enum st report_figures(const char *name, const char *format, char *const *paths, int n,
                       struct buf *out, struct err *e)
{
	const struct tabular_entry *k = entry_of(name);
	const struct tabular_format *f = format_of(format);
	struct tabular_input in = {0};
	enum st rc = ST_OK;
	const char *why;

	if (!k)
		return FAIL(e, INPUT, "there is no table '%s'; --list-tables lists them", name);
	if (!f)
		return FAIL(e, INPUT,
		            "unknown format '%s' of a table (markdown, latex, csv, json, macros)",
		            format);
	TRY_OR(done, rc, read_input(&in, paths, n, e));
	if ((why = missing(k, &in.src)) != NULL)
		rc = FAIL(e, INPUT, "the table %s cannot be made: %s", name, why);
	else
		print_one(k, &in, f, out);
done:
	free_input(&in);
	return rc;
}

enum st report_figures_all(const char *dir, char *const *paths, int n, struct err *e)
{
	struct tabular_input in = {0};
	enum st rc;

	TRY_OR(done, rc, dir_make(dir, e));
	TRY_OR(done, rc, read_input(&in, paths, n, e));
	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		for (size_t f = 0; f < ntabular_formats && rc == ST_OK; f++) {
			static const char *const ends[] = {"md", "tex", "csv", "json",
			                                   "macros.tex"};
			struct buf b = {0}, file = {0};
			char *path;

			if (missing(&entries[i], &in.src))
				continue;
			print_one(&entries[i], &in, &tabular_formats[f], &b);
			buf_printf(&file, "%s.%s", entries[i].name, ends[f]);
			path = path_join(dir, file.s);
			rc = file_write(path, b.s ? b.s : "", b.len, e);
			free(path);
			buf_free(&file);
			buf_free(&b);
		}
done:
	free_input(&in);
	return rc;
}

enum st report_figures_list(char *const *paths, int n, struct buf *out, struct err *e)
{
	struct tabular_input in = {0};
	enum st rc;

	TRY_OR(done, rc, read_input(&in, paths, n, e));
	for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
		const char *why = n ? missing(&entries[i], &in.src) : NULL;

		buf_printf(out, "%-12s %s%s%s\n", entries[i].name, entries[i].title,
		           why ? "\n             absent: " : "", why ? why : "");
	}
done:
	free_input(&in);
	return rc;
}
