/* ssa.c - the value of a register where it is read: registers of PTX are written many times (NVRTC lets a loop count on in the register that held
 * threadIdx.x), values once.
 *
 * Found on demand, from the read backwards, with a phi where ways meet that may bring different ones (Braun, Buchwald, Hack, Leißa, Mallon, Zwinkau:
 * Simple and Efficient Construction of SSA Form, 2013). A register with one definition needs none where that dominates. A definition under a guard
 * counts as one: its value is whatever was there or what it writes. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

#define MAX_DEPTH 400  /* places where ways meet, one behind the other, and blocks in a row, that a read goes back through: behind them the value is */
#define MAX_STEPS 1000 /* not known */

struct ssa {
	struct ssa_slot {
		uint64_t key; /* 1 + block and register; 0: empty */
		int32_t value;
	} *slot; /* value of a register at the begin of a block */
	size_t n, cap;
	struct ssa_phi *phi;
	int32_t *same; /* of a phi: the value that it turned out to be, or itself */
	int nphi, cap_phi;
};

static struct ssa_slot *find(const struct ssa *s, uint64_t key)
{
	size_t h = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->cap - 1);

	while (s->slot[h].key && s->slot[h].key != key)
		h = (h + 1) & (s->cap - 1);
	return &s->slot[h];
}

static void put(struct lint_fn *f, uint64_t key, int32_t value)
{
	struct ssa *s = f->ssa;
	struct ssa_slot *p;

	if (2 * (s->n + 1) > s->cap) {
		struct ssa old = *s;

		s->cap = old.cap ? 2 * old.cap : 256;
		s->slot = arena_alloc(f->a, sizeof *s->slot * s->cap);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slot[i].key)
				*find(s, old.slot[i].key) = old.slot[i];
	}
	p = find(s, key);
	s->n += !p->key;
	*p = (struct ssa_slot){key, value};
}

/* The latest definition of r in a block before instruction `end`, -1: there is none. */
static int32_t before(const struct lint_fn *f, int block, int end, int r)
{
	int k = defs_before(f, end, r);

	return k >= f->f->block[block].first ? k : SSA_UNKNOWN;
}

static int32_t resolve(const struct ssa *s, int32_t v)
{
	while (SSA_IS_PHI(v) && s->same[SSA_PHI(v)] != v)
		v = s->same[SSA_PHI(v)];
	return v;
}

static int32_t at_begin(struct lint_fn *f, int block, int r, int depth);

static int32_t at_end(struct lint_fn *f, int block, int r, int depth)
{
	for (int steps = 0; steps < MAX_STEPS; steps++) {
		int32_t d = before(f, block, f->f->block[block].first + f->f->block[block].n, r);

		if (d != SSA_UNKNOWN)
			return d;
		if (f->pred[block].n != 1 || f->f->block[block].rpo == 0)
			return at_begin(f, block, r, depth - 1);
		block = f->pred[block].v[0];
	}
	return SSA_UNKNOWN;
}

static int32_t new_phi(struct lint_fn *f, int block, int r)
{
	struct ssa *s = f->ssa;

	if (s->nphi == s->cap_phi) {
		struct ssa_phi *more = arena_alloc(f->a, sizeof *more * (size_t)(2 * s->cap_phi + 16));
		int32_t *same = arena_alloc(f->a, sizeof *same * (size_t)(2 * s->cap_phi + 16));

		if (s->nphi) {
			memcpy(more, s->phi, sizeof *more * (size_t)s->nphi);
			memcpy(same, s->same, sizeof *same * (size_t)s->nphi);
		}
		s->phi = more;
		s->same = same;
		s->cap_phi = 2 * s->cap_phi + 16;
	}
	s->phi[s->nphi] = (struct ssa_phi){block, r, NULL};
	s->same[s->nphi] = SSA_OF_PHI(s->nphi);
	return SSA_OF_PHI(s->nphi++);
}

/* Where all ways bring one value (or the phi itself, round a loop) it is that value. */
static int32_t fill_phi(struct lint_fn *f, int32_t v, int depth)
{
	int block = f->ssa->phi[SSA_PHI(v)].block, r = f->ssa->phi[SSA_PHI(v)].reg, n = f->pred[block].n;
	int32_t *from = arena_alloc(f->a, sizeof *from * ((size_t)n + 1)), one = v;
	bool many = false;

	for (int p = 0; p < n; p++) {
		from[p] = at_end(f, f->pred[block].v[p], r, depth);
		many |= from[p] == SSA_UNKNOWN;
	}
	for (int p = 0; p < n; p++) {
		int32_t w = resolve(f->ssa, from[p]);

		many |= w != v && one != v && w != one;
		one = w != v ? w : one;
	}
	f->ssa->phi[SSA_PHI(v)].from = from;
	if (!many && one != v)
		f->ssa->same[SSA_PHI(v)] = one;
	return resolve(f->ssa, v);
}

static int32_t at_begin(struct lint_fn *f, int block, int r, int depth)
{
	uint64_t key = 1 + ((uint64_t)block << 32 | (uint32_t)r);
	struct ssa_slot *p = f->ssa->cap ? find(f->ssa, key) : NULL;
	int32_t v;

	if (p && p->key)
		return resolve(f->ssa, p->value);
	if (depth <= 0 || f->pred[block].n == 0 || f->f->block[block].rpo <= 0)
		return SSA_UNKNOWN; /* not remembered: from elsewhere it may be nearer */
	if (f->pred[block].n == 1)
		return at_end(f, f->pred[block].v[0], r, depth);
	v = new_phi(f, block, r);
	put(f, key, v);
	return fill_phi(f, v, depth);
}

int32_t ssa_value(struct lint_fn *f, const struct ir_insn *i, int r)
{
	int k = (int)(i - f->f->insn);
	int32_t d = before(f, f->block_of[k], k, r);

	if (!f->ssa)
		f->ssa = arena_alloc(f->a, sizeof *f->ssa);
	if (d != SSA_UNKNOWN || f->defs[r].n == 0)
		return d;
	if (f->defs[r].n == 1) {
		int at = f->block_of[f->defs[r].v[0]];

		return at != f->block_of[k] && flow_dominates(f, at, f->block_of[k]) ? f->defs[r].v[0] : SSA_UNKNOWN;
	}
	return at_begin(f, f->block_of[k], r, MAX_DEPTH);
}

int32_t ssa_resolve(const struct lint_fn *f, int32_t v)
{
	return resolve(f->ssa, v);
}

const struct ssa_phi *ssa_phi(const struct lint_fn *f, int32_t v)
{
	return SSA_IS_PHI(v) ? &f->ssa->phi[SSA_PHI(v)] : NULL;
}
