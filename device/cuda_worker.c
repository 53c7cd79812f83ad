/* cuda_worker.c - the child process that holds a GPU's context and runs launches in it.
 *
 * What a kernel does to its context (an illegal address ends it for good) or to the driver ends this
 * process alone.  The parent ends it when a run takes too long. */
#include "device/cuda_driver.h"
#include "device/cuda_wire.h"
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define JIT_LOG 1024

struct loaded {
	uint32_t id;
	void *module;
};
struct worker_state {
	struct cuda_driver cu;
	int device;
	int shared_fd;
	uint8_t *shared;
	uint64_t shared_bytes;
	struct loaded *modules;
	size_t nmodules;
	cu_ptr arena; /* holds the buffers of a run; kept for the next */
	uint64_t arena_bytes;
	struct wire_reply reply;
};

static void reply_error(struct worker_state *w, enum st status, const char *what, int code)
{
	char text[256];

	w->reply.outcome = WIRE_ERROR;
	w->reply.status = status;
	snprintf(w->reply.text, sizeof w->reply.text, "%.300s: %s", what,
	         cuda_error(&w->cu, code, text));
}

/* ---- modules ---- */

static void *find_module(const struct worker_state *w, uint32_t id)
{
	for (size_t i = 0; i < w->nmodules; i++)
		if (w->modules[i].id == id)
			return w->modules[i].module;
	return NULL;
}

/* The JIT's logs follow the driver's error, which alone says little ("a PTX JIT compilation failed"). */
static void tell_log(struct worker_state *w, int rc, const char *errors, const char *info)
{
	size_t n;

	reply_error(w, ST_INPUT, "the driver does not load it", rc);
	n = strlen(w->reply.text);
	snprintf(w->reply.text + n, sizeof w->reply.text - n, "%s%.600s%s%.200s", errors[0] ? "\n" : "", errors,
	         info[0] ? "\n" : "", info);
}

/* PTX goes through the JIT once; its machine code goes back to the parent, which gives it to the other workers. */
static int load_ptx(struct worker_state *w, const struct wire_request *q, void **module, char *errors, char *info)
{
	int options[] = {CU_JIT_INFO_LOG, CU_JIT_INFO_SIZE, CU_JIT_ERROR_LOG, CU_JIT_ERROR_SIZE};
	void *values[] = {info, (void *)(uintptr_t)(JIT_LOG - 1), errors, (void *)(uintptr_t)(JIT_LOG - 1)};
	void *link = NULL, *code = NULL;
	size_t bytes = 0;
	int rc = w->cu.link_create(4, options, values, &link);

	if (rc != CU_OK)
		return rc;
	rc = w->cu.link_add(link, CU_JIT_INPUT_PTX, w->shared, q->len + 1, "kernel", 0, NULL, NULL);
	if (rc == CU_OK)
		rc = w->cu.link_complete(link, &code, &bytes);
	if (rc == CU_OK)
		rc = w->cu.module_load(module, code, 0, NULL, NULL);
	if (rc == CU_OK && bytes <= w->shared_bytes) {
		memcpy(w->shared, code, bytes);
		w->reply.code_bytes = bytes;
	}
	w->cu.link_destroy(link);
	return rc;
}

static void load(struct worker_state *w, const struct wire_request *q)
{
	char info[JIT_LOG] = "", errors[JIT_LOG] = "";
	void *module = NULL;
	bool machine_code = q->len >= 4 && memcmp(w->shared, "\177ELF", 4) == 0;
	int rc = machine_code ? w->cu.module_load(&module, w->shared, 0, NULL, NULL)
	                      : load_ptx(w, q, &module, errors, info);

	if (rc != CU_OK) {
		tell_log(w, rc, errors, info);
		return;
	}
	w->modules = mem_realloc(w->modules, (w->nmodules + 1) * sizeof *w->modules);
	w->modules[w->nmodules++] = (struct loaded){q->module, module};
}

static void unload(struct worker_state *w, uint32_t id)
{
	for (size_t i = 0; i < w->nmodules; i++)
		if (w->modules[i].id == id) {
			int rc = w->cu.module_unload(w->modules[i].module);

			if (rc != CU_OK)
				reply_error(w, ST_DEVICE, "unloading a module", rc);
			w->modules[i] = w->modules[--w->nmodules];
			return;
		}
}

