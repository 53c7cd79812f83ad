/* witness_check.c - what the witness engine holds each access, shuffle and barrier against. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/witness.h"

void witness_where(const struct witness *w, char out[160])
{
	snprintf(out, 160, "%.80s, block %u,%u,%u thread %u,%u,%u", w->l->text, w->block[0], w->block[1], w->block[2],
	         w->thread[0], w->thread[1], w->thread[2]);
}

static void thread_name(const struct witness *w, int tid, char out[40])
{
	uint32_t x = w->l->block[0], y = w->l->block[1];

	snprintf(out, 40, "%u,%u,%u", (uint32_t)tid % x, (uint32_t)tid / x % y, (uint32_t)tid / x / y);
}

/* ---- global memory ---- */

static bool all_valid(const struct witness_buffer *b, uint64_t from, int bytes)
{
	for (int k = 0; b->valid && k < bytes; k++)
		if (!(b->valid[(from + (uint64_t)k) >> 3] >> ((from + (uint64_t)k) & 7) & 1))
			return false;
	return true;
}

void witness_global(struct witness *w, const struct ir_insn *i, struct wval address, int bytes, bool writes)
{
	uint64_t index = (address.v + (UINT64_C(1) << 43)) >> 44;
	const struct witness_buffer *b;
	int64_t at;
	char where[160];

	if (index == 0 || index > (uint64_t)w->l->nbuffers)
		return;
	b = &w->l->buffer[index - 1];
	at = (int64_t)(address.v - WITNESS_BASE(index - 1));
	witness_where(w, where);
	if (address.v != (uint64_t)address.ideal) {
		lint_add(w->f, "index-overflow", LINT_ERROR, LINT_PROVED, i,
		         "a 32-bit index of %s overflows: with %s the address is element %" PRId64 " where %" PRId64
		         " is meant", b->name, where, at / b->element,
		         (address.ideal - (int64_t)WITNESS_BASE(index - 1)) / b->element);
		return;
	}
	if (at < 0 || (uint64_t)at + (uint64_t)bytes > b->bytes)
		lint_add(w->f, "unguarded-global-access", LINT_ERROR, LINT_PROVED, i,
		         "%s %d byte%s at element %" PRId64 " of %s, which has %" PRIu64 ": with %s", writes ? "writes" : "reads",
		         bytes, bytes == 1 ? "" : "s", at < 0 ? -((-at + b->element - 1) / b->element) : at / b->element, b->name,
		         b->bytes / (uint64_t)b->element, where);
	else if (!all_valid(b, (uint64_t)at, bytes))
		lint_add(w->f, "unguarded-global-access", LINT_ERROR, LINT_PROVED, i,
		         "%s element %" PRId64 " of the storage of %s, which lies between its rows: with %s",
		         writes ? "writes" : "reads", at / b->element, b->name, where);
	else if (writes && !b->writable)
		lint_add(w->f, "input-written", LINT_ERROR, LINT_PROVED, i, "writes to element %" PRId64 " of the input %s: with %s",
		         at / b->element, b->name, where);
	if (at % bytes)
		lint_add(w->f, "misaligned-vector", LINT_ERROR, LINT_PROVED, i,
		         "an access of %d bytes at byte %" PRId64 " of %s, which is no multiple of %d: with %s", bytes, at, b->name,
		         bytes, where);
}

/* ---- shared memory: two warps, one granule, one interval, a write among them ---- */

#define MAX_CELLS ((size_t)1 << 21) /* of a block, 150 MB: what comes behind them is not looked at */

static struct wshared *find(struct wshared *table, size_t cap, uint64_t key)
{
	size_t h = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cap - 1);

	while (table[h].key && table[h].key != key)
		h = (h + 1) & (cap - 1);
	return &table[h];
}

static struct wshared *cell(struct witness *w, uint64_t key)
{
	struct wshared *c;

	if (2 * (w->ntable + 1) > w->cap_table) {
		size_t cap = w->cap_table ? 2 * w->cap_table : 4096;
		struct wshared *more = mem_zalloc(cap, sizeof *more);

		for (size_t i = 0; i < w->cap_table; i++)
			if (w->table[i].key)
				*find(more, cap, w->table[i].key) = w->table[i];
		free(w->table);
		w->table = more;
		w->cap_table = cap;
	}
	c = find(w->table, w->cap_table, key);
	if (!c->key) {
		*c = (struct wshared){.key = key};
		for (int k = 0; k < W_KINDS; k++)
			c->by[k][0].thread = c->by[k][1].thread = -1;
		w->ntable++;
	}
	return c;
}

