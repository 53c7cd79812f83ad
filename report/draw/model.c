/* model.c - evidence arranged for drawing: see model.h. */
#include <stdlib.h>
#include <string.h>

#include "report/draw/model.h"

static enum group group_of(const cJSON *kernel)
{
	const char *role = ev_text(kernel, "role");

	return strcmp(role, "buggy") == 0     ? GROUP_BUGGY
	       : strcmp(role, "control") == 0 ? GROUP_CONTROL
	                                      : GROUP_USER;
}

static void add_rows(struct model *m, enum group g)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, ev_get(m->evidence, "kernels"))
	{
		if (group_of(k) != g)
			continue;
		m->rows[m->nrows++] = (struct row){k, ev_text(k, "name"), g, ev_totals(k)};
		m->size[g]++;
	}
}

static void add_profiles(struct model *m)
{
	const cJSON *p;

	cJSON_ArrayForEach(p,
	                   ev_get(m->evidence, "profiles")) if (m->nprofiles < MODEL_MAX_PROFILES)
	        m->profiles[m->nprofiles++] =
	        (struct profile_column){ev_check_title(ev_text(p, "name")), ev_text(p, "name"),
	                                ev_text(p, "published_inputs")};
	else m->hidden_profiles++;
}

static void add_dtype(struct model *m, const char *name)
{
	for (int i = 0; i < m->ndtypes; i++)
		if (strcmp(m->dtypes[i], name) == 0)
			return;
	if (m->ndtypes < MODEL_MAX_DTYPES)
		m->dtypes[m->ndtypes++] = name;
	else
		m->hidden_dtypes++;
}

static void add_dtypes(struct model *m)
{
	const cJSON *d;

	for (int i = 0; i < m->nrows; i++)
		cJSON_ArrayForEach(d, ev_get(m->rows[i].kernel, "dtypes"))
		        add_dtype(m, ev_text(d, "dtype"));
}

void model_clear(struct model *m)
{
	free(m->rows);
	*m = (struct model){0};
}

static enum sense sense_of(enum group g, enum mark mark)
{
	bool accepts = mark == MARK_ACCEPT;

	if (mark != MARK_ACCEPT && mark != MARK_SOME && mark != MARK_REJECT)
		return SENSE_NONE;
	if (g == GROUP_USER)
		return SENSE_OPEN;
	return accepts == (g == GROUP_CONTROL) ? SENSE_RIGHT : SENSE_WRONG;
}

struct cell model_bench(const struct model *m, const struct row *r, enum input input, int profile)
{
	const struct profile_column *p = &m->profiles[profile];
	enum mark mark = MARK_NONE;
	int accepted, seeds;

	if (ev_bench(r->kernel, input == INPUT_FRIENDLY ? "friendly" : p->own, "f32", p->name,
	             &accepted, &seeds))
		mark = accepted >= seeds ? MARK_ACCEPT : accepted > 0 ? MARK_SOME : MARK_REJECT;
	return (struct cell){mark, sense_of(r->group, mark)};
}

static enum mark mark_of(const char *verdict)
{
	return strcmp(verdict, "PASS") == 0          ? MARK_ACCEPT
	       : strcmp(verdict, "FAIL") == 0        ? MARK_REJECT
	       : strcmp(verdict, "UNSUPPORTED") == 0 ? MARK_UNSUPPORTED
	                                             : MARK_UNKNOWN;
}

struct cell model_dtype(const struct model *m, const struct row *r, int dtype)
{
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes")) if (strcmp(ev_text(d, "dtype"),
	                                                              m->dtypes[dtype]) == 0)
	{
		enum mark mark = mark_of(ev_text(d, "verdict"));

		return (struct cell){mark, sense_of(r->group, mark)};
	}
	return (struct cell){MARK_NONE, SENSE_NONE};
}

static void count(struct tally *t, struct cell c)
{
	t->accepted += c.mark == MARK_ACCEPT;
	t->judged += c.mark != MARK_NONE;
}

/* Once, for headings of groups stand on every page. */
static void add_tallies(struct model *m)
{
	for (int i = 0; i < m->nrows; i++) {
		const struct row *r = &m->rows[i];

		for (int p = 0; p < m->nprofiles; p++) {
			count(&m->bench[r->group][INPUT_FRIENDLY][p],
			      model_bench(m, r, INPUT_FRIENDLY, p));
			count(&m->bench[r->group][INPUT_OWN][p], model_bench(m, r, INPUT_OWN, p));
		}
		for (int d = 0; d < m->ndtypes; d++)
			count(&m->dtype[r->group][d], model_dtype(m, r, d));
	}
}

double model_failing(const struct row *r, bool by_value)
{
	double failed = by_value ? r->n.failed_by_value : r->n.failed;
	double f = r->n.cases > 0 ? failed / r->n.cases : 0;

	return f < 0 ? 0 : f > 1 ? 1 : f;
}

void model_init(struct model *m, const cJSON *evidence)
{
	size_t n = (size_t)cJSON_GetArraySize(ev_get(evidence, "kernels"));

	*m = (struct model){.evidence = evidence, .rows = mem_zalloc(n + 1, sizeof *m->rows)};
	for (int g = 0; g < GROUP_COUNT; g++)
		add_rows(m, (enum group)g);
	add_profiles(m);
	add_dtypes(m);
	add_tallies(m);
}
