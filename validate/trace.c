/* trace.c - where two devices part: both run a case with an instrumented kernel, and the first instruction whose results
 * differ is told. */
#include <stdlib.h>
#include <string.h>

#include "validate/trace.h"

/* The case on d with one buffer more, of n sums; NULL when it cannot be run. */
static uint64_t *run_traced(struct device *d, const struct buf *text, const struct kernel *k, const struct kase *c, int n,
                            struct err *e)
{
	enum { GUARD = 256 };
	struct dev_module *m = NULL;
	struct case_run *run = NULL;
	struct run_buffer *buffers = NULL;
	struct run_arg *args = NULL;
	uint8_t *storage = mem_zalloc(1, 8 * (size_t)n + 3 * GUARD + 256);
	uint64_t *sums = NULL;
	struct run_plan plan;
	struct run_launch l;
	struct run_report r;
	struct dev_run_options o = {0};
	enum st rc;

	TRY_OR(done, rc, device_load(d, text->s, text->len, "trace", &m, e));
	TRY_OR(done, rc, case_make(c, k, (size_t)4 << 30, &run, e));
	plan = run->plan;
	l = plan.launches[0];
	buffers = mem_zalloc((size_t)plan.nbuffers + 1, sizeof *buffers);
	memcpy(buffers, plan.buffers, (size_t)plan.nbuffers * sizeof *buffers);
	args = mem_zalloc((size_t)l.nargs + 1, sizeof *args);
	memcpy(args, l.args, (size_t)l.nargs * sizeof *args);
	buffers[plan.nbuffers] = (struct run_buffer){.name = "trace", .role = RUN_WORKSPACE, .dt = DT_U64,
	                                             .data = storage + GUARD + (256 - ((uintptr_t)storage & 255)),
	                                             .bytes = 8 * (uint64_t)n, .guard = GUARD};
	args[l.nargs++] = (struct run_arg){.buffer = plan.nbuffers, .bytes = 8};
	l.args = args;
	plan.buffers = buffers;
	plan.nbuffers++;
	plan.launches = &l;
	o.budget = 40 * case_budget(run->inst);
	TRY_OR(done, rc, device_run(m, &plan, &o, &r, e));
	if (r.complete) {
		sums = mem_alloc(8 * (size_t)n + 8);
		memcpy(sums, buffers[plan.nbuffers - 1].data, 8 * (size_t)n);
	}
done:
	dev_module_free(m);
	case_run_free(run);
	free(buffers);
	free(args);
	free(storage);
	return sums;
}

bool trace_first(struct device *a, const struct ptx_module *ma, struct device *b, const struct ptx_module *mb,
                 const struct kernel *k, const struct kase *c, struct ptx_trace_place *out)
{
	struct buf text[2] = {{0}};
	struct ptx_trace_place *places[2] = {NULL, NULL};
	uint64_t *sums[2] = {NULL, NULL};
	struct err ignore = {0};
	const char *entry;
	int n[2] = {0}, d = case_dtype_index(c, k);
	bool found = false;

	if (!ma || !mb || d < 0 || kernel_launches(k) != 1)
		return false;
	entry = kernel_entry(k, d, 0);
	if (ptx_trace_text(ma, entry, &text[0], &places[0], &n[0], &ignore) == ST_OK &&
	    ptx_trace_text(mb, entry, &text[1], &places[1], &n[1], &ignore) == ST_OK && n[0] == n[1] && n[0] > 0) {
		sums[0] = run_traced(a, &text[0], k, c, n[0], &ignore);
		sums[1] = run_traced(b, &text[1], k, c, n[0], &ignore);
	}
	for (int i = 0; sums[0] && sums[1] && i < n[0] && !found; i++)
		if (sums[0][i] != sums[1][i]) {
			*out = places[0][i];
			found = true;
		}
	for (int i = 0; i < 2; i++) {
		buf_free(&text[i]);
		free(places[i]);
		free(sums[i]);
	}
	return found;
}
