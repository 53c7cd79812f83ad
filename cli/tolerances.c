/* tolerances.c - gpuemu tolerances show|diff|export|merge: tables for people and programs. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum st cli_table(const char *name, struct tolerance_table **owned, const struct tolerance_table **t,
                        struct err *e)
{
	struct buf names = {0};
	enum st rc;

	*t = path_exists(name) ? NULL : tolerance_builtin(name);
	if (*t)
		return ST_OK;
	for (int i = 0; tolerance_builtin_name(i); i++)
		buf_printf(&names, " %s", tolerance_builtin_name(i));
	if (!path_exists(name))
		rc = FAIL(e, INPUT, "'%s' is neither a file nor a shipped table (shipped:%s)", name,
		          names.len ? names.s : " none");
	else
		rc = tolerance_read(name, owned, e);
	if (rc == ST_OK)
		*t = *owned;
	buf_free(&names);
	return rc;
}

static int print(char *text)
{
	int rc = cli_print(text, strlen(text));

	free(text);
	return rc;
}

static int show(const char *name, const char *filter)
{
	struct tolerance_table *owned = NULL;
	const struct tolerance_table *t;
	struct err e = {0};
	char *text = NULL;
	int rc = cli_table(name, &owned, &t, &e) == ST_OK ? 0 : cli_error(&e);

	if (rc == 0)
		text = tolerance_show(t, filter);
	if (text)
		rc = print(text);
	else if (rc == 0)
		rc = cli_usage("tolerances", "no cell of %s begins with '%s'; without it all are shown (OP/TYPES, as in softmax/f16)",
		               name, filter);
	tolerance_free(owned);
	return rc;
}

static int export_as(const char *name, const char *format)
{
	struct tolerance_table *owned = NULL;
	const struct tolerance_table *t;
	struct err e = {0};
	char *text;
	int rc;

	if (cli_table(name, &owned, &t, &e) != ST_OK)
		return cli_error(&e);
	text = tolerance_export(t, format);
	rc = text ? print(text) : cli_usage("tolerances", "unknown format '%s': text, csv, latex, python", format);
	tolerance_free(owned);
	return rc;
}

static int diff(const char *a, const char *b)
{
	struct tolerance_table *owned_a = NULL, *owned_b = NULL;
	const struct tolerance_table *ta, *tb;
	struct err e = {0};
	int moved = 0, rc;

	if (cli_table(a, &owned_a, &ta, &e) != ST_OK || cli_table(b, &owned_b, &tb, &e) != ST_OK) {
		rc = cli_error(&e);
	} else {
		rc = print(tolerance_diff(ta, tb, &moved));
		rc = rc ? rc : moved > 0;
	}
	tolerance_free(owned_a);
	tolerance_free(owned_b);
	return rc;
}

static int merge(const char *a, const char *b, bool replace, const char *out)
{
	struct tolerance_table *owned_a = NULL, *owned_b = NULL, *both = NULL;
	const struct tolerance_table *ta, *tb;
	struct err e = {0};
	enum st rc;

	if (!out)
		return cli_usage("tolerances", "merge needs -o FILE");
	TRY_OR(done, rc, cli_table(a, &owned_a, &ta, &e));
	TRY_OR(done, rc, cli_table(b, &owned_b, &tb, &e));
	TRY_OR(done, rc, tolerance_merge(ta, tb, replace, &both, &e));
	rc = tolerance_write(both, out, &e);
done:
	tolerance_free(owned_a);
	tolerance_free(owned_b);
	tolerance_free(both);
	return rc == ST_OK ? 0 : cli_error(&e);
}

int cmd_tolerances(int argc, char **argv)
{
	const char *format = "text", *out = NULL;
	static const struct option options[] = {{"format", 1, NULL, 'f'}, {"out", 1, NULL, 'o'},
	                                         {"replace", 0, NULL, 'r'}, {NULL, 0, NULL, 0}};
	bool replace = false;
	int opt, n;

	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, "f:o:", options, NULL)) != -1) {
		if (opt == 'f')
			format = optarg;
		else if (opt == 'o')
			out = optarg;
		else if (opt == 'r')
			replace = true;
		else
			return cli_usage("tolerances", "unknown option or missing value");
	}
	argv += optind;
	n = argc - optind;
	if (n >= 2 && n <= 3 && strcmp(argv[0], "show") == 0)
		return show(argv[1], n == 3 ? argv[2] : NULL);
	if (n == 2 && strcmp(argv[0], "export") == 0)
		return export_as(argv[1], format);
	if (n == 3 && strcmp(argv[0], "diff") == 0)
		return diff(argv[1], argv[2]);
	if (n == 3 && strcmp(argv[0], "merge") == 0)
		return merge(argv[1], argv[2], replace, out);
	if (n == 1 && strcmp(argv[0], "list") == 0) {
		struct buf b = {0};

		for (int i = 0; tolerance_builtin_name(i); i++) {
			const struct tolerance_table *t = tolerance_builtin(tolerance_builtin_name(i));

			buf_printf(&b, "%-16s %s, %s plan, %zu cells\n", t->name, t->device_text, t->plan, t->n);
		}
		if (!b.len)
			buf_puts(&b, "no table is shipped\n");
		return print(b.s);
	}
	return cli_usage("tolerances", "list, show TABLE [OP/TYPES], export TABLE, diff A B or merge A B is expected");
}
