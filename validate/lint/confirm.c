/* confirm.c - what lint found is tried: cases are run with sanitizers on, and say yes or no. */
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

#define CASES 24       /* a dtype; the first of them are those that the witness engine looked at */
#define VALUE_CASES 4  /* a dtype and class of values */
#define MAX_KINDS 4

/* What a sanitizer calls the fault that a rule is about. */
static const struct seen_as {
	const char *rule;
	bool anywhere; /* the fault shows at another place of the entry than its cause */
	int n;
	enum finding_kind kind[MAX_KINDS];
} seen_as[] = {
	{"unguarded-global-access", false, 4, {FIND_OOB_READ, FIND_OOB_WRITE, FIND_UNINIT_READ, FIND_ILLEGAL_ADDRESS}},
	{"index-overflow", true, 3, {FIND_ADDRESS_OVERFLOW, FIND_OOB_READ, FIND_OOB_WRITE}},
	{"input-written", false, 1, {FIND_INPUT_WRITTEN}},
	{"misaligned-vector", false, 1, {FIND_MISALIGNED}},
	{"divergent-barrier", false, 2, {FIND_BARRIER_DIVERGENCE, FIND_DEADLOCK}},
	{"shared-out-of-bounds", false, 2, {FIND_OOB_READ, FIND_OOB_WRITE}},
	{"shared-race", false, 1, {FIND_RACE}},
	{"shuffle-full-mask", false, 2, {FIND_SHUFFLE_INACTIVE, FIND_DEADLOCK}},
	{"uninitialised-register", true, 1, {FIND_UNINIT_READ}},
};

/* Values that show a fault no sanitizer sees: results are wrong with them, and right with normal ones. */
static const struct shown_by {
	const char *rule;
	struct value_spec values[2]; /* without a name: none */
} shown_by[] = {
	/* far below -60000 every element is out of contract: rounding x alone changes exp(x) without bound */
	{"finite-sentinel", {{"uniform", 2, {-60000, -30000}}, {"maskrow", 1, {0.5}}}},
	{"nan-dropped", {{"nan", 1, {0.25}}, {"", 0, {0}}}},
	{"float-integer-division", {{"index", 0, {0}}, {"", 0, {0}}}},
};

struct confirming {
	struct lint_report *r;
	const struct target *t;
	bool *reached; /* by finding */
	int *tried;    /* by finding: cases that launched its entry */
};

static const struct seen_as *how_seen(const struct lint_finding *f)
{
	for (size_t i = 0; i < ARRAY_LEN(seen_as); i++)
		if (strcmp(seen_as[i].rule, f->rule->id) == 0)
			return &seen_as[i];
	return NULL;
}

static const struct shown_by *how_shown(const struct lint_finding *f)
{
	for (size_t i = 0; i < ARRAY_LEN(shown_by); i++)
		if (strcmp(shown_by[i].rule, f->rule->id) == 0)
			return &shown_by[i];
	return NULL;
}

static bool is_open(const struct lint_finding *f)
{
	return f->confidence != LINT_CONFIRMED && lint_counts(f);
}

static bool launches_entry(const struct kernel *k, int d, const char *entry)
{
	for (int l = 0; l < kernel_launches(k); l++)
		if (strcmp(kernel_entry(k, d, l), entry) == 0)
			return true;
	return false;
}

static bool shows(const struct seen_as *s, const struct lint_finding *f, const struct finding *g)
{
	if (strcmp(f->entry, g->entry) != 0 || (!s->anywhere && g->ptx_line != f->ptx_line))
		return false;
	for (int k = 0; k < s->n; k++)
		if (s->kind[k] == g->kind)
			return true;
	return false;
}

static void confirm(struct confirming *c, struct lint_finding *f, const struct kase *k, const char *what)
{
	char *line = case_print(k);

	f->confidence = LINT_CONFIRMED;
	f->severity = f->rule->severity;
	f->kase = arena_strndup(c->r->arena, line, strlen(line));
	f->message = arena_printf(c->r->arena, "%s; a run shows it: %s", f->message, what);
	free(line);
}

/* ---- by sanitizers ---- */

static void look(struct confirming *c, const struct kase *k, int d, const struct run_report *run, const struct dev_coverage *cov)
{
	for (int i = 0; i < c->r->nfindings; i++) {
		struct lint_finding *f = &c->r->findings[i];
		const struct seen_as *s = how_seen(f);

		if (!s || !is_open(f) || !launches_entry(c->t->kernel, d, f->entry))
			continue;
		c->tried[i]++;
		c->reached[i] |= dev_coverage_reached(cov, f->ptx_line);
		for (int g = 0; g < run->nfindings && f->confidence != LINT_CONFIRMED; g++)
			if (shows(s, f, &run->findings[g]))
				confirm(c, f, k, finding_name(run->findings[g].kind));
	}
}

