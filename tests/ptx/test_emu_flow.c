/* test_emu_flow.c - control flow of the emulator: lanes that part and meet, loops, calls, barriers.
 * Expected values are what a plain C loop over the threads computes. */
#include "tests/ptx/emu_kit.h"

static void expect_words(const char *ptx, uint32_t grid, uint32_t block, uint32_t (*f)(uint32_t i))
{
	for (int variant = 0; variant < 4; variant++) {
		struct kit k = {
		        .options = {.sanitize = variant & 1, .order_seed = variant & 2 ? 77 : 0}};
		const uint32_t *out = kit_words(&k, ptx, grid, block);
		kit_clean(&k);
		for (uint32_t i = 0; i < grid * block; i++)
			check_true(out[i] == f(i), "thread %u: got %u, want %u", i, out[i], f(i));
		kit_free(&k);
	}
}

/* ---- divergence -------------------------------------------------------------------------------
 */

static uint32_t nested(uint32_t i)
{
	uint32_t v = i & 1 ? (i & 2 ? 10 : 20) : (i % 3 == 0 ? 30 : i);
	return v * 7 + 1;
}
static void nested_conditions_meet_again(void **state)
{
	(void)state;
	expect_words(KERNEL("", "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;\n"
	                        "and.b32 %r2, %r0, 2; setp.eq.u32 %p2, %r2, 0; @%p2 bra ODD0;\n"
	                        "mov.u32 %r1, 10; bra JOIN;\nODD0: mov.u32 %r1, 20; bra JOIN;\n"
	                        "EVEN: rem.u32 %r2, %r0, 3; mov.u32 %r1, %r0; setp.ne.u32 %p3, "
	                        "%r2, 0;\n@%p3 bra JOIN;\n"
	                        "mov.u32 %r1, 30;\nJOIN: mad.lo.u32 %r1, %r1, 7, 1;\n"),
	             3, 96, nested);
}
static uint32_t bits_of_floats(uint32_t i)
{
	return i & 1 ? 0x3fc00000 : 0xff800000; /* 1.5 and -infinity of IEEE 754 binary32 */
}
static void a_float_as_an_untyped_operand_is_its_bits(void **state)
{
	(void)state;
	expect_words(KERNEL("", "and.b32 %r2, %r0, 1; setp.ne.u32 %p1, %r2, 0;\n"
	                        "mov.b32 %r3, 0fFF800000;\nselp.b32 %r1, 0f3FC00000, %r3, %p1;\n"),
	             2, 32, bits_of_floats);
}
static uint32_t collatz(uint32_t i)
{
	uint32_t n = i + 1, steps = 0;
	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}
