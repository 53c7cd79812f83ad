/* work.c - how many scalar terms one evaluation of an instance takes; sizes cases and campaigns. */
#include "oracles/lang.h"

static double extents(const struct op_inst *in, uint64_t indices)
{
	double n = 1;

	for (int i = 0; i < in->op->nindices; i++)
		if (indices >> i & 1)
			n *= (double)in->extent[i];
	return n;
}

/* Terms of the reductions in a tree. A reduction is done once for every value of its free indices; a
 * scan reuses its running value, so the index it runs to costs nothing more. */
static double tree_work(const struct op_inst *in, const struct lang_node *n)
{
	double work = 0;

	if (n->kind == N_REDUCE) {
		uint64_t own = 0, free = n->free;

		for (int i = 0; i < n->nidx; i++)
			own |= (uint64_t)1 << n->idx[i]->number;
		if (n->scan)
			free &= ~((uint64_t)1 << n->scan_to->number);
		work = extents(in, own | free);
	}
	for (int i = 0; i < n->nargs; i++)
		work += tree_work(in, n->arg[i]);
	return work;
}

static double def_work(const struct op_inst *in, const struct lang_def *d)
{
	double n = 1;

	for (int i = 0; i < d->rank; i++)
		n *= (double)in->extent[d->idx[i]->number];
	return n + tree_work(in, d->body);
}

double op_inst_work(const struct op_inst *in)
{
	double work = 0;

	for (int i = 0; i < in->op->nlets; i++)
		work += def_work(in, in->op->lets[i]);
	for (int i = 0; i < in->op->nouts; i++)
		work += def_work(in, in->op->outs[i]);
	return work;
}
