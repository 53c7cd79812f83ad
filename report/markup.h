/* markup.h - texts in GitHub-flavoured Markdown (private to report/; markdown.c). */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include "base/base.h"

/* Text of a name: a bar would end a table cell, < and & begin HTML, control characters end a line. */
void md_cell(struct buf *b, const char *s);
/* Inline code: fenced by one backtick more than the longest run of them inside. */
void md_code(struct buf *b, const char *s);

#endif
