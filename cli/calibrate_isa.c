/* calibrate_isa.c - gpuemu calibrate --isa: the instruction conformance suite. */
#include <getopt.h>
#include <stdio.h>

#include "calibrate/calibrate.h"
#include "cli/cli.h"

enum { O_DEVICE = 256 };

static const struct option options[] = {
	{"device", 1, NULL, O_DEVICE},
	{NULL, 0, NULL, 0},
};

int calibrate_isa_command(int argc, char **argv)
{
	const char *name = "emu";
	struct device *d = NULL;
	struct err e = {0};
	int opt;

	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt != O_DEVICE)
			return cli_usage("calibrate", "unknown option or missing value");
		name = optarg;
	}
	if (device_open(name, &d, &e) != ST_OK)
		return cli_error(&e);
	printf("# %s: %zu instruction forms\n", device_text(d), ptx_form_count());
	device_close(d);
	return 0;
}
