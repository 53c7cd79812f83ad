/* table.c - see table.h. */
#include <string.h>

#include "report/audit/markup.h"

#define PAD       3.0 /* left and right of a cell's text */
#define ROW_PAD   1.7 /* above and below */
#define MAX_LINES 24
#define UP_MAX    74.0 /* longest upright title */

static void place_columns(struct table *t)
{
	double shares = 0, room = PAGE_TEXT, x = PAGE_LEFT;

	for (int i = 0; i < t->n; i++)
		if (t->column[i].w < 0)
			shares -= t->column[i].w;
		else
			room -= t->column[i].w;
	for (int i = 0; i < t->n; i++) {
		t->w[i] = t->column[i].w < 0 ? -t->column[i].w / shares * room : t->column[i].w;
		t->x[i] = x;
		x += t->w[i];
	}
}

static struct face head_face(const struct table *t, int i)
{
	return (struct face){
	        .size = t->size - 0.3, .colour = C_SOFT, .bold = true, .align = t->column[i].align};
}

static double head_height(struct table *t)
{
	double h = 0;

	for (int i = 0; i < t->n; i++) {
		const char *text = t->column[i].title ? t->column[i].title : "";
		double one;

		if (t->column[i].up) {
			one = flow_width(t->f, head_face(t, i), text) + 2;
			one = one < UP_MAX ? one : UP_MAX;
		} else {
			one = flow_height(t->f, head_face(t, i), t->w[i] - 2 * PAD, 3, text);
		}
		h = one > h ? one : h;
	}
	return h + 2 * ROW_PAD;
}

/* Upwards, its end at the foot of the head. */
static void upright(struct table *t, int i, double bottom)
{
	struct face s = head_face(t, i);
	struct flow *f = t->f;
	double h;

	s.align = ALIGN_LEFT;
	h = flow_height(f, s, 0, 1, t->column[i].title);
	if (!f->drawing)
		return;
	cairo_save(f->cr);
	cairo_translate(f->cr, t->x[i] + t->w[i] / 2 - h / 2, bottom);
	cairo_rotate(f->cr, -G_PI / 2);
	flow_text(f, s, 0, 0, UP_MAX - 2, 1, t->column[i].title);
	cairo_restore(f->cr);
}

static void head(struct table *t)
{
	struct flow *f = t->f;
	double bottom = f->y + t->head_h;

	if (t->plain)
		return;
	flow_tag(f, "TR");
	for (int i = 0; i < t->n; i++) {
		const char *text = t->column[i].title ? t->column[i].title : "";
		double w = t->w[i] - 2 * PAD;

		flow_tag(f, "TH");
		if (t->column[i].up)
			upright(t, i, bottom - ROW_PAD);
		else
			flow_text(f, head_face(t, i), t->x[i] + PAD,
			          bottom - ROW_PAD - flow_height(f, head_face(t, i), w, 3, text), w,
			          3, text);
		flow_untag(f, "TH");
	}
	flow_untag(f, "TR");
	flow_line(f, C_FAINT, 0.8, PAGE_LEFT, bottom, PAGE_LEFT + PAGE_TEXT, bottom);
	f->y = bottom;
}

void table_begin_whole(struct table *t, struct flow *f, const struct column *columns, int n,
                       double size, int rows)
{
	double whole;

	*t = (struct table){.f = f, .n = n, .size = size, .plain = true};
	memcpy(t->column, columns, (size_t)n * sizeof *columns);
	for (int i = 0; i < n; i++)
		t->plain &= columns[i].title == NULL;
	if (f->html) {
		markup_table(t);
		return;
	}
	place_columns(t);
	t->head_h = t->plain ? 0 : head_height(t);
	whole = t->head_h + rows * (flow_height(f, (struct face){.size = size}, 0, 1, "x") + 2 * ROW_PAD);
	flow_room(f, rows && whole < (PAGE_END - PAGE_TOP) / 2 ? whole : t->head_h + 2.6 * t->size);
	flow_keep(f);
	flow_tag(f, "Table");
	f->tag = "Table";
	head(t);
}

