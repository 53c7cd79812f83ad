/* calibrate.c - gpuemu calibrate: envelopes, or a mode, each with options of its own. */
#include <string.h>

#include "cli/cli.h"

static const struct mode {
	const char *option;
	int (*run)(int argc, char **argv); /* argv[0] is the mode's option */
} modes[] = {
        {"--isa", calibrate_isa_command},
        {"--math", calibrate_math_command},
};

int cmd_calibrate(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(modes); i++)
		if (strcmp(argv[1], modes[i].option) == 0)
			return modes[i].run(argc - 1, argv + 1);
	return calibrate_envelopes_command(argc, argv);
}
