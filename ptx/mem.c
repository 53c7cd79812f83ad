/* mem.c - memory, one lane at a time: where an address leads, and every access that the fast paths
 * of exec_mem.inc leave. */
#include "ptx/emu.h"
#include <string.h>

uint64_t emu_address(const struct emu_warp *w, const struct emu_op *op, int lane)
{
	uint64_t a = op->flags & OPF_WIDE ? ((const uint64_t *)emu_reg(w, op->a))[lane]
	                                  : ((const uint32_t *)emu_reg(w, op->a))[lane];
	a += (uint64_t)op->imm;
	return op->flags & OPF_WIDE ? a : (uint32_t)a;
}

static int64_t element_of(int64_t offset, uint32_t elem)
{
	int64_t e = (int64_t)elem;
	return offset >= 0 ? offset / e : -((-offset + e - 1) / e);
}
static const char *verb(enum emu_access how)
{
	return how == ACCESS_READ ? "reads" : how == ACCESS_WRITE ? "writes" : "updates";
}
static enum finding_kind oob_kind(enum emu_access how)
{
	return how == ACCESS_READ ? FIND_OOB_READ : FIND_OOB_WRITE;
}

/* ---- global memory ----------------------------------------------------------------------------
 */

/* Outside the storage: reported; the guard's bytes, or the end of the launch. */
static struct emu_place outside(struct emu_warp *w, const struct emu_op *op, int lane,
                                struct emu_region *r, int64_t at, uint32_t bytes,
                                enum emu_access how)
{
	struct emu_place none = {0}, p = {r->data + at, NULL, NULL, (uint64_t)at};
	int64_t el = element_of(at, r->elem), count = (int64_t)(r->bytes / r->elem);
	const char *past = at < 0 ? "before its first" : "past its last";
	int64_t by = at < 0 ? -el : el - (count ? count - 1 : 0);
	emu_find(w, op, lane, oob_kind(how), r->name, el,
	         "%s %u bytes at element %lld of %s, %lld %s of %lld elements", verb(how), bytes,
	         (long long)el, r->name, (long long)by, past, (long long)count);
	int64_t guard = (int64_t)r->guard;
	if (at >= -guard && at + (int64_t)bytes <= (int64_t)r->bytes + guard)
		return p;
	emu_fault(w, op, lane, FIND_ILLEGAL_ADDRESS,
	          "element %lld of %s is outside all memory; the launch stops", (long long)el,
	          r->name);
	return none;
}
static bool map_all(const uint8_t *map, uint64_t at, uint32_t n)
{
	for (uint64_t i = at; i < at + n; i++)
		if (!(map[i >> 3] >> (i & 7) & 1))
			return false;
	return true;
}
static struct emu_place in_region(struct emu_warp *w, const struct emu_op *op, int lane,
                                  uint64_t addr, uint32_t bytes, enum emu_access how)
{
	struct emu_place none = {0};
	uint64_t k = (addr + (1ull << (REGION_SHIFT - 1))) >> REGION_SHIFT;
	if (k - 1 >= (uint64_t)w->run->nregion) {
		emu_fault(w, op, lane, FIND_ILLEGAL_ADDRESS,
		          "%s %u bytes at address 0x%llx, which belongs to no buffer", verb(how),
		          bytes, (unsigned long long)addr);
		return none;
	}
	struct emu_region *r = w->run->region + (k - 1);
	int64_t at = (int64_t)(addr - r->base);
	if (r->constant && how != ACCESS_READ) {
		emu_fault(w, op, lane, FIND_ILLEGAL_ADDRESS, "%s constant memory, %s", verb(how),
		          r->name);
		return none;
	}
	if (at < 0 || (uint64_t)at > r->bytes || r->bytes - (uint64_t)at < bytes)
		return outside(w, op, lane, r, at, bytes, how);
	if (w->run->sanitize && how != ACCESS_READ && r->valid &&
	    !map_all(r->valid, (uint64_t)at, bytes))
		emu_find(w, op, lane, FIND_OOB_WRITE, r->name, element_of(at, r->elem),
		         "%s element %lld of %s's storage, which lies between the elements of the "
		         "tensor",
		         verb(how), (long long)element_of(at, r->elem), r->name);
	return (struct emu_place){r->data + at, NULL, r, (uint64_t)at};
}

/* ---- the other spaces -------------------------------------------------------------------------
 */