static void loops_with_different_trip_counts(void **state)
{
	(void)state;
	expect_words(KERNEL("",
	                    "add.u32 %r2, %r0, 1;\nLOOP: setp.eq.u32 %p1, %r2, 1; @%p1 bra DONE;\n"
	                    "and.b32 %r3, %r2, 1; setp.eq.u32 %p2, %r3, 1;\n"
	                    "@%p2 mad.lo.u32 %r2, %r2, 3, 1;\n@!%p2 shr.u32 %r2, %r2, 1;\n"
	                    "add.u32 %r1, %r1, 1; bra LOOP;\nDONE:\n"),
	             2, 128, collatz);
}
static uint32_t active_after_loop(uint32_t i)
{
	return i < 64 ? 0xffffffff : 0xffff; /* 80 threads: the last warp has 16 */
}
static void lanes_that_leave_a_loop_early_wait_for_the_others(void **state)
{
	(void)state;
	/* the exits in the middle of the body come before the back edge in the text */
	expect_words(KERNEL("",
	                    "and.b32 %r2, %r0, 7; mov.u32 %r3, 0;\n"
	                    "LOOP: setp.ge.u32 %p1, %r3, %r2; @%p1 bra OUT;\nadd.u32 %r3, %r3, 1;\n"
	                    "setp.eq.u32 %p2, %r3, 5; @%p2 bra OUT2; bra LOOP;\n"
	                    "OUT: add.u32 %r4, %r3, 1; bra JOIN;\nOUT2: add.u32 %r4, %r3, 2;\n"
	                    "JOIN: activemask.b32 %r1;\n"),
	             1, 80, active_after_loop);
}
static uint32_t early(uint32_t i)
{
	return i % 5 == 0 ? 0 : i * 3;
}
static void early_return_leaves_the_rest_running(void **state)
{
	(void)state;
	for (int san = 0; san < 2; san++) {
		struct kit k = {.options.sanitize = san};
		const uint32_t *out =
		        kit_words(&k,
		                  KERNEL("", "rem.u32 %r2, %r0, 5; setp.eq.u32 %p1, %r2, 0; @%p1 "
		                             "ret;\nmul.lo.u32 %r1, %r0, 3;\n"),
		                  1, 100);
		kit_clean(&k);
		for (uint32_t i = 0; i < 100; i++)
			check_true(out[i] == early(i), "thread %u: %u", i, out[i]);
		kit_free(&k);
	}
}
/* Two loops entered in the middle of each other: what structured code never does. */
static uint32_t tangled(uint32_t i)
{
	uint32_t x = i, n = 0;
	bool a = i & 1;
	while (n < 20) {
		if (a) {
			x = x * 3 + 1, n++;
			a = (x & 4) != 0;
		} else {
			x ^= 0x55, n += 2;
			a = (x & 8) == 0;
		}
	}
	return x;
}
static void unstructured_flow(void **state)
{
	(void)state;
	expect_words(
	        KERNEL("", "mov.u32 %r1, %r0; mov.u32 %r3, 0; and.b32 %r2, %r0, 1; setp.eq.u32 "
	                   "%p1, %r2, 1;\n"
	                   "@%p1 bra A; bra B;\n"
	                   "A: setp.ge.u32 %p2, %r3, 20; @%p2 bra END; mad.lo.u32 %r1, %r1, 3, 1;\n"
	                   "add.u32 %r3, %r3, 1; and.b32 %r4, %r1, 4; setp.ne.u32 %p3, %r4, 0; "
	                   "@%p3 bra A;\n"
	                   "B: setp.ge.u32 %p2, %r3, 20; @%p2 bra END; xor.b32 %r1, %r1, 0x55;\n"
	                   "add.u32 %r3, %r3, 2; and.b32 %r4, %r1, 8; setp.eq.u32 %p3, %r4, 0; "
	                   "@%p3 bra A; bra B;\n"
	                   "END:\n"),
	        1, 64, tangled);
}
static uint32_t table(uint32_t i)
{
	static const uint32_t v[4] = {100, 7, 55, 100};
	return v[i % 4] + 1;
}
static void a_branch_table(void **state)
{
	(void)state;
	expect_words(
	        KERNEL("",
	               "and.b32 %r2, %r0, 3;\nT: .branchtargets C0, C1, C2, C0;\nbrx.idx %r2, T;\n"
	               "C0: mov.u32 %r1, 100; bra J;\nC1: mov.u32 %r1, 7; bra J;\nC2: mov.u32 %r1, "
	               "55;\n"
	               "J: add.u32 %r1, %r1, 1;\n"),
	        2, 64, table);
}

/* ---- calls ------------------------------------------------------------------------------------
 */

