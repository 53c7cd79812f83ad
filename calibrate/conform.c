/* conform.c - the conformance suite: all forms in batches on one device or two. */
#include "calibrate/conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A batch is one module: few enough that several workers have work, many enough that loading costs
 * little. */
enum { BATCH_FORMS = 64, BATCH_VECTORS = 1 << 18 };

struct batch {
	size_t first, n; /* in suite.kernel */
	struct err err;
	struct buf text; /* differences */
	size_t different;
};
struct suite {
	struct device *d, *other;
	const struct conform_options *o;
	struct conform_kernel *kernel; /* those that are run */
	struct conform_line **line;    /* theirs in the record */
	size_t n;
	struct batch *batch;
	size_t nbatches;
	struct progress *progress;
};

/* ---- chunks of sweeps ---- */

/* Upper halves of the inputs where something changes: zero and subnormals, the smallest normal, 1
 * and below it, 2^23, 2^31, the largest, infinity and NaN, both signs; for pairs of halves some of
 * these are 1, infinity and NaN. */
static const uint16_t edge_chunks[] = {
        0x0000, 0x0080, 0x3f80, 0x3f7f, 0x4b00, 0x4f00,
        0x7f7f, 0x7f80, 0x7fff, 0x8000, 0xcf00, 0xff80,
};

static void edges_of(const struct conform_kernel *k, uint32_t out[CONFORM_EDGES])
{
	for (unsigned i = 0; i < CONFORM_EDGES; i++)
		out[i] = i < ARRAY_LEN(edge_chunks)
		                 ? edge_chunks[i]
		                 : (uint32_t)(rand_u64(k->form.seed, 3, i) % CONFORM_CHUNKS);
}

/* ---- results of one device ---- */

static uint64_t hash_words(const uint64_t *w, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ w[i]) * 0x100000001b3u;
		h ^= h >> 29;
	}
	return h;
}

static void fill_line(struct conform_line *l, const struct conform_kernel *k,
                      const struct conform_run *r, bool all)
{
	uint32_t edges[CONFORM_EDGES];

	l->state = r->state;
	memcpy(l->note, r->note, sizeof l->note);
	if (r->state != CONFORM_MEASURED)
		return;
	l->vectors = k->vectors;
	l->hash = hash_words(r->out, (size_t)k->vectors * k->nout);
	if (!r->chunk)
		return;
	l->has_edges = true;
	l->has_folds = all;
	edges_of(k, edges);
	for (unsigned i = 0; i < CONFORM_EDGES; i++)
		l->edge[i] = r->chunk[all ? edges[i] : i];
	for (unsigned i = 0; all && i < CONFORM_CHUNKS; i++)
		l->fold[i / (CONFORM_CHUNKS / CONFORM_FOLDS)] += r->chunk[i];
}

/* ---- two devices ---- */

static void print_words(struct buf *b, const uint64_t *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		buf_printf(b, " %llx", (unsigned long long)w[i]);
}

/* Vectors that differ, the first few with operands and results; how many. */
static size_t compare_vectors(const struct conform_kernel *k, const uint64_t *in, unsigned vectors,
                              const uint64_t *a, const uint64_t *b, struct buf *text)
{
	size_t n = 0;

	for (unsigned v = 0; v < vectors; v++, a += k->nout, b += k->nout) {
		if (memcmp(a, b, 8 * k->nout) == 0)
			continue;
		if (n++ >= CONFORM_SHOWN)
			continue;
		buf_printf(text, "  vector %u of", v);
		print_words(text, in + (size_t)v * k->nin, k->nin);
		buf_puts(text, "\n   ");
		print_words(text, a, k->nout);
		buf_puts(text, "\n   ");
		print_words(text, b, k->nout);
		buf_putc(text, '\n');
	}
	return n;
}

static enum st show_chunk(const struct suite *s, const struct conform_kernel *k, uint32_t chunk,
                          struct buf *text, struct err *e)
{
	uint64_t *in = mem_zalloc((size_t)CONFORM_CHUNK * k->nin, sizeof *in);
	struct conform_run a = {0}, b = {0};
	struct buf shown = {0};
	enum st rc;

