/* checks.c - the published one-shape checks: what they said of a kernel, and what they are. */
#include <stdio.h>
#include <string.h>

#include "report/audit/audit.h"
#include "report/number.h"

/* ---- of one kernel ---- */

static const struct {
	const char *input, *dtype, *title;
} inputs[] = {{"friendly", "f32", "friendly input, f32"},
              {"friendly", "f16", "friendly, f16"},
              {"friendly", "bf16", "friendly, bf16"},
              {"v0", "f32", "KernelBench v0's, f32"},
              {"head", "f32", "KernelBench HEAD's, f32"}};

/* The colours are those of the grid of verdicts: what is wrong of a kernel whose role is known stands out, in bold for grey prints. */
static void check_row(struct table *t, const struct row *r, const char *profile)
{
	struct td cells[1 + ARRAY_LEN(inputs)] = {{.text = ev_check_title(profile)}};
	char text[ARRAY_LEN(inputs)][64];

	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		int accepted, seeds;
		bool known = r->group != GROUP_USER, accepts, wrong;

		cells[1 + i] = (struct td){.text = "–", .coloured = true, .colour = C_FAINT};
		if (!ev_bench(r->kernel, inputs[i].input, inputs[i].dtype, profile, &accepted,
		              &seeds))
			continue;
		accepts = accepted == seeds;
		wrong = known && accepts == (r->group == GROUP_BUGGY);
		snprintf(text[i], sizeof text[i], "%s %d of %d", accepts ? "accepts" : "rejects",
		         accepts ? accepted : seeds - accepted, seeds);
		cells[1 + i] = (struct td){.text = text[i],
		                           .bold = wrong,
		                           .coloured = known,
		                           .colour = wrong ? C_WRONG : C_RIGHT_INK};
	}
	table_row(t, cells);
}

static void put_inputs(struct buf *b, const cJSON *bench, enum group group)
{
	static const char *const names[] = {"friendly", "v0", "head"},
	                         *const titles[] = {"Friendly input", "KernelBench v0's",
	                                            "KernelBench HEAD's"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const cJSON *x = ev_get(bench, names[i]);

		if (!x)
			continue;
		buf_printf(b, "%s%s: %s", b->len ? "; " : "", titles[i], ev_text(x, "case"));
		if (ev_text(x, "original")[0])
			buf_printf(b, " (%s: %s)", ev_text(x, "problem"), ev_text(x, "original"));
	}
	buf_puts(b, ". The seeds counted are benchmark seeds, from which the check's random inputs are "
	            "made: “rejects 3 of 5” means that it rejects the kernel at 3 of 5 seeds, and a "
	            "kernel rejected at one is rejected.");
	if (group != GROUP_USER)
		buf_printf(b, " In bold: what is wrong, for this kernel is %s.",
		           group == GROUP_BUGGY ? "buggy" : "right");
}

