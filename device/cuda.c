/* cuda.c - GPUs through libcuda: runs in worker processes, so that what a kernel does to its context
 * ends one run and no more.
 *
 * A device holds up to WORKERS_PER_GPU processes a GPU. Threads that run at the same time use different
 * ones: while one judges, others keep the GPU busy. A worker loads a module when it first runs it. */
#include "device/backend.h"
#include "device/cuda_pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GPUS 16
#define WORKERS_PER_GPU 4 /* one keeps an H200 busy for 16 cores that judge; others go on when a kernel hangs */
#define RUN_SECONDS 10  /* a case's time limit */
#define LOAD_SECONDS 120 /* of the JIT */
#define TIME_SECONDS 60  /* of all runs that are timed together */

struct slot {
	struct cuda_worker worker;
	bool busy;
};
struct slice {
	const uint8_t *p;
	size_t n;
};
struct cuda_module;
struct cuda_device {
	struct device base;
	char name[256], text[300];
	char *gpus[MAX_GPUS];
	int ngpus, nslots;
	struct slot slots[MAX_GPUS * WORKERS_PER_GPU];
	pthread_mutex_t lock; /* of busy, and of what follows */
	pthread_cond_t idle;
	struct cuda_module **modules; /* by number; NULL: freed */
	uint32_t nmodules;
};
struct cuda_module {
	struct dev_module base;
	struct cuda_device *device;
	uint32_t id;
	char *name, *text;
	size_t len;
};

/* ---- workers ---- */

/* How well an idle place suits: its process has the module, there is a process, there is none yet. */
static int rank(const struct slot *s, uint32_t module)
{
	const struct cuda_worker *w = &s->worker;

	return !w->running ? 1 : module < w->nloaded && w->loaded[module] ? 3 : 2;
}

/* The idle process that suits a module best if there is one, else a place for a new one; waits for either. */
static struct slot *take_slot(struct cuda_device *d, uint32_t module)
{
	struct slot *found = NULL;

	pthread_mutex_lock(&d->lock);
	while (!found) {
		for (int i = 0; i < d->nslots; i++)
			if (!d->slots[i].busy && (!found || rank(&d->slots[i], module) > rank(found, module)))
				found = &d->slots[i];
		if (!found)
			pthread_cond_wait(&d->idle, &d->lock);
	}
	found->busy = true;
	pthread_mutex_unlock(&d->lock);
	return found;
}

static void give_slot(struct cuda_device *d, struct slot *s)
{
	pthread_mutex_lock(&d->lock);
	s->busy = false;
	pthread_cond_signal(&d->idle);
	pthread_mutex_unlock(&d->lock);
}

static enum st worker_error(const struct wire_reply *r, const char *name, struct err *e)
{
	return err_set(e, r->status, __FILE__, __LINE__, "%s: %s", name, r->text);
}

/* A request that no kernel takes part in: anything but an answer is the driver's fault. */
static enum st ask(struct slot *s, struct wire_request q, const char *name, struct wire_reply *reply, struct err *e)
{
	char how[64];

	switch (cuda_worker_ask(&s->worker, q, LOAD_SECONDS, reply, how)) {
	case CUDA_ANSWERED: return reply->outcome == WIRE_DONE ? ST_OK : worker_error(reply, name, e);
	case CUDA_TIMEOUT:
		cuda_worker_kill(&s->worker);
		return FAIL(e, DEVICE, "%s: the driver did not load it within %d s", name, LOAD_SECONDS);
	default:
		cuda_worker_kill(&s->worker);
		return FAIL(e, DEVICE, "%s: the worker process ended while the driver loaded it (%s)",
		            name, how);
	}
}

/* Modules that were freed leave the worker when it is used next. */
static enum st forget_freed(struct cuda_device *d, struct slot *s, struct err *e)
{
	struct cuda_worker *w = &s->worker;
	struct wire_reply reply;

	for (uint32_t i = 0; i < w->nloaded; i++) {
		bool freed;

		if (!w->loaded[i])
			continue;
		pthread_mutex_lock(&d->lock);
		freed = d->modules[i] == NULL;
		pthread_mutex_unlock(&d->lock);
		if (!freed)
			continue;
		TRY(ask(s, (struct wire_request){.op = WIRE_UNLOAD, .module = i}, "a freed module", &reply, e));
		w->loaded[i] = 0;
	}
	return ST_OK;
}

