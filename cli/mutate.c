/* mutate.c - gpuemu mutate KERNEL: kernels with one fault planted in their PTX (docs/mutation.md). */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { O_LIST = 256, O_ID, O_SAMPLE, O_SEED, O_JSON, O_KINDS };

static const struct option options[] = {
	{"list", 0, NULL, O_LIST},     {"id", 1, NULL, O_ID},     {"sample", 1, NULL, O_SAMPLE}, {"seed", 1, NULL, O_SEED},
	{"json", 0, NULL, O_JSON},     {"out", 1, NULL, 'o'},     {"kinds", 0, NULL, O_KINDS},   {NULL, 0, NULL, 0},
};

struct request {
	const char *out, *id;
	bool list, json, kinds;
	int64_t sample;
	uint64_t seed;
};

/* A fault of an entry. */
struct mutant {
	const struct ptx_mutator *kind;
	const char *entry;
	int line;
	char order[65]; /* SHA-256 of seed and id: what a sample is drawn by */
};

struct mutants {
	struct kernel *kernel;
	struct ptx_module *module;
	struct mutant *v;
	size_t n;
};

static void mutants_clear(struct mutants *m)
{
	free(m->v);
	ptx_module_free(m->module);
	kernel_free(m->kernel);
}

static char *id_of(const struct mutants *m, const struct mutant *x)
{
	struct buf b = {0};

	buf_printf(&b, "%s:%s:%d", kernel_name(m->kernel), x->kind->name, x->line);
	return b.s;
}

static void add_entry(struct mutants *m, const char *entry, uint64_t seed)
{
	struct ptx_mutant *found;
	size_t n = ptx_mutants(m->module, entry, &found);

	m->v = mem_realloc(m->v, (m->n + n + 1) * sizeof *m->v);
	for (size_t i = 0; i < n; i++) {
		struct mutant *x = &m->v[m->n++];
		struct buf b = {0};
		char *id;

		*x = (struct mutant){ptx_mutator_get(found[i].mutator), entry, found[i].line, ""};
		id = id_of(m, x);
		buf_printf(&b, "0x%llx %s", (unsigned long long)seed, id);
		sha256_hex(b.s, b.len, x->order);
		buf_free(&b);
		free(id);
	}
	free(found);
}

static bool has_entry(const struct mutants *m, const char *entry)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->v[i].entry, entry) == 0)
			return true;
	return false;
}

static enum st mutants_read(const char *folder, uint64_t seed, struct mutants *m, struct err *e)
{
	const char *ptx;
	size_t len = 0;

	TRY(kernel_read(folder, &m->kernel, e));
	ptx = kernel_ptx(m->kernel, &len);
	if (!ptx)
		return FAIL(e, INPUT, "%s has no kernel.ptx; gpuemu compile %s makes it", folder, folder);
	TRY(ptx_parse(ptx, len, kernel_ptx_path(m->kernel), &m->module, e));
	for (int d = 0; d < kernel_dtypes(m->kernel, -1, NULL); d++)
		for (int l = 0; l < kernel_launches(m->kernel); l++)
			if (!has_entry(m, kernel_entry(m->kernel, d, l)))
				add_entry(m, kernel_entry(m->kernel, d, l), seed);
	return ST_OK;
}

/* Is the entry launched for dtype combination d? */
static bool is_launched(const struct kernel *k, int d, const char *entry)
{
	for (int l = 0; l < kernel_launches(k); l++)
		if (strcmp(kernel_entry(k, d, l), entry) == 0)
			return true;
	return false;
}

/* ---- writing ---- */

/* A kernel's name of an id: letters, digits and underscores. */
static char *name_of(const char *id)
{
	char *s = mem_strdup(id);

	for (char *p = s; *p; p++)
		if (*p == ':' || *p == '-')
			*p = '_';
	return s;
}

static void set_text(cJSON *j, const char *key, const char *text)
{
	cJSON_DeleteItemFromObjectCaseSensitive(j, key);
	cJSON_AddStringToObject(j, key, text);
}

