/* flow.c - a document that flows over pages: see flow.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-pdf.h>

#include "report/audit/flow.h"
#include "report/audit/markup.h"
#include "report/draw/surface.h"

#define LEADING 1.16 /* of DejaVu's own line height */
#define BODY    8.8

const struct face face_body = {.size = BODY, .colour = C_INK, .prose = true};
const struct face face_note = {.size = 7.6, .colour = C_SOFT};

static const struct face face_running = {.size = 7.2, .colour = C_SOFT};

/* ---- pages ---- */

void passes_init(struct passes *p, int ndest)
{
	*p = (struct passes){.ndest = ndest, .dest_page = mem_zalloc((size_t)ndest, sizeof(int))};
}

void passes_again(struct passes *p)
{
	p->n = 0;
	p->as_counted = true;
	if (p->breaks)
		memset(p->breaks, 0, p->nbreaks * sizeof *p->breaks);
}

void passes_free(struct passes *p)
{
	free(p->dest_page);
	free(p->height);
	free(p->breaks);
}

bool flow_known_height(struct flow *f, double *h)
{
	if (!f->drawing || f->at >= f->known->n)
		return false;
	*h = f->known->height[f->at++];
	return true;
}

void flow_keep_height(struct flow *f, double h)
{
	struct passes *p = f->known;

	if (f->drawing)
		return;
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 256;
		p->height = mem_realloc(p->height, p->cap * sizeof *p->height);
	}
	p->height[p->n++] = h;
}

void flow_open(struct flow *f, struct buf *out, struct passes *known)
{
	struct canvas c;

	*f = (struct flow){.page = 1, .y = PAGE_TOP, .drawing = out != NULL, .known = known};
	f->surface = out ? surface_open(SURFACE_PDF, out, PAGE_W, PAGE_H, 72) : surface_measure();
	canvas_open(&c, f->surface);
	f->cr = c.cr;
	f->layout = c.layout;
	flow_tag(f, "Document");
}

void flow_open_html(struct flow *f, struct buf *out, const char *const *anchors,
                    struct passes *known)
{
	flow_open(f, NULL, known);
	f->html = out;
	f->anchors = anchors;
}

/* The page that begins or goes on is headed by the section that is in force. */
static void set_head(struct flow *f)
{
	g_free(f->head);
	f->head = g_strdup(f->section);
}

static void free_running(struct flow *f)
{
	g_free(f->title);
	g_free(f->section);
	g_free(f->foot);
	f->title = f->section = f->foot = NULL;
}

void flow_running(struct flow *f, const char *title, const char *section, const char *foot)
{
	char *t = text_clean(title), *s = text_clean(section), *o = text_clean(foot);

	free_running(f);
	f->title = t;
	f->section = s;
	f->foot = o;
	if (flow_at_top(f))
		set_head(f);
}

/* Header and footer of the page that ends; no part of the document's structure. */
static void furniture(struct flow *f)
{
	struct face right = face_running;
	double foot = PAGE_H - 42;
	char number[40];

	if (!f->drawing)
		return;
	right.align = ALIGN_RIGHT;
	if (f->title && f->page > 1) {
		flow_text(f, face_running, PAGE_LEFT, 34, 150, 1, f->title);
		flow_text(f, right, PAGE_LEFT + 160, 34, PAGE_TEXT - 160, 1,
		          f->head ? f->head : "");
		flow_line(f, C_RULE, 0.5, PAGE_LEFT, 48, PAGE_LEFT + PAGE_TEXT, 48);
	}
	flow_line(f, C_RULE, 0.5, PAGE_LEFT, foot - 4, PAGE_LEFT + PAGE_TEXT, foot - 4);
	if (f->foot)
		flow_text(f, face_running, PAGE_LEFT, foot, PAGE_TEXT - 70, 1, f->foot);
	snprintf(number, sizeof number, "%d of %d", f->page, f->known->pages);
	flow_text(f, right, PAGE_LEFT + PAGE_TEXT - 66, foot, 66, 1, number);
}

enum st flow_close(struct flow *f, const char *what, struct err *e)
{
	struct canvas c = {.cr = f->cr, .layout = f->layout};

