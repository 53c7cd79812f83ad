/* chart_policies.c - recall and false alarms of tolerance policies on the same cases. */
#include <stdlib.h>

#include "report/draw/chart_list.h"
#include "report/draw/pairs.h"

static const cJSON *policies_of(const struct charts *in)
{
	return ev_get(in->src->file[SRC_CALIBRATION], "policies");
}

static const char *absent(const struct charts *in)
{
	if (!in->src->file[SRC_CALIBRATION])
		return source_missing(SRC_CALIBRATION);
	return cJSON_GetArraySize(policies_of(in)) > 0 ? NULL
	                                               : "the calibration figures have no policies";
}

static double height(struct canvas *c, const struct charts *in, double w)
{
	(void)w;
	return pairs_height(c, cJSON_GetArraySize(policies_of(in)));
}

static void draw(struct canvas *c, const struct charts *in, double w, double h)
{
	const cJSON *list = policies_of(in), *p;
	struct pair *pair = mem_zalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *pair);
	int n = 0;

	(void)h;
	/* the last is the tool's own; the others are what it is compared with */
	cJSON_ArrayForEach(p, list) pair[n++] =
	        (struct pair){ev_text(p, "policy"),         p->next == NULL,
	                      ev_number(p, "caught"),       ev_number(p, "wrong_cases"),
	                      ev_number(p, "false_alarms"), ev_number(p, "control_cases")};
	pairs_draw(c, pair, n, (struct pair_titles){"wrong cases caught", "good cases flagged"}, w);
	free(pair);
}

static void remarks(const struct charts *in, struct buf *out)
{
	const cJSON *list = policies_of(in), *p, *ours = NULL;

	cJSON_ArrayForEach(p, list) ours = p;
	if (ev_number(ours, "caught") == ev_number(ours, "wrong_cases"))
		buf_printf(out,
		           "That %s catches all is by construction: none of its tolerances exceeds "
		           "the bound that defines "
		           "“observably wrong”. What it could cost is false alarms; the other rows "
		           "show what tolerances of a fixed size "
		           "miss on the same cases.\n",
		           ev_text(ours, "policy"));
	else
		buf_printf(out, "%s misses %.15g of %.15g cases that are observably wrong.\n",
		           ev_text(ours, "policy"),
		           ev_number(ours, "wrong_cases") - ev_number(ours, "caught"),
		           ev_number(ours, "wrong_cases"));
	if (ev_number(ours, "false_alarms") > 0)
		buf_printf(out, "It flags %.15g cases of known-good kernels: false alarms.\n",
		           ev_number(ours, "false_alarms"));
}

const struct chart chart_policies = {
        .name = "policies",
        .title = "What tolerance policies catch, and how often they cry wolf",
        .shows = "The same cases judged by four tolerances: of the cases that are observably wrong "
                 "the share that is caught, and of those of known-good kernels the share that is "
                 "flagged. Bars: 95 % Clopper-Pearson intervals; open: none at all.",
        .width = CHART_COLUMN,
        .absent = absent,
        .height = height,
        .draw = draw,
        .remarks = remarks,
};