/* The kernel's manifest for the mutant: PTX alone, only the element types that run the fault, the kernel its twin. */
static enum st write_manifest(const struct mutants *m, const struct mutant *x, const char *change, const char *dir,
                              struct err *e)
{
	static const char *const of_source[] = {"source", "per_type", "defines", "compile_options", "include_dirs"};
	char *path = path_join(kernel_folder(m->kernel), "kernel.json"), *id = id_of(m, x), *name = name_of(id);
	struct buf bug = {0};
	cJSON *j = NULL, *dtypes;
	enum st rc;

	TRY_OR(done, rc, json_read(path, (size_t)1 << 20, &j, e));
	for (size_t i = 0; i < ARRAY_LEN(of_source); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(j, of_source[i]);
	buf_printf(&bug, "%s: line %d: %s", x->kind->what, x->line, change);
	set_text(j, "name", name);
	set_text(j, "ptx", "kernel.ptx");
	set_text(j, "role", "buggy");
	set_text(j, "twin", kernel_name(m->kernel));
	set_text(j, "bug_class", x->kind->fault_class);
	set_text(j, "bug", bug.s);
	dtypes = cJSON_GetObjectItemCaseSensitive(j, "dtypes");
	for (int d = cJSON_GetArraySize(dtypes) - 1; d >= 0; d--)
		if (!is_launched(m->kernel, d, x->entry))
			cJSON_DeleteItemFromArray(dtypes, d);
	free(path);
	path = path_join(dir, "kernel.json");
	rc = json_write(path, j, e);
done:
	cJSON_Delete(j);
	buf_free(&bug);
	free(path);
	free(id);
	free(name);
	return rc;
}

/* An operator of the kernel's own goes along. */
static enum st copy_operator(const struct kernel *k, const char *dir, struct err *e)
{
	const cJSON *op = kernel_manifest(k, "operator");
	struct buf file = {0};
	char *from = NULL, *to = NULL, *text = NULL;
	size_t len;
	enum st rc = ST_OK;

	buf_printf(&file, "%s%s", op->valuestring, strstr(op->valuestring, ".op") ? "" : ".op");
	from = path_join(kernel_folder(k), file.s);
	to = path_join(dir, file.s);
	if (path_exists(from)) {
		TRY_OR(done, rc, file_read(from, (size_t)1 << 20, &text, &len, e));
		rc = file_write(to, text, len, e);
	}
done:
	buf_free(&file);
	free(from);
	free(to);
	free(text);
	return rc;
}

static enum st write_mutant(const struct mutants *m, const struct mutant *x, const char *dir, struct err *e)
{
	char *path = path_join(dir, "kernel.ptx"), *text = NULL;
	struct buf change = {0};
	enum st rc;

	TRY_OR(done, rc, ptx_mutate(m->module, x->kind->name, x->line, &text, &change, e));
	TRY_OR(done, rc, dir_make(dir, e));
	TRY_OR(done, rc, file_write(path, text, strlen(text), e));
	TRY_OR(done, rc, copy_operator(m->kernel, dir, e));
	rc = write_manifest(m, x, change.s, dir, e);
done:
	free(path);
	free(text);
	buf_free(&change);
	return rc;
}

static const struct mutant *find(const struct mutants *m, const char *id)
{
	for (size_t i = 0; i < m->n; i++) {
		char *own = id_of(m, &m->v[i]);
		bool same = strcmp(own, id) == 0;

		free(own);
		if (same)
			return &m->v[i];
	}
	return NULL;
}

/* ---- samples ---- */

static bool same_group(const struct mutant *a, const struct mutant *b)
{
	return strcmp(a->entry, b->entry) == 0 && strcmp(a->kind->fault_class, b->kind->fault_class) == 0;
}

/* Is x among the `most` of its entry and class that come first in the order that the seed gives? */
static bool is_drawn(const struct mutants *m, const struct mutant *x, int64_t most)
{
	int64_t before = 0;

	for (size_t i = 0; i < m->n; i++)
		before += same_group(&m->v[i], x) && strcmp(m->v[i].order, x->order) < 0;
	return before < most;
}

static enum st write_sample(const struct mutants *m, int64_t most, const char *dir, struct err *e)
{
	enum st rc = ST_OK;

