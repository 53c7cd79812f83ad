/* test_emu_warp.c - shuffles, votes and atomics against references written here from the PTX
 * manual. */
#include "tests/ptx/emu_kit.h"

static const char *const isas[] = {"sse2", "avx2", "avx512"};

/* ---- shuffles ---------------------------------------------------------------------------------
 */

enum mode { UP, DOWN, BFLY, IDX };
static const char *const mode_names[] = {"up", "down", "bfly", "idx"};

/* PTX ISA, shfl.sync: source lane, and whether it is in the segment. */
static int source_lane(enum mode m, int lane, uint32_t b, uint32_t c, bool *p)
{
	int bval = b & 31, cval = c & 31, mask = c >> 8 & 31;
	int max = (lane & mask) | (cval & ~mask), min = lane & mask, j = 0;
	switch (m) {
	case UP:
		j = lane - bval, *p = j >= max;
		break;
	case DOWN:
		j = lane + bval, *p = j <= max;
		break;
	case BFLY:
		j = lane ^ bval, *p = j <= max;
		break;
	case IDX:
		j = min | (bval & ~mask), *p = j <= max;
		break;
	}
	return *p ? j : lane;
}
/* text with @M, @C and @D replaced */
static void fill_in(char *out, size_t room, const char *text, const char *m, uint32_t c, uint32_t d)
{
	size_t n = 0;
	for (; *text && n + 16 < room; text++) {
		if (text[0] == '@' && text[1] == 'M')
			n += (size_t)snprintf(out + n, room - n, "%s", m), text++;
		else if (text[0] == '@' && (text[1] == 'C' || text[1] == 'D'))
			n += (size_t)snprintf(out + n, room - n, "%u", text[1] == 'C' ? c : d),
			        text++;
		else
			out[n++] = *text;
	}
	out[n] = 0;
}
static void shuffles_follow_the_manual(void **state)
{
	(void)state;
	static const uint32_t clamps[] = {31, 0, 15, 0x1f, 0x181f, 0x1c1f, 0x1e00, 0x1807, 0x100f};
	for (int m = UP; m <= IDX; m++) {
		for (size_t ci = 0; ci < ARRAY_LEN(clamps); ci++) {
			uint32_t c = clamps[ci], d = (uint32_t)(ci * 7 + 1);
			char ptx[2000];
			/* the parts of the text around the numbers */
			static const char text[] =
			        KERNEL("", "mad.lo.u32 %r2, %r10, 3, @D;\n"
			                   "mul.lo.u32 %r3, %r0, 100;\nshfl.sync.@M.b32 %r1|%p1, "
			                   "%r3, %r2, @C, -1;\n"
			                   "@%p1 add.u32 %r1, %r1, 1;\n");
			fill_in(ptx, sizeof ptx, text, mode_names[m], c, d);
			for (int v = 0; v < 3; v++) {
				struct kit k = {.isa = isas[v]};
				if (!emu_isa_choose(k.isa))
					continue;
				const uint32_t *out = kit_words(&k, ptx, 1, 64);
				for (int t = 0; t < 64; t++) {
					bool p = false;
					int j = source_lane((enum mode)m, t & 31,
					                    (uint32_t)t * 3 + d, c, &p);
					uint32_t want = (uint32_t)((t & 32) + j) * 100 + p;
					check_true(out[t] == want,
					           "%s c=%x %s lane %d: %u, want %u", mode_names[m],
					           c, isas[v], t, out[t], want);
				}
				kit_free(&k);
			}
		}
	}
}
static void a_butterfly_adds_up_a_warp(void **state)
{
	(void)state;
	struct kit k = {.options.sanitize = true};
	const uint32_t *out = kit_words(&k,
	                                KERNEL("", "mul.lo.u32 %r1, %r0, %r0; mov.u32 %r2, 16;\n"
	                                           "L: shfl.sync.bfly.b32 %r3, %r1, %r2, 31, -1; "
	                                           "add.u32 %r1, %r1, %r3; shr.u32 %r2, %r2, 1;\n"
	                                           "setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"),
	                                1, 64);
	kit_clean(&k);
	for (int t = 0; t < 64; t++)
		check_true(out[t] == (t < 32 ? 10416u : 74928u), "%d: %u", t, out[t]);
	kit_free(&k);
}

/* ---- votes ------------------------------------------------------------------------------------
 */

