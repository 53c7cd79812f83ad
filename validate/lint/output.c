/* output.c - findings for people, for programs and for hosts of code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/lint.h"

/* ---- text ---- */

/* Line `line` of the source or of the PTX; NULL: there is none. */
static const char *find_line(const struct lint_report *r, bool source, int line, int *len)
{
	const char **lines = source ? r->source_line : r->ptx_line;

	*len = 0;
	if (!lines || line < 1 || line > (source ? r->nsource_lines : r->nptx_lines))
		return NULL;
	*len = (int)strcspn(lines[line - 1], "\n");
	return lines[line - 1];
}

static void excerpt(struct buf *b, const struct lint_report *r, bool source, int line, int col)
{
	int len;
	const char *s = find_line(r, source, line, &len);

	if (!s || len == 0)
		return;
	buf_printf(b, "%6d | ", line);
	for (int i = 0; i < len && i < 120; i++)
		buf_putc(b, s[i] == '\t' ? ' ' : s[i]);
	if (col == 0)
		for (col = 1; col <= len && (s[col - 1] == '\t' || s[col - 1] == ' '); col++)
			;
	buf_printf(b, "\n       | %*s\n", col, "^");
}

static void print_finding(struct buf *b, const struct lint_report *r, const struct lint_finding *f)
{
	if (f->source_line && r->source)
		buf_printf(b, "%s:%d: ", r->source_path, f->source_line);
	else if (f->ptx_line)
		buf_printf(b, "%s:%d:%d: ", r->name, f->ptx_line, f->ptx_col);
	else
		buf_printf(b, "%s: ", r->name);
	buf_printf(b, "%s: %s [%s, %s]\n", lint_severity_name(f->severity), f->message, f->rule->id, lint_confidence_name(f->confidence));
	if (f->source_line && r->source)
		excerpt(b, r, true, f->source_line, 0);
	if (f->ptx_line)
		excerpt(b, r, false, f->ptx_line, f->ptx_col);
	buf_printf(b, "         in %s\n", f->entry);
	if (f->kase) {
		buf_puts(b, "         gpuemu replay ");
		buf_shell(b, r->folder);
		buf_printf(b, " '%s'\n", f->kase);
	}
	if (f->severity > LINT_NOTE && f->rule->hint[0])
		buf_printf(b, "         hint: %s\n", f->rule->hint);
}

void lint_print_text(struct buf *b, const struct lint_report *r, bool notes)
{
	int allowed = 0, dropped = 0;

	for (int i = 0; i < r->nfindings; i++) {
		allowed += r->findings[i].allowed != NULL;
		dropped += r->findings[i].dropped != NULL;
		if (lint_counts(&r->findings[i]) && (notes || r->findings[i].severity > LINT_NOTE))
			print_finding(b, r, &r->findings[i]);
	}
	buf_printf(b, "%s: %d errors, %d warnings, %d notes", r->name, lint_count(r, LINT_ERROR), lint_count(r, LINT_WARNING),
	           lint_count(r, LINT_NOTE));
	if (allowed)
		buf_printf(b, ", %d allowed", allowed);
	if (dropped)
		buf_printf(b, ", %d dropped after %d runs", dropped, r->runs);
	buf_printf(b, " (%s)\n", r->assumed);
}

static void print_sass(struct buf *b, const struct lint_report *r, const struct sass *s)
{
	struct occupancy o;
	uint64_t shared;
	int threads;

	buf_printf(b, "  %-40s sm_%d: %d registers, %d barriers, %d instructions:", s->entry, s->sm, s->registers, s->barriers,
	           s->instructions);
	for (int k = 0; k < SASS_KINDS; k++)
		if (s->count[k])
			buf_printf(b, " %s %d,", sass_kind_name((enum sass_kind)k), s->count[k]);
	buf_printf(b, " others; %llu B stack, %llu B shared, %llu B parameters, %llu B constants\n", (unsigned long long)s->stack,
	           (unsigned long long)s->shared, (unsigned long long)s->params, (unsigned long long)s->constant);
	if (r->disassembled_by) {
		buf_printf(b, "    by %s:", r->disassembled_by);
		for (int k = 0; k < s->nmnemonics; k++)
			buf_printf(b, "%s %s %d", k ? "," : "", s->mnemonic[k].name, s->mnemonic[k].n);
		buf_putc(b, '\n');
	}
	lint_block_of(r, s, &threads, &shared);
	buf_printf(b, "    blocks an SM, of %d threads and %llu B:", threads, (unsigned long long)shared);
	for (int i = 0; occupancy_sm(i); i++)
		if (occupancy_of(occupancy_sm(i), s->registers, shared, threads, &o))
			buf_printf(b, "%s sm_%d %d (%d %%, %s)", i ? "," : "", occupancy_sm(i), o.blocks, 100 * o.warps / o.max_warps, o.limit);
	buf_putc(b, '\n');
}