	for (size_t i = 0; i < m->n && rc == ST_OK; i++) {
		char *id = id_of(m, &m->v[i]), *name = name_of(id), *path = path_join(dir, name);

		if (is_drawn(m, &m->v[i], most)) {
			rc = write_mutant(m, &m->v[i], path, e);
			if (rc == ST_OK)
				printf("%s %s\n", id, path);
		}
		free(id);
		free(name);
		free(path);
	}
	return rc;
}

/* ---- lists ---- */

static void add_json(cJSON *list, const struct mutants *m, const struct mutant *x)
{
	cJSON *j = cJSON_CreateObject();
	char *id = id_of(m, x);

	cJSON_AddStringToObject(j, "id", id);
	cJSON_AddStringToObject(j, "class", x->kind->fault_class);
	cJSON_AddStringToObject(j, "entry", x->entry);
	cJSON_AddNumberToObject(j, "line", x->line);
	cJSON_AddItemToArray(list, j);
	free(id);
}

static int show_list(const struct mutants *m, bool json)
{
	cJSON *list = cJSON_CreateArray();
	struct buf b = {0};
	char *text;
	int rc;

	for (size_t i = 0; i < m->n; i++) {
		char *id = id_of(m, &m->v[i]);

		buf_printf(&b, "%-40s %-14s %s\n", id, m->v[i].kind->fault_class, m->v[i].entry);
		free(id);
		add_json(list, m, &m->v[i]);
	}
	text = json ? json_print(list, true) : b.s;
	rc = text ? cli_print(text, strlen(text)) : 0;
	if (json)
		free(text);
	cJSON_Delete(list);
	buf_free(&b);
	return rc;
}

static int show_kinds(void)
{
	struct buf b = {0};
	int rc;

	for (size_t i = 0; i < ptx_mutator_count(); i++) {
		const struct ptx_mutator *k = ptx_mutator_get(i);

		buf_printf(&b, "%-15s %-14s %s\n", k->name, k->fault_class, k->what);
	}
	rc = cli_print(b.s, b.len);
	buf_free(&b);
	return rc;
}

static int run(const struct request *q, const char *folder)
{
	struct mutants m = {0};
	const struct mutant *x;
	struct err e = {0};
	enum st st;
	int rc = 0;

	TRY_OR(done, st, mutants_read(folder, q->seed, &m, &e));
	if (q->list) {
		rc = show_list(&m, q->json);
	} else if (q->sample) {
		TRY_OR(done, st, dir_make(q->out, &e));
		st = write_sample(&m, q->sample, q->out, &e);
	} else if (!(x = find(&m, q->id))) {
		st = FAIL(&e, INPUT, "%s: no mutant %s; --list lists them", folder, q->id);
	} else {
		st = write_mutant(&m, x, q->out, &e);
	}
done:
	if (st != ST_OK)
		rc = cli_error(&e);
	mutants_clear(&m);
	return rc;
}

int cmd_mutate(int argc, char **argv)
{
	struct request q = {.seed = 1};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "o:", options, NULL)) != -1)
		switch (opt) {
		case O_LIST: q.list = true; break;
		case O_JSON: q.json = true; break;
		case O_KINDS: q.kinds = true; break;
		case O_ID: q.id = optarg; break;
		case 'o': q.out = optarg; break;
		case O_SAMPLE:
			if (!cli_int("mutate", "--sample", optarg, 1, 1000000, &q.sample))
				return 2;
			break;
		case O_SEED:
			if (!cli_seed("mutate", optarg, &q.seed))
				return 2;
			break;
		default: return cli_usage("mutate", "unknown option or missing value");
		}
	if (q.kinds)
		return show_kinds();
	if (argc - optind != 1)
		return cli_usage("mutate", "name one kernel folder");
	if (q.list + (q.id != NULL) + (q.sample > 0) != 1)
		return cli_usage("mutate", "one of --list, --id ID and --sample N is needed");
	if (!q.list && !q.out)
		return cli_usage("mutate", "name the folder to write with -o");
	return run(&q, argv[optind]);
}
