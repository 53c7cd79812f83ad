/* shrink.c - makes a failing case small: sizes first (the largest gain for a reader), then layouts, options,
 * optional inputs, parameters, values, fill and seed, round and round until nothing helps. */
#include <stdio.h>
#include <string.h>

#include "cases/kernel.h"

struct shrinker {
	struct kase *c;
	const struct kernel *k;
	int tries;
	bool (*fails)(void *ctx, const struct kase *candidate);
	void *ctx;
};

/* Is the candidate inside the domain, and does it still fail? Then it becomes the case. */
static bool accept(struct shrinker *s, const struct kase *candidate)
{
	if (s->tries <= 0)
		return false;
	s->tries--;
	if (!s->fails(s->ctx, candidate))
		return false;
	*s->c = *candidate;
	return true;
}

/* Smaller values of one size, most daring first: the least, then by halving the gap, then one less. */
static bool shrink_dim(struct shrinker *s, int i)
{
	const struct op_dim *dim = &s->k->schema->dims[i];
	bool progress = false;

	for (int64_t lo = dim->lo > 0 ? dim->lo : 1; s->c->b.dims[i] > lo && s->tries > 0;) {
		int64_t v = s->c->b.dims[i], gap = v - lo;
		bool found = false;

		for (int64_t step = gap; step > 0 && !found && s->tries > 0; step /= 2) {
			struct kase t = *s->c;

			t.b.dims[i] = v - step;
			case_bend(s->k, &t, true);
			found = t.b.dims[i] < v && accept(s, &t);
		}
		if (!found)
			break;
		progress = true;
	}
	return progress;
}

static bool shrink_layouts(struct shrinker *s)
{
	bool progress = false;

	for (int t = 0; t < s->k->schema->ntensors; t++) {
		struct kase c = *s->c;

		if (strcmp(c.layout[t].name, "contiguous") == 0)
			continue;
		c.layout[t] = (struct layout_spec){.name = "contiguous"};
		if (accept(s, &c)) {
			progress = true;
		} else if (s->c->layout[t].arg > 1) {
			c = *s->c;
			c.layout[t].arg = 1;
			progress |= accept(s, &c);
		}
	}
	return progress;
}

static bool shrink_settings(struct shrinker *s)
{
	const struct op_schema *o = s->k->schema;
	bool progress = false;

	for (int i = 0; i < o->nparams; i++)
		if (s->c->b.param_set[i]) {
			struct kase c = *s->c;

			c.b.param_set[i] = false;
			c.b.params[i] = 0;
			progress |= accept(s, &c);
		}
	for (int i = 0; i < o->noptions; i++)
		if (s->c->b.options[i] && (s->k->option_mask[i] & 1)) {
			struct kase c = *s->c;

			c.b.options[i] = 0;
			progress |= accept(s, &c);
		}
	for (int t = 0; t < o->nin; t++)
		if (o->tensors[t].optional && s->c->b.present[t]) {
			struct kase c = *s->c;

			c.b.present[t] = false;
			progress |= accept(s, &c);
		}
	return progress;
}

static bool shrink_values(struct shrinker *s)
{
	static const struct value_spec simpler[] = {{.name = "ints", .nargs = 1, .args = {2}},
	                                            {.name = "normal"}};
	bool progress = false;

	for (int t = 0; t < s->k->schema->nin; t++)
		for (size_t v = 0; v < ARRAY_LEN(simpler); v++) {
			struct kase c = *s->c;

			if (memcmp(&c.values[t], &simpler[v], sizeof simpler[v]) == 0)
				break; /* already as simple as this */
			c.values[t] = simpler[v];
			if (accept(s, &c)) {
				progress = true;
				break;
			}
		}
	return progress;
}

static bool shrink_bytes(struct shrinker *s)
{
	struct kase c = *s->c;
	bool progress = false;

	if (c.fill != 0) {
		c.fill = 0;
		progress |= accept(s, &c);
	}
	c = *s->c;
	if (c.seed > 1) {
		c.seed = 1;
		progress |= accept(s, &c);
	}
	return progress;
}

void case_shrink(struct kase *c, const struct kernel *k, int tries,
                 bool (*fails)(void *ctx, const struct kase *candidate), void *ctx)
{
	struct shrinker s = {c, k, tries, fails, ctx};
	bool progress;

	do {
		progress = false;
		for (int i = 0; i < k->schema->ndims; i++)
			if (!k->schema->dims[i].derived)
				progress |= shrink_dim(&s, i);
		progress |= shrink_layouts(&s);
		progress |= shrink_settings(&s);
		progress |= shrink_values(&s);
		progress |= shrink_bytes(&s);
	} while (progress && s.tries > 0);
}