static uint32_t called(uint32_t i)
{
	return i & 1 ? (i * i + 1) * (i * i + 1) + 1 : i + 1000;
}
static void functions_are_called_from_divergent_code(void **state)
{
	(void)state;
	static const char ptx[] =
	        HEAD ".func (.param .b32 v) square1(.param .b32 x)\n{ .reg .b32 %r<3>;\n"
	             "ld.param.b32 %r1, [x]; mad.lo.u32 %r2, %r1, %r1, 1; st.param.b32 [v], %r2; "
	             "ret; }\n"
	             ".func (.reg .b32 v) twice(.reg .b32 x)\n{ .reg .b32 %r<3>; .param .b32 a; "
	             ".param .b32 b;\n"
	             "st.param.b32 [a], x; call.uni (b), square1, (a); ld.param.b32 %r1, [b];\n"
	             "st.param.b32 [a], %r1; call (b), square1, (a); ld.param.b32 v, [b]; ret; }\n"
	             ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
	             ".reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %d<5>;\n"
	             "ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 4;\n"
	             "add.u64 %d1, %d1, %d2; and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 1;\n"
	             "add.u32 %r1, %r0, 1000;\n@%p1 call (%r1), twice, (%r0);\n"
	             "st.global.u32 [%d1], %r1; ret;\n}\n";
	expect_words(ptx, 1, 64, called);
}

/* ---- barriers ---------------------------------------------------------------------------------
 */

static uint32_t reversed(uint32_t i)
{
	return i / 256 * 1000 + (255 - i % 256);
}
static void a_block_exchanges_through_shared_memory(void **state)
{
	(void)state;
	expect_words(
	        KERNEL(".shared .align 4 .b8 s[1024];",
	               "shl.b32 %r2, %r10, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;\n"
	               "mad.lo.u32 %r5, %r11, 1000, %r10; st.shared.u32 [%r4], %r5;\nbar.sync 0;\n"
	               "sub.u32 %r6, 1020, %r2; add.u32 %r6, %r3, %r6; ld.shared.u32 %r1, "
	               "[%r6];\n"),
	        3, 256, reversed);
}
static uint32_t handed_over(uint32_t i)
{
	return i < 32 ? 5 : 100 + i;
}
static void named_barriers_with_a_count(void **state)
{
	(void)state;
	/* warp 0 makes a value and only arrives; warp 1 waits for it; warp 2 has no part in it */
	expect_words(KERNEL(".shared .align 4 .b8 s[128];",
	                    "mov.u32 %r3, s; mov.u32 %r1, 5; and.b32 %r4, %r10, 31; shl.b32 %r4, "
	                    "%r4, 2;\n"
	                    "add.u32 %r3, %r3, %r4; setp.ge.u32 %p1, %r10, 32; setp.ge.u32 %p2, "
	                    "%r10, 64;\n"
	                    "add.u32 %r1, %r10, 100;\n@%p2 bra END; @%p1 bra CONSUMER;\n"
	                    "add.u32 %r5, %r10, 132; st.shared.u32 [%r3], %r5; mov.u32 %r1, 5; "
	                    "bar.arrive 3, 64; bra END;\n"
	                    "CONSUMER: bar.sync 3, 64; ld.shared.u32 %r1, [%r3];\nEND:\n"),
	             1, 96, handed_over);
}
static uint32_t reduced(uint32_t i)
{
	(void)i;
	return 43 + 1000 * 1 + 10000 * 0; /* threads 0, 3, …, 126; some, not all */
}
static void a_barrier_that_reduces(void **state)
{
	(void)state;
	expect_words(KERNEL("", "rem.u32 %r2, %r10, 3; setp.eq.u32 %p1, %r2, 0;\nbar.red.popc.u32 "
	                        "%r1, 0, %p1;\n"
	                        "bar.red.or.pred %p2, 1, %p1;\nbar.red.and.pred %p3, 2, %p1;\n"
	                        "@%p2 add.u32 %r1, %r1, 1000;\n@%p3 add.u32 %r1, %r1, 10000;\n"),
	             1, 128, reduced);
}

