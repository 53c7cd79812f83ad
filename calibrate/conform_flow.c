/* conform_flow.c - programs for control flow, warp and block operations, address conversions, and
 * for instructions that have no result. Each leaves its results in %q10…%q13; %r0…%r3 are the
 * inputs of the thread, four warps are a block. What is run is determinate by the PTX manual: lanes
 * that an operation names take part in it. */
#include "calibrate/conform.h"

#include <string.h>

typedef void program(struct buf *b, const struct conform_form *f, unsigned number);

/* The predicate %p1 of thread or, for .uni, of the block. */
static void choose(struct buf *b, const struct conform_form *f)
{
	buf_puts(b,
	         conform_has(f, "uni") ? "mov.u32 %r0, %ctaid.x; mul.lo.u32 %r0, %r0, 5;\n" : "");
	buf_puts(b, "and.b32 %r4, %r0, 1; setp.ne.u32 %p1, %r4, 0;\n");
}

/* A loop whose length is up to the thread. */
static void bra(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	choose(b, f);
	buf_printf(b,
	           "and.b32 %%r4, %%r0, 15; mov.u32 %%r5, 0;\n"
	           "LOOP: setp.eq.u32 %%p1, %%r4, 0; @%%p1 %s DONE;\n"
	           "add.u32 %%r5, %%r5, %%r1; xor.b32 %%r1, %%r1, %%r5; sub.u32 %%r4, %%r4, 1; %s "
	           "LOOP;\n"
	           "DONE: cvt.u64.u32 %%q10, %%r5;\n",
	           f->text, f->text);
}

static void brx(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	choose(b, f);
	buf_printf(b,
	           "and.b32 %%r4, %%r0, 3; mov.u32 %%r5, 9;\n"
	           "targets: .branchtargets A, B, C, A;\n%s %%r4, targets;\n"
	           "A: add.u32 %%r5, %%r5, %%r1; bra DONE;\nB: mul.lo.u32 %%r5, %%r5, %%r1;\n"
	           "C: xor.b32 %%r5, %%r5, %%r2;\nDONE: cvt.u64.u32 %%q10, %%r5;\n",
	           f->text);
}

/* Each thread, or those whose predicate holds, calls a function with a loop and an early return in
 * it. */
static void call(struct buf *b, const struct conform_form *f, unsigned number)
{
	choose(b, f);
	buf_printf(b,
	           "mov.u32 %%r5, 77; @!%%p1 bra SKIP;\n{ .param .b32 a; .param .b32 r;\n"
	           "st.param.b32 [a], %%r1; %s (r), f%u, (a); ld.param.b32 %%r5, [r]; }\n"
	           "SKIP: cvt.u64.u32 %%q10, %%r5;\n",
	           conform_is(f, "call") ? f->text : "call", number);
}

static void call_function(struct buf *b, const struct conform_form *f, unsigned number)
{
	const char *back = conform_is(f, "ret") ? f->text : "ret";

	if (!conform_is(f, "call") && !conform_is(f, "ret"))
		return;
	buf_printf(b,
	           ".func (.param .b32 r) f%u(.param .b32 a)\n{\n.reg .b32 %%r<6>; .reg .pred "
	           "%%p<2>;\n"
	           "ld.param.b32 %%r1, [a]; st.param.b32 [r], %%r1;\n%s"
	           "and.b32 %%r2, %%r1, 7; setp.lt.u32 %%p1, %%r2, 3;\n@%%p1 %s;\n"
	           "AGAIN: mad.lo.u32 %%r1, %%r1, 3, 1; sub.u32 %%r2, %%r2, 1; setp.ne.u32 %%p1, "
	           "%%r2, 0;\n"
	           "@%%p1 bra AGAIN;\nst.param.b32 [r], %%r1;\nret;\n}\n",
	           number,
	           strstr(back, "uni") ? "mov.u32 %r1, %ctaid.x;\n" : "",
	           back);
}

/* Threads that end leave only what they stored before. */
static void leave(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	choose(b, f);
	buf_printf(b, "st.global.u64 [%%q31], %%q1; @%%p1 %s;\nadd.u64 %%q10, %%q1, 1;\n", f->text);
}

/* ---- barriers ---- */

