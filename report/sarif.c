/* sarif.c - evidence as SARIF 2.1.0: verdicts, what the sanitizers found, what lint said (base/hosts.h writes it). */
#include <stdlib.h>
#include <string.h>

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
	/* findings of the sanitizers; base/launch.h has their list */
	{"out-of-bounds-read", "error", "A read outside the tensor", "A load touches bytes that belong to no element of the argument it is meant for.", NULL},
	{"out-of-bounds-write", "error", "A write outside the tensor", "A store touches bytes that belong to no element of the argument it is meant for.", NULL},
	{"misaligned-access", "error", "A misaligned access", "An address is not a multiple of the access' size; a GPU traps.", NULL},
	{"uninitialised-read", "error", "A value that nobody wrote is used", "It reaches an address, a branch or an output.", NULL},
	{"output-never-written", "error", "An output element is never written", "It keeps what memory held before the launch.", NULL},
	{"input-written", "error", "An input is written", "The operator only reads this tensor.", NULL},
	{"guard-changed", "error", "Memory beside a tensor was changed", "Bytes before or behind an allocation differ after the run.", NULL},
	{"barrier-divergence", "error", "A barrier that part of the block does not reach", "Its behaviour is undefined.", NULL},
	{"shuffle-from-inactive-lane", "error", "A shuffle reads a lane that does not take part", "The value is undefined.", NULL},
	{"integer-division-by-zero", "error", "An integer is divided by zero", "The result is undefined.", NULL},
	{"32-bit-overflow-in-address", "error", "A 32-bit index overflows", "The overflowed value becomes an address.", NULL},
	{"finite-to-nonfinite", "note", "Finite operands give an infinity or NaN", "Information: it need not be wrong.", NULL},
	{"launch-limit", "error", "A launch beyond the limits of the GPU", "Grid, block or shared memory are larger than a launch may have.", NULL},
	{"instruction-budget", "error", "The kernel does not end", "It ran far more instructions than any case of its size takes.", NULL},
	{"deadlock", "error", "The kernel waits for ever", "No thread of a block can go on.", NULL},
	{"trap", "error", "The kernel trapped", "It ran into a trap instruction.", NULL},
	{"illegal-address", "error", "An address that belongs to nothing", "A GPU ends the launch.", NULL},
	{"race", "error", "A race", "Two threads touch the same bytes, one of them writing, with nothing to order them.", NULL},
};

/* The rule `id`, which is told to the log first when it is new: of ours, of those given, or with its name for a title. */
static void need_rule(struct sarif *s, const struct sarif_rule *given, int n, const char *id)
{
	struct sarif_rule bare = {id, "warning", id, id, NULL};

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
	struct buf path;   /* of the result being made */
	const char *known; /* NULL, or why the kernel's failures are no alarm */
};

static int line_at(const cJSON *j, const char *key)
{
	double v = ev_number(j, key);

	return v >= 1 && v <= 1e9 ? (int)v : 0;
}

/* Where a finding stands: in the source, in the PTX, else only which kernel. Fills path and line. */
static void locate(struct log *l, const cJSON *f, int *line)
{
	const char *source = ev_text(f, "source_file"), *ptx = ev_text(l->kernel, "ptx_file");

	if (!source[0])
		source = ev_text(l->kernel, "source_file");
	buf_free(&l->path);
	*line = 0;
	if (source[0] && line_at(f, "source_line")) {
		buf_puts(&l->path, source);
		*line = line_at(f, "source_line");
	} else if (ptx[0] && line_at(f, "ptx_line")) {
		buf_puts(&l->path, ptx);
		*line = line_at(f, "ptx_line");
	} else if (source[0] || ptx[0]) {
		buf_puts(&l->path, source[0] ? source : ptx);
	} else {
		buf_printf(&l->path, "%s/kernel.json", ev_text(l->kernel, "folder"));
	}
}

static void add(struct log *l, const char *rule, const char *level, const struct buf *message, const char *place, const cJSON *f, cJSON *properties)
{
	const char *allowed = ev_text(f, "allowed"), *dropped = ev_text(f, "dropped");
	int line;

	locate(l, f, &line);
	need_rule(l->s, l->rules, l->n, rule);
	sarif_add(l->s, &(struct sarif_result){.rule = rule, .level = level, .message = message->len ? message->s : rule, .path = l->path.s, .line = line,
	                                       .place = place, .allowed = allowed[0] ? allowed : NULL,
	                                       .dropped = dropped[0] ? dropped : l->known, .properties = properties});
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
	if (line_at(f, "ptx_line"))
		cJSON_AddNumberToObject(p, "ptxLine", line_at(f, "ptx_line"));
	if (kase[0])
		cJSON_AddStringToObject(p, "case", kase);
	return p;
}

static void put_replay(struct buf *b, const struct log *l, const char *kase)
{
	if (!kase[0])
		return;
	buf_puts(b, ". Replay: gpuemu replay ");
	buf_shell(b, ev_text(l->kernel, "folder"));
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
	buf_free(&l.path);
	return sarif_end(l.s);
}
