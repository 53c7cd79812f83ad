/* report.c - gpuemu report: evidence as text; pictures are drawn by gpuemu-report. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/report.h"

enum { O_FORMAT = 256, O_CHART, O_TABLE, O_TABLES, O_LIST_TABLES };

static const struct option options[] = {
	{"format", 1, NULL, O_FORMAT},
	{"out", 1, NULL, 'o'},
	{"table", 1, NULL, O_TABLE},
	{"tables", 0, NULL, O_TABLES},
	{"list-tables", 0, NULL, O_LIST_TABLES},
	/* gpuemu-report's: they are handed on */
	{"list-charts", 0, NULL, O_CHART},
	{"chart", 1, NULL, O_CHART},
	{"width", 1, NULL, O_CHART},
	{"dpi", 1, NULL, O_CHART},
	{"plain", 0, NULL, O_CHART},
	{"kernel", 1, NULL, O_CHART},
	{"dtype", 1, NULL, O_CHART},
	{"cell", 1, NULL, O_CHART},
	{NULL, 0, NULL, 0},
};

/* gpuemu-report stands beside this program, or is found on PATH. It takes the same options; argv ends
 * with NULL. Returns only when it cannot be started. */
static int draw(char **argv)
{
	static char program[] = "gpuemu-report";
	char self[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - sizeof program);

	argv[0] = program;
	if (n > 0) {
		self[n] = 0;
		slash = strrchr(self, '/');
		strcpy(slash ? slash + 1 : self, program);
		execv(self, argv);
	}
	execvp(program, argv);
	fprintf(stderr, "gpuemu report: cannot start gpuemu-report: %s; text formats need it not: "
	                "--format table, markdown or junit\n", strerror(errno));
	return 3;
}

static bool is_text(const char *format)
{
	return strcmp(format, "table") == 0 || strcmp(format, "markdown") == 0 || strcmp(format, "junit") == 0;
}

static int text_report(const char *path, const char *format, const char *out)
{
	cJSON *evidence = NULL;
	struct buf b = {0};
	struct err e = {0};
	int rc = 0;

	if (report_read(path, &evidence, &e) != ST_OK)
		return cli_error(&e);
	if (strcmp(format, "table") == 0)
		report_table(evidence, 100, isatty(STDOUT_FILENO) && !out, &b);
	else if (strcmp(format, "markdown") == 0)
		report_markdown(evidence, &b);
	else
		report_junit(evidence, &b);
	if (!out)
		rc = cli_print(b.s, b.len);
	else if (file_write(out, b.s, b.len, &e) != ST_OK)
		rc = cli_error(&e);
	buf_free(&b);
	cJSON_Delete(evidence);
	return rc;
}

/* A table, all of them (name NULL, tables), or their list. */
static int figures(const char *name, bool tables, const char *format, const char *out, char **paths, int n)
{
	struct buf b = {0};
	struct err e = {0};
	enum st st = name   ? report_figures(name, format ? format : "markdown", paths, n, &b, &e) :
	             tables ? report_figures_all(out ? out : ".", paths, n, &e) :
	                      report_figures_list(paths, n, &b, &e);
	int rc = 0;

	if (st == ST_OK && name && out)
		st = file_write(out, b.s, b.len, &e);
	else if (st == ST_OK && b.s)
		rc = cli_print(b.s, b.len);
	buf_free(&b);
	return st == ST_OK ? rc : cli_error(&e);
}

int cmd_report(int argc, char **argv)
{
	const char *format = NULL, *out = NULL, *table = NULL;
	char **given = mem_zalloc((size_t)argc + 1, sizeof *given);
	bool chart = false, tables = false, list = false;
	int opt, rc = -1;

	/* getopt_long moves them about */
	memcpy(given, argv, sizeof *given * (size_t)argc);
	opterr = 0;
	while (rc < 0 && (opt = getopt_long(argc, argv, "o:", options, NULL)) != -1)
		if (opt == O_FORMAT)
			format = optarg;
		else if (opt == 'o')
			out = optarg;
		else if (opt == O_TABLE)
			table = optarg;
		else if (opt == O_TABLES)
			tables = true;
		else if (opt == O_LIST_TABLES)
			list = true;
		else if (opt == O_CHART)
			chart = true;
		else
			rc = cli_usage("report", "unknown option or missing value");
	if (rc < 0 && (table || tables || list))
		rc = figures(table, tables, format, out, argv + optind, argc - optind);
	else if (rc < 0 && !chart && format && is_text(format))
		rc = argc - optind == 1 ? text_report(argv[optind], format, out)
		                        : cli_usage("report", "name one evidence.json");
	else if (rc < 0 && !chart && format && strcmp(format, "pdf") != 0 && strcmp(format, "html") != 0)
		rc = cli_usage("report", "unknown format '%s' (pdf, html, table, markdown, junit)", format);
	if (rc < 0)
		rc = draw(given);
	free(given);
	return rc;
}
