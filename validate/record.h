/* record.h - cases.jsonl: a header line, then one JSON object a case, in case order (private).
 *
 * What a campaign knows of its cases it learns from these lines alone, whether they were written a moment
 * ago or before a kill: so a resumed campaign and an uninterrupted one agree. */
#ifndef VALIDATE_RECORD_H
#define VALIDATE_RECORD_H

#include <stdio.h>

#include "validate/internal.h"

/* The line of a case (one line, no newline), caller frees. new_edges: coverage it added. */
char *record_line(const struct target *t, const struct kase *c, int i, const struct case_result *r,
                  int new_edges, double seconds);

/* A number of a record's or of evidence's object: "inf" and "-inf" are infinite, null and none are NaN. */
double record_number(const cJSON *j, const char *key);

struct record_file {
	FILE *f;
	char *path;
};
/* Opens path for appending. resume: reads what is there, checks the header (ST_INPUT when the file belongs
 * to another campaign), cuts a half-written last line, and calls line() for every complete one. Without
 * resume the file is made anew. */
MUST_USE enum st record_open(struct record_file *r, const char *path, const char *header, bool resume,
                             enum st (*line)(void *ctx, const cJSON *j, struct err *e), void *ctx,
                             struct err *e);
/* Calls header() for the first line and line() for every complete one after it. */
MUST_USE enum st record_read(const char *path, enum st (*header)(void *ctx, const cJSON *j, struct err *e),
                             enum st (*line)(void *ctx, const cJSON *j, struct err *e), void *ctx, struct err *e);
/* Appends a line and hands it to the kernel (fflush). */
MUST_USE enum st record_append(struct record_file *r, const char *line, struct err *e);
MUST_USE enum st record_close(struct record_file *r, struct err *e);

#endif
