/* isa.c - looking things up in isa.def: names, the rows of the instruction table, all their forms. */
#include "ptx/isa.h"
#include "ptx/lex.h"

#include <stdio.h>
#include <string.h>

static const char *const op_text[OP_COUNT] = {
	[OP_NOP] = "nop",
#define OPCODE(name, text) [OP_##name] = text,
#include "ptx/isa.def"
};

static const struct {
	const char *text;
	int bits;
	enum ir_class cls;
} types[TY_COUNT] = {
	{ "", 0, CL_NONE },
#define TYPE(name, text, bits, cls) [TY_##name] = { text, bits, cls },
#include "ptx/isa.def"
};

static const struct {
	const char *text;
	enum ir_modcat cat;
} mods_known[MOD_COUNT] = {
	{ "", CAT_NONE },
#define MOD(name, text, cat) [MOD_##name] = { text, cat },
#include "ptx/isa.def"
};

/* The flag bit of a CAT_FLAG modifier. */
static const uint32_t mod_flag[MOD_COUNT] = {
#define FLAG(name, text) [MOD_##name] = FL_##name,
#include "ptx/isa.def"
};

static const struct {
	const char *text;
	enum ir_ty ty;
} sregs[SR_COUNT] = {
#define SREG(name, text, type) [SR_##name] = { text, type },
#include "ptx/isa.def"
};

static const struct isa_row rows[] = {
#define FORM(op, modifiers, operands, tier, section) { OP_##op, modifiers, operands, tier, section },
#include "ptx/isa.def"
};

static const char *const later_text[] = {
#define LATER(text, tier, section) text,
#include "ptx/isa.def"
};

_Static_assert(MOD_COUNT <= 256 && TY_COUNT <= 256, "modifiers and types are kept in bytes");

const char *ir_op_text(enum ir_op op)
{
	return op < OP_COUNT && op_text[op] ? op_text[op] : "?";
}

const char *ir_ty_text(enum ir_ty t)
{
	return types[t].text;
}

const char *ir_mod_text(enum ir_mod m)
{
	return mods_known[m].text;
}

const char *ir_sreg_text(enum ir_sreg s)
{
	return sregs[s].text;
}

enum ir_ty ir_sreg_type(enum ir_sreg s)
{
	return sregs[s].ty;
}

int ir_ty_bits(enum ir_ty t)
{
	return types[t].bits;
}

int ir_ty_bytes(enum ir_ty t)
{
	return (types[t].bits + 7) / 8;
}

enum ir_class ir_ty_class(enum ir_ty t)
{
	return types[t].cls;
}

int isa_row_count(void)
{
	return (int)ARRAY_LEN(rows);
}

const struct isa_row *isa_row(int i)
{
	return &rows[i];
}

static bool same(const char *known, const char *s, size_t len)
{
	return strncmp(known, s, len) == 0 && known[len] == 0;
}

enum ir_ty isa_find_type(const char *s, size_t len)
{
	for (int t = 1; t < TY_COUNT; t++) {
		if (same(types[t].text, s, len))
			return (enum ir_ty)t;
	}
	return TY_NONE;
}

int isa_find_sreg(const char *s, size_t len)
{
	for (int i = 0; i < SR_COUNT; i++) {
		if (same(sregs[i].text, s, len))
			return i;
	}
	return -1;
}

static enum ir_mod find_mod(const char *s, size_t len)
{
	for (int i = 1; i < MOD_COUNT; i++) {
		if (same(mods_known[i].text, s, len))
			return (enum ir_mod)i;
	}
	return MOD_NONE;
}

/* ---- opcodes ---------------------------------------------------------------------------------- */