void lint_print_metrics(struct buf *b, const struct lint_report *r)
{
	for (int i = 0; i < r->nmetrics; i++) {
		const struct lint_metrics *m = &r->metrics[i];

		buf_printf(b, "  %-40s %5d instructions: %d float, %d integer, %d special, %d loads, %d stores, %d shared, %d branches, "
		              "%d barriers, %d exchanges, %d atomics; %d registers named, %llu B shared, %llu B local\n", m->entry,
		           m->instructions, m->float_ops, m->integer_ops, m->special, m->loads, m->stores, m->shared_ops, m->branches,
		           m->barriers, m->shuffles, m->atomics, m->registers, (unsigned long long)m->shared_bytes,
		           (unsigned long long)m->local_bytes);
	}
	for (int i = 0; i < r->nsass; i++)
		print_sass(b, r, &r->sass[i]);
}

static void paragraph(struct buf *b, const char *indent, const char *text)
{
	size_t col = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (col && col + n > 96) {
			buf_putc(b, '\n');
			col = 0;
		}
		buf_puts(b, col ? " " : indent);
		buf_add(b, text, n);
		col += n + 1;
		text += n + (text[n] == ' ');
	}
	buf_putc(b, '\n');
}

void lint_explain(struct buf *b, const struct lint_rule *r)
{
	buf_printf(b, "%s (%s): %s\n\n", r->id, lint_severity_name(r->severity), r->title);
	paragraph(b, "", r->explanation);
	buf_printf(b, "\n    %s\n", r->example);
	if (r->hint[0]) {
		buf_puts(b, "\nMend: ");
		paragraph(b, "", r->hint);
	}
}

/* ---- JSON ---- */

static cJSON *finding_json(const struct lint_report *r, const struct lint_finding *f)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "rule", f->rule->id);
	cJSON_AddStringToObject(j, "severity", lint_severity_name(f->severity));
	cJSON_AddStringToObject(j, "confidence", lint_confidence_name(f->confidence));
	cJSON_AddStringToObject(j, "message", f->message);
	cJSON_AddStringToObject(j, "kernel", r->name);
	cJSON_AddStringToObject(j, "entry", f->entry);
	cJSON_AddNumberToObject(j, "ptx_line", f->ptx_line);
	cJSON_AddNumberToObject(j, "ptx_column", f->ptx_col);
	cJSON_AddNumberToObject(j, "source_line", f->source_line);
	if (f->source_file)
		cJSON_AddStringToObject(j, "source_file", r->source_path ? r->source_path : f->source_file);
	if (f->allowed)
		cJSON_AddStringToObject(j, "allowed", f->allowed);
	if (f->dropped)
		cJSON_AddStringToObject(j, "dropped", f->dropped);
	if (f->kase)
		cJSON_AddStringToObject(j, "case", f->kase);
	return j;
}

/* How many of each severity, what was assumed, and what runs made of it. */
static void add_counts(cJSON *j, const struct lint_report *r)
{
	int confirmed = 0, dropped = 0;

	cJSON_AddNumberToObject(j, "errors", lint_count(r, LINT_ERROR));
	cJSON_AddNumberToObject(j, "warnings", lint_count(r, LINT_WARNING));
	cJSON_AddNumberToObject(j, "notes", lint_count(r, LINT_NOTE));
	cJSON_AddStringToObject(j, "assumed", r->assumed);
	for (int i = 0; i < r->nfindings; i++) {
		confirmed += r->findings[i].confidence == LINT_CONFIRMED;
		dropped += r->findings[i].dropped != NULL;
	}
	cJSON_AddNumberToObject(j, "runs", r->runs);
	cJSON_AddNumberToObject(j, "confirmed", confirmed);
	cJSON_AddNumberToObject(j, "dropped", dropped);
}

