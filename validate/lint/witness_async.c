/* witness_async.c - cp.async and ldmatrix in the witness engine.
 *
 * A copy may write at any time from where it is started until its thread's wait for its group returns (PTX ISA, "cp.async.wait_group": all but the
 * latest N committed groups are done). So it counts as a write in every interval between barriers that this time touches: an access of another warp
 * in one of them is not ordered, nor is one of the thread's own before the wait. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/witness.h"

#define MAX_INTERVALS 64 /* of one copy that are looked at */
#define MAX_COPIES 4096  /* of a thread that are under way: others are not looked at */

static bool is_copy(const struct lint_fn *f, const struct ir_insn *i)
{
	return insn_is(f, i, "cp.async.ca.") || insn_is(f, i, "cp.async.cg.");
}

/* Instructions that order nothing but what is modelled here. */
bool witness_knows(const struct lint_fn *f, const struct ir_insn *i)
{
	return is_copy(f, i) || insn_is(f, i, "cp.async.commit_group") || insn_is(f, i, "cp.async.wait_group") ||
	       insn_is(f, i, "cp.async.wait_all") || insn_is(f, i, "ldmatrix.") || insn_is(f, i, "mma.");
}

/* Operand k behind the first, as ptx_parse_loose keeps it; NULL: there is none. */
static const struct ir_opnd *operand(const struct ir_insn *i, int k)
{
	return i->src[0].kind == OPND_VEC && k < i->src[0].n ? &i->src[0].elem[k] : NULL;
}

/* ---- copies ---- */

static void start(struct witness *w, const struct ir_insn *i)
{
	const struct ir_opnd *to = operand(i, 0), *from = operand(i, 1), *size = operand(i, 2), *given = operand(i, 3);
	struct wval shared, global;
	int bytes, read;

	if (!to || !from || !size || to->kind != OPND_ADDR || from->kind != OPND_ADDR || size->kind != OPND_IMM)
		return;
	bytes = (int)(size->imm & 31);
	read = bytes;
	if (given) { /* bytes that are read, the others are zero; or a predicate */
		struct wval n = witness_operand(w, given, 32);

		read = n.known && (given->kind == OPND_IMM || w->f->f->reg[given->reg].bits == 32) && n.v <= (uint64_t)bytes ? (int)n.v : 0;
	}
	global = witness_address(w, from);
	if (global.known && read > 0)
		witness_global(w, i, global, read, false);
	shared = witness_address(w, to);
	if (!shared.known || bytes == 0 || w->ncopy == MAX_COPIES)
		return;
	if (w->ncopy == w->cap_copy) {
		w->cap_copy = w->cap_copy ? 2 * w->cap_copy : 64;
		w->copy = mem_realloc(w->copy, sizeof *w->copy * (size_t)w->cap_copy);
	}
	w->copy[w->ncopy++] = (struct wcopy){shared, bytes, (int32_t)(i - w->f->f->insn), w->interval, -1};
}

static void commit(struct witness *w)
{
	for (int k = 0; k < w->ncopy; k++)
		if (w->copy[k].group < 0)
			w->copy[k].group = w->ngroups;
	w->ngroups++;
}

static void finish(struct witness *w, const struct wcopy *c)
{
	int now = w->interval;

	for (int at = c->start; at <= now && at - c->start < MAX_INTERVALS; at++) {
		w->interval = at;
		w->late = at > c->start;
		witness_shared(w, &w->f->f->insn[c->insn], c->address, c->bytes, W_WRITE, (struct wval){0});
	}
	w->late = false;
	w->interval = now;
}

/* Copies of groups before `group` are done; with all: those of no group as well. */
static void retire(struct witness *w, int group, bool all)
{
	struct wcopy *pending = w->copy;
	int n = w->ncopy, kept = 0;

	w->ncopy = 0; /* they are not in the way of their own writes */
	for (int k = 0; k < n; k++)
		if (all || (pending[k].group >= 0 && pending[k].group < group))
			finish(w, &pending[k]);
		else
			pending[kept++] = pending[k];
	w->ncopy = kept;
}

void witness_thread_ends(struct witness *w)
{
	retire(w, 0, true);
	w->ngroups = 0;
}

/* A thread's own access to what its copy has not been waited for. */
void witness_own_copies(struct witness *w, const struct ir_insn *i, uint64_t address, int bytes, bool writes)
{
	for (int k = 0; k < w->ncopy; k++) {
		const struct wcopy *c = &w->copy[k];
		uint64_t to = c->address.v & 0xffffffff;
		char where[160];

		if (address + (uint64_t)bytes <= to || to + (uint64_t)c->bytes <= address)
			continue;
		witness_where(w, where);
		lint_add(w->f, writes ? "async-reuse" : "async-no-wait", LINT_ERROR, LINT_PROVED, i,
		         "%s shared memory that the thread's own cp.async at PTX line %d may still be filling: no wait between covers it: with %s",
		         writes ? "stores to" : "reads", w->f->f->insn[c->insn].line, where);
		return;
	}
}

/* ---- ldmatrix: lanes 0 to 8 times the number of matrices give the address of a row of 16 bytes ---- */

static void matrix(struct witness *w, const struct ir_insn *i)
{
	char text[64];
	int rows;

	insn_text(w->f, i, text, sizeof text);
	rows = strstr(text, ".x4") ? 32 : strstr(text, ".x2") ? 16 : 8;
	for (int k = 0; w->tid % 32 < rows && operand(i, k); k++) {
		const struct ir_opnd *o = operand(i, k);
		struct wval a = o->kind == OPND_ADDR ? witness_address(w, o) : (struct wval){0};

		if (a.known)
			witness_shared(w, i, a, 16, W_READ, (struct wval){0});
	}
}

/* Returns true when the registers that i names are not written. */
bool witness_later(struct witness *w, const struct ir_insn *i)
{
	const struct lint_fn *f = w->f;

	if (insn_is(f, i, "ldmatrix."))
		matrix(w, i);
	else if (is_copy(f, i))
		start(w, i);
	else if (insn_is(f, i, "cp.async.commit_group"))
		commit(w);
	else if (insn_is(f, i, "cp.async.wait_all"))
		retire(w, 0, true);
	else if (insn_is(f, i, "cp.async.wait_group") && operand(i, 0) && operand(i, 0)->kind == OPND_IMM)
		retire(w, w->ngroups - (int)(operand(i, 0)->imm & 0xffff), false);
	return insn_is(f, i, "cp.async.");
}
