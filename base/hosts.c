/* hosts.c - see hosts.h. */
#include "base/hosts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- paths ---- */

/* Absolute, without `.`, `..` and doubled slashes. */
static char *absolute(const char *path)
{
	char cwd[PATH_MAX];
	struct buf b = {0}, all = {0};

	if (path[0] != '/' && getcwd(cwd, sizeof cwd))
		buf_printf(&all, "%s/", cwd);
	buf_puts(&all, path);
	buf_puts(&b, "");
	for (const char *s = all.s; *s;) {
		size_t n;

		s += strspn(s, "/");
		n = strcspn(s, "/");
		if (n == 2 && s[0] == '.' && s[1] == '.') {
			while (b.len > 0 && b.s[--b.len] != '/')
				;
			b.s[b.len] = 0;
		} else if (n > 0 && !(n == 1 && s[0] == '.')) {
			buf_putc(&b, '/');
			buf_add(&b, s, n);
		}
		s += n;
	}
	if (b.len == 0)
		buf_putc(&b, '/');
	buf_free(&all);
	return b.s;
}

/* The part of path below folder; NULL: it is not below it. */
static const char *below(const char *folder, const char *path)
{
	size_t n = strlen(folder);

	if (n == 1)
		return path[1] ? path + 1 : NULL;
	return strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* Length of the nearest folder of path that holds .git; 0: none. */
static size_t repository(const char *path)
{
	for (size_t n = strlen(path); n > 0; n--) {
		char *folder, *git;
		bool is;

		if (path[n] != '/' && path[n])
			continue;
		folder = mem_strndup(path, n);
		git = path_join(folder, ".git");
		is = path_exists(git);
		free(git);
		free(folder);
		if (is)
			return n;
	}
	return 0;
}

char *host_path(const char *path)
{
	char *full = absolute(path), *here = absolute("."), *out;
	size_t root = repository(full);
	const char *rest = root && full[root] ? full + root + 1 : below(here, full);

	out = mem_strdup(rest ? rest : full);
	free(full);
	free(here);
	return out;
}

char *host_relative(const char *from, const char *to)
{
	char *a = absolute(from), *b = absolute(to);
	const char *pa = a + strspn(a, "/"), *pb = b + strspn(b, "/");
	struct buf out = {0};

	for (;;) {
		size_t n = strcspn(pa, "/"), m = strcspn(pb, "/");

		if (n == 0 || n != m || strncmp(pa, pb, n) != 0)
			break;
		pa += n + (pa[n] == '/');
		pb += m + (pb[m] == '/');
	}
	for (const char *s = pa; *s; s += strcspn(s, "/"), s += *s == '/')
		buf_puts(&out, *pb || s[strcspn(s, "/")] ? "../" : "..");
	buf_puts(&out, *pb || out.len ? pb : ".");
	free(a);
	free(b);
	return out.s;
}

/* A path as a URI (RFC 3986): reserved and other bytes as %XX; a colon too, which in a first segment would begin a
 * scheme. Absolute ones get file://. */
static char *uri_of(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
	char *p = host_path(path);
	struct buf b = {0};

	if (p[0] == '/')
		buf_puts(&b, "file://");
	for (const char *s = p; *s; s++)
		if (strchr(plain, *s))
			buf_putc(&b, *s);
		else
			buf_printf(&b, "%%%02X", (unsigned char)*s);
	free(p);
	return b.s;
}

/* ---- SARIF ---- */

/* A result's hash, to count those that are alike. */
struct mark {
	char hash[17];
	int index;
};

struct sarif {
	cJSON *log, *rules, *results;
	struct mark *marks;
	int n, cap;
};

static cJSON *message_json(const char *text)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "text", text);
	return j;
}

struct sarif *sarif_new(void)
{
	struct sarif *s = mem_zalloc(1, sizeof *s);
	cJSON *run = cJSON_CreateObject(), *driver;

	s->log = cJSON_CreateObject();
	cJSON_AddStringToObject(s->log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	cJSON_AddStringToObject(s->log, "version", "2.1.0");
	cJSON_AddItemToArray(cJSON_AddArrayToObject(s->log, "runs"), run);
	driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
	cJSON_AddStringToObject(driver, "name", "gpuemu");
	cJSON_AddStringToObject(driver, "version", gpuemu_version);
	s->rules = cJSON_AddArrayToObject(driver, "rules");
	cJSON_AddStringToObject(run, "columnKind", "utf16CodeUnits");
	s->results = cJSON_AddArrayToObject(run, "results");
	return s;
}

static int find_rule(const struct sarif *s, const char *id)
{
	const cJSON *r;
	int i = 0;

	cJSON_ArrayForEach(r, s->rules) {
		if (strcmp(cJSON_GetObjectItemCaseSensitive(r, "id")->valuestring, id) == 0)
			return i;
		i++;
	}
	return -1;
}

void sarif_add_rule(struct sarif *s, const struct sarif_rule *r)
{
	cJSON *j, *c;

	if (find_rule(s, r->id) >= 0)
		return;
	j = cJSON_CreateObject();
	cJSON_AddStringToObject(j, "id", r->id);
	cJSON_AddItemToObject(j, "shortDescription", message_json(r->title));
	cJSON_AddItemToObject(j, "fullDescription", message_json(r->text));
	if (r->help && r->help[0])
		cJSON_AddItemToObject(j, "help", message_json(r->help));
	c = cJSON_AddObjectToObject(j, "defaultConfiguration");
	cJSON_AddStringToObject(c, "level", r->level);
	cJSON_AddItemToArray(s->rules, j);
}

static void add_location(cJSON *result, const struct sarif_result *r, const char *uri)
{
	cJSON *loc = cJSON_CreateObject(), *p = cJSON_AddObjectToObject(loc, "physicalLocation"), *region;

	cJSON_AddStringToObject(cJSON_AddObjectToObject(p, "artifactLocation"), "uri", uri);
	if (r->line > 0) {
		region = cJSON_AddObjectToObject(p, "region");
		cJSON_AddNumberToObject(region, "startLine", r->line);
		if (r->column > 0)
			cJSON_AddNumberToObject(region, "startColumn", r->column);
	}
	cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "locations"), loc);
}