static cJSON *metrics_json(const struct lint_metrics *m)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "entry", m->entry);
#define N(field) cJSON_AddNumberToObject(j, #field, (double)m->field)
	N(instructions), N(registers), N(predicates), N(loads), N(stores), N(shared_ops), N(float_ops), N(integer_ops), N(branches);
	N(barriers), N(atomics), N(shuffles), N(special), N(other), N(shared_bytes), N(local_bytes);
#undef N
	return j;
}

static void add_metrics(cJSON *j, const struct lint_report *r)
{
	cJSON *list = cJSON_AddArrayToObject(j, "metrics");

	for (int i = 0; i < r->nmetrics; i++)
		cJSON_AddItemToArray(list, metrics_json(&r->metrics[i]));
}

cJSON *lint_report_json(const struct lint_report *r)
{
	cJSON *j = cJSON_CreateObject(), *list;

	add_counts(j, r);
	list = cJSON_AddArrayToObject(j, "findings");
	for (int i = 0; i < r->nfindings; i++)
		cJSON_AddItemToArray(list, finding_json(r, &r->findings[i]));
	add_metrics(j, r);
	return j;
}

static cJSON *occupancy_json(int sm, const struct occupancy *o)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddNumberToObject(j, "sm", sm);
	cJSON_AddNumberToObject(j, "blocks", o->blocks);
	cJSON_AddNumberToObject(j, "warps", o->warps);
	cJSON_AddNumberToObject(j, "max_warps", o->max_warps);
	cJSON_AddStringToObject(j, "limit", o->limit);
	return j;
}

static cJSON *sass_json(const struct lint_report *r, const struct sass *s)
{
	cJSON *j = cJSON_CreateObject(), *list;
	struct occupancy o;
	uint64_t shared;
	int threads;

	lint_block_of(r, s, &threads, &shared);
	cJSON_AddStringToObject(j, "entry", s->entry);
	cJSON_AddNumberToObject(j, "sm", s->sm);
	cJSON_AddNumberToObject(j, "registers", s->registers);
	cJSON_AddNumberToObject(j, "barriers", s->barriers);
	cJSON_AddNumberToObject(j, "instructions", s->instructions);
	for (int k = 0; k < SASS_KINDS; k++)
		cJSON_AddNumberToObject(j, sass_kind_name((enum sass_kind)k), s->count[k]);
	if (r->disassembled_by) {
		list = cJSON_AddObjectToObject(j, "mnemonics");
		for (int k = 0; k < s->nmnemonics; k++)
			cJSON_AddNumberToObject(list, s->mnemonic[k].name, s->mnemonic[k].n);
	}
	cJSON_AddNumberToObject(j, "stack_bytes", (double)s->stack);
	cJSON_AddNumberToObject(j, "shared_bytes", (double)s->shared);
	cJSON_AddNumberToObject(j, "param_bytes", (double)s->params);
	cJSON_AddNumberToObject(j, "constant_bytes", (double)s->constant);
	cJSON_AddNumberToObject(j, "block_threads", threads);
	cJSON_AddNumberToObject(j, "block_shared_bytes", (double)shared);
	list = cJSON_AddArrayToObject(j, "occupancy");
	for (int i = 0; occupancy_sm(i); i++)
		if (occupancy_of(occupancy_sm(i), s->registers, shared, threads, &o))
			cJSON_AddItemToArray(list, occupancy_json(occupancy_sm(i), &o));
	return j;
}