void kernel_checks(struct audit *a, const struct row *r)
{
	struct column columns[1 + ARRAY_LEN(inputs)] = {{.title = "Check", .w = -1.3}};
	const cJSON *bench = ev_get(r->kernel, "bench");
	struct buf b = {0};
	struct table t;

	if (cJSON_GetArraySize(bench) == 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
		columns[1 + i] = (struct column){.title = inputs[i].title, .w = -1};
	flow_heading(&a->f, 2, DEST_NONE, "Published one-shape checks, as measured", NULL);
	put_inputs(&b, bench, r->group);
	flow_lead(&a->f, face_note, b.s);
	table_begin_whole(&t, &a->f, columns, ARRAY_LEN(columns), 6.6, a->m->nprofiles);
	for (int i = 0; i < a->m->nprofiles; i++)
		check_row(&t, r, a->m->profiles[i].name);
	table_end(&t);
	buf_free(&b);
}

/* ---- the appendix ---- */

static void profile_row(struct table *t, const cJSON *p)
{
	char atol[32], rtol[32];
	const char *source = ev_text(p, "source");
	struct td cells[5] = {{.text = ev_check_title(ev_text(p, "name"))},
	                      {.text = ev_text(p, "rule")},
	                      {.text = atol},
	                      {.text = rtol},
	                      {.text = source}};

	snprintf(atol, sizeof atol, "%g", ev_number(p, "atol_f32"));
	snprintf(rtol, sizeof rtol, "%g", ev_number(p, "rtol_f32"));
	if (strncmp(source, "https://", 8) == 0)
		cells[4].uri = source;
	table_row(t, cells);
}

static void profiles(struct audit *a)
{
	static const struct column columns[] = {
	        {.title = "Check", .w = 88},
	        {.title = "Rule", .w = 152, .mono = true},
	        {.title = "atol (f32)", .w = 40, .align = ALIGN_RIGHT},
	        {.title = "rtol (f32)", .w = 40, .align = ALIGN_RIGHT},
	        {.title = "Where it is published", .w = -1}};
	const cJSON *p;
	struct table t;

	table_begin(&t, &a->f, columns, 5, TABLE_SIZE);
	cJSON_ArrayForEach(p, ev_get(a->evidence, "profiles")) if (cJSON_IsObject(p))
	        profile_row(&t, p);
	table_end(&t);
}

/* "zeros by seed, geak; copy of an input by seed" */
static void put_nulls(struct buf *b, const cJSON *input)
{
	const cJSON *null, *p;
	double seeds = ev_number(input, "seeds");

	cJSON_ArrayForEach(null, ev_get(input, "nulls"))
	{
		const char *before = NULL;

		cJSON_ArrayForEach(p, null) if (seeds > 0 && cJSON_IsNumber(p) &&
		                                p->valuedouble == seeds)
		{
			if (!before)
				buf_printf(b, "%s%s by ", b->len ? "; " : "", null->string);
			buf_printf(b, "%s%s", before ? before : "", ev_check_title(p->string));
			before = ", ";
		}
	}
	if (!b->len)
		buf_puts(b, "none");
}

static void friendly_inputs(struct audit *a)
{
	static const struct column columns[] = {
	        {.title = "Operator", .w = 62},
	        {.title = "Corpus", .w = 58},
	        {.title = "Friendly input", .w = -0.8, .mono = true},
	        {.title = "Null kernels accepted at every benchmark seed", .w = -1}};
	const cJSON *list = ev_get(a->evidence, "friendly_inputs"), *x;
	struct table t;

	flow_heading(&a->f, 2, DEST_NONE, "Friendly inputs, and what computes nothing on them",
	             "Friendly inputs");
	table_begin(&t, &a->f, columns, 4, TABLE_SIZE);
	cJSON_ArrayForEach(x, list) if (cJSON_IsObject(x))
	{
		struct buf b = {0}, set = {0};
		struct td cells[4] = {{.text = ev_text(x, "operator")},
		                      {.text = NULL},
		                      {.text = ev_text(x, "case")}};

		put_nulls(&b, x);
		ev_put_set(&set, ev_text(x, "set"));
		cells[1].text = set.s;
		cells[3].text = b.s;
		table_row(&t, cells);
		buf_free(&b);
		buf_free(&set);
	}
	table_end(&t);
}

static void policy_row(struct table *t, const char *set, const cJSON *p)
{
	double caught = ev_number(p, "caught"), wrong = ev_number(p, "wrong_cases"),
	       alarms = ev_number(p, "false_alarms"), controls = ev_number(p, "control_cases");
	char recall[NUM_SIZE] = "–", flagged[NUM_SIZE] = "–";
	struct td cells[5] = {{.text = set},
	                      {.text = ev_text(p, "policy")},
	                      {.text = recall},
	                      {.text = flagged},
	                      {.text = ev_text(p, "source")}};

	if (wrong > 0 && num_are_counts(caught, wrong))
		num_share_interval(caught, wrong, NUM_PLAIN, recall);
	if (controls > 0 && num_are_counts(alarms, controls))
		num_share_interval(alarms, controls, NUM_PLAIN, flagged);
	table_row(t, cells);
}

/* The same cases by four tolerances, where the evidence has them. */
static void policies(struct audit *a)
{
	static const struct column columns[] = {{.title = "Set", .w = 30},
	                                        {.title = "Tolerance", .w = -0.8},
	                                        {.title = "Wrong cases caught", .w = 98},
	                                        {.title = "Controls flagged", .w = 98},
	                                        {.title = "Where it comes from", .w = -1.2}};
	const cJSON *sets = ev_get(a->evidence, "summary"), *s, *p;
	struct table t;
	int n = 0;

	cJSON_ArrayForEach(s, sets) n += cJSON_GetArraySize(ev_get(s, "policies"));
	if (n == 0)
		return;
	flow_heading(&a->f, 2, DEST_NONE, "Four tolerances on the same cases", "Four tolerances");
	flow_lead(&a->f, face_note,
	          "Wrong cases: those of buggy kernels whose output is observably wrong, beyond the "
	          "deterministic bound of any order of roundings or in class; as this tool's envelopes "
	          "never exceed that bound, it catches all of them by construction. Controls: every other "
	          "case; the ones between are what the third learns from. Shares with 95 % "
	          "Clopper–Pearson intervals.");
	table_begin(&t, &a->f, columns, 5, TABLE_SIZE);
	cJSON_ArrayForEach(s, sets) cJSON_ArrayForEach(p, ev_get(s, "policies")) if (cJSON_IsObject(p))
	        policy_row(&t, s->string, p);
	table_end(&t);
}

void audit_checks(struct audit *a)
{
	const struct chart *accepted = chart_find("checks");

	audit_part(a, DEST_CHECKS, "Published one-shape checks");
	if (!a->m->nprofiles) {
		flow_par(&a->f, face_body, "They were not run in this campaign.");
		policies(a);
		return;
	}
	flow_par(&a->f, face_body,
	         "These checks were executed on the same kernels, not quoted. y is the kernel's "
	         "output, x the "
	         "reference's. A kernel is accepted when the check accepts it at every benchmark "
	         "seed; "
	         "choosing a seed is "
	         "not allowed. Each operator of a set has one friendly input, the kind a benchmark "
	         "would pick; a "
	         "buggy kernel and its good twin share it.");
	profiles(a);
	if (accepted && !accepted->absent(a->in))
		audit_chart(a, accepted);
	friendly_inputs(a);
	policies(a);
}
