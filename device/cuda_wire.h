/* cuda_wire.h - what a worker process and its parent say to each other (private to device/).
 *
 * One request and one reply at a time, each one packet of a Unix socket (the worker's standard
 * input); texts of modules, plans and buffers lie in shared memory (a memfd, the worker's standard
 * output), which the parent alone makes larger. Both ends are the same program. */
#ifndef DEVICE_CUDA_WIRE_H
#define DEVICE_CUDA_WIRE_H

#include "base/launch.h"

#define WORKER_COMMAND "--device-worker"

enum wire_op { WIRE_OPEN, WIRE_LOAD, WIRE_UNLOAD, WIRE_RUN, WIRE_TIME };

struct wire_request {
	enum wire_op op;
	uint32_t module;       /* LOAD, UNLOAD, RUN, TIME */
	uint32_t warm, repeats;/* TIME: as RUN, but all launches warm + repeats times; behind the plan's storage (at its `last`) stand then
	                        * repeats doubles: the milliseconds of each of the latter */
	uint64_t shared_bytes; /* size of the shared memory now */
	uint64_t len;          /* LOAD: bytes of the text at offset 0, which is followed by a zero byte */
};

enum wire_outcome {
	WIRE_DONE,    /* OPEN: text describes the device; LOAD: see code_bytes */
	WIRE_FINDING, /* RUN: kind and text of a finding; buffers are as the run left them */
	WIRE_DEAD,    /* the same, and the context is lost: the worker ends; buffers are as they were */
	WIRE_ERROR,   /* status and text of an error */
};
struct wire_reply {
	enum wire_outcome outcome;
	enum st status;
	enum finding_kind kind;
	int launch; /* where the finding happened */
	/* LOAD: bytes of the machine code that the JIT made of PTX, at offset 0; 0: it was that, or does not fit */
	uint64_t code_bytes;
	char text[1100];
};

/* At offset 0 of a RUN: this, then buffers, launches, arguments; then from first to last (multiples of 256) the
 * buffers' storage with guards on both sides, as it is to lie in the GPU's memory: storage at offset `at` has an
 * address that is equal to it modulo 256. */
struct wire_plan {
	uint32_t nbuffers, nlaunches, nargs;
	uint64_t first, last;
};
struct wire_buffer {
	uint64_t at; /* offset of the storage */
};
struct wire_launch {
	char entry[256];
	uint32_t grid[3], block[3], shared;
	uint32_t first_arg, nargs, unused; /* keeps the arguments aligned to 8 */
};
static inline struct wire_buffer *wire_buffers(uint8_t *shared)
{
	return (struct wire_buffer *)(shared + 64);
}
static inline struct wire_launch *wire_launches(uint8_t *shared)
{
	return (struct wire_launch *)(wire_buffers(shared) + ((struct wire_plan *)shared)->nbuffers);
}
static inline struct run_arg *wire_args(uint8_t *shared)
{
	return (struct run_arg *)(wire_launches(shared) + ((struct wire_plan *)shared)->nlaunches);
}

#endif
