/* tabular_studies.c - tables of tolerances and of the studies in results/: see tabular.h. */
#include <math.h>
#include <string.h>

#include "report/tabular.h"
#include "stats/stats.h"

/* ---- tolerance tables ---- */

static void put_name(struct tabular *t, const struct tolerance_cell *k)
{
	put_text(t, k->op);
	put_text(t, k->types);
	put_text(t, k->family);
	put_text(t, k->group);
}

/* Only an envelope has these. */
static void put_if(struct tabular *t, bool is, double v, int digits)
{
	if (is)
		put_value(t, v, digits);
	else
		put_none(t);
}

void fill_cells(struct tabular *t, const struct tabular_input *in)
{
	for (size_t i = 0; i < in->table[0]->n; i++) {
		const struct tolerance_cell *k = &in->table[0]->cell[i];
		const struct cell_fit *f = &k->fit;
		bool is = f->state == FIT_ENVELOPE;

		put_name(t, k);
		put_text(t, fit_state_name(f->state));
		put_count(t, (double)f->runs);
		put_if(t, is, f->t, 3);
		put_if(t, is, f->chain.used, 2);
		put_if(t, is, f->elements.used, 2);
		put_count(t, f->chain_hi);
		put_if(t, is, cell_fit_limit(f, f->chain_hi, f->elements_hi, NULL), 3);
		put_value(t, f->options.narrow + fit_bound(&f->options, f->chain_hi), 3);
		put_if(t, is, f->tightness, 2);
		put_if(t, is, k->power[2], 2);
		put_if(t, is, k->power[4], 2);
		put_share(t, k->heldout_over, k->heldout);
		put_if(t, f->state != FIT_REFUSED, k->rtol, 2);
		put_text(t, f->reason);
	}
}

static bool of_types(const struct tolerance_cell *k, const char *types)
{
	return !types || strcmp(k->types, types) == 0;
}

/* types NULL: of all. */
static void put_states(struct tabular *t, const struct tolerance_table *table, const char *types)
{
	double n[FIT_REFUSED + 1] = {0}, cells = 0, tight = 0, power = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct tolerance_cell *k = &table->cell[i];

		if (!of_types(k, types))
			continue;
		cells++;
		n[k->fit.state]++;
		if (k->fit.state != FIT_ENVELOPE)
			continue;
		/* halved, a known-good run fails; every error of 10 T is seen */
		tight += k->fit.tightness > 0.5;
		power += k->power[4] >= 1;
	}
	put_text(t, types ? types : "all");
	put_count(t, cells);
	put_part(t, n[FIT_ENVELOPE], cells);
	put_count(t, n[FIT_EXACT]);
	put_count(t, n[FIT_LOOSE]);
	put_count(t, n[FIT_REFUSED]);
	put_part(t, tight, n[FIT_ENVELOPE]);
	put_part(t, power, n[FIT_ENVELOPE]);
}

/* Types in the order in which they first come. */
void fill_states(struct tabular *t, const struct tabular_input *in)
{
	const struct tolerance_table *table = in->table[0];

	for (size_t i = 0; i < table->n; i++) {
		size_t first = 0;

		while (strcmp(table->cell[first].types, table->cell[i].types) != 0)
			first++;
		if (first == i)
			put_states(t, table, table->cell[i].types);
	}
	put_states(t, table, NULL);
}

void fill_devices(struct tabular *t, const struct tabular_input *in)
{
	for (size_t i = 0; i < in->table[0]->n; i++) {
		const struct tolerance_cell *a = &in->table[0]->cell[i],
		                            *b = tolerance_find(in->table[1], a->op, a->types,
		                                                a->family, a->group);
		double chain, n, x, y;

		if (!b || a->fit.state != FIT_ENVELOPE || b->fit.state != FIT_ENVELOPE)
			continue;
		/* where both were fitted */
		chain = fmin(a->fit.chain_hi, b->fit.chain_hi);
		n = fmin(a->fit.elements_hi, b->fit.elements_hi);
		x = cell_fit_limit(&a->fit, chain, n, NULL);
		y = cell_fit_limit(&b->fit, chain, n, NULL);
		put_name(t, a);
		put_value(t, x, 3);
		put_value(t, y, 3);
		put_value(t, y / x, 3);
	}
}

