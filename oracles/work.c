/* work.c - how much one evaluation takes, and which sizes its reductions run over: for choosing cases. */
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

static bool tree_reduces(const struct lang_node *n, int dim)
{
	for (int i = 0; n->kind == N_REDUCE && i < n->nidx; i++)
		if (n->idx[i]->extent->kind == N_DIM && n->idx[i]->extent->k == dim)
			return true;
	for (int i = 0; i < n->nargs; i++)
		if (tree_reduces(n->arg[i], dim))
			return true;
	return false;
}

bool op_dim_reduced(const struct op *op, int dim)
{
	for (int i = 0; i < op->nlets; i++)
		if (tree_reduces(op->lets[i]->body, dim))
			return true;
	for (int i = 0; i < op->nouts; i++)
		if (tree_reduces(op->outs[i]->body, dim))
			return true;
	return false;
}

bool op_axis_reduced(const struct op *op, int tensor)
{
	const struct lang_tensor *t = &op->tensor[tensor];

	return t->rank > 0 && t->axis[0]->kind == N_DIM && op_dim_reduced(op, t->axis[0]->k);
}

bool op_reduces(const struct op *op)
{
	for (int d = 0; d < op_schema(op)->ndims; d++)
		if (op_dim_reduced(op, d))
			return true;
	return false;
}

static double tree_chain(const struct op_inst *in, const struct lang_node *n)
{
	double longest = 1;

	if (n->kind == N_REDUCE) {
		uint64_t own = 0;

		for (int i = 0; i < n->nidx; i++)
			own |= (uint64_t)1 << n->idx[i]->number;
		longest = extents(in, own);
	}
	for (int i = 0; i < n->nargs; i++) {
		double l = tree_chain(in, n->arg[i]);

		longest = l > longest ? l : longest;
	}
	return longest;
}

double op_inst_chain(const struct op_inst *in)
{
	double longest = 1;

	for (int i = 0; i < in->op->nlets + in->op->nouts; i++) {
		const struct lang_def *d = i < in->op->nlets ? in->op->lets[i] : in->op->outs[i - in->op->nlets];
		double l = tree_chain(in, d->body);

		longest = l > longest ? l : longest;
	}
	return longest;
}