	flow_untag(f, "Document");
	furniture(f);
	if (f->drawing && f->known->pages != f->page)
		f->known->as_counted = false;
	f->known->pages = f->page;
	free_running(f);
	g_free(f->head);
	return surface_close(f->surface, canvas_close(&c), what, e);
}

/* A block that goes on is closed and opened again, for a page's content stands for itself. */
void flow_page(struct flow *f)
{
	if (f->tag)
		flow_untag(f, f->tag);
	furniture(f);
	if (f->drawing)
		cairo_show_page(f->cr);
	f->page++;
	f->y = PAGE_TOP;
	f->keep = false;
	set_head(f);
	if (f->tag)
		flow_tag(f, f->tag);
}

bool flow_at_top(const struct flow *f)
{
	return f->y <= PAGE_TOP;
}

/* ---- what stands together ---- */

/* A place where a page may have to begin; true: it does, as the counting pass found. */
static bool break_here(struct flow *f, size_t id)
{
	struct passes *p = f->known;

	if (f->drawing)
		return id < p->nbreaks && p->breaks[id];
	if (id >= p->nbreaks) {
		p->breaks = mem_realloc(p->breaks, 2 * (id + 32) * sizeof *p->breaks);
		memset(p->breaks + p->nbreaks, 0, (2 * (id + 32) - p->nbreaks) * sizeof *p->breaks);
		p->nbreaks = 2 * (id + 32);
	}
	return false;
}

void flow_keep(struct flow *f)
{
	size_t id = f->keeps++;

	if (break_here(f, id))
		flow_page(f);
	if (f->keep)
		return;
	f->keep = true;
	f->keep_id = id;
	f->keep_y = f->y;
	f->keep_dests = 0;
}

/* Counting: what is kept moves to the next page, with the destinations in it. */
static void carry(struct flow *f)
{
	f->known->breaks[f->keep_id] = true;
	f->page++;
	f->y = PAGE_TOP + (f->y - f->keep_y);
	f->keep_y = PAGE_TOP;
	for (int i = 0; i < f->keep_dests; i++)
		f->known->dest_page[f->keep_dest[i]] = f->page;
}

bool flow_room(struct flow *f, double h)
{
	bool fits = f->html || f->y + h <= PAGE_END || flow_at_top(f);

	if (!fits && f->keep && !f->drawing && f->keep_y > PAGE_TOP) {
		carry(f);
		fits = f->y + h <= PAGE_END;
	}
	if (!fits)
		flow_page(f);
	return !fits;
}

bool flow_need(struct flow *f, double h)
{
	bool page = flow_room(f, h);

	f->keep = false;
	return page;
}

/* The destination lies on this page; counting, it goes along when it is carried to the next. */
static void note_dest(struct flow *f, int dest)
{
	if (f->drawing && f->known->dest_page[dest] != f->page)
		f->known->as_counted = false;
	f->known->dest_page[dest] = f->page;
	if (f->keep && f->keep_dests < (int)ARRAY_LEN(f->keep_dest))
		f->keep_dest[f->keep_dests++] = dest;
}

void flow_gap(struct flow *f, double h)
{
	if (!flow_at_top(f))
		f->y += h;
}

/* ---- texts ---- */

/* Over the whole of the layout's text: what is copied must be as it was. */
static void verbatim(PangoLayout *l)
{
	PangoAttrList *own = pango_layout_get_attributes(l),
	              *list = own ? pango_attr_list_copy(own) : pango_attr_list_new();

	pango_attr_list_insert(list, pango_attr_font_features_new("liga=0, clig=0, dlig=0"));
	pango_attr_list_insert(list, pango_attr_insert_hyphens_new(FALSE));
	pango_layout_set_attributes(l, list);
	pango_attr_list_unref(list);
}

