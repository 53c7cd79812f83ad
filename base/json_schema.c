/* json_schema.c - validation against the subset of JSON Schema that gpuemu's schemas use.
 *
 * A schema that says something this file does not know is ST_BUG, not silently weaker. */
#include "base/base.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deepest nesting of schemas; a "$ref" to itself ends here. */
#define MAX_NESTING 256

struct check {
	const cJSON *root;
	const char *name;
	struct buf path;    /* "launches[0].grid" */
	size_t failed_path; /* length of the path where the last failure was: how far it got */
	int nesting;
	struct err *e;
};

static enum st check_value(struct check *c, const cJSON *j, const cJSON *s);

/* ---- messages ---- */

static enum st __attribute__((format(printf, 2, 3))) wrong(struct check *c, const char *fmt, ...)
{
	struct buf b = {0};
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	buf_printf(&b, "%s: %s%s%s", c->name, c->path.len ? c->path.s : "", c->path.len ? ": " : "",
	           text);
	FAIL(c->e, INPUT, "%s", b.s);
	buf_free(&b);
	c->failed_path = c->path.len;
	return ST_INPUT;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

#define WORD_MAX 47

/* Edits (insert, delete, replace, swap of neighbours) between two words; SIZE_MAX for long ones. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t d[WORD_MAX + 1][WORD_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > WORD_MAX || m > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			bool swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];

			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
			               d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (swap && d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	return d[n][m];
}

static const char *word_of(const cJSON *item, bool keys)
{
	return keys ? item->string : cJSON_IsString(item) ? item->valuestring : NULL;
}

/* The word of the list (its keys, or its strings) nearest to s, or NULL when none is near. */
static const char *nearest(const cJSON *list, bool keys, const char *s)
{
	size_t best = 1 + strlen(s) / 4;
	const char *found = NULL;

	for (const cJSON *i = list ? list->child : NULL; i != NULL; i = i->next) {
		const char *word = word_of(i, keys);
		size_t d = word ? edit_distance(word, s) : SIZE_MAX;

		if (d < best || (d == best && found == NULL)) {
			best = d;
			found = word;
		}
	}
	return found;
}

/* "a, b, c": the keys or the values of a list. */
static void list_text(struct buf *b, const cJSON *list, bool keys)
{
	buf_puts(b, "");
	for (const cJSON *i = list ? list->child : NULL; i != NULL; i = i->next) {
		char *text = keys ? mem_strdup(i->string) : json_print(i, false);

		buf_printf(b, "%s%s", text, i->next ? ", " : "");
		free(text);
	}
}

/* ---- the path ---- */

static enum st check_member(struct check *c, const cJSON *j, const cJSON *s, const char *key)
{
	size_t len = c->path.len;
	enum st rc;

	buf_printf(&c->path, "%s%s", len ? "." : "", key);
	rc = check_value(c, j, s);
	c->path.len = len;
	c->path.s[len] = '\0';
	return rc;
}

static enum st check_element(struct check *c, const cJSON *j, const cJSON *s, int index)
{
	size_t len = c->path.len;
	enum st rc;

	buf_printf(&c->path, "[%d]", index);
	rc = check_value(c, j, s);
	c->path.len = len;
	c->path.s[len] = '\0';
	return rc;
}

/* ---- keywords: each checks j against the value k of one keyword of the schema s ---- */

static const char *type_of(const cJSON *j)
{
	if (cJSON_IsNumber(j))
		return j->valuedouble == trunc(j->valuedouble) ? "integer" : "number";
	return cJSON_IsString(j)   ? "string"
	       : cJSON_IsBool(j)   ? "boolean"
	       : cJSON_IsArray(j)  ? "array"
	       : cJSON_IsObject(j) ? "object"
	                           : "null";
}

static bool has_type(const cJSON *j, const char *type)
{
	return !strcmp(type_of(j), type) || (cJSON_IsNumber(j) && !strcmp(type, "number"));
}

static const char *article(const char *type)
{
	return !strcmp(type, "null") ? "" : strchr("aeiou", type[0]) ? "an " : "a ";
}

static enum st kw_type(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	const char *is = type_of(j);
	struct buf b = {0};

	(void)s;
	if (cJSON_IsString(k))
		return has_type(j, k->valuestring)
		               ? ST_OK
		               : wrong(c, "must be %s%s, is %s%s", article(k->valuestring),
		                       k->valuestring, article(is), is);
	for (const cJSON *t = k->child; t != NULL; t = t->next)
		if (cJSON_IsString(t) && has_type(j, t->valuestring))
			return ST_OK;
	list_text(&b, k, false);
	wrong(c, "must be one of the types %s, is %s%s", b.s, article(is), is);
	buf_free(&b);
	return ST_INPUT;
}

static enum st kw_properties(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)s;
	for (const cJSON *m = cJSON_IsObject(j) ? j->child : NULL; m != NULL; m = m->next) {
		const cJSON *p = cJSON_GetObjectItemCaseSensitive(k, m->string);

		if (p != NULL)
			TRY(check_member(c, m, p, m->string));
	}
	return ST_OK;
}

