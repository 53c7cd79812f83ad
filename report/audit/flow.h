/* flow.h - a document that flows over A4 pages: headings, paragraphs, code, links, outline, tags
 * (private to report/audit/).
 *
 * A document is made twice by the same code: the first pass draws nothing and notes on which page
 * every destination lies and how many pages there are, the second draws. Units are points, y grows
 * downwards. Every text is UTF-8; what is not is shown as U+FFFD. */
#ifndef REPORT_AUDIT_FLOW_H
#define REPORT_AUDIT_FLOW_H

#include <stdbool.h>

#include "report/draw/canvas.h"
#include "report/read.h"

#define PAGE_W    595.276
#define PAGE_H    841.890
#define PAGE_LEFT 48.0
#define PAGE_TEXT (PAGE_W - 2 * PAGE_LEFT) /* width of the text */
#define PAGE_TOP  62.0
#define PAGE_END  (PAGE_H - 58.0) /* the footer stands below */

/* Where a text of ours breaks its line; line ends in the evidence's texts are blanks. */
#define BREAK "\xe2\x80\xa8"

enum align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTRE };

/* How a text is set; size in points. prose: with ligatures, which readers of PDF may copy as one
 * letter: not for what is copied, as names and cases are. markup: Pango markup whose dynamic parts
 * are escaped. */
struct face {
	double size;
	enum colour colour;
	bool bold, mono, markup, prose;
	enum align align;
};

extern const struct face face_body, face_note;

/* Destinations are numbers; 0 is none. */
enum {
	DEST_NONE,
	DEST_COVER,
	DEST_CONTENTS,
	DEST_SUMMARY,
	DEST_INDEX,
	DEST_KERNELS,
	DEST_METHOD,
	DEST_CASES,
	DEST_OPERATORS,
	DEST_TOLERANCE,
	DEST_CHECKS,
	DEST_STUDIES,
	DEST_GLOSSARY,
	DEST_FIRST_KERNEL
};

/* What the first pass finds out for the second. Zero-initialise, with ndest destinations. */
struct passes {
	int pages;
	int *dest_page, ndest; /* by destination */
	double *height;        /* of rows of tables, in their order: measuring them costs most */
	size_t n, cap;
	bool *breaks; /* by the number of flow_keep: does a page begin there? */
	size_t nbreaks;
	bool as_counted; /* drawing put every destination where counting had put it */
};
void passes_init(struct passes *p, int ndest);
/* Before counting: forgets what depends on where pages break, and keeps the pages of destinations.
 */
void passes_again(struct passes *p);
void passes_free(struct passes *p);

struct flow {
	cairo_surface_t *surface;
	cairo_t *cr;
	PangoLayout *layout;
	bool drawing;
	double y;
	int page;
	struct passes *known;  /* owned by who calls flow_open */
	size_t at;             /* of known->height: what comes next */
	char *title, *section; /* running header, cleaned */
	char *head;            /* the section that the page begins with or goes on with */
	char *foot;
	/* what stands together from keep_y on, begun by flow_keep number keep_id */
	bool keep;
	size_t keeps, keep_id;
	double keep_y;
	int keep_dest[4], keep_dests;
	int outline[4];  /* the last entry of each level */
	const char *tag; /* block that is open and goes on over pages, or NULL */
	/* A page of HTML (flow_open_html): blocks are written there, and nothing is drawn. */
	struct buf *html;           /* NULL: a PDF */
	const char *const *anchors; /* by destination: its id, NULL: none */
	int deeper;                 /* levels that headings are moved down */
};

/* Begins a pass at the top of page 1. out: where the PDF goes; NULL: the counting pass, which comes
 * first and calls for the same things in the same order. */
void flow_open(struct flow *f, struct buf *out, struct passes *known);
/* The same for a page of HTML, in one pass: blocks and tables are appended to out as markup
 * (markup.h), what stands at a place of a page is measured only. */
void flow_open_html(struct flow *f, struct buf *out, const char *const *anchors,
                    struct passes *known);
/* Ends the last page; MUST_USE tells whether drawing worked. */
MUST_USE enum st flow_close(struct flow *f, const char *what, struct err *e);

/* The height that the first pass has kept here; false in that pass, which is to keep it. */
bool flow_known_height(struct flow *f, double *h);
void flow_keep_height(struct flow *f, double h);

/* Running header: title at the left, at the right the section that a page begins with or goes on
 * with; foot: left of the page number. */
void flow_running(struct flow *f, const char *title, const char *section, const char *foot);

/* The next page. */
void flow_page(struct flow *f);
/* The next page unless h points fit here; true: it went there. What flow_keep holds together with
 * these points goes along, and then it is false: the page has begun before. */
bool flow_need(struct flow *f, double h);
/* What is put from here on stays on one page with the first of what comes after it, up to the next
 * flow_need: headings, the texts that lead to a table, its head. */
void flow_keep(struct flow *f);
/* As flow_need, for what is itself only kept with what comes next. */
bool flow_room(struct flow *f, double h);
bool flow_at_top(const struct flow *f);
void flow_gap(struct flow *f, double h); /* none at the top of a page */

/* ---- single texts at a place ---- */

/* Lays out at most `lines` lines of width w (0: one line as long as it is), and draws it. Returns
 * its height. */
double flow_text(struct flow *f, struct face s, double x, double y, double w, int lines,
                 const char *text);
double flow_height(struct flow *f, struct face s, double w, int lines, const char *text);
double flow_width(struct flow *f, struct face s, const char *text);
void flow_rect(struct flow *f, enum colour fill, double x, double y, double w, double h);
void flow_line(struct flow *f, enum colour colour, double width, double x0, double y0, double x1,
               double y1);

/* ---- blocks that flow ---- */

/* level 1 to 3. Stays with what comes next. dest: where links lead, or DEST_NONE. outline: the
 * entry's text, NULL: none. */
void flow_heading(struct flow *f, int level, int dest, const char *text, const char *outline);
/* A destination at the cursor, and an entry of the outline (level 1 to 3) that leads to it. */
void flow_mark(struct flow *f, int dest);
void flow_outline(struct flow *f, int level, int dest, const char *text);
/* A paragraph; breaks over pages between lines, never leaving one line alone. */
void flow_par(struct flow *f, struct face s, const char *text);
void flow_par_indented(struct flow *f, struct face s, double indent, const char *text);
/* A paragraph that leads to what comes next and stays with it. */
void flow_lead(struct flow *f, struct face s, const char *text);
/* A bullet and its paragraph. */
void flow_item(struct flow *f, struct face s, const char *text);
/* A verdict in its colour, and what it means. */
void flow_verdict(struct flow *f, enum colour colour, const char *word, const char *text);
/* A command in a grey box, to be copied: lines end at blanks outside of quotes, with a backslash as
 * a shell wants it. A case in quotes that ends it and is longer than a line is given as several
 * words, each in quotes. Made smaller when its longest word asks for it. */
void flow_code(struct flow *f, const char *text);
/* The same, staying with what comes next. */
void flow_lead_code(struct flow *f, const char *text);

/* ---- structure and links ---- */

/* Tags of the PDF; nothing in the counting pass. */
void flow_tag(struct flow *f, const char *name);
void flow_untag(struct flow *f, const char *name);
/* A link over what is drawn until flow_link_end: to a destination, or (dest DEST_NONE) a URI. False
 * (and no link) when there is neither. */
bool flow_link(struct flow *f, int dest, const char *uri);
void flow_link_end(struct flow *f);
/* Page of a destination; 0 in the counting pass before it is reached. */
int flow_page_of(const struct flow *f, int dest);

#endif
