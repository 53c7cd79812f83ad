/* compile.c - the text that is compiled for a kernel, and the head of a shipped kernel.ptx, which records
 * what it was made from:
 *
 *   // PTX made by NVRTC 13.0 from kernel.cu of this folder (see NOTICE).
 *   // source-sha256: …    of the text compiled and of the headers it includes from include_dirs
 *   // options: …          space-separated
 *   // nvrtc: 13.0 */
#include "cases/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *kernel_cuda_type(enum dtype t)
{
	static const char *const names[DT_COUNT] = {
		[DT_F64] = "double",         [DT_F32] = "float",
		[DT_TF32] = "float",         [DT_F16] = "__half",
		[DT_BF16] = "__nv_bfloat16", [DT_E4M3] = "__nv_fp8_e4m3",
		[DT_E5M2] = "__nv_fp8_e5m2", [DT_I8] = "signed char",
		[DT_U8] = "unsigned char",   [DT_I16] = "short",
		[DT_U16] = "unsigned short", [DT_I32] = "int",
		[DT_U32] = "unsigned int",   [DT_I64] = "long long",
		[DT_U64] = "unsigned long long", [DT_BOOL] = "bool",
	};

	return names[t];
}

/* The type of the first output: what OUT_T stands for. */
static enum dtype out_type(const struct kernel *k, const enum dtype *types)
{
	const struct op_tensor *t = &k->schema->tensors[k->schema->nin];

	return t->type < 0 ? t->fixed : types[t->type];
}

static void add_instance(struct buf *b, const struct kernel *k, const enum dtype *types, bool f32_outputs)
{
	struct buf suffix = {0};

	for (int v = 0; v < k->schema->ntypes; v++)
		buf_printf(&suffix, "_%s", dtype_name(types[v]));
	if (f32_outputs)
		buf_puts(&suffix, "_out_f32");
	buf_printf(b, "\n#define ENTRY(name) name##%s\n", suffix.s ? suffix.s : "");
	for (int v = 0; v < k->schema->ntypes; v++)
		buf_printf(b, "#define %s %s\n", k->schema->types[v].name, kernel_cuda_type(types[v]));
	buf_printf(b, "#define OUT_T %s\nnamespace gpuemu%s {\n#line 1 \"kernel.cu\"\n%s\n}\n",
	           kernel_cuda_type(f32_outputs ? DT_F32 : out_type(k, types)), suffix.s ? suffix.s : "", k->source);
	buf_puts(b, "#undef ENTRY\n#undef OUT_T\n");
	for (int v = 0; v < k->schema->ntypes; v++)
		buf_printf(b, "#undef %s\n", k->schema->types[v].name);
	buf_free(&suffix);
}

/* A header more only where it is needed: the text is part of what shipped PTX was made from. */
static bool has_fp8(const struct kernel *k)
{
	for (int d = 0; d < k->ndtypes; d++)
		for (int v = 0; v < k->schema->ntypes; v++)
			if (k->dtypes[d][v] == DT_E4M3 || k->dtypes[d][v] == DT_E5M2)
				return true;
	return false;
}

char *kernel_compile_text(const struct kernel *k)
{
	struct buf b = {0};

	if (!k->per_type)
		return mem_strdup(k->source ? k->source : "");
	buf_puts(&b, "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n");
	if (has_fp8(k))
		buf_puts(&b, "#include <cuda_fp8.h>\n");
	for (int d = 0; d < k->ndtypes; d++) {
		add_instance(&b, k, k->dtypes[d], false);
		if (kernel_has_f32_outputs(k, d))
			add_instance(&b, k, k->dtypes[d], true);
	}
	return b.s;
}

static char *options_text(const struct kernel *k)
{
	struct buf b = {0};

	for (int i = 0; i < k->noptions; i++)
		buf_printf(&b, "%s%s", i ? " " : "", k->options[i]);
	return b.s;
}

enum { MAX_NESTING = 16, MAX_HEADER = 1 << 20 };

/* The headers that a source includes from include_dirs, each once however often it is included. */
struct headers {
	const struct kernel *k;
	struct buf text, seen; /* seen: their paths, a line each */
};