static enum st unknown_key(struct check *c, const char *key, const cJSON *known)
{
	const char *near = nearest(known, true, key);
	struct buf b = {0};

	if (near != NULL)
		return wrong(c, "unknown key '%.80s'; did you mean '%s'?", key, near);
	list_text(&b, known, true);
	wrong(c, "unknown key '%.80s' (known: %s)", key, b.s);
	buf_free(&b);
	return ST_INPUT;
}

static enum st kw_additional(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	const cJSON *known = cJSON_GetObjectItemCaseSensitive(s, "properties");

	for (const cJSON *m = cJSON_IsObject(j) ? j->child : NULL; m != NULL; m = m->next) {
		if (cJSON_IsTrue(k) || cJSON_GetObjectItemCaseSensitive(known, m->string) != NULL)
			continue;
		if (cJSON_IsFalse(k))
			return unknown_key(c, m->string, known);
		TRY(check_member(c, m, k, m->string));
	}
	return ST_OK;
}

static enum st kw_required(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)s;
	for (const cJSON *r = cJSON_IsObject(j) ? k->child : NULL; r != NULL; r = r->next)
		if (cJSON_GetObjectItemCaseSensitive(j, r->valuestring) == NULL)
			return wrong(c, "key '%s' is missing", r->valuestring);
	return ST_OK;
}

static enum st kw_items(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	int index = 0;

	(void)s;
	for (const cJSON *i = cJSON_IsArray(j) ? j->child : NULL; i != NULL; i = i->next)
		TRY(check_element(c, i, k, index++));
	return ST_OK;
}

static enum st kw_enum(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	const char *near = NULL;
	struct buf b = {0};
	char *is;

	(void)s;
	for (const cJSON *i = k->child; i != NULL; i = i->next)
		if (cJSON_Compare(i, j, true))
			return ST_OK;
	if (cJSON_IsString(j))
		near = nearest(k, false, j->valuestring);
	list_text(&b, k, false);
	is = json_print(j, false);
	wrong(c, "must be one of %s; is %.100s%s%s%s", b.s, is, near ? "; did you mean '" : "",
	      near ? near : "", near ? "'?" : "");
	free(is);
	buf_free(&b);
	return ST_INPUT;
}

static enum st kw_const(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	char *want, *is;

	(void)s;
	if (cJSON_Compare(k, j, true))
		return ST_OK;
	want = json_print(k, false);
	is = json_print(j, false);
	wrong(c, "must be %.100s, is %.100s", want, is);
	free(want);
	free(is);
	return ST_INPUT;
}

static enum st kw_pattern(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	regex_t re;
	int no;

	(void)s;
	if (!cJSON_IsString(j))
		return ST_OK;
	if (regcomp(&re, k->valuestring, REG_EXTENDED | REG_NOSUB) != 0)
		return FAIL(c->e, BUG, "schema: pattern '%s' is no regular expression",
		            k->valuestring);
	no = regexec(&re, j->valuestring, 0, NULL, 0);
	regfree(&re);
	return no ? wrong(c, "'%.100s' does not match %s", j->valuestring, k->valuestring) : ST_OK;
}

static enum st kw_minimum(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)s;
	return cJSON_IsNumber(j) && j->valuedouble < k->valuedouble
	               ? wrong(c, "%.17g is less than %.17g", j->valuedouble, k->valuedouble)
	               : ST_OK;
}

static enum st kw_maximum(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)s;
	return cJSON_IsNumber(j) && j->valuedouble > k->valuedouble
	               ? wrong(c, "%.17g is more than %.17g", j->valuedouble, k->valuedouble)
	               : ST_OK;
}

static enum st kw_min_items(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)s;
	return cJSON_IsArray(j) && cJSON_GetArraySize(j) < k->valueint
	               ? wrong(c, "needs at least %d elements, has %d", k->valueint,
	                       cJSON_GetArraySize(j))
	               : ST_OK;
}

static enum st kw_max_items(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)s;
	return cJSON_IsArray(j) && cJSON_GetArraySize(j) > k->valueint
	               ? wrong(c, "may have at most %d elements, has %d", k->valueint,
	                       cJSON_GetArraySize(j))
	               : ST_OK;
}

static enum st kw_min_length(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)s;
	return cJSON_IsString(j) && strlen(j->valuestring) < (size_t)k->valueint
	               ? wrong(c, "needs at least %d characters", k->valueint)
	               : ST_OK;
}

/* None of the alternatives fits: tells the failure of the one that got deepest into j, or all of
 * them when none got inside. */
static enum st no_alternative(struct check *c, const struct err *fails, const size_t *paths, int n)
{
	size_t prefix = strlen(c->name) + 2 + (c->path.len ? c->path.len + 2 : 0);
	struct buf b = {0};
	int best = 0;

