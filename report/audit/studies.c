/* studies.c - the charts that are made from more than this evidence: see audit.h. */
#include <string.h>

#include "report/audit/audit.h"

/* Charts of the evidence itself stand elsewhere: in the summary, on the kernels' pages, with the
 * published checks. */
static bool is_study(const struct audit *a, const struct chart *k)
{
	static const char *const elsewhere[] = {"verdicts", "failing", "checks", "cases", "heat"};

	for (size_t i = 0; i < ARRAY_LEN(elsewhere); i++)
		if (strcmp(k->name, elsewhere[i]) == 0)
			return false;
	return k->draw && !k->absent(a->in);
}

bool audit_has_studies(const struct audit *a)
{
	for (size_t i = 0; i < ncharts; i++)
		if (is_study(a, charts[i]))
			return true;
	return false;
}

void audit_draw(struct audit *a, const struct chart *k, const struct charts *in, double x, double w)
{
	if (a->f.html)
		a->figure(a, k, in, w);
	else if (a->f.drawing)
		chart_draw(k, a->f.cr, in, x, a->f.y, w);
}

/* As wide as the page, or as it has something to show. */
static double width_of(const struct chart *k)
{
	double w = k->widest > 0 ? k->widest : PAGE_TEXT;

	return w < PAGE_TEXT ? w : PAGE_TEXT;
}

static void remarks(struct audit *a, const struct chart *k)
{
	struct buf b = {0};

	if (!k->remarks)
		return;
	k->remarks(a->in, &b);
	for (char *line = b.s, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		flow_item(&a->f, face_body, line);
	}
	buf_free(&b);
}

void audit_chart(struct audit *a, const struct chart *k)
{
	double w = width_of(k), h = chart_height(k, a->in, w);
	struct buf b = {0};
	bool fits = a->f.html || h < PAGE_END - PAGE_TOP - 90;

	flow_heading(&a->f, 2, DEST_NONE, k->title, k->title);
	flow_lead(&a->f, face_note, k->shows);
	if (!fits) {
		buf_printf(&b, "gpuemu report --chart %s evidence.json results tolerances",
		           k->name);
		flow_lead(&a->f, face_body, "It is too high for a page; this command draws it:");
		flow_code(&a->f, b.s);
		buf_free(&b);
		return;
	}
	flow_need(&a->f, h);
	flow_tag(&a->f, "Figure");
	audit_draw(a, k, a->in, PAGE_LEFT + (PAGE_TEXT - w) / 2, w);
	flow_untag(&a->f, "Figure");
	a->f.y += h + 6;
	remarks(a, k);
	a->f.y += 2;
}

void audit_studies(struct audit *a)
{
	if (!audit_has_studies(a))
		return;
	audit_part(a, DEST_STUDIES, "Charts of studies");
	flow_par(&a->f, face_body,
	         "These charts are drawn from figures of longer studies and from tolerance tables "
	         "that were given with the "
	         "evidence; they are not of this campaign.");
	for (size_t i = 0; i < ncharts; i++)
		if (is_study(a, charts[i]))
			audit_chart(a, charts[i]);
}
