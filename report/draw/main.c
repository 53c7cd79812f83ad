/* main.c - gpuemu-report: draws the report and the charts. gpuemu report starts it with its own
 * options.
 *
 * Exit status as everywhere in gpuemu: 0 done, 2 the input or the folder is wrong, 3 the tool could
 * not do it. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/audit/report.h"
#include "report/draw/chart.h"
#include "report/html/html.h"

static const char help[] =
        "usage: gpuemu-report [OPTION …] EVIDENCE.json [FILE …]\n"
        "\n"
        "Draws DIR/report.pdf from evidence that gpuemu validate wrote, and every chart whose data "
        "are "
        "there\nas DIR/charts/NAME.svg. More FILEs are tolerance tables and the figures of "
        "studies; a "
        "folder stands\nfor the JSON files in it; files are known by what they hold. The same "
        "files "
        "give the same bytes.\n"
        "\n"
        "  -o, --out PATH    folder to write to, made if missing (default: the current one); with "
        "--chart\n"
        "                    the file (default: NAME.FORMAT)\n"
        "      --list-charts the charts, and with FILEs which cannot be drawn, and why\n"
        "      --chart NAME  only this chart\n"
        "      --format F    of the report: pdf (default), html: one file, to PATH or the standard "
        "output; of --chart:\n"
        "                    svg (default), pdf, png\n"
        "      --width W     of --chart: points; 241 are 85 mm (default: the chart's own)\n"
        "      --dpi N       of a png (default 200)\n"
        "      --plain       a chart without title and caption, for a document with its own\n"
        "      --kernel K    the kernel of a chart that shows one\n"
        "      --dtype T     its element type\n"
        "      --cell C      the cell of a chart that shows one: OP/TYPES, or OP/TYPES FAMILY "
        "GROUP\n"
        "  -h, --help        this text\n"
        "      --version     the version\n"
        "\n"
        "Exit status: 0 drawn; 2 a file or the folder is wrong, or the chart's data are not there; "
        "3 a "
        "full\ndisk or a fault of the tool.\n";

enum {
	O_VERSION = 256,
	O_LIST,
	O_CHART,
	O_FORMAT,
	O_WIDTH,
	O_DPI,
	O_PLAIN,
	O_KERNEL,
	O_DTYPE,
	O_CELL
};

static const struct option options[] = {
        {"out", required_argument, NULL, 'o'},
        {"list-charts", no_argument, NULL, O_LIST},
        {"chart", required_argument, NULL, O_CHART},
        {"format", required_argument, NULL, O_FORMAT},
        {"width", required_argument, NULL, O_WIDTH},
        {"dpi", required_argument, NULL, O_DPI},
        {"plain", no_argument, NULL, O_PLAIN},
        {"kernel", required_argument, NULL, O_KERNEL},
        {"dtype", required_argument, NULL, O_DTYPE},
        {"cell", required_argument, NULL, O_CELL},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, O_VERSION},
        {NULL, 0, NULL, 0},
};

struct request {
	const char *out, *chart, *format, *kernel, *dtype, *cell;
	struct chart_style style;
	bool list, html;
};

static int complain(const char *what, const char *text)
{
	fprintf(stderr, "gpuemu-report: %s%s; see gpuemu-report --help\n", what, text);
	return 2;
}

static int print(const char *text)
{
	return fputs(text, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 3;
}

/* ---- what is drawn ---- */

static enum st write_chart(const struct chart *k, const struct charts *in, struct chart_style style,
                           const char *path, struct err *e)
{
	struct buf b = {0};
	enum st rc;

	TRY_OR(done, rc, chart_file(k, in, style, &b, e));
	rc = file_write(path, b.s, b.len, e);
done:
	buf_free(&b);
	return rc;
}

static enum st one_chart(const struct request *r, const struct charts *in, struct err *e)
{
	const struct chart *k = chart_find(r->chart);
	const char *why;
	char name[200];

	if (!k)
		return FAIL(e, INPUT, "there is no chart '%s'; --list-charts lists them", r->chart);
	if ((why = k->absent(in)) != NULL)
		return FAIL(e, INPUT, "the chart %s cannot be drawn: %s", k->name, why);
	snprintf(name, sizeof name, "%s.%s", k->name, chart_formats[r->style.format]);
	return write_chart(k, in, r->style, r->out ? r->out : name, e);
}

static int list_charts(const struct charts *in, bool files)
{
	struct buf b = {0};
	int rc;

	for (size_t i = 0; i < ncharts; i++) {
		const char *why = files ? charts[i]->absent(in) : NULL;

		buf_printf(&b, "%-12s %s%s%s\n", charts[i]->name, charts[i]->title,
		           why ? "\n             absent: " : "", why ? why : "");
	}
	rc = print(b.s);
	buf_free(&b);
	return rc;
}

static enum st all_charts(const struct charts *in, const char *dir, struct err *e)
{
	char *folder = path_join(dir, "charts");
	enum st rc = dir_make(folder, e);