/* Makes sure that the slot has a process and the process has the module. code (or NULL): machine code that the JIT
 * made of it now, in the shared memory, or of 0 bytes. */
static enum st ready_slot(struct cuda_device *d, struct slot *s, const struct cuda_module *m, struct slice *code,
                          struct err *e)
{
	struct cuda_worker *w = &s->worker;
	struct wire_reply reply;

	if (!w->running)
		TRY(cuda_worker_start(w, d->gpus[(s - d->slots) % d->ngpus], &reply, e));
	TRY(forget_freed(d, s, e));
	if (m->id >= w->nloaded) {
		w->loaded = mem_realloc(w->loaded, (size_t)m->id + 1);
		memset(w->loaded + w->nloaded, 0, m->id + 1 - w->nloaded);
		w->nloaded = m->id + 1;
	}
	if (w->loaded[m->id])
		return ST_OK;
	TRY(cuda_worker_reserve(w, m->len + 1, e));
	memcpy(w->shared, m->text, m->len);
	w->shared[m->len] = 0;
	TRY(ask(s, (struct wire_request){.op = WIRE_LOAD, .module = m->id, .len = m->len}, m->name, &reply, e));
	w->loaded[m->id] = 1;
	if (code)
		*code = (struct slice){w->shared, reply.code_bytes};
	return ST_OK;
}

/* ---- modules ---- */

static void cuda_unload(struct dev_module *base)
{
	struct cuda_module *m = (struct cuda_module *)base;
	struct cuda_device *d = m->device;

	pthread_mutex_lock(&d->lock);
	d->modules[m->id] = NULL;
	pthread_mutex_unlock(&d->lock);
	ptx_module_free(base->ptx);
	free(m->name);
	free(m->text);
	free(m);
}

static void add_module(struct cuda_device *d, struct cuda_module *m)
{
	pthread_mutex_lock(&d->lock);
	d->modules = mem_realloc(d->modules, (d->nmodules + 1) * sizeof *d->modules);
	m->id = d->nmodules;
	d->modules[d->nmodules++] = m;
	pthread_mutex_unlock(&d->lock);
}

static void set_text(struct cuda_module *m, const void *text, size_t len)
{
	free(m->text);
	m->text = mem_alloc(len + 1);
	memcpy(m->text, text, len); /* machine code has zero bytes */
	m->text[len] = '\0';
	m->len = len;
}

/* What our parser does not take the driver may: then nothing is known of the entries here. */
static enum st cuda_load(struct device *base, const char *text, size_t len, const char *name,
                         struct dev_module **out, struct err *e)
{
	struct cuda_device *d = (struct cuda_device *)base;
	struct cuda_module *m = mem_zalloc(1, sizeof *m);
	struct err parse = {0};
	struct slice code = {NULL, 0};
	struct slot *s;
	enum st rc;

	m->base.backend = base->backend;
	m->device = d;
	m->name = mem_strdup(name);
	set_text(m, text, len);
	if ((len < 4 || memcmp(text, "\177ELF", 4) != 0) &&
	    ptx_parse(text, len, name, &m->base.ptx, &parse) != ST_OK)
		m->base.ptx = NULL;
	add_module(d, m);
	s = take_slot(d, m->id);
	rc = ready_slot(d, s, m, &code, e);
	if (code.n) /* no one else knows of m yet */
		set_text(m, code.p, code.n);
	give_slot(d, s);
	if (rc != ST_OK) {
		cuda_unload(&m->base);
		return rc;
	}
	*out = &m->base;
	return ST_OK;
}

/* ---- runs ---- */

/* Entry, number and sizes of the arguments against the PTX: the driver would read beyond ours. */
static enum st check_launch(const struct cuda_module *m, const struct run_launch *l, struct err *e)
{
	const struct ptx_param *p;
	int n = 0;

