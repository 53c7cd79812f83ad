/* cells.c - see cells.h. */
#include <stdio.h>
#include <string.h>

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

static bool is_named(const struct tolerance_cell *k, const char *name)
{
	char whole[300], brief[300];

	cell_label(k, true, whole);
	cell_label(k, false, brief);
	return !name || strcmp(name, whole) == 0 || strcmp(name, brief) == 0;
}

int cell_chosen(const struct charts *in)
{
	const struct tolerance_table *t = in->table[0];
	int first = -1;

	for (size_t i = 0; t && i < t->n; i++) {
		size_t n;

		if (!is_named(&t->cell[i], in->cell))
			continue;
		charts_runs(in, (int)i, &n);
		if (n && t->cell[i].fit.state == FIT_ENVELOPE)
			return (int)i;
		first = n && first < 0 ? (int)i : first;
	}
	return first;
}