cJSON *lint_json(struct lint_report *const *reports, int n)
{
	cJSON *j = cJSON_CreateObject(), *findings, *kernels, *s;
	int errors = 0, warnings = 0, notes = 0;

	cJSON_AddStringToObject(j, "schema", "gpuemu-lint/1");
	cJSON_AddStringToObject(j, "version", gpuemu_version);
	findings = cJSON_AddArrayToObject(j, "findings");
	kernels = cJSON_AddArrayToObject(j, "kernels");
	for (int k = 0; k < n; k++) {
		const struct lint_report *r = reports[k];
		cJSON *kj = cJSON_CreateObject(), *list;

		for (int i = 0; i < r->nfindings; i++)
			cJSON_AddItemToArray(findings, finding_json(r, &r->findings[i]));
		cJSON_AddStringToObject(kj, "name", r->name);
		add_counts(kj, r);
		add_metrics(kj, r);
		list = r->nsass ? cJSON_AddArrayToObject(kj, "sass") : NULL;
		for (int i = 0; i < r->nsass; i++)
			cJSON_AddItemToArray(list, sass_json(r, &r->sass[i]));
		cJSON_AddItemToArray(kernels, kj);
		errors += lint_count(r, LINT_ERROR);
		warnings += lint_count(r, LINT_WARNING);
		notes += lint_count(r, LINT_NOTE);
	}
	s = cJSON_AddObjectToObject(j, "summary");
	cJSON_AddNumberToObject(s, "kernels", n);
	cJSON_AddNumberToObject(s, "errors", errors);
	cJSON_AddNumberToObject(s, "warnings", warnings);
	cJSON_AddNumberToObject(s, "notes", notes);
	return j;
}

/* ---- hosts of code ---- */

struct sarif_rule lint_sarif_rule(const struct lint_rule *r)
{
	return (struct sarif_rule){.id = r->id, .level = lint_severity_name(r->severity), .title = r->title, .text = r->explanation,
	                           .help = r->hint};
}

/* Where a host shows a finding: in the source, else in the PTX. */
struct place {
	const char *path;
	int line, column;
};

static struct place place_of(const struct lint_report *r, const struct lint_finding *f)
{
	if (f->source_line && r->source_path)
		return (struct place){r->source_path, f->source_line, 0};
	return (struct place){r->ptx_path ? r->ptx_path : r->name, f->ptx_line, f->ptx_col};
}

/* The entry and the text of the line, which stay when lines are added above. */
static void put_place(struct buf *b, const struct lint_report *r, const struct lint_finding *f)
{
	bool source = f->source_line && r->source;
	int len = 0;
	const char *s = find_line(r, source, source ? f->source_line : f->ptx_line, &len);

	for (; len > 0 && (*s == ' ' || *s == '\t'); s++)
		len--;
	/* as ev_place (report/read.h) has it: both logs of a finding have one fingerprint */
	buf_printf(b, "%s%s", f->entry, len > 0 ? ": " : "");
	buf_add(b, s ? s : "", (size_t)len);
}

static void add_result(struct sarif *log, const struct lint_report *r, const struct lint_finding *f)
{
	struct place at = place_of(r, f);
	struct buf place = {0};
	cJSON *p = cJSON_CreateObject();

	cJSON_AddStringToObject(p, "confidence", lint_confidence_name(f->confidence));
	cJSON_AddStringToObject(p, "entry", f->entry);
	cJSON_AddNumberToObject(p, "ptxLine", f->ptx_line);
	if (f->kase)
		cJSON_AddStringToObject(p, "case", f->kase);
	put_place(&place, r, f);
	sarif_add(log, &(struct sarif_result){.rule = f->rule->id, .level = lint_severity_name(f->severity), .message = f->message,
	                                      .path = at.path, .line = at.line, .column = at.column, .place = place.s,
	                                      .allowed = f->allowed, .dropped = f->dropped, .properties = p});
	buf_free(&place);
}

cJSON *lint_sarif(struct lint_report *const *reports, int n)
{
	struct sarif *log = sarif_new();

	for (int i = 0; lint_rule_get(i); i++) {
		struct sarif_rule rule = lint_sarif_rule(lint_rule_get(i));

		sarif_add_rule(log, &rule);
	}
	for (int k = 0; k < n; k++)
		for (int i = 0; i < reports[k]->nfindings; i++)
			add_result(log, reports[k], &reports[k]->findings[i]);
	return sarif_end(log);
}

void lint_print_github(struct buf *b, const struct lint_report *r)
{
	for (int i = 0; i < r->nfindings; i++) {
		const struct lint_finding *f = &r->findings[i];
		struct place at = place_of(r, f);
		struct buf text = {0};

		if (!lint_counts(f))
			continue;
		buf_printf(&text, "%s (%s)", f->message, lint_confidence_name(f->confidence));
		host_annotation(b, f->severity == LINT_NOTE ? "notice" : lint_severity_name(f->severity), at.path, at.line, f->rule->id, text.s);
		buf_free(&text);
	}
}
