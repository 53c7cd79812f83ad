/* safetensors.c - named tensors in one file (github.com/huggingface/safetensors, README "Format"):
 *
 *     8 bytes   N, little endian
 *     N bytes   JSON object: name → {"dtype", "shape", "data_offsets": [begin, end]}, and
 *               perhaps "__metadata__" → object of strings; may be padded with spaces
 *     the rest  the tensors' bytes, row-major; offsets count from here, without gaps or overlaps
 */
#include "base/tensor_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The format's own limit of N. */
#define HEADER_MAX ((uint64_t)100000000)

static const char metadata_key[] = "__metadata__";

/* tf32 has no name in the format. */
static const char *const type_names[DT_COUNT] = {
	[DT_F64] = "F64", [DT_F32] = "F32",      [DT_F16] = "F16",      [DT_BF16] = "BF16",
	[DT_I8] = "I8",   [DT_E4M3] = "F8_E4M3", [DT_E5M2] = "F8_E5M2", [DT_U8] = "U8",
	[DT_I16] = "I16", [DT_U16] = "U16",      [DT_I32] = "I32",      [DT_U32] = "U32",
	[DT_I64] = "I64", [DT_U64] = "U64",      [DT_BOOL] = "BOOL",
};

/* ---- reading ---- */

/* Where the bytes of a tensor lie. */
struct span {
	uint64_t begin, end;
	const char *name;
	struct tensor *t;
};

struct reader {
	const char *path;
	const char *data; /* the tensors' bytes */
	uint64_t bytes;
	struct err *e;
};

static bool parse_type(const cJSON *j, enum dtype *t)
{
	if (!cJSON_IsString(j))
		return false;
	for (int i = 0; i < DT_COUNT; i++)
		if (type_names[i] != NULL && !strcmp(type_names[i], j->valuestring)) {
			*t = (enum dtype)i;
			return true;
		}
	return false;
}

/* An integer from 0 to 2^53, beyond which a JSON number is no longer exact. */
static bool parse_count(const cJSON *j, uint64_t *v)
{
	double x = cJSON_IsNumber(j) ? j->valuedouble : -1;

	if (!(x >= 0 && x <= 0x1p53) || x != trunc(x))
		return false;
	*v = (uint64_t)x;
	return true;
}

static enum st read_shape(const struct reader *r, const char *name, const cJSON *shape,
                          struct tensor *t)
{
	uint64_t d;

	if (!cJSON_IsArray(shape))
		return FAIL(r->e, INPUT, "%s: tensor '%.80s': no array 'shape'", r->path, name);
	for (const cJSON *s = shape->child; s != NULL; s = s->next) {
		if (t->rank == TENSOR_MAX_RANK)
			return FAIL(r->e, INPUT, "%s: tensor '%.80s': more than %d dimensions",
			            r->path, name, TENSOR_MAX_RANK);
		if (!parse_count(s, &d))
			return FAIL(r->e, INPUT, "%s: tensor '%.80s': shape[%d] is no size",
			            r->path, name, t->rank);
		t->dim[t->rank++] = (int64_t)d;
	}
	return ST_OK;
}

static enum st read_offsets(const struct reader *r, const cJSON *o, struct span *s)
{
	if (!cJSON_IsArray(o) || cJSON_GetArraySize(o) != 2 || !parse_count(o->child, &s->begin) ||
	    !parse_count(o->child->next, &s->end))
		return FAIL(r->e, INPUT, "%s: tensor '%.80s': 'data_offsets' must be [begin, end]",
		            r->path, s->name);
	if (s->begin > s->end)
		return FAIL(r->e, INPUT, "%s: tensor '%.80s': data_offsets end before they begin",
		            r->path, s->name);
	if (s->end > r->bytes)
		return FAIL(r->e, INPUT,
		            "%s: tensor '%.80s' ends at byte %llu of the data, but there are %llu "
		            "(file truncated?)",
		            r->path, s->name, (unsigned long long)s->end,
		            (unsigned long long)r->bytes);
	return ST_OK;
}

/* One entry of the header. */
static enum st read_tensor(const struct reader *r, const cJSON *j, struct named_tensor *out,
                           struct span *s)
{
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(j, "dtype");
	uint64_t bytes;

