/* eval.h - the enclosure evaluator: an instance of an operator as a graph of nodes, each evaluated
 * a chunk at a time.
 *
 * One index at a time is the vector index: it stands for the range base..base+n-1, and a node in
 * which it is free has n values; all others have one. A node remembers when it was evaluated and is
 * evaluated again only when one of its free indices has moved since, which hoists what does not
 * depend on the inner loops. Lets are stored: a slab holds the elements for one setting of the
 * let's leading indices (those that every reader passes its own leading loop indices for), so that
 * a row's intermediates stay in cache. */
#ifndef ORACLES_EVAL_H
#define ORACLES_EVAL_H

#include "oracles/eval_fix.h"
#include "oracles/eval_loops.h"
#include "oracles/lang.h"

#define EVAL_CHUNK 256
/* Doubles that all slabs of an evaluation may take together. */
#define EVAL_MAX_SLABS ((int64_t)1 << 28)

/* Terms that eval_reduce.c may add up lane by lane (its error bound). */
#define EVAL_MAX_ACROSS ((int64_t)1 << 26)

enum tri { TRI_FALSE, TRI_TRUE, TRI_UNKNOWN }; /* a boolean of a value that is not known */

struct enode {
	const struct lang_node *n, *key;
	enum node_kind kind;
	enum lang_type type;
	enum lang_fn fn;
	uint64_t free;
	int nargs;
	struct enode **arg;
	bool nonneg; /* the exact value is never negative */

	/* The current value. Reals: c, whose r and s are eval.zeros where they are known to be 0;
	 * integers and booleans (enum tri): i. */
	struct chunk c;
	struct chunk dst; /* where to put its arrays; NULL: into own storage */
	int64_t *i;
	double *rho, *rho_own; /* relative scale of a weight, where a ratio asked for it */
	bool odd;              /* some element is not ordinary */
	int lanes, filled;
	uint64_t stamp, mask_id;
	double *own;            /* 3·EVAL_CHUNK doubles */
	int64_t *select;        /* N_IF, guards: a mask */
	struct escan *scan;     /* N_REDUCE: eval_reduce.c's running sum */
	int red_vec, red_inner; /* N_REDUCE: what eval_reduce.c decided for this vector index */
	bool red_across;

	struct elet *let;
	struct eratio *ratio;
	struct edot *dot;
	struct eaxpy *axpy;
	struct etable *table;
	int axpy_vec;      /* the vector index that axpy is for; -2: not looked at */
	double value, rad; /* constants */
};

/* A let: stored by slabs. */
struct elet {
	const struct lang_def *def;
	struct enode *body;
	int prefix;        /* leading indices that a slab is for */
	int shared_prefix; /* the least prefix of the definitions that read it */
	int64_t key[LANG_MAX_RANK];
	int64_t size; /* elements of a slab */
	bool valid, odd;
	double *v, *r, *s, *rho; /* rho: NULL unless want_rho */
	int64_t *i;
	bool want_rho;
	double narrow,
	        narrow_floor; /* a low let in a narrower type: u_T/u, half its least ulp over u */
	int vec;              /* the index its body is vectorised over, or -1 */
};

/* What a quotient needs for the ratio rule (scale_ratio.c). */
struct eratio {
	bool unit;                   /* softmax: arg[0] is the weight itself */
	struct enode *w, *v, *guard; /* in the reduction's indices; unit: w of the sum */
	struct enode *wsum;          /* the denominator */
	int nidx;
	int idx[LANG_MAX_RANK]; /* of the reduction; unit: idx[1] is the numerator's */
	/* unit: what one row needs */
	uint64_t stamp;
	bool usable;
	struct scale_unit row;
	double *ga, *gb; /* of every term */
	int64_t terms;
};

struct evar {
	int64_t at;     /* value, or base when it is the vector index */
	uint64_t stamp; /* when it last moved */
};

struct eval {
	const struct op_inst *inst;
	const struct op *op;
	const struct tensor *const *in, *const *actual;
	const struct numerics *num;
	struct scale k;
	bool scaling;
	double lim; /* beyond it an element is not ordinary */
	double narrow[OP_MAX_TENSORS], narrow_floor[OP_MAX_TENSORS];
	struct arena *arena;
	struct err *e;

	struct evar var[LANG_MAX_INDICES];
	int vec; /* the vector index, or -1 */
	int n;   /* its lanes */
	uint64_t clock;
	const int64_t *mask; /* lanes that count, or NULL: all */
	uint64_t mask_id, masks;

	const struct eval_loops *loops;
	struct elet lets[LANG_MAX_LETS];
	int64_t slab_doubles;
	int64_t blas_fallbacks;
	struct edot *dots;
	struct eaxpy *axpys;
	struct etable *tables;
	double *zeros;       /* EVAL_CHUNK of them */
	struct enode **memo; /* nodes made so far, a hash table by enode->key */
	size_t nmemo;
};

