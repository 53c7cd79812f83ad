/* run.c - one launch: checks its shape, lays out memory, runs its blocks one after the other. */
#include "ptx/emu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUDGET (1ull << 34)
#define MAX_REGIONS    65000 /* 2^40 apart, below the windows at 2^56 */
#define FUEL           4096  /* blocks of code a warp enters before the next one gets its turn */

/* ---- the launch -------------------------------------------------------------------------------
 */

/* A launch that the hardware refuses: a finding without a place. */
static void refuse(struct emu_run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void refuse(struct emu_run *r, const char *fmt, ...)
{
	struct finding f = {.kind = FIND_LAUNCH_LIMIT, .count = 1};
	va_list ap;
	snprintf(f.entry, sizeof f.entry, "%s", r->p->entry);
	va_start(ap, fmt);
	vsnprintf(f.text, sizeof f.text, fmt, ap);
	va_end(ap);
	run_report_add(r->report, &f);
	r->stop = true;
}

/* Limits of compute capability 9.0 (CUDA C++ Programming Guide, technical specifications). */
static void check_block(struct emu_run *r)
{
	static const uint32_t most[3] = {1024, 1024, 64};
	const struct ptx_program *p = r->p;
	const uint32_t *b = r->launch->block;
	uint64_t n = (uint64_t)b[0] * b[1] * b[2];
	for (int i = 0; i < 3; i++)
		if (b[i] == 0 || b[i] > most[i])
			return refuse(r, "block size %u in dimension %c; it must be 1 to %u", b[i],
			              'x' + i, most[i]);
	if (n > MAX_BLOCK_THREADS)
		return refuse(r, "a block of %llu threads; at most 1024", (unsigned long long)n);
	uint64_t max = (uint64_t)p->maxntid[0] * p->maxntid[1] * p->maxntid[2];
	if (p->reqntid[0] && memcmp(p->reqntid, b, sizeof p->reqntid) != 0)
		return refuse(
		        r,
		        "a block of %ux%ux%u threads, and the kernel is compiled for %ux%ux%u "
		        "(.reqntid)",
		        b[0], b[1], b[2], p->reqntid[0], p->reqntid[1], p->reqntid[2]);
	if (max && n > max)
		refuse(r,
		       "a block of %llu threads, and the kernel is compiled for at most %llu "
		       "(.maxntid)",
		       (unsigned long long)n, (unsigned long long)max);
}
static void check_launch(struct emu_run *r)
{
	static const uint32_t most[3] = {0x7fffffff, 65535, 65535};
	const uint32_t *g = r->launch->grid;
	for (int i = 0; i < 3; i++)
		if (g[i] > most[i])
			return refuse(r, "grid size %u in dimension %c; at most %u", g[i], 'x' + i,
			              most[i]);
	check_block(r);
	if (r->p->static_shared > MAX_STATIC_SHARED)
		return refuse(r, "%u bytes of static shared memory; at most %u",
		              r->p->static_shared, MAX_STATIC_SHARED);
	uint64_t shared = (uint64_t)r->p->dynamic_base + r->launch->shared;
	if (shared > MAX_SHARED)
		refuse(r, "%llu bytes of shared memory; a block has at most %u",
		       (unsigned long long)shared, MAX_SHARED);
}

/* Copies the arguments into the parameter block. */
static enum st place_arguments(struct emu_run *r, struct err *e)
{
	const struct ptx_program *p = r->p;
	const struct run_launch *l = r->launch;
	if (l->nargs != p->nparam)
		return FAIL(e, INPUT, "kernel %s takes %d arguments, the launch gives %d", p->entry,
		            p->nparam, l->nargs);
	for (int i = 0; i < l->nargs; i++) {
		const struct run_arg *a = &l->args[i];
		const struct ptx_param *q = &p->param[i];
		if (a->buffer >= r->nbuffers)
			return FAIL(e, INPUT,
			            "argument %d of kernel %s points into buffer %d of %d", i,
			            p->entry, a->buffer, r->nbuffers);
		if (a->bytes != q->bytes || a->bytes > RUN_ARG_BYTES)
			return FAIL(
			        e, INPUT,
			        "argument %d (%s) of kernel %s has %u bytes, the launch gives %u",
			        i, q->name, p->entry, q->bytes, a->bytes);
		if (a->buffer < 0) {
			memcpy(r->param + q->offset, a->value, a->bytes);
			continue;
		}
		if (a->bytes != 8)
			return FAIL(
			        e, INPUT,
			        "argument %d (%s) of kernel %s is a pointer and must have 8 bytes",
			        i, q->name, p->entry);
		uint64_t addr = r->region[a->buffer].base + a->byte_offset;
		memcpy(r->param + q->offset, &addr, sizeof addr);
	}
	return ST_OK;
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static bool all_set(const uint8_t *map, uint64_t bits)
{
	for (uint64_t i = 0; i < bits / 8; i++)
		if (map[i] != 0xff)
			return false;
	uint8_t rest = (uint8_t)((1u << bits % 8) - 1);
	return bits % 8 == 0 || (map[bits / 8] & rest) == rest;
}
static void map_buffers(struct emu_run *r, struct run_buffer *b, int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t skew = (uintptr_t)b[i].data & 255;
		bool full = !b[i].valid || all_set(b[i].valid, b[i].bytes);
		r->region[i] = (struct emu_region){
		        .name = b[i].name ? b[i].name : "a buffer",
		        .base = ((uint64_t)(i + 1) << REGION_SHIFT) + skew,
		        .data = b[i].data,
		        .bytes = b[i].bytes,
		        .guard = b[i].guard,
		        .valid = full ? NULL : b[i].valid,
		        .written = r->sanitize ? b[i].written : NULL,
		        .plain = full && !b[i].written,
		        .elem = (uint32_t)dtype_bytes(b[i].dt),
		};
	}
}
/* Module variables get fresh memory, with their initial contents, at every launch. */
static void map_variables(struct emu_run *r)
{
	const struct ptx_program *p = r->p;
	for (int i = 0; i < p->ngvar; i++) {
		const struct emu_var *v = &p->gvar[i];
		struct emu_region *g = &r->region[r->nbuffers + i];
		uint64_t align = v->var->align > 16 ? 256 : 16, room = v->bytes + align;
		uint8_t *m = mem_zalloc(room, 1);
		*g = (struct emu_region){
		        .name = v->name,
		        .base = (uint64_t)(r->nbuffers + i + 1) << REGION_SHIFT,
		        .data = m,
		        .bytes = v->bytes,
		        .plain = true,
		        .constant = v->space == MOD_CONST,
		        .elem = v->elem,
		};
		if (v->var->ninit)
			memcpy(m, v->var->init, v->var->ninit);
	}
	for (int i = 0; i < p->ngvar; i++)
		for (int k = 0; k < p->gvar[i].var->nreloc; k++) {
			const struct ir_reloc *c = &p->gvar[i].var->reloc[k];
			int to = emu_find_gvar(p, c->var);
			uint64_t addr =
			        to >= 0 ? r->region[r->nbuffers + to].base + (uint64_t)c->add : 0;
			memcpy(r->region[r->nbuffers + i].data + c->at, &addr, c->width);
		}
}

static uint8_t *aligned(size_t bytes)
{
	uint8_t *p = aligned_alloc(256, (bytes + 511) & ~(size_t)255);
	if (!p)
		p = mem_alloc((size_t)-1); /* ends the program as every failed allocation does */
	return p;
}
/* Register files, shared and local memory for one block; blocks use them in turn. */
static void make_warps(struct emu_run *r)
{
	const struct ptx_program *p = r->p;
	size_t units = p->file_bytes / UNIT;
	uint64_t frames = p->local_bytes * LANES;
	r->warp = mem_zalloc(r->nwarps, sizeof *r->warp);
	r->shared_bytes = p->dynamic_base + r->launch->shared;
	r->shared = aligned(r->shared_bytes + 2 * SHARED_GUARD);
	if (r->sanitize)
		r->shared_shadow = aligned(r->shared_bytes + 2 * SHARED_GUARD);
	if (frames)
		r->local = aligned(frames * r->nwarps);
	if (frames && r->sanitize)
		r->local_shadow = aligned(frames * r->nwarps);
	for (uint32_t i = 0; i < r->nwarps; i++) {
		struct emu_warp *w = &r->warp[i];
		w->reg = aligned(p->file_bytes);
		memset(w->reg, 0, p->file_bytes);
		w->shadow = r->sanitize ? mem_zalloc(units, sizeof *w->shadow) : NULL;
		w->run = r;
		w->index = (int)i;
		w->code = p->op;
		w->shared = r->shared + SHARED_GUARD;
		w->shared_shadow = r->sanitize ? r->shared_shadow + SHARED_GUARD : NULL;
		w->local = frames ? r->local + frames * i : NULL;
		w->local_shadow = frames && r->sanitize ? r->local_shadow + frames * i : NULL;
		uint32_t left = r->nthreads - i * LANES;
		w->exists = left >= LANES ? ALL_LANES : (1u << left) - 1;
	}
}
static void free_run(struct emu_run *r)
{
	for (uint32_t i = 0; r->warp && i < r->nwarps; i++) {
		free(r->warp[i].reg);
		free(r->warp[i].shadow);
	}
	for (int i = r->nbuffers; r->region && i < r->nregion; i++)
		free(r->region[i].data);
	free(r->warp);
	free(r->region);
	free(r->shared);
	free(r->shared_shadow);
	free(r->local);
	free(r->local_shadow);
	free(r->param);
	free(r->hits);
}

/* ---- registers that are there from the start --------------------------------------------------
 */

static void fill32(struct emu_warp *w, uint32_t reg, uint32_t v)
{
	uint32_t *d = emu_reg(w, reg);
	for (int i = 0; i < LANES; i++)
		d[i] = v;
}
static void fill64(struct emu_warp *w, uint32_t reg, uint64_t v)
{
	uint64_t *d = emu_reg(w, reg);
	for (int i = 0; i < LANES; i++)
		d[i] = v;
}
static void fill_constants(struct emu_warp *w)
{
	const struct ptx_program *p = w->run->p;
	for (int i = 0; i < p->nkonst; i++) {
		const struct emu_const *c = &p->konst[i];
		if (c->bytes == 8)
			fill64(w, c->reg, c->bits);
		else if (c->bytes == 0) /* a predicate */
			*emu_pred(w, c->reg) = c->bits ? ALL_LANES : 0;
		else
			fill32(w, c->reg, (uint32_t)c->bits);
	}
	for (int i = 0; i < p->naddr; i++) {
		const struct emu_addr *a = &p->addr[i];
		fill64(w, a->reg,
		       w->run->region[w->run->nbuffers + a->region].base + (uint64_t)a->add);
	}
}
static uint32_t sreg_lane(const struct emu_warp *w, enum ir_sreg s, uint32_t lane)
{
	const struct emu_run *r = w->run;
	const uint32_t *b = r->launch->block, *g = r->launch->grid;
	uint32_t t = (uint32_t)w->index * LANES + lane, below = (1u << lane) - 1;
	switch (s) {
	case SR_TID_X:
		return t % b[0];
	case SR_TID_Y:
		return t / b[0] % b[1];
	case SR_TID_Z:
		return t / b[0] / b[1];
	case SR_NTID_X:
		return b[0];
	case SR_NTID_Y:
		return b[1];
	case SR_NTID_Z:
		return b[2];
	case SR_CTAID_X:
	case SR_CLUSTERID_X:
		return r->ctaid[0];
	case SR_CTAID_Y:
	case SR_CLUSTERID_Y:
		return r->ctaid[1];
	case SR_CTAID_Z:
	case SR_CLUSTERID_Z:
		return r->ctaid[2];
	case SR_NCTAID_X:
	case SR_NCLUSTERID_X:
		return g[0];
	case SR_NCTAID_Y:
	case SR_NCLUSTERID_Y:
		return g[1];
	case SR_NCTAID_Z:
	case SR_NCLUSTERID_Z:
		return g[2];
	case SR_LANEID:
		return lane;
	case SR_WARPID:
		return (uint32_t)w->index;
	case SR_NWARPID:
		return 64; /* warps of an sm_90 multiprocessor */
	case SR_SMID:
		return (uint32_t)(r->block_index % 132);
	case SR_NSMID:
		return 132; /* multiprocessors of an H200 SXM */
	case SR_LANEMASK_EQ:
		return 1u << lane;
	case SR_LANEMASK_LT:
		return below;
	case SR_LANEMASK_LE:
		return below | 1u << lane;
	case SR_LANEMASK_GT:
		return ~(below | 1u << lane);
	case SR_LANEMASK_GE:
		return ~below;
	case SR_CLUSTER_NCTAID_X:
	case SR_CLUSTER_NCTAID_Y:
	case SR_CLUSTER_NCTAID_Z:
	case SR_CLUSTER_NCTARANK:
		return 1; /* clusters of one block */
	case SR_TOTAL_SMEM_SIZE:
		return r->shared_bytes;
	case SR_AGGR_SMEM_SIZE: /* with what the system keeps of each block's (H200: 1 KiB) */
		return r->shared_bytes + 1024;
	case SR_DYNAMIC_SMEM_SIZE:
		return r->launch->shared;
	default:
		return 0; /* cluster_ctaid, cluster_ctarank, gridid */
	}
}
static void fill_special(struct emu_warp *w)
{
	const struct ptx_program *p = w->run->p;
	for (int i = 0; i < p->nsreg; i++) {
		const struct emu_sreg *s = &p->sreg[i];
		if (ir_sreg_type(s->sr) == TY_PRED) {
			*emu_pred(w, s->reg) = 0; /* is_explicit_cluster */
			continue;
		}
		if (ir_ty_bits(ir_sreg_type(s->sr)) == 64) {
			fill64(w, s->reg, 0); /* gridid */
			continue;
		}
		uint32_t *d = emu_reg(w, s->reg);
		for (uint32_t k = 0; k < LANES; k++)
			d[k] = sreg_lane(w, s->sr, k);
	}
}
/* Before a block: nothing is known of any register but the constants. */
static void forget(struct emu_warp *w)
{
	const struct ptx_program *p = w->run->p;
	size_t units = p->file_bytes / UNIT;
	for (size_t i = 0; i < units; i++)
		w->shadow[i] = (struct emu_shadow){p->regname[i] ? ALL_LANES : 0, 0, 0, 0};
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

/* Element i of a permutation of 0..n-1 chosen by key: a Feistel network on the next even number of
 * bits, walked until it lands below n. Key 0 is the identity. */
static uint64_t permuted(uint64_t i, uint64_t n, uint64_t key)
{
	int half = 1;
	if (!key)
		return i;
	while (n > 1ull << 2 * half)
		half++;
	uint64_t mask = (1ull << half) - 1;
	do {
		uint64_t left = i >> half, right = i & mask;
		for (uint64_t round = 0; round < 4; round++) {
			uint64_t f = rand_u64(key, round, right) & mask, t = left ^ f;
			left = right;
			right = t;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

static void start_block(struct emu_run *r, uint64_t index)
{
	const uint32_t *g = r->launch->grid;
	r->block_index = index;
	r->ctaid[0] = (uint32_t)(index % g[0]);
	r->ctaid[1] = (uint32_t)(index / g[0] % g[1]);
	r->ctaid[2] = (uint32_t)(index / g[0] / g[1]);
	r->exited = 0;
	memset(r->bar, 0, sizeof r->bar);
	memset(r->shared, 0, r->shared_bytes + 2 * SHARED_GUARD);
	if (r->sanitize)
		memset(r->shared_shadow, 0xff, r->shared_bytes + 2 * SHARED_GUARD);
	if (r->local_shadow)
		memset(r->local_shadow, 0xff, r->p->local_bytes * LANES * r->nwarps);
	for (uint32_t i = 0; i < r->nwarps; i++) {
		struct emu_warp *w = &r->warp[i];
		w->exec = w->alive = w->exists;
		w->ngroup = w->nwait = 0;
		w->unfair = w->overtaken = 0;
		w->next = w->code;
		w->state = WARP_READY;
		fill_special(w);
		if (r->sanitize)
			forget(w);
	}
}
static void run_block(struct emu_run *r, uint64_t index)
{
	start_block(r, index);
	void (*run)(struct emu_warp *) = r->sanitize ? r->p->isa->run_sanitized : r->p->isa->run;
	uint64_t key = r->order_seed ? r->order_seed + 1 + index : 0;
	do {
		for (uint64_t i = 0; i < r->nwarps && !r->stop; i++) {
			struct emu_warp *w = &r->warp[permuted(i, r->nwarps, key)];
			if (w->state != WARP_READY)
				continue;
			w->fuel = FUEL;
			run(w);
		}
	} while (!r->stop && emu_release(r));
}

static void run_grid(struct emu_run *r)
{
	const uint32_t *g = r->launch->grid;
	uint64_t n = (uint64_t)g[0] * g[1] * g[2];
	if (n == 0)
		return; /* no launch */
	make_warps(r);
	for (uint32_t i = 0; i < r->nwarps; i++)
		fill_constants(&r->warp[i]);
	for (uint64_t i = 0; i < n && !r->stop; i++)
		run_block(r, permuted(i, n, r->order_seed));
}

enum st ptx_run(const struct ptx_program *p, const struct run_launch *l, struct run_buffer *buffers,
                int nbuffers, const struct ptx_run_options *o, struct run_report *report,
                struct err *e)
{
	double start = clock_seconds();
	if (nbuffers < 0 || nbuffers + p->ngvar >= MAX_REGIONS)
		return FAIL(e, INPUT, "kernel %s with %d buffers; at most %d", p->entry, nbuffers,
		            MAX_REGIONS);
	size_t nhits = p->nblock + 2 * (size_t)p->nbranch;
	struct emu_run r = {
	        .p = p,
	        .launch = l,
	        .report = report,
	        .nbuffers = nbuffers,
	        .nregion = nbuffers + p->ngvar,
	        .sanitize = o && o->sanitize,
	        .budget = o && o->budget ? o->budget : DEFAULT_BUDGET,
	        .order_seed = o ? o->order_seed : 0,
	        .nthreads = l->block[0] * l->block[1] * l->block[2],
	};
	r.nwarps = (r.nthreads + LANES - 1) / LANES;
	r.region = mem_zalloc((size_t)r.nregion + 1, sizeof *r.region);
	r.param = mem_zalloc(p->param_bytes + RUN_ARG_BYTES, 1);
	r.hits = mem_zalloc(nhits + 1, sizeof *r.hits);
	map_buffers(&r, buffers, nbuffers);
	map_variables(&r);
	enum st rc = place_arguments(&r, e);
	if (rc == ST_OK) {
		check_launch(&r);
		if (!r.stop)
			run_grid(&r);
		report->complete = !r.stop;
		report->lane_instructions += r.lanes;
		report->warp_instructions += r.warp_insns;
		report->seconds += clock_seconds() - start;
		for (size_t i = 0; o && o->coverage && i < nhits; i++)
			o->coverage->hits[i] += r.hits[i];
	}
	free_run(&r);
	return rc;
}
