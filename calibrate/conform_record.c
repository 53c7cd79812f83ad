/* conform_record.c - the golden file of the conformance suite: a head, then a line a form.
 *
 *   gpuemu-isa 1
 *   device TEXT / date TEXT / command TEXT
 *   FORM VECTORS HASH                 results of all vectors
 *   FORM refused TEXT                 the compiler does not take it
 *   FORM ends FINDING                 it ends the launch, as trap does
 *   edges FORM HASH …                 16 chunks of 2^16 inputs of the sweep
 *   sweep FORM HASH …                 all 2^32 inputs, 2^28 a hash
 */
#include "calibrate/conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 23, MIN_LINE = 8 /* bytes of a form's line at least */ };

void conform_record_free(struct conform_record *r)
{
	free(r->line);
	*r = (struct conform_record){0};
}

/* ---- writing ---- */

static void print_hashes(struct buf *b, const char *what, const char *form, const uint64_t *h,
                         int n)
{
	buf_printf(b, "%s %s", what, form);
	for (int i = 0; i < n; i++)
		buf_printf(b, " %016" PRIx64, h[i]);
	buf_putc(b, '\n');
}

void conform_record_print(const struct conform_record *r, struct buf *b)
{
	buf_printf(b, "gpuemu-isa 1\ndevice %s\ndate %s\ncommand %s\n", r->device, r->date,
	           r->command);
	for (size_t i = 0; i < r->n; i++) {
		const struct conform_line *l = &r->line[i];

		switch (l->state) {
		case CONFORM_NONE:
			continue;
		case CONFORM_MEASURED:
			buf_printf(b, "%s %u %016" PRIx64 "\n", l->form, l->vectors, l->hash);
			break;
		case CONFORM_REFUSED:
			buf_printf(b, "%s refused %s\n", l->form, l->note);
			break;
		case CONFORM_ENDED:
			buf_printf(b, "%s ends %s\n", l->form, l->note);
			break;
		}
		if (l->has_edges)
			print_hashes(b, "edges", l->form, l->edge, CONFORM_EDGES);
		if (l->has_folds)
			print_hashes(b, "sweep", l->form, l->fold, CONFORM_FOLDS);
	}
}

/* ---- reading ---- */

static struct conform_line *last_named(struct conform_record *r, const char *form, size_t n)
{
	struct conform_line *l = r->n ? &r->line[r->n - 1] : NULL;

	return l && strlen(l->form) == n && strncmp(l->form, form, n) == 0 ? l : NULL;
}

static bool read_hash(const char **s, uint64_t *h)
{
	char *end;

	while (**s == ' ')
		++*s;
	if (strspn(*s, "0123456789abcdef") != 16)
		return false;
	*h = strtoull(*s, &end, 16);
	*s = end;
	return true;
}

/* "edges FORM HASH …" and "sweep FORM HASH …", right after the form's own line. */
static bool read_hashes(struct conform_record *r, const char *s, bool edges)
{
	size_t n = strcspn(s, " ");
	struct conform_line *l = last_named(r, s, n);

	if (!l)
		return false;
	s += n;
	for (int i = 0; i < (edges ? CONFORM_EDGES : CONFORM_FOLDS); i++)
		if (!read_hash(&s, edges ? &l->edge[i] : &l->fold[i]))
			return false;
	*(edges ? &l->has_edges : &l->has_folds) = true;
	return *s == 0;
}

static bool read_form(struct conform_record *r, const char *s)
{
	size_t n = strcspn(s, " ");
	struct conform_line *l = &r->line[r->n];
	char *end;

	if (n == 0 || n >= sizeof l->form || s[n] != ' ')
		return false;
	memset(l, 0, sizeof *l);
	memcpy(l->form, s, n);
	s += n + 1;
	r->n++;
	if (strncmp(s, "refused ", 8) == 0 || strncmp(s, "ends ", 5) == 0) {
		l->state = *s == 'r' ? CONFORM_REFUSED : CONFORM_ENDED;
		snprintf(l->note, sizeof l->note, "%s", strchr(s, ' ') + 1);
		return true;
	}
	l->state = CONFORM_MEASURED;
	l->vectors = (uint32_t)strtoul(s, &end, 10);
	s = end;
	return l->vectors > 0 && read_hash(&s, &l->hash) && *s == 0;
}

static bool read_line(struct conform_record *r, const char *s, int number)
{
	if (number == 1)
		return strcmp(s, "gpuemu-isa 1") == 0;
	if (number == 2 && strncmp(s, "device ", 7) == 0)
		return snprintf(r->device, sizeof r->device, "%s", s + 7) > 0;
	if (number == 3 && strncmp(s, "date ", 5) == 0)
		return snprintf(r->date, sizeof r->date, "%s", s + 5) > 0;
	if (number == 4 && strncmp(s, "command ", 8) == 0)
		return snprintf(r->command, sizeof r->command, "%s", s + 8) > 0;
	if (number <= 4)
		return false;
	if (strncmp(s, "edges ", 6) == 0 || strncmp(s, "sweep ", 6) == 0)
		return read_hashes(r, s + 6, *s == 'e');
	return read_form(r, s);
}