/* eval_build.c: the graph of an expression, the constants computed. */
MUST_USE enum st eval_build(struct eval *x, const struct lang_node *n, struct enode **out);
/* eval_plan.c: builds the bodies of the lets that the output's graph uses, and decides their
 * prefixes and the index each definition is vectorised over (*vec for the output, -1: none). */
MUST_USE enum st eval_plan(struct eval *x, const struct lang_def *out, struct enode *body,
                           int *vec);
/* May a sum be made lane by lane of the vector index (true), or each of its values by itself? */
bool eval_across(const struct eval *x, const struct enode *e, int vec);
/* The index of a reduction that its values by themselves are vectorised over, or -1. */
int eval_inner(const struct eval *x, const struct enode *e);

/* eval_node.c */
MUST_USE enum st eval_node(struct eval *x, struct enode *e);
/* The current value of an evaluated node as a chunk of lanes elements, a single value repeated. */
struct chunk eval_chunk(struct eval *x, struct enode *e, int lanes);
const int64_t *eval_ints(struct enode *e, int lanes);
/* Evaluates under a mask (0/1 a lane). */
MUST_USE enum st eval_masked(struct eval *x, struct enode *e, const int64_t *mask);
static inline int eval_lanes(const struct eval *x, const struct enode *e)
{
	return x->vec >= 0 && e->free >> x->vec & 1 ? x->n : 1;
}
static inline void eval_set(struct eval *x, int index, int64_t at)
{
	x->var[index].at = at;
	x->var[index].stamp = ++x->clock;
}
/* Has any of the indices (a mask) moved since? */
static inline bool eval_moved(const struct eval *x, uint64_t indices, uint64_t stamp)
{
	for (; indices; indices &= indices - 1)
		if (x->var[__builtin_ctzll(indices)].stamp > stamp)
			return true;
	return false;
}
static inline struct elem eval_elem(const struct chunk *c, int64_t i)
{
	return (struct elem){c->v[i], c->r[i], c->s[i]};
}

/* Where loops over several indices stand; false when the last combination is done. */
bool eval_step(struct eval *x, const int *idx, int nidx);
bool eval_start(struct eval *x, const int *idx, int nidx);

MUST_USE enum st eval_read(struct eval *x, struct enode *e); /* eval_read.c: N_READ, N_ACTUAL */
MUST_USE enum st eval_let(struct eval *x, struct enode *e);  /* eval_let.c */
void eval_let_free(struct elet *let);
MUST_USE enum st eval_reduce(struct eval *x, struct enode *e); /* eval_reduce.c */
MUST_USE enum st eval_fn(struct eval *x, struct enode *e);     /* eval_fn.c */
MUST_USE enum st eval_ratio(struct eval *x, struct enode *e);  /* scale_ratio.c: S of a quotient */
/* scale_ratio.c: the relative scales of evaluated weights. */
void eval_relative(struct eval *x, struct enode *w, int n, double *rho);

/* contraction.c: marks the sums of products below an output that dgemm can do; one of their values,
 * from a block of them. *served: false when eval_reduce.c has to do it. */
void eval_dots(struct eval *x, const struct lang_def *out, struct enode *body);
void eval_dots_free(struct eval *x);
MUST_USE enum st eval_dot(struct eval *x, struct enode *e, bool *served);

/* eval_axpy.c: a sum of numbers times runs of an input, added to the zeroed acc. */
MUST_USE enum st eval_axpy(struct eval *x, struct enode *e, struct chunk_acc acc, int64_t *count,
                           bool *served);
/* The runs, one after the other, when those of the current indices are kept and plain; else NULL.
 */
const double *eval_axpy_rows(const struct eval *x, const struct enode *e);
void eval_axpys_free(struct eval *x);

/* eval_table.c: gives tables to the reductions below e, the body of def, that its loops would
 * repeat; a value from the table (false: not there); puts one in. */
void eval_tables(struct eval *x, const struct lang_def *def, struct enode *e, int from, int vec);
bool eval_table_get(struct eval *x, struct enode *e);
void eval_table_put(struct eval *x, const struct enode *e);
void eval_tables_free(struct eval *x);

/* eval_let.c: evaluates a definition over the box of its indices from number `from` on, row-major,
 * into v, r, s or i, and calls `done` after each chunk. */
struct eval_box {
	double *v, *r, *s, *rho;
	int64_t *i;
	bool odd;
};
typedef void eval_done(void *ctx, int64_t first, int n, bool odd);
MUST_USE enum st eval_fill(struct eval *x, const struct lang_def *def, struct enode *body, int from,
                           int vec, struct eval_box *box, eval_done *done, void *ctx);

#endif
