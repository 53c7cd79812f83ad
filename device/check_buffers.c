/* check_buffers.c - what a run did to its buffers, seen from outside.
 *
 * Positions are bytes from the start of the storage; in findings they become elements, rounded
 * towards minus infinity, so that the last element of the guard before the storage is -1. */
#include "device/check_buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watched {
	uint8_t *copy;    /* inputs: storage as it was */
	uint8_t *written; /* a bitmap of ours that the buffer borrows */
};
struct buffer_watch {
	bool sanitize;
	int n;
	struct watched *buffers;
};

/* The first and last place and the number of places of one kind of change. */
struct tally {
	int64_t first, last;
	uint64_t count;
};

static void tally_add(struct tally *t, int64_t at)
{
	if (t->count++ == 0)
		t->first = at;
	t->last = at;
}

static uint64_t bitmap_bytes(uint64_t bits)
{
	return (bits + 7) / 8;
}

static bool bit_is_set(const uint8_t *map, uint64_t i)
{
	return map[i / 8] >> (i % 8) & 1;
}

static bool is_valid(const struct run_buffer *b, uint64_t i)
{
	return !b->valid || bit_is_set(b->valid, i);
}

static void fill_buffer(const struct run_buffer *b, uint8_t fill)
{
	if (b->guard) {
		memset(b->data - b->guard, fill, b->guard);
		memset(b->data + b->bytes, fill, b->guard);
	}
	if (b->role != RUN_IN && b->bytes)
		memset(b->data, fill, b->bytes);
}

struct buffer_watch *buffer_watch_begin(const struct run_plan *plan, bool sanitize)
{
	struct buffer_watch *w = mem_zalloc(1, sizeof *w);

	w->sanitize = sanitize;
	w->n = plan->nbuffers;
	w->buffers = mem_zalloc((size_t)plan->nbuffers + 1, sizeof *w->buffers);
	for (int i = 0; i < plan->nbuffers; i++) {
		struct run_buffer *b = &plan->buffers[i];

		fill_buffer(b, plan->fill);
		if (b->role == RUN_IN && b->bytes) {
			w->buffers[i].copy = mem_alloc(b->bytes);
			memcpy(w->buffers[i].copy, b->data, b->bytes);
		}
		if (b->role != RUN_IN && sanitize && !b->written)
			b->written = w->buffers[i].written = mem_alloc(bitmap_bytes(b->bytes) + 1);
		if (b->role != RUN_IN && b->written)
			memset(b->written, 0, bitmap_bytes(b->bytes));
	}
	return w;
}

void buffer_watch_end(struct buffer_watch *w, const struct run_plan *plan)
{
	for (int i = 0; i < w->n; i++) {
		if (w->buffers[i].written)
			plan->buffers[i].written = NULL;
		free(w->buffers[i].written);
		free(w->buffers[i].copy);
	}
	free(w->buffers);
	free(w);
}

/* ---- what changed ---- */

static int64_t element_of(const struct run_buffer *b, int64_t byte)
{
	int64_t size = dtype_bytes(b->dt);

	return byte / size - (byte % size < 0);
}

static void add_finding(struct run_report *r, const struct run_plan *plan,
                        const struct run_buffer *b, enum finding_kind kind, const struct tally *t,
                        const char *what)
{
	struct finding f = {.kind = kind, .element = t->first, .count = t->count};

	if (t->count == 0)
		return;
	if (plan->nlaunches > 0)
		snprintf(f.entry, sizeof f.entry, "%s", plan->launches[plan->nlaunches - 1].entry);
	snprintf(f.buffer, sizeof f.buffer, "%s", b->name);
	snprintf(f.text, sizeof f.text, "%s of %s: %llu, the first is element %lld of its storage",
	         what, b->name, (unsigned long long)t->count, (long long)t->first);
	run_report_add(r, &f);
}

/* The emulator names the place where it can: a finding of it on the same buffer makes ours
 * superfluous. */
