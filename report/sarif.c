/* sarif.c - evidence as SARIF 2.1.0: verdicts, what the sanitizers found, what lint said (base/hosts.h writes it). */
#include <stdlib.h>
#include <string.h>

#include "base/launch.h"

#include "report/read.h"

/* ---- rules ---- */

#define WRONG "wrong-result"
#define MISSED "bug-not-caught"
#define OPEN "undecided"
#define UNSUP "unsupported"
#define NOT_RUN "not-run"

static const struct sarif_rule own_rules[] = {
	{WRONG, "error", "The kernel computes a wrong result",
	 "An element of an output is outside the range that the exact value and the kernel's tolerance allow, or an error finding stops the run. The "
	 "replay line runs the smallest such case again.", NULL},
	{MISSED, "error", "A kernel that is known to be buggy is not caught",
	 "The manifest says \"role\": \"buggy\", and every case of the campaign passes.", NULL},
	{OPEN, "warning", "No verdict could be reached",
	 "Every case that did not pass is undecidable: out of contract, over a limit of precision, memory or instructions.", NULL},
	{UNSUP, "note", "The kernel uses what gpuemu does not support", "It was not judged in this element type.", NULL},
	{NOT_RUN, "error", "The kernel could not be run", "Its manifest, source or PTX is wrong.", NULL},
};

/* The rule `id`, which is told to the log first when it is new: of ours, of a kind of finding, of those given, or with its name for a title. */
static void need_rule(struct sarif *s, const struct sarif_rule *given, int n, const char *id)
{
	struct sarif_rule bare = {id, "warning", id, id, NULL};

	for (int k = 0; k < FIND_COUNT; k++)
		if (strcmp(finding_name((enum finding_kind)k), id) == 0) {
			bare.level = finding_is_error((enum finding_kind)k) ? "error" : "note";
			bare.title = bare.text = finding_meaning((enum finding_kind)k);
		}
	for (size_t i = 0; i < ARRAY_LEN(own_rules); i++)
		if (strcmp(own_rules[i].id, id) == 0) {
			sarif_add_rule(s, &own_rules[i]);
			return;
		}
	for (int i = 0; i < n; i++)
		if (strcmp(given[i].id, id) == 0) {
			sarif_add_rule(s, &given[i]);
			return;
		}
	sarif_add_rule(s, &bare);
}

/* ---- results ---- */

struct log {
	struct sarif *s;
	const struct sarif_rule *rules; /* of lint */
	int n;
	const cJSON *kernel;
	const char *known; /* NULL, or why the kernel's failures are no alarm */
};

static void add(struct log *l, const char *rule, const char *level, const struct buf *message, const char *place, const cJSON *f, cJSON *properties)
{
	const char *allowed = ev_text(f, "allowed"), *dropped = ev_text(f, "dropped");
	const char *at;
	int line = ev_locate(l->kernel, f, &at);
	struct buf path = {0};

	if (at[0])
		buf_puts(&path, at);
	else
		buf_printf(&path, "%s/kernel.json", ev_text(l->kernel, "folder"));
	need_rule(l->s, l->rules, l->n, rule);
	sarif_add(l->s, &(struct sarif_result){.rule = rule, .level = level, .message = message->len ? message->s : rule, .path = path.s, .line = line,
	                                       .place = place, .allowed = allowed[0] ? allowed : NULL,
	                                       .dropped = dropped[0] ? dropped : l->known, .properties = properties});
	buf_free(&path);
}

static cJSON *properties_of(const struct log *l, const cJSON *f, const char *kase)
{
	cJSON *p = cJSON_CreateObject();

	cJSON_AddStringToObject(p, "kernel", ev_text(l->kernel, "name"));
	if (ev_text(f, "dtype")[0])
		cJSON_AddStringToObject(p, "dtype", ev_text(f, "dtype"));
	if (ev_text(f, "entry")[0])
		cJSON_AddStringToObject(p, "entry", ev_text(f, "entry"));
	if (ev_text(f, "confidence")[0])
		cJSON_AddStringToObject(p, "confidence", ev_text(f, "confidence"));
	if (ev_line(f, "ptx_line"))
		cJSON_AddNumberToObject(p, "ptxLine", ev_line(f, "ptx_line"));
	if (kase[0])
		cJSON_AddStringToObject(p, "case", kase);
	return p;
}

static void put_replay(struct buf *b, const struct log *l, const char *kase)
{
	if (!kase[0])
		return;
	buf_puts(b, ". Replay: ");
	ev_put_replay(b, l->kernel);
	buf_printf(b, " '%s'", kase);
}