	s->name = j->string;
	s->t = &out->t;
	out->name = mem_strdup(j->string);
	for (const cJSON *k = j->child; k != NULL && cJSON_IsObject(j); k = k->next)
		if (strcmp(k->string, "dtype") && strcmp(k->string, "shape") &&
		    strcmp(k->string, "data_offsets"))
			return FAIL(r->e, INPUT, "%s: tensor '%.80s': unknown key '%.80s'", r->path,
			            s->name, k->string);
	if (!parse_type(type, &out->t.dt))
		return FAIL(r->e, INPUT, "%s: tensor '%.80s': dtype '%.80s' is not known", r->path,
		            s->name, cJSON_IsString(type) ? type->valuestring : "(none)");
	TRY(read_shape(r, s->name, cJSON_GetObjectItemCaseSensitive(j, "shape"), &out->t));
	TRY(read_offsets(r, cJSON_GetObjectItemCaseSensitive(j, "data_offsets"), s));
	if (!tensor_file_bytes(&out->t, &bytes))
		return FAIL(r->e, INPUT, "%s: tensor '%.80s': the shape is too large", r->path,
		            s->name);
	if (bytes != s->end - s->begin)
		return FAIL(r->e, INPUT,
		            "%s: tensor '%.80s': shape and dtype need %llu bytes, data_offsets "
		            "span %llu",
		            r->path, s->name, (unsigned long long)bytes,
		            (unsigned long long)(s->end - s->begin));
	return ST_OK;
}