#define SHARED                                                                                     \
	".shared .align 4 .b8 sh[512];\n"                                                          \
	"mov.u32 %r10, sh; shl.b32 %r11, %r31, 2; add.u32 %r10, %r10, %r11;\n" /* own word */      \
	"mov.u32 %r12, sh; sub.u32 %r12, %r12, %r11;\n" /* word 127 - own: [%r12+508] */

/* What another warp wrote before the barrier; without a count, then with one. */
static void barrier_sync(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	buf_puts(b, SHARED);
	buf_printf(
	        b,
	        "st.shared.u32 [%%r10], %%r0; %s 0; ld.shared.u32 %%r5, [%%r12+508]; bar.sync 0;\n"
	        "st.shared.u32 [%%r10], %%r1; %s 1, 128; ld.shared.u32 %%r6, [%%r12+508];\n"
	        "cvt.u64.u32 %%q10, %%r5; cvt.u64.u32 %%q11, %%r6;\n",
	        f->text, f->text);
}

/* Two warps write and arrive, two wait and read. */
static void barrier_arrive(struct buf *b, const struct conform_form *f, unsigned number)
{
	const char *wait = conform_is(f, "bar")        ? "bar.sync"
	                   : conform_has(f, "aligned") ? "barrier.sync.aligned"
	                                               : "barrier.sync";

	(void)number;
	buf_puts(b, SHARED);
	buf_printf(b,
	           "setp.ge.u32 %%p1, %%r31, 64; @%%p1 bra WAIT;\n"
	           "st.shared.u32 [%%r10], %%r0; %s 2, 128; bra DONE;\n"
	           "WAIT: %s 2, 128; ld.shared.u32 %%r5, [%%r12+508]; cvt.u64.u32 %%q10, "
	           "%%r5;\nDONE:\n",
	           f->text, wait);
}

/* Blocks of increasing density of true predicates, none and all among them. */
#define DENSITY                                                                                    \
	"mov.u32 %r4, %ctaid.x; mov.u32 %r5, 1; shl.b32 %r5, %r5, %r4; sub.u32 %r5, %r5, 1;\n"     \
	"and.b32 %r4, %r0, %r5; setp.eq.u32 %p1, %r4, 0; setp.ne.u32 %p2, %r4, 0;\n"

static void barrier_red(struct buf *b, const struct conform_form *f, unsigned number)
{
	bool count = conform_has(f, "popc");
	const char *d = count ? "%r6" : "%p3";

	(void)number;
	buf_puts(b, DENSITY);
	for (int i = 0; i < 4; i++) {
		buf_printf(b, "%s %s, %d, %s%s%%p%d;\n", f->text, d, i, i & 1 ? "128, " : "",
		           i == 3 ? "!" : "", i == 1 ? 2 : 1);
		if (count)
			buf_printf(b, "cvt.u64.u32 %%q%d, %%r6;\n", 10 + i);
		else
			buf_printf(b, "selp.u64 %%q%d, 1, 0, %%p3;\n", 10 + i);
	}
}

static void barrier(struct buf *b, const struct conform_form *f, unsigned number)
{
	(conform_has(f, "arrive") ? barrier_arrive
	 : conform_has(f, "red")  ? barrier_red
	                          : barrier_sync)(b, f, number);
}

/* ---- within a warp ---- */

#define HALVES "and.b32 %r7, %r31, 16; setp.ne.u32 %p4, %r7, 0; @%p4 bra HIGH;\n"

static void warp_barrier(struct buf *b, const struct conform_form *f, unsigned number)
{
	const char *t = f->text;

	(void)number;
	buf_printf(b,
	           ".shared .align 4 .b8 sh[512];\n"
	           "mov.u32 %%r10, sh; shl.b32 %%r11, %%r31, 2; xor.b32 %%r12, %%r11, 124; add.u32 "
	           "%%r12, %%r10, %%r12;\n"
	           "xor.b32 %%r13, %%r11, 60; add.u32 %%r13, %%r10, %%r13; add.u32 %%r10, %%r10, "
	           "%%r11;\n"
	           "st.shared.u32 [%%r10], %%r0; %s 0xffffffff; ld.shared.u32 %%r5, [%%r12]; %s "
	           "0xffffffff;\n",
	           t, t);
	buf_puts(b, HALVES);
	buf_printf(
	        b,
	        "st.shared.u32 [%%r10], %%r1; %s 0x0000ffff; ld.shared.u32 %%r6, [%%r13]; bra "
	        "DONE;\n"
	        "HIGH: st.shared.u32 [%%r10], %%r2; %s 0xffff0000; ld.shared.u32 %%r6, [%%r13];\n"
	        "DONE: cvt.u64.u32 %%q10, %%r5; cvt.u64.u32 %%q11, %%r6;\n",
	        t, t);
}