	if (strlen(l->entry) >= sizeof ((struct wire_launch *)NULL)->entry)
		return FAIL(e, LIMIT, "the name of the entry '%.40s…' is too long", l->entry);
	if (!m->base.ptx)
		return ST_OK;
	p = ptx_entry_params(m->base.ptx, l->entry, &n);
	if (!p && n == 0) {
		bool there = false;

		for (int i = 0; i < ptx_entry_count(m->base.ptx); i++)
			there |= strcmp(ptx_entry_name(m->base.ptx, i), l->entry) == 0;
		if (!there)
			return FAIL(e, INPUT, "%s: the PTX has no entry '%s'", m->name, l->entry);
	}
	if (n != l->nargs)
		return FAIL(e, INPUT, "%s takes %d parameters, the launch gives %d", l->entry, n, l->nargs);
	for (int i = 0; i < n; i++)
		if (p[i].bytes != l->args[i].bytes)
			return FAIL(e, INPUT, "%s: parameter %d has %u bytes, the launch gives %u", l->entry,
			            i, p[i].bytes, l->args[i].bytes);
	return ST_OK;
}

static uint64_t align256(uint64_t n)
{
	return (n + 255) & ~(uint64_t)255;
}

/* Places of the plan in shared memory, in head, and of each buffer's storage, in at[]: its address on the GPU will be
 * equal modulo 256 to that on the host. */
static void lay_out(const struct run_plan *plan, struct wire_plan *head, uint64_t *at)
{
	uint64_t bytes = 64 + sizeof(struct wire_buffer) * (uint64_t)plan->nbuffers;

	for (int i = 0; i < plan->nlaunches; i++)
		bytes += sizeof(struct wire_launch) +
		         sizeof(struct run_arg) * (uint64_t)plan->launches[i].nargs;
	head->first = bytes = align256(bytes);
	for (int i = 0; i < plan->nbuffers; i++) {
		const struct run_buffer *b = &plan->buffers[i];

		at[i] = bytes + b->guard;
		at[i] += ((uintptr_t)b->data - at[i]) & 255;
		bytes = at[i] + b->bytes + b->guard;
	}
	head->last = align256(bytes);
}

static void write_plan(const struct run_plan *plan, const struct wire_plan *layout, const uint64_t *at, uint8_t *shared)
{
	struct wire_plan *head = (struct wire_plan *)shared;
	struct run_arg *args;

	*head = *layout;
	head->nbuffers = (uint32_t)plan->nbuffers;
	for (int i = 0; i < plan->nlaunches; i++)
		head->nlaunches += !grid_is_empty(&plan->launches[i]);
	args = wire_args(shared);
	for (int i = 0; i < plan->nbuffers; i++) {
		const struct run_buffer *b = &plan->buffers[i];

		wire_buffers(shared)[i].at = at[i];
		memcpy(shared + at[i] - b->guard, b->data - b->guard, b->bytes + 2 * b->guard);
	}
	for (int i = 0, k = 0; i < plan->nlaunches; i++) {
		const struct run_launch *l = &plan->launches[i];
		struct wire_launch *w = &wire_launches(shared)[k];

		if (grid_is_empty(l))
			continue;
		*w = (struct wire_launch){.shared = l->shared, .first_arg = head->nargs,
		                          .nargs = (uint32_t)l->nargs};
		memcpy(w->grid, l->grid, sizeof w->grid);
		memcpy(w->block, l->block, sizeof w->block);
		snprintf(w->entry, sizeof w->entry, "%s", l->entry);
		if (l->nargs)
			memcpy(args + head->nargs, l->args, (size_t)l->nargs * sizeof *args);
		head->nargs += (uint32_t)l->nargs;
		k++;
	}
}

static void read_back(const struct run_plan *plan, const uint64_t *at, const uint8_t *shared)
{
	for (int i = 0; i < plan->nbuffers; i++) {
		const struct run_buffer *b = &plan->buffers[i];

		memcpy(b->data - b->guard, shared + at[i] - b->guard, b->bytes + 2 * b->guard);
	}
}

static void add_finding(struct run_report *r, enum finding_kind kind, const char *entry,
                        const char *text)
{
	struct finding f = {.kind = kind, .count = 1};

	snprintf(f.entry, sizeof f.entry, "%.63s", entry);
	snprintf(f.text, sizeof f.text, "%.239s", text);
	run_report_add(r, &f);
	r->complete = false;
}

