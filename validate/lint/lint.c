/* lint.c - all rules on all entries of a PTX text; what is allowed; order and counts of findings. */
#include "validate/lint/lint.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

const char *lint_severity_name(enum lint_severity s)
{
	return s == LINT_ERROR ? "error" : s == LINT_WARNING ? "warning" : "note";
}

const char *lint_confidence_name(enum lint_confidence c)
{
	return c == LINT_CONFIRMED ? "confirmed" : c == LINT_PROVED ? "proved" : "possible";
}

/* ---- findings ---- */

/* One finding a rule and place: the first, which is the smallest case, is kept. at: an instruction, the first of its line; NULL: the entry. */
static bool first_there(struct lint_fn *f, const struct lint_rule *rule, const struct ir_insn *at)
{
	uint64_t bit = UINT64_C(1) << (rule - lint_rule_get(0));
	int k = at ? (int)(at - f->f->insn) : f->f->ninsn;
	bool first;

	k = at ? f->line_first[k] : k;
	first = !(f->found[k] & bit);
	f->found[k] |= bit;
	return first;
}

static const int32_t *firsts_of_lines(struct arena *a, const struct ir_func *f)
{
	int32_t *first = arena_alloc(a, sizeof *first * ((size_t)f->ninsn + 1));

	for (int k = 0; k < f->ninsn; k++)
		first[k] = k > 0 && f->insn[k - 1].line == f->insn[k].line ? first[k - 1] : k;
	return first;
}

static int column(const struct ptx_module *m, uint32_t pos)
{
	uint32_t at = pos;

	while (at > 0 && m->text[at - 1] != '\n')
		at--;
	return (int)(pos - at) + 1;
}

static struct lint_finding *new_finding(struct lint_report *r)
{
	if (r->nfindings == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 16;
		r->findings = mem_realloc(r->findings, sizeof *r->findings * (size_t)r->cap);
	}
	return &r->findings[r->nfindings++];
}

void lint_add(struct lint_fn *f, const char *rule, enum lint_severity s, enum lint_confidence c, const struct ir_insn *at,
              const char *fmt, ...)
{
	struct lint_report *r = f->report;
	const struct lint_rule *found = lint_rule_find(rule);
	struct lint_finding *g;
	char msg[700];
	va_list ap;

	if (!first_there(f, found, at) && (at || found->run != rule_unused_parameter))
		return;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	g = new_finding(r);
	*g = (struct lint_finding){.rule = found, .severity = s, .confidence = c, .entry = f->f->name,
	                           .message = arena_strndup(r->arena, msg, strlen(msg)),
	                           .ptx_line = at ? at->line : f->f->line, .ptx_col = at ? column(f->m, at->pos) : 1};
	if (at) {
		g->source_line = at->at_src_line ? at->at_src_line : at->src_line;
		if (at->file > 0 && at->file < f->m->nfile)
			g->source_file = f->m->file[at->at_file ? at->at_file : at->file];
	}
}

static int by_place(const void *a, const void *b)
{
	const struct lint_finding *x = a, *y = b;

	if (x->ptx_line != y->ptx_line)
		return x->ptx_line < y->ptx_line ? -1 : 1;
	return x->rule == y->rule ? strcmp(x->message, y->message) : x->rule < y->rule ? -1 : 1;
}

bool lint_counts(const struct lint_finding *f)
{
	return !f->allowed && !f->dropped;
}

int lint_count(const struct lint_report *r, enum lint_severity s)
{
	int n = 0;

	for (int i = 0; i < r->nfindings; i++)
		n += r->findings[i].severity == s && lint_counts(&r->findings[i]);
	return n;
}

/* ---- one entry ---- */