	for (uint32_t i = 0; i < CONFORM_CHUNK; i++)
		for (unsigned j = 0; j + 1 < k->nin; j++)
			in[i * k->nin + j] =
			        j ? (uint32_t)((chunk << 16 | i) * 0x9e3779b1u) : chunk << 16 | i;
	TRY_OR(done, rc, conform_run_inputs(s->d, k, in, CONFORM_CHUNK, &a, e));
	TRY_OR(done, rc, conform_run_inputs(s->other, k, in, CONFORM_CHUNK, &b, e));
	if (a.out && b.out) {
		size_t n = compare_vectors(k, in, CONFORM_CHUNK, a.out, b.out, &shown);

		buf_printf(text, "  chunk %04x: %zu of %d inputs differ\n%s", chunk, n,
		           CONFORM_CHUNK, shown.s ? shown.s : "");
	}
done:
	free(in);
	buf_free(&shown);
	conform_run_free(&a);
	conform_run_free(&b);
	return rc;
}

/* Chunks that both have: b has those named, a all or the same. */
static enum st compare_sweeps(const struct suite *s, const struct conform_kernel *k,
                              const struct conform_run *a, const struct conform_run *b,
                              const uint32_t *chunks, uint32_t n, struct buf *text, bool *differ,
                              struct err *e)
{
	uint32_t wrong = 0, first = 0;

	for (uint32_t i = 0; i < n; i++)
		if (a->chunk[s->o->all_inputs ? chunks[i] : i] != b->chunk[i] && wrong++ == 0)
			first = chunks[i];
	if (!wrong)
		return ST_OK;
	*differ = true;
	buf_printf(text, "%s: %u of %u chunks of the sweep differ\n", k->form.text, wrong, n);
	return show_chunk(s, k, first, text, e);
}

/* True when some vector differs. */
static bool compare_results(const struct conform_kernel *k, const struct conform_run *a,
                            const struct conform_run *b, struct buf *text)
{
	uint64_t *in = mem_zalloc((size_t)k->vectors * k->nin, sizeof *in);
	struct buf shown = {0};
	size_t n;

	conform_inputs(k, in);
	n = compare_vectors(k, in, k->vectors, a->out, b->out, &shown);
	if (n)
		buf_printf(text, "%s: %zu of %u vectors differ\n%s", k->form.text, n, k->vectors,
		           shown.s);
	buf_free(&shown);
	free(in);
	return n > 0;
}

static const char *state_text(const struct conform_run *r)
{
	static const char *const texts[] = {"not run", "measured", "refused", "ends"};

	return texts[r->state];
}

static enum st compare_one(const struct suite *s, const struct conform_kernel *k,
                           const struct conform_run *a, const struct conform_run *b,
                           const uint32_t *chunks, uint32_t n, struct batch *out)
{
	bool differ = a->state != b->state ||
	              (a->state == CONFORM_ENDED && strcmp(a->note, b->note) != 0);
	enum st rc = ST_OK;

	if (differ)
		buf_printf(&out->text, "%s: %s %s, and %s %s\n", k->form.text, state_text(a),
		           a->note, state_text(b), b->note);
	else if (a->state == CONFORM_MEASURED)
		differ = compare_results(k, a, b, &out->text);
	if (a->chunk && b->chunk)
		rc = compare_sweeps(s, k, a, b, chunks, n, &out->text, &differ, &out->err);
	out->different += differ;
	return rc;
}

/* ---- batches ---- */

/* Which chunks of the sweeps the batch runs when not all: the edges and, on another device, every
 * stride-th. The edges have places of the form's own, so that forms with sweeps are batches of one
 * where this is asked for. */
static uint32_t chunks_of(const struct suite *s, const struct conform_kernel *k, bool other,
                          uint32_t **out)
{
	uint32_t stride = other ? s->o->stride : 0, n = CONFORM_EDGES, max = CONFORM_EDGES;

	if (stride)
		max += CONFORM_CHUNKS / stride + 1;
	*out = mem_zalloc(max, sizeof **out);
	edges_of(k, *out);
	for (uint32_t c = (uint32_t)(k->form.seed % (stride ? stride : 1));
	     stride && c < CONFORM_CHUNKS; c += stride)
		(*out)[n++] = c;
	return n;
}

