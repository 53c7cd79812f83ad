/* launch.h - a kernel run, described: what cases/ makes and device/ executes.
 *
 * A run is a list of buffers (tensors' storage and workspaces) and a list of launches whose arguments
 * point into the buffers or are plain bytes.  Sizes are in bytes unless said otherwise. */
#ifndef BASE_LAUNCH_H
#define BASE_LAUNCH_H

#include "base/base.h"

enum run_role { RUN_IN, RUN_OUT, RUN_WORKSPACE };

/* Storage the kernel sees. data points at the first byte of the storage; `guard` bytes before and
 * after it belong to the allocation and are poisoned with the case's fill byte.  An OUT or WORKSPACE
 * buffer is filled with the fill byte before the run.  `valid` has one bit per storage byte: 1 for the
 * bytes of elements the tensor's view reaches (padding between rows is 0: reading it is reading
 * uninitialised memory, writing it is an out-of-bounds write).
 * `written` (OUT and WORKSPACE; may be NULL) has one bit per storage byte as well, 0 before the run: a
 * sanitized run sets the bits of the bytes it stores to, and reading a byte whose bit is 0 is reading
 * uninitialised memory; bytes that are valid and not written at the end are outputs never written. */
struct run_buffer {
	const char *name;
	enum run_role role;
	enum dtype dt;       /* for messages: element = byte offset / dtype_bytes */
	uint8_t *data;
	uint64_t bytes, guard;
	uint8_t *valid;
	uint8_t *written;
};

#define RUN_ARG_BYTES 64

struct run_arg {
	int buffer;      /* >= 0: the argument is a pointer into that buffer, at byte_offset */
	uint64_t byte_offset;
	uint32_t bytes; /* size of a scalar or by-value argument (8 for a pointer) */
	uint8_t value[RUN_ARG_BYTES];
};

struct run_launch {
	const char *entry; /* PTX entry name */
	uint32_t grid[3], block[3], shared;
	struct run_arg *args;
	int nargs;
};

/* One case ready to run. */
struct run_plan {
	struct run_buffer *buffers;
	int nbuffers;
	struct run_launch *launches;
	int nlaunches;
	uint8_t fill;
};

/* What a sanitizer found; X(name, text, meaning). One record per (kind, place, argument), the first occurrence in block and
 * thread order; count tells how many there were. */
#define FINDING_LIST(X)                                                                             \
	X(OOB_READ, "out-of-bounds-read",                                                           \
	  "A read outside the tensor argument it is meant for, in the padding between its "         \
	  "rows or beyond its ends.")                                                               \
	X(OOB_WRITE, "out-of-bounds-write",                                                         \
	  "A write outside the tensor argument it is meant for, in the padding between its "        \
	  "rows or beyond its ends.")                                                               \
	X(MISALIGNED, "misaligned-access",                                                          \
	  "An access whose address is no multiple of its size: a GPU stops at it.")                 \
	X(UNINIT_READ, "uninitialised-read",                                                        \
	  "A value that nothing has written (register, shared, local or global memory) "            \
	  "reaches an address, a branch or an output.")                                             \
	X(UNWRITTEN, "output-never-written",                                                        \
	  "An element of an output that the kernel leaves as it was.")                              \
	X(INPUT_WRITTEN, "input-written",                                                           \
	  "A store into a tensor that the operator only reads.")                                    \
	X(GUARD_CHANGED, "guard-changed",                                                           \
	  "Memory around the tensors, which the kernel does not own, has changed after the "        \
	  "run.")                                                                                   \
	X(BARRIER_DIVERGENCE, "barrier-divergence",                                                 \
	  "A barrier that part of a block does not reach, or reaches another time.")                \
	X(SHUFFLE_INACTIVE, "shuffle-from-inactive-lane",                                           \
	  "A lane takes a value from a lane that does not take part in the exchange.")              \
	X(DIV_BY_ZERO, "integer-division-by-zero",                                                  \
	  "A division or remainder of integers by 0.")                                              \
	X(ADDRESS_OVERFLOW, "32-bit-overflow-in-address",                                           \
	  "A 32-bit computation wraps round and its result becomes an address.")                    \
	X(NONFINITE, "finite-to-nonfinite",                                                         \
	  "Finite operands give an infinity or a NaN: information, no error, for a formula "        \
	  "may do so and still be right.")                                                          \
	X(LAUNCH_LIMIT, "launch-limit",                                                             \
	  "A grid, block or amount of shared memory that no GPU of this kind launches.")            \
	X(BUDGET, "instruction-budget",                                                             \
	  "The run was stopped after its limit of instructions: it may never end.")                 \
	X(DEADLOCK, "deadlock",                                                                     \
	  "All threads that are left wait for one another.")                                        \
	X(TRAP, "trap",                                                                             \
	  "The kernel stopped itself (trap, or a failed assertion).")                               \
	X(ILLEGAL_ADDRESS, "illegal-address",                                                       \
	  "An access to memory that belongs to nobody: a GPU stops with an error.")                 \
	X(RACE, "race",                                                                             \
	  "Two threads access the same word, one of them writing, and nothing orders them.")

enum finding_kind {
#define X(name, text, meaning) FIND_##name,
	FINDING_LIST(X)
#undef X
	FIND_COUNT
};
const char *finding_name(enum finding_kind k);
/* What it means, a sentence for people. */
const char *finding_meaning(enum finding_kind k);
/* Is the finding an error of the kernel (all but NONFINITE, which is information)? */
bool finding_is_error(enum finding_kind k);

struct finding {
	enum finding_kind kind;
	char entry[64];
	uint32_t block[3], thread[3];
	int ptx_line, source_line;  /* 0: not known */
	char source_file[96];
	char buffer[32];            /* "" : none; "shared", "local" for those spaces */
	int64_t element;            /* element index in the buffer's storage, may be negative; */
	uint64_t count;
	char text[240];             /* one sentence for a person */
};

#define RUN_MAX_FINDINGS 64

/* Result of a run. complete: every launch ran to its end (false after BUDGET, DEADLOCK, TRAP,
 * ILLEGAL_ADDRESS, LAUNCH_LIMIT: outputs then hold what had been written). */
struct run_report {
	bool complete;
	struct finding findings[RUN_MAX_FINDINGS];
	int nfindings;
	uint64_t lane_instructions, warp_instructions;
	double seconds;
};
/* Merges f into r by (kind, ptx_line, buffer); drops it with count only when the list is full. */
void run_report_add(struct run_report *r, const struct finding *f);

#endif