static void witness_launch_of(void *ctx, const struct witness_launch *l)
{
	struct lint_fn *f = ctx;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	if (threads <= 1024 && (int)threads > f->metrics->threads)
		f->metrics->threads = (int)threads;
	if (l->shared > f->metrics->dynamic_shared)
		f->metrics->dynamic_shared = l->shared;
	if (l->grid[1] > 65535 || l->grid[2] > 65535)
		lint_add(f, "grid-limit", LINT_NOTE, LINT_PROVED, NULL, "a grid of %u,%u,%u with %s: y and z end at 65535", l->grid[0],
		         l->grid[1], l->grid[2], l->text);
	else if (l->grid[0] <= INT32_MAX) /* beyond it nothing is launched */
		witness_run(f, l);
}

/* The program says how many threads a block has (.reqntid): what hangs on that alone is known of every launch. It counts for none, for
 * arguments and grid are not known. */
static void stated_block(struct lint_fn *f)
{
	struct witness_launch l = {.text = ".reqntid", .grid = {1, 1, 1}, .shared = UINT32_MAX, .any_grid = true};
	uint64_t threads = 1;

	for (int i = 0; i < 3; i++) {
		l.block[i] = f->f->reqntid[i] ? f->f->reqntid[i] : 1;
		threads *= l.block[i];
	}
	if (threads > 1024)
		return;
	f->metrics->threads = (int)threads;
	witness_run(f, &l);
	f->report->launches--;
}

static void analyse(struct lint_fn *f, const struct witness_launch *l)
{
	flow_analyse(f);
	defs_analyse(f);
	spread_analyse(f);
	origin_analyse(f);
	if (f->kernel)
		facts_launches(f->kernel, f->f->name, witness_launch_of, f);
	else if (l)
		witness_launch_of(f, l);
	else if (f->f->reqntid[0])
		stated_block(f);
	for (int i = 0; lint_rule_get(i); i++)
		if (lint_rule_get(i)->run)
			lint_rule_get(i)->run(f);
	if (*f->fuel <= 0 && !f->report->unfinished)
		f->report->unfinished = f->f->name;
}

/* ---- metrics ---- */

static void count_insn(struct lint_metrics *m, const struct ir_insn *i)
{
	m->instructions++;
	if (i->op == OP_LD && i->space != MOD_SHARED && i->space != MOD_PARAM)
		m->loads++;
	else if (i->op == OP_ST && i->space != MOD_SHARED)
		m->stores++;
	else if (i->op == OP_LD || i->op == OP_ST)
		m->shared_ops += i->space == MOD_SHARED, m->other += i->space != MOD_SHARED;
	else if (i->op == OP_BRA || i->op == OP_BRX)
		m->branches++;
	else if (i->op == OP_BAR || i->op == OP_BARRIER)
		m->barriers++;
	else if (i->op == OP_ATOM || i->op == OP_RED)
		m->atomics++;
	else if (i->op == OP_SHFL || i->op == OP_VOTE)
		m->shuffles++;
	else if (i->op == OP_EX2 || i->op == OP_LG2 || i->op == OP_RCP || i->op == OP_RSQRT || i->op == OP_SQRT || i->op == OP_SIN ||
	         i->op == OP_COS || i->op == OP_TANH)
		m->special++;
	else if (i->op == OP_LATER || i->op == OP_RET || i->op == OP_EXIT || i->op == OP_MOV || i->op == OP_CVT || i->op == OP_CVTA)
		m->other++;
	else if (ir_ty_class(i->ty[0]) == CL_F)
		m->float_ops++;
	else
		m->integer_ops++;
}

static struct lint_metrics measure(const struct ir_func *f)
{
	struct lint_metrics m = {.entry = f->name, .local_bytes = f->local_bytes};

	for (int k = 0; k < f->ninsn; k++)
		count_insn(&m, &f->insn[k]);
	for (int r = 0; r < f->nreg; r++)
		if (f->reg[r].bits == 1)
			m.predicates++;
		else
			m.registers += f->reg[r].bits > 32 ? f->reg[r].bits / 32 : 1;
	for (int v = 0; v < f->nvar; v++)
		m.shared_bytes += f->var[v].space == MOD_SHARED ? f->var[v].bytes : 0;
	return m;
}

/* ---- what is allowed ---- */