/* ---- calibration ---- */

void fill_policies(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *p;

	cJSON_ArrayForEach(p, ev_get(in->src.file[SRC_CALIBRATION], "policies"))
	{
		put_text(t, ev_text(p, "policy"));
		put_share(t, ev_number(p, "caught"), ev_number(p, "wrong_cases"));
		put_share(t, ev_number(p, "false_alarms"), ev_number(p, "control_cases"));
	}
}

/* A unit is a kernel in one element type. */
void fill_strategies(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *p;

	cJSON_ArrayForEach(p, ev_get(in->src.file[SRC_STRATEGIES], "strategies"))
	{
		double buggy = ev_number(p, "buggy_units");

		put_text(t, ev_text(p, "strategy"));
		put_share(t, ev_number(p, "buggy_units_failing"), buggy);
		put_share(t, ev_number(p, "buggy_units_failing_by_value"), buggy);
		put_share(t, ev_number(p, "control_units_failing"), ev_number(p, "control_units"));
		put_share(t, ev_number(p, "buggy_cases_failing"), ev_number(p, "buggy_cases"));
		put_share(t, ev_number(p, "control_cases_failing"), ev_number(p, "control_cases"));
	}
}

void fill_coverage(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(in->src.file[SRC_COVERAGE], "coverage"))
	{
		double lines = ev_number(k, "bug_lines"), edges = ev_number(k, "edges");

		put_text(t, ev_text(k, "kernel"));
		put_part(t, ev_number(k, "one_shape_bug_lines"), lines);
		put_part(t, ev_number(k, "campaign_bug_lines"), lines);
		put_part(t, ev_number(k, "one_shape_edges"), edges);
		put_part(t, ev_number(k, "campaign_edges"), edges);
		put_text(t, cJSON_IsTrue(ev_get(k, "one_shape_rejects")) ? "yes" : "no");
	}
}

static void put_trials(struct tabular *t, const char *what, double x, double n)
{
	put_text(t, what);
	put_share(t, x, n);
}

void fill_calibration(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *c = in->src.file[SRC_CALIBRATION], *other = ev_get(c, "heldout_h200_table");
	double observable = ev_number(c, "observable_cases");

	put_trials(t, "held-out good cases flagged", ev_number(c, "heldout_false_alarms"),
	           ev_number(c, "heldout_cases"));
	put_trials(t, "the same by the H200's table", ev_number(other, "false_alarms"),
	           ev_number(other, "cases"));
	put_trials(t, "observably wrong cases caught",
	           nearbyint(ev_number(c, "recall_observable") * observable), observable);
	put_trials(t, "cases with other bits than the twin's caught",
	           ev_number(c, "differ_from_twin_caught"), ev_number(c, "differ_from_twin"));
	put_trials(t, "held-out runs over the envelope", ev_number(c, "plan_heldout_over"),
	           ev_number(c, "plan_heldout_runs"));
	put_trials(t, "kernels left out that the others' envelope flags",
	           ev_number(c, "kernels_left_out_over"), ev_number(c, "kernels_left_out"));
	put_trials(t, "runs of the longest chains left out that are over",
	           ev_number(c, "sizes_left_out_over"), ev_number(c, "sizes_left_out_runs"));
}

/* ---- fidelity, math, lint ---- */

static void put_compared(struct tabular *t, const char *what, double n, double differ)
{
	if (!(n > 0 && differ >= 0 && differ <= n && n < 9e15))
		return;
	put_text(t, what);
	put_count(t, n);
	put_count(t, differ);
	put_value(t, binomial_upper((int64_t)differ, (int64_t)n, 0.95), 2);
}

static void put_mutants(struct tabular *t, const char *name, const cJSON *m)
{
	double value = ev_number(m, "value"), finding = ev_number(m, "finding"),
	       endless = ev_number(m, "endless");

	put_text(t, name);
	put_share(t, value + finding + endless, ev_number(m, "mutants"));
	put_count(t, value);
	put_count(t, finding);
	put_count(t, endless);
	put_count(t, ev_number(m, "within"));
	put_count(t, ev_number(m, "same"));
	put_count(t, ev_number(m, "not_reached"));
	put_count(t, ev_number(m, "undecided"));
	put_if(t, ev_number(m, "within") > 0, ev_number(m, "r_over_T"), 2);
	put_share(t, ev_number(m, "friendly_wrong_accepted"), ev_number(m, "friendly_wrong_judged"));
	put_share(t, ev_number(m, "own_wrong_accepted"), ev_number(m, "own_wrong_judged"));
}