static const struct finding *bad_run(struct kit *k, const char *ptx, uint32_t grid, uint32_t block,
                                     enum finding_kind kind)
{
	kit_words(k, ptx, grid, block);
	const struct finding *f = kit_found(k, kind);
	check_true(f != NULL, "no %s; %d findings, the first: %s", finding_name(kind),
	           k->report.nfindings, k->report.nfindings ? k->report.findings[0].text : "-");
	return f;
}
static void a_barrier_that_some_threads_never_reach(void **state)
{
	(void)state;
	struct kit k = {.nbuffers = 0};
	const struct finding *f = bad_run(
	        &k,
	        KERNEL("", "setp.ge.u32 %p1, %r10, 50; @%p1 ret;\nbar.sync 0;\nmov.u32 %r1, 1;\n"),
	        1, 64, FIND_BARRIER_DIVERGENCE);
	check_true(strstr(f->text, "14 of its 64 threads") != NULL && f->ptx_line == 14,
	           "line %d: %s", f->ptx_line, f->text);
	check_true(k.report.complete, "threads that have ended do not hold up the others");
	kit_free(&k);
	/* a whole block that leaves is no divergence */
	struct kit good = {.nbuffers = 0};
	kit_words(&good, KERNEL("", "setp.ge.u32 %p1, %r11, 1; @%p1 ret;\nbar.sync 0;\n"), 2, 64);
	kit_clean(&good);
	kit_free(&good);
}
static void barriers_in_two_branches_of_a_warp(void **state)
{
	(void)state;
	struct kit k = {.nbuffers = 0};
	bad_run(&k,
	        KERNEL("", "and.b32 %r2, %r10, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra A;\nbar.sync "
	                   "0; bra J;\n"
	                   "A: bar.sync 0;\nJ:\n"),
	        1, 64, FIND_BARRIER_DIVERGENCE);
	kit_free(&k);
}
static void a_deadlock_is_reported_and_ends(void **state)
{
	(void)state;
	struct kit k = {.nbuffers = 0};
	const struct finding *f =
	        bad_run(&k,
	                KERNEL("", "setp.lt.u32 %p1, %r10, 32; @%p1 bra A;\nbar.sync 1; bra J;\nA: "
	                           "bar.sync 2;\nJ:\n"),
	                1, 64, FIND_DEADLOCK);
	check_true(!k.report.complete && f != NULL, "complete");
	kit_free(&k);
}
static void an_endless_loop_meets_its_budget(void **state)
{
	(void)state;
	struct kit k = {.options.budget = 100000};
	bad_run(&k, KERNEL("", "L: add.u32 %r1, %r1, 1; bra L;\n"), 1, 32, FIND_BUDGET);
	check_true(!k.report.complete && k.report.lane_instructions < 110000, "%" PRIu64,
	           k.report.lane_instructions);
	kit_free(&k);
}
static void trap_stops_the_launch(void **state)
{
	(void)state;
	struct kit k = {.nbuffers = 0};
	const struct finding *f = bad_run(&k, KERNEL("", "setp.eq.u32 %p1, %r0, 77;\n@%p1 trap;\n"),
	                                  2, 64, FIND_TRAP);
	check_true(f->block[0] == 1 && f->thread[0] == 13, "block %u thread %u", f->block[0],
	           f->thread[0]);
	kit_free(&k);
}
static uint32_t spun(uint32_t i)
{
	return i < 32 ? 1 : 42;
}
static void a_warp_that_spins_lets_the_others_run(void **state)
{
	(void)state;
	/* warp 1 waits for a flag that warp 0 sets only after it in some orders */
	expect_words(
	        KERNEL(".shared .align 4 .b8 s[8];",
	               "mov.u32 %r3, s; mov.u32 %r1, 1; setp.ne.u32 %p4, %r10, 0;\n@%p4 bra W;\n"
	               "st.shared.u32 [%r3], 0; st.shared.u32 [%r3+4], 0;\nW: bar.sync 0;\n"
	               "setp.lt.u32 %p1, %r10, 32; @%p1 bra WRITE;\n"
	               "SPIN: ld.volatile.shared.u32 %r2, [%r3]; setp.eq.u32 %p2, %r2, 0; @%p2 bra "
	               "SPIN;\n"
	               "ld.volatile.shared.u32 %r1, [%r3+4]; bra J;\n"
	               "WRITE: mov.u32 %r5, 42; st.volatile.shared.u32 [%r3+4], %r5;\n"
	               "mov.u32 %r6, 1; st.volatile.shared.u32 [%r3], %r6;\nJ:\n"),
	        1, 64, spun);
}
static void lanes_of_a_warp_take_a_lock_in_turn(void **state)
{
	(void)state;
	for (int san = 0; san < 2; san++) {
		struct kit k = {.options = {.sanitize = san, .budget = 50000000}};
		const uint32_t *out = kit_words(
		        &k,
		        KERNEL(".shared .align 4 .b8 s[8];",
		               "mov.u32 %r3, s; setp.ne.u32 %p4, %r10, 0;\n@%p4 bra W;\n"
		               "st.shared.u32 [%r3], 0; st.shared.u32 [%r3+4], 0;\nW: bar.sync 0;\n"
		               "TRY: atom.shared.cas.b32 %r2, [%r3], 0, 1; setp.ne.u32 %p1, %r2, "
		               "0; @%p1 bra TRY;\n"
		               "ld.volatile.shared.u32 %r1, [%r3+4]; add.u32 %r5, %r1, 1;\n"
		               "st.volatile.shared.u32 [%r3+4], %r5; atom.shared.exch.b32 %r6, "
		               "[%r3], 0;\n"),
		        1, 64);
		kit_clean(&k);
		bool seen[64] = {false};
		for (int i = 0; i < 64; i++) {
			check_true(out[i] < 64 && !seen[out[i]], "thread %d got %u", i, out[i]);
			seen[out[i]] = true;
		}
		kit_free(&k);
	}
}