/* Takes the lines of text apart in place. */
static enum st parse(const char *name, char *text, size_t len, struct conform_record *out,
                     struct err *e)
{
	int number = 1;
	enum st rc = ST_OK;
	char *next;

	*out = (struct conform_record){0};
	out->line = mem_zalloc(len / MIN_LINE + 2, sizeof *out->line);
	for (char *s = text; *s && rc == ST_OK; s = next, number++) {
		size_t n = strcspn(s, "\n");

		next = s + n + (s[n] == '\n');
		s[n] = 0;
		if (!read_line(out, s, number))
			rc = FAIL(
			        e, INPUT,
			        "%s:%d: not a line of a record of gpuemu calibrate --isa: '%.60s'",
			        name, number, s);
	}
	if (rc == ST_OK && number <= 4)
		rc = FAIL(e, INPUT, "%s: not a record of gpuemu calibrate --isa", name);
	if (rc != ST_OK)
		conform_record_free(out);
	return rc;
}

enum st conform_record_read(const char *path, struct conform_record *out, struct err *e)
{
	char *text = NULL;
	size_t len;
	enum st rc;

	TRY(file_read(path, MAX_FILE, &text, &len, e));
	rc = parse(path, text, len, out, e);
	free(text);
	return rc;
}

static const struct {
	const char *name, *text;
} shipped[] = {
#include "isa.inc"
};

enum st conform_record_shipped(const char *name, struct conform_record *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(shipped); i++)
		if (strcmp(shipped[i].name, name) == 0) {
			char *text = mem_strdup(shipped[i].text);
			enum st rc = parse(name, text, strlen(text), out, e);

			free(text);
			return rc;
		}
	return FAIL(e, INPUT, "no record '%s' is shipped; there is isa_h200", name);
}

/* ---- comparing ---- */

/* Records are in the table's order, but another version's table may differ: from *at on, then from
 * the start. */
const struct conform_line *conform_record_find(const struct conform_record *r, const char *form,
                                               size_t *at)
{
	for (size_t i = 0; i < r->n; i++) {
		size_t k = (*at + i) % r->n;

		if (strcmp(r->line[k].form, form) == 0) {
			*at = k + 1;
			return &r->line[k];
		}
	}
	return NULL;
}

static void print_state(const struct conform_line *l, struct buf *b)
{
	switch (l->state) {
	case CONFORM_MEASURED:
		buf_printf(b, "%u vectors %016" PRIx64, l->vectors, l->hash);
		break;
	case CONFORM_REFUSED:
		buf_printf(b, "refused %s", l->note);
		break;
	case CONFORM_ENDED:
		buf_printf(b, "ends %s", l->note);
		break;
	default:
		buf_puts(b, "not run");
		break;
	}
}

static int count_different(const uint64_t *a, const uint64_t *b, int n)
{
	int different = 0;

	for (int i = 0; i < n; i++)
		different += a[i] != b[i];
	return different;
}

static bool compare_line(const struct conform_line *got, const struct conform_line *want,
                         struct buf *b)
{
	int edges = got->has_edges && want->has_edges
	                    ? count_different(got->edge, want->edge, CONFORM_EDGES)
	                    : 0;
	int folds = got->has_folds && want->has_folds
	                    ? count_different(got->fold, want->fold, CONFORM_FOLDS)
	                    : 0;
	bool same = got->state == want->state && got->vectors == want->vectors &&
	            got->hash == want->hash &&
	            (got->state != CONFORM_ENDED || strcmp(got->note, want->note) == 0);

	if (same && !edges && !folds)
		return true;
	buf_printf(b, "%s: expected ", got->form);
	print_state(want, b);
	buf_puts(b, ", got ");
	print_state(got, b);
	buf_printf(b, "; of the sweep %d of %d chunks and %d of %d hashes differ\n", edges,
	           CONFORM_EDGES, folds, CONFORM_FOLDS);
	return false;
}

size_t conform_record_compare(const struct conform_record *got, const struct conform_record *want,
                              struct buf *b)
{
	size_t different = 0, at = 0;

	for (size_t i = 0; i < got->n; i++) {
		const struct conform_line *g = &got->line[i], *w;

		if (g->state == CONFORM_NONE)
			continue;
		w = conform_record_find(want, g->form, &at);
		different += w && !compare_line(g, w, b);
	}
	return different;
}

static void count_line(struct conform_counts *c, const struct conform_line *l)
{
	c->vectors += l->vectors;
	c->sweeps += l->has_folds;
	if (l->has_folds)
		c->vectors += (uint64_t)1 << 32;
	else if (l->has_edges)
		c->vectors += (uint64_t)CONFORM_EDGES * CONFORM_CHUNK;
	if (l->state != CONFORM_MEASURED && l->state != CONFORM_ENDED)
		return;
	if (strncmp(l->form, "rewrite:", 8) == 0 || strncmp(l->form, "register:", 9) == 0) {
		c->beside++;
		return;
	}
	c->covered++;
	c->quiet += conform_class_of(l->form) == CLASS_QUIET;
	c->ended += l->state == CONFORM_ENDED;
}

struct conform_counts conform_record_counts(const struct conform_record *r)
{
	struct conform_counts c = {.forms = ptx_form_count()};

	for (size_t i = 0; i < r->n; i++)
		count_line(&c, &r->line[i]);
	return c;
}
