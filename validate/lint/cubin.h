/* cubin.h - machine code as ptxas leaves it: what each kernel of a cubin takes and is made of.
 *
 * A cubin is an ELF64 file: code in .text.NAME, facts in .nv.info and .nv.info.NAME (lists of attributes), sizes in .nv.shared.NAME and
 * .nv.constant3. The attributes' numbers and the instructions' opcodes are not published; those used here were found by compiling kernels that
 * hold a known number of each (tests/lint/test_cubin.c does it again where ptxas or NVRTC is). */
#ifndef VALIDATE_LINT_CUBIN_H
#define VALIDATE_LINT_CUBIN_H

#include "base/base.h"

/* Kinds of instructions that are counted. X(name) */
#define SASS_LIST(X) \
	X(fp32) X(fp16) X(fp64) X(tensor) X(special) X(global_loads) X(global_stores) X(generic_loads) X(generic_stores) X(local_loads) \
	X(local_stores) X(shared_loads) X(shared_stores) X(async_copies) X(atomics) X(barriers_passed) X(shuffles) X(votes) X(branches)
enum sass_kind {
#define X(name) SASS_##name,
	SASS_LIST(X)
#undef X
	SASS_KINDS
};

/* Instructions by name, as a disassembler gives them. */
struct mnemonic {
	char name[16];
	int n;
};

struct sass {
	const char *entry;
	int sm;                   /* 90: sm_90 */
	int registers, barriers;  /* a thread's; barriers used */
	int max_threads;          /* of a block, by __launch_bounds__ or .reqntid; 0: not stated */
	int instructions;         /* but NOP */
	int count[SASS_KINDS];
	struct mnemonic *mnemonic; /* the most frequent first; none unless lint_disassemble was asked and found a tool */
	int nmnemonics;
	uint64_t shared, stack, params, constant; /* bytes: static, without what the system keeps; a thread's frame; … */
};
const char *sass_kind_name(enum sass_kind k);

/* Reads a cubin; name for messages. Strings are the arena's. Hostile bytes never crash it. ST_INPUT: not a cubin, or damaged; ST_UNSUP: for
 * GPUs before sm_70. */
MUST_USE enum st cubin_read(const void *data, size_t n, const char *name, struct arena *a, struct sass **out, int *nout, struct err *e);

/* How many blocks of a kernel an SM holds. */
struct occupancy {
	int blocks, warps, max_warps; /* warps = blocks times those of a block */
	const char *limit;            /* what ends it: "registers", "shared memory", "threads", "blocks"; "does not fit" for 0 blocks */
};
/* Architectures known: 70 75 80 86 89 90 100; index i, 0 behind the last. */
int occupancy_sm(int i);
/* shared: static and dynamic bytes of a block. false: the architecture is not known. */
bool occupancy_of(int sm, int registers, uint64_t shared, int threads, struct occupancy *out);

#endif
