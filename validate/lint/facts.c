/* facts.c - launches for the witness engine: from a manifest, or from an option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/lint/fn.h"

#define MAX_WORK 200000            /* of a case: estimated lane instructions */
#define MAX_BYTES ((size_t)64 << 20)
#define CASES 12                   /* of the campaign's generator */
#define LONG_SIZE ((INT64_C(1) << 31) + 8) /* elements: beyond a 32-bit signed index */
#define SQUARE_SIZE INT64_C(50021) /* prime; its square is beyond it, too, and fits a GPU's memory */
#define LOOP_SIZE INT64_C(2053)    /* prime; a thread's loop over it is followed to its end, and beside it 65535 blocks of 16 are beyond 2^31 */
#define MAX_HUGE ((uint64_t)1 << 38)

struct facts {
	const struct kernel *k;
	const char *entry;
	void (*fn)(void *ctx, const struct witness_launch *l);
	void *ctx;
	int n;
	bool cut;   /* a thread of a launch was not followed to its end */
	bool brief; /* a thread or two of the launches to come are enough */
};

static void fill_argument(struct witness_arg *w, const struct run_arg *a)
{
	*w = (struct witness_arg){.pointer = a->buffer >= 0, .buffer = a->buffer, .bytes = a->bytes};
	if (a->buffer >= 0)
		w->value = a->byte_offset;
	else
		memcpy(&w->value, a->value, a->bytes < 8 ? a->bytes : 8);
}

/* An absent tensor is a null pointer: 0. */
static void give_launch(struct facts *f, const struct run_plan *p, const struct run_launch *r, const char *text, bool huge)
{
	struct witness_launch w = {.text = text, .shared = r->shared, .huge = huge, .cut = &f->cut, .brief = f->brief};

	if (r->nargs > (int)ARRAY_LEN(w.arg) || p->nbuffers > (int)ARRAY_LEN(w.buffer))
		return;
	memcpy(w.grid, r->grid, sizeof w.grid);
	memcpy(w.block, r->block, sizeof w.block);
	for (int i = 0; i < r->nargs; i++)
		fill_argument(&w.arg[w.nargs++], &r->args[i]);
	for (int i = 0; i < p->nbuffers; i++) {
		const struct run_buffer *b = &p->buffers[i];

		w.buffer[w.nbuffers++] = (struct witness_buffer){b->name, b->bytes, b->valid, dtype_bytes(b->dt), b->role != RUN_IN};
	}
	f->fn(f->ctx, &w);
	f->n++;
}

static uint64_t total(const struct run_plan *p)
{
	uint64_t n = 0;

	for (int i = 0; i < p->nbuffers; i++)
		n += p->buffers[i].bytes;
	return n;
}

static void give_case(struct facts *f, const struct kase *c, bool huge)
{
	struct case_run *run = NULL;
	struct err ignore = {0};
	char *text;
	enum st rc = huge ? case_plan(c, f->k, &run, &ignore) : case_make(c, f->k, MAX_BYTES, &run, &ignore);

	if (rc != ST_OK)
		return; /* outside the kernel's domain */
	text = case_print(c);
	for (int l = 0; l < run->plan.nlaunches && (!huge || total(&run->plan) < MAX_HUGE); l++)
		if (strcmp(run->plan.launches[l].entry, f->entry) == 0)
			give_launch(f, &run->plan, &run->plan.launches[l], text, huge);
	free(text);
	case_run_free(run);
}

static bool free_dim(const struct op_schema *o, int d)
{
	return !o->dims[d].derived && o->dims[d].nvalues == 0;
}

static int64_t within(const struct op_dim *d, int64_t v)
{
	return v < d->lo ? d->lo : v > d->hi ? d->hi : v;
}

/* Elements of the largest tensor with these sizes, 0: the operator does not allow them. */
static double elements(const struct kase *c)
{
	struct op_inst *inst = NULL;
	struct err ignore = {0};
	double most = 0;

	if (op_bind(c->op, &c->b, &inst, &ignore) != ST_OK)
		return 0;
	for (int t = 0; t < op_schema(c->op)->ntensors; t++) {
		struct tensor x = op_inst_tensor(inst, t);
		double n = 1;

		for (int d = 0; d < x.rank; d++)
			n *= (double)x.dim[d];
		most = n > most ? n : most;
	}
	op_inst_free(inst);
	return most;
}

/* Does the kernel take the case, the grid it wants can be launched, and its tensors fit? */
static bool takes(const struct facts *f, const struct kase *c)
{
	struct case_run *run = NULL;
	struct err ignore = {0};
	bool ok;

	if (case_plan(c, f->k, &run, &ignore) != ST_OK)
		return false;
	ok = total(&run->plan) < MAX_HUGE;
	for (int l = 0; l < run->plan.nlaunches; l++) {
		const uint32_t *g = run->plan.launches[l].grid;

		ok &= g[0] <= INT32_MAX && g[1] <= 65535 && g[2] <= 65535;
	}
	case_run_free(run);
	return ok;
}

