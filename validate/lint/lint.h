/* lint.h - what the PTX of a kernel tells without running it on data: rules, metrics, differences between two versions.
 *
 * Two engines. Static analyses hold for every launch: control flow, divergence, definitions, origins of addresses. The
 * witness engine executes the integer part of a program (addresses, conditions, loop counts) for chosen launches, thread by
 * thread; floating-point data are unknown to it, and what hangs on them is left out, so that what it finds is a fact of
 * that launch with block and thread to show for it. docs/lint.md lists the rules. */
#ifndef VALIDATE_LINT_LINT_H
#define VALIDATE_LINT_LINT_H

#include "base/hosts.h"
#include "cases/cases.h"
#include "ptx/ptx.h"
#include "validate/lint/cubin.h"
#include "validate/validate.h"

enum lint_severity { LINT_NOTE, LINT_WARNING, LINT_ERROR };
/* confirmed: a case was run and showed it. */
enum lint_confidence { LINT_POSSIBLE, LINT_PROVED, LINT_CONFIRMED };
const char *lint_severity_name(enum lint_severity s);
const char *lint_confidence_name(enum lint_confidence c);

struct lint_fn;
struct lint_rule {
	const char *id;
	enum lint_severity severity; /* the highest it gives */
	const char *title, *explanation, *example, *hint;
	void (*run)(struct lint_fn *f); /* NULL: the witness engine reports it */
};
/* The table, NULL behind the last. */
const struct lint_rule *lint_rule_get(int i);
const struct lint_rule *lint_rule_find(const char *id);

struct lint_finding {
	const struct lint_rule *rule;
	enum lint_severity severity;
	enum lint_confidence confidence;
	const char *entry, *message;
	int ptx_line, ptx_col, source_line; /* from 1; 0: not known */
	const char *source_file;            /* NULL: not known */
	const char *allowed;                /* NULL, or the reason why it is suppressed */
	const char *dropped;                /* NULL, or why it was dropped: cases were run and did not show it */
	const char *kase;                   /* NULL, or the line of the case that showed it */
};

/* Counted in the PTX of one entry. */
struct lint_metrics {
	const char *entry;
	int instructions, registers, predicates; /* registers: 32-bit words that are named, before allocation */
	int threads;               /* of a block, and its dynamic shared memory: the largest launch seen; 0: none */
	uint64_t dynamic_shared;
	int loads, stores, shared_ops, float_ops, integer_ops, branches, barriers, atomics, shuffles, special, other;
	uint64_t shared_bytes, local_bytes;
};

struct lint_report {
	struct arena *arena; /* owns all but the findings' rules */
	const char *name;    /* of the kernel or file */
	const char *folder;  /* of the kernel, NULL: a file */
	const char *text;    /* the PTX */
	size_t len;
	const char *source;  /* NULL, or the CUDA source */
	const char *source_path;
	const char *ptx_path; /* of a kernel that ships PTX, else NULL */
	struct lint_finding *findings;
	int nfindings, cap;
	struct lint_metrics *metrics;
	int nmetrics;
	struct sass *sass;    /* of its machine code, if it was asked for */
	int nsass;
	const char *disassembled_by; /* NULL, or the command that gave the mnemonics */
	const char *unfinished; /* NULL, or the first entry that was too large to be analysed whole */
	const char **ptx_line, **source_line; /* where each line of text and of source begins, and where the last ends; NULL: machine code */
	int nptx_lines, nsource_lines;
	const char *assumed;  /* one sentence: what the witness engine went by */
	int launches;         /* it executed */
	int runs;             /* cases that lint_confirm ran */
};

/* A launch given by hand for a PTX file: "grid=4,1,1 block=256 shared=0 args=ptr:1024,i32:7,i64:-1". ptr:N is a buffer of N bytes,
 * each aligned to 256. */
struct lint_options {
	const char *launch; /* NULL: none */
	const char *entry;  /* NULL: all */
};

/* Lints PTX text. Findings are in the order of the text. Errors: text that does not parse, a launch that does not. */
MUST_USE enum st lint_text(const char *text, size_t len, const char *name, const struct lint_options *o,
                           struct lint_report **out, struct err *e);
/* Lints a kernel folder: its module (NULL: its shipped PTX is parsed) with the facts of its manifest. */
MUST_USE enum st lint_kernel(const struct kernel *k, const struct ptx_module *m, struct lint_report **out, struct err *e);
/* Lints machine code: its metrics and what exceeds an SM. Errors: as of cubin_read. */
MUST_USE enum st lint_cubin(const void *data, size_t n, const char *name, struct lint_report **out, struct err *e);
/* Adds machine code's metrics to a report of the same kernel. */
MUST_USE enum st lint_add_cubin(struct lint_report *r, const void *data, size_t n, struct err *e);
/* Counts the instructions of a cubin file that the report is of by name, with nvdisasm or cuobjdump, whichever is in PATH and reads it; false: neither. */
bool lint_disassemble(struct lint_report *r, const char *path);
/* Machine code of a kernel's source for sm_SM by NVRTC, caller frees. ST_INPUT: there is no source; else as of nvrtc_cubin. */
MUST_USE enum st lint_compile(const struct kernel *k, int sm, char **data, size_t *n, struct err *e);
/* Threads of a block and shared bytes that occupancy of a kernel is computed for: of the largest launch seen; of the code's own bound; or
 * 256 threads. */
void lint_block_of(const struct lint_report *r, const struct sass *s, int *threads, uint64_t *shared);
void lint_report_free(struct lint_report *r);
/* Does it count: neither allowed nor dropped? */
bool lint_counts(const struct lint_finding *f);
int lint_count(const struct lint_report *r, enum lint_severity s); /* findings of that severity that count */

/* Confirming (confirm.c): runs cases of the kernel on t's device with sanitizers on: the launches that the witness engine looked at,
 * then more of the campaign's. A finding that one of them shows at its place becomes confirmed, of its rule's severity, with the
 * case's line; one that was possible, whose place was reached and which no case showed is dropped; others stay. Needs a
 * device that tells what it reached: the emulator. Findings of rules that no sanitizer can see are tried by values, if at all:
 * wrong results with values made for the rule, where ordinary ones give right results. Errors: the tool's alone. */
MUST_USE enum st lint_confirm(struct lint_report *r, const struct target *t, struct err *e);

/* Output (output.c). reports: n of them. */
void lint_print_text(struct buf *b, const struct lint_report *r, bool notes);
void lint_print_metrics(struct buf *b, const struct lint_report *r);
cJSON *lint_json(struct lint_report *const *reports, int n);  /* {"findings", "kernels", "summary"} */
cJSON *lint_report_json(const struct lint_report *r);         /* one kernel's: {"errors", "warnings", "notes", "findings", "metrics"} */
cJSON *lint_sarif(struct lint_report *const *reports, int n); /* SARIF 2.1.0 */
struct sarif_rule lint_sarif_rule(const struct lint_rule *r); /* points into r */
void lint_print_github(struct buf *b, const struct lint_report *r);
void lint_explain(struct buf *b, const struct lint_rule *r);

/* Differences (difference.c). */
enum lint_change { LINT_SAME, LINT_CONSTANT, LINT_STRUCTURAL };
const char *lint_change_name(enum lint_change c);
/* Compares two PTX texts entry by entry modulo names of registers, labels, parameters and variables; diff gets a readable list of what
 * differs, with source lines. Entries are paired by order. */
MUST_USE enum st lint_difference(const char *a, size_t na, const char *name_a, const char *b, size_t nb, const char *name_b,
                                 enum lint_change *change, struct buf *diff, struct err *e);

#endif