/* Lanes below 16 arrive so late that the others have had a turn of their own, more than once; an operation of the
 * whole warp waits for them all the same, as on a GPU. */
#define LATE                                                                                       \
	"setp.lt.u32 %p1, %r10, 16; mov.u32 %r2, 0;\n@!%p1 bra J;\n"                               \
	"L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 20000; @%p2 bra L;\nJ: "
static uint32_t of_the_other_half(uint32_t i)
{
	return i < 16 ? 0 : 20000;
}
static uint32_t who_came_late(uint32_t i)
{
	(void)i;
	return 0xffff;
}
static uint32_t who_came_late_but_3(uint32_t i)
{
	return i == 3 ? 0 : 0xfff7;
}
static void warp_operations_wait_for_lanes_that_come_late(void **state)
{
	(void)state;
	expect_words(KERNEL("", LATE "shfl.sync.bfly.b32 %r1, %r2, 16, 31, -1;\n"), 1, 32, of_the_other_half);
	expect_words(KERNEL("", LATE "setp.gt.u32 %p3, %r2, 0; vote.sync.ballot.b32 %r1, %p3, -1;\n"), 1, 32,
	             who_came_late);
	expect_words(KERNEL("", LATE "setp.gt.u32 %p3, %r2, 0; setp.ne.u32 %p4, %r10, 3;\n"
	                             "@%p4 vote.sync.ballot.b32 %r1, %p3, 0xfffffff7;\n"),
	             1, 32, who_came_late_but_3);
	expect_words(KERNEL(".shared .align 4 .b8 s[128];",
	                    LATE "mov.u32 %r3, s; shl.b32 %r4, %r10, 2; add.u32 %r5, %r3, %r4;\n"
	                         "st.volatile.shared.u32 [%r5], %r2; bar.warp.sync -1;\n"
	                         "xor.b32 %r4, %r4, 64; add.u32 %r5, %r3, %r4; ld.volatile.shared.u32 %r1, [%r5];\n"),
	             1, 32, of_the_other_half);
}

