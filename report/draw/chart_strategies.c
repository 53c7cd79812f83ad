/* chart_strategies.c - what each strategy of choosing cases finds in the corpus. */
#include <stdlib.h>
#include <string.h>

#include "report/draw/chart_list.h"
#include "report/draw/pairs.h"

static const cJSON *strategies_of(const struct charts *in)
{
	return ev_get(in->src->file[SRC_STRATEGIES], "strategies");
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_STRATEGIES])
		return source_missing(SRC_STRATEGIES);
	return cJSON_GetArraySize(strategies_of(in)) > 0 ? NULL
	                                                 : "the figures of strategies have none";
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	(void)w;
	return pairs_height(c, cJSON_GetArraySize(strategies_of(in)));
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	const cJSON *list = strategies_of(in), *p;
	struct pair *pair = mem_zalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *pair);
	int n = 0;

	(void)h;
	cJSON_ArrayForEach(p, list)
	{
		const char *name = ev_text(p, "strategy");

		pair[n++] = (struct pair){name,
		                          strcmp(name, "ours") == 0,
		                          ev_number(p, "buggy_units_failing"),
		                          ev_number(p, "buggy_units"),
		                          ev_number(p, "control_cases_failing"),
		                          ev_number(p, "control_cases")};
	}
	pairs_draw(c, pair, n, (struct pair_titles){"buggy caught", "good cases flagged"}, w);
	free(pair);
}

static double share(const cJSON *s)
{
	double of = ev_number(s, "buggy_units");

	return of > 0 ? ev_number(s, "buggy_units_failing") / of : 0;
}

/* Whether the figures set the tool's own strategy apart, and what none of them finds. */
static void remarks(const struct charts *in, struct buf *out)
{
	const cJSON *list = strategies_of(in), *s, *ours = NULL, *m;
	struct buf equal = {0};

	cJSON_ArrayForEach(s, list) if (strcmp(ev_text(s, "strategy"), "ours") == 0) ours = s;
	if (!ours)
		return;
	cJSON_ArrayForEach(s, list) if (s != ours && share(s) >= share(ours))
	        buf_printf(&equal, "%s%s", equal.len ? ", " : "", ev_text(s, "strategy"));
	if (equal.len)
		buf_printf(out,
		           "%s find%s as many as ours or more: this corpus does not tell the "
		           "strategies apart there.\n",
		           equal.s, strchr(equal.s, ',') ? "" : "s");
	cJSON_ArrayForEach(m, ev_get(ours, "missed")) if (cJSON_IsString(m))
	        buf_printf(out, "Ours misses %s.\n", m->valuestring);
	cJSON_ArrayForEach(s,
	                   list) if (ev_number(s, "buggy_units") < ev_number(ours, "buggy_units"))
	        buf_printf(out,
	                   "%s ran %.15g kernels in their element types where ours ran %.15g: its "
	                   "intervals are wider.\n",
	                   ev_text(s, "strategy"), ev_number(s, "buggy_units"),
	                   ev_number(ours, "buggy_units"));
	buf_free(&equal);
}

const struct chart chart_strategies = {
        .name = "strategies",
        .title = "What a strategy of choosing cases finds",
        .shows = "Of the buggy kernels in each of their element types the share that a campaign of "
                 "equal size "
                 "rejects under each strategy, all judged by the same oracle, and of the cases of "
                 "controls the share that is flagged. Bars: 95 % Clopper-Pearson intervals; open: "
                 "none "
                 "at all.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};
