/* chart_absent.c - charts whose studies have not been made: listed with the reason, never drawn
 * empty. The study that makes one's figures gives it a file of its own, with its drawing. */
#include "report/draw/chart_list.h"

static const char *no_coverage(const struct charts *in)
{
	(void)in;
	return "the study of coverage has not been made: evidence has the lines that the whole "
	       "campaign ran, not those of one shape alone";
}

static const char *no_mutation(const struct charts *in)
{
	(void)in;
	return "the mutation study has not been made";
}

const struct chart chart_coverage = {
        .name = "coverage",
        .title = "Lines with the bug that are run: one shape against the campaign",
        .shows = "Of every buggy kernel the share of the wrong lines that one shape runs, and that "
                 "the campaign "
                 "runs.",
        .width = CHART_COLUMN,
        .absent = no_coverage,
};

const struct chart chart_mutation = {
        .name = "mutation",
        .title = "Mutants that survive, by class",
        .shows = "Of the mutants of each class the share that no oracle flags.",
        .width = CHART_COLUMN,
        .absent = no_mutation,
};
