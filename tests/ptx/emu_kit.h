/* emu_kit.h - for the emulator's tests: parse a PTX text, give it buffers, run it, look at what
 * came of it. */
#ifndef TESTS_PTX_EMU_KIT_H
#define TESTS_PTX_EMU_KIT_H

#include "ptx/emu.h"
#include "tests/check.h"

#define KIT_BUFFERS 6
#define KIT_GUARD   256
#define HEAD        ".version 8.0\n.target sm_90\n.address_size 64\n"

/* One launch: fill grid, block, shared; add buffers and scalars in the order of the parameters. */
struct kit {
	struct run_buffer buffer[KIT_BUFFERS];
	uint8_t *storage[KIT_BUFFERS];
	int nbuffers;
	struct run_arg arg[16];
	struct run_launch launch;
	struct run_report report;
	struct ptx_run_options options;
	struct ptx_options lowering;
	const char *isa;
	struct ptx_coverage *coverage; /* of the last run, when options.coverage was asked for */
	struct err err;
};

/* A buffer of n elements that is also the next argument; returns its data (zeroed; guards 0xa5). */
static void *kit_buffer(struct kit *k, const char *name, enum run_role role, enum dtype dt,
                        size_t n)
{
	size_t bytes = n * (size_t)dtype_bytes(dt);
	uint8_t *s = aligned_alloc(256, (bytes + 2 * KIT_GUARD + 511) & ~(size_t)255);
	memset(s, 0xa5, bytes + 2 * KIT_GUARD);
	memset(s + KIT_GUARD, 0, bytes);
	struct run_buffer *b = &k->buffer[k->nbuffers];
	*b = (struct run_buffer){name, role, dt, s + KIT_GUARD, bytes, KIT_GUARD, NULL, NULL};
	if (role != RUN_IN)
		b->written = calloc(bytes / 8 + 1, 1);
	k->storage[k->nbuffers] = s;
	k->arg[k->launch.nargs++] = (struct run_arg){.buffer = k->nbuffers++, .bytes = 8};
	return b->data;
}
static void kit_scalar(struct kit *k, const void *v, uint32_t bytes)
{
	struct run_arg *a = &k->arg[k->launch.nargs++];
	*a = (struct run_arg){.buffer = -1, .bytes = bytes};
	memcpy(a->value, v, bytes);
}
static void kit_u32(struct kit *k, uint32_t v)
{
	kit_scalar(k, &v, 4);
}
static void kit_u64(struct kit *k, uint64_t v)
{
	kit_scalar(k, &v, 8);
}
static void kit_shape(struct kit *k, uint32_t grid, uint32_t block)
{
	for (int i = 0; i < 3; i++) {
		k->launch.grid[i] = i ? 1 : grid;
		k->launch.block[i] = i ? 1 : block;
	}
}
/* Parses, lowers and runs; returns the status. */
static enum st kit_try(struct kit *k, const char *ptx, const char *entry)
{
	struct ptx_module *m = NULL;
	struct ptx_program *p = NULL;
	enum st rc = ptx_parse(ptx, strlen(ptx), "test.ptx", &m, &k->err);
	k->launch.entry = entry;
	k->launch.args = k->arg;
	if (rc == ST_OK)
		rc = emu_lower(m, entry, &k->lowering, emu_isa_choose(k->isa), &p, &k->err);
	if (rc == ST_OK)
		rc = ptx_run(p, &k->launch, k->buffer, k->nbuffers, &k->options, &k->report,
		             &k->err);
	ptx_program_free(p);
	ptx_module_free(m);
	return rc;
}
static void kit_run(struct kit *k, const char *ptx, const char *entry)
{
	check_ok(kit_try(k, ptx, entry), &k->err);
}
static void kit_free(struct kit *k)
{
	for (int i = 0; i < k->nbuffers; i++) {
		free(k->storage[i]);
		free(k->buffer[i].written);
		free(k->buffer[i].valid);
	}
	memset(k, 0, sizeof *k);
}
/* The finding of a kind, NULL: none. */
static const struct finding *kit_found(const struct kit *k, enum finding_kind kind)
{
	for (int i = 0; i < k->report.nfindings; i++)
		if (k->report.findings[i].kind == kind)
			return &k->report.findings[i];
	return NULL;
}
/* No finding that is an error. */
static void kit_clean(const struct kit *k)
{
	for (int i = 0; i < k->report.nfindings; i++) {
		const struct finding *f = &k->report.findings[i];
		check_true(!finding_is_error(f->kind), "%s at PTX line %d: %s",
		           finding_name(f->kind), f->ptx_line, f->text);
	}
	check_true(k->report.complete, "the run is not complete");
}

/* A kernel that computes %r1 from %r0, the thread's number in the grid (%r10 in the block), in
 * `body`, and stores it to out[%r0], which %d0 points to. */
#define KERNEL(decls, body)                                                                        \
	HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"                             \
	     ".reg .pred %p<10>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .f32 %f<20>;\n"          \
	     ".reg .b64 %d<40>; .reg .f64 %g<10>;\n" decls "\n"                                    \
	     "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in];\n"                                  \
	     "mov.u32 %r10, %tid.x; mov.u32 %r11, %ctaid.x; mov.u32 %r12, %ntid.x;\n"              \
	     "mad.lo.u32 %r0, %r11, %r12, %r10; mul.wide.u32 %d3, %r0, 4; add.u64 %d0, %d1, "      \
	     "%d3;\n"                                                                              \
	     "mov.u32 %r1, 0;\n" body "\nst.global.u32 [%d0], %r1;\nret;\n}\n"

/* Runs such a kernel on grid x block threads; gives out, which the kit frees. */
static const uint32_t *kit_words(struct kit *k, const char *ptx, uint32_t grid, uint32_t block)
{
	size_t n = (size_t)grid * block;
	uint32_t *out = kit_buffer(k, "out", RUN_OUT, DT_U32, n);
	uint32_t *in = kit_buffer(k, "in", RUN_IN, DT_U32, 1024);
	for (uint32_t i = 0; i < 1024; i++)
		in[i] = i * 2654435761u;
	kit_shape(k, grid, block);
	kit_run(k, ptx, "k");
	return out;
}

#endif