/* Keeps a thread of each of two warps. */
static void keep(struct waccessor by[2], int tid, int at)
{
	int k = by[0].thread < 0 ? 0 : by[1].thread < 0 && by[0].thread / 32 != tid / 32 ? 1 : -1;

	if (k >= 0)
		by[k] = (struct waccessor){tid, at};
}

static const struct waccessor *other_warp(const struct waccessor by[2], int tid)
{
	for (int k = 0; k < 2; k++)
		if (by[k].thread >= 0 && by[k].thread / 32 != tid / 32)
			return &by[k];
	return NULL;
}

static const char *const does[W_KINDS] = {"reads", "writes", "adds to"};

/* late: the write of the two is of a copy that was started before the last barrier. */
static void race(struct witness *w, const struct ir_insn *i, enum waccess how, const struct waccessor *by, enum waccess other, bool late)
{
	const struct ir_insn *o = &w->f->f->insn[by->insn];
	char where[160], thread[40], place[64] = "";

	witness_where(w, where);
	thread_name(w, by->thread, thread);
	if (o->src_line)
		snprintf(place, sizeof place, ", source line %d", o->src_line);
	if (late && (how == W_READ || other == W_READ)) { /* a read, and a copy that was started before the barrier */
		lint_add(w->f, "async-no-wait", LINT_ERROR, LINT_PROVED, how == W_READ ? i : o,
		         "reads a word of shared memory that a cp.async at PTX line %d may still be filling: its thread does not wait for it before "
		         "the barrier between: with %s, and thread %s", how == W_READ ? o->line : i->line, where, thread);
		return;
	}
	if (i->op == OP_LATER || o->op == OP_LATER) {
		lint_add(w->f, "async-reuse", LINT_ERROR, LINT_PROVED, i,
		         "%s a word of shared memory that thread %s %s at PTX line %d%s: nothing orders the asynchronous copy and the other: with %s",
		         does[how], thread, does[other], o->line, place, where);
		return;
	}
	lint_add(w->f, "shared-race", LINT_ERROR, LINT_PROVED, i,
	         "%s a word of shared memory that thread %s %s at PTX line %d%s with no barrier between: with %s", does[how], thread,
	         does[other], o->line, place, where);
}

static const struct ir_var *variable(const struct witness *w, int at)
{
	return at < w->f->f->nvar ? &w->f->f->var[at] : &w->f->m->var[at - w->f->f->nvar];
}

/* Beyond all of the block's shared memory, or beyond the array whose address it is made from. */
static void bounds(struct witness *w, const struct ir_insn *i, struct wval address, uint64_t at, int bytes, enum waccess how)
{
	const struct ir_var *v = address.var ? variable(w, address.var - 1) : NULL;
	uint64_t begin = v ? w->var_at[address.var - 1] : 0;
	char where[160];

	if (at + (uint64_t)bytes > w->shared_bytes) {
		witness_where(w, where);
		lint_add(w->f, "shared-out-of-bounds", LINT_ERROR, LINT_PROVED, i,
		         "%s %d bytes at byte %" PRId64 " of shared memory, of which the block has %" PRIu64 ": with %s", does[how], bytes,
		         (int64_t)(int32_t)at, w->shared_bytes, where);
	} else if (v && v->bytes && (at < begin || at + (uint64_t)bytes > begin + v->bytes)) {
		witness_where(w, where);
		lint_add(w->f, "shared-out-of-bounds", LINT_ERROR, LINT_PROVED, i,
		         "%s %d bytes at byte %" PRId64 " of %.80s, which has %" PRIu64 ", and so of another array: with %s", does[how], bytes,
		         (int64_t)(at - begin), v->name, v->bytes, where);
	}
}

static bool is_copy(const struct ir_insn *i)
{
	return i->op == OP_LATER; /* nothing else that writes is kept unread */
}

/* All threads may write the same value; a copy and a store do not. */
static bool differ(const struct witness *w, const struct ir_insn *i, const struct wshared *c, const struct waccessor *by, struct wval value)
{
	return (value.known && c->value_known && value.v != c->value) || is_copy(&w->f->f->insn[by->insn]) != is_copy(i);
}