static void run_batch(void *ctx, size_t index, int worker)
{
	struct suite *s = ctx;
	struct batch *b = &s->batch[index];
	const struct conform_kernel *k[BATCH_FORMS];
	struct conform_run *a = mem_zalloc(b->n, sizeof *a), *c = mem_zalloc(b->n, sizeof *c);
	uint32_t *chunks, *more, n, nmore;
	enum st rc;

	(void)worker;
	for (size_t i = 0; i < b->n; i++)
		k[i] = &s->kernel[b->first + i];
	n = chunks_of(s, k[0], false, &chunks);
	nmore = chunks_of(s, k[0], s->o->all_inputs, &more);
	TRY_OR(done, rc,
	       s->o->all_inputs ? conform_run_batch(s->d, k, b->n, NULL, CONFORM_CHUNKS, a, &b->err)
	                        : conform_run_batch(s->d, k, b->n, chunks, n, a, &b->err));
	for (size_t i = 0; i < b->n; i++)
		fill_line(s->line[b->first + i], k[i], &a[i], s->o->all_inputs);
	if (s->other)
		TRY_OR(done, rc, conform_run_batch(s->other, k, b->n, more, nmore, c, &b->err));
	for (size_t i = 0; s->other && i < b->n; i++)
		TRY_OR(done, rc, compare_one(s, k[i], &a[i], &c[i], more, nmore, b));
done:
	for (size_t i = 0; i < b->n; i++) {
		conform_run_free(&a[i]);
		conform_run_free(&c[i]);
	}
	free(a);
	free(c);
	free(chunks);
	free(more);
	if (s->progress)
		progress_add(s->progress, b->n);
}

/* Batches of consecutive forms; one that faults by its nature, and one with a sweep, is a batch by
 * itself. */
static void make_batches(struct suite *s)
{
	s->batch = mem_zalloc(s->n + 1, sizeof *s->batch);
	for (size_t i = 0; i < s->n;) {
		struct batch *b = &s->batch[s->nbatches++];
		unsigned vectors = 0;

		b->first = i;
		do {
			const struct conform_kernel *k = &s->kernel[i];
			bool alone = k->form.cls == CLASS_END || k->sweep;

			if (alone && b->n)
				break;
			vectors += k->vectors;
			b->n++;
			i++;
			if (alone)
				break;
		} while (i < s->n && b->n < BATCH_FORMS &&
		         vectors + s->kernel[i].vectors <= BATCH_VECTORS);
	}
}

static bool chosen(const struct suite *s, const char *text)
{
	return !s->o->only || strstr(text, s->o->only);
}

/* The table's forms, then the rewrites. */
static void choose_forms(struct suite *s, struct conform_record *r)
{
	size_t forms = ptx_form_count();

	r->n = forms + conform_rewrites();
	r->line = mem_zalloc(r->n, sizeof *r->line);
	s->kernel = mem_zalloc(r->n, sizeof *s->kernel);
	s->line = mem_zalloc(r->n, sizeof *s->line);
	for (size_t i = 0; i < r->n; i++) {
		struct conform_kernel *k = &s->kernel[s->n];
		bool known = true;

		if (i < forms) {
			struct ptx_form f = ptx_form_get(i);

			known = conform_plan(k, &f);
		} else {
			conform_rewrite_plan(k, i - forms);
		}
		memcpy(r->line[i].form, k->form.text, sizeof k->form.text);
		if (known && chosen(s, k->form.text))
			s->line[s->n++] = &r->line[i];
	}
}

enum st conform_measure(struct device *d, struct device *other, const struct conform_options *o,
                        struct conform_record *out, struct buf *differences, size_t *different,
                        struct err *e)
{
	struct suite s = {.d = d, .other = other, .o = o};
	enum st rc = ST_OK;

	*out = (struct conform_record){0};
	snprintf(out->device, sizeof out->device, "%s", device_text(d));
	choose_forms(&s, out);
	make_batches(&s);
	s.progress = o->quiet ? NULL : progress_new("forms", s.n);
	pool_run(o->jobs, s.nbatches, run_batch, NULL, &s);
	if (s.progress)
		progress_end(s.progress);
	for (size_t i = 0; i < s.nbatches; i++) {
		struct batch *b = &s.batch[i];

		if (b->err.code != ST_OK && rc == ST_OK)
			rc = err_set(e, b->err.code, b->err.file, b->err.line, "%s", b->err.msg);
		if (other) {
			if (b->text.len)
				buf_add(differences, b->text.s, b->text.len);
			*different += b->different;
		}
		buf_free(&b->text);
	}
	if (rc != ST_OK)
		conform_record_free(out);
	free(s.kernel);
	free(s.line);
	free(s.batch);
	return rc;
}