/* ---- runs ---- */

/* The finding that a driver's code is, and whether the context outlives it (CUDA's documentation of
 * CUresult says which errors leave the process in a bad state). */
static const struct fault {
	int code;
	enum finding_kind kind;
	bool context_lives;
	const char *text;
} faults[] = {
	{CU_INVALID_VALUE, FIND_LAUNCH_LIMIT, true, "the driver refuses the launch"},
	{CU_OUT_OF_MEMORY, FIND_LAUNCH_LIMIT, true, "the GPU's memory does not suffice"},
	{CU_LAUNCH_OUT_OF_RESOURCES, FIND_LAUNCH_LIMIT, true, "a block needs more than the GPU has"},
	{CU_LAUNCH_TIMEOUT, FIND_BUDGET, false, "time limit of the driver"},
	{CU_ILLEGAL_ADDRESS, FIND_ILLEGAL_ADDRESS, false, "access beyond all memory of the GPU"},
	{CU_INVALID_ADDRESS_SPACE, FIND_ILLEGAL_ADDRESS, false, "address in the wrong state space"},
	{CU_HARDWARE_STACK_ERROR, FIND_ILLEGAL_ADDRESS, false, "the call stack is damaged"},
	{CU_MISALIGNED_ADDRESS, FIND_MISALIGNED, false, "misaligned access"},
	{CU_ASSERT, FIND_TRAP, false, "a device-side assertion failed"},
	{CU_ILLEGAL_INSTRUCTION, FIND_TRAP, false, "illegal instruction or trap"},
	{CU_INVALID_PC, FIND_TRAP, false, "jump to no instruction"},
	{CU_LAUNCH_FAILED, FIND_TRAP, false, "the kernel trapped, or failed in a way the GPU does not tell"},
};

/* Puts what happened into the reply; true when code is CU_OK. */
static bool run_step(struct worker_state *w, int code, int launch, const char *what)
{
	char text[256];

	if (code == CU_OK)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		if (faults[i].code == code) {
			w->reply.outcome = faults[i].context_lives ? WIRE_FINDING : WIRE_DEAD;
			w->reply.kind = faults[i].kind;
			w->reply.launch = launch;
			snprintf(w->reply.text, sizeof w->reply.text, "%s (%s: %s)", faults[i].text,
			         what, cuda_error(&w->cu, code, text));
			return false;
		}
	reply_error(w, ST_DEVICE, what, code);
	return false;
}

/* Memory of at least so many bytes; much more than is needed is given back. */
static bool reserve(struct worker_state *w, uint64_t bytes)
{
	enum { KEEP = 64 << 20 };
	char what[96];

	if (bytes <= w->arena_bytes && (w->arena_bytes <= KEEP || w->arena_bytes / 4 <= bytes))
		return true;
	if (w->arena && !run_step(w, w->cu.mem_free(w->arena), 0, "freeing memory"))
		return false;
	w->arena = 0;
	w->arena_bytes = 0;
	snprintf(what, sizeof what, "allocating %llu bytes", (unsigned long long)bytes);
	if (!run_step(w, w->cu.mem_alloc(&w->arena, bytes), 0, what))
		return false;
	w->arena_bytes = bytes;
	return true;
}

/* A launch with everything looked up. */
struct ready {
	const struct wire_launch *l;
	void *f, **params;
};

static bool prepare(struct worker_state *w, void *module, const struct wire_launch *l, int index,
                    struct run_arg *args, cu_ptr base, struct ready *r)
{
	bool ok;

	*r = (struct ready){.l = l, .params = mem_zalloc((size_t)l->nargs + 1, sizeof *r->params)};
	ok = run_step(w, w->cu.module_function(&r->f, module, l->entry), index, l->entry);
	if (w->reply.outcome == WIRE_ERROR)
		w->reply.status = ST_INPUT; /* no such entry */
	for (uint32_t i = 0; i < l->nargs; i++) {
		if (args[i].buffer >= 0) {
			cu_ptr p = base + wire_buffers(w->shared)[args[i].buffer].at + args[i].byte_offset;

			memcpy(args[i].value, &p, sizeof p);
		}
		r->params[i] = args[i].value;
	}
	if (ok && l->shared)
		ok = run_step(w, w->cu.func_set(r->f, CU_FUNC_MAX_DYNAMIC_SHARED, (int)l->shared), index,
		              "asking for dynamic shared memory");
	return ok;
}

