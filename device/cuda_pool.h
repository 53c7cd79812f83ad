/* cuda_pool.h - a GPU's worker processes, seen from the parent (private to device/). */
#ifndef DEVICE_CUDA_POOL_H
#define DEVICE_CUDA_POOL_H

#include <sys/types.h>

#include "device/cuda_wire.h"

struct cuda_worker {
	bool running;
	pid_t pid;
	int socket, shared_fd;
	uint8_t *shared;
	uint64_t shared_bytes;
	uint8_t *loaded; /* by module: is it loaded in this process? */
	uint32_t nloaded;
};

/* Starts a process for the GPU `which` (a number or UUID); *reply is the answer to WIRE_OPEN. */
MUST_USE enum st cuda_worker_start(struct cuda_worker *w, const char *which,
                                   struct wire_reply *reply, struct err *e);
/* Ends the process at once, whatever it does, and frees what belongs to it. */
void cuda_worker_kill(struct cuda_worker *w);
/* Makes the shared memory at least this large. */
MUST_USE enum st cuda_worker_reserve(struct cuda_worker *w, uint64_t bytes, struct err *e);

enum cuda_ending { CUDA_ANSWERED, CUDA_TIMEOUT, CUDA_DIED };
/* Sends a request and waits for its answer, at most so many seconds. When the process died, how
 * (64 bytes) says how ("signal 11"). After TIMEOUT and DIED the worker is good for nothing but
 * cuda_worker_kill. */
enum cuda_ending cuda_worker_ask(struct cuda_worker *w, struct wire_request q, double seconds,
                                 struct wire_reply *reply, char how[64]);

#endif
