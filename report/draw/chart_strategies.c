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
};
