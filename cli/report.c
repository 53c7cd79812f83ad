/* report.c - gpuemu report: evidence as text; pictures are drawn by gpuemu-report. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/report.h"

enum { O_FORMAT = 256, O_CHART, O_TABLE, O_TABLES, O_LIST_TABLES, O_JUNIT, O_SARIF, O_SUMMARY, O_BADGE };

static const struct option options[] = {
	{"format", 1, NULL, O_FORMAT},
	{"out", 1, NULL, 'o'},
	{"table", 1, NULL, O_TABLE},
	{"tables", 0, NULL, O_TABLES},
	{"list-tables", 0, NULL, O_LIST_TABLES},
	{"junit", 1, NULL, O_JUNIT},
	{"sarif", 1, NULL, O_SARIF},
	{"summary", 1, NULL, O_SUMMARY},
	{"badge", 1, NULL, O_BADGE},
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

static int print_text(const cJSON *evidence, const char *format, const char *out)
{
	struct buf b = {0};
	struct err e = {0};
	int rc = 0;

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
	return rc;
}

struct request {
	const char *format, *out, *table;
	bool chart, tables, list;
	struct cli_outputs files;
};

/* Evidence as text, in a format or none, and as the files that are asked for. */
static int text_report(const struct request *r, char **paths, int n)
{
	cJSON *evidence = NULL;
	struct err e = {0};
	int rc = 0;

	if (n != 1)
		return cli_usage("report", "name one evidence.json");
	if (report_read(paths[0], &evidence, &e) != ST_OK)
		return cli_error(&e);
	if (r->format)
		rc = print_text(evidence, r->format, r->out);
	if (rc == 0)
		rc = cli_write_outputs(&r->files, evidence);
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

static int parse_option(struct request *r, int opt, const char *arg)
{
	switch (opt) {
	case O_FORMAT: r->format = arg; return -1;
	case 'o': r->out = arg; return -1;
	case O_TABLE: r->table = arg; return -1;
	case O_TABLES: r->tables = true; return -1;
	case O_LIST_TABLES: r->list = true; return -1;
	case O_CHART: r->chart = true; return -1;
	case O_JUNIT: r->files.junit = arg; return -1;
	case O_SARIF: r->files.sarif = arg; return -1;
	case O_SUMMARY: r->files.summary = arg; return -1;
	case O_BADGE: r->files.badge = arg; return -1;
	default: return cli_usage("report", "unknown option or missing value");
	}
}

int cmd_report(int argc, char **argv)
{
	struct request r = {0};
	char **given = mem_zalloc((size_t)argc + 1, sizeof *given);
	bool files;
	int opt, rc = -1;

	/* getopt_long moves them about */
	memcpy(given, argv, sizeof *given * (size_t)argc);
	opterr = 0;
	while (rc < 0 && (opt = getopt_long(argc, argv, "o:", options, NULL)) != -1)
		rc = parse_option(&r, opt, optarg);
	files = r.files.junit || r.files.sarif || r.files.summary || r.files.badge;
	if (rc < 0 && files && (r.chart || r.table || r.tables || r.list || (r.format && !is_text(r.format))))
		rc = cli_usage("report", "--junit, --sarif, --summary and --badge go with a text format or none");
	if (rc < 0 && (r.table || r.tables || r.list))
		rc = figures(r.table, r.tables, r.format, r.out, argv + optind, argc - optind);
	else if (rc < 0 && (files || (!r.chart && r.format && is_text(r.format))))
		rc = text_report(&r, argv + optind, argc - optind);
	else if (rc < 0 && !r.chart && r.format && strcmp(r.format, "pdf") != 0 && strcmp(r.format, "html") != 0)
		rc = cli_usage("report", "unknown format '%s' (pdf, html, table, markdown, junit)", r.format);
	if (rc < 0)
		rc = draw(given);
	free(given);
	return rc;
}
