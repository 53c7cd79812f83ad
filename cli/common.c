/* common.c - what the commands share: messages, numbers, finding kernels. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

#define MAX_DEPTH 4
#define MAX_FOLDERS 100000

int cli_error(const struct err *e)
{
	fprintf(stderr, "gpuemu: %s\n", e->msg[0] ? e->msg : st_text(e->code));
	return st_exit(e->code);
}

int cli_usage(const char *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "gpuemu %s: ", command);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see gpuemu %s --help\n", command);
	return 2;
}

int cli_print(const char *s, size_t n)
{
	return fwrite(s, 1, n, stdout) == n ? 0 : 3;
}

bool cli_int(const char *command, const char *option, const char *text, int64_t lo, int64_t hi,
             int64_t *out)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || *end || errno || v < lo || v > hi) {
		cli_usage(command, "%s takes a number from %lld to %lld, not '%s'", option, (long long)lo,
		          (long long)hi, text);
		return false;
	}
	*out = v;
	return true;
}

bool cli_seed(const char *command, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	if (end == text || *end || errno || text[0] == '-') {
		cli_usage(command, "--seed takes a 64-bit number, not '%s'", text);
		return false;
	}
	return true;
}

struct found {
	char **list;
	int n, cap;
	const char *set;
};

static void add_folder(struct found *f, const char *path)
{
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 32;
		f->list = mem_realloc(f->list, sizeof *f->list * (size_t)f->cap);
	}
	f->list[f->n++] = mem_strdup(path);
}

/* With a set: read the manifest's "sets" alone; a manifest that does not parse is kept, so that its error
 * is told later. */
static bool folder_in_set(const char *manifest, const char *set)
{
	struct err ignore = {0};
	cJSON *j = NULL;
	const cJSON *s;
	bool in = false;

	if (!set || json_read(manifest, (size_t)1 << 20, &j, &ignore) != ST_OK)
		return true;
	cJSON_ArrayForEach(s, cJSON_GetObjectItemCaseSensitive(j, "sets"))
		in |= cJSON_IsString(s) && strcmp(s->valuestring, set) == 0;
	cJSON_Delete(j);
	return in;
}

static void search_folder(struct found *f, const char *path, int depth)
{
	char *manifest = path_join(path, "kernel.json");
	struct dirent *d;
	DIR *dir;

	if (path_exists(manifest)) {
		if (folder_in_set(manifest, f->set))
			add_folder(f, path);
	} else if (depth < MAX_DEPTH && (dir = opendir(path)) != NULL) {
		while ((d = readdir(dir)) != NULL && f->n < MAX_FOLDERS) {
			char *sub = path_join(path, d->d_name);

			if (d->d_name[0] != '.' && path_is_dir(sub))
				search_folder(f, sub, depth + 1);
			free(sub);
		}
		closedir(dir);
	}
	free(manifest);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A kernel named twice is run once, under its first name: links may lead to it by several, or round. The list is sorted. */
static int without_repeats(char **list, int n)
{
	struct stat *seen = mem_zalloc((size_t)n + 1, sizeof *seen);
	int kept = 0;

	for (int i = 0; i < n; i++) {
		struct stat *s = &seen[kept];
		bool again = kept > 0 && strcmp(list[kept - 1], list[i]) == 0;

		if (stat(list[i], s) == 0)
			for (int k = 0; k < kept && !again; k++)
				again = seen[k].st_dev == s->st_dev && seen[k].st_ino == s->st_ino;
		if (again)
			free(list[i]);
		else
			list[kept++] = list[i];
	}
	free(seen);
	return kept;
}

enum st cli_find_kernels(char *const *paths, int n, const char *set, char ***folders, int *nfolders,
                         struct err *e)
{
	struct found f = {.set = set};

	for (int i = 0; i < n; i++) {
		size_t len = strlen(paths[i]);
		char *path = mem_strdup(paths[i]);
		int before = f.n;

		while (len > 1 && path[len - 1] == '/')
			path[--len] = 0;
		if (path_is_dir(path))
			search_folder(&f, path, 0);
		if (f.n == before) {
			if (!path_is_dir(path))
				FAIL(e, INPUT, "%s: no such folder", path);
			else
				FAIL(e, INPUT, "%s: no kernel.json in it or below%s%s; `gpuemu init` makes a "
				     "kernel folder", path, set ? " in set " : "", set ? set : "");
			free(path);
			cli_folders_free(f.list, f.n);
			return e->code;
		}
		free(path);
	}
	qsort(f.list, (size_t)f.n, sizeof *f.list, by_text);
	*folders = f.list;
	*nfolders = without_repeats(f.list, f.n);
	return ST_OK;
}

void cli_folders_free(char **folders, int n)
{
	for (int i = 0; i < n; i++)
		free(folders[i]);
	free(folders);
}

enum st cli_record(const char *path, const struct cli_figure *figures, size_t n, struct err *e)
{
	cJSON *j = NULL;
	enum st rc;

	if (path_exists(path))
		TRY(json_read(path, (size_t)1 << 20, &j, e));
	else
		j = cJSON_CreateObject();
	for (size_t i = 0; i < n; i++) {
		cJSON_DeleteItemFromObjectCaseSensitive(j, figures[i].key);
		cJSON_AddNumberToObject(j, figures[i].key, figures[i].value);
	}
	rc = json_write(path, j, e);
	cJSON_Delete(j);
	return rc;
}

void cli_command_text(struct buf *b, const char *program, int argc, char *const *argv)
{
	buf_puts(b, program);
	for (int i = 0; i < argc; i++)
		buf_printf(b, " %s", argv[i]);
}
