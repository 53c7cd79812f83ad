/* changes.c - what changed between a baseline and a campaign: see baseline.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/baseline.h"
#include "report/metrics.h"
#include "report/read.h"

/* ---- the list ---- */

const char *change_name(enum change_kind k)
{
	static const char *const names[] = {"worse", "undecided", "changed", "better"};

	return names[k];
}

static char *copy(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

void changes_add(struct changes *c, const struct change *one)
{
	struct change *x;

	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 32;
		c->v = mem_realloc(c->v, sizeof *c->v * (size_t)c->cap);
	}
	x = &c->v[c->n++];
	*x = *one;
	x->kernel = copy(one->kernel);
	x->dtype = copy(one->dtype ? one->dtype : "");
	x->text = copy(one->text);
	x->replay = copy(one->replay);
	x->path = copy(one->path && one->path[0] ? one->path : NULL);
}

void changes_free(struct changes *c)
{
	for (int i = 0; i < c->n; i++) {
		free((char *)c->v[i].kernel);
		free((char *)c->v[i].dtype);
		free((char *)c->v[i].text);
		free((char *)c->v[i].replay);
		free((char *)c->v[i].path);
	}
	free(c->v);
	buf_free(&c->causes);
	*c = (struct changes){0};
}

int changes_count(const struct changes *c, enum change_kind kind)
{
	int n = 0;

	for (int i = 0; i < c->n; i++)
		n += c->v[i].kind == kind;
	return n;
}

/* ---- one unit: a kernel in a dtype ---- */

/* Two states of a unit and where its changes go; was may be NULL. */
struct pair {
	struct changes *c;
	const cJSON *was, *now;
	enum change_about about;
};

static bool good(const cJSON *unit)
{
	return strcmp(ev_text(unit, "verdict"), ev_text(unit, "expected")) == 0;
}

static bool decided(const cJSON *unit)
{
	return ev_is(unit, "verdict", "PASS") || ev_is(unit, "verdict", "FAIL");
}

/* What a sign of a fault means: nothing new of a kernel that is known to be buggy; of one without a verdict, why it has none. */
static enum change_kind fault(const cJSON *now, bool appears)
{
	bool open = ev_is(now, "verdict", "UNKNOWN") || ev_is(now, "verdict", "UNSUPPORTED");

	if (ev_is(now, "expected", "FAIL"))
		return CHANGE_NEUTRAL;
	return !appears ? CHANGE_BETTER : open ? CHANGE_UNDECIDED : CHANGE_WORSE;
}

static void tell(const struct pair *p, enum change_kind kind, const char *text, const char *kase, const char *path, int line)
{
	struct buf replay = {0};

	if (kase && kase[0]) {
		buf_puts(&replay, ev_text(p->now, "@replay"));
		buf_printf(&replay, " '%s'", kase);
	}
	changes_add(p->c, &(struct change){.kind = kind, .about = p->about, .kernel = ev_text(p->now, "kernel"), .dtype = ev_text(p->now, "dtype"),
	                                   .text = text, .replay = replay.s, .path = (path ? path : ev_text(p->now, "@path")),
	                                   .line = line});
	buf_free(&replay);
}

/* "31 of 100 cases fail: REASON" of a verdict that is none to be glad of. */
static void put_why(struct buf *b, const struct pair *p)
{
	if (ev_is(p->now, "verdict", "FAIL"))
		buf_printf(b, ", %.0f of %.0f cases fail", ev_number(p->now, "failed"), ev_number(p->now, "@cases"));
	if (!ev_is(p->now, "verdict", "PASS") && ev_text(p->now, "@reason")[0])
		buf_printf(b, ": %s", ev_text(p->now, "@reason"));
	else if (ev_is(p->now, "verdict", "PASS") && ev_is(p->now, "expected", "FAIL"))
		buf_puts(b, ": the manifest says it is buggy");
	if (p->was && ev_text(p->was, "sha256")[0] && ev_is(p->was, "sha256", ev_text(p->now, "sha256")))
		buf_puts(b, " (manifest, source and PTX are as they were)");
}

static enum change_kind verdict_kind(const struct pair *p)
{
	if (good(p->now))
		return p->was && !good(p->was) ? CHANGE_BETTER : CHANGE_NEUTRAL;
	return decided(p->now) ? CHANGE_WORSE : CHANGE_UNDECIDED;
}