/* Where each line of a text begins; the last is where the text ends. Caller frees. */
static const char **lines_of(const char *text, int *n)
{
	const char **line = mem_alloc(sizeof *line * 2);
	size_t cap = 2;

	*n = 0;
	for (const char *s = text; s; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
		if ((size_t)*n + 2 > cap)
			line = mem_realloc(line, sizeof *line * (cap *= 2));
		line[(*n)++] = s;
	}
	line[*n] = text + strlen(text) + 1;
	return line;
}

/* The reason behind "gpuemu-lint: allow RULE " in text [from, to), or NULL. */
static const char *reason_in(struct arena *a, const char *from, const char *to, const char *rule)
{
	static const char mark[] = "gpuemu-lint: allow ";
	const char *m = memmem(from, (size_t)(to - from), mark, sizeof mark - 1);
	size_t n = strlen(rule), left;

	if (!m)
		return NULL;
	m += sizeof mark - 1;
	left = (size_t)(to - m);
	if (left < n || memcmp(m, rule, n) != 0 || (left > n && m[n] != ' '))
		return NULL;
	for (m += n; m < to && strchr(" :-", *m); m++)
		;
	return m < to ? arena_strndup(a, m, (size_t)(to - m)) : "(no reason given)";
}

/* In line `at` (from 1) or the one before. */
static const char *allowed_by_comment(struct arena *a, const char *const *line, int n, int at, const char *rule)
{
	const char *reason = at >= 1 && at <= n ? reason_in(a, line[at - 1], line[at] - 1, rule) : NULL;

	return reason || at < 2 || at > n ? reason : reason_in(a, line[at - 2], line[at - 1] - 1, rule);
}

static void mark_allowed(struct lint_report *r, const struct kernel *k)
{
	const char **ptx = r->ptx_line = lines_of(r->text, &r->nptx_lines), **source;
	int nptx = r->nptx_lines, nsource;
	const cJSON *allow = k ? cJSON_GetObjectItemCaseSensitive(kernel_manifest(k, "lint"), "allow") : NULL, *j;

	source = r->source_line = lines_of(r->source ? r->source : "", &r->nsource_lines);
	nsource = r->nsource_lines;
	for (int i = 0; i < r->nfindings; i++) {
		struct lint_finding *f = &r->findings[i];

		cJSON_ArrayForEach(j, allow)
			if (strcmp(cJSON_GetObjectItemCaseSensitive(j, "rule")->valuestring, f->rule->id) == 0) {
				const char *reason = cJSON_GetObjectItemCaseSensitive(j, "reason")->valuestring;

				f->allowed = arena_strndup(r->arena, reason, strlen(reason));
			}
		if (!f->allowed)
			f->allowed = allowed_by_comment(r->arena, source, nsource, f->source_line, f->rule->id);
		if (!f->allowed)
			f->allowed = allowed_by_comment(r->arena, ptx, nptx, f->ptx_line, f->rule->id);
	}
}

/* A rule misspelt in lint.allow would allow nothing and say nothing. */
static enum st check_allowed(const struct kernel *k, struct err *e)
{
	const cJSON *j;

	cJSON_ArrayForEach(j, cJSON_GetObjectItemCaseSensitive(kernel_manifest(k, "lint"), "allow"))
	{
		const char *id = cJSON_GetObjectItemCaseSensitive(j, "rule")->valuestring;

		if (!lint_rule_find(id))
			return FAIL(e, INPUT, "%s/kernel.json: lint.allow: there is no rule '%s' (gpuemu lint --list-rules)",
			            kernel_folder(k), id);
	}
	return ST_OK;
}

/* ---- the text ---- */

static const char *launches_assumed(struct lint_report *r, const struct kernel *k, const char *launch)
{
	if (k)
		return arena_printf(r->arena, "%d launches made from the manifest of %s", r->launches, kernel_name(k));
	if (launch)
		return arena_printf(r->arena, "the launch %s", launch);
	return "no launch: any grid and parameters, blocks of up to 1024 threads, of which x is a multiple of 32, pointers that are multiples of 256";
}

