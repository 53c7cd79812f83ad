/* npy.c - one tensor in NumPy's file format (numpy.org, "NEP 1" and numpy.lib.format):
 *
 *     6 bytes   "\x93NUMPY"
 *     2 bytes   version 1.0, 2.0 or 3.0
 *     2 or 4    length of the header, little endian (2 bytes in version 1)
 *     header    a Python dict literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 *               padded with spaces and a newline
 *     the rest  the elements, row-major
 */
#include "base/tensor_file.h"

#include <stdlib.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* The format's type codes, without the byte order. bf16, tf32 and fp8 have none. */
static const char *const type_codes[DT_COUNT] = {
	[DT_F64] = "f8", [DT_F32] = "f4", [DT_F16] = "f2", [DT_I8] = "i1",
	[DT_U8] = "u1",  [DT_I16] = "i2", [DT_U16] = "u2", [DT_I32] = "i4",
	[DT_U32] = "u4", [DT_I64] = "i8", [DT_U64] = "u8", [DT_BOOL] = "b1",
};

/* ---- the header's dict ---- */

struct dict {
	const char *path, *text;
	size_t len, pos;
	bool seen[3]; /* descr, fortran_order, shape */
	struct err *e;
};

#define DICT_FAIL(d, ...)                                                                          \
	FAIL_AT((d)->e, INPUT, (d)->path, (d)->text, (d)->len, (d)->pos, __VA_ARGS__)

static int dict_peek(struct dict *d)
{
	while (d->pos < d->len && (d->text[d->pos] == ' ' || d->text[d->pos] == '\n'))
		d->pos++;
	return d->pos < d->len ? (unsigned char)d->text[d->pos] : -1;
}

static bool dict_take(struct dict *d, char c)
{
	bool is = dict_peek(d) == c;

	d->pos += is;
	return is;
}

static bool dict_word(struct dict *d, const char *word)
{
	size_t n = strlen(word);

	dict_peek(d);
	if (d->len - d->pos < n || memcmp(d->text + d->pos, word, n) != 0)
		return false;
	d->pos += n;
	return true;
}

/* A string in either quotation mark, without escapes. */
static enum st dict_string(struct dict *d, char *out, size_t size)
{
	int quote = dict_peek(d);
	size_t n = 0;

	if (quote != '\'' && quote != '"')
		return DICT_FAIL(d, "expected a string");
	for (d->pos++; d->pos < d->len && d->text[d->pos] != quote; d->pos++) {
		if (n + 1 == size || d->text[d->pos] == '\\' || d->text[d->pos] == '\0')
			return DICT_FAIL(d, "unexpected string");
		out[n++] = d->text[d->pos];
	}
	if (d->pos == d->len)
		return DICT_FAIL(d, "string without end");
	d->pos++;
	out[n] = '\0';
	return ST_OK;
}

static enum st dict_type(struct dict *d, enum dtype *t)
{
	char descr[24];
	size_t at;

	if (dict_peek(d) == '[')
		return DICT_FAIL(d, "records of several fields are not supported");
	at = d->pos;
	TRY(dict_string(d, descr, sizeof descr));
	d->pos = at;
	if (descr[0] == '>')
		return DICT_FAIL(d, "big-endian elements are not supported; convert with "
		                    "a.astype(a.dtype.newbyteorder('<'))");
	for (int i = 0; i < DT_COUNT; i++) {
		bool one = dtype_bytes((enum dtype)i) == 1;

		if (type_codes[i] == NULL || strcmp(descr[0] ? descr + 1 : "", type_codes[i]) != 0)
			continue;
		if (descr[0] != '<' && !(one && descr[0] == '|'))
			break;
		*t = (enum dtype)i;
		d->pos = at + strlen(descr) + 2;
		return ST_OK;
	}
	return DICT_FAIL(d, "element type '%s' is not supported", descr);
}

static enum st dict_order(struct dict *d)
{
	if (dict_word(d, "False"))
		return ST_OK;
	if (dict_word(d, "True"))
		return DICT_FAIL(d, "Fortran order is not supported; convert with "
		                    "numpy.ascontiguousarray");
	return DICT_FAIL(d, "expected True or False");
}

static enum st dict_size(struct dict *d, int64_t *v)
{
	size_t start = d->pos;

	*v = 0;
	while (d->pos < d->len && d->text[d->pos] >= '0' && d->text[d->pos] <= '9') {
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, d->text[d->pos] - '0', v))
			return DICT_FAIL(d, "size beyond 64 bits");
		d->pos++;
	}
	return d->pos > start ? ST_OK : DICT_FAIL(d, "expected a size");
}

/* shape = "(" [size {"," size} [","]] ")"; a single size needs its comma. */
static enum st dict_shape(struct dict *d, struct tensor *t)
{
	bool comma = true;

	if (!dict_take(d, '('))
		return DICT_FAIL(d, "expected '('");
	while (dict_peek(d) != ')') {
		if (!comma)
			return DICT_FAIL(d, "expected ',' or ')'");
		if (t->rank == TENSOR_MAX_RANK)
			return DICT_FAIL(d, "more than %d dimensions", TENSOR_MAX_RANK);
		TRY(dict_size(d, &t->dim[t->rank++]));
		comma = dict_take(d, ',');
	}
	if (t->rank == 1 && !comma)
		return DICT_FAIL(d, "expected ',' (a tuple of one)");
	d->pos++;
	return ST_OK;
}