static bool already_reported(const struct run_report *r, const struct run_buffer *b,
                             enum finding_kind kind)
{
	for (int i = 0; i < r->nfindings; i++)
		if (r->findings[i].kind == kind && strcmp(r->findings[i].buffer, b->name) == 0)
			return true;
	return false;
}

static struct tally changed_input(const struct run_buffer *b, const uint8_t *copy)
{
	struct tally t = {0};
	uint64_t size = (uint64_t)dtype_bytes(b->dt);

	if (b->bytes == 0 || memcmp(copy, b->data, b->bytes) == 0)
		return t;
	for (uint64_t i = 0; i < b->bytes; i += size) {
		uint64_t n = b->bytes - i < size ? b->bytes - i : size;

		if (memcmp(copy + i, b->data + i, n) != 0)
			tally_add(&t, (int64_t)(i / size));
	}
	return t;
}

/* Bytes from..to-1 that are not the fill byte any more; bytes of one element count once. */
static void changed_fill(const struct run_buffer *b, int64_t from, int64_t to, uint8_t fill,
                         struct tally *t)
{
	const uint8_t *p = b->data + from;

	if (to > from && *p == fill && memcmp(p, p + 1, (size_t)(to - from - 1)) == 0)
		return; /* each byte equals the next: the common case, at memcmp's speed */
	for (int64_t i = from; i < to; i++)
		if (b->data[i] != fill && !(t->count && t->last == element_of(b, i)))
			tally_add(t, element_of(b, i));
}

/* Guards on both sides and, of outputs, the padding inside the storage. */
static struct tally changed_guards(const struct run_buffer *b, uint8_t fill)
{
	struct tally t = {0};
	int64_t bytes = (int64_t)b->bytes, guard = (int64_t)b->guard;
	uint8_t fills[8];

	memset(fills, fill, sizeof fills);
	changed_fill(b, -guard, 0, fill, &t);
	for (int64_t i = 0; b->role != RUN_IN && b->valid && i < bytes; i++) {
		if (i % 8 == 0 && b->valid[i / 8] == 0xff)
			i += 7; /* eight bytes without padding */
		else if (i % 8 == 0 && i + 8 <= bytes && memcmp(b->data + i, fills, 8) == 0)
			i += 7; /* whatever of them is padding still has the fill */
		else if (!is_valid(b, (uint64_t)i))
			changed_fill(b, i, i + 1, fill, &t);
	}
	changed_fill(b, bytes, bytes + guard, fill, &t);
	return t;
}

static struct tally unwritten_elements(const struct run_buffer *b)
{
	struct tally t = {0};
	uint64_t size = (uint64_t)dtype_bytes(b->dt);

	for (uint64_t i = 0; i + size <= b->bytes; i += size)
		for (uint64_t k = i; k < i + size; k++)
			if (is_valid(b, k) && !bit_is_set(b->written, k)) {
				tally_add(&t, (int64_t)(i / size));
				break;
			}
	return t;
}

void buffer_watch_report(const struct buffer_watch *w, const struct run_plan *plan,
                         struct run_report *r)
{
	for (int i = 0; i < w->n; i++) {
		const struct run_buffer *b = &plan->buffers[i];
		struct tally t;

		if (b->role == RUN_IN && !already_reported(r, b, FIND_INPUT_WRITTEN)) {
			t = changed_input(b, w->buffers[i].copy);
			add_finding(r, plan, b, FIND_INPUT_WRITTEN, &t,
			            "changed elements of input");
		}
		t = changed_guards(b, plan->fill);
		add_finding(r, plan, b, FIND_GUARD_CHANGED, &t,
		            "changed elements before, behind or between the rows");
		if (b->role == RUN_OUT && w->sanitize && r->complete &&
		    !already_reported(r, b, FIND_UNWRITTEN)) {
			t = unwritten_elements(b);
			add_finding(r, plan, b, FIND_UNWRITTEN, &t,
			            "never written elements of output");
		}
	}
}