static void votes_and_lane_masks(void **state)
{
	(void)state;
	struct kit k = {.options.sanitize = true};
	/* 40 threads: the second warp has 8 lanes; odd lanes below 20 vote yes */
	const uint32_t *out = kit_words(
	        &k,
	        KERNEL("", "mov.u32 %r2, %laneid; and.b32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 1;\n"
	                   "setp.lt.u32 %p2, %r2, 20; and.pred %p1, %p1, %p2;\n"
	                   "vote.sync.ballot.b32 %r1, %p1, -1; vote.sync.any.pred %p3, %p1, -1;\n"
	                   "vote.sync.all.pred %p4, %p2, -1; vote.sync.uni.pred %p5, !%p2, -1;\n"
	                   "@%p3 add.u32 %r1, %r1, 0x1000000; @%p4 add.u32 %r1, %r1, 0x2000000;\n"
	                   "@%p5 add.u32 %r1, %r1, 0x4000000; mov.u32 %r4, %lanemask_lt; popc.b32 "
	                   "%r4, %r4;\n"
	                   "mov.u32 %r5, %lanemask_ge; popc.b32 %r5, %r5; add.u32 %r4, %r4, %r5;\n"
	                   "setp.ne.u32 %p6, %r4, 32; @%p6 mov.u32 %r1, 0;\n"),
	        1, 40);
	kit_clean(&k);
	for (int t = 0; t < 40; t++) {
		uint32_t want = t < 32 ? 0xaaaaa + 0x1000000 : 0xaa + 0x7000000;
		check_true(out[t] == want, "%d: %x, want %x", t, out[t], want);
	}
	kit_free(&k);
}

/* ---- atomics ----------------------------------------------------------------------------------
 */