void fill_mutation(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *f = in->src.file[SRC_MUTATION], *m;

	cJSON_ArrayForEach(m, ev_get(f, "mutation")) put_mutants(t, ev_text(m, "class"), m);
	put_mutants(t, "all", ev_get(f, "total"));
}

void fill_fidelity(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *f = in->src.file[SRC_FIDELITY];
	double cases = ev_number(f, "corpus_cases"),
	       differ = cases - ev_number(f, "corpus_identical");

	put_compared(t, "instruction forms", ev_number(f, "forms"),
	             ev_number(f, "forms") - ev_number(f, "forms_covered"));
	put_compared(t, "operand tuples of forms", ev_number(f, "vectors"),
	             ev_number(f, "differences"));
	put_compared(t, "corpus cases", cases, differ);
	/* how many elements differ is known when no case does */
	if (differ == 0)
		put_compared(t, "output elements of them", ev_number(f, "corpus_elements"), 0);
}

void fill_math(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *f;

	cJSON_ArrayForEach(f, ev_get(in->src.file[SRC_MATH], "functions"))
	{
		const cJSON *share = ev_get(f, "of_bound"), *ulp = ev_get(f, "max_ulp");

		put_text(t, ev_text(f, "name"));
		put_text(t, ev_text(f, "dtype"));
		put_text(t, ev_text(f, "bound"));
		put_if(t, cJSON_IsNumber(ulp), ev_number(f, "max_ulp"), 4);
		put_if(t, cJSON_IsNumber(share), ev_number(f, "of_bound"), 3);
		put_text(t, cJSON_IsTrue(ev_get(f, "met"))    ? "yes"
		            : cJSON_IsFalse(ev_get(f, "met")) ? "no"
		                                              : "");
	}
}

/* Sets are the objects that have kernels. */
void fill_lint(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *set, *kernel, *rule;

	cJSON_ArrayForEach(set, in->src.file[SRC_LINT])
	        cJSON_ArrayForEach(kernel, ev_get(set, "kernels")) cJSON_ArrayForEach(rule, kernel)
	{
		put_text(t, set->string);
		put_text(t, kernel->string);
		put_text(t, rule->string);
		put_text(t, ev_text(rule, "severity"));
		put_text(t, ev_text(rule, "confidence"));
		put_count(t, ev_number(rule, "places"));
	}
}

static int count_true(const cJSON *list)
{
	const cJSON *v;
	int n = 0;

	cJSON_ArrayForEach(v, list) n += cJSON_IsTrue(v);
	return n;
}

void fill_rules(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *rule;

	cJSON_ArrayForEach(rule, ev_get(in->src.file[SRC_LINT], "rules"))
	{
		const cJSON *bad = ev_get(rule, "bad"), *good = ev_get(rule, "good");

		put_text(t, rule->string);
		put_part(t, count_true(bad), cJSON_GetArraySize(bad));
		put_part(t, count_true(good), cJSON_GetArraySize(good));
	}
}

/* A pair [buggy, twin]. */
static void put_two(struct tabular *t, const cJSON *pair)
{
	for (int i = 0; i < 2; i++) {
		const cJSON *v = cJSON_GetArrayItem(pair, i);

		if (cJSON_IsNumber(v))
			put_count(t, v->valuedouble);
		else
			put_none(t);
	}
}

void fill_twins(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *k, *d;

	cJSON_ArrayForEach(k, ev_get(in->src.file[SRC_LINT], "differences"))
	        cJSON_ArrayForEach(d, ev_get(k, "sm_90"))
	{
		put_text(t, k->string);
		put_text(t, d->string);
		put_text(t, ev_text(k, "change"));
		put_two(t, ev_get(d, "registers"));
		put_two(t, ev_get(d, "instructions"));
	}
}
