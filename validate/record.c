/* record.c - see record.h. */
#include "validate/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A line is at most some kilobytes; a campaign of 10^6 cases stays below this. */
#define MAX_RECORD ((size_t)4 << 30)

static void add_number(cJSON *j, const char *key, double v)
{
	/* JSON has no infinity: a string says it */
	if (isinf(v))
		cJSON_AddStringToObject(j, key, v > 0 ? "inf" : "-inf");
	else if (isnan(v))
		cJSON_AddNullToObject(j, key);
	else
		cJSON_AddNumberToObject(j, key, v);
}

static void add_triple(cJSON *j, const char *key, const uint32_t v[3])
{
	cJSON *a = cJSON_AddArrayToObject(j, key);

	for (int i = 0; i < 3; i++)
		cJSON_AddItemToArray(a, cJSON_CreateNumber(v[i]));
}

static cJSON *finding_json(const struct finding *f, const struct kernel *k)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "kind", finding_name(f->kind));
	cJSON_AddBoolToObject(j, "error", finding_is_error(f->kind));
	cJSON_AddStringToObject(j, "text", f->text);
	cJSON_AddStringToObject(j, "entry", f->entry);
	add_triple(j, "block", f->block);
	add_triple(j, "thread", f->thread);
	cJSON_AddNumberToObject(j, "ptx_line", f->ptx_line);
	/* of the kernel's source: a line of a header would be taken for one of it */
	cJSON_AddNumberToObject(j, "source_line", kernel_is_source(k, f->source_file) ? f->source_line : 0);
	cJSON_AddStringToObject(j, "buffer", f->buffer);
	cJSON_AddNumberToObject(j, "element", (double)f->element);
	cJSON_AddNumberToObject(j, "count", (double)f->count);
	return j;
}

char *record_line(const struct target *t, const struct kase *c, int i, const struct case_result *r,
                  int new_edges, double seconds)
{
	const struct judgement *g = &r->judgement;
	cJSON *j = cJSON_CreateObject(), *list;
	char *text = case_print(c), *line;

	cJSON_AddStringToObject(j, "kernel", kernel_name(t->kernel));
	cJSON_AddStringToObject(j, "dtype", dtype_name(c->b.types[0]));
	cJSON_AddNumberToObject(j, "i", i);
	cJSON_AddStringToObject(j, "case", text);
	cJSON_AddStringToObject(j, "verdict", verdict_name(r->verdict));
	cJSON_AddStringToObject(j, "value", verdict_name(r->value));
	if (r->reason[0])
		cJSON_AddStringToObject(j, "reason", r->reason);
	cJSON_AddNumberToObject(j, "elements", (double)g->n);
	cJSON_AddNumberToObject(j, "failed", (double)g->failed);
	cJSON_AddNumberToObject(j, "out_of_contract", (double)g->out_of_contract);
	cJSON_AddNumberToObject(j, "ill", (double)g->ill);
	cJSON_AddNumberToObject(j, "unknown", (double)g->unknown);
	cJSON_AddNumberToObject(j, "weak", (double)g->no_power_elements);
	add_number(j, "r", g->r_max);
	add_number(j, "q", g->q);
	add_number(j, "T", r->envelope.T);
	add_number(j, "L", r->chain);
	cJSON_AddStringToObject(j, "envelope", r->envelope.name);
	cJSON_AddStringToObject(j, "family", r->family);
	cJSON_AddBoolToObject(j, "power", r->power);
	if (r->wrong)
		cJSON_AddBoolToObject(j, "wrong", true);
	add_number(j, "abs_error", r->abs_error);
	cJSON_AddBoolToObject(j, "allclose", r->allclose);
	cJSON_AddBoolToObject(j, "published", r->published);
	cJSON_AddNumberToObject(j, "new_edges", new_edges);
	cJSON_AddStringToObject(j, "outputs_sha256", r->outputs_sha256);
	cJSON_AddNumberToObject(j, "lane_instructions", (double)r->report.lane_instructions);
	if (r->report.nfindings) {
		list = cJSON_AddArrayToObject(j, "findings");
		for (int k = 0; k < r->report.nfindings; k++)
			cJSON_AddItemToArray(list, finding_json(&r->report.findings[k], t->kernel));
	}
	cJSON_AddNumberToObject(j, "ms", floor(seconds * 1e5) / 100);
	line = json_print(j, false);
	cJSON_Delete(j);
	free(text);
	return line;
}

