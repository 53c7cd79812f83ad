/* read.h - small readers of evidence (private to report/). Missing texts are "", missing numbers 0.
 */
#ifndef REPORT_READ_H
#define REPORT_READ_H

#include "report/number.h"
#include "report/report.h"

const char *ev_text(const cJSON *j, const char *key);
double ev_number(const cJSON *j, const char *key);
const cJSON *ev_get(const cJSON *j, const char *key);
bool ev_is(const cJSON *j, const char *key, const char *text);
/* Is the text one of a list's? */
bool ev_lists(const cJSON *list, const char *text);
bool ev_has_set(const cJSON *kernel, const char *set);

/* "seed" names a set of the corpus, a published check, and what random numbers begin with: for
 * people the set is the seed corpus and the check the one-shape check. */
void ev_put_set(struct buf *b, const char *set);
const char *ev_check_title(const char *profile);
/* "f16, bf16": the dtypes of a kernel with that verdict; returns how many. */
int ev_put_dtypes(struct buf *b, const cJSON *kernel, const char *verdict);

/* Over the dtypes of a kernel. */
struct ev_totals {
	double cases, failed, failed_by_value, unknown, unsupported, no_power;
};
struct ev_totals ev_totals(const cJSON *kernel);

/* Seeds that a profile accepts on an input ("friendly", "v0", "head") in a dtype; false: no such
 * input. */
bool ev_bench(const cJSON *kernel, const char *input, const char *dtype, const char *profile,
              int *accepted, int *seeds);

/* The 95 % interval of a set's share as num_limits writes it (number.h); false: it has none. */
bool ev_limits(const cJSON *set, const char *key, char *lo, char *hi);

/* The command that replays a case of a kernel, up to the case: the evidence's own, which has the campaign's device and options; of
 * evidence that has none, "gpuemu replay" and the folder. */
void ev_put_replay(struct buf *b, const cJSON *kernel);
/* Were accesses and barriers watched? Only the emulator does, unless it was told not to. */
bool ev_watched(const cJSON *evidence);

/* The kind of the first error finding of a kernel, or "". */
const char *ev_first_finding(const cJSON *kernel);
/* What tells a finding's place from others and stays when lines are added above it: its entry and the text of its source line
 * (as far as evidence has it). */
void ev_place(struct buf *b, const cJSON *kernel, const cJSON *finding);
/* A line number of a finding; 0: none, or no line that a file has. */
int ev_line(const cJSON *finding, const char *key);
/* Where a finding stands: *path, a file's, and the line in it: of the source, else of the PTX. 0: the line is not known, and *path is the kernel's source,
 * else its PTX, else "". */
int ev_locate(const cJSON *kernel, const cJSON *finding, const char **path);
/* The minimal failing case of the first dtype that has one, preferring one found by value; or NULL.
 */
const cJSON *ev_minimal(const cJSON *kernel);

/* Columns that a UTF-8 text takes on a terminal, counting each code point as one. */
int ev_columns(const char *s);

#endif