/* The whole warp with any lane and any bounds; then halves apart, with bounds and lanes that keep
 * to the half. */
static void shuffle(struct buf *b, const struct conform_form *f, unsigned number)
{
	int clamp = conform_has(f, "up") ? 0 : 31, bounds = 16 << 8 | clamp;

	(void)number;
	buf_printf(b,
	           "%s %%r5|%%p5, %%r0, %%r1, %%r2, 0xffffffff; and.b32 %%r3, %%r3, 0xffffffef;\n",
	           f->text);
	buf_puts(b, HALVES);
	buf_printf(b,
	           "%s %%r6|%%p6, %%r0, %%r3, %d, 0x0000ffff; bra DONE;\n"
	           "HIGH: %s %%r6|%%p6, %%r0, %%r3, %d, 0xffff0000;\nDONE:\n"
	           "cvt.u64.u32 %%q10, %%r5; selp.u64 %%q11, 1, 0, %%p5; cvt.u64.u32 %%q12, %%r6; "
	           "selp.u64 %%q13, 1, 0, %%p6;\n",
	           f->text, bounds, f->text, bounds);
}

static void vote(struct buf *b, const struct conform_form *f, unsigned number)
{
	bool ballot = conform_has(f, "ballot");
	static const char *const predicate[] = {"%p1", "!%p1", "%p2", "%p1"};
	const char *t = f->text;

	(void)number;
	buf_puts(b, DENSITY);
	for (int i = 0; i < 3; i++)
		buf_printf(b, "%s %%%c%d, %s, 0xffffffff;\n", t, ballot ? 'r' : 'p',
		           20 - 10 * !ballot + i, predicate[i]);
	buf_puts(b, HALVES);
	buf_printf(b,
	           "%s %%%c%d, %%p1, 0x0000ffff; bra DONE;\nHIGH: %s %%%c%d, %%p1, "
	           "0xffff0000;\nDONE:\n",
	           t, ballot ? 'r' : 'p', ballot ? 23 : 13, t, ballot ? 'r' : 'p',
	           ballot ? 23 : 13);
	for (int i = 0; i < 4; i++)
		if (ballot)
			buf_printf(b, "cvt.u64.u32 %%q%d, %%r%d;\n", 10 + i, 20 + i);
		else
			buf_printf(b, "selp.u64 %%q%d, 1, 0, %%p%d;\n", 10 + i, 10 + i);
}

/* A whole warp, and what is left of it when some lanes have ended. */
static void active(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	buf_printf(b,
	           "%s %%r5; and.b32 %%r4, %%r0, 3; setp.eq.u32 %%p1, %%r4, 0;\n"
	           "cvt.u64.u32 %%q10, %%r5; st.global.u64 [%%q31], %%q10; @%%p1 exit;\n"
	           "%s %%r6; cvt.u64.u32 %%q11, %%r6;\n",
	           f->text, f->text);
}

/* ---- addresses ---- */

static const char *const spaces[] = {"global", "shared", "local", "const", "param"};

/* %q0…%q4: an address in each space; each holds a word that is known. */
static void addresses(struct buf *b)
{
	buf_puts(b,
	         ".shared .align 8 .b8 sh[1024]; .local .align 8 .b8 loc[64];\n"
	         "mov.u64 %q0, %q31; mov.u64 %q1, sh; mad.wide.u32 %q1, %r31, 8, %q1; mov.u64 %q2, "
	         "loc; add.u64 %q2, "
	         "%q2, 16; mov.u64 %q3, table; add.u64 %q3, %q3, 24; mov.b64 %q4, prm; add.u64 "
	         "%q4, %q4, 32;\n"
	         "st.global.u32 [%q0], %r1; st.shared.u32 [%q1], %r2; st.local.u32 [%q2], %r3;\n");
}