static void verdict_changed(const struct pair *p)
{
	struct buf b = {0};

	if (!p->was)
		buf_printf(&b, "new: %s", ev_text(p->now, "verdict"));
	else if (ev_is(p->was, "verdict", ev_text(p->now, "verdict")))
		buf_printf(&b, "%s, of which %s is expected now", ev_text(p->now, "verdict"), ev_text(p->now, "expected"));
	else
		buf_printf(&b, "%s -> %s", ev_text(p->was, "verdict"), ev_text(p->now, "verdict"));
	put_why(&b, p);
	tell(p, verdict_kind(p), b.s, ev_text(p->now, "@minimal"), NULL, 0);
	buf_free(&b);
}

/* Lines of cases that fail now and did not in the baseline (its "failing" hashes). *first: the first of them. */
static int newly_failing(const struct pair *p, const char **first)
{
	const char *old = ev_text(p->was, "failing");
	const cJSON *j;
	char sha[65];
	int n = 0;

	*first = NULL;
	cJSON_ArrayForEach(j, ev_get(p->now, "@failing")) {
		sha256_hex(j->valuestring, strlen(j->valuestring), sha);
		sha[8] = 0;
		if (strstr(old, sha))
			continue;
		*first = *first ? *first : j->valuestring;
		n++;
	}
	return n;
}

/* Hashes of a that b has not. */
static int hashes_gone(const char *a, const char *b)
{
	int n = 0;

	for (const char *s = a; strlen(s) >= 8; s += 8 + (s[8] == ' ')) {
		char hash[9];

		snprintf(hash, sizeof hash, "%.8s", s);
		n += strstr(b, hash) == NULL;
	}
	return n;
}

/* Of a unit that failed and fails. */
static void cases_changed(const struct pair *p)
{
	int gone = hashes_gone(ev_text(p->was, "failing"), ev_text(p->now, "failing")), n;
	const char *first;
	struct buf b = {0};

	n = newly_failing(p, &first);
	if (n) {
		buf_printf(&b, "%d case%s newly fail%s (%.0f fail, %.0f did)", n, n == 1 ? "" : "s", n == 1 ? "s" : "", ev_number(p->now, "failed"),
		           ev_number(p->was, "failed"));
		tell(p, fault(p->now, true), b.s, first, NULL, 0);
		b.len = 0;
	}
	if (gone) {
		buf_printf(&b, "%d case%s that failed do%s not any more (%.0f fail, %.0f did)", gone, gone == 1 ? "" : "s", gone == 1 ? "es" : "",
		           ev_number(p->now, "failed"), ev_number(p->was, "failed"));
		tell(p, fault(p->now, false), b.s, NULL, NULL, 0);
	}
	buf_free(&b);
}

static const cJSON *place_of(const cJSON *now, const char *key)
{
	const cJSON *j;

	cJSON_ArrayForEach(j, ev_get(now, "@places"))
		if (ev_is(j, "key", key))
			return j;
	return NULL;
}

/* Findings of two lists: of the sanitizers, or of lint, whose warnings are no more than told. */
static void findings_changed(const struct pair *p)
{
	const char *what = p->about == ABOUT_LINT ? "lint " : "";
	const cJSON *f;
	struct buf b = {0};

	cJSON_ArrayForEach(f, ev_get(p->now, "findings")) {
		const cJSON *at = place_of(p->now, f->valuestring);
		double line = ev_number(at, "line");

		if (ev_lists(ev_get(p->was, "findings"), f->valuestring))
			continue;
		b.len = 0;
		buf_printf(&b, "new %s%s", what, f->valuestring);
		tell(p, strncmp(f->valuestring, "warning: ", 9) == 0 ? CHANGE_NEUTRAL : fault(p->now, true), b.s, ev_text(at, "case"), ev_text(at, "path"),
		     line >= 1 && line < 1e9 ? (int)line : 0);
	}
	cJSON_ArrayForEach(f, ev_get(p->was, "findings")) {
		if (!cJSON_IsString(f) || ev_lists(ev_get(p->now, "findings"), f->valuestring))
			continue;
		b.len = 0;
		buf_printf(&b, "gone: %s%s", what, f->valuestring);
		tell(p, fault(p->now, false), b.s, NULL, NULL, 0);
	}
	buf_free(&b);
}

