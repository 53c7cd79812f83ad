/* conform_run.c - micro-kernels on a device, many in one module. */
#include "calibrate/conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_LIMIT = 5 /* seconds on a GPU */, GUARD = 256 };

void conform_run_free(struct conform_run *r)
{
	free(r->out);
	free(r->chunk);
	*r = (struct conform_run){0};
}

/* ---- a plan ---- */

enum { ARGS = 3 };

struct setup {
	struct run_plan plan;
	struct run_buffer buffer[2];
	uint8_t *storage[2];
	struct run_launch *launch;
	struct run_arg *arg;
	char (*entry)[24];
};

static void *add_buffer(struct setup *s, enum run_role role, const char *name, size_t words)
{
	size_t bytes = words * 8, total = (bytes + 2 * GUARD + 255) & ~(size_t)255;
	int i = s->plan.nbuffers++;

	/* a place in 256 that the GPU copies */
	s->storage[i] = mem_zalloc(1, total + 256);
	s->buffer[i] = (struct run_buffer){
	        .name = name, .role = role, .dt = DT_U64, .bytes = bytes, .guard = GUARD};
	s->buffer[i].data = s->storage[i] + GUARD + (256 - ((uintptr_t)s->storage[i] & 255));
	return s->buffer[i].data;
}

static void setup_new(struct setup *s, size_t launches)
{
	*s = (struct setup){.plan = {.buffers = s->buffer, .fill = 0}};
	s->launch = mem_zalloc(launches + 1, sizeof *s->launch);
	s->arg = mem_zalloc(ARGS * launches + 1, sizeof *s->arg);
	s->entry = mem_zalloc(launches + 1, sizeof *s->entry);
	s->plan.launches = s->launch;
}

static void setup_free(struct setup *s)
{
	for (int i = 0; i < s->plan.nbuffers; i++)
		free(s->storage[i]);
	free(s->launch);
	free(s->arg);
	free(s->entry);
}

static struct run_launch *add_launch(struct setup *s, char kind, size_t number, uint32_t grid,
                                     uint32_t block)
{
	int i = s->plan.nlaunches++;
	struct run_launch *l = &s->launch[i];

	snprintf(s->entry[i], sizeof s->entry[i], "%c%zu", kind, number);
	*l = (struct run_launch){.entry = s->entry[i],
	                         .grid = {grid, 1, 1},
	                         .block = {block, 1, 1},
	                         .args = s->arg + (size_t)ARGS * (size_t)i};
	return l;
}

static void add_pointer(struct run_launch *l, int buffer, size_t word)
{
	l->args[l->nargs++] =
	        (struct run_arg){.buffer = buffer, .byte_offset = 8 * word, .bytes = 8};
}

static void add_bytes(struct run_launch *l, const void *p, uint32_t n)
{
	struct run_arg *a = &l->args[l->nargs++];

	*a = (struct run_arg){.buffer = -1, .bytes = n};
	memcpy(a->value, p, n);
}

/* One run of all launches. *ended: empty, or the name of the fault that ended it. */
static enum st run(const struct dev_module *m, struct setup *s, char ended[64], struct err *e)
{
	struct run_report *r = mem_zalloc(1, sizeof *r);
	struct dev_run_options o = {.budget = UINT64_MAX / 4, .seconds = RUN_LIMIT};
	enum st rc = device_run(m, &s->plan, &o, r, e);

	ended[0] = 0;
	for (int i = 0; rc == ST_OK && i < r->nfindings && !ended[0]; i++)
		if (finding_is_error(r->findings[i].kind))
			snprintf(ended, 64, "%s", finding_name(r->findings[i].kind));
	if (rc == ST_OK && !r->complete && !ended[0])
		snprintf(ended, 64, "incomplete");
	free(r);
	return rc;
}

/* ---- kernels on vectors ---- */

static void add_kernel(struct setup *s, size_t number, unsigned vectors, size_t in, size_t out)
{
	struct run_launch *l = add_launch(s, 'k', number, vectors / CONFORM_BLOCK, CONFORM_BLOCK);
	uint64_t prm[8];

	for (unsigned i = 0; i < ARRAY_LEN(prm); i++)
		prm[i] = rand_u64(2, 2, i);
	add_pointer(l, 0, in);
	add_pointer(l, 1, out);
	add_bytes(l, prm, sizeof prm);
}

/* Offsets are multiples of 32 words, so that every kernel's words are aligned as its accesses need.
 */
static size_t padded(size_t words)
{
	return (words + 31) & ~(size_t)31;
}

static enum st run_vectors(const struct dev_module *m, const struct conform_kernel *const *k,
                           size_t n, const uint64_t *given, unsigned vectors,
                           struct conform_run *out, char ended[64], struct err *e)
{
	struct setup s;
	size_t nin = 0, nout = 0;
	uint64_t *in, *results;
	enum st rc;

	for (size_t i = 0; i < n; i++) {
		nin += padded((size_t)(given ? vectors : k[i]->vectors) * k[i]->nin);
		nout += padded((size_t)(given ? vectors : k[i]->vectors) * k[i]->nout);
	}
	setup_new(&s, n);
	in = add_buffer(&s, RUN_IN, "in", nin);
	results = add_buffer(&s, RUN_OUT, "out", nout);
	nin = nout = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned v = given ? vectors : k[i]->vectors;

