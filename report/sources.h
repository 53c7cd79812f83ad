/* sources.h - the files that reports, charts and tables are made from (private to report/).
 *
 * A file is known by what is in it, not by its name, so that files and folders can be named in any
 * order: evidence of a campaign, tolerance tables, the figures of the studies in results/. */
#ifndef REPORT_SOURCES_H
#define REPORT_SOURCES_H

#include "report/report.h"

/* X(name, what it is, the command that makes it) */
#define SOURCE_LIST(X)                                                                             \
	X(EVIDENCE, "evidence", "gpuemu validate")                                                 \
	X(TABLE, "tolerance table", "gpuemu calibrate -o FILE")                                    \
	X(TABLE2, "second tolerance table", "gpuemu calibrate on another device")                  \
	X(CALIBRATION, "calibration figures", "tools/calibration.sh")                              \
	X(STRATEGIES, "figures of strategies", "tools/strategies.py")                              \
	X(COVERAGE, "figures of coverage", "tools/coverage.py")                                    \
	X(MUTATION, "figures of mutants", "tools/mutation.py")                                     \
	X(FIDELITY, "fidelity figures", "tools/fidelity.sh")                                       \
	X(DEVICES, "comparison of two devices", "gpuemu compare --json=FILE FOLDER")               \
	X(MATH, "record of the math functions", "gpuemu calibrate --math -o FILE")                 \
	X(LINT, "lint figures", "tools/lint-results.sh")

enum source {
#define X(name, what, command) SRC_##name,
	SOURCE_LIST(X)
#undef X
	        SRC_COUNT
};

#define SOURCE_MAX_RUNS 16

/* file[k]: NULL when none was given; path[k]: where it came from; runs: names of files of the runs
 * of a calibration (NAME.runs.jsonl), which are not read here. Zero-initialise; sources_free. */
struct sources {
	cJSON *file[SRC_COUNT];
	char *path[SRC_COUNT];
	char *runs[SOURCE_MAX_RUNS];
	int nruns;
};

/* Reads a file, or of a folder every *.json in order of name, and takes note of *.runs.jsonl, those
 * beside a tolerance table too. A second tolerance table is TABLE2; a
 * third, and any other kind twice, is ST_INPUT, as is a file (not one in a folder) of no known
 * kind. Of a folder, what was given before stays and files of no known kind are passed over. */
MUST_USE enum st sources_add(struct sources *s, const char *path, struct err *e);
void sources_free(struct sources *s);

/* "no evidence given (made by gpuemu validate)": why what needs it cannot be made. Lives as
 * long as the program. */
const char *source_missing(enum source k);
const char *source_name(enum source k);

/* The date that what is made from them bears: the evidence's, else the latest of the others, in the
 * form 2026-12-02T00:00:00Z; "1970-01-01T00:00:00Z" when none has one. */
void sources_date(const struct sources *s, char out[32]);

#endif