/* The largest size d that the kernel takes with the others as they are, found bit by bit: exact where it takes every smaller one, or every smaller
 * multiple of a power of two. */
static int64_t limit(const struct facts *f, const struct kase *base, int d)
{
	const struct op_dim *dim = &op_schema(base->op)->dims[d];
	struct kase c = *base;
	int64_t most = 0;

	for (int bit = 33; bit >= 0; bit--) {
		c.b.dims[d] = most | (INT64_C(1) << bit);
		if (c.b.dims[d] <= dim->hi && takes(f, &c))
			most = c.b.dims[d];
	}
	return most > base->b.dims[d] ? most : base->b.dims[d];
}

/* n sizes alike, the least multiple of `step`, each up to its limit, for which some tensor has more elements than `most`; false: there is none. */
static bool grow(struct kase *c, const int *d, int n, const int64_t *limits, int64_t step, double most)
{
	int64_t lo = 0, hi = (2 * LONG_SIZE) / step; /* in steps: too small, large enough */

	while (hi - lo > 0) {
		int64_t mid = lo + (hi - lo) / 2;

		for (int k = 0; k < n; k++)
			c->b.dims[d[k]] = within(&op_schema(c->op)->dims[d[k]], mid * step < limits[d[k]] ? mid * step : limits[d[k]]);
		if (elements(c) > most)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (int k = 0; k < n; k++)
		c->b.dims[d[k]] = within(&op_schema(c->op)->dims[d[k]], hi * step < limits[d[k]] ? hi * step : limits[d[k]]);
	return elements(c) > most;
}

/* Gives the case in which n sizes have grown until a tensor's elements exceed what 32 bits index, without a sign if that can be. Returns whether
 * there is one. */
static bool give_grown(struct facts *f, const struct kase *base, const int *d, int n, const int64_t *limits)
{
	static const struct { double most; int64_t step; } tries[] = {{0x1p32, 64}, {0x1p32, 1}, {0x1p31, 64}, {0x1p31, 1}};

	for (size_t t = 0; t < ARRAY_LEN(tries); t++) {
		struct kase c = *base;

		if (grow(&c, d, n, limits, tries[t].step, tries[t].most) && takes(f, &c)) {
			give_case(f, &c, true);
			return true;
		}
	}
	return false;
}

/* Sizes i and j beside small ones: their own product exceeds 2^31. */
static void give_product(struct facts *f, const struct kase *base, int i, int j)
{
	const struct op_schema *o = op_schema(base->op);
	struct kase c = *base;

	for (int d = 0; d < o->ndims; d++)
		if (free_dim(o, d))
			c.b.dims[d] = within(&o->dims[d], 2);
	c.b.dims[i] = within(&o->dims[i], i == j ? LONG_SIZE : SQUARE_SIZE);
	c.b.dims[j] = within(&o->dims[j], i == j ? LONG_SIZE : SQUARE_SIZE);
	give_case(f, &c, true);
}

/* Size i beside a moderate size j: a loop over that is followed to its end. */
static void give_skewed(struct facts *f, const struct kase *base, int i, int j, const int64_t *limits)
{
	struct kase c = *base;

	c.b.dims[j] = within(&op_schema(base->op)->dims[j], limits[j] < LOOP_SIZE ? limits[j] : LOOP_SIZE);
	f->brief = true;
	give_grown(f, &c, &i, 1, limits);
	f->brief = false;
}

/* Sizes beyond 32-bit indices: each, each pair, and three where two are not enough, as far as the kernel takes them (`requires`, the grid), with the
 * others as in the base; those that are not enough so also with the others small. */
static void give_huge(struct facts *f, const struct kase *base)
{
	const struct op_schema *o = op_schema(base->op);
	struct kase c = *base;
	int64_t limits[OP_MAX_DIMS];
	int free_dims[OP_MAX_DIMS], n = 0;

	for (int t = 0; t < o->ntensors; t++)
		snprintf(c.layout[t].name, sizeof c.layout[t].name, "contiguous");
	for (int d = 0; d < o->ndims; d++)
		if (free_dim(o, d)) {
			free_dims[n++] = d;
			limits[d] = limit(f, &c, d);
		}
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++) {
			int d[3] = {free_dims[i], free_dims[j], 0};
			bool enough;

			f->cut = false;
			enough = give_grown(f, &c, d, i == j ? 1 : 2, limits);
			if (!enough)
				give_product(f, &c, d[0], d[1]);
			if (f->cut && i < j) {
				give_skewed(f, &c, d[0], d[1], limits);
				give_skewed(f, &c, d[1], d[0], limits);
			}
			for (int k = j + 1; k < n && i < j && !enough; k++) {
				d[2] = free_dims[k];
				give_grown(f, &c, d, 3, limits);
			}
		}
}