static const char *what_was_assumed(struct lint_report *r, const struct kernel *k, const char *launch)
{
	const char *launches = launches_assumed(r, k, launch);

	return !r->unfinished ? launches :
	       arena_printf(r->arena, "%s; not all of %.80s was analysed: it has too many branches, registers or accesses", launches, r->unfinished);
}

/* given: text's module, or NULL. */
static enum st run(const char *text, size_t len, const char *name, const struct lint_options *o, const struct kernel *k,
                   const struct ptx_module *given, struct lint_report **out, struct err *e)
{
	struct lint_report *r = mem_zalloc(1, sizeof *r);
	struct ptx_module *own = NULL;
	const struct ptx_module *m = given;
	struct witness_launch l;
	int done = 0;
	enum st rc;

	r->arena = arena_new();
	r->name = arena_strndup(r->arena, name, strlen(name));
	r->text = arena_strndup(r->arena, text, len);
	r->len = len;
	r->folder = k ? arena_strndup(r->arena, kernel_folder(k), strlen(kernel_folder(k))) : NULL;
	if (k && kernel_ptx_path(k))
		r->ptx_path = arena_strndup(r->arena, kernel_ptx_path(k), strlen(kernel_ptx_path(k)));
	if (k && kernel_source(k)) {
		r->source = arena_strndup(r->arena, kernel_source(k), strlen(kernel_source(k)));
		r->source_path = arena_strndup(r->arena, kernel_source_path(k), strlen(kernel_source_path(k)));
	}
	if (o->launch)
		TRY_OR(done, rc, facts_parse(o->launch, &l, e));
	if (!given) {
		TRY_OR(done, rc, ptx_parse_loose(text, len, name, &own, e));
		m = own;
	}
	r->metrics = mem_zalloc((size_t)m->nfunc + 1, sizeof *r->metrics);
	for (int i = 0; i < m->nfunc; i++) {
		const char *entry = m->func[i].name;
		struct lint_fn f = {.report = r, .m = m, .f = ir_func_copy(r->arena, &m->func[i]), .kernel = k};

		if (!m->func[i].entry || !m->func[i].defined || (o->entry && strcmp(o->entry, entry) != 0))
			continue;
		ir_build_cfg(r->arena, (struct ir_func *)f.f);
		((struct ir_func *)f.f)->name = arena_strndup(r->arena, entry, strlen(entry));
		f.a = r->arena;
		f.found = arena_alloc(r->arena, sizeof *f.found * ((size_t)f.f->ninsn + 1));
		f.line_first = firsts_of_lines(r->arena, f.f);
		f.metrics = &r->metrics[r->nmetrics++];
		*f.metrics = measure(f.f);
		analyse(&f, o->launch ? &l : NULL);
		done++;
	}
	if (done == 0)
		rc = FAIL(e, INPUT, "%s: there is no entry%s%s", name, o->entry ? " named " : "", o->entry ? o->entry : "");
	for (int i = 0; i < r->nfindings; i++) /* files' names are the module's */
		if (r->findings[i].source_file)
			r->findings[i].source_file = arena_strndup(r->arena, r->findings[i].source_file, strlen(r->findings[i].source_file));
	r->assumed = what_was_assumed(r, k, o->launch);
	mark_allowed(r, k);
	if (r->nfindings)
		qsort(r->findings, (size_t)r->nfindings, sizeof *r->findings, by_place);
done:
	if (own)
		ptx_module_free(own);
	if (rc != ST_OK) {
		lint_report_free(r);
		return rc;
	}
	*out = r;
	return ST_OK;
}

enum st lint_text(const char *text, size_t len, const char *name, const struct lint_options *o, struct lint_report **out,
                  struct err *e)
{
	return run(text, len, name, o, NULL, NULL, out, e);
}

enum st lint_kernel(const struct kernel *k, const struct ptx_module *m, struct lint_report **out, struct err *e)
{
	struct lint_options o = {0};
	size_t len = m ? m->len : 0;
	const char *ptx = m ? m->text : kernel_ptx(k, &len);