static void add_mark(struct sarif *s, const struct sarif_result *r, const char *uri)
{
	struct buf b = {0};
	char sha[65];

	buf_printf(&b, "%s\n%s\n%s", r->rule, uri, r->place ? r->place : "");
	sha256_hex(b.s, b.len, sha);
	buf_free(&b);
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->marks = mem_realloc(s->marks, sizeof *s->marks * (size_t)s->cap);
	}
	snprintf(s->marks[s->n].hash, sizeof s->marks[s->n].hash, "%.16s", sha);
	s->marks[s->n].index = s->n;
	s->n++;
}

void sarif_add(struct sarif *s, const struct sarif_result *r)
{
	int rule = find_rule(s, r->rule);
	cJSON *j;
	char *uri;

	if (rule < 0) {
		cJSON_Delete(r->properties);
		return;
	}
	uri = uri_of(r->path);
	j = cJSON_CreateObject();
	cJSON_AddStringToObject(j, "ruleId", r->rule);
	cJSON_AddNumberToObject(j, "ruleIndex", rule);
	cJSON_AddStringToObject(j, "level", r->level);
	cJSON_AddItemToObject(j, "message", message_json(r->message));
	add_location(j, r, uri);
	if (r->properties)
		cJSON_AddItemToObject(j, "properties", r->properties);
	if (r->allowed || r->dropped) {
		cJSON *x = cJSON_CreateObject();

		cJSON_AddStringToObject(x, "kind", r->allowed ? "inSource" : "external");
		cJSON_AddStringToObject(x, "justification", r->allowed ? r->allowed : r->dropped);
		cJSON_AddItemToArray(cJSON_AddArrayToObject(j, "suppressions"), x);
	}
	add_mark(s, r, uri);
	cJSON_AddItemToArray(s->results, j);
	free(uri);
}

static int by_hash(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	int c = strcmp(x->hash, y->hash);

	return c ? c : (x->index > y->index) - (x->index < y->index);
}

/* marks: sorted by hash, then by the results' order. */
static void number_marks(struct mark *m, int n, int *ordinal)
{
	for (int i = 0, alike = 0; i < n; i++) {
		alike = i > 0 && strcmp(m[i].hash, m[i - 1].hash) == 0 ? alike + 1 : 1;
		ordinal[m[i].index] = alike;
	}
}

cJSON *sarif_end(struct sarif *s)
{
	int *ordinal = mem_zalloc((size_t)s->n + 1, sizeof *ordinal), i = 0;
	struct mark *sorted = mem_alloc(sizeof *sorted * ((size_t)s->n + 1));
	cJSON *log = s->log, *r;
	char text[32];

	if (s->n > 0) {
		memcpy(sorted, s->marks, sizeof *sorted * (size_t)s->n);
		qsort(sorted, (size_t)s->n, sizeof *sorted, by_hash);
	}
	number_marks(sorted, s->n, ordinal);
	cJSON_ArrayForEach(r, s->results) {
		snprintf(text, sizeof text, "%s:%d", s->marks[i].hash, ordinal[i]);
		cJSON_AddStringToObject(cJSON_AddObjectToObject(r, "partialFingerprints"), "primaryLocationLineHash", text);
		i++;
	}
	free(ordinal);
	free(sorted);
	free(s->marks);
	free(s);
	return log;
}

/* ---- GitHub: ::error file=…,line=…,title=…::message ---- */

/* %, line ends, and in properties : and , are escaped. */
static void escape(struct buf *b, const char *s, bool property)
{
	for (; *s; s++)
		if (*s == '%' || *s == '\n' || *s == '\r' || (property && (*s == ':' || *s == ',')))
			buf_printf(b, "%%%02X", (unsigned char)*s);
		else
			buf_putc(b, *s);
}

void host_annotation(struct buf *b, const char *level, const char *path, int line, const char *title, const char *message)
{
	char *p = host_path(path);

	buf_printf(b, "::%s file=", level);
	escape(b, p, true);
	if (line > 0)
		buf_printf(b, ",line=%d", line);
	buf_puts(b, ",title=");
	escape(b, title, true);
	buf_puts(b, "::");
	escape(b, message, false);
	buf_putc(b, '\n');
	free(p);
}