double record_number(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	if (cJSON_IsString(v))
		return v->valuestring[0] == '-' ? -INFINITY : INFINITY;
	return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

static enum st io_error(const char *path, const char *what, struct err *e)
{
	return FAIL(e, IO, "%s: %s failed: %s", path, what,
	            errno == ENOSPC ? "the disk is full" : strerror(errno));
}

/* Calls line() for the complete lines of text from *keep on, which becomes the length of the good prefix. */
static enum st each_line(const char *path, const char *text, size_t len, size_t *keep,
                         enum st (*line)(void *ctx, const cJSON *j, struct err *e), void *ctx, struct err *e)
{
	enum st rc = ST_OK;

	while (rc == ST_OK && *keep < len) {
		const char *end = memchr(text + *keep, '\n', len - *keep);
		struct err half = {0};
		cJSON *j = NULL;

		if (!end) /* half-written when the campaign was killed */
			break;
		if (json_parse(path, text + *keep, (size_t)(end - text) - *keep, &j, &half) != ST_OK)
			break;
		rc = line(ctx, j, e);
		cJSON_Delete(j);
		*keep = (size_t)(end - text) + 1;
	}
	return rc;
}

/* *keep: the length of the good prefix. */
static enum st read_lines(const char *path, const char *header, size_t *keep,
                          enum st (*line)(void *ctx, const cJSON *j, struct err *e), void *ctx,
                          struct err *e)
{
	size_t len, n = strlen(header);
	char *text = NULL;
	const char *end;
	enum st rc = ST_OK;

	TRY(file_read(path, MAX_RECORD, &text, &len, e));
	end = memchr(text, '\n', len);
	if (!end && len <= n && memcmp(text, header, len) == 0) {
		*keep = 0; /* killed while it wrote the header */
	} else if (!end || (size_t)(end - text) != n || memcmp(text, header, n) != 0) {
		rc = FAIL(e, INPUT, "%s belongs to another campaign (other kernels, seed, number of cases or "
		          "version); remove it, or choose another --out", path);
	} else {
		*keep = n + 1;
		rc = each_line(path, text, len, keep, line, ctx, e);
	}
	free(text);
	return rc;
}

enum st record_read(const char *path, enum st (*header)(void *ctx, const cJSON *j, struct err *e),
                    enum st (*line)(void *ctx, const cJSON *j, struct err *e), void *ctx, struct err *e)
{
	char *text = NULL;
	const char *end;
	cJSON *j = NULL;
	size_t len, at;
	enum st rc;

	TRY(file_read(path, MAX_RECORD, &text, &len, e));
	end = memchr(text, '\n', len);
	if (!end)
		TRY_OR(done, rc, FAIL(e, INPUT, "%s is empty or has no first line", path));
	at = (size_t)(end - text) + 1;
	TRY_OR(done, rc, json_parse(path, text, at - 1, &j, e));
	TRY_OR(done, rc, header(ctx, j, e));
	rc = each_line(path, text, len, &at, line, ctx, e);
done:
	cJSON_Delete(j);
	free(text);
	return rc;
}

enum st record_open(struct record_file *r, const char *path, const char *header, bool resume,
                    enum st (*line)(void *ctx, const cJSON *j, struct err *e), void *ctx,
                    struct err *e)
{
	size_t keep = 0;

	r->path = mem_strdup(path);
	r->f = fopen(path, "a");
	if (!r->f)
		return FAIL(e, INPUT, "%s: cannot be written: %s", path, strerror(errno));
	if (flock(fileno(r->f), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return FAIL(e, INPUT, "%s is being written by another gpuemu; choose another --out", path);
	if (resume)
		TRY(read_lines(path, header, &keep, line, ctx, e));
	if (ftruncate(fileno(r->f), (off_t)keep) != 0)
		return io_error(path, "truncating", e);
	return keep ? ST_OK : record_append(r, header, e);
}

enum st record_append(struct record_file *r, const char *line, struct err *e)
{
	if (fputs(line, r->f) < 0 || fputc('\n', r->f) < 0 || fflush(r->f) != 0)
		return io_error(r->path, "writing", e);
	return ST_OK;
}

enum st record_close(struct record_file *r, struct err *e)
{
	enum st rc = ST_OK;

	if (r->f && fclose(r->f) != 0)
		rc = io_error(r->path, "closing", e);
	free(r->path);
	*r = (struct record_file){0};
	return rc;
}
