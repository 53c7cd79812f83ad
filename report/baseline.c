/* baseline.c - making, reading and writing baselines: see baseline.h. */
#include "report/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/read.h"

#define MAX_BASELINE ((size_t)64 << 20)

static const struct embedded schemas[] = {
#include "schemas.inc"
};

/* ---- files ---- */

enum st baseline_read(const char *path, cJSON **out, struct err *e)
{
	cJSON *j = NULL, *schema = NULL;
	enum st rc;

	if (!path_exists(path))
		return FAIL(e, INPUT, "%s: there is no baseline yet; the same command with --update makes it, then commit it", path);
	TRY_OR(done, rc, json_read(path, MAX_BASELINE, &j, e));
	TRY_OR(done, rc, json_embedded(schemas, ARRAY_LEN(schemas), "baseline.schema", &schema, e));
	if (strcmp(ev_text(j, "schema"), "gpuemu-baseline/1") != 0)
		TRY_OR(done, rc, FAIL(e, INPUT, "%s is no baseline of gpuemu ci, or one of another version (\"schema\" must be \"gpuemu-baseline/1\")", path));
	TRY_OR(done, rc, json_validate(j, schema, path, e));
	*out = j;
	j = NULL;
done:
	cJSON_Delete(j);
	cJSON_Delete(schema);
	return rc;
}

/* An object in one line, without the keys that begin with @. */
static void put_line(struct buf *b, const cJSON *object)
{
	cJSON *copy = cJSON_Duplicate(object, true), *j = copy->child;
	char *text;

	while (j) {
		cJSON *next = j->next;

		if (j->string[0] == '@')
			cJSON_Delete(cJSON_DetachItemViaPointer(copy, j));
		j = next;
	}
	text = json_print(copy, false);
	buf_add(b, text, strcspn(text, "\n"));
	free(text);
	cJSON_Delete(copy);
}

static void put_list(struct buf *b, const cJSON *baseline, const char *key, const char *end)
{
	const cJSON *j;

	buf_printf(b, "\"%s\": [\n", key);
	cJSON_ArrayForEach(j, ev_get(baseline, key)) {
		put_line(b, j);
		buf_puts(b, j->next ? ",\n" : "\n");
	}
	buf_puts(b, end);
}

enum st baseline_write(const char *path, const cJSON *baseline, struct err *e)
{
	static const char *const heads[] = {"schema", "tool", "device", "tolerances", "seed", "cases"};
	struct buf b = {0};
	enum st rc;

	buf_puts(&b, "{\n");
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		char *text = json_print(ev_get(baseline, heads[i]), false);

		buf_printf(&b, "\"%s\": %.*s,\n", heads[i], (int)strcspn(text, "\n"), text);
		free(text);
	}
	put_list(&b, baseline, "units", "],\n");
	put_list(&b, baseline, "lint", "]\n}\n");
	rc = file_write(path, b.s, b.len, e);
	buf_free(&b);
	return rc;
}

char *baseline_key(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
	char *key = host_relative(dir, folder);

	free(dir);
	return key;
}

/* ---- of evidence ---- */

static void add_item(cJSON *list, const char *text)
{
	cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "failing": the first eight hex digits of the SHA-256 of each failing case's line, sorted: enough to tell whether a case failed before; a case in
 * 2^32 is taken for another. */
static void add_failing(cJSON *unit, const cJSON *lines)
{
	int n = cJSON_GetArraySize(lines), i = 0;
	char **hash = mem_zalloc((size_t)n + 1, sizeof *hash), sha[65];
	struct buf b = {0};
	const cJSON *j;

	cJSON_ArrayForEach(j, lines) {
		sha256_hex(j->valuestring, strlen(j->valuestring), sha);
		hash[i++] = mem_strndup(sha, 8);
	}
	qsort(hash, (size_t)n, sizeof *hash, by_text);
	for (i = 0; i < n; i++) {
		if (i == 0 || strcmp(hash[i], hash[i - 1]) != 0)
			buf_printf(&b, "%s%s", b.len ? " " : "", hash[i]);
	}
	if (b.len)
		cJSON_AddStringToObject(unit, "failing", b.s);
	for (i = 0; i < n; i++)
		free(hash[i]);
	free(hash);
	buf_free(&b);
}

/* Where a finding stands: {"key", "path", "line", "case"}. */
static cJSON *place_json(const cJSON *kernel, const cJSON *f, const char *key)
{
	const char *path;
	int line = ev_locate(kernel, f, &path);
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "key", key);
	cJSON_AddStringToObject(j, "path", line ? path : ev_text(kernel, "ptx_file"));
	cJSON_AddNumberToObject(j, "line", line);
	cJSON_AddStringToObject(j, "case", ev_text(f, "case"));
	return j;
}

