/* cli.h - the commands of gpuemu. Each takes its own argv (argv[0] is the command's name) and returns the
 * exit status: 0 all as expected, 1 a FAIL or something unexpected, 2 wrong input, 3 gpuemu could not. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "validate/validate.h"

struct command {
	const char *name, *usage, *summary, *help;
	int (*run)(int argc, char **argv);
};
extern const struct command commands[];
extern const size_t ncommands;

int cmd_validate(int argc, char **argv);
int cmd_ci(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_lint(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_time(int argc, char **argv);
int cmd_mutate(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_tolerances(int argc, char **argv);
int cmd_inputs(int argc, char **argv);
int cmd_judge(int argc, char **argv);
int cmd_sign(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_ops(int argc, char **argv);
int cmd_compile(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/* The modes of calibrate; argv[0] is the mode's option. */
int calibrate_envelopes_command(int argc, char **argv); /* argv[0] is "calibrate" */
int calibrate_isa_command(int argc, char **argv);
int calibrate_math_command(int argc, char **argv);

/* Prints "gpuemu: message" and returns the exit status of the error. */
int cli_error(const struct err *e);
/* "gpuemu COMMAND: what; see gpuemu COMMAND --help", returns 2. */
int cli_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Whole texts to stdout; a full disk is an error. Returns 0 or 3. */
int cli_print(const char *s, size_t n);

/* Appends "PROGRAM ARGUMENT …", for records. */
void cli_command_text(struct buf *b, const char *program, int argc, char *const *argv);

/* An integer option lo..hi; a message and false when it is none. */
bool cli_int(const char *command, const char *option, const char *text, int64_t lo, int64_t hi,
             int64_t *out);
/* A 64-bit number in decimal or, with 0x, hexadecimal. */
bool cli_seed(const char *command, const char *text, uint64_t *out);

/* Kernel folders below the given ones (a folder with kernel.json is itself one), sorted by path; caller
 * frees with cli_folders_free. set: NULL, or only kernels whose manifest names the set. */
MUST_USE enum st cli_find_kernels(char *const *paths, int n, const char *set, char ***folders,
                                  int *nfolders, struct err *e);
void cli_folders_free(char **folders, int n);

/* A campaign over kernel folders. */
struct cli_campaign {
	struct campaign_options o;
	const char *set, *tolerances; /* NULL: all kernels; the device's table */
	const char *device;
	bool recompile;
	/* NULL, or called with the n kernels that could be opened before their cases run */
	enum st (*before)(void *ctx, struct target *const *t, int n, struct err *e);
	void *ctx;
};
/* Runs it over the kernels at and below paths. Returns 0, or the exit status after a message. Kernels that cannot be opened are told at once:
 * *left is the exit status of the first of them, or 0. *evidence stays NULL when there is no other. */
int cli_campaign_run(struct cli_campaign *c, char *const *paths, int npaths, cJSON **evidence, int *left);

/* Files for continuous integration that are made of evidence; NULL: not wanted. */
struct cli_outputs {
	const char *junit, *sarif, *summary, *badge;
};
/* Writes them, each whole or not at all. Returns 0, or the exit status after a message. */
int cli_write_outputs(const struct cli_outputs *o, const cJSON *evidence);

/* A tolerance table: a file (*owned then, to be freed), or a built-in one by name. */
MUST_USE enum st cli_table(const char *name, struct tolerance_table **owned, const struct tolerance_table **t,
                           struct err *e);

/* Figures by key into a JSON object in a file that other commands write to as well (results/fidelity.json): their
 * keys stay. The file is made when there is none. */
struct cli_figure {
	const char *key;
	double value;
};
MUST_USE enum st cli_record(const char *path, const struct cli_figure *figures, size_t n, struct err *e);

#endif