/* Cases of the baseline that were run again: first of all what fails again. */
static void replay_changed(const struct pair *p)
{
	const cJSON *r, *o;

	cJSON_ArrayForEach(r, ev_get(p->now, "replay")) {
		const char *was = "", *now = ev_text(r, "verdict");
		enum change_kind kind = strcmp(now, "PASS") == 0 ? CHANGE_BETTER : strcmp(now, "FAIL") == 0 ? CHANGE_WORSE : CHANGE_UNDECIDED;
		struct buf b = {0};

		cJSON_ArrayForEach(o, ev_get(p->was, "replay"))
			if (ev_is(o, "case", ev_text(r, "case")))
				was = ev_text(o, "verdict");
		if (!was[0] || strcmp(was, now) == 0)
			continue;
		if (ev_is(p->now, "expected", "FAIL") && kind != CHANGE_UNDECIDED)
			kind = CHANGE_NEUTRAL;
		buf_printf(&b, "kept case %s -> %s", was, now);
		tell(p, kind, b.s, ev_text(r, "case"), NULL, 0);
		buf_free(&b);
	}
}

static void unit_changed(const struct pair *p)
{
	bool same = p->was && ev_is(p->was, "verdict", ev_text(p->now, "verdict")) && good(p->was) == good(p->now);
	bool mended = p->was && !good(p->was) && good(p->now);

	if (!same)
		verdict_changed(p);
	if (!p->was)
		return;
	if (same && ev_is(p->now, "verdict", "FAIL"))
		cases_changed(p);
	findings_changed(&(struct pair){p->c, p->was, p->now, ABOUT_FINDING});
	/* a kernel that is mended says it all */
	if (!mended)
		replay_changed(p);
}

/* ---- all of them ---- */

static const cJSON *find(const cJSON *list, const char *kernel, const char *dtype)
{
	const cJSON *j;

	cJSON_ArrayForEach(j, list)
		if (ev_is(j, "kernel", kernel) && (!dtype || ev_is(j, "dtype", dtype)))
			return j;
	return NULL;
}

static void grown(void *ctx, const char *text)
{
	const struct pair *p = ctx;

	tell(p, CHANGE_WORSE, text, NULL, NULL, 0);
}

/* Of the kernel as a whole. */
static void lint_changed(struct changes *c, const cJSON *was, const cJSON *now, const char *kernel)
{
	struct pair p = {c, find(ev_get(was, "lint"), kernel, NULL), NULL, ABOUT_LINT};
	cJSON *copy_now = cJSON_Duplicate(find(ev_get(now, "lint"), kernel, NULL), true);

	p.now = copy_now;
	if (p.was && copy_now) {
		cJSON_AddStringToObject(copy_now, "expected", ev_text(copy_now, "@expected"));
		findings_changed(&p);
		metrics_grown("metrics", ev_get(p.was, "metrics"), ev_get(p.now, "metrics"), grown, &p);
	}
	cJSON_Delete(copy_now);
}

static void add_removed(struct changes *c, const cJSON *was, const cJSON *now, char *const *folders, int n, const cJSON *left_out)
{
	const cJSON *u;

	cJSON_ArrayForEach(u, ev_get(was, "units")) {
		const char *kernel = ev_text(u, "kernel"), *dtype = ev_text(u, "dtype");
		bool whole = !find(ev_get(now, "units"), kernel, NULL);

		if (find(ev_get(now, "units"), kernel, dtype) || !baseline_within(kernel, folders, n) || ev_lists(left_out, kernel))
			continue;
		/* once a kernel: at its first unit */
		if (whole && find(ev_get(was, "units"), kernel, NULL) != u)
			continue;
		changes_add(c, &(struct change){.kind = CHANGE_NEUTRAL, .kernel = kernel, .dtype = (whole ? "" : dtype),
		                                .text = whole ? "removed: the kernel is not there any more" :
		                                                "removed: the kernel is not built for it any more"});
	}
}

static void add_cause(struct changes *c, const cJSON *was, const cJSON *now, const char *key, const char *what)
{
	if (!ev_is(was, key, ev_text(now, key)))
		buf_printf(&c->causes, "%s%s (%s -> %s)", c->causes.len ? "; " : "", what, ev_text(was, key), ev_text(now, key));
}

void baseline_compare(struct changes *c, const cJSON *was, const cJSON *now, char *const *folders, int n, const cJSON *left_out)
{
	const cJSON *u;

	cJSON_ArrayForEach(u, ev_get(now, "units")) {
		struct pair p = {c, find(ev_get(was, "units"), ev_text(u, "kernel"), ev_text(u, "dtype")), u, ABOUT_VERDICT};

		unit_changed(&p);
		if (!u->next || strcmp(ev_text(u->next, "kernel"), ev_text(u, "kernel")) != 0)
			lint_changed(c, was, now, ev_text(u, "kernel"));
	}
	add_removed(c, was, now, folders, n, left_out);
	add_cause(c, was, now, "tool", "gpuemu is another");
	add_cause(c, was, now, "tolerances", "the tolerance table is another");
	add_cause(c, was, now, "device", "the device is another");
}
