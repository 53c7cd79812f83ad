/* compare_records.c - two campaigns' records, case by case. */
#include <stdlib.h>
#include <string.h>

#include "validate/record.h"

#define MAX_RECORD ((size_t)4 << 30)
#define MAX_SHOWN 20

struct line {
	char *key;  /* kernel, dtype and case: what was run */
	char *verdict, *value, *sha;
};
struct record {
	char *path;
	cJSON *head;
	struct line *lines;
	size_t n, cap;
};

static void record_clear(struct record *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->lines[i].key);
		free(r->lines[i].verdict);
		free(r->lines[i].value);
		free(r->lines[i].sha);
	}
	free(r->lines);
	free(r->path);
	cJSON_Delete(r->head);
}

static void add_line(struct record *r, const cJSON *j)
{
	struct buf key = {0};

	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 256;
		r->lines = mem_realloc(r->lines, r->cap * sizeof *r->lines);
	}
	buf_printf(&key, "%s %s: %s", json_text(j, "kernel"), json_text(j, "dtype"), json_text(j, "case"));
	r->lines[r->n++] = (struct line){key.s, mem_strdup(json_text(j, "verdict")),
	                                 mem_strdup(json_text(j, "value")),
	                                 mem_strdup(json_text(j, "outputs_sha256"))};
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->key, ((const struct line *)b)->key);
}

/* cases.jsonl itself, or of the folder, or beside evidence.json */
static char *record_path(const char *path)
{
	const char *name = path_base(path);
	char *dir, *out;

	if (path_is_dir(path))
		return path_join(path, "cases.jsonl");
	if (strcmp(name, "evidence.json") != 0)
		return mem_strdup(path);
	dir = name > path ? mem_strndup(path, (size_t)(name - path)) : mem_strdup(".");
	out = path_join(dir, "cases.jsonl");
	free(dir);
	return out;
}

/* A last line that was cut short by a kill is left out, as --resume does. */
static enum st read_record(const char *path, struct record *r, struct err *e)
{
	char *text = NULL, *end;
	size_t len, at = 0;
	enum st rc;

	r->path = record_path(path);
	TRY(file_read(r->path, MAX_RECORD, &text, &len, e));
	for (rc = ST_OK; rc == ST_OK && (end = memchr(text + at, '\n', len - at)) != NULL;
	     at = (size_t)(end - text) + 1) {
		cJSON *j = NULL;

		rc = json_parse(r->path, text + at, (size_t)(end - text) - at, &j, e);
		if (rc == ST_OK && !r->head && !json_text(j, "gpuemu")[0])
			rc = FAIL(e, INPUT, "%s: no record of a campaign: its first line has no \"gpuemu\"",
			          r->path);
		if (rc == ST_OK && !r->head) {
			r->head = j;
			continue;
		}
		if (rc == ST_OK)
			add_line(r, j);
		cJSON_Delete(j);
	}
	free(text);
	if (rc == ST_OK && !r->head)
		return FAIL(e, INPUT, "%s: empty", r->path);
	if (rc == ST_OK && r->n)
		qsort(r->lines, r->n, sizeof *r->lines, by_key);
	return rc;
}

/* ---- comparing ---- */

struct tally {
	int64_t both, only_a, only_b, value, outputs, different;
	int64_t one_sees;        /* only one of the devices has a finding that makes it FAIL */
	int64_t units, units_verdict; /* kernels in a dtype; those with another verdict */
	cJSON *shown;
};

static void show(struct tally *t, const char *key, const char *what, const char *a, const char *b)
{
	cJSON *j;

	if (cJSON_GetArraySize(t->shown) >= MAX_SHOWN)
		return;
	j = cJSON_CreateObject();
	cJSON_AddStringToObject(j, "case", key);
	cJSON_AddStringToObject(j, "what", what);
	cJSON_AddStringToObject(j, "a", a);
	cJSON_AddStringToObject(j, "b", b);
	cJSON_AddItemToArray(t->shown, j);
}

/* The same value and another verdict: one device reports a fault that the other cannot see, as a GPU does not see
 * a read outside a buffer. That is told apart; it is no difference in what the kernel did. */
