/* main.c - gpuemu-report EVIDENCE.json [-o DIR]: draws report.pdf, verdicts.svg and failing.svg.
 *
 * Exit status as everywhere in gpuemu: 0 done, 2 the input or the folder is wrong, 3 the tool could
 * not do it. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/draw/draw.h"

static const char help[] =
        "usage: gpuemu-report EVIDENCE.json [-o DIR]\n"
        "\n"
        "Draws evidence that gpuemu validate wrote: DIR/report.pdf, DIR/verdicts.svg and "
        "DIR/failing.svg.\n"
        "The same evidence gives the same bytes.\n"
        "\n"
        "  -o, --out DIR   where to; made if missing (default: the current folder)\n"
        "  -h, --help      this text\n"
        "      --version   the version\n"
        "\n"
        "Exit status: 0 drawn; 2 the evidence or the folder is wrong; 3 a full disk or a fault of "
        "the tool.\n";

enum { O_VERSION = 256 };

static const struct option options[] = {
        {"out", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, O_VERSION},
        {NULL, 0, NULL, 0},
};

static const struct {
	const char *name;
	enum st (*draw)(const struct model *m, struct buf *out, struct err *e);
} drawings[] = {
        {"report.pdf", draw_pages},
        {"verdicts.svg", draw_verdicts},
        {"failing.svg", draw_failing},
};

static enum st write_drawing(const struct model *m, const char *dir, size_t i, struct err *e)
{
	char *path = path_join(dir, drawings[i].name);
	struct buf b = {0};
	enum st rc;

	TRY_OR(done, rc, drawings[i].draw(m, &b, e));
	rc = file_write(path, b.s, b.len, e);
done:
	buf_free(&b);
	free(path);
	return rc;
}

static enum st run(const char *evidence_path, const char *dir, struct err *e)
{
	cJSON *evidence = NULL;
	struct model m = {0};
	enum st rc;

	TRY_OR(done, rc, report_read(evidence_path, &evidence, e));
	TRY_OR(done, rc, dir_make(dir, e));
	model_init(&m, evidence);
	for (size_t i = 0; i < ARRAY_LEN(drawings) && rc == ST_OK; i++)
		rc = write_drawing(&m, dir, i, e);
done:
	model_clear(&m);
	cJSON_Delete(evidence);
	return rc;
}

static int print(const char *text)
{
	return fputs(text, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
	const char *dir = ".";
	struct err e = {0};
	int o;

	while ((o = getopt_long(argc, argv, "o:h", options, NULL)) != -1)
		switch (o) {
		case 'o':
			dir = optarg;
			break;
		case 'h':
			return print(help);
		case O_VERSION:
			printf("gpuemu-report %s\n", gpuemu_version);
			return fflush(stdout) == 0 ? 0 : 3;
		default:
			fprintf(stderr, "gpuemu-report: see gpuemu-report --help\n");
			return 2;
		}
	if (argc - optind != 1) {
		fprintf(stderr,
		        "gpuemu-report: name one evidence.json, not %d; see gpuemu-report --help\n",
		        argc - optind);
		return 2;
	}
	if (run(argv[optind], dir, &e) != ST_OK) {
		fprintf(stderr, "gpuemu-report: %s\n", e.msg[0] ? e.msg : st_text(e.code));
		return st_exit(e.code);
	}
	return 0;
}