	TRY(check_allowed(k, e));
	if (!ptx)
		return FAIL(e, INPUT, "%s: no PTX; gpuemu compile makes it", kernel_folder(k));
	return run(ptx, len, kernel_name(k), &o, k, m, out, e);
}

/* ---- machine code ---- */

static void limit(struct lint_report *r, const struct sass *s, const char *rule, enum lint_severity severity, const char *message)
{
	*new_finding(r) = (struct lint_finding){.rule = lint_rule_find(rule), .severity = severity, .confidence = LINT_PROVED,
	                                        .entry = s->entry, .message = message};
}

static void check_limits(struct lint_report *r, const struct sass *s)
{
	int local = s->count[SASS_local_loads] + s->count[SASS_local_stores], threads;
	uint64_t shared;
	struct occupancy o;

	if (local > 0 || s->stack > 0)
		limit(r, s, "local-memory", LINT_NOTE,
		      arena_printf(r->arena, "a stack of %llu bytes a thread, %d loads and %d stores of local memory: spilled registers, or an "
		                   "array indexed by a variable", (unsigned long long)s->stack, s->count[SASS_local_loads],
		                   s->count[SASS_local_stores]));
	lint_block_of(r, s, &threads, &shared);
	if (occupancy_of(s->sm, s->registers, shared, threads, &o) && o.blocks == 0)
		limit(r, s, "resource-limit", LINT_ERROR,
		      arena_printf(r->arena, "a block of %d threads with %d registers each and %llu bytes of shared memory does not fit an SM of "
		                   "sm_%d", threads, s->registers, (unsigned long long)shared, s->sm));
}

void lint_block_of(const struct lint_report *r, const struct sass *s, int *threads, uint64_t *shared)
{
	*threads = s->max_threads ? s->max_threads : 256;
	*shared = s->shared;
	for (int i = 0; i < r->nmetrics; i++)
		if (strcmp(r->metrics[i].entry, s->entry) == 0 && r->metrics[i].threads) {
			*threads = r->metrics[i].threads;
			*shared += r->metrics[i].dynamic_shared;
		}
}

enum st lint_add_cubin(struct lint_report *r, const void *data, size_t n, struct err *e)
{
	TRY(cubin_read(data, n, r->name, r->arena, &r->sass, &r->nsass, e));
	for (int i = 0; i < r->nsass; i++)
		check_limits(r, &r->sass[i]);
	return ST_OK;
}

enum st lint_cubin(const void *data, size_t n, const char *name, struct lint_report **out, struct err *e)
{
	struct lint_report *r = mem_zalloc(1, sizeof *r);
	enum st rc;

	r->arena = arena_new();
	r->name = arena_strndup(r->arena, name, strlen(name));
	r->text = "";
	r->assumed = "machine code: sizes alone";
	rc = lint_add_cubin(r, data, n, e);
	if (rc == ST_OK)
		*out = r;
	else
		lint_report_free(r);
	return rc;
}

enum st lint_compile(const struct kernel *k, int sm, char **data, size_t *n, struct err *e)
{
	struct nvrtc_input in = {.name = kernel_name(k)};
	char *text;
	enum st rc;

	if (!kernel_source(k))
		return FAIL(e, INPUT, "%s: there is no source to compile; lint a cubin that ptxas makes of its PTX instead", kernel_folder(k));
	text = kernel_compile_text(k);
	in.source = text;
	in.noptions = kernel_options(k, &in.options);
	in.ninclude_dirs = kernel_include_dirs(k, &in.include_dirs);
	rc = nvrtc_cubin(&in, sm, data, n, e);
	free(text);
	return rc;
}

void lint_report_free(struct lint_report *r)
{
	if (!r)
		return;
	free(r->findings);
	free(r->metrics);
	free(r->ptx_line);
	free(r->source_line);
	arena_free(r->arena);
	free(r);
}