static void set_face(struct flow *f, const struct face *s)
{
	PangoFontDescription *font = pango_font_description_new();

	pango_font_description_set_family_static(font, s->mono ? FONT_MONO : FONT_SANS);
	pango_font_description_set_weight(font, s->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
	pango_font_description_set_absolute_size(font, s->size * PANGO_SCALE);
	pango_layout_set_font_description(f->layout, font);
	pango_font_description_free(font);
}

/* The layout holds the text from here on. lines 0: as many as it takes. Its context is not brought
 * up to Cairo's transformation: without hinting nothing depends on it, and lines being drawn stay
 * valid. */
static void lay(struct flow *f, const struct face *s, double w, int lines, const char *text)
{
	PangoLayout *l = f->layout;
	char *clean = text_clean(text);

	set_face(f, s);
	pango_layout_set_attributes(l, NULL);
	if (s->markup)
		pango_layout_set_markup(l, clean, -1);
	else
		pango_layout_set_text(l, clean, -1);
	if (!s->prose)
		verbatim(l);
	g_free(clean);
	pango_layout_set_single_paragraph_mode(l, lines == 1);
	pango_layout_set_line_spacing(l, LEADING);
	pango_layout_set_width(l, w > 0 ? (int)(w * PANGO_SCALE) : -1);
	pango_layout_set_height(l, lines > 1 ? -lines : lines == 1 ? 0 : G_MAXINT);
	pango_layout_set_wrap(l, PANGO_WRAP_WORD_CHAR);
	pango_layout_set_ellipsize(l, w > 0 && lines ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
	pango_layout_set_alignment(l, s->align == ALIGN_RIGHT    ? PANGO_ALIGN_RIGHT
	                              : s->align == ALIGN_CENTRE ? PANGO_ALIGN_CENTER
	                                                         : PANGO_ALIGN_LEFT);
}

static void lay_size(struct flow *f, double *w, double *h)
{
	PangoRectangle r;

	pango_layout_get_extents(f->layout, NULL, &r);
	*w = (double)r.width / PANGO_SCALE;
	*h = (double)r.height / PANGO_SCALE;
}

double flow_text(struct flow *f, struct face s, double x, double y, double w, int lines,
                 const char *text)
{
	double tw, h;

	lay(f, &s, w, lines, text);
	lay_size(f, &tw, &h);
	if (f->drawing) {
		colour_set(f->cr, s.colour);
		cairo_move_to(f->cr, x, y);
		pango_cairo_show_layout(f->cr, f->layout);
		cairo_new_path(f->cr);
	}
	return h;
}

double flow_height(struct flow *f, struct face s, double w, int lines, const char *text)
{
	double tw, h;

	lay(f, &s, w, lines, text);
	lay_size(f, &tw, &h);
	return h;
}

double flow_width(struct flow *f, struct face s, const char *text)
{
	double w, h;

	lay(f, &s, 0, 1, text);
	lay_size(f, &w, &h);
	return w;
}

void flow_rect(struct flow *f, enum colour fill, double x, double y, double w, double h)
{
	if (!f->drawing)
		return;
	colour_set(f->cr, fill);
	cairo_rectangle(f->cr, x, y, w, h);
	cairo_fill(f->cr);
}

void flow_line(struct flow *f, enum colour colour, double width, double x0, double y0, double x1,
               double y1)
{
	if (!f->drawing)
		return;
	colour_set(f->cr, colour);
	cairo_set_line_width(f->cr, width);
	cairo_move_to(f->cr, x0, y0);
	cairo_line_to(f->cr, x1, y1);
	cairo_stroke(f->cr);
}

/* ---- structure and links ---- */

void flow_tag(struct flow *f, const char *name)
{
	if (f->drawing)
		cairo_tag_begin(f->cr, name, NULL);
}

void flow_untag(struct flow *f, const char *name)
{
	if (f->drawing)
		cairo_tag_end(f->cr, name);
}

/* A URI inside Cairo's quoted attribute: what would end or change it is written as %XX. */
static void put_uri(struct buf *b, const char *uri)
{
	for (; *uri; uri++) {
		unsigned char c = (unsigned char)*uri;

		if (c <= ' ' || c >= 0x7f || strchr("'\\\"<>", c))
			buf_printf(b, "%%%02X", c);
		else
			buf_putc(b, (char)c);
	}
}

bool flow_link(struct flow *f, int dest, const char *uri)
{
	struct buf b = {0};

	if (!f->drawing || (dest == DEST_NONE && (!uri || !uri[0])))
		return false;
	if (dest != DEST_NONE) {
		/* a destination that the document has not would make Cairo refuse all of it */
		if (dest >= f->known->ndest || !f->known->dest_page[dest])
			return false;
		buf_printf(&b, "dest='d%d'", dest);
	} else {
		buf_puts(&b, "uri='");
		put_uri(&b, uri);
		buf_putc(&b, '\'');
	}
	cairo_tag_begin(f->cr, CAIRO_TAG_LINK, b.s);
	buf_free(&b);
	return true;
}

void flow_link_end(struct flow *f)
{
	if (f->drawing)
		cairo_tag_end(f->cr, CAIRO_TAG_LINK);
}

int flow_page_of(const struct flow *f, int dest)
{
	return dest > DEST_NONE && dest < f->known->ndest ? f->known->dest_page[dest] : 0;
}

void flow_mark(struct flow *f, int dest)
{
	char at[80];

	note_dest(f, dest);
	if (!f->drawing)
		return;
	/* not "internal": Cairo 1.16 leaves such names out, with the links of earlier pages to them */
	snprintf(at, sizeof at, "name='d%d' x=%d y=%d", dest, (int)PAGE_LEFT, (int)f->y);
	cairo_tag_begin(f->cr, CAIRO_TAG_DEST, at);
	cairo_tag_end(f->cr, CAIRO_TAG_DEST);
}

void flow_outline(struct flow *f, int level, int dest, const char *text)
{
	int parent = level > 1 ? f->outline[level - 1] : CAIRO_PDF_OUTLINE_ROOT;
	char link[80], *clean;

	if (!f->drawing)
		return;
	if (dest != DEST_NONE)
		snprintf(link, sizeof link, "dest='d%d'", dest);
	else
		snprintf(link, sizeof link, "page=%d pos=[%d %d]", f->page, (int)PAGE_LEFT,
		         (int)f->y);
	clean = text_clean(text);
	f->outline[level] = cairo_pdf_surface_add_outline(f->surface, parent, clean, link, 0);
	g_free(clean);
}

/* ---- headings ---- */

void flow_heading(struct flow *f, int level, int dest, const char *text, const char *entry)
{
	static const struct face faces[] = {{.size = 17, .colour = C_INK, .bold = true},
	                                    {.size = 10.6, .colour = C_INK, .bold = true},
	                                    {.size = 8.8, .colour = C_INK, .bold = true}};
	static const double above[] = {10, 9.5, 7}, below[] = {7, 4, 2.5};
	static const char *const tags[] = {"H1", "H2", "H3"};
	const struct face *s = &faces[level - 1];
	char name[40];
	double h;

	if (f->html) {
		markup_heading(f, level, dest, text);
		return;
	}
	h = flow_height(f, *s, PAGE_TEXT, 4, text);
	flow_room(f, above[level - 1] + h);
	flow_gap(f, above[level - 1]);
	flow_keep(f);
	if (dest != DEST_NONE) {
		note_dest(f, dest);
		snprintf(name, sizeof name, "name='d%d'", dest);
		if (f->drawing)
			cairo_tag_begin(f->cr, CAIRO_TAG_DEST, name);
	}
	if (entry)
		flow_outline(f, level, dest, entry);
	flow_tag(f, tags[level - 1]);
	flow_text(f, *s, PAGE_LEFT, f->y, PAGE_TEXT, 4, text);
	flow_untag(f, tags[level - 1]);
	if (dest != DEST_NONE && f->drawing)
		cairo_tag_end(f->cr, CAIRO_TAG_DEST);
	f->y += h;
	if (level == 1) {
		flow_rect(f, C_BAR, PAGE_LEFT, f->y + 3, 42, 2.2);
		f->y += 5;
	}
	f->y += below[level - 1];
}

/* ---- paragraphs ---- */

/* One line of the layout with the top of its box at the cursor. */
static void put_line(struct flow *f, PangoLayoutIter *it, double x, enum colour colour)
{
	PangoRectangle box;
	int top, bottom, base = pango_layout_iter_get_baseline(it);

	pango_layout_iter_get_line_yrange(it, &top, &bottom);
	pango_layout_iter_get_line_extents(it, NULL, &box);
	if (f->drawing) {
		colour_set(f->cr, colour);
		cairo_move_to(f->cr, x + (double)box.x / PANGO_SCALE,
		              f->y + (double)(base - top) / PANGO_SCALE);
		pango_cairo_show_layout_line(f->cr, pango_layout_iter_get_line_readonly(it));
		cairo_new_path(f->cr);
	}
	f->y += (double)(bottom - top) / PANGO_SCALE;
}

/* Points of the next two lines, or of one when there is only one. */
static double two_lines(PangoLayout *l, int at, int n)
{
	int lines = n - at < 2 ? n - at : 2;
	PangoRectangle r;

	pango_layout_line_get_extents(pango_layout_get_line_readonly(l, at), NULL, &r);
	return (double)r.height * lines * LEADING / PANGO_SCALE;
}

/* lead: they stay with what comes next. */
static void put_lines(struct flow *f, double x, enum colour colour, bool lead)
{
	PangoLayout *l = g_object_ref(f->layout);
	PangoLayoutIter *it = pango_layout_get_iter(l);
	int n = pango_layout_get_line_count(l), at = 0;

	/* the page's furniture uses f->layout: these lines keep a layout of their own */
	f->layout = pango_layout_copy(l);
	do {
		/* the first two and the last two lines stand together */
		bool pair = at == 0 || at == n - 2;
		double h = pair ? two_lines(l, at, n) : two_lines(l, at, at + 1);

		if (lead)
			flow_room(f, h);
		else
			flow_need(f, h);
		put_line(f, it, x, colour);
		at++;
	} while (pango_layout_iter_next_line(it));
	pango_layout_iter_free(it);
	g_object_unref(f->layout);
	f->layout = l;
	g_object_unref(l);
}

static void paragraph(struct flow *f, struct face s, double indent, bool lead, const char *text)
{
	if (f->html) {
		markup_par(f, &s, NULL, text);
		return;
	}
	lay(f, &s, PAGE_TEXT - indent, 0, text);
	flow_tag(f, "P");
	f->tag = "P";
	put_lines(f, PAGE_LEFT + indent, s.colour, lead);
	f->tag = NULL;
	flow_untag(f, "P");
	f->y += 0.45 * s.size;
}

void flow_par_indented(struct flow *f, struct face s, double indent, const char *text)
{
	paragraph(f, s, indent, false, text);
}

void flow_lead(struct flow *f, struct face s, const char *text)
{
	flow_keep(f);
	paragraph(f, s, 0, true, text);
}

void flow_par(struct flow *f, struct face s, const char *text)
{
	flow_par_indented(f, s, 0, text);
}

void flow_item(struct flow *f, struct face s, const char *text)
{
	if (f->html) {
		markup_par(f, &s, "item", text);
		return;
	}
	flow_need(f, flow_height(f, s, PAGE_TEXT - 12, 2, text));
	flow_rect(f, C_BAR, PAGE_LEFT + 2, f->y + 0.52 * s.size, 2.6, 2.6);
	flow_par_indented(f, s, 12, text);
}

void flow_verdict(struct flow *f, enum colour colour, const char *word, const char *text)
{
	struct face big = {.size = 13, .colour = colour, .bold = true};
	double w, h;

	if (f->html) {
		markup_verdict(f, colour, word, text);
		return;
	}
	w = flow_width(f, big, word) + 4;
	flow_tag(f, "P");
	flow_text(f, big, PAGE_LEFT, f->y - 2, w, 1, word);
	h = flow_text(f, face_body, PAGE_LEFT + w + 6, f->y + 1.5, PAGE_TEXT - w - 6, 3, text);
	flow_untag(f, "P");
	f->y += (h > 14 ? h : 14) + 7;
}

/* ---- code ---- */

#define CODE_SIZE     7.4
#define CODE_SMALLEST 4.5
#define CODE_PAD      5.0

/* The case that ends a command, in quotes. Where it begins; the end of the text: there is none. */
static const char *case_of(const char *text)
{
	size_t n = strlen(text);
	const char *at = text + n;

	if (n < 2 || text[n - 1] != '\'')
		return at;
	for (at = text + n - 2; at > text && *at != '\''; at--)
		;
	return at;
}

/* Bytes to the next blank where a line may end: outside of quotes, or in the case. */
static size_t word_length(const char *text, const char *kase)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && (text[n] != ' ' || (quoted && text + n < kase)); n++)
		if (text[n] == '\\' && !quoted && text[n + 1])
			n++;
		else if (text[n] == '\'' && text + n < kase)
			quoted = !quoted;
	return n;
}

