/* emu.c - the device "emu": modules and runs on the PTX emulator. */
#include "device/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUDGET ((uint64_t)1 << 34)

/* An entry that cannot be lowered is an error when it is run, not before: others still can be. */
struct entry {
	const char *name;
	struct ptx_program *program; /* NULL: failed */
	struct err failed;
};
struct emu_module {
	struct dev_module base;
	int n;
	struct entry *entries;
};

/* ---- modules ---- */

static enum st emu_load(struct device *d, const char *ptx, size_t len, const char *name,
                        struct dev_module **out, struct err *e)
{
	struct ptx_module *parsed;
	struct emu_module *m;

	TRY(ptx_parse(ptx, len, name, &parsed, e));
	m = mem_zalloc(1, sizeof *m);
	m->base = (struct dev_module){d->backend, parsed};
	m->n = ptx_entry_count(parsed);
	m->entries = mem_zalloc((size_t)m->n + 1, sizeof *m->entries);
	for (int i = 0; i < m->n; i++) {
		struct entry *t = &m->entries[i];

		t->name = ptx_entry_name(parsed, i);
		if (ptx_lower(parsed, t->name, NULL, &t->program, &t->failed) != ST_OK)
			t->program = NULL;
	}
	*out = &m->base;
	return ST_OK;
}

static void emu_unload(struct dev_module *base)
{
	struct emu_module *m = (struct emu_module *)base;

	for (int i = 0; i < m->n; i++)
		ptx_program_free(m->entries[i].program);
	free(m->entries);
	ptx_module_free(base->ptx);
	free(m);
}

static const struct ptx_program *emu_program(const struct dev_module *m, int entry)
{
	return ((const struct emu_module *)m)->entries[entry].program;
}

static enum st find_entry(const struct emu_module *m, const char *name, int *index, struct err *e)
{
	struct buf known = {0};

	for (int i = 0; i < m->n; i++) {
		const struct entry *t = &m->entries[i];

		buf_printf(&known, "%s%s", i ? ", " : "", t->name);
		if (strcmp(t->name, name) != 0)
			continue;
		buf_free(&known);
		*index = i;
		return t->program ? ST_OK
		                  : err_set(e, t->failed.code, t->failed.file, t->failed.line, "%s",
		                            t->failed.msg);
	}
	FAIL(e, INPUT, "the PTX has no entry '%s'; it has %s", name, known.s ? known.s : "none");
	buf_free(&known);
	return e->code;
}

/* ---- running ---- */

static enum st emu_run(const struct dev_module *base, const struct run_plan *plan,
                       const struct dev_run_options *o, struct run_report *r, struct err *e)
{
	const struct emu_module *m = (const struct emu_module *)base;
	uint64_t budget = o->budget ? o->budget : DEFAULT_BUDGET;

	r->complete = true;
	for (int i = 0; i < plan->nlaunches && r->complete; i++) {
		const struct run_launch *l = &plan->launches[i];
		struct ptx_run_options po = {.sanitize = o->sanitize, .order_seed = o->order_seed};
		int entry = 0;

		if (grid_is_empty(l))
			continue;
		TRY(find_entry(m, l->entry, &entry, e));
		/* Even a spent budget lets a launch begin, so that the finding names the entry. */
		uint64_t spent = 32 * r->warp_instructions;
		po.budget = budget > spent ? budget - spent : 1;
		po.coverage = dev_coverage_entry(o->coverage, entry);
		TRY(ptx_run(m->entries[entry].program, l, plan->buffers, plan->nbuffers, &po, r,
		            e));
	}
	return ST_OK;
}

/* ---- the device ---- */

static void emu_close(struct device *d)
{
	free(d);
}

enum st emu_open(const char *name, struct device **out, struct err *e)
{
	static const struct backend backend = {true,       emu_close,   emu_load,
	                                       emu_unload, emu_program, emu_run, NULL};

	(void)name, (void)e;
	*out = mem_zalloc(1, sizeof **out);
	**out = (struct device){&backend, "emu", "sm_90 in software (reference H200)"};
	return ST_OK;
}
