/* cells.c - see cells.h. */
#include <stdio.h>

#include "report/draw/cells.h"

void cell_label(const struct tolerance_cell *k, bool whole, char out[300])
{
	if (whole)
		snprintf(out, 300, "%.63s/%.63s %.127s %.15s", k->op, k->types, k->family,
		         k->group);
	else
		snprintf(out, 300, "%.63s/%.63s", k->op, k->types);
}

double cell_limit_at_end(const struct tolerance_cell *k)
{
	return cell_fit_limit(&k->fit, k->fit.chain_hi, k->fit.elements_hi, NULL) -
	       k->fit.options.narrow;
}

double cell_bound_at_end(const struct tolerance_cell *k)
{
	return fit_bound(&k->fit.options, k->fit.chain_hi);
}

const char *cells_absent(const struct charts *in)
{
	if (!in->table[0])
		return source_missing(SRC_TABLE);
	for (size_t i = 0; i < in->table[0]->n; i++)
		if (in->table[0]->cell[i].fit.state == FIT_ENVELOPE)
			return NULL;
	return "no cell of the tolerance table has an envelope";
}