		if (given)
			memcpy(in, given, (size_t)v * k[i]->nin * 8);
		else
			conform_inputs(k[i], in + nin);
		add_kernel(&s, i, v, nin, nout);
		nin += padded((size_t)v * k[i]->nin);
		nout += padded((size_t)v * k[i]->nout);
	}
	rc = run(m, &s, ended, e);
	for (size_t i = 0, at = 0; rc == ST_OK && !ended[0] && i < n; i++) {
		size_t words = (size_t)(given ? vectors : k[i]->vectors) * k[i]->nout;

		out[i].state = CONFORM_MEASURED;
		out[i].out = mem_alloc(words * 8);
		memcpy(out[i].out, results + at, words * 8);
		at += padded(words);
	}
	setup_free(&s);
	return rc;
}

/* ---- sweeps ---- */

static enum st run_sweep(const struct dev_module *m, size_t number, const uint32_t *chunks,
                         uint32_t nchunks, struct conform_run *out, char ended[64], struct err *e)
{
	uint32_t zero = 0;
	struct run_launch *l;
	uint64_t *sums;
	struct setup s;
	enum st rc;

	setup_new(&s, chunks ? nchunks : 1);
	sums = add_buffer(&s, RUN_OUT, "sums", nchunks);
	if (!chunks) {
		l = add_launch(&s, 's', number, nchunks, 64);
		add_pointer(l, 0, 0);
		add_bytes(l, &zero, 4);
	}
	for (uint32_t i = 0; chunks && i < nchunks; i++) {
		l = add_launch(&s, 's', number, 1, 64);
		add_pointer(l, 0, i);
		add_bytes(l, &chunks[i], 4);
	}
	rc = run(m, &s, ended, e);
	if (rc == ST_OK && !ended[0]) {
		out->chunk = mem_alloc((size_t)nchunks * 8);
		memcpy(out->chunk, sums, (size_t)nchunks * 8);
	}
	setup_free(&s);
	return rc;
}

/* ---- modules ---- */

static enum st load(struct device *d, const struct conform_kernel *const *k, size_t n, bool sweeps,
                    struct dev_module **m, struct err *e)
{
	struct buf b = {0};
	enum st rc;

	conform_head(&b);
	for (size_t i = 0; i < n; i++) {
		conform_text(&b, k[i], (unsigned)i);
		if (sweeps && k[i]->sweep)
			conform_sweep_text(&b, k[i], (unsigned)i);
	}
	rc = device_load(d, b.s, b.len, n == 1 ? k[0]->form.text : "conformance", m, e);
	buf_free(&b);
	return rc;
}

static bool is_refusal(enum st rc)
{
	return rc == ST_INPUT || rc == ST_UNSUP;
}

/* The line of a compiler's log that tells most. */
static void note_refusal(struct conform_run *r, const struct err *e)
{
	const char *at = strstr(e->msg, "error"), *s = at ? at : e->msg;

	r->state = CONFORM_REFUSED;
	snprintf(r->note, sizeof r->note, "%.*s", (int)strcspn(s, "\n"), s);
}

static enum st try_batch(struct device *d, const struct conform_kernel *const *k, size_t n,
                         const uint32_t *chunks, uint32_t nchunks, struct conform_run *out,
                         char ended[64], struct err *e)
{
	struct dev_module *m;
	enum st rc;

	TRY(load(d, k, n, nchunks > 0, &m, e));
	rc = run_vectors(m, k, n, NULL, 0, out, ended, e);
	for (size_t i = 0; i < n && rc == ST_OK && !ended[0] && nchunks; i++)
		if (k[i]->sweep)
			rc = run_sweep(m, i, chunks, nchunks, &out[i], ended, e);
	dev_module_free(m);
	return rc;
}

/* A batch with a kernel that is refused or faults is run again in halves, down to that kernel. */
enum st conform_run_batch(struct device *d, const struct conform_kernel *const *k, size_t n,
                          const uint32_t *chunks, uint32_t nchunks, struct conform_run *out,
                          struct err *e)
{
	struct err here = {0};
	char ended[64] = "";
	enum st rc = try_batch(d, k, n, chunks, nchunks, out, ended, &here);

	if (rc == ST_OK && !ended[0])
		return ST_OK;
	if (rc != ST_OK && !is_refusal(rc))
		return err_set(e, rc, here.file, here.line, "%s", here.msg);
	for (size_t i = 0; i < n; i++)
		conform_run_free(&out[i]);
	if (n > 1) {
		TRY(conform_run_batch(d, k, n / 2, chunks, nchunks, out, e));
		return conform_run_batch(d, k + n / 2, n - n / 2, chunks, nchunks, out + n / 2, e);
	}
	if (rc != ST_OK) {
		note_refusal(out, &here);
	} else {
		out->state = CONFORM_ENDED;
		snprintf(out->note, sizeof out->note, "%s", ended);
	}
	return ST_OK;
}

enum st conform_run_inputs(struct device *d, const struct conform_kernel *k, const uint64_t *in,
                           unsigned vectors, struct conform_run *out, struct err *e)
{
	struct dev_module *m;
	char ended[64];
	enum st rc;

	TRY(load(d, &k, 1, false, &m, e));
	rc = run_vectors(m, &k, 1, in, vectors, out, ended, e);
	dev_module_free(m);
	return rc;
}