enum ir_op isa_find_op(const char *base, size_t baselen, const struct isa_mod *mods, int n,
                       int *parts, const char **later)
{
	char name[64];
	size_t len = 0;
	enum ir_op found = OP_NONE;

	*parts = 0;
	*later = NULL;
	for (int k = 0; k <= n && k <= 2; k++) {
		const char *s = k == 0 ? base : mods[k - 1].s;
		size_t add = k == 0 ? baselen : mods[k - 1].len;

		if (len + add + 2 > sizeof name)
			break;
		if (k > 0)
			name[len++] = '.';
		memcpy(name + len, s, add);
		len += add;
		name[len] = 0;
		for (int op = OP_NOP + 1; op < OP_COUNT; op++) {
			if (strcmp(op_text[op], name) == 0) {
				found = (enum ir_op)op;
				*parts = k;
				*later = NULL;
			}
		}
		for (size_t i = 0; i < ARRAY_LEN(later_text); i++) {
			if (strcmp(later_text[i], name) == 0) {
				found = OP_NONE;
				*later = later_text[i];
			}
		}
	}
	return found;
}

const char *isa_nearest_op(const char *s, size_t len)
{
	struct nearest near;

	nearest_init(&near, s, len);
	for (int op = OP_NOP + 1; op < OP_COUNT; op++)
		nearest_add(&near, op_text[op]);
	for (size_t i = 0; i < ARRAY_LEN(later_text); i++)
		nearest_add(&near, later_text[i]);
	return near.best;
}

/* ---- the slots of a row ----------------------------------------------------------------------- */

/* One slot of a row's modifiers: alternatives ".a|.b", an optional one may be absent (choice 0). */
struct slot {
	const char *s;
	size_t len;
	bool optional, hint;
	uint32_t radix; /* number of choices */
};

/* Reads the slot at *p and moves *p beyond it; false at the end. */
static bool next_slot(const char **p, struct slot *s)
{
	while (**p == ' ')
		(*p)++;
	if (**p == 0)
		return false;
	s->hint = **p == '~';
	s->optional = s->hint || **p == '?';
	if (s->optional)
		(*p)++;
	s->s = *p;
	s->radix = s->optional ? 2 : 1;
	for (; **p != 0 && **p != ' '; (*p)++)
		s->radix += **p == '|';
	s->len = (size_t)(*p - s->s);
	return true;
}

/* The alternative of a slot (from 0), without its dot. */
static struct isa_mod slot_alt(const struct slot *s, uint32_t i)
{
	const char *p = s->s, *end;

	for (; i > 0; i--)
		p = (const char *)memchr(p, '|', s->len - (size_t)(p - s->s)) + 1;
	end = memchr(p, '|', s->len - (size_t)(p - s->s));
	if (end == NULL)
		end = s->s + s->len;
	return (struct isa_mod){ p + 1, (size_t)(end - p - 1) };
}

/* Which alternative of the slot is m; -1 none. */
static int slot_find(const struct slot *s, const struct isa_mod *m)
{
	uint32_t n = s->radix - s->optional;

	for (uint32_t i = 0; i < n; i++) {
		struct isa_mod a = slot_alt(s, i);

		if (a.len == m->len && memcmp(a.s, m->s, a.len) == 0)
			return (int)i;
	}
	return -1;
}

struct match {
	const struct isa_mod *mods;
	int n;
	bool is_type[ISA_MAX_MODS], used[ISA_MAX_MODS];
};

/* Takes the first unused modifier that fits the slot. The order of modifiers is free (as it is for
 * ptxas 13.0: measured), that of types among themselves is not. Returns the choice, -1: no fit. */
static int take(struct match *m, const struct slot *s)
{
	bool blocked = false;

	for (int i = 0; i < m->n; i++) {
		int a;

		if (m->used[i] || (m->is_type[i] && blocked))
			continue;
		a = slot_find(s, &m->mods[i]);
		if (a >= 0) {
			m->used[i] = true;
			return a + s->optional;
		}
		blocked |= m->is_type[i];
	}
	return s->optional ? 0 : -1;
}

