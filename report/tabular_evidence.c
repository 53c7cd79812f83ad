/* tabular_evidence.c - tables of a campaign: see tabular.h. */
#include <string.h>

#include "report/tabular.h"

static const cJSON *evidence_of(const struct tabular_input *in)
{
	return in->src.file[SRC_EVIDENCE];
}

void fill_summary(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, ev_get(evidence_of(in), "summary"))
	{
		const cJSON *own = ev_get(ev_get(s, "buggy_accepted_by"), "seed");
		double buggy = ev_number(s, "buggy_total"),
		       controls = ev_number(s, "control_total");
		/* without benchmark checks nothing was accepted or rejected by them */
		bool bench = own != NULL;

		put_text(t, s->string);
		put_share(t, ev_number(s, "buggy_accepted_by_bench"), bench ? buggy : 0);
		put_share(t, ev_number(own, "published"), ev_number(own, "published_total"));
		put_share(t, ev_number(s, "control_accepted_by_bench"), bench ? controls : 0);
		put_share(t, ev_number(s, "buggy_caught"), buggy);
		put_share(t, ev_number(s, "buggy_caught_by_value"), buggy);
		put_share(t, ev_number(s, "control_flagged"), controls);
		put_share(t, ev_number(s, "buggy_cases_flagged"), ev_number(s, "buggy_cases"));
		put_share(t, ev_number(s, "control_cases_flagged"), ev_number(s, "control_cases"));
		put_count(t, ev_number(s, "unknown"));
		put_count(t, ev_number(s, "cases_no_power"));
	}
}

void fill_kernels(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(evidence_of(in), "kernels"))
	{
		struct ev_totals n = ev_totals(k);
		const cJSON *coverage = ev_get(k, "coverage"), *lint = ev_get(k, "lint");

		put_text(t, ev_text(k, "name"));
		put_text(t, ev_text(k, "operator"));
		put_text(t, ev_text(k, "role"));
		put_text(t, ev_text(k, "verdict"));
		put_text(t, ev_text(k, "expected"));
		put_share(t, n.failed, n.cases);
		put_share(t, n.failed_by_value, n.cases);
		put_count(t, n.unknown);
		put_text(t, ev_first_finding(k));
		put_part(t, ev_number(coverage, "edges_hit"), ev_number(coverage, "edges"));
		if (lint)
			put_count(t, ev_number(lint, "errors"));
		else
			put_none(t);
	}
}

/* ---- checks ---- */

/* Of the kernels of a role: accepted at every seed in f32, and how many the input exists for. */
static void put_accepted(struct tabular *t, const cJSON *evidence, const char *role,
                         const char *input, const char *profile)
{
	int accepted = 0, judged = 0, seeds, of;
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(evidence, "kernels"))
	{
		if (strcmp(ev_text(k, "role"), role) != 0 ||
		    !ev_bench(k, input, "f32", profile, &seeds, &of))
			continue;
		judged++;
		accepted += seeds >= of;
	}
	put_share(t, accepted, judged);
}

void fill_checks(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *evidence = evidence_of(in), *p;

	cJSON_ArrayForEach(p, ev_get(evidence, "profiles"))
	{
		const char *name = ev_text(p, "name"), *own = ev_text(p, "published_inputs");

		put_text(t, name);
		put_text(t, ev_text(p, "rule"));
		put_accepted(t, evidence, "buggy", "friendly", name);
		put_accepted(t, evidence, "buggy", own, name);
		put_accepted(t, evidence, "control", "friendly", name);
		put_accepted(t, evidence, "control", own, name);
	}
}

static void put_input(struct tabular *t, const cJSON *kernel, const cJSON *input)
{
	const cJSON *d, *a;

	cJSON_ArrayForEach(d, input) cJSON_ArrayForEach(a, ev_get(d, "accepted"))
	{
		put_text(t, ev_text(kernel, "name"));
		put_text(t, a->string);
		put_text(t, input->string);
		put_text(t, d->string);
		put_count(t, a->valuedouble);
		put_count(t, ev_number(d, "seeds"));
	}
}

void fill_bench(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *k, *input;

	cJSON_ArrayForEach(k, ev_get(evidence_of(in), "kernels"))
	        cJSON_ArrayForEach(input, ev_get(k, "bench")) put_input(t, k, input);
}

void fill_set_policies(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *s, *p;

	cJSON_ArrayForEach(s, ev_get(evidence_of(in), "summary"))
	        cJSON_ArrayForEach(p, ev_get(s, "policies"))
	{
		put_text(t, s->string);
		put_text(t, ev_text(p, "policy"));
		put_share(t, ev_number(p, "caught"), ev_number(p, "wrong_cases"));
		put_share(t, ev_number(p, "false_alarms"), ev_number(p, "control_cases"));
	}
}

void fill_nulls(struct tabular *t, const struct tabular_input *in)
{
	const cJSON *s, *n;

	cJSON_ArrayForEach(s, ev_get(evidence_of(in), "summary"))
	        cJSON_ArrayForEach(n, ev_get(s, "friendly_null_accepted"))
	{
		put_text(t, s->string);
		put_text(t, ev_text(n, "operator"));
		put_text(t, ev_text(n, "null"));
		put_text(t, ev_text(n, "case"));
	}
}