static void in_granule(struct witness *w, const struct ir_insn *i, struct wshared *c, enum waccess how, struct wval value)
{
	for (enum waccess other = 0; other < W_KINDS; other++) {
		const struct waccessor *by = other_warp(c->by[other], w->tid);

		if (by && (how != other || (how == W_WRITE && differ(w, i, c, by, value))))
			race(w, i, how, by, other, (other == W_WRITE && how != other && c->late) || (how == W_WRITE && how != other && w->late));
	}
	if (how == W_WRITE && c->by[W_WRITE][0].thread < 0) {
		c->value = value.v;
		c->value_known = value.known;
		c->late = w->late;
	}
	keep(c->by[how], w->tid, (int)(i - w->f->f->insn));
}

void witness_shared(struct witness *w, const struct ir_insn *i, struct wval address, int bytes, enum waccess how, struct wval value)
{
	uint64_t at = address.v & 0xffffffff, granule = (uint64_t)w->granule;

	witness_own_copies(w, i, at, bytes, how != W_READ);
	bounds(w, i, address, at, bytes, how);
	for (uint64_t g = at / granule; w->races && w->ntable < MAX_CELLS && g * granule < at + (uint64_t)bytes; g++)
		in_granule(w, i, cell(w, (uint64_t)(w->interval + 1) << 40 | g), how, value);
}

/* ---- shuffles ---- */

static int by_place(const void *a, const void *b)
{
	const struct wshuffle *x = a, *y = b;

	return x->insn != y->insn             ? (x->insn < y->insn ? -1 : 1) :
	       x->occurrence != y->occurrence ? (x->occurrence < y->occurrence ? -1 : 1) :
	                                        x->lane - y->lane;
}

static void check_group(struct witness *w, const struct wshuffle *s, int n, int first)
{
	const struct ir_insn *i = &w->f->f->insn[s[0].insn];
	uint32_t ran = 0, missing = 0, absent;
	int size = w->nthreads - first < 32 ? w->nthreads - first : 32;
	char where[160], thread[40];

	for (int k = 0; k < n; k++)
		ran |= 1u << s[k].lane;
	for (int lane = 0; lane < size; lane++)
		if ((s[0].mask >> lane & 1) && !(ran >> lane & 1) && w->complete[first + lane])
			missing |= 1u << lane;
	absent = missing | (size < 32 ? ~0u << size : 0);
	witness_where(w, where);
	if (missing) {
		int lane = __builtin_ctz(missing);

		thread_name(w, first + lane, thread);
		lint_add(w->f, "shuffle-full-mask", LINT_ERROR, LINT_PROVED, i,
		         "the mask 0x%08x names lane %d (thread %s), which never comes here: with %s and its warp", s[0].mask, lane,
		         thread, where);
		return;
	}
	for (int k = 0; k < n; k++)
		if (s[k].source >= 0 && (absent & s[k].mask) >> s[k].source & 1) {
			lint_add(w->f, "shuffle-full-mask", LINT_WARNING, LINT_PROVED, i,
			         "lane %d reads lane %d, which the block of %d threads does not have: with %s and its warp", s[k].lane,
			         s[k].source, w->nthreads, where);
			return;
		}
}

void witness_shuffles(struct witness *w)
{
	int first = w->tid / 32 * 32;

	if (w->nshuffle)
		qsort(w->shuffle, (size_t)w->nshuffle, sizeof *w->shuffle, by_place);
	for (int i = 0, n; i < w->nshuffle; i += n) {
		for (n = 1; i + n < w->nshuffle && w->shuffle[i + n].insn == w->shuffle[i].insn &&
		            w->shuffle[i + n].occurrence == w->shuffle[i].occurrence; n++)
			;
		check_group(w, w->shuffle + i, n, first);
	}
	w->nshuffle = 0;
}

/* ---- barriers: a thread that has ended never comes to a barrier where another waits ---- */

void witness_barriers(struct witness *w)
{
	int most = 0, least = -1;
	char thread[40], other[40];

	for (int t = 0; t < w->nthreads; t++) {
		if (w->barriers[t] > w->barriers[most])
			most = t;
		if (w->complete[t] && (least < 0 || w->barriers[t] < w->barriers[least]))
			least = t;
	}
	if (!w->barriers_known || least < 0 || w->barriers[least] >= w->barriers[most])
		return;
	thread_name(w, least, thread);
	thread_name(w, most, other);
	lint_add(w->f, "divergent-barrier", LINT_ERROR, LINT_PROVED, &w->f->f->insn[w->last_barrier[most]],
	         "thread %s ends after %d barriers, thread %s comes to %d or more: with %.80s, block %u,%u,%u", thread,
	         w->barriers[least], other, w->barriers[most], w->l->text, w->block[0], w->block[1], w->block[2]);
}