/* Turns the end of a run into a report. *again: the process died under it, perhaps not by it; once. */
static enum st conclude(struct slot *s, enum cuda_ending ending, const struct wire_reply *reply,
                        double seconds, const char *how, struct run_report *r, bool *again,
                        struct err *e)
{
	const struct wire_launch *l = wire_launches(s->worker.shared);
	const struct wire_plan *plan = (const struct wire_plan *)s->worker.shared;
	const char *entry = plan->nlaunches ? l[0].entry : "";
	bool second = *again;
	char text[240];

	*again = false;
	if (ending == CUDA_ANSWERED) {
		if (reply->outcome == WIRE_ERROR)
			return worker_error(reply, entry, e);
		if (reply->outcome == WIRE_DONE)
			return ST_OK;
		if (reply->launch >= 0 && (uint32_t)reply->launch < plan->nlaunches)
			entry = l[reply->launch].entry;
		add_finding(r, reply->kind, entry, reply->text);
	} else if (ending == CUDA_TIMEOUT) {
		snprintf(text, sizeof text, "time limit: the kernel did not end within %g s", seconds);
		add_finding(r, FIND_BUDGET, entry, text);
	} else if (second) {
		snprintf(text, sizeof text, "the process that ran the kernel ended twice (%s)", how);
		add_finding(r, FIND_TRAP, entry, text);
	} else {
		*again = true;
	}
	return ST_OK;
}

static enum st run_once(struct cuda_module *m, struct slot *s, const struct run_plan *plan,
                        const struct wire_plan *layout, const uint64_t *at, double seconds,
                        struct run_report *r, bool *again, struct err *e)
{
	struct wire_reply reply = {.outcome = WIRE_DONE};
	enum cuda_ending ending;
	char how[64] = "";
	enum st rc;

	TRY(ready_slot(m->device, s, m, NULL, e));
	TRY(cuda_worker_reserve(&s->worker, layout->last, e));
	write_plan(plan, layout, at, s->worker.shared);
	ending = cuda_worker_ask(&s->worker, (struct wire_request){.op = WIRE_RUN, .module = m->id},
	                         seconds, &reply, how);
	rc = conclude(s, ending, &reply, seconds, how, r, again, e);
	if (ending != CUDA_ANSWERED || reply.outcome == WIRE_DEAD)
		cuda_worker_kill(&s->worker);
	else if (rc == ST_OK)
		read_back(plan, at, s->worker.shared);
	return rc;
}

static enum st check_launches(const struct cuda_module *m, const struct run_plan *plan, struct err *e)
{
	for (int i = 0; i < plan->nlaunches; i++)
		if (!grid_is_empty(&plan->launches[i]))
			TRY(check_launch(m, &plan->launches[i], e));
	return ST_OK;
}

static enum st time_once(struct cuda_module *m, struct slot *s, const struct run_plan *plan, const struct wire_plan *layout,
                         const uint64_t *at, int warm, int n, double *ms, struct err *e)
{
	struct wire_request q = {.op = WIRE_TIME, .module = m->id, .warm = (uint32_t)warm, .repeats = (uint32_t)n};
	struct wire_reply reply = {.outcome = WIRE_DONE};
	enum cuda_ending ending;
	char how[64] = "";

	TRY(ready_slot(m->device, s, m, NULL, e));
	TRY(cuda_worker_reserve(&s->worker, layout->last + 8 * (uint64_t)n, e));
	write_plan(plan, layout, at, s->worker.shared);
	ending = cuda_worker_ask(&s->worker, q, TIME_SECONDS, &reply, how);
	if (ending != CUDA_ANSWERED || reply.outcome == WIRE_DEAD)
		cuda_worker_kill(&s->worker);
	if (ending == CUDA_TIMEOUT)
		return FAIL(e, DEVICE, "%s: %d runs took longer than %d s", m->name, warm + n, TIME_SECONDS);
	if (ending != CUDA_ANSWERED)
		return FAIL(e, DEVICE, "%s: the process that ran the kernel ended (%s)", m->name, how);
	if (reply.outcome != WIRE_DONE)
		return FAIL(e, INPUT, "%s: %s", m->name, reply.text);
	memcpy(ms, s->worker.shared + layout->last, 8 * (size_t)n);
	return ST_OK;
}

static enum st cuda_time(const struct dev_module *base, const struct run_plan *plan, int warm, int n, double *ms, struct err *e)
{
	struct cuda_module *m = (struct cuda_module *)(uintptr_t)base;
	uint64_t *at = mem_zalloc((size_t)plan->nbuffers + 1, sizeof *at);
	struct wire_plan layout = {0};
	struct slot *s;
	enum st rc = check_launches(m, plan, e);