static bool match_row(const struct isa_row *r, struct match *m, uint32_t *choice)
{
	const char *p = r->mods;
	struct slot s;
	uint32_t c = 0;

	memset(m->used, 0, sizeof m->used);
	while (next_slot(&p, &s)) {
		int k = take(m, &s);

		if (k < 0)
			return false;
		c = c * s.radix + (uint32_t)k;
	}
	for (int i = 0; i < m->n; i++) {
		if (!m->used[i])
			return false;
	}
	*choice = c;
	return true;
}

/* ---- decoding --------------------------------------------------------------------------------- */

/* Some words mean something else in some instructions (isa.def, CAT_SUB). */
static enum ir_modcat mod_category(enum ir_op op, enum ir_mod m)
{
	bool compares = op == OP_SET || op == OP_SETP;
	bool barrier = op == OP_BAR || op == OP_BARRIER;

	if (compares && (m == MOD_LO || m == MOD_HI))
		return CAT_CMP;
	if ((compares || barrier || op == OP_LOP3) && (m == MOD_AND || m == MOD_OR || m == MOD_XOR))
		return CAT_BOP;
	if (barrier && m == MOD_POPC)
		return CAT_BOP;
	if (op == OP_VOTE && m == MOD_UNI)
		return CAT_SUB;
	return mods_known[m].cat;
}

static void apply_mod(struct ir_insn *i, enum ir_mod m)
{
	switch (mod_category((enum ir_op)i->op, m)) {
	case CAT_FLAG: i->flags |= mod_flag[m]; break;
	case CAT_RND: i->rnd = (uint8_t)m; break;
	case CAT_CMP: i->cmp = (uint8_t)m; break;
	case CAT_BOP: i->bop = (uint8_t)m; break;
	case CAT_SPACE: i->space = (uint8_t)m; break;
	case CAT_SEM:
		if (i->sem == MOD_NONE) /* ld.mmio.relaxed stays MMIO */
			i->sem = (uint8_t)m;
		break;
	case CAT_SCOPE: i->scope = (uint8_t)(m == MOD_GL ? MOD_GPU : m); break;
	case CAT_VEC: i->vec = m == MOD_V2 ? 2 : m == MOD_V4 ? 4 : 8; break;
	case CAT_SUB: i->sub = (uint8_t)m; break;
	case CAT_HINT:
		if (m == MOD_L2_HINT)
			i->hint = true;
		break;
	case CAT_NONE: break;
	}
}

/* The choices of a row's form: fills choice[] and returns the number of slots. */
#define MAX_SLOTS 16
static int split_choice(const struct isa_row *r, uint32_t choice, struct slot slot[MAX_SLOTS],
                        uint32_t c[MAX_SLOTS])
{
	const char *p = r->mods;
	int n = 0;

	while (n < MAX_SLOTS && next_slot(&p, &slot[n]))
		n++;
	for (int k = n - 1; k >= 0; k--) {
		c[k] = choice % slot[k].radix;
		choice /= slot[k].radix;
	}
	return n;
}

static void decode(int row, uint32_t choice, struct ir_insn *i)
{
	struct slot slot[MAX_SLOTS];
	uint32_t c[MAX_SLOTS];
	int n = split_choice(&rows[row], choice, slot, c), nty = 0;

	i->op = (uint16_t)rows[row].op;
	i->form = (uint16_t)row;
	i->choice = choice;
	i->vec = 1;
	for (int k = 0; k < n; k++) {
		struct isa_mod m;
		enum ir_ty t;

		if (slot[k].optional && c[k] == 0)
			continue;
		m = slot_alt(&slot[k], c[k] - slot[k].optional);
		t = isa_find_type(m.s, m.len);
		if (t != TY_NONE)
			i->ty[nty++] = (uint8_t)t;
		else
			apply_mod(i, find_mod(m.s, m.len));
	}
}

static int unknown_mod(enum ir_op op, const struct isa_mod *mods, int n)
{
	for (int k = 0; k < n; k++) {
		bool known = false;

		for (size_t r = 0; r < ARRAY_LEN(rows) && !known; r++) {
			const char *p = rows[r].mods;
			struct slot s;

			while (rows[r].op == op && !known && next_slot(&p, &s))
				known = slot_find(&s, &mods[k]) >= 0;
		}
		if (!known)
			return k;
	}
	return -1;
}

