/* baseline.h - a campaign's outcome kept in a file, small enough to be committed, and what changed since (gpuemu ci).
 *
 * A baseline is JSON (baseline.schema.json; docs/ci.md) with a line a kernel and dtype and a line a kernel for lint, sorted, without
 * dates: the same campaign gives the same bytes. Kernels are known by their folder's path from the folder of the
 * baseline. A baseline made of evidence (baseline_make) has more, under keys that begin with @, which are not written: where a finding
 * stands, which lines the failing cases have. */
#ifndef REPORT_BASELINE_H
#define REPORT_BASELINE_H

#include "base/hosts.h"

/* Cases that are kept a kernel and dtype to be run again. */
#define BASELINE_MAX_REPLAY 8

/* ST_INPUT: there is none (the message says how to make one), or it is not one. Caller frees with cJSON_Delete. */
MUST_USE enum st baseline_read(const char *path, cJSON **out, struct err *e);
/* Whole or not at all. */
MUST_USE enum st baseline_write(const char *path, const cJSON *baseline, struct err *e);
/* The key of a kernel's folder in a baseline that is, or will be, at path. Caller frees. */
char *baseline_key(const char *path, const char *folder);

/* What evidence says, as a baseline at path. failing: an object that has for "KERNEL:DTYPE" (the kernel's name) the array of the lines of its
 * cases that fail; replayed: an object that has for "KEY:DTYPE" the array of {"case", "verdict"} of those that were run again. */
cJSON *baseline_make(const cJSON *evidence, const char *path, const cJSON *failing, const cJSON *replayed);
/* Is a kernel of a baseline (by its key) at or below one of n folders (keys too)? */
bool baseline_within(const char *kernel, char *const *folders, int n);
/* now, and what of `was` is outside of the n folders or was not run now (`left_out`: keys of kernels): for writing. */
cJSON *baseline_merge(const cJSON *was, const cJSON *now, char *const *folders, int n, const cJSON *left_out);

enum change_kind { CHANGE_WORSE, CHANGE_UNDECIDED, CHANGE_NEUTRAL, CHANGE_BETTER };
/* What a change is about; in this order annotations are written, of which GitHub shows ten of each level a step. */
enum change_about { ABOUT_VERDICT, ABOUT_FINDING, ABOUT_LINT, ABOUT_COUNT };
struct change {
	enum change_kind kind;
	enum change_about about;
	const char *kernel, *dtype; /* dtype: "" (or NULL, to add one) for the whole kernel */
	const char *text;           /* one sentence without a full stop */
	const char *replay;         /* NULL, or a command that shows it */
	const char *path;           /* NULL, or the file it stands in, and the line there or 0 */
	int line;
};
struct changes {
	struct change *v; /* owns its texts */
	int n, cap;
	struct buf causes; /* what else is not as it was: tool, device, tolerances; empty: nothing */
};
void changes_add(struct changes *c, const struct change *one); /* texts are copied */
void changes_free(struct changes *c);
int changes_count(const struct changes *c, enum change_kind kind);
const char *change_name(enum change_kind k);

/* What changed, in the order of kernels. n folders were run; left_out: keys of kernels that could not be. */
void baseline_compare(struct changes *c, const cJSON *was, const cJSON *now, char *const *folders, int n, const cJSON *left_out);

/* The changes as text; as annotations of a GitHub workflow; as Markdown of at most `most` bytes, which says that nothing changed when nothing
 * did. baseline: the file's path. */
void changes_print(struct buf *b, const struct changes *c, const char *baseline);
void changes_annotate(struct buf *b, const struct changes *c, const char *baseline);
void changes_markdown(struct buf *b, const struct changes *c, const char *baseline, size_t most);

#endif
