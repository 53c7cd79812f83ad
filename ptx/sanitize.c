/* sanitize.c - findings: what they say, and the shadows that carry what is known of a register. */
#include "ptx/emu.h"
#include <stdio.h>
#include <string.h>

/* ---- findings ---------------------------------------------------------------------------------
 */

static void place_of(const struct emu_warp *w, const struct emu_op *op, int lane, struct finding *f)
{
	const struct emu_run *r = w->run;
	const struct emu_site *s = &r->p->site[op->site];
	uint32_t t = (uint32_t)(w->index * LANES + lane);
	const uint32_t *b = r->launch->block;
	snprintf(f->entry, sizeof f->entry, "%s", r->p->entry);
	memcpy(f->block, r->ctaid, sizeof f->block);
	f->thread[0] = t % b[0];
	f->thread[1] = t / b[0] % b[1];
	f->thread[2] = t / b[0] / b[1];
	f->ptx_line = s->line;
	f->source_line = s->src_line;
	snprintf(f->source_file, sizeof f->source_file, "%s", s->src_file ? s->src_file : "");
}

/* Counts a finding that is there already; saves the words. */
static bool again(struct run_report *r, enum finding_kind k, int line, const char *buffer,
                  uint64_t n)
{
	for (int i = 0; i < r->nfindings; i++) {
		struct finding *f = &r->findings[i];
		if (f->kind == k && f->ptx_line == line && !strcmp(f->buffer, buffer)) {
			f->count += n;
			return true;
		}
	}
	return false;
}

static void add(struct emu_warp *w, const struct emu_op *op, int lane, enum finding_kind k,
                const char *buffer, int64_t element, uint64_t count, const char *fmt, va_list ap)
{
	struct finding f = {.kind = k, .element = element, .count = count};
	snprintf(f.buffer, sizeof f.buffer, "%s", buffer);
	place_of(w, op, lane, &f);
	vsnprintf(f.text, sizeof f.text, fmt, ap);
	run_report_add(w->run->report, &f);
}
void emu_find(struct emu_warp *w, const struct emu_op *op, int lane, enum finding_kind k,
              const char *buffer, int64_t element, const char *fmt, ...)
{
	va_list ap;
	if (again(w->run->report, k, w->run->p->site[op->site].line, buffer, 1))
		return;
	va_start(ap, fmt);
	add(w, op, lane, k, buffer, element, 1, fmt, ap);
	va_end(ap);
}
static void find_lanes(struct emu_warp *w, const struct emu_op *op, uint32_t lanes,
                       enum finding_kind k, const char *fmt, ...)
        __attribute__((format(printf, 5, 6)));
static void find_lanes(struct emu_warp *w, const struct emu_op *op, uint32_t lanes,
                       enum finding_kind k, const char *fmt, ...)
{
	va_list ap;
	uint64_t n = (uint64_t)__builtin_popcount(lanes);
	if (again(w->run->report, k, w->run->p->site[op->site].line, "", n))
		return;
	va_start(ap, fmt);
	add(w, op, lowest(lanes), k, "", 0, n, fmt, ap);
	va_end(ap);
}
const struct emu_op *emu_fault(struct emu_warp *w, const struct emu_op *op, int lane,
                               enum finding_kind k, const char *fmt, ...)
{
	va_list ap;
	w->run->stop = true;
	w->next = NULL;
	if (again(w->run->report, k, w->run->p->site[op->site].line, "", 1))
		return NULL;
	va_start(ap, fmt);
	add(w, op, lane, k, "", 0, 1, fmt, ap);
	va_end(ap);
	return NULL;
}

/* ---- uses of what is not known ----------------------------------------------------------------
 */

