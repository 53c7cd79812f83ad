/* canvas.c - text and simple shapes: see canvas.h. */
#include "report/draw/canvas.h"

void canvas_open(struct canvas *c, cairo_surface_t *surface)
{
	cairo_t *cr = cairo_create(surface);

	canvas_on(c, cr);
	cairo_destroy(cr);
}

void canvas_on(struct canvas *c, cairo_t *cr)
{
	cairo_font_options_t *o = cairo_font_options_create();
	PangoContext *context;

	c->cr = cairo_reference(cr);
	cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
	context = pango_cairo_create_context(c->cr);
	pango_cairo_context_set_font_options(context, o);
	/* else the language comes from the environment, and with it the choice of fallback fonts */
	pango_context_set_language(context, pango_language_from_string("en"));
	pango_context_set_round_glyph_positions(context, FALSE);
	c->layout = pango_layout_new(context);
	pango_layout_set_auto_dir(c->layout, FALSE);
	g_object_unref(context);
	cairo_font_options_destroy(o);
}

cairo_status_t canvas_close(struct canvas *c)
{
	cairo_status_t status = cairo_status(c->cr);

	g_object_unref(c->layout);
	cairo_destroy(c->cr);
	return status;
}

/* Unicode 3.0, §2.7 and Corrigendum 9: the last two of every plane, and U+FDD0..U+FDEF. */
static bool is_noncharacter(gunichar u)
{
	return (u & 0xfffe) == 0xfffe || (u >= 0xfdd0 && u <= 0xfdef);
}

char *text_clean(const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);
	GString *out = g_string_new(NULL);

	for (const char *s = valid; *s; s = g_utf8_next_char(s)) {
		gunichar u = g_utf8_get_char(s);

		if (u < ' ' || u == 0x7f)
			u = ' ';
		g_string_append_unichar(out, is_noncharacter(u) ? 0xfffd : u);
	}
	g_free(valid);
	return g_string_free(out, FALSE);
}

static void set_content(struct canvas *c, const struct style *s, const char *text)
{
	PangoFontDescription *font = pango_font_description_new();
	char *clean = text_clean(text);

	pango_font_description_set_family_static(font, s->mono ? FONT_MONO : FONT_SANS);
	pango_font_description_set_weight(font, s->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
	pango_font_description_set_absolute_size(font, s->size * PANGO_SCALE);
	pango_layout_set_font_description(c->layout, font);
	pango_font_description_free(font);
	if (s->markup) {
		pango_layout_set_markup(c->layout, clean, -1);
	} else {
		pango_layout_set_attributes(c->layout, NULL);
		pango_layout_set_text(c->layout, clean, -1);
	}
	g_free(clean);
}

/* The layout holds the text from here on. */
static void set_layout(struct canvas *c, const struct style *s, const char *text)
{
	PangoLayout *l = c->layout;

	set_content(c, s, text);
	pango_layout_set_single_paragraph_mode(l, s->lines <= 1);
	pango_layout_set_width(l, s->width > 0 ? (int)(s->width * PANGO_SCALE) : -1);
	pango_layout_set_height(l, s->lines > 1 ? -s->lines : -1);
	pango_layout_set_wrap(l, PANGO_WRAP_WORD_CHAR);
	pango_layout_set_ellipsize(l, s->width <= 0 ? PANGO_ELLIPSIZE_NONE
	                              : s->middle   ? PANGO_ELLIPSIZE_MIDDLE
	                                            : PANGO_ELLIPSIZE_END);
	pango_layout_set_alignment(l, s->right     ? PANGO_ALIGN_RIGHT
	                              : s->centred ? PANGO_ALIGN_CENTER
	                                           : PANGO_ALIGN_LEFT);
	pango_cairo_update_layout(c->cr, l);
}

static void layout_size(struct canvas *c, double *w, double *h)
{
	PangoRectangle r;

	pango_layout_get_extents(c->layout, NULL, &r);
	*w = (double)r.width / PANGO_SCALE;
	*h = (double)r.height / PANGO_SCALE;
}

double text_draw(struct canvas *c, struct style s, double x, double y, const char *text)
{
	double w, h;

	set_layout(c, &s, text);
	layout_size(c, &w, &h);
	colour_set(c->cr, s.colour);
	cairo_move_to(c->cr, x, y);
	pango_cairo_show_layout(c->cr, c->layout);
	cairo_new_path(c->cr); /* no line from here to what is drawn next */
	return h;
}

double text_height(struct canvas *c, struct style s, const char *text)
{
	double w, h;

	set_layout(c, &s, text);
	layout_size(c, &w, &h);
	return h;
}

double text_width(struct canvas *c, struct style s, const char *text)
{
	double w, h;

	set_layout(c, &s, text);
	layout_size(c, &w, &h);
	return w;
}

void text_draw_up(struct canvas *c, struct style s, double x, double y, const char *text)
{
	double h = text_height(c, s, text);

	cairo_save(c->cr);
	cairo_translate(c->cr, x - h / 2, y);
	cairo_rotate(c->cr, -G_PI / 2);
	text_draw(c, s, 0, 0, text);
	cairo_restore(c->cr);
}

void text_draw_middle(struct canvas *c, struct style s, double x, double y, const char *text)
{
	text_draw(c, s, x, y - text_height(c, s, text) / 2, text);
}

void draw_rect(struct canvas *c, enum colour fill, double x, double y, double w, double h)
{
	colour_set(c->cr, fill);
	cairo_rectangle(c->cr, x, y, w, h);
	cairo_fill(c->cr);
}

void draw_line(struct canvas *c, enum colour colour, double width, double x0, double y0, double x1,
               double y1)
{
	colour_set(c->cr, colour);
	cairo_set_line_width(c->cr, width);
	cairo_move_to(c->cr, x0, y0);
	cairo_line_to(c->cr, x1, y1);
	cairo_stroke(c->cr);
}