/* Round a loop the others come to the operation while lanes below 16 stand further down, at a greater pc, when the turn
 * of their warp ended: after a few blocks of their own, and after more than a turn of them. All lanes have the same
 * counter at the shuffle, so nothing is counted in %r1. */
#define ROUNDS_WITH(inner, rounds)                                                                 \
	"setp.lt.u32 %p1, %r10, 16; mov.u32 %r2, 0; mov.u32 %r1, 0;\n"                            \
	"T: shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1; setp.ne.u32 %p3, %r3, %r2;\n"                \
	"@%p3 add.u32 %r1, %r1, 1;\nmov.u32 %r4, 0;\n@!%p1 bra J;\n"                             \
	"L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, " inner "; @%p2 bra L;\n"                   \
	"J: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, " rounds "; @%p2 bra T;\n"
static uint32_t nothing(uint32_t i)
{
	(void)i;
	return 0;
}
static void warp_operations_wait_for_lanes_that_are_a_round_behind(void **state)
{
	(void)state;
	expect_words(KERNEL("", ROUNDS_WITH("3", "9001")), 1, 64, nothing);
	expect_words(KERNEL("", ROUNDS_WITH("9001", "7")), 1, 64, nothing);
}

/* ---- order and repetition ---------------------------------------------------------------------
 */

static void a_permuted_order_shows_order_dependence_and_nothing_else(void **state)
{
	(void)state;
	/* each block takes a ticket: the numbers depend on the order, their set does not */
	static const char ptx[] = KERNEL("", "setp.ne.u32 %p1, %r10, 0; @%p1 bra "
	                                     "E;\natom.global.add.u32 %r1, [%d2+4], 1;\nE:\n");
	uint32_t first[8], differ = 0;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct kit k = {.options.order_seed = seed};
		const uint32_t *out = kit_words(&k, ptx, 8, 32);
		uint32_t base = 2654435761u, seen = 0; /* in[1] */
		for (int b = 0; b < 8; b++) {
			seen |= 1u << (out[32 * b] - base);
			if (seed == 0)
				first[b] = out[32 * b];
			else
				differ |= out[32 * b] != first[b];
			check_true(seed || out[32 * b] == base + (uint32_t)b, "block %d is %u-th",
			           b, out[32 * b] - base);
		}
		check_true(seen == 255, "tickets %x", seen);
		kit_free(&k);
	}
	check_true(differ, "no seed changes the order");
}
static void two_runs_are_the_same(void **state)
{
	(void)state;
	uint64_t lanes[2];
	for (int i = 0; i < 2; i++) {
		struct kit k = {.options = {.sanitize = true, .order_seed = 5}};
		kit_words(&k, KERNEL("", "mov.u32 %r1, %clock;\n"), 4, 48);
		lanes[i] = k.report.lane_instructions;
		kit_free(&k);
	}
	check_true(lanes[0] == lanes[1] && lanes[0] == 4 * 48 * 12, "%" PRIu64, lanes[0]);
}