static const char *reg_name(const struct emu_warp *w, uint32_t reg)
{
	const char *s = w->run->p->regname[reg / UNIT];
	return s ? s : "a value";
}
void emu_uninit(struct emu_warp *w, const struct emu_op *op, uint32_t reg, uint32_t mask,
                const char *what)
{
	const struct emu_shadow *s = emu_shadow(w, reg);
	const struct emu_site *from = &w->run->p->site[s->origin];
	uint32_t lanes = s->poison & mask;
	if (!lanes)
		return;
	if (!s->origin)
		find_lanes(w, op, lanes, FIND_UNINIT_READ, "%s, which nothing has set, is %s",
		           reg_name(w, reg), what);
	else if (from->src_line)
		find_lanes(w, op, lanes, FIND_UNINIT_READ,
		           "%s, made of memory that nothing has written (read at PTX line %d, "
		           "%s:%d), is %s",
		           reg_name(w, reg), from->line, from->src_file ? from->src_file : "line",
		           from->src_line, what);
	else
		find_lanes(
		        w, op, lanes, FIND_UNINIT_READ,
		        "%s, made of memory that nothing has written (read at PTX line %d), is %s",
		        reg_name(w, reg), from->line, what);
}
void emu_address_check(struct emu_warp *w, const struct emu_op *op)
{
	const struct emu_shadow *s = emu_shadow(w, op->a);
	uint32_t wrapped = s->wrapped & w->exec;
	emu_uninit(w, op, op->a, w->exec, "used as an address");
	if (wrapped && (op->flags & OPF_WIDE))
		find_lanes(
		        w, op, wrapped, FIND_ADDRESS_OVERFLOW,
		        "the address is made of a 32-bit product or sum that does not fit 32 bits");
}
void emu_div_by_zero(struct emu_warp *w, const struct emu_op *op, uint32_t lanes)
{
	find_lanes(w, op, lanes, FIND_DIV_BY_ZERO,
	           "an integer is divided by zero (the result is all ones)");
}
void emu_nonfinite(struct emu_warp *w, const struct emu_op *op, uint32_t lanes)
{
	find_lanes(w, op, lanes, FIND_NONFINITE, "finite operands give an infinity or NaN in %s",
	           reg_name(w, op->d));
}
void emu_shuffle_inactive(struct emu_warp *w, const struct emu_op *op, int lane, int source)
{
	uint32_t bit = 1u << source;
	const char *why = !(w->exists & bit)  ? "does not exist"
	                  : !(w->alive & bit) ? "has ended"
	                  : !(w->exec & bit)  ? "does not take part"
	                                      : "is not in the member mask";
	if (again(w->run->report, FIND_SHUFFLE_INACTIVE, w->run->p->site[op->site].line, "", 1))
		return;
	find_lanes(w, op, 1u << lane, FIND_SHUFFLE_INACTIVE,
	           "a shuffle reads lane %d, which %s: the value is undefined", source, why);
}

/* ---- how shadows flow -------------------------------------------------------------------------
 */

static struct emu_shadow selected(const struct emu_warp *w, const struct emu_op *op)
{
	const struct emu_shadow *a = emu_shadow(w, op->a), *b = emu_shadow(w, op->b);
	const struct emu_shadow *p = emu_shadow(w, op->c);
	uint32_t c = *emu_pred(w, op->c);
	return (struct emu_shadow){(a->poison & c) | (b->poison & ~c) | p->poison,
	                           (a->wrapped & c) | (b->wrapped & ~c),
	                           (a->wide & c) | (b->wide & ~c),
	                           a->poison & c    ? a->origin
	                           : b->poison & ~c ? b->origin
	                                            : p->origin};
}
/* A source that decides alone - false for and, true for or - hides the other.  (Lowering sees to it
 * that the destination is not a source.) */
static uint32_t decided(const struct emu_warp *w, const struct emu_op *op, bool is_and)
{
	uint32_t pa = emu_shadow(w, op->a)->poison, pb = emu_shadow(w, op->b)->poison;
	uint32_t x = *emu_pred(w, op->a), y = *emu_pred(w, op->b);
	if (!is_and)
		x = ~x, y = ~y;
	return (pa & pb) | (pa & y) | (pb & x);
}
void emu_flow(struct emu_warp *w, const struct emu_op *op, uint32_t wrapped, uint32_t wide)
{
	const struct emu_shadow *a = emu_shadow(w, op->a), *b = emu_shadow(w, op->b),
	                        *c = emu_shadow(w, op->c);
	struct emu_shadow *d = emu_shadow(w, op->d), n = {0};
	uint32_t x = w->exec;
	n.poison = a->poison | b->poison | c->poison;
	n.origin = a->poison & x ? a->origin : b->poison & x ? b->origin : c->origin;
	switch (op->flow) {
	case FLOW_MOVE:
		n.wrapped = a->wrapped ^ b->wrapped ^ c->wrapped ^ wrapped;
		n.wide = (a->wide ^ b->wide ^ c->wide ^ wide) & n.wrapped;
		break;
	case FLOW_SEXT:
		n.wrapped = a->wrapped | b->wrapped | c->wrapped;
		break;
	case FLOW_ZEXT:
		n.wrapped = a->wide | b->wide | c->wide;
		break;
	case FLOW_SELP:
		n = selected(w, op);
		break;
	case FLOW_PAND:
	case FLOW_POR:
		n.poison = decided(w, op, op->flow == FLOW_PAND);
		break;
	default:
		break;
	}
	d->poison = (d->poison & ~x) | (n.poison & x);
	d->wrapped = (d->wrapped & ~x) | (n.wrapped & x);
	d->wide = (d->wide & ~x) | (n.wide & x);
	if (n.poison & x)
		d->origin = n.origin;
}