static struct emu_place in_bytes(struct emu_warp *w, const struct emu_op *op, int lane,
                                 const char *space, uint8_t *data, uint8_t *shadow, uint64_t size,
                                 uint64_t guard, int64_t at, uint32_t bytes, enum emu_access how)
{
	struct emu_place none = {0};
	bool inside = at >= 0 && (uint64_t)at <= size && size - (uint64_t)at >= bytes;
	/* wild offsets are not added to anything */
	bool near = inside || (at >= -(int64_t)guard && at <= (int64_t)(size + guard) - (int64_t)bytes);
	struct emu_place p = near ? (struct emu_place){data + at, shadow ? shadow + at : NULL, NULL, (uint64_t)at} : none;
	if (inside)
		return p;
	emu_find(w, op, lane, oob_kind(how), space, at,
	         "%s %u bytes at byte %lld of %llu bytes of %s memory", verb(how), bytes,
	         (long long)at, (unsigned long long)size, space);
	if (near)
		return p;
	emu_fault(w, op, lane, FIND_ILLEGAL_ADDRESS,
	          "byte %lld of %s memory does not exist; the launch stops", (long long)at, space);
	return none;
}
static int64_t offset_of(const struct emu_op *op, uint64_t a)
{
	return op->flags & OPF_WIDE ? (int64_t)a : (int32_t)(uint32_t)a;
}

struct emu_place emu_place(struct emu_warp *w, const struct emu_op *op, int lane, uint64_t addr,
                           uint32_t bytes, enum emu_access how)
{
	struct emu_run *r = w->run;
	int space = op->space;
	struct emu_place none = {0};
	if (addr & (bytes - 1)) {
		emu_fault(w, op, lane, FIND_MISALIGNED,
		          "%s %u bytes at an address that is no multiple of %u (0x%llx)", verb(how),
		          bytes, bytes, (unsigned long long)addr);
		return none;
	}
	int64_t at = offset_of(op, addr);
	if (space == MOD_NONE) {
		uint64_t window = addr & WINDOW_MASK;
		space = window == SHARED_WINDOW  ? MOD_SHARED
		        : window == LOCAL_WINDOW ? MOD_LOCAL
		        : window == PARAM_WINDOW ? MOD_PARAM
		                                 : MOD_GLOBAL;
		at = (int64_t)(addr & ~WINDOW_MASK);
	}
	uint64_t frame = r->p->local_bytes;
	switch (space) {
	case MOD_SHARED:
		return in_bytes(w, op, lane, "shared", w->shared, w->shared_shadow, r->shared_bytes,
		                SHARED_GUARD, at, bytes, how);
	case MOD_LOCAL: {
		uint64_t mine = (uint64_t)lane * frame;
		return in_bytes(w, op, lane, "local", w->local + mine,
		                w->local_shadow ? w->local_shadow + mine : NULL, frame, 0, at,
		                bytes, how);
	}
	case MOD_PARAM:
		return in_bytes(w, op, lane, "param", r->param, NULL, r->p->param_bytes, 0, at,
		                bytes, how);
	default:
		return in_region(w, op, lane, addr, bytes, how);
	}
}

/* ---- loads and stores -------------------------------------------------------------------------
 */

static uint32_t vec_reg(const struct emu_op *op, int k)
{
	return k == 0 ? op->d : k == 1 ? op->b : k == 2 ? op->c : op->e;
}
static uint64_t get_lane(const struct emu_warp *w, uint32_t reg, int lane, int size)
{
	return size == 8 ? ((const uint64_t *)emu_reg(w, reg))[lane]
	                 : ((const uint32_t *)emu_reg(w, reg))[lane];
}
static void set_lane(struct emu_warp *w, uint32_t reg, int lane, int size, uint64_t v)
{
	if (size == 8)
		((uint64_t *)emu_reg(w, reg))[lane] = v;
	else
		((uint32_t *)emu_reg(w, reg))[lane] = (uint32_t)v;
}
static bool place_poison(const struct emu_place *p, uint32_t at, uint32_t bytes)
{
	if (p->shadow) {
		for (uint32_t i = at; i < at + bytes; i++)
			if (p->shadow[i])
				return true;
		return false;
	}
	if (!p->region)
		return false;
	return (p->region->valid && !map_all(p->region->valid, p->offset + at, bytes)) ||
	       (p->region->written && !map_all(p->region->written, p->offset + at, bytes));
}
/* The bytes now hold a value, poisoned or not. */
static void place_written(const struct emu_place *p, uint32_t at, uint32_t bytes, bool poison)
{
	if (p->shadow)
		memset(p->shadow + at, poison ? 0xff : 0, bytes);
	else if (p->region && p->region->written)
		for (uint64_t i = p->offset + at; i < p->offset + at + bytes; i++)
			p->region->written[i >> 3] |= (uint8_t)(1u << (i & 7));
}
static void set_lane_poison(struct emu_warp *w, const struct emu_op *op, uint32_t reg, int lane,
                            bool poison)
{
	struct emu_shadow *s = emu_shadow(w, reg);
	uint32_t bit = 1u << lane;
	s->poison = (s->poison & ~bit) | (poison ? bit : 0);
	s->wrapped &= ~bit;
	s->wide &= ~bit;
	if (poison)
		s->origin = op->site;
}