/* The path of the header of that name, or NULL where no include_dirs holds it, as with CUDA's own. */
static char *header_path(const struct kernel *k, const char *name)
{
	for (int i = 0; i < k->ninclude_dirs; i++) {
		char *path = path_join(k->include_dirs[i], name);

		if (path_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

static void add_headers(struct headers *h, const char *text, int nesting);

static void add_header(struct headers *h, const char *name, int nesting)
{
	char *path = header_path(h->k, name), *text = NULL;
	struct err ignored = {0};
	struct buf b = {0};
	size_t len;

	buf_printf(&b, "\n%s\n", path ? path : "");
	if (path && !(h->seen.s && strstr(h->seen.s, b.s)) &&
	    file_read(path, MAX_HEADER, &text, &len, &ignored) == ST_OK) {
		buf_puts(&h->seen, b.s);
		buf_add(&h->text, text, len);
		add_headers(h, text, nesting + 1);
	}
	free(text);
	free(path);
	buf_free(&b);
}

/* The headers of the lines `#include "NAME"` of text, and theirs in turn, in order. */
static void add_headers(struct headers *h, const char *text, int nesting)
{
	static const char include[] = "#include \"";

	for (const char *line = text; line && nesting < MAX_NESTING;) {
		const char *end = strchr(line, '\n');

		if (strncmp(line, include, strlen(include)) == 0) {
			const char *name = line + strlen(include);
			struct buf b = {0};

			buf_add(&b, name, strcspn(name, "\"\n"));
			add_header(h, b.s ? b.s : "", nesting);
			buf_free(&b);
		}
		line = end ? end + 1 : NULL;
	}
}

/* SHA-256 of all that the PTX is made from. */
static void made_from(const struct kernel *k, char sha[65])
{
	char *text = kernel_compile_text(k);
	struct headers h = {.k = k};

	buf_puts(&h.text, text);
	if (k->source)
		add_headers(&h, k->source, 0);
	sha256_hex(h.text.s ? h.text.s : "", h.text.len, sha);
	buf_free(&h.text);
	buf_free(&h.seen);
	free(text);
}

char *kernel_ptx_head(const struct kernel *k, const char *nvrtc_version)
{
	char *options = options_text(k), sha[65];
	struct buf b = {0};

	made_from(k, sha);
	buf_printf(&b,
	           "// PTX made by NVRTC %s from kernel.cu of this folder (see NOTICE).\n"
	           "// source-sha256: %s\n// options: %s\n// nvrtc: %s\n",
	           nvrtc_version, sha, options, nvrtc_version);
	free(options);
	return b.s;
}

/* The rest of the line that begins with key among the leading comment lines of the PTX, or false. */
static bool head_value(const char *ptx, const char *key, char *out, size_t max)
{
	size_t n = strlen(key);

	for (const char *line = ptx; line && strncmp(line, "// ", 3) == 0;) {
		const char *end = strchr(line, '\n');

		if (strncmp(line + 3, key, n) == 0 && line[3 + n] == ':') {
			const char *v = line + 4 + n;

			v += strspn(v, " ");
			snprintf(out, max, "%.*s", (int)strcspn(v, "\r\n"), v);
			return true;
		}
		line = end ? end + 1 : NULL;
	}
	return false;
}

bool kernel_ptx_stale(const struct kernel *k, char why[200])
{
	char sha[65], got[65] = "", options[1024] = "", *want;
	bool stale = true;

	if (!k->ptx) {
		snprintf(why, 200, "there is no kernel.ptx");
		return true;
	}
	if (!k->source)
		return false; /* PTX alone: nothing to be stale against */
	want = options_text(k);
	made_from(k, sha);
	if (!head_value(k->ptx, "source-sha256", got, sizeof got))
		snprintf(why, 200, "kernel.ptx does not say what it was made from");
	else if (strcmp(got, sha) != 0)
		snprintf(why, 200, "kernel.cu or a header of it has changed since kernel.ptx was made");
	else if (!head_value(k->ptx, "options", options, sizeof options) ||
	         strcmp(options, want) != 0)
		snprintf(why, 200, "kernel.ptx was made with other compile options");
	else
		stale = false;
	free(want);
	return stale;
}