static int span_order(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* The spans must cover the data exactly, each byte once. Sorts s. */
static enum st check_spans(const struct reader *r, struct span *s, size_t n)
{
	uint64_t at = 0;

	if (n > 0)
		qsort(s, n, sizeof *s, span_order);
	for (size_t i = 0; i < n; i++) {
		if (s[i].begin < at)
			return FAIL(r->e, INPUT, "%s: tensors '%.80s' and '%.80s' overlap", r->path,
			            s[i - 1].name, s[i].name);
		if (s[i].begin > at)
			return FAIL(r->e, INPUT, "%s: gap of %llu bytes before tensor '%.80s'",
			            r->path, (unsigned long long)(s[i].begin - at), s[i].name);
		at = s[i].end;
	}
	if (at != r->bytes)
		return FAIL(r->e, INPUT, "%s: %llu bytes after the last tensor belong to none",
		            r->path, (unsigned long long)(r->bytes - at));
	return ST_OK;
}

static enum st check_metadata(const struct reader *r, const cJSON *j)
{
	if (!cJSON_IsObject(j))
		return FAIL(r->e, INPUT, "%s: %s is no object", r->path, metadata_key);
	for (const cJSON *m = j->child; m != NULL; m = m->next)
		if (!cJSON_IsString(m))
			return FAIL(r->e, INPUT, "%s: %s: '%.80s' is no string", r->path,
			            metadata_key, m->string);
	return ST_OK;
}

/* Reads all entries of the header into out and spans, which have room for all. */
static enum st read_entries(const struct reader *r, const cJSON *header, struct named_tensor *out,
                            struct span *spans, size_t *n)
{
	for (const cJSON *j = header->child; j != NULL; j = j->next) {
		if (!strcmp(j->string, metadata_key)) {
			TRY(check_metadata(r, j));
			continue;
		}
		*n += 1;
		TRY(read_tensor(r, j, &out[*n - 1], &spans[*n - 1]));
	}
	/* before memory is taken: together they are the file's bytes */
	TRY(check_spans(r, spans, *n));
	for (size_t i = 0; i < *n; i++)
		tensor_file_copy(spans[i].t, r->data + spans[i].begin,
		                 (size_t)(spans[i].end - spans[i].begin));
	return ST_OK;
}

static enum st read_header(const struct reader *r, const cJSON *header, struct named_tensor **out,
                           size_t *count)
{
	size_t most, n = 0;
	struct named_tensor *ts;
	struct span *spans;
	enum st rc;

	if (!cJSON_IsObject(header))
		return FAIL(r->e, INPUT, "%s: the header is no JSON object", r->path);
	most = (size_t)cJSON_GetArraySize(header);
	ts = mem_zalloc(most, sizeof *ts);
	spans = mem_zalloc(most, sizeof *spans);
	rc = read_entries(r, header, ts, spans, &n);
	free(spans);
	if (rc != ST_OK) {
		named_tensors_free(ts, n);
		return rc;
	}
	*out = ts;
	*count = n;
	return ST_OK;
}

static enum st read_bytes(const char *path, const char *file, size_t len, struct named_tensor **out,
                          size_t *n, struct err *e)
{
	struct reader r = {.path = path, .e = e};
	cJSON *header;
	uint64_t size;
	enum st rc;

	if (len < 8)
		return FAIL(e, INPUT, "%s: %zu bytes are too few for a safetensors file", path,
		            len);
	memcpy(&size, file, 8);
	if (size > HEADER_MAX)
		return FAIL(e, INPUT, "%s: header of %llu bytes is not credible (limit %llu): is it a safetensors file? (safetensors.numpy."
		            "save_file writes one)", path, (unsigned long long)size, (unsigned long long)HEADER_MAX);
	if (size > len - 8)
		return FAIL(e, INPUT, "%s: the header should have %llu bytes, the file has %zu",
		            path, (unsigned long long)size, len - 8);
	r.data = file + 8 + size;
	r.bytes = len - 8 - size;
	if (json_parse("header", file + 8, (size_t)size, &header, e) != ST_OK)
		return err_prefix(e, "%s", path);
	rc = read_header(&r, header, out, n);
	cJSON_Delete(header);
	return rc;
}

enum st safetensors_read(const char *path, struct named_tensor **out, size_t *n, struct err *e)
{
	char *file;
	size_t len;
	enum st rc;

	TRY(file_read(path, TENSOR_FILE_MAX, &file, &len, e));
	rc = read_bytes(path, file, len, out, n, e);
	free(file);
	return rc;
}

/* ---- writing ---- */

/* May the tensor be added to the header? */
static enum st check_addable(const char *path, const struct named_tensor *t, const cJSON *header,
                             struct err *e)
{
	if (type_names[t->t.dt] == NULL)
		return FAIL(e, UNSUP, "%s: safetensors cannot hold %s (tensor '%s')", path,
		            dtype_name(t->t.dt), t->name);
	if (!strcmp(t->name, metadata_key) ||
	    cJSON_GetObjectItemCaseSensitive(header, t->name) != NULL)
		return FAIL(e, INPUT, "%s: the tensor name '%s' is taken", path, t->name);
	return ST_OK;
}

/* Header entry of a tensor whose bytes begin at `at`; adds its bytes to at. */
static cJSON *header_entry(const struct tensor *t, double *at)
{
	cJSON *j = cJSON_CreateObject(), *shape, *offsets;

	cJSON_AddStringToObject(j, "dtype", type_names[t->dt]);
	shape = cJSON_AddArrayToObject(j, "shape");
	for (int k = 0; k < t->rank; k++)
		cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)t->dim[k]));
	offsets = cJSON_AddArrayToObject(j, "data_offsets");
	cJSON_AddItemToArray(offsets, cJSON_CreateNumber(*at));
	*at += (double)tensor_count(t) * dtype_bytes(t->dt);
	cJSON_AddItemToArray(offsets, cJSON_CreateNumber(*at));
	return j;
}

enum st safetensors_write(const char *path, const struct named_tensor *ts, size_t n, struct err *e)
{
	cJSON *header = cJSON_CreateObject();
	struct buf file = {0};
	uint64_t size = 0;
	double at = 0;
	enum st rc = ST_OK;
	char *text;

	for (size_t i = 0; i < n && rc == ST_OK; i++) {
		rc = check_addable(path, &ts[i], header, e);
		if (rc == ST_OK)
			cJSON_AddItemToObject(header, ts[i].name, header_entry(&ts[i].t, &at));
	}
	if (rc != ST_OK)
		goto done;
	text = json_print(header, false);
	buf_add(&file, &size, sizeof size);
	buf_puts(&file, text);
	free(text);
	while (file.len % 8 != 0) /* so that the data are aligned */
		buf_putc(&file, ' ');
	size = file.len - sizeof size;
	memcpy(file.s, &size, sizeof size);
	for (size_t i = 0; i < n; i++)
		tensor_file_add(&file, &ts[i].t);
	rc = file_write(path, file.s, file.len, e);
done:
	buf_free(&file);
	cJSON_Delete(header);
	return rc;
}