static void is_space(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	addresses(b);
	for (int i = 0; i < 5; i++)
		buf_printf(b,
		           "cvta.%s.u64 %%q%d, %%q%d; %s %%p1, %%q%d; selp.u64 %%q6, %d, 0, %%p1; "
		           "or.b64 %%q10, "
		           "%%q10, %%q6;\n",
		           spaces[i], i, i, f->text, i, 1 << i);
}

/* There, there and back, and a load at either end. */
static void convert_address(struct buf *b, const struct conform_form *f, unsigned number)
{
	bool to = conform_has(f, "to");

	(void)number;
	addresses(b);
	for (int i = 0; i < 5; i++) {
		if (!conform_has(f, spaces[i]))
			continue;
		if (to)
			buf_printf(b, "cvta.%s.u64 %%q5, %%q%d; %s %%q6, %%q5;\n", spaces[i], i,
			           f->text);
		else
			buf_printf(b, "%s %%q5, %%q%d; cvta.to.%s.u64 %%q6, %%q5;\n", f->text, i,
			           spaces[i]);
		buf_printf(b,
		           "setp.eq.u64 %%p1, %%q6, %%q%d; selp.u64 %%q10, 1, 0, %%p1; isspacep.%s "
		           "%%p1, %%q5;\n"
		           "selp.u64 %%q11, 1, 0, %%p1; ld.u32 %%r5, [%%q5]; cvt.u64.u32 %%q12, "
		           "%%r5;\n"
		           "ld.%s.u32 %%r6, [%%q6]; cvt.u64.u32 %%q13, %%r6;\n",
		           i, spaces[i], spaces[i]);
	}
}

/* ---- no result ---- */

static void quiet(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	buf_puts(b, ".local .align 8 .b8 loc[64];\n"
	            "mov.u64 %q5, loc; st.local.u64 [%q5], %q0; st.global.u64 [%q31], %q1; and.b32 "
	            "%r4, %r0, 63;\n");
	if (strncmp(f->text, "prefetch", 8) == 0)
		buf_printf(b, "%s [%%q%d];\n", f->text, conform_has(f, "local") ? 5 : 31);
	else
		buf_printf(b, "%s%s;\n", f->text, conform_is(f, "nanosleep") ? " %r4" : "");
	buf_puts(b, "ld.local.u64 %q10, [%q5]; ld.global.u64 %q11, [%q31]; mov.u64 %q12, %q2; "
	            "mov.u64 %q13, %q3;\n");
}

/* One thread of each block. */
static void end(struct buf *b, const struct conform_form *f, unsigned number)
{
	(void)number;
	buf_printf(b, "setp.eq.u32 %%p1, %%r31, 5; @%%p1 %s;\n", f->text);
}

static const struct {
	const char *op;
	program *body;
} programs[] = {
        {"activemask", active}, {"bar", barrier},
        {"barrier", barrier},   {"bra", bra},
        {"brkpt", end},         {"brx", brx},
        {"call", call},         {"cvta", convert_address},
        {"exit", leave},        {"fence", quiet},
        {"isspacep", is_space}, {"membar", quiet},
        {"nanosleep", quiet},   {"prefetch", quiet},
        {"prefetchu", quiet},   {"ret", call},
        {"shfl", shuffle},      {"trap", end},
        {"vote", vote},
};

void conform_flow_body(struct buf *b, const struct conform_kernel *k, unsigned number)
{
	for (int i = 0; i < 4; i++)
		buf_printf(b,
		           "ld.global.u64 %%q%d, [%%q30+%d]; cvt.u32.u64 %%r%d, %%q%d; mov.u64 "
		           "%%q%d, 0;\n",
		           i, 8 * i, i, i, 10 + i);
	if (strncmp(k->form.text, "bar.warp", 8) == 0) {
		warp_barrier(b, &k->form, number);
	} else {
		for (size_t i = 0; i < ARRAY_LEN(programs); i++)
			if (conform_is(&k->form, programs[i].op))
				programs[i].body(b, &k->form, number);
	}
	for (int i = 0; i < 4; i++)
		buf_printf(b, "st.global.u64 [%%q31+%d], %%q%d;\n", 8 * i, 10 + i);
}

void conform_flow_functions(struct buf *b, const struct conform_kernel *k, unsigned number)
{
	call_function(b, &k->form, number);
}