/* The text broken into lines that fit w, by words; false: some word does not fit at this size. A
 * line that ends within the case closes its quotes, and the next opens them again: gpuemu takes the
 * parts of a case as it takes the whole, so that what is copied, with line ends or with blanks in
 * their place, is one command. */
static bool break_words(struct flow *f, struct face s, double w, const char *text, struct buf *out)
{
	const char *kase = case_of(text);
	struct buf line = {0}, try = {0};
	double room = w - 3 * 0.61 * s.size;
	bool fits = true;

	while (*text) {
		size_t n = word_length(text, kase);

		try.len = 0;
		if (line.len)
			buf_printf(&try, "%s ", line.s);
		buf_add(&try, text, n);
		/* a case that fits on a line of its own is not broken */
		if (line.len && (flow_width(f, s, try.s) > room ||
		                 (text == kase && flow_width(f, s, text) <= room &&
		                  flow_width(f, s, line.s) + flow_width(f, s, text) > room))) {
			buf_printf(out, text > kase ? "%s' \\" BREAK : "%s \\" BREAK, line.s);
			try.len = 0;
			buf_puts(&try, text > kase ? "'" : "");
			buf_add(&try, text, n);
		}
		line.len = 0;
		buf_add(&line, try.s, try.len);
		fits &= flow_width(f, s, line.s ? line.s : "") <= w;
		text += n + (text[n] == ' ');
	}
	buf_puts(out, line.len ? line.s : "");
	buf_free(&line);
	buf_free(&try);
	return fits;
}