const struct emu_op *emu_load_slow(struct emu_warp *w, const struct emu_op *op)
{
	uint64_t addr[LANES];
	for (int i = 0; i < LANES; i++)
		addr[i] = emu_address(w, op, i); /* the destination may be the address register */
	uint32_t size = op->size;
	for (uint32_t m = w->exec; m; m &= m - 1) {
		int lane = lowest(m);
		struct emu_place p =
		        emu_place(w, op, lane, addr[lane], size * op->vec, ACCESS_READ);
		if (!p.data)
			return NULL;
		for (int k = 0; k < op->vec; k++) {
			uint64_t v = 0;
			memcpy(&v, p.data + (uint32_t)k * size, size);
			set_lane(w, vec_reg(op, k), lane, op->size, v);
			if (w->shadow)
				set_lane_poison(w, op, vec_reg(op, k), lane,
				                place_poison(&p, (uint32_t)k * size, size));
		}
	}
	return op + 1;
}

const struct emu_op *emu_store_slow(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t size = op->size;
	for (uint32_t m = w->exec; m; m &= m - 1) {
		int lane = lowest(m);
		struct emu_place p = emu_place(w, op, lane, emu_address(w, op, lane),
		                               size * op->vec, ACCESS_WRITE);
		if (!p.data)
			return NULL;
		for (int k = 0; k < op->vec; k++) {
			uint64_t v = get_lane(w, vec_reg(op, k), lane, op->size);
			memcpy(p.data + (uint32_t)k * size, &v, size);
			if (w->shadow)
				place_written(&p, (uint32_t)k * size, size,
				              emu_shadow(w, vec_reg(op, k))->poison >> lane & 1);
		}
	}
	return op + 1;
}

/* ---- atomics ----------------------------------------------------------------------------------
 */

static const struct emu_op *atom_plain(struct emu_warp *w, const struct emu_op *op)
{
	uint32_t size = op->size;
	for (uint32_t m = w->exec; m; m &= m - 1) {
		int lane = lowest(m);
		uint64_t old = 0, b = get_lane(w, op->b, lane, op->size);
		uint64_t c = op->c ? get_lane(w, op->c, lane, op->size) : 0;
		struct emu_place p =
		        emu_place(w, op, lane, emu_address(w, op, lane), size, ACCESS_ATOMIC);
		if (!p.data)
			return NULL;
		memcpy(&old, p.data, size);
		bool global = p.data >= w->shared + w->run->shared_bytes || p.data < w->shared;
		uint64_t v = emu_atom_result((enum ir_mod)op->vec, (enum ir_ty)op->other, old, b, c,
		                             global);
		memcpy(p.data, &v, size);
		if (w->shadow) {
			bool unset = place_poison(&p, 0, size),
			     by = emu_shadow(w, op->b)->poison >> lane & 1;
			bool keeps =
			        op->vec != MOD_EXCH; /* the old value takes part in the new one */
			if (!p.shadow && keeps && unset)
				emu_find(w, op, lane, FIND_UNINIT_READ,
				         p.region ? p.region->name : "", 0,
				         "updates memory that nothing has written");
			if (!p.shadow && by)
				emu_uninit(w, op, op->b, 1u << lane, "stored to global memory");
			place_written(&p, 0, size, (keeps && unset) || by);
			if (op->d != NO_REG)
				set_lane_poison(w, op, op->d, lane, unset);
		}
		if (op->d != NO_REG)
			set_lane(w, op->d, lane, op->size, old);
	}
	return op + 1;
}
static const struct emu_op *atom_sanitized(struct emu_warp *w, const struct emu_op *op)
{
	struct emu_shadow *s = emu_shadow(w, op->a);
	if ((s->poison | s->wrapped) & w->exec)
		emu_address_check(w, op);
	return atom_plain(w, op);
}

/* Accesses that have no fast path. */
static const struct emu_op *slow_load(struct emu_warp *w, const struct emu_op *op)
{
	if (w->shadow && ((emu_shadow(w, op->a)->poison | emu_shadow(w, op->a)->wrapped) & w->exec))
		emu_address_check(w, op);
	return emu_load_slow(w, op);
}
static const struct emu_op *slow_store(struct emu_warp *w, const struct emu_op *op)
{
	if (w->shadow && ((emu_shadow(w, op->a)->poison | emu_shadow(w, op->a)->wrapped) & w->exec))
		emu_address_check(w, op);
	return emu_store_slow(w, op);
}

static const struct emu_handler handlers[] = {
        {"ld_slow", slow_load, slow_load, DEST_SELF, 0, 0, 0},
        {"st_slow", slow_store, slow_store, DEST_SELF, 0, 0, 0},
        {"atom", atom_plain, atom_sanitized, DEST_SELF, 0, 0, 0},
};
struct emu_part emu_mem_slow_part(void)
{
	return (struct emu_part){handlers, ARRAY_LEN(handlers)};
}