	if (rc == ST_OK) {
		lay_out(plan, &layout, at);
		s = take_slot(m->device, m->id);
		rc = time_once(m, s, plan, &layout, at, warm, n, ms, e);
		give_slot(m->device, s);
	}
	free(at);
	return rc;
}

static enum st cuda_run(const struct dev_module *base, const struct run_plan *plan,
                        const struct dev_run_options *o, struct run_report *r, struct err *e)
{
	struct cuda_module *m = (struct cuda_module *)(uintptr_t)base;
	uint64_t *at = mem_zalloc((size_t)plan->nbuffers + 1, sizeof *at);
	struct wire_plan layout = {0};
	bool again = false;
	struct slot *s;
	enum st rc = check_launches(m, plan, e);

	lay_out(plan, &layout, at);
	if (rc == ST_OK) {
		s = take_slot(m->device, m->id);
		r->complete = true;
		do
			rc = run_once(m, s, plan, &layout, at, o->seconds > 0 ? o->seconds : RUN_SECONDS, r, &again,
			              e);
		while (rc == ST_OK && again);
		give_slot(m->device, s);
	}
	free(at);
	return rc;
}

/* ---- the device ---- */

static void cuda_close(struct device *base)
{
	struct cuda_device *d = (struct cuda_device *)base;

	for (int i = 0; i < d->nslots; i++)
		cuda_worker_kill(&d->slots[i].worker);
	for (int i = 0; i < d->ngpus; i++)
		free(d->gpus[i]);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->idle);
	free(d->modules);
	free(d);
}

static enum st split_name(struct cuda_device *d, const char *name, struct err *e)
{
	const char *at = strncmp(name, "cuda:", 5) == 0 ? name + 5 : name;

	snprintf(d->name, sizeof d->name, "%s", name);
	for (;; at++) {
		size_t n = strcspn(at, ",");

		if (n == 0)
			return FAIL(e, INPUT, "device '%s': a number or a UUID follows 'cuda:'", name);
		if (d->ngpus == MAX_GPUS)
			return FAIL(e, LIMIT, "device '%s': at most %d GPUs", name, MAX_GPUS);
		d->gpus[d->ngpus++] = mem_strndup(at, n);
		at += n;
		if (!*at)
			return ST_OK;
	}
}

/* The first process of each GPU tells what it is; a device of several must be of one kind. */
static enum st start_all(struct cuda_device *d, struct err *e)
{
	struct wire_reply reply;
	char first[256] = "";

	for (int i = 0; i < d->ngpus; i++) {
		TRY(cuda_worker_start(&d->slots[i].worker, d->gpus[i], &reply, e));
		if (i == 0)
			snprintf(first, sizeof first, "%.255s", reply.text);
		else if (strcmp(first, reply.text) != 0)
			return FAIL(e, INPUT, "device '%s': GPUs of one device must be of one kind, here %s "
			            "and %s", d->name, first, reply.text);
	}
	if (d->ngpus > 1)
		snprintf(d->text, sizeof d->text, "%s (%d GPUs)", first, d->ngpus);
	else
		snprintf(d->text, sizeof d->text, "%s", first);
	return ST_OK;
}

enum st cuda_open(const char *name, struct device **out, struct err *e)
{
	static const struct backend backend = {.close = cuda_close,
	                                       .load = cuda_load,
	                                       .unload = cuda_unload,
	                                       .run = cuda_run,
	                                       .time = cuda_time};
	struct cuda_device *d = mem_zalloc(1, sizeof *d);
	enum st rc;

	d->base = (struct device){&backend, d->name, d->text};
	for (size_t i = 0; i < ARRAY_LEN(d->slots); i++)
		d->slots[i].worker = (struct cuda_worker){.socket = -1, .shared_fd = -1};
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->idle, NULL);
	TRY_OR(done, rc, split_name(d, name, e));
	d->nslots = d->ngpus * WORKERS_PER_GPU;
	rc = start_all(d, e);
done:
	if (rc != ST_OK) {
		cuda_close(&d->base);
		return rc;
	}
	*out = &d->base;
	return ST_OK;
}