static void code(struct flow *f, bool lead, const char *text)
{
	struct face s = {.size = CODE_SIZE, .colour = C_INK, .mono = true};
	double w = PAGE_TEXT - 2 * CODE_PAD, h;
	struct buf b = {0};
	char *clean;

	if (f->html)
		markup_code(f, text);
	if (f->html || !text[0])
		return;
	clean = text_clean(text);
	while (!break_words(f, s, w, clean, &b) && s.size > CODE_SMALLEST) {
		b.len = 0;
		s.size -= 0.4;
	}
	g_free(clean);
	lay(f, &s, w, 0, b.len ? b.s : " ");
	lay_size(f, &w, &h);
	/* a box stands on one page where it can */
	if (h + 2 * CODE_PAD < PAGE_END - PAGE_TOP) {
		if (lead)
			flow_room(f, h + 2 * CODE_PAD);
		else
			flow_need(f, h + 2 * CODE_PAD);
		flow_rect(f, C_BAND, PAGE_LEFT, f->y, PAGE_TEXT, h + 2 * CODE_PAD - 1);
	}
	lay(f, &s, PAGE_TEXT - 2 * CODE_PAD, 0, b.len ? b.s : " ");
	f->y += CODE_PAD - 1;
	flow_tag(f, "Code");
	f->tag = "Code";
	put_lines(f, PAGE_LEFT + CODE_PAD, s.colour, lead);
	f->tag = NULL;
	flow_untag(f, "Code");
	f->y += CODE_PAD + 3;
	buf_free(&b);
}

void flow_code(struct flow *f, const char *text)
{
	code(f, false, text);
}

void flow_lead_code(struct flow *f, const char *text)
{
	flow_keep(f);
	code(f, true, text);
}