bool isa_match(enum ir_op op, const struct isa_mod *mods, int n, struct ir_insn *i, int *bad)
{
	struct isa_mod plain[ISA_MAX_MODS];
	struct match m = { .mods = plain, .n = n };

	*bad = -1;
	if (n > ISA_MAX_MODS)
		return false;
	for (int k = 0; k < n; k++) {
		plain[k] = mods[k];
		if (same("shared::cta", mods[k].s, mods[k].len))
			plain[k].len = strlen("shared");
		m.is_type[k] = isa_find_type(plain[k].s, plain[k].len) != TY_NONE;
	}
	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		uint32_t choice;

		if (rows[r].op == op && match_row(&rows[r], &m, &choice)) {
			decode((int)r, choice, i);
			return true;
		}
	}
	*bad = unknown_mod(op, plain, n);
	return false;
}

bool isa_match_text(const char *text, struct ir_insn *i)
{
	struct isa_mod part[ISA_MAX_MODS + 1];
	const char *later;
	int n = 0, parts, bad;
	enum ir_op op;

	for (const char *p = text; n <= ISA_MAX_MODS; p++, n++) {
		part[n].s = p;
		part[n].len = strcspn(p, ".");
		p += part[n].len;
		if (*p == 0) {
			n++;
			break;
		}
	}
	op = isa_find_op(part[0].s, part[0].len, part + 1, n - 1, &parts, &later);
	return op != OP_NONE && isa_match(op, part + 1 + parts, n - 1 - parts, i, &bad);
}

/* ---- all forms -------------------------------------------------------------------------------- */

void isa_form_text(int row, uint32_t choice, struct buf *b)
{
	struct slot slot[MAX_SLOTS];
	uint32_t c[MAX_SLOTS];
	int n = split_choice(&rows[row], choice, slot, c);

	buf_puts(b, op_text[rows[row].op]);
	for (int k = 0; k < n; k++) {
		struct isa_mod m;

		if (slot[k].optional && c[k] == 0)
			continue;
		m = slot_alt(&slot[k], c[k] - slot[k].optional);
		buf_putc(b, '.');
		buf_add(b, m.s, m.len);
	}
}

/* Forms of a row without its hints. */
static size_t row_forms(const struct isa_row *r)
{
	const char *p = r->mods;
	struct slot s;
	size_t n = 1;

	while (next_slot(&p, &s))
		n *= s.hint ? 1 : s.radix;
	return n;
}

size_t ptx_form_count(void)
{
	size_t n = 0;

	for (size_t r = 0; r < ARRAY_LEN(rows); r++)
		n += row_forms(&rows[r]);
	return n;
}

/* The i-th form without hints of a row, as a choice. */
static uint32_t nth_choice(const struct isa_row *r, size_t i)
{
	struct slot slot[MAX_SLOTS];
	uint32_t c[MAX_SLOTS], choice = 0;
	int n = split_choice(r, 0, slot, c);

	for (int k = n - 1; k >= 0; k--) {
		c[k] = 0;
		if (!slot[k].hint) {
			c[k] = (uint32_t)(i % slot[k].radix);
			i /= slot[k].radix;
		}
	}
	for (int k = 0; k < n; k++)
		choice = choice * slot[k].radix + c[k];
	return choice;
}

struct ptx_form ptx_form_get(size_t i)
{
	struct ptx_form f = { .tier = 0 };
	struct buf b = { 0 };
	size_t r = 0;

	for (; r + 1 < ARRAY_LEN(rows) && i >= row_forms(&rows[r]); r++)
		i -= row_forms(&rows[r]);
	isa_form_text((int)r, nth_choice(&rows[r], i), &b);
	snprintf(f.text, sizeof f.text, "%s", b.s);
	f.section = rows[r].section;
	f.operands = rows[r].operands;
	f.tier = rows[r].tier;
	buf_free(&b);
	return f;
}