	for (size_t i = 0; i < ncharts && rc == ST_OK; i++) {
		char name[200], *path;

		if (charts[i]->absent(in))
			continue;
		snprintf(name, sizeof name, "%s.svg", charts[i]->name);
		path = path_join(folder, name);
		rc = write_chart(charts[i], in, (struct chart_style){.format = CHART_SVG}, path, e);
		free(path);
	}
	free(folder);
	return rc;
}

static enum st whole_report(const struct charts *in, const char *dir, struct err *e)
{
	char *path = path_join(dir, "report.pdf");
	struct buf b = {0};
	enum st rc;

	TRY_OR(done, rc, dir_make(dir, e));
	TRY_OR(done, rc, audit_report(in, &b, e));
	TRY_OR(done, rc, file_write(path, b.s, b.len, e));
	rc = all_charts(in, dir, e);
done:
	buf_free(&b);
	free(path);
	return rc;
}

/* One file; path NULL: the standard output. */
static enum st html_file(const struct charts *in, const char *path, struct err *e)
{
	struct buf b = {0};
	enum st rc;

	TRY_OR(done, rc, html_report(in, &b, e));
	if (path)
		rc = file_write(path, b.s, b.len, e);
	else if (fwrite(b.s, 1, b.len, stdout) != b.len || fflush(stdout) != 0)
		rc = FAIL(e, IO, "the standard output cannot be written");
done:
	buf_free(&b);
	return rc;
}

/* ---- command line ---- */

static bool positive(const char *text, double most, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && *out >= 1 && *out <= most;
}

static int set_format(struct request *r)
{
	r->html = !r->chart && r->format && strcmp(r->format, "html") == 0;
	if (r->html)
		return 0;
	for (int i = 0; r->format && i < CHART_FORMATS; i++)
		if (strcmp(r->format, chart_formats[i]) == 0) {
			r->style.format = (enum chart_format)i;
			return 0;
		}
	return r->format ? complain("unknown format (pdf, html; of a chart svg, pdf, png): ", r->format) : 0;
}

static int parse(struct request *r, int o)
{
	switch (o) {
	case 'o':
		r->out = optarg;
		return 0;
	case O_LIST:
		r->list = true;
		return 0;
	case O_CHART:
		r->chart = optarg;
		return 0;
	case O_FORMAT:
		r->format = optarg;
		return 0;
	case O_WIDTH:
		if (positive(optarg, 5000, &r->style.width) && r->style.width >= CHART_COLUMN)
			return 0;
		return complain("--width takes 241 to 5000 points, not ", optarg);
	case O_DPI:
		if (positive(optarg, 2400, &r->style.dpi))
			return 0;
		return complain("--dpi takes 1 to 2400, not ", optarg);
	case O_PLAIN:
		r->style.plain = true;
		return 0;
	case O_KERNEL:
		r->kernel = optarg;
		return 0;
	case O_DTYPE:
		r->dtype = optarg;
		return 0;
	case O_CELL:
		r->cell = optarg;
		return 0;
	default:
		fprintf(stderr, "gpuemu-report: see gpuemu-report --help\n");
		return 2;
	}
}

static int run(const struct request *r, char **paths, int n)
{
	struct sources src = {0};
	struct charts in = {0};
	struct err e = {0};
	enum st rc = ST_OK;
	int status = 0;

	for (int i = 0; i < n; i++)
		TRY_OR(done, rc, sources_add(&src, paths[i], &e));
	TRY_OR(done, rc, charts_init(&in, &src, &e));
	in.kernel = r->kernel;
	in.dtype = r->dtype;
	in.cell = r->cell;
	if (r->list)
		status = list_charts(&in, n > 0);
	else if (r->chart)
		rc = one_chart(r, &in, &e);
	else if (r->html && src.file[SRC_EVIDENCE])
		rc = html_file(&in, r->out, &e);
	else if (src.file[SRC_EVIDENCE])
		rc = whole_report(&in, r->out ? r->out : ".", &e);
	else
		rc = FAIL(&e, INPUT, "%s", source_missing(SRC_EVIDENCE));
done:
	charts_clear(&in);
	sources_free(&src);
	if (rc == ST_OK)
		return status;
	fprintf(stderr, "gpuemu-report: %s\n", e.msg[0] ? e.msg : st_text(e.code));
	return st_exit(e.code);
}

int main(int argc, char **argv)
{
	struct request r = {0};
	int o, rc = 0;

	while (rc == 0 && (o = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		if (o == 'h')
			return print(help);
		if (o == O_VERSION) {
			printf("gpuemu-report %s\n", gpuemu_version);
			return fflush(stdout) == 0 ? 0 : 3;
		}
		rc = parse(&r, o);
	}
	rc = rc ? rc : set_format(&r);
	if (rc)
		return rc;
	if (r.format && !r.chart && !r.html && r.style.format != CHART_PDF)
		return complain("the report is pdf or html; other formats are for --chart", "");
	if (optind == argc && !r.list)
		return complain("name an evidence.json or other files", "");
	return run(&r, argv + optind, argc - optind);
}
