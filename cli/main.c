/* main.c - gpuemu COMMAND …: finds the command, prints help. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static int print_usage(FILE *f)
{
	fprintf(f, "gpuemu %s - decide whether a GPU kernel is right\n\nusage: gpuemu COMMAND [ARGUMENT …]\n\n",
	        gpuemu_version);
	for (size_t i = 0; i < ncommands; i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`gpuemu COMMAND --help` tells more. Exit status: 0 all as expected, 1 a kernel FAILs,\n"
	      "2 the input is wrong, 3 gpuemu could not decide.\n", f);
	return f == stdout ? 0 : 2;
}

static int print_help(const struct command *c)
{
	printf("usage: gpuemu %s %s\n\n%s\n\n%s", c->name, c->usage, c->summary, c->help);
	return 0;
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ncommands; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int dispatch(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2)
		return print_usage(stderr);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
		printf("gpuemu %s\n", gpuemu_version);
		return 0;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_usage(stdout);
	if (strcmp(argv[1], "help") == 0) {
		c = argc > 2 ? find_command(argv[2]) : NULL;
		return c ? print_help(c) : print_usage(argc > 2 ? stderr : stdout);
	}
	if (strcmp(argv[1], "--device-worker") == 0)
		return device_worker(argc - 1, argv + 1);
	c = find_command(argv[1]);
	if (!c) {
		fprintf(stderr, "gpuemu: there is no command '%s'\n\n", argv[1]);
		return print_usage(stderr);
	}
	if (wants_help(argc - 1, argv + 1))
		return print_help(c);
	return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int rc;

	signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit of size is an error like a full disk */
	rc = dispatch(argc, argv);

	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "gpuemu: writing to standard output failed (disk full?)\n");
		return rc ? rc : 3;
	}
	return rc;
}