static enum st dict_entry(struct dict *d, struct tensor *t)
{
	static const char *const keys[] = {"descr", "fortran_order", "shape"};
	char key[24];
	size_t k = 0, at;

	dict_peek(d);
	at = d->pos;
	TRY(dict_string(d, key, sizeof key));
	while (k < ARRAY_LEN(keys) && strcmp(keys[k], key) != 0)
		k++;
	if (k == ARRAY_LEN(keys) || d->seen[k]) {
		d->pos = at;
		return DICT_FAIL(d, "%s key '%s'", k < ARRAY_LEN(keys) ? "repeated" : "unknown",
		                 key);
	}
	d->seen[k] = true;
	if (!dict_take(d, ':'))
		return DICT_FAIL(d, "expected ':'");
	return k == 0 ? dict_type(d, &t->dt) : k == 1 ? dict_order(d) : dict_shape(d, t);
}

static enum st read_dict(struct dict *d, struct tensor *t)
{
	bool comma = true;

	if (!dict_take(d, '{'))
		return DICT_FAIL(d, "expected '{'");
	while (!dict_take(d, '}')) {
		if (!comma)
			return DICT_FAIL(d, "expected ',' or '}'");
		TRY(dict_entry(d, t));
		comma = dict_take(d, ',');
	}
	if (dict_peek(d) >= 0)
		return DICT_FAIL(d, "unexpected text after the header's dict");
	if (!d->seen[0] || !d->seen[1] || !d->seen[2])
		return DICT_FAIL(d, "the header needs 'descr', 'fortran_order' and 'shape'");
	return ST_OK;
}

/* ---- reading ---- */

static enum st read_bytes(const char *path, const char *file, size_t len, struct tensor *t,
                          struct err *e)
{
	struct dict d = {.path = path, .e = e};
	size_t at = sizeof magic + 2, wide, size = 0;
	uint64_t bytes;

	if (len < at + 4 || memcmp(file, magic, sizeof magic) != 0)
		return FAIL(e, INPUT, "%s: is no npy file", path);
	if (file[6] < 1 || file[6] > 3 || file[7] != 0)
		return FAIL(e, INPUT, "%s: npy version %d.%d is not known (1.0, 2.0, 3.0)", path,
		            (unsigned char)file[6], (unsigned char)file[7]);
	wide = file[6] == 1 ? 2 : 4;
	memcpy(&size, file + at, wide);
	at += wide;
	if (size > len - at)
		return FAIL(e, INPUT, "%s: the header should have %zu bytes, the file has %zu",
		            path, size, len - at);
	d.text = file + at;
	d.len = size;
	TRY(read_dict(&d, t));
	at += size;
	if (!tensor_file_bytes(t, &bytes))
		return FAIL(e, INPUT, "%s: the shape is too large", path);
	if (bytes != len - at)
		return FAIL(e, INPUT,
		            "%s: shape and type need %llu bytes of data, the file has %zu%s", path,
		            (unsigned long long)bytes, len - at,
		            bytes > len - at ? " (truncated?)" : "");
	tensor_file_copy(t, file + at, len - at);
	return ST_OK;
}

enum st npy_read(const char *path, struct tensor *out, struct err *e)
{
	struct tensor t = {0};
	char *file;
	size_t len;
	enum st rc;

	TRY(file_read(path, TENSOR_FILE_MAX, &file, &len, e));
	rc = read_bytes(path, file, len, &t, e);
	free(file);
	if (rc == ST_OK)
		*out = t;
	return rc;
}

/* ---- writing ---- */

/* NumPy aligns the data to this. */
#define NPY_ALIGN 64

enum st npy_write(const char *path, const struct tensor *t, struct err *e)
{
	struct buf b = {0};
	uint16_t size;
	enum st rc;

	if (type_codes[t->dt] == NULL)
		return FAIL(e, UNSUP, "%s: npy cannot hold %s; write safetensors", path,
		            dtype_name(t->dt));
	buf_add(&b, magic, sizeof magic);
	buf_add(&b, "\1\0\0\0", 4); /* version 1.0, length below */
	buf_printf(&b, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
	           dtype_bytes(t->dt) == 1 ? '|' : '<', type_codes[t->dt]);
	for (int k = 0; k < t->rank; k++)
		buf_printf(&b, "%s%lld%s", k ? ", " : "", (long long)t->dim[k],
		           t->rank == 1 ? "," : "");
	buf_puts(&b, "), }");
	while ((b.len + 1) % NPY_ALIGN != 0)
		buf_putc(&b, ' ');
	buf_putc(&b, '\n');
	size = (uint16_t)(b.len - sizeof magic - 4);
	memcpy(b.s + sizeof magic + 2, &size, sizeof size);
	tensor_file_add(&b, t);
	rc = file_write(path, b.s, b.len, e);
	buf_free(&b);
	return rc;
}