/* Adds a finding's key, counted when it is there already and its place is known by the entry alone: "…", "… (2)". */
static void add_key(cJSON *keys, cJSON *places, const cJSON *kernel, const cJSON *f, const struct buf *key, bool counted)
{
	struct buf b = {0};

	buf_puts(&b, key->s);
	for (int n = 2; counted && ev_lists(keys, b.s); n++) {
		b.len = 0;
		buf_printf(&b, "%s (%d)", key->s, n);
	}
	if (!ev_lists(keys, b.s)) {
		add_item(keys, b.s);
		cJSON_AddItemToArray(places, place_json(kernel, f, b.s));
	}
	buf_free(&b);
}

static void sort_texts(cJSON *list)
{
	int n = cJSON_GetArraySize(list), i = 0;
	char **v = mem_zalloc((size_t)n + 1, sizeof *v);
	cJSON *j;

	cJSON_ArrayForEach(j, list)
		v[i++] = mem_strdup(j->valuestring);
	qsort(v, (size_t)n, sizeof *v, by_text);
	i = 0;
	cJSON_ArrayForEach(j, list)
		cJSON_SetValuestring(j, v[i++]);
	for (i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

/* Puts the keys into j, sorted, if there are any, and where they stand. */
static void finish_findings(cJSON *j, cJSON *keys, cJSON *places)
{
	sort_texts(keys);
	if (cJSON_GetArraySize(keys) > 0)
		cJSON_AddItemToObject(j, "findings", keys);
	else
		cJSON_Delete(keys);
	cJSON_AddItemToObject(j, "@places", places);
}

/* Findings that are errors: "out-of-bounds-read of x in ENTRY: float v = x[i];". */
static void add_findings(cJSON *unit, const cJSON *kernel, const cJSON *d)
{
	cJSON *keys = cJSON_CreateArray(), *places = cJSON_CreateArray();
	const cJSON *f;

	cJSON_ArrayForEach(f, ev_get(d, "findings")) {
		struct buf key = {0}, place = {0};
		const char *buffer = ev_text(f, "buffer");

		if (!cJSON_IsTrue(ev_get(f, "error")))
			continue;
		ev_place(&place, kernel, f);
		buf_printf(&key, "%s%s%s in %s", ev_text(f, "kind"), buffer[0] ? " of " : "", buffer, place.s);
		add_key(keys, places, kernel, f, &key, strcmp(place.s, ev_text(f, "entry")) == 0);
		buf_free(&key);
		buf_free(&place);
	}
	finish_findings(unit, keys, places);
}

/* Cases to be run again: those that were, with their new verdicts, and the smallest failing one. Of too many, those that pass go first. */
static void add_replay(cJSON *unit, const cJSON *replayed, const cJSON *minimal)
{
	cJSON *list = replayed ? cJSON_Duplicate(replayed, true) : cJSON_CreateArray(), *j;
	const char *line = ev_text(minimal, "case");
	bool there = !line[0];

	cJSON_ArrayForEach(j, list)
		there |= strcmp(ev_text(j, "case"), line) == 0;
	if (!there) {
		j = cJSON_CreateObject();
		cJSON_AddStringToObject(j, "case", line);
		cJSON_AddStringToObject(j, "verdict", ev_text(minimal, "verdict"));
		cJSON_AddItemToArray(list, j);
	}
	while (cJSON_GetArraySize(list) > BASELINE_MAX_REPLAY) {
		int i = 0;

		while (i + 1 < cJSON_GetArraySize(list) && strcmp(ev_text(cJSON_GetArrayItem(list, i), "verdict"), "FAIL") == 0)
			i++;
		cJSON_DeleteItemFromArray(list, i + 1 < cJSON_GetArraySize(list) ? i : 0);
	}
	if (cJSON_GetArraySize(list) > 0)
		cJSON_AddItemToObject(unit, "replay", list);
	else
		cJSON_Delete(list);
}

/* How a case of it is replayed, up to the case. */
static void add_replay_command(cJSON *j, const cJSON *kernel)
{
	struct buf b = {0};

	ev_put_replay(&b, kernel);
	cJSON_AddStringToObject(j, "@replay", b.s);
	buf_free(&b);
}

static cJSON *unit_json(const cJSON *kernel, const cJSON *d, const char *key, const cJSON *failing, const cJSON *replayed)
{
	cJSON *j = cJSON_CreateObject();
	const char *dtype = ev_text(d, "dtype"), *reason = ev_text(ev_get(d, "minimal"), "reason");
	struct buf name = {0}, id = {0};
	char sha[13];

	buf_printf(&name, "%s:%s", ev_text(kernel, "name"), dtype);
	buf_printf(&id, "%s:%s", key, dtype);
	snprintf(sha, sizeof sha, "%s", ev_text(kernel, "sha256"));
	cJSON_AddStringToObject(j, "kernel", key);
	cJSON_AddStringToObject(j, "dtype", dtype);
	cJSON_AddStringToObject(j, "expected", ev_text(kernel, "expected"));
	cJSON_AddStringToObject(j, "verdict", ev_text(d, "verdict"));
	cJSON_AddStringToObject(j, "sha256", sha);
	if (ev_number(d, "cases_failed") > 0) {
		cJSON_AddNumberToObject(j, "failed", ev_number(d, "cases_failed"));
		add_failing(j, ev_get(failing, name.s));
	}
	add_findings(j, kernel, d);
	add_replay(j, ev_get(replayed, id.s), ev_get(d, "minimal"));
	add_replay_command(j, kernel);
	cJSON_AddStringToObject(j, "@path", ev_text(kernel, ev_text(kernel, "source_file")[0] ? "source_file" : "ptx_file"));
	cJSON_AddStringToObject(j, "@minimal", ev_text(ev_get(d, "minimal"), "case"));
	cJSON_AddStringToObject(j, "@reason", reason[0] ? reason : ev_text(d, "reason"));
	cJSON_AddNumberToObject(j, "@cases", ev_number(d, "cases"));
	if (ev_get(failing, name.s))
		cJSON_AddItemToObject(j, "@failing", cJSON_Duplicate(ev_get(failing, name.s), true));
	buf_free(&name);
	buf_free(&id);
	return j;
}

/* Errors and warnings that count, "error: RULE in ENTRY: TEXT", and the metrics that can grow. */
static cJSON *lint_json(const cJSON *kernel, const char *key)
{
	static const char *const metrics[] = {"instructions", "registers", "shared_bytes", "local_bytes"};
	cJSON *j = cJSON_CreateObject(), *keys = cJSON_CreateArray(), *places = cJSON_CreateArray(), *list = cJSON_CreateArray();
	const cJSON *lint = ev_get(kernel, "lint"), *f;

	cJSON_AddStringToObject(j, "kernel", key);
	cJSON_ArrayForEach(f, ev_get(lint, "findings")) {
		const char *severity = ev_text(f, "severity");
		struct buf text = {0}, place = {0};

		if (ev_get(f, "allowed") || ev_get(f, "dropped") || strcmp(severity, "note") == 0)
			continue;
		ev_place(&place, kernel, f);
		buf_printf(&text, "%s: %s in %s", severity, ev_text(f, "rule"), place.s);
		add_key(keys, places, kernel, f, &text, strcmp(place.s, ev_text(f, "entry")) == 0);
		buf_free(&text);
		buf_free(&place);
	}
	finish_findings(j, keys, places);
	cJSON_ArrayForEach(f, ev_get(lint, "metrics")) {
		cJSON *m = cJSON_CreateObject();

		cJSON_AddStringToObject(m, "entry", ev_text(f, "entry"));
		for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
			cJSON_AddNumberToObject(m, metrics[i], ev_number(f, metrics[i]));
		cJSON_AddItemToArray(list, m);
	}
	cJSON_AddItemToObject(j, "metrics", list);
	add_replay_command(j, kernel);
	cJSON_AddStringToObject(j, "@path", ev_text(kernel, ev_text(kernel, "source_file")[0] ? "source_file" : "ptx_file"));
	cJSON_AddStringToObject(j, "@expected", ev_text(kernel, "expected"));
	return j;
}

static int by_kernel(const void *a, const void *b)
{
	const cJSON *x = *(cJSON *const *)a, *y = *(cJSON *const *)b;
	int c = strcmp(ev_text(x, "kernel"), ev_text(y, "kernel"));

	return c ? c : strcmp(ev_text(x, "dtype"), ev_text(y, "dtype"));
}

/* By kernel, then dtype. */
static void sort_list(cJSON *list)
{
	int n = cJSON_GetArraySize(list);
	cJSON **v = mem_zalloc((size_t)n + 1, sizeof(cJSON *));

	for (int i = 0; i < n; i++)
		v[i] = cJSON_DetachItemFromArray(list, 0);
	qsort(v, (size_t)n, sizeof(cJSON *), by_kernel);
	for (int i = 0; i < n; i++)
		cJSON_AddItemToArray(list, v[i]);
	free(v);
}

static void add_head(cJSON *j, const cJSON *evidence)
{
	const cJSON *tool = ev_get(evidence, "tool"), *t = ev_get(evidence, "tolerance"), *d = ev_get(evidence, "device");
	struct buf b = {0};

	cJSON_AddStringToObject(j, "schema", "gpuemu-baseline/1");
	buf_printf(&b, "%s%s%s", ev_text(tool, "version"), ev_text(tool, "commit")[0] ? ", " : "", ev_text(tool, "commit"));
	cJSON_AddStringToObject(j, "tool", b.s);
	b.len = 0;
	buf_printf(&b, "%s: %s", ev_text(d, "name"), ev_text(d, "text"));
	cJSON_AddStringToObject(j, "device", b.s);
	b.len = 0;
	buf_printf(&b, "%s %.12s", ev_text(t, "name"), ev_text(t, "sha256"));
	cJSON_AddStringToObject(j, "tolerances", b.s);
	buf_free(&b);
	cJSON_AddStringToObject(j, "seed", ev_text(evidence, "seed"));
	cJSON_AddNumberToObject(j, "cases", ev_number(ev_get(evidence, "options"), "cases"));
}

cJSON *baseline_make(const cJSON *evidence, const char *path, const cJSON *failing, const cJSON *replayed)
{
	cJSON *j = cJSON_CreateObject(), *units, *lint;
	const cJSON *k, *d;

	add_head(j, evidence);
	units = cJSON_AddArrayToObject(j, "units");
	lint = cJSON_AddArrayToObject(j, "lint");
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) {
		char *key = baseline_key(path, ev_text(k, "folder"));

		cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
			cJSON_AddItemToArray(units, unit_json(k, d, key, failing, replayed));
		cJSON_AddItemToArray(lint, lint_json(k, key));
		free(key);
	}
	sort_list(units);
	sort_list(lint);
	return j;
}

/* ---- a part of the kernels ---- */

/* A key as a path of a folder so deep that no `..` of a key leads out of it. */
static char *deep(const char *key)
{
	struct buf b = {0};

	for (int i = 0; i < 64; i++)
		buf_puts(&b, "/_");
	buf_printf(&b, "/%s", key);
	return b.s;
}

bool baseline_within(const char *kernel, char *const *folders, int n)
{
	char *k = deep(kernel);
	bool in = false;

	for (int i = 0; i < n && !in; i++) {
		char *f = deep(folders[i]), *way = host_relative(f, k);

		in = strcmp(way, "..") != 0 && strncmp(way, "../", 3) != 0;
		free(f);
		free(way);
	}
	free(k);
	return in;
}

cJSON *baseline_merge(const cJSON *was, const cJSON *now, char *const *folders, int n, const cJSON *left_out)
{
	static const char *const lists[] = {"units", "lint"};
	cJSON *j = cJSON_Duplicate(now, true);
	const cJSON *o;

	for (int l = 0; l < 2; l++) {
		cJSON *list = cJSON_GetObjectItemCaseSensitive(j, lists[l]);

		cJSON_ArrayForEach(o, ev_get(was, lists[l]))
			if (!baseline_within(ev_text(o, "kernel"), folders, n) || ev_lists(left_out, ev_text(o, "kernel")))
				cJSON_AddItemToArray(list, cJSON_Duplicate(o, true));
		sort_list(list);
	}
	return j;
}