static void compare_lines(struct tally *t, const struct line *a, const struct line *b)
{
	bool verdict = strcmp(a->verdict, b->verdict) != 0, value = strcmp(a->value, b->value) != 0;
	bool outputs = strcmp(a->sha, b->sha) != 0;

	t->both++;
	t->one_sees += verdict && !value;
	t->value += value;
	t->outputs += outputs;
	t->different += value || outputs;
	if (value)
		show(t, a->key, "value", a->value, b->value);
	else if (outputs)
		show(t, a->key, "outputs_sha256", a->sha, b->sha);
	else if (verdict)
		show(t, a->key, "verdict", a->verdict, b->verdict);
}

/* The next line with another key: a campaign may draw a case twice. */
static size_t next_key(const struct record *r, size_t i)
{
	size_t k = i + 1;

	while (k < r->n && strcmp(r->lines[k].key, r->lines[i].key) == 0)
		k++;
	return k;
}

/* Does a case of the kernel and dtype of line i fail? *end: the first line of another. */
static bool unit_fails(const struct record *r, size_t i, size_t *end)
{
	size_t n = strcspn(r->lines[i].key, ":"), k = i;
	bool fails = false;

	for (; k < r->n && strncmp(r->lines[k].key, r->lines[i].key, n + 1) == 0; k++)
		fails |= strcmp(r->lines[k].verdict, "FAIL") == 0;
	*end = k;
	return fails;
}

static void compare_units(struct tally *t, const struct record *a, const struct record *b)
{
	size_t ai = 0, bi = 0, aend, bend;

	while (ai < a->n && bi < b->n) {
		bool fa = unit_fails(a, ai, &aend), fb = unit_fails(b, bi, &bend);
		size_t n = strcspn(a->lines[ai].key, ":") + 1;
		int c = strncmp(a->lines[ai].key, b->lines[bi].key, n);

		t->units += c == 0;
		t->units_verdict += c == 0 && fa != fb;
		ai = c <= 0 ? aend : ai;
		bi = c >= 0 ? bend : bi;
	}
}

static void compare_all(struct tally *t, const struct record *a, const struct record *b)
{
	for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
		int c = i == a->n ? 1 : k == b->n ? -1 : by_key(&a->lines[i], &b->lines[k]);

		if (c == 0)
			compare_lines(t, &a->lines[i], &b->lines[k]);
		t->only_a += c < 0;
		t->only_b += c > 0;
		if (c <= 0)
			i = next_key(a, i);
		if (c >= 0)
			k = next_key(b, k);
	}
}

static void add_side(cJSON *j, const char *key, const struct record *r)
{
	cJSON *x = cJSON_AddObjectToObject(j, key);

	cJSON_AddStringToObject(x, "path", r->path);
	cJSON_AddStringToObject(x, "name", json_text(r->head, "device"));
	cJSON_AddStringToObject(x, "text", "");
}

static cJSON *tally_json(const struct tally *t, const struct record *a, const struct record *b)
{
	const struct {
		const char *key;
		int64_t n;
	} counts[] = {{"cases", t->both},     {"cases_identical", t->both - t->different},
	              {"only_a", t->only_a},  {"only_b", t->only_b},
	              {"values_different", t->value}, {"outputs_different", t->outputs},
	              {"one_sees", t->one_sees}, {"kernels", t->units},
	              {"kernels_verdict_different", t->units_verdict}};
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "mode", "records");
	add_side(j, "a", a);
	add_side(j, "b", b);
	cJSON_AddBoolToObject(j, "identical", !t->different && !t->only_a && !t->only_b && !t->units_verdict);
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		cJSON_AddNumberToObject(j, counts[i].key, (double)counts[i].n);
	cJSON_AddItemToObject(j, "differences", t->shown);
	return j;
}

enum st compare_records(const char *a, const char *b, cJSON **out, struct err *e)
{
	struct record ra = {0}, rb = {0};
	struct tally t = {0};
	enum st rc;

	TRY_OR(done, rc, read_record(a, &ra, e));
	TRY_OR(done, rc, read_record(b, &rb, e));
	t.shown = cJSON_CreateArray();
	compare_all(&t, &ra, &rb);
	compare_units(&t, &ra, &rb);
	*out = tally_json(&t, &ra, &rb);
done:
	record_clear(&ra);
	record_clear(&rb);
	return rc;
}