static enum st run_case(struct confirming *c, const struct kase *k, int d, struct err *e)
{
	struct case_options o = {.sanitize = true};
	struct dev_coverage *cov = dev_coverage_new(c->t->module);
	struct case_result *res = mem_alloc(sizeof *res);
	enum st rc = case_validate(c->t, k, &o, cov, res, e);

	if (rc == ST_OK) {
		c->r->runs++;
		look(c, k, d, &res->report, cov);
	}
	dev_coverage_free(cov);
	free(res);
	return rc;
}

static bool any_open(const struct confirming *c, int d)
{
	for (int i = 0; i < c->r->nfindings; i++)
		if (is_open(&c->r->findings[i]) && how_seen(&c->r->findings[i]) &&
		    launches_entry(c->t->kernel, d, c->r->findings[i].entry))
			return true;
	return false;
}

static enum st by_sanitizers(struct confirming *c, int d, struct err *e)
{
	for (uint64_t i = 0; i < CASES && any_open(c, d); i++) {
		struct kase k;

		if (facts_case(c->t->kernel, d, i, &k))
			TRY(run_case(c, &k, d, e));
	}
	return ST_OK;
}

/* ---- by values ---- */

static enum st value_of(struct confirming *c, const struct kase *k, enum verdict *v, struct err *e)
{
	struct case_options o = {0};
	struct case_result *res = mem_alloc(sizeof *res);
	enum st rc = case_validate(c->t, k, &o, NULL, res, e);

	c->r->runs++;
	*v = rc == ST_OK ? res->value : V_UNKNOWN;
	free(res);
	return rc;
}

static void set_values(struct kase *k, const struct value_spec *v)
{
	const struct op_schema *o = op_schema(k->op);

	for (int t = 0; t < o->ntensors; t++)
		if (k->values[t].name[0])
			k->values[t] = *v;
}

static enum st try_values(struct confirming *c, struct lint_finding *f, int i, int d, const struct value_spec *v, struct err *e)
{
	static const struct value_spec normal = {"normal", 2, {0, 1}};

	for (uint64_t n = 0; n < VALUE_CASES && f->confidence != LINT_CONFIRMED; n++) {
		struct kase k;
		enum verdict ordinary, made;

		if (!facts_case(c->t->kernel, d, n, &k))
			continue;
		set_values(&k, &normal);
		TRY(value_of(c, &k, &ordinary, e));
		set_values(&k, v);
		TRY(value_of(c, &k, &made, e));
		c->tried[i]++;
		c->reached[i] |= ordinary == V_PASS && made != V_UNKNOWN && made != V_UNSUPPORTED;
		if (ordinary == V_PASS && made == V_FAIL)
			confirm(c, f, &k, "wrong results, and right ones for normal values");
	}
	return ST_OK;
}

static enum st by_values(struct confirming *c, int d, struct err *e)
{
	for (int i = 0; i < c->r->nfindings; i++) {
		struct lint_finding *f = &c->r->findings[i];
		const struct shown_by *s = how_shown(f);

		for (size_t v = 0; s && v < ARRAY_LEN(s->values) && s->values[v].name[0]; v++)
			if (is_open(f) && launches_entry(c->t->kernel, d, f->entry))
				TRY(try_values(c, f, i, d, &s->values[v], e));
	}
	return ST_OK;
}

/* ---- all ---- */

static void drop_unseen(struct confirming *c)
{
	for (int i = 0; i < c->r->nfindings; i++) {
		struct lint_finding *f = &c->r->findings[i];

		if (is_open(f) && f->confidence == LINT_POSSIBLE && c->reached[i])
			f->dropped = arena_printf(c->r->arena, "%d cases were run for it and none shows it", c->tried[i]);
	}
}

enum st lint_confirm(struct lint_report *r, const struct target *t, struct err *e)
{
	struct confirming c = {r, t, mem_zalloc((size_t)r->nfindings + 1, sizeof(bool)), mem_zalloc((size_t)r->nfindings + 1, sizeof(int))};
	enum st rc = ST_OK;

	for (int d = 0; d < kernel_dtypes(t->kernel, -1, NULL); d++) {
		TRY_OR(done, rc, by_sanitizers(&c, d, e));
		TRY_OR(done, rc, by_values(&c, d, e));
	}
	drop_unseen(&c);
done:
	free(c.reached);
	free(c.tried);
	return rc;
}
