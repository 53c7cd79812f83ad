/* replay.c - gpuemu replay KERNEL 'CASE': one case again, explained. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

enum { O_DUMP = 256, O_NOSAN, O_RECOMPILE, O_DEVICE, O_TOLERANCES };

static const struct option options[] = {
	{"dump", 1, NULL, O_DUMP},
	{"no-sanitize", 0, NULL, O_NOSAN},
	{"recompile", 0, NULL, O_RECOMPILE},
	{"device", 1, NULL, O_DEVICE},
	{"tolerances", 1, NULL, O_TOLERANCES},
	{NULL, 0, NULL, 0},
};

static int exit_of(enum verdict v)
{
	return v == V_PASS ? 0 : v == V_FAIL ? 1 : 3;
}

/* A case is one word, or several as reports break it over lines; blanks and line ends in it are one blank. */
static void put_case(struct buf *b, char *const *words)
{
	for (; *words; words++) {
		for (const char *p = *words; *p; p++)
			if (*p != ' ' && *p != '\n')
				buf_putc(b, *p);
			else if (b->len && b->s[b->len - 1] != ' ')
				buf_putc(b, ' ');
		if (words[1] && b->len && b->s[b->len - 1] != ' ')
			buf_putc(b, ' ');
	}
}

int cmd_replay(int argc, char **argv)
{
	struct case_options co = {.sanitize = true};
	const char *dump = NULL, *device = "emu", *tolerances = NULL;
	struct tolerance_table *owned = NULL;
	struct device *d = NULL;
	struct target *t = NULL;
	struct case_result r;
	struct buf out = {0}, line = {0};
	struct err e = {0};
	bool recompile = false;
	int opt, rc;
	enum st st;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (opt) {
		case O_DUMP: dump = optarg; break;
		case O_NOSAN: co.sanitize = false; break;
		case O_RECOMPILE: recompile = true; break;
		case O_DEVICE: device = optarg; break;
		case O_TOLERANCES: tolerances = optarg; break;
		default: return cli_usage("replay", "unknown option or missing value");
		}
	if (argc - optind < 2)
		return cli_usage("replay", "name a kernel folder and a case (in quotes)");
	put_case(&line, argv + optind + 1);
	TRY_OR(done, st, device_open(device, &d, &e));
	TRY_OR(done, st, target_open(d, argv[optind], recompile, &t, &e));
	if (tolerances)
		TRY_OR(done, st, cli_table(tolerances, &owned, &t->table, &e));
	st = replay(t, line.s ? line.s : "", &co, dump, &out, &r, &e);
done:
	rc = out.s ? cli_print(out.s, out.len) : 0;
	if (st != ST_OK)
		rc = cli_error(&e);
	else if (rc == 0)
		rc = exit_of(r.verdict);
	buf_free(&out);
	buf_free(&line);
	target_free(t);
	tolerance_free(owned);
	device_close(d);
	return rc;
}