struct atom_case {
	const char *op;
	uint64_t start, b, c, old, after; /* the operand of every lane is b; one lane runs */
};
static void one_atomic(const char *space, const struct atom_case *t, int bits, bool red)
{
	char ptx[2000], reg = bits == 64 ? 'd' : bits == 16 ? 'h' : 'r';
	bool cas = strstr(t->op, "cas") != NULL;
	struct kit k = {.options.sanitize = true};
	snprintf(ptx, sizeof ptx,
	         HEAD
	         ".visible .entry k(.param .u64 out, .param .u64 b, .param .u64 c)\n{\n"
	         ".shared .align 8 .b64 s;\n.reg .b16 %%h<5>; .reg .b32 %%r<5>; .reg .b64 %%d<9>;\n"
	         "ld.param.u64 %%d5, [out]; ld.param.b%d %%%c2, [b]; ld.param.b%d %%%c3, [c];\n"
	         "mov.u64 %%d6, s; ld.global.u64 %%d7, [%%d5]; st.shared.u64 [%%d6], %%d7;\n"
	         "mov.b%d %%%c1, 0;\n%s%s.%s %s [%%d%d], %%%c2%s;\n"
	         "%sst.global.b%d [%%d5+8], %%%c1;\nld.shared.u64 %%d7, [%%d6]; %sst.global.u64 "
	         "[%%d5], %%d7;\nret;\n}\n",
	         bits, reg, bits, reg, bits, reg, red ? "red." : "atom.", space, t->op,
	         red ? ""
	             : (const char *[]){"%h1,", "%r1,", "%d1,"}[bits == 16   ? 0
	                                                        : bits == 32 ? 1
	                                                                     : 2],
	         strcmp(space, "shared") ? 5 : 6, reg,
	         cas ? (bits == 64   ? ", %d3"
	                : bits == 16 ? ", %h3"
	                             : ", %r3")
	             : "",
	         red ? "//" : "", bits, reg, strcmp(space, "shared") ? "//" : "");
	uint64_t *out = kit_buffer(&k, "out", RUN_OUT, DT_U64, 2);
	memset(k.buffer[0].written, 0xff, 2);
	out[0] = t->start;
	kit_u64(&k, t->b);
	kit_u64(&k, t->c);
	kit_shape(&k, 1, 1);
	kit_run(&k, ptx, "k");
	kit_clean(&k);
	uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
	check_true((out[0] & mask) == t->after, "%s.%s: left %" PRIx64 ", want %" PRIx64, space,
	           t->op, out[0] & mask, t->after);
	check_true(red || (out[1] & mask) == t->old, "%s.%s: gave %" PRIx64 ", want %" PRIx64,
	           space, t->op, out[1] & mask, t->old);
	kit_free(&k);
}
static void every_atomic_operation(void **state)
{
	(void)state;
	static const struct atom_case t32[] = {
	        {"add.u32", 0xfffffffe, 3, 0, 0xfffffffe, 1},
	        {"and.b32", 0xff00ff00, 0x0ff00ff0, 0, 0xff00ff00, 0x0f000f00},
	        {"or.b32", 0xff00ff00, 0x0ff00ff0, 0, 0xff00ff00, 0xfff0fff0},
	        {"xor.b32", 0xff00ff00, 0x0ff00ff0, 0, 0xff00ff00, 0xf0f0f0f0},
	        {"min.s32", 5, 0xfffffff0, 0, 5, 0xfffffff0},
	        {"min.u32", 5, 0xfffffff0, 0, 5, 5},
	        {"max.s32", 5, 0xfffffff0, 0, 5, 5},
	        {"max.u32", 5, 0xfffffff0, 0, 5, 0xfffffff0},
	        {"inc.u32", 6, 7, 0, 6, 7},
	        {"inc.u32", 7, 7, 0, 7, 0},
	        {"inc.u32", 9, 7, 0, 9, 0},
	        {"dec.u32", 0, 7, 0, 0, 7},
	        {"dec.u32", 9, 7, 0, 9, 7},
	        {"dec.u32", 7, 7, 0, 7, 6},
	        {"add.f32", 0x3f800000, 0x40000000, 0, 0x3f800000, 0x40400000}, /* 1 + 2 */
	        {"add.noftz.f16x2", 0x3c004000, 0x40003c00, 0, 0x3c004000,
	         0x42004200}, /* 1,2 + 2,1 */
	        {"add.noftz.bf16x2", 0x3f804000, 0x40003f80, 0, 0x3f804000, 0x40404040},
	};
	static const struct atom_case only_atom[] = {
	        {"exch.b32", 5, 9, 0, 5, 9},
	        {"cas.b32", 5, 5, 9, 5, 9},
	        {"cas.b32", 5, 6, 9, 5, 5},
	};
	static const struct atom_case t64[] = {
	        {"add.u64", 0xffffffffffffffff, 2, 0, 0xffffffffffffffff, 1},
	        {"min.s64", 5, 0xfffffffffffffff0, 0, 5, 0xfffffffffffffff0},
	        {"max.u64", 5, 0xfffffffffffffff0, 0, 5, 0xfffffffffffffff0},
	        {"xor.b64", 0xff00ff0000000000, 0x0ff00ff000000001, 0, 0xff00ff0000000000,
	         0xf0f0f0f000000001},
	        {"add.f64", 0x3ff0000000000000, 0x4000000000000000, 0, 0x3ff0000000000000,
	         0x4008000000000000},
	};
	static const struct atom_case cas64 = {"cas.b64", 5, 5, 0x900000000, 5, 0x900000000};
	static const struct atom_case cas16 = {"cas.b16", 5, 5, 9, 5, 9};
	static const struct atom_case add16 = {"add.noftz.f16", 0x3c00, 0x4000, 0, 0x3c00, 0x4200};
	for (int s = 0; s < 2; s++) {
		const char *space = s ? "shared" : "global";
		for (size_t i = 0; i < ARRAY_LEN(t32); i++) {
			one_atomic(space, &t32[i], 32, false);
			one_atomic(space, &t32[i], 32, true);
		}
		for (size_t i = 0; i < ARRAY_LEN(only_atom); i++)
			one_atomic(space, &only_atom[i], 32, false);
		for (size_t i = 0; i < ARRAY_LEN(t64); i++) {
			one_atomic(space, &t64[i], 64, false);
			one_atomic(space, &t64[i], 64, true);
		}
		one_atomic(space, &cas64, 64, false);
		one_atomic(space, &cas16, 16, false);
		one_atomic(space, &add16, 16, false);
	}
	/* subnormals: kept in shared memory, flushed in global (ATOMG.ADD.F32 has .FTZ) */
	static const struct atom_case keep = {"add.f32", 0x00000001, 0x00000001, 0, 1, 2};
	static const struct atom_case flush = {"add.f32", 0x00000001, 0x00000001, 0, 1, 0};
	one_atomic("shared", &keep, 32, false);
	one_atomic("global", &flush, 32, false);
}
static void atomics_of_many_threads_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct kit k = {.options = {.sanitize = true, .order_seed = seed}};
		kit_words(&k,
		          KERNEL("", "rem.u32 %r2, %r0, 10; mul.wide.u32 %d4, %r2, 4; add.u64 %d4, "
		                     "%d2, %d4;\n"
		                     "red.global.add.u32 [%d4], %r0;\n"),
		          4, 100);
		kit_clean(&k);
		const uint32_t *in = (uint32_t *)(void *)k.buffer[1].data;
		for (uint32_t r = 0; r < 10; r++) /* r, r+10, …, r+390 */
			check_true(in[r] - r * 2654435761u == 40 * r + 10 * 780, "%u: %u", r,
			           in[r] - r * 2654435761u);
		kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(shuffles_follow_the_manual),
	        cmocka_unit_test(a_butterfly_adds_up_a_warp),
	        cmocka_unit_test(votes_and_lane_masks),
	        cmocka_unit_test(every_atomic_operation),
	        cmocka_unit_test(atomics_of_many_threads_add_up),
	};
	return check_main(tests);
}