	for (int i = 1; i < n; i++)
		if (paths[i] > paths[best])
			best = i;
	c->failed_path = paths[best];
	if (paths[best] > c->path.len || n == 1)
		return FAIL(c->e, INPUT, "%s", fails[best].msg);
	for (int i = 0; i < n; i++) {
		bool cut = i > 0 && strlen(fails[i].msg) > prefix;

		buf_printf(&b, "%s%s", i ? "; or " : "", fails[i].msg + (cut ? prefix : 0));
	}
	FAIL(c->e, INPUT, "%s", b.s);
	buf_free(&b);
	return ST_INPUT;
}

static enum st kw_one_of(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	int n = cJSON_GetArraySize(k), i = 0, fit = 0;
	struct err *fails = mem_zalloc((size_t)n, sizeof *fails), *outer = c->e;
	size_t *paths = mem_zalloc((size_t)n, sizeof *paths);
	enum st rc = ST_OK;

	(void)s;
	for (const cJSON *a = k->child; a != NULL && rc != ST_BUG; a = a->next, i++) {
		c->e = &fails[i];
		rc = check_value(c, j, a);
		paths[i] = c->failed_path;
		fit += rc == ST_OK;
	}
	c->e = outer;
	if (rc == ST_BUG)
		FAIL(c->e, BUG, "%s", fails[i - 1].msg);
	else if (fit == 0)
		rc = no_alternative(c, fails, paths, n);
	else
		rc = fit == 1 ? ST_OK : wrong(c, "fits %d of the forms, must fit one", fit);
	free(fails);
	free(paths);
	return rc;
}

static enum st kw_ref(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	static const char prefix[] = "#/definitions/";
	const cJSON *all = cJSON_GetObjectItemCaseSensitive(c->root, "definitions"), *d = NULL;

	(void)s;
	if (cJSON_IsString(k) && !strncmp(k->valuestring, prefix, sizeof prefix - 1))
		d = cJSON_GetObjectItemCaseSensitive(all, k->valuestring + sizeof prefix - 1);
	if (d == NULL)
		return FAIL(c->e, BUG, "schema: $ref '%s' leads nowhere",
		            cJSON_IsString(k) ? k->valuestring : "?");
	return check_value(c, j, d);
}

/* Annotations, and "definitions", say nothing about a value. */
static enum st kw_nothing(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s)
{
	(void)c, (void)j, (void)k, (void)s;
	return ST_OK;
}

/* In the order of checking: a misspelt key is told before the one that is missing for it. */
static const struct keyword {
	const char *name;
	enum st (*check)(struct check *c, const cJSON *j, const cJSON *k, const cJSON *s);
} keywords[] = {
	{"$ref", kw_ref},
	{"type", kw_type},
	{"const", kw_const},
	{"enum", kw_enum},
	{"additionalProperties", kw_additional},
	{"required", kw_required},
	{"properties", kw_properties},
	{"minItems", kw_min_items},
	{"maxItems", kw_max_items},
	{"items", kw_items},
	{"minLength", kw_min_length},
	{"pattern", kw_pattern},
	{"minimum", kw_minimum},
	{"maximum", kw_maximum},
	{"oneOf", kw_one_of},
	{"definitions", kw_nothing},
	{"$schema", kw_nothing},
	{"$id", kw_nothing},
	{"$comment", kw_nothing},
	{"title", kw_nothing},
	{"description", kw_nothing},
	{"default", kw_nothing},
	{"examples", kw_nothing},
};

static bool known_keyword(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		if (!strcmp(keywords[i].name, name))
			return true;
	return false;
}

static enum st check_keywords(struct check *c, const cJSON *j, const cJSON *s)
{
	for (const cJSON *k = s->child; k != NULL; k = k->next)
		if (!known_keyword(k->string))
			return FAIL(c->e, BUG, "schema: '%s' is not supported", k->string);
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		const cJSON *k = cJSON_GetObjectItemCaseSensitive(s, keywords[i].name);

		if (k != NULL)
			TRY(keywords[i].check(c, j, k, s));
	}
	return ST_OK;
}

static enum st check_value(struct check *c, const cJSON *j, const cJSON *s)
{
	enum st rc;

	if (cJSON_IsTrue(s))
		return ST_OK;
	if (!cJSON_IsObject(s))
		return FAIL(c->e, BUG, "schema: a schema must be an object");
	if (c->nesting == MAX_NESTING)
		return FAIL(c->e, BUG, "schema: $ref without end");
	c->nesting++;
	rc = check_keywords(c, j, s);
	c->nesting--;
	return rc;
}

enum st json_validate(const cJSON *j, const cJSON *schema, const char *name, struct err *e)
{
	struct check c = {.root = schema, .name = name, .e = e};
	enum st rc;

	buf_puts(&c.path, "");
	rc = check_value(&c, j, schema);
	buf_free(&c.path);
	return rc;
}
