/* sources.c - see sources.h. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/read.h"
#include "report/sources.h"

#define MAX_SOURCE ((size_t)1 << 30)
#define RUNS       ".runs.jsonl"

static const struct {
	const char *what, *command;
} texts[SRC_COUNT] = {
#define X(name, what, command) [SRC_##name] = {what, command},
        SOURCE_LIST(X)
#undef X
};

const char *source_name(enum source k)
{
	return texts[k].what;
}

const char *source_missing(enum source k)
{
	static const char *const missing[SRC_COUNT] = {
#define X(name, what, command) [SRC_##name] = "no " what " given (made by " command ")",
	        SOURCE_LIST(X)
#undef X
	};

	return missing[k];
}

static bool has_schema(const cJSON *j, const char *schema)
{
	return strcmp(ev_text(j, "schema"), schema) == 0;
}

/* SRC_COUNT: of no known kind. */
static enum source kind_of(const cJSON *j)
{
	if (has_schema(j, "gpuemu-evidence/1"))
		return SRC_EVIDENCE;
	if (has_schema(j, "gpuemu-tolerances/1"))
		return SRC_TABLE;
	if (has_schema(j, "gpuemu-math/1"))
		return SRC_MATH;
	if (has_schema(j, "gpuemu-lint-results/1"))
		return SRC_LINT;
	if (cJSON_IsArray(ev_get(j, "policies")))
		return SRC_CALIBRATION;
	if (cJSON_IsArray(ev_get(j, "strategies")))
		return SRC_STRATEGIES;
	if (cJSON_IsArray(ev_get(j, "coverage")))
		return SRC_COVERAGE;
	if (cJSON_IsArray(ev_get(j, "mutation")))
		return SRC_MUTATION;
	if (cJSON_IsNumber(ev_get(j, "forms_covered")))
		return SRC_FIDELITY;
	if (strcmp(ev_text(j, "mode"), "devices") == 0 && cJSON_IsArray(ev_get(j, "kernels")))
		return SRC_DEVICES;
	return SRC_COUNT;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && strcmp(s + n - m, end) == 0;
}

/* Takes the path over. */
static void add_runs(struct sources *s, char *path)
{
	for (int i = 0; i < s->nruns; i++)
		if (strcmp(s->runs[i], path) == 0) {
			free(path);
			return;
		}
	if (s->nruns < SOURCE_MAX_RUNS)
		s->runs[s->nruns++] = path;
	else
		free(path);
}

/* gpuemu calibrate writes the runs of a table beside it. */
static void add_runs_of(struct sources *s, const char *table)
{
	struct buf b = {0};

	buf_printf(&b, "%s.runs.jsonl", table);
	if (path_exists(b.s))
		add_runs(s, mem_strdup(b.s));
	buf_free(&b);
}

/* folder: what is not wanted is passed over, else it is an error. */
static enum st add_file(struct sources *s, const char *path, bool folder, struct err *e)
{
	cJSON *j = NULL;
	enum source k;

	if (ends_with(path, RUNS) && path_exists(path)) {
		add_runs(s, mem_strdup(path));
		return ST_OK;
	}
	TRY(json_read(path, MAX_SOURCE, &j, e));
	k = kind_of(j);
	if (k == SRC_TABLE && s->file[k])
		k = SRC_TABLE2;
	if (k < SRC_COUNT && !s->file[k]) {
		s->file[k] = j;
		s->path[k] = mem_strdup(path);
		if (k == SRC_TABLE || k == SRC_TABLE2)
			add_runs_of(s, path);
		return ST_OK;
	}
	cJSON_Delete(j);
	if (folder)
		return ST_OK;
	if (k < SRC_COUNT)
		return FAIL(e, INPUT, "%s: %s is %s already; name one", path, s->path[k],
		            texts[k].what);
	return FAIL(
	        e, INPUT,
	        "%s is not evidence of gpuemu, and no tolerance table or file of results/ either "
	        "(by its \"schema\" and keys)",
	        path);
}

static int is_json(const struct dirent *d)
{
	return ends_with(d->d_name, ".json") || ends_with(d->d_name, RUNS);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

enum st sources_add(struct sources *s, const char *path, struct err *e)
{
	struct dirent **list = NULL;
	enum st rc = ST_OK;
	int n;

	if (!path_is_dir(path))
		return add_file(s, path, false, e);
	n = scandir(path, &list, is_json, by_name);
	if (n < 0)
		return FAIL(e, INPUT, "%s: the folder cannot be read", path);
	for (int i = 0; i < n; i++) {
		char *file = path_join(path, list[i]->d_name);

		if (rc == ST_OK)
			rc = add_file(s, file, true, e);
		free(file);
		free(list[i]);
	}
	free(list);
	return rc;
}

void sources_free(struct sources *s)
{
	for (int k = 0; k < SRC_COUNT; k++) {
		cJSON_Delete(s->file[k]);
		free(s->path[k]);
	}
	for (int i = 0; i < s->nruns; i++)
		free(s->runs[i]);
	*s = (struct sources){0};
}

/* Is s of the form, in which 0 stands for a digit? */
static bool has_form(const char *s, const char *form)
{
	for (; *form; s++, form++)
		if (*form == '0' ? *s < '0' || *s > '9' : *s != *form)
			return false;
	return *s == 0;
}

/* The date of a file in the long form, or "". */
static void date_of(const cJSON *j, char out[32])
{
	const char *d = ev_text(j, "date");

	out[0] = 0;
	if (has_form(d, "0000-00-00T00:00:00Z"))
		snprintf(out, 32, "%s", d);
	else if (has_form(d, "0000-00-00"))
		snprintf(out, 32, "%sT00:00:00Z", d);
}

void sources_date(const struct sources *s, char out[32])
{
	char d[32];

	snprintf(out, 32, "1970-01-01T00:00:00Z");
	for (int k = 0; k < SRC_COUNT; k++) {
		date_of(s->file[k], d);
		if (d[0] && (k == SRC_EVIDENCE || strcmp(d, out) > 0))
			snprintf(out, 32, "%s", d);
		if (d[0] && k == SRC_EVIDENCE)
			return;
	}
}
