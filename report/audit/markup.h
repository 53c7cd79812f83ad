/* markup.h - the blocks of flow.h and table.h as HTML: what they write when the document is a page of HTML
 * (flow_open_html), so that both documents say the same (private to report/audit/ and report/html/).
 *
 * Every text is escaped; what HTML refuses (bytes that are not UTF-8, noncharacters) is U+FFFD, control characters
 * are blanks. */
#ifndef REPORT_AUDIT_MARKUP_H
#define REPORT_AUDIT_MARKUP_H

#include "report/audit/table.h"

/* Text; a BREAK is a line's end. */
void markup_text(struct buf *b, const char *text);
/* The value of an attribute in double quotes; a BREAK is a blank. */
void markup_value(struct buf *b, const char *text);
/* Text as a face says: Pango's markup, of which we use <b> alone, is HTML already. */
void markup_faced(struct buf *b, const struct face *s, const char *text);

void markup_heading(struct flow *f, int level, int dest, const char *text);
/* class: NULL, or one of the style sheet's */
void markup_par(struct flow *f, const struct face *s, const char *class, const char *text);
void markup_code(struct flow *f, const char *text);
void markup_verdict(struct flow *f, enum colour colour, const char *word, const char *text);

void markup_table(struct table *t);
void markup_row(struct table *t, const struct td *cells);
void markup_group(struct table *t, const char *text);
void markup_table_end(struct table *t);

/* The style sheet's class for a text of a colour, NULL for plain text. */
const char *markup_class(enum colour c);

#endif