/* The verdict in a dtype, when it is none to be glad of. */
static void add_verdict(struct log *l, const cJSON *d)
{
	const char *v = ev_text(d, "verdict"), *kase = ev_text(ev_get(d, "minimal"), "case");
	const char *reason = ev_text(ev_get(d, "minimal"), "reason");
	bool fail = strcmp(v, "FAIL") == 0, open = strcmp(v, "UNKNOWN") == 0, unsup = strcmp(v, "UNSUPPORTED") == 0;
	struct buf b = {0};

	if (!fail && !open && !unsup)
		return;
	buf_printf(&b, "%s %s: %s", ev_text(l->kernel, "name"), ev_text(d, "dtype"), reason[0] ? reason : ev_text(d, "reason"));
	if (fail)
		buf_printf(&b, "; %.0f of %.0f cases fail", ev_number(d, "cases_failed"), ev_number(d, "cases"));
	put_replay(&b, l, kase);
	add(l, fail ? WRONG : open ? OPEN : UNSUP, fail ? "error" : open ? "warning" : "note", &b, ev_text(d, "dtype"), NULL, properties_of(l, d, kase));
	buf_free(&b);
}

static void add_finding(struct log *l, const cJSON *d, const cJSON *f)
{
	struct buf b = {0}, place = {0};
	const char *buffer = ev_text(f, "buffer"), *kase = ev_text(f, "case");

	if (!ev_text(f, "kind")[0])
		return;
	buf_printf(&b, "%s%s%s", ev_text(f, "text"), ev_text(f, "entry")[0] ? " in " : "", ev_text(f, "entry"));
	buf_printf(&b, " (%.0f of %.0f cases of %s)", ev_number(f, "cases"), ev_number(d, "cases"), ev_text(d, "dtype"));
	put_replay(&b, l, kase);
	ev_place(&place, l->kernel, f);
	buf_printf(&place, "\n%s\n%s", ev_text(d, "dtype"), buffer);
	add(l, ev_text(f, "kind"), cJSON_IsTrue(ev_get(f, "error")) ? "error" : "note", &b, place.s, f, properties_of(l, f, kase));
	buf_free(&place);
	buf_free(&b);
}

static void add_lint(struct log *l, const cJSON *f)
{
	const char *level = ev_text(f, "severity"), *kase = ev_text(f, "case");
	struct buf b = {0}, place = {0};

	if (!ev_text(f, "rule")[0] || (strcmp(level, "error") != 0 && strcmp(level, "warning") != 0 && strcmp(level, "note") != 0))
		return;
	buf_puts(&b, ev_text(f, "message"));
	put_replay(&b, l, kase);
	ev_place(&place, l->kernel, f);
	add(l, ev_text(f, "rule"), level, &b, place.s, f, properties_of(l, f, kase));
	buf_free(&place);
	buf_free(&b);
}

static void add_kernel(struct log *l, const cJSON *k)
{
	bool buggy = strcmp(ev_text(k, "role"), "buggy") == 0;
	const cJSON *d, *f;

	l->kernel = k;
	l->known = buggy && cJSON_IsTrue(ev_get(k, "as_expected")) ? "as expected: the manifest says that this kernel is buggy" : NULL;
	if (buggy && strcmp(ev_text(k, "verdict"), "PASS") == 0) {
		struct buf b = {0};

		buf_printf(&b, "%s is known to be buggy (%s), and every case passes", ev_text(k, "name"), ev_text(k, "bug"));
		add(l, MISSED, "error", &b, "", NULL, properties_of(l, NULL, ""));
		buf_free(&b);
	}
	cJSON_ArrayForEach(d, ev_get(k, "dtypes")) {
		add_verdict(l, d);
		cJSON_ArrayForEach(f, ev_get(d, "findings"))
			add_finding(l, d, f);
	}
	cJSON_ArrayForEach(f, ev_get(ev_get(k, "lint"), "findings"))
		add_lint(l, f);
}

cJSON *report_sarif(const cJSON *evidence, const struct sarif_rule *rules, int n)
{
	struct log l = {.s = sarif_new(), .rules = rules, .n = n};
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
		add_kernel(&l, k);
	l.known = NULL;
	cJSON_ArrayForEach(k, ev_get(evidence, "left_out")) {
		struct buf b = {0};

		l.kernel = k;
		buf_puts(&b, ev_text(k, "reason"));
		add(&l, NOT_RUN, "error", &b, "", NULL, NULL);
		buf_free(&b);
	}
	return sarif_end(l.s);
}