void table_begin(struct table *t, struct flow *f, const struct column *columns, int n, double size)
{
	table_begin_whole(t, f, columns, n, size, 0);
}

static struct face cell_face(const struct table *t, int i, const struct td *c)
{
	return (struct face){.size = t->size - (c->mono || t->column[i].mono ? 0.4 : 0),
	                     .colour = c->coloured ? c->colour : C_INK,
	                     .bold = c->bold,
	                     .mono = c->mono || t->column[i].mono,
	                     .align = t->column[i].align};
}

/* A number is not broken: it is made smaller. */
static struct face fitted(struct table *t, int i, const struct td *c)
{
	struct face s = cell_face(t, i, c);
	double room = t->w[i] - 2 * PAD, w;

	if (!t->column[i].fit || !c->text)
		return s;
	w = flow_width(t->f, s, c->text);
	if (w > room)
		s.size *= 0.99 * room / w;
	return s;
}

static double row_height(struct table *t, const struct td *cells)
{
	double h = 0;

	if (flow_known_height(t->f, &h))
		return h;
	for (int i = 0; i < t->n; i++) {
		double one = flow_height(t->f, cell_face(t, i, &cells[i]), t->w[i] - 2 * PAD,
		                         t->column[i].fit ? 1 : MAX_LINES,
		                         cells[i].text ? cells[i].text : "");

		h = one > h ? one : h;
	}
	flow_keep_height(t->f, h + 2 * ROW_PAD);
	return h + 2 * ROW_PAD;
}

static void draw_cell(struct table *t, int i, const struct td *c, double h)
{
	struct face s = fitted(t, i, c);
	struct flow *f = t->f;
	bool link;

	if (c->has_ground)
		flow_rect(f, c->ground, t->x[i], f->y + 0.4, t->w[i], h - 0.8);
	flow_tag(f, "TD");
	link = flow_link(f, c->dest, c->uri);
	if (link)
		s.colour = C_RIGHT_INK;
	flow_text(f, s, t->x[i] + PAD, f->y + ROW_PAD, t->w[i] - 2 * PAD, MAX_LINES,
	          c->text ? c->text : "");
	if (link)
		flow_link_end(f);
	flow_untag(f, "TD");
}

/* Goes to the next page with the head unless h points fit. */
static void need(struct table *t, double h)
{
	if (flow_need(t->f, h))
		head(t);
}

void table_row(struct table *t, const struct td *cells)
{
	double h;

	if (t->f->html) {
		markup_row(t, cells);
		return;
	}
	h = row_height(t, cells);
	need(t, h);
	if (t->f->drawing) {
		flow_tag(t->f, "TR");
		for (int i = 0; i < t->n; i++)
			draw_cell(t, i, &cells[i], h);
		flow_untag(t->f, "TR");
	}
	t->f->y += h;
	flow_line(t->f, C_RULE, 0.4, PAGE_LEFT, t->f->y, PAGE_LEFT + PAGE_TEXT, t->f->y);
}

void table_group(struct table *t, const char *text)
{
	struct face s = {.size = t->size, .colour = C_INK, .bold = true};
	double h;

	if (t->f->html) {
		markup_group(t, text);
		return;
	}
	h = flow_height(t->f, s, PAGE_TEXT - 2 * PAD, 1, text) + 2 * ROW_PAD;
	need(t, 2 * h + 3);
	flow_rect(t->f, C_BAND, PAGE_LEFT, t->f->y, PAGE_TEXT, h);
	flow_tag(t->f, "TR");
	flow_tag(t->f, "TH");
	flow_text(t->f, s, PAGE_LEFT + PAD, t->f->y + ROW_PAD, PAGE_TEXT - 2 * PAD, 1, text);
	flow_untag(t->f, "TH");
	flow_untag(t->f, "TR");
	t->f->y += h;
}

void table_end(struct table *t)
{
	if (t->f->html) {
		markup_table_end(t);
		return;
	}
	t->f->tag = NULL;
	flow_untag(t->f, "Table");
	t->f->y += 5;
}
