/* kernel_charts.c - the charts of one kernel on its pages: see audit.h. */
#include <math.h>
#include <string.h>

#include "report/audit/audit.h"

/* What charts draw, of this kernel alone, though another may bear its name. */
static struct charts only(const struct audit *a, const struct row *r, const char *dtype)
{
	struct charts in = *a->in;

	in.model.rows = &a->m->rows[r - a->m->rows];
	in.model.nrows = 1;
	in.kernel = NULL;
	in.dtype = dtype;
	return in;
}

/* ---- runs against their tolerance ---- */

static void put_worst(struct buf *b, const cJSON *kernel)
{
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	{
		const cJSON *w = ev_get(d, "worst");

		if (!w)
			continue;
		buf_printf(b, BREAK "%s: nearest to its tolerance among the passing is r = ",
		           ev_text(d, "dtype"));
		put_real(b, ev_get(w, "r"), 3);
		buf_puts(b, " of T = ");
		put_real(b, ev_get(w, "T"), 3);
		buf_printf(b, " (%s): %s", ev_text(w, "envelope"), ev_text(w, "case"));
	}
}

void kernel_envelope(struct audit *a, const struct row *r)
{
	const struct chart *k = chart_find("cases");
	struct charts in = only(a, r, NULL);
	struct buf b = {0};
	double h;

	if (!k || k->absent(&in))
		return;
	h = chart_height(k, &in, PAGE_TEXT);
	flow_heading(&a->f, 2, DEST_NONE, "Errors against their tolerance, by chain length L",
	             NULL);
	flow_need(&a->f, h);
	flow_tag(&a->f, "Figure");
	audit_draw(a, k, &in, PAGE_LEFT, PAGE_TEXT);
	flow_untag(&a->f, "Figure");
	a->f.y += h + 3;
	buf_puts(&b, "Each mark stands for the cases alike, with the largest error r of them; T is "
	             "what is allowed.");
	put_worst(&b, r->kernel);
	flow_par(&a->f, face_note, b.s);
	buf_free(&b);
}

/* ---- where the errors lie ---- */

#define GUTTER 17.0
#define HALF   ((PAGE_TEXT - GUTTER) / 2)

struct pair {
	struct charts in[2];
	double h[2];
	int n;
};

static void put_pair(struct audit *a, const struct chart *k, struct pair *p)
{
	double h = p->n == 2 ? fmax(p->h[0], p->h[1]) : p->h[0];

	if (p->n == 0)
		return;
	flow_need(&a->f, h);
	flow_tag(&a->f, "Figure");
	for (int i = 0; i < p->n; i++)
		audit_draw(a, k, &p->in[i], PAGE_LEFT + i * (HALF + GUTTER), HALF);
	flow_untag(&a->f, "Figure");
	a->f.y += h + 8;
	p->n = 0;
}

void kernel_error_maps(struct audit *a, const struct row *r)
{
	const struct chart *k = chart_find("heat");
	struct pair p = {.n = 0};
	bool first = true;
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(r->kernel, "dtypes"))
	{
		p.in[p.n] = only(a, r, ev_text(d, "dtype"));
		if (!k || k->absent(&p.in[p.n]))
			continue;
		p.h[p.n] = chart_height(k, &p.in[p.n], HALF);
		if (first)
			flow_heading(&a->f, 2, DEST_NONE,
			             "Where the errors lie, in the first case that fails by value",
			             NULL);
		first = false;
		if (++p.n == 2)
			put_pair(a, k, &p);
	}
	put_pair(a, k, &p);
}