static void launches_that_the_hardware_refuses(void **state)
{
	(void)state;
	static const struct {
		uint32_t grid[3], block[3], shared;
		const char *directive, *text;
	} t[] = {
	        {{1, 1, 1}, {1025, 1, 1}, 0, "", "block size 1025"},
	        {{1, 1, 1}, {32, 33, 1}, 0, "", "1056 threads"},
	        {{1, 1, 1}, {0, 1, 1}, 0, "", "block size 0"},
	        {{1, 1, 1}, {1, 1, 65}, 0, "", "dimension z"},
	        {{1, 65536, 1}, {1, 1, 1}, 0, "", "grid size 65536"},
	        {{1, 1, 1}, {64, 1, 1}, 0, ".reqntid 32", "(.reqntid)"},
	        {{1, 1, 1}, {64, 1, 1}, 0, ".maxntid 32, 1, 1", "(.maxntid)"},
	        {{1, 1, 1}, {32, 1, 1}, 228 << 10, "", "shared memory"},
	};
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char ptx[400];
		struct kit k = {.nbuffers = 0};
		snprintf(ptx, sizeof ptx, HEAD ".visible .entry k() %s { ret; }\n", t[i].directive);
		memcpy(k.launch.grid, t[i].grid, sizeof t[i].grid);
		memcpy(k.launch.block, t[i].block, sizeof t[i].block);
		k.launch.shared = t[i].shared;
		kit_run(&k, ptx, "k");
		const struct finding *f = kit_found(&k, FIND_LAUNCH_LIMIT);
		check_true(f && strstr(f->text, t[i].text) && !k.report.complete, "case %zu: %s", i,
		           f ? f->text : "no finding");
		kit_free(&k);
	}
	/* a grid of 0 is no launch */
	struct kit none = {.nbuffers = 0};
	none.launch.block[0] = none.launch.block[1] = none.launch.block[2] = 1;
	kit_run(&none, HEAD ".visible .entry k() { trap; }\n", "k");
	kit_clean(&none);
}

/* Calls are put in place: a text of a few lines may ask for 2^40 of them. */
static void calls_that_multiply_meet_a_limit(void **state)
{
	(void)state;
	struct buf b = {0};
	struct kit k = {.nbuffers = 0};
	buf_puts(&b, HEAD ".func f0() { ret; }\n");
	for (int i = 1; i <= 40; i++)
		buf_printf(&b, ".func f%d() { call f%d; call f%d; ret; }\n", i, i - 1, i - 1);
	buf_puts(&b, ".visible .entry k() { call f40; ret; }\n");
	kit_shape(&k, 1, 1);
	check_fails(kit_try(&k, b.s, "k"), ST_LIMIT, &k.err, "once its calls are in place");
	buf_free(&b);
	check_fails(kit_try(&k,
	                    HEAD
	                    ".func f() { call f; ret; }\n.visible .entry k() { call f; ret; }\n",
	                    "k"),
	            ST_UNSUP, &k.err, "recursion: f calls itself");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nested_conditions_meet_again),
	        cmocka_unit_test(a_float_as_an_untyped_operand_is_its_bits),
	        cmocka_unit_test(loops_with_different_trip_counts),
	        cmocka_unit_test(lanes_that_leave_a_loop_early_wait_for_the_others),
	        cmocka_unit_test(early_return_leaves_the_rest_running),
	        cmocka_unit_test(unstructured_flow),
	        cmocka_unit_test(a_branch_table),
	        cmocka_unit_test(functions_are_called_from_divergent_code),
	        cmocka_unit_test(a_block_exchanges_through_shared_memory),
	        cmocka_unit_test(named_barriers_with_a_count),
	        cmocka_unit_test(a_barrier_that_reduces),
	        cmocka_unit_test(a_barrier_that_some_threads_never_reach),
	        cmocka_unit_test(barriers_in_two_branches_of_a_warp),
	        cmocka_unit_test(a_deadlock_is_reported_and_ends),
	        cmocka_unit_test(an_endless_loop_meets_its_budget),
	        cmocka_unit_test(trap_stops_the_launch),
	        cmocka_unit_test(a_warp_that_spins_lets_the_others_run),
	        cmocka_unit_test(lanes_of_a_warp_take_a_lock_in_turn),
	        cmocka_unit_test(warp_operations_wait_for_lanes_that_come_late),
	        cmocka_unit_test(warp_operations_wait_for_lanes_that_are_a_round_behind),
	        cmocka_unit_test(a_permuted_order_shows_order_dependence_and_nothing_else),
	        cmocka_unit_test(two_runs_are_the_same),
	        cmocka_unit_test(launches_that_the_hardware_refuses),
	        cmocka_unit_test(calls_that_multiply_meet_a_limit),
	};
	return check_main(tests);
}
