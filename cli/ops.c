/* ops.c - gpuemu ops [NAME|FILE.op], gpuemu check PATH…, gpuemu inputs. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_PTX ((size_t)64 << 20)

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

static int describe(const struct op *op)
{
	char *text = op_describe(op);
	int rc = cli_print(text, strlen(text));

	free(text);
	return rc;
}

static int list_ops(void)
{
	for (int i = 0; i < op_builtin_count(); i++)
		printf("%-14s %s\n", op_builtin_name(i), op_schema(op_builtin(op_builtin_name(i)))->doc);
	return 0;
}

int cmd_ops(int argc, char **argv)
{
	bool text = argc > 1 && strcmp(argv[1], "--text") == 0;
	const char *name = argc > 1 + text ? argv[1 + text] : NULL;
	struct op *own = NULL;
	struct err e = {0};
	int rc;

	if (argc > 2 + text || (text && !name) || (name && name[0] == '-'))
		return cli_usage("ops", "takes at most one operator or .op file");
	if (!name)
		return list_ops();
	if (text && op_builtin_text(name))
		return cli_print(op_builtin_text(name), strlen(op_builtin_text(name)));
	if (op_builtin(name))
		return describe(op_builtin(name));
	if (!has_suffix(name, ".op")) {
		fprintf(stderr, "gpuemu ops: unknown operator '%s'; `gpuemu ops` lists the known ones\n", name);
		return 2;
	}
	if (op_read(name, &own, &e) != ST_OK)
		return cli_error(&e);
	rc = describe(own);
	op_free(own);
	return rc;
}

/* ---- check ---- */

static enum st check_ptx(const char *path, struct err *e)
{
	char *text = NULL;
	struct ptx_module *m = NULL;
	size_t len;
	enum st rc;

	TRY(file_read(path, MAX_PTX, &text, &len, e));
	rc = ptx_parse(text, len, path, &m, e);
	for (int i = 0; rc == ST_OK && i < ptx_entry_count(m); i++) {
		struct ptx_program *p = NULL;
		struct ptx_options none = {0};

		rc = ptx_lower(m, ptx_entry_name(m, i), &none, &p, e);
		ptx_program_free(p);
		if (rc == ST_OK)
			printf("%s: entry %s\n", path, ptx_entry_name(m, i));
	}
	ptx_module_free(m);
	free(text);
	return rc;
}

static enum st check_op(const char *path, struct err *e)
{
	struct op *op = NULL;

	TRY(op_read(path, &op, e));
	printf("%s: operator %s\n", path, op_schema(op)->name);
	op_free(op);
	return ST_OK;
}

/* Optional inputs are null pointers in some cases, which surprises who did not think of it. */
static void note_optional(const struct kernel *k, const char *path)
{
	const struct op_schema *o = op_schema(kernel_op(k));

	for (int t = 0; t < o->nin; t++)
		if (o->tensors[t].optional && kernel_takes(k, t) && !kernel_requires(k, 0))
			printf("%s: note: '%s' is optional: some cases pass a null pointer; a kernel that always needs it "
			       "has \"requires\": [\"present(%s)\"]\n", path, o->tensors[t].name, o->tensors[t].name);
}

/* The manifest, and the PTX where there is some that belongs to it. */
static enum st check_folder(const char *path, struct err *e)
{
	struct kernel *k = NULL;
	char why[200];
	size_t len;

	TRY(kernel_read(path, &k, e));
	if (kernel_ptx(k, &len) && !kernel_ptx_stale(k, why)) {
		struct device *d = NULL;
		struct target *t = NULL;
		enum st rc = device_open("emu", &d, e);

		if (rc == ST_OK)
			rc = target_open(d, path, false, &t, e);
		target_free(t);
		device_close(d);
		if (rc != ST_OK) {
			kernel_free(k);
			return rc;
		}
	}
	note_optional(k, path);
	printf("%s: kernel %s of operator %s, %d dtype%s%s%s\n", path, kernel_name(k),
	       op_schema(kernel_op(k))->name, kernel_dtypes(k, -1, NULL),
	       kernel_dtypes(k, -1, NULL) == 1 ? "" : "s", kernel_ptx_stale(k, why) ? "; stale: " : "",
	       kernel_ptx_stale(k, why) ? why : "");
	kernel_free(k);
	return ST_OK;
}

int cmd_check(int argc, char **argv)
{
	int worst = 0;

	if (argc < 2)
		return cli_usage("check", "name .op or .ptx files, or kernel folders");
	for (int i = 1; i < argc; i++) {
		struct err e = {0};
		enum st rc = has_suffix(argv[i], ".op")  ? check_op(argv[i], &e) :
		             has_suffix(argv[i], ".ptx") ? check_ptx(argv[i], &e) :
		                                           check_folder(argv[i], &e);

		if (rc != ST_OK) {
			int code = cli_error(&e);

			worst = worst == 0 || code < worst ? code : worst;
		}
	}
	return worst;
}

/* ---- inputs ---- */

enum { O_OUT = 256, O_CLASSES, O_KERNEL };

static const struct option options[] = {
	{"out", 1, NULL, O_OUT},
	{"classes", 0, NULL, O_CLASSES},
	{NULL, 0, NULL, 0},
};

int cmd_inputs(int argc, char **argv)
{
	const char *out = NULL;
	struct named_tensor *ts = NULL;
	struct kase c;
	struct err e = {0};
	size_t n = 0;
	int opt, rc = 0;
	bool classes = false;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "o:", options, NULL)) != -1)
		if (opt == O_OUT || opt == 'o')
			out = optarg;
		else if (opt == O_CLASSES)
			classes = true;
		else
			return cli_usage("inputs", "unknown option or missing value");
	if (classes) {
		char *text = values_describe();

		rc = cli_print(text, strlen(text));
		free(text);
		return rc;
	}
	if (argc - optind != 1 || !out)
		return cli_usage("inputs", "give a case (in quotes) and -o FILE.safetensors");
	if (case_parse(argv[optind], NULL, &c, &e) != ST_OK ||
	    case_inputs(&c, &ts, &n, &e) != ST_OK || safetensors_write(out, ts, n, &e) != ST_OK)
		rc = cli_error(&e);
	named_tensors_free(ts, n);
	return rc;
}