bool facts_case(const struct kernel *k, int d, uint64_t i, struct kase *c)
{
	struct case_hints hints = {.max_work = MAX_WORK};
	struct err ignore = {0};

	return case_generate(k, d, STRATEGY_OURS, 1, i, &hints, NULL, 0, c, &ignore) == ST_OK;
}

static void give_dtype(struct facts *f, int d)
{
	for (uint64_t i = 0; i < CASES; i++) {
		struct kase c;

		if (!facts_case(f->k, d, i, &c))
			continue;
		give_case(f, &c, false);
		if (i == 0)
			give_huge(f, &c);
	}
}

int facts_launches(const struct kernel *k, const char *entry, void (*fn)(void *ctx, const struct witness_launch *l), void *ctx)
{
	struct facts f = {.k = k, .entry = entry, .fn = fn, .ctx = ctx};
	enum dtype types[OP_MAX_TYPES];
	int nd = kernel_dtypes(k, -1, types);

	for (int d = 0; d < nd; d++)
		for (int l = 0; l < kernel_launches(k); l++)
			if (strcmp(kernel_entry(k, d, l), entry) == 0) {
				give_dtype(&f, d);
				break;
			}
	return f.n;
}

/* ---- by hand ---- */

static enum st parse_three(const char **s, uint32_t out[3], struct err *e)
{
	out[1] = out[2] = 1;
	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long v = strtoul(*s, &end, 10);

		if (end == *s || v == 0 || v > UINT32_MAX)
			return FAIL(e, INPUT, "--launch: a size of at least 1 is wanted at '%.20s'", *s);
		out[i] = (uint32_t)v;
		*s = end;
		if (**s != ',')
			break;
		(*s)++;
	}
	return ST_OK;
}

static enum st parse_argument(const char **s, struct witness_launch *l, struct err *e)
{
	static const struct { const char *name; uint32_t bytes; } kinds[] = {
		{"ptr:", 0}, {"in:", 0}, {"i32:", 4}, {"u32:", 4}, {"i64:", 8}, {"u64:", 8}, {"f32:", 4}};
	static const char *const names[] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9", "arg10", "arg11", "arg12", "arg13",
		"arg14", "arg15", "arg16", "arg17", "arg18", "arg19", "arg20", "arg21", "arg22", "arg23", "arg24", "arg25", "arg26",
		"arg27", "arg28", "arg29", "arg30", "arg31"};
	struct witness_arg *a = &l->arg[l->nargs];
	char *end;

	if (l->nargs == (int)ARRAY_LEN(names))
		return FAIL(e, LIMIT, "--launch: more than %zu arguments", ARRAY_LEN(names));
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		size_t n = strlen(kinds[k].name);

		if (strncmp(*s, kinds[k].name, n) != 0)
			continue;
		a->value = (uint64_t)strtoll(*s + n, &end, 0);
		if (end == *s + n)
			break;
		*s = end;
		a->bytes = kinds[k].bytes ? kinds[k].bytes : 8;
		a->buffer = -1;
		if (kinds[k].bytes == 0) {
			l->buffer[l->nbuffers] = (struct witness_buffer){names[l->nargs], a->value, NULL, 1, kinds[k].name[0] == 'p'};
			a->pointer = true;
			a->value = 0;
			a->buffer = l->nbuffers++;
		}
		l->nargs++;
		return ST_OK;
	}
	return FAIL(e, INPUT, "--launch: an argument is ptr:BYTES, in:BYTES, i32:N, u32:N, i64:N, u64:N or f32:BITS, not '%.20s'", *s);
}

enum st facts_parse(const char *text, struct witness_launch *l, struct err *e)
{
	const char *s = text;

	*l = (struct witness_launch){.text = text, .grid = {1, 1, 1}, .block = {1, 1, 1}};
	while (*s) {
		uint32_t shared[3];

		if (strncmp(s, "grid=", 5) == 0) {
			s += 5;
			TRY(parse_three(&s, l->grid, e));
		} else if (strncmp(s, "block=", 6) == 0) {
			s += 6;
			TRY(parse_three(&s, l->block, e));
		} else if (strncmp(s, "shared=", 7) == 0) {
			s += 7;
			TRY(parse_three(&s, shared, e));
			l->shared = shared[0];
		} else if (strncmp(s, "args=", 5) == 0) {
			s += 5;
			do {
				TRY(parse_argument(&s, l, e));
			} while (*s == ',' && *s++);
		} else if (*s != ' ') {
			return FAIL(e, INPUT, "--launch: grid=, block=, shared= or args= is wanted at '%.20s'", s);
		}
		s += strspn(s, " ");
	}
	if ((uint64_t)l->block[0] * l->block[1] * l->block[2] > 1024)
		return FAIL(e, INPUT, "--launch: a block has at most 1024 threads");
	return ST_OK;
}
