/* chart_absent.c - charts whose studies have not been made: listed with the reason, never drawn
 * empty. The study that makes one's figures gives it a file of its own, with its drawing. */
#include "report/draw/chart_list.h"

static const char *no_mutation(const struct charts *in)
{
	(void)in;
	return "the mutation study has not been made";
}

const struct chart chart_mutation = {
        .name = "mutation",
        .title = "Mutants that survive, by class",
        .shows = "Of the mutants of each class the share that no oracle flags.",
        .width = CHART_COLUMN,
        .absent = no_mutation,
};