static bool fire(struct worker_state *w, const struct ready *r, int index)
{
	const struct wire_launch *l = r->l;

	return run_step(w, w->cu.launch(r->f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->shared,
	                                NULL, r->params, NULL), index, "launching");
}

static bool launch_all(struct worker_state *w, const struct ready *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!fire(w, &r[i], (int)i) || !run_step(w, w->cu.ctx_sync(), (int)i, "running"))
			return false;
	return true;
}

/* ---- times ---- */

#define SAMPLE_MS 1.0 /* runs are timed together until they take this long, so that what the host does between them does not count */
#define MAX_TOGETHER 200

struct events {
	void *begin, *end;
};

/* Milliseconds of one of `together` runs. */
static bool time_together(struct worker_state *w, const struct events *ev, const struct ready *r, uint32_t n, int together, double *out)
{
	bool ok = run_step(w, w->cu.event_record(ev->begin, NULL), 0, "recording an event");
	float ms = 0;

	for (int k = 0; ok && k < together; k++)
		for (uint32_t i = 0; ok && i < n; i++)
			ok = fire(w, &r[i], (int)i);
	ok = ok && run_step(w, w->cu.event_record(ev->end, NULL), 0, "recording an event") &&
	     run_step(w, w->cu.event_sync(ev->end), (int)n - 1, "running") &&
	     run_step(w, w->cu.event_elapsed(&ms, ev->begin, ev->end), 0, "reading a time");
	*out = (double)ms / together;
	return ok;
}

static bool time_all(struct worker_state *w, const struct wire_request *q, const struct ready *r, uint32_t n)
{
	uint8_t *out = w->shared + ((const struct wire_plan *)w->shared)->last;
	struct events ev = {NULL, NULL};
	int together = 1;
	double ms;
	bool ok = run_step(w, w->cu.event_create(&ev.begin, 0), 0, "making an event") &&
	          run_step(w, w->cu.event_create(&ev.end, 0), 0, "making an event");

	for (uint32_t i = 0; ok && i < q->warm; i++)
		ok = launch_all(w, r, n);
	ok = ok && time_together(w, &ev, r, n, 1, &ms);
	if (ok && ms < SAMPLE_MS)
		together = ms * MAX_TOGETHER > SAMPLE_MS ? (int)(SAMPLE_MS / ms) + 1 : MAX_TOGETHER;
	for (uint32_t i = 0; ok && i < q->repeats; i++) {
		ok = time_together(w, &ev, r, n, together, &ms);
		memcpy(out + 8 * (size_t)i, &ms, sizeof ms);
	}
	if (ev.begin)
		w->cu.event_destroy(ev.begin);
	if (ev.end)
		w->cu.event_destroy(ev.end);
	return ok;
}

/* ---- a request ---- */

/* Prepares all launches of the plan; runs or times them. */
static void launch_plan(struct worker_state *w, const struct wire_request *q, cu_ptr base)
{
	const struct wire_plan *plan = (const struct wire_plan *)w->shared;
	struct ready *r = mem_zalloc((size_t)plan->nlaunches + 1, sizeof *r);
	void *module = find_module(w, q->module);
	bool ok = true;

	for (uint32_t i = 0; ok && i < plan->nlaunches; i++) {
		const struct wire_launch *l = &wire_launches(w->shared)[i];

		ok = prepare(w, module, l, (int)i, wire_args(w->shared) + l->first_arg, base, &r[i]);
		if (ok && q->op == WIRE_RUN)
			ok = launch_all(w, &r[i], 1);
		if (!ok && w->reply.outcome != WIRE_ERROR)
			w->reply.launch = (int)i;
	}
	if (ok && q->op == WIRE_TIME)
		time_all(w, q, r, plan->nlaunches);
	for (uint32_t i = 0; i < plan->nlaunches; i++)
		free(r[i].params);
	free(r);
}

