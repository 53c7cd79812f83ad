/* compile.c - gpuemu compile FOLDER…: makes kernel.ptx with NVRTC; gpuemu init. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static enum st compile_folder(const char *folder, struct err *e)
{
	struct kernel *k = NULL;
	struct nvrtc_input in = {0};
	struct buf out = {0};
	char path[512], version[16], headers[512], why[512], *text = NULL, *ptx = NULL, *head, *file = NULL;
	enum st rc;

	TRY(kernel_read_source(folder, &k, e));
	text = kernel_compile_text(k);
	in.name = kernel_name(k);
	in.source = text;
	in.noptions = kernel_options(k, &in.options);
	in.ninclude_dirs = kernel_include_dirs(k, &in.include_dirs);
	TRY_OR(done, rc, nvrtc_compile(&in, &ptx, e));
	if (!nvrtc_find(path, version, headers, why))
		snprintf(version, sizeof version, "?");
	head = kernel_ptx_head(k, version);
	buf_puts(&out, head);
	buf_puts(&out, ptx);
	free(head);
	file = kernel_ptx_path(k) ? mem_strdup(kernel_ptx_path(k)) : path_join(kernel_folder(k), "kernel.ptx");
	TRY_OR(done, rc, file_write(file, out.s, out.len, e));
	printf("%s\n", file);
done:
	if (rc != ST_OK)
		err_prefix(e, "%s", folder);
	free(text);
	free(ptx);
	free(file);
	buf_free(&out);
	kernel_free(k);
	return rc;
}

int cmd_compile(int argc, char **argv)
{
	char **folders = NULL;
	struct err e = {0};
	int n = 0, rc = 0;

	if (argc < 2 || argv[1][0] == '-')
		return cli_usage("compile", "name kernel folders");
	if (cli_find_kernels(argv + 1, argc - 1, NULL, &folders, &n, &e) != ST_OK)
		return cli_error(&e);
	for (int i = 0; i < n && rc == 0; i++)
		if (compile_folder(folders[i], &e) != ST_OK)
			rc = cli_error(&e);
	cli_folders_free(folders, n);
	return rc;
}

/* ---- init ---- */

static void manifest_template(struct buf *b, const struct op_schema *o)
{
	buf_printf(b, "{\n\t\"operator\": \"%s\",\n\t\"source\": \"kernel.cu\",\n\t\"per_type\": true,\n"
	              "\t\"dtypes\": [\"%s\"],\n\t\"launches\": [\n\t\t{\n\t\t\t\"entry\": \"%s_{T}\",\n"
	              "\t\t\t\"grid\": [\"1\"],\n\t\t\t\"block\": [\"256\"],\n\t\t\t\"params\": [\n", o->name,
	           dtype_name(o->types[0].allowed[0]), o->name);
	for (int t = 0; t < o->ntensors; t++)
		if (!o->tensors[t].optional)
			buf_printf(b, "\t\t\t\t{\"tensor\": \"%s\"},\n", o->tensors[t].name);
	for (int i = 0; i < o->ndims; i++)
		if (!o->dims[i].derived)
			buf_printf(b, "\t\t\t\t{\"i64\": \"%s\"},\n", o->dims[i].name);
	for (int i = 0; i < o->nparams; i++)
		buf_printf(b, "\t\t\t\t{\"%s\": \"%s\"},\n", o->params[i].kind == PARAM_F32 ? "f32" : "i32",
		           o->params[i].name);
	b->len -= 2; /* the last comma */
	b->s[b->len] = 0;
	buf_puts(b, "\n\t\t\t]\n\t\t}\n\t]\n}\n");
}

/* What the source calls the type of a tensor's elements. */
static const char *element_type(const struct op_schema *o, const struct op_tensor *t)
{
	return t->type < 0 ? kernel_cuda_type(t->fixed) : t->out ? "OUT_T" : o->types[t->type].name;
}

static void source_template(struct buf *b, const struct op_schema *o)
{
	const char *sep = "";

	buf_printf(b, "// %s: %s\n// Included once per dtype with T (element type), OUT_T and ENTRY(name) "
	              "defined.\nextern \"C\" __global__ void ENTRY(%s)(", o->name, o->doc, o->name);
	for (int t = 0; t < o->ntensors; t++)
		if (!o->tensors[t].optional) {
			buf_printf(b, "%s%s%s *%s", sep, o->tensors[t].out ? "" : "const ",
			           element_type(o, &o->tensors[t]), o->tensors[t].name);
			sep = ", ";
		}
	for (int i = 0; i < o->ndims; i++)
		if (!o->dims[i].derived)
			buf_printf(b, ", long long %s", o->dims[i].name);
	for (int i = 0; i < o->nparams; i++)
		buf_printf(b, ", %s %s", o->params[i].kind == PARAM_F32 ? "float" : "int", o->params[i].name);
	buf_puts(b, ")\n{\n}\n");
}

static enum st write_new(const char *folder, const char *name, const struct buf *b, struct err *e)
{
	char *path = path_join(folder, name);
	enum st rc = path_exists(path) ? FAIL(e, INPUT, "%s exists already", path) :
	                                 file_write(path, b->s, b->len, e);

	if (rc == ST_OK)
		printf("%s\n", path);
	free(path);
	return rc;
}

/* The kernel finds its operator as NAME.op in its own folder. */
static enum st copy_op(const char *folder, const char *name, const char *from, struct err *e)
{
	struct buf b = {0}, file = {0};
	size_t len;
	char *text;
	enum st rc;

	TRY(file_read(from, (size_t)1 << 20, &text, &len, e));
	buf_add(&b, text, len);
	buf_printf(&file, "%s.op", name);
	rc = write_new(folder, file.s, &b, e);
	free(text);
	buf_free(&b);
	buf_free(&file);
	return rc;
}

int cmd_init(int argc, char **argv)
{
	const struct op *op = argc == 3 ? op_builtin(argv[2]) : NULL;
	struct op *own = NULL;
	struct buf manifest = {0}, source = {0};
	struct err e = {0};
	int rc = 0;

	if (argc != 3)
		return cli_usage("init", "name a new folder and an operator");
	if (!op && path_exists(argv[2])) {
		if (op_read(argv[2], &own, &e) != ST_OK)
			return cli_error(&e);
		op = own;
	}
	if (!op) {
		fprintf(stderr, "gpuemu init: unknown operator '%s'; `gpuemu ops` lists the known ones, and a file "
		                "NAME.op of your own is named by its path\n", argv[2]);
		return 2;
	}
	manifest_template(&manifest, op_schema(op));
	source_template(&source, op_schema(op));
	if (dir_make(argv[1], &e) != ST_OK || write_new(argv[1], "kernel.json", &manifest, &e) != ST_OK ||
	    write_new(argv[1], "kernel.cu", &source, &e) != ST_OK ||
	    (own && copy_op(argv[1], op_schema(own)->name, argv[2], &e) != ST_OK))
		rc = cli_error(&e);
	else
		puts("Fill in kernel.cu and the launch, then: gpuemu validate FOLDER");
	buf_free(&manifest);
	buf_free(&source);
	op_free(own);
	return rc;
}