/* The buffers lie at the end of the arena, so that an access behind them leaves what is allocated. */
static void run(struct worker_state *w, const struct wire_request *q)
{
	const struct wire_plan *plan = (const struct wire_plan *)w->shared;
	uint64_t bytes = plan->last - plan->first;
	cu_ptr to;

	if (!reserve(w, bytes))
		return;
	to = w->arena + w->arena_bytes / 256 * 256 - bytes;
	if (!run_step(w, w->cu.to_device(to, w->shared + plan->first, bytes), 0, "copying to the GPU"))
		return;
	launch_plan(w, q, to - plan->first);
	if (w->reply.outcome != WIRE_DEAD && q->op == WIRE_RUN)
		run_step(w, w->cu.to_host(w->shared + plan->first, to, bytes), (int)plan->nlaunches - 1,
		         "copying from the GPU");
}

/* ---- the process ---- */

/* The parent's end of the socket closes when it ends, however it ends: a kernel that loops must not
 * outlive it. */
static void *watch_parent(void *arg)
{
	struct pollfd p = {.fd = STDIN_FILENO};

	(void)arg;
	while (poll(&p, 1, -1) <= 0 || !(p.revents & (POLLHUP | POLLERR)))
		;
	_exit(0);
}

static bool map_shared(struct worker_state *w, uint64_t bytes)
{
	if (bytes == w->shared_bytes)
		return true;
	if (w->shared)
		munmap(w->shared, w->shared_bytes);
	w->shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->shared_fd, 0);
	w->shared_bytes = bytes;
	if (w->shared != MAP_FAILED)
		return true;
	w->shared = NULL;
	w->shared_bytes = 0;
	return false;
}

static void answer(struct worker_state *w, const struct wire_request *q)
{
	memset(&w->reply, 0, sizeof w->reply);
	if (!map_shared(w, q->shared_bytes)) {
		w->reply.outcome = WIRE_ERROR;
		w->reply.status = ST_NOMEM;
		snprintf(w->reply.text, sizeof w->reply.text, "mapping %llu bytes: %s",
		         (unsigned long long)q->shared_bytes, strerror(errno));
		return;
	}
	switch (q->op) {
	case WIRE_OPEN: cuda_describe(&w->cu, w->device, w->reply.text); break;
	case WIRE_LOAD: load(w, q); break;
	case WIRE_UNLOAD: unload(w, q->module); break;
	case WIRE_RUN: case WIRE_TIME: run(w, q); break;
	}
}

static bool send_reply(const struct worker_state *w)
{
	return send(STDIN_FILENO, &w->reply, sizeof w->reply, MSG_NOSIGNAL) == sizeof w->reply;
}

static enum st start(struct worker_state *w, const char *which, struct err *e)
{
	void *context = NULL;
	char text[256];
	int rc;

	/* lazily loaded modules would show errors of the JIT at the first launch, without its log */
	setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	TRY(cuda_driver_open(&w->cu, e));
	TRY(cuda_find_device(&w->cu, which, &w->device, e));
	rc = w->cu.primary_retain(&context, w->device);
	if (rc == CU_OK)
		rc = w->cu.ctx_set(context);
	return rc == CU_OK ? ST_OK : FAIL(e, DEVICE, "cuda:%s: making a context: %s", which,
	                                  cuda_error(&w->cu, rc, text));
}

int device_worker(int argc, char **argv)
{
	struct worker_state w = {.shared_fd = -1};
	struct wire_request q;
	struct err e = {0};
	pthread_t watch;
	int null = open("/dev/null", O_WRONLY);

	/* a kernel's printf goes to standard output, where the shared memory was */
	w.shared_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (argc != 2 || null < 0 || w.shared_fd < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    pthread_create(&watch, NULL, watch_parent, NULL) != 0)
		return 3;
	start(&w, argv[1], &e);
	while (recv(STDIN_FILENO, &q, sizeof q, 0) == sizeof q) {
		if (e.code == ST_OK) {
			answer(&w, &q);
		} else { /* told as the answer to WIRE_OPEN, which comes first */
			w.reply.outcome = WIRE_ERROR;
			w.reply.status = e.code;
			snprintf(w.reply.text, sizeof w.reply.text, "%.1099s", e.msg);
		}
		if (!send_reply(&w) || w.reply.outcome == WIRE_DEAD)
			break;
	}
	_exit(0); /* the driver's own clean-up of a lost context may hang */
}
