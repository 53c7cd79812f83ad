/* nvrtc.c - CUDA C++ to PTX through NVRTC, which is opened at run time, and a cache of what it
 * made.
 *
 * NVRTC comes with the CUDA toolkit or with pip's nvidia packages; absent is a state that the
 * messages explain.  No CUDA header is needed to build this file: the few prototypes below are
 * NVRTC's C interface, unchanged since CUDA 7. */
#include "device/device.h"
#include "device/nvrtc_find.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- NVRTC's interface ---- */

typedef struct nvrtc_program *nvrtc_program;

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_INVALID_OPTION = 5, NVRTC_ERROR_COMPILATION = 6 };

struct nvrtc_api {
	int (*create)(nvrtc_program *p, const char *source, const char *name, int nheaders,
	              const char *const *headers, const char *const *header_names);
	int (*destroy)(nvrtc_program *p);
	int (*compile)(nvrtc_program p, int noptions, const char *const *options);
	int (*ptx_size)(nvrtc_program p, size_t *bytes);
	int (*ptx)(nvrtc_program p, char *out);
	int (*cubin_size)(nvrtc_program p, size_t *bytes); /* NULL before CUDA 11.1, and the next */
	int (*cubin)(nvrtc_program p, char *out);
	int (*log_size)(nvrtc_program p, size_t *bytes);
	int (*log)(nvrtc_program p, char *out);
	const char *(*error_string)(int code);
};

/* One function by name; a data pointer is copied into a function pointer as POSIX's dlsym intends.
 */
static bool get_symbol(void *lib, const char *name, void *out)
{
	void *s = dlsym(lib, name);

	memcpy(out, &s, sizeof s);
	return s != NULL;
}

static enum st get_api(const struct nvrtc_place *at, struct nvrtc_api *api, struct err *e)
{
	void *lib = dlopen(at->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	bool ok = lib != NULL;

	ok = ok && get_symbol(lib, "nvrtcCreateProgram", &api->create);
	ok = ok && get_symbol(lib, "nvrtcDestroyProgram", &api->destroy);
	ok = ok && get_symbol(lib, "nvrtcCompileProgram", &api->compile);
	ok = ok && get_symbol(lib, "nvrtcGetPTXSize", &api->ptx_size);
	ok = ok && get_symbol(lib, "nvrtcGetPTX", &api->ptx);
	ok = ok && get_symbol(lib, "nvrtcGetProgramLogSize", &api->log_size);
	ok = ok && get_symbol(lib, "nvrtcGetProgramLog", &api->log);
	ok = ok && get_symbol(lib, "nvrtcGetErrorString", &api->error_string);
	if (ok && (!get_symbol(lib, "nvrtcGetCUBINSize", &api->cubin_size) || !get_symbol(lib, "nvrtcGetCUBIN", &api->cubin)))
		api->cubin_size = NULL;
	if (lib)
		dlclose(lib); /* RTLD_NODELETE: the code stays */
	return ok ? ST_OK
	          : FAIL(e, UNSUP, "%s is not a usable NVRTC: a function is missing", at->path);
}

/* ---- compiling ---- */

static char *program_log(const struct nvrtc_api *api, nvrtc_program p)
{
	size_t n = 0;
	char *log;

	if (api->log_size(p, &n) != NVRTC_SUCCESS || n == 0)
		return mem_strdup("(no log)");
	log = mem_zalloc(n + 1, 1);
	if (api->log(p, log) != NVRTC_SUCCESS)
		log[0] = 0;
	return log;
}

/* What was compiled: PTX text with a NUL behind it, or machine code. */
static enum st program_result(const struct nvrtc_api *api, nvrtc_program p, bool cubin, char **out, size_t *bytes, struct err *e)
{
	const char *what = cubin ? "machine code" : "PTX";
	char *data;

	if (cubin && !api->cubin_size)
		return FAIL(e, UNSUP, "this NVRTC gives no machine code; that of CUDA 11.1 or later does");
	*bytes = 0;
	if ((cubin ? api->cubin_size : api->ptx_size)(p, bytes) != NVRTC_SUCCESS || *bytes == 0)
		return FAIL(e, DEVICE, "NVRTC compiled, but gave no %s", what);
	data = mem_zalloc(*bytes + 1, 1);
	if ((cubin ? api->cubin : api->ptx)(p, data) != NVRTC_SUCCESS) {
		free(data);
		return FAIL(e, DEVICE, "NVRTC compiled, but gave no %s", what);
	}
	*out = data;
	return ST_OK;
}

/* What nvcc gives every source through the C library's headers, which NVRTC does not have. */
static const char *const macros[] = {
	"-DINFINITY=__int_as_float(0x7f800000)", "-DNAN=__int_as_float(0x7fffffff)", "-DFLT_MAX=3.402823466e+38F",
	"-DFLT_MIN=1.175494351e-38F", "-DFLT_EPSILON=1.192092896e-07F", "-DDBL_MAX=1.7976931348623158e+308",
	"-DINT_MAX=2147483647", "-DM_PI=3.14159265358979323846",
};
/* Their names, so that a source may include them: the functions of mathematics are there without. */
static const char *const header_names[] = {"math.h", "cmath", "float.h", "cfloat", "limits.h", "climits"};
static const char *const header_texts[ARRAY_LEN(header_names)] = {"", "", "", "", "", ""};

/* The complete option list: the caller's (with sm: for its machine code), the macros, then an -I for every include folder and
 * for NVRTC's headers. */
static int all_options(const struct nvrtc_input *in, const struct nvrtc_place *at, struct arena *a,
                       int sm, const char ***out)
{
	static const char arch[] = "--gpu-architecture=";
	int n = 0;
	const char **o = arena_alloc(a, sizeof *o * ((size_t)(in->noptions + in->ninclude_dirs + 1) + ARRAY_LEN(macros)));

	for (int i = 0; i < in->noptions; i++)
		o[n++] = sm && strncmp(in->options[i], arch, sizeof arch - 1) == 0 ? arena_printf(a, "%ssm_%d", arch, sm) : in->options[i];
	for (size_t i = 0; i < ARRAY_LEN(macros); i++)
		o[n++] = macros[i];
	for (int i = 0; i < in->ninclude_dirs; i++)
		o[n++] = arena_printf(a, "-I%s", in->include_dirs[i]);
	if (at->headers[0])
		o[n++] = arena_printf(a, "-I%s", at->headers);
	*out = o;
	return n;
}

static enum st compile(const struct nvrtc_input *in, const struct nvrtc_place *at, int noptions,
                       const char **options, bool cubin, char **out, size_t *bytes, struct err *e)
{
	struct nvrtc_api api = {0};
	nvrtc_program p = NULL;
	char *log = NULL;
	int code;
	enum st rc;

	TRY(get_api(at, &api, e));
	code = api.create(&p, in->source, in->name, (int)ARRAY_LEN(header_names), header_texts, header_names);
	if (code != NVRTC_SUCCESS)
		return FAIL(e, DEVICE, "NVRTC %s: %s", at->version, api.error_string(code));
	code = api.compile(p, noptions, options);
	if (code == NVRTC_SUCCESS) {
		rc = program_result(&api, p, cubin, out, bytes, e);
	} else {
		log = program_log(&api, p);
		if (code == NVRTC_ERROR_COMPILATION)
			rc = FAIL(e, INPUT, "%s does not compile (NVRTC %s):\n%s", in->name,
			          at->version, log);
		else if (code == NVRTC_ERROR_INVALID_OPTION)
			rc = FAIL(e, INPUT, "%s: NVRTC %s refuses a compile option:\n%s", in->name,
			          at->version, log);
		else
			rc = FAIL(e, DEVICE, "%s: NVRTC %s: %s\n%s", in->name, at->version,
			          api.error_string(code), log);
	}
	free(log);
	api.destroy(&p);
	return rc;
}

/* Removes dir and the slash after it from s when s begins with them. */
static const char *without_folder(const char *s, const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	return n > 0 && strncmp(s, dir, n) == 0 && s[n] == '/' ? s + n + 1 : s;
}

/* NVRTC puts the current folder before the source's name in .file lines, and the headers' folder
 * before theirs. Without them the text does not depend on where it was compiled. */
static char *without_folders(char *ptx, const struct nvrtc_place *at)
{
	static const char mark[] = "\t.file\t";
	char *cwd = realpath(".", NULL);
	struct buf b = {0};

	for (const char *line = ptx; *line;) {
		size_t n = strcspn(line, "\n"), quote = strcspn(line, "\"");

		n += line[n] == '\n';
		if (strncmp(line, mark, sizeof mark - 1) == 0 && quote < n) {
			const char *name = without_folder(line + quote + 1, cwd);

			name = without_folder(name, at->headers);
			buf_add(&b, line, quote + 1);
			buf_add(&b, name, (size_t)(line + n - name));
		} else {
			buf_add(&b, line, n);
		}
		line += n;
	}
	free(cwd);
	free(ptx);
	return b.s ? b.s : mem_strdup("");
}

/* ---- the cache: one file a compile, its first line the SHA-256 of the rest ---- */

#define CACHE_MARK "// gpuemu compile cache 1, sha256 of what follows: "
#define CACHE_MAX  ((size_t)64 << 20)

/* Caller frees; NULL: no cache. What include folders hold is not part of the key, so a source that
 * has some is compiled each time. */
static char *cache_folder(const struct nvrtc_input *in)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (in->ninclude_dirs > 0)
		return NULL;
	if (in->cache_dir)
		return in->cache_dir[0] ? mem_strdup(in->cache_dir) : NULL;
	if (xdg && xdg[0] == '/')
		return path_join(xdg, "gpuemu");
	return home && home[0] == '/' ? path_join(home, ".cache/gpuemu") : NULL;
}

static char *cache_file(const char *folder, const struct nvrtc_input *in,
                        const struct nvrtc_place *at, int noptions, const char **options)
{
	struct buf key = {0};
	char sha[65], name[80];

	buf_printf(&key, "%s%c%s%c", at->version, 0, in->name, 0);
	for (int i = 0; i < noptions; i++)
		buf_add(&key, options[i], strlen(options[i]) + 1);
	buf_putc(&key, 0);
	buf_puts(&key, in->source);
	sha256_hex(key.s, key.len, sha);
	buf_free(&key);
	snprintf(name, sizeof name, "%s.ptx", sha);
	return path_join(folder, name);
}

/* The text of a cache file; NULL when there is none or it is damaged. */
static char *cache_get(const char *path)
{
	struct err ignored = {0};
	size_t mark = strlen(CACHE_MARK), head = mark + 65, len;
	char *data, sha[65], *ptx = NULL;

	if (!path_exists(path) || file_read(path, CACHE_MAX, &data, &len, &ignored) != ST_OK)
		return NULL;
	if (len > head && memcmp(data, CACHE_MARK, mark) == 0 && data[head - 1] == '\n') {
		sha256_hex(data + head, len - head, sha);
		if (memcmp(data + mark, sha, 64) == 0 && !memchr(data + head, 0, len - head))
			ptx = mem_strndup(data + head, len - head);
	}
	free(data);
	return ptx;
}

/* A cache that cannot be written costs time, not correctness: no error. */
static void cache_put(const char *folder, const char *path, const char *ptx)
{
	struct err ignored = {0};
	struct buf b = {0};
	char sha[65];

	sha256_hex(ptx, strlen(ptx), sha);
	buf_printf(&b, "%s%s\n", CACHE_MARK, sha);
	buf_puts(&b, ptx);
	if (dir_make(folder, &ignored) != ST_OK || file_write(path, b.s, b.len, &ignored) != ST_OK)
		ignored.code = ST_OK;
	buf_free(&b);
}

static enum st locate(const struct nvrtc_input *in, struct nvrtc_place *at, struct err *e)
{
	if (nvrtc_locate(at))
		return ST_OK;
	return FAIL(e, UNSUP,
	            "%s must be compiled, but there is no NVRTC: %s. Install a CUDA toolkit or "
	            "`pip install nvidia-cuda-nvrtc nvidia-cuda-runtime`, or name the library "
	            "in GPUEMU_NVRTC",
	            in->name, at->why);
}

enum st nvrtc_cubin(const struct nvrtc_input *in, int sm, char **data, size_t *bytes, struct err *e)
{
	struct nvrtc_place at;
	struct arena *a;
	const char **options;
	int noptions;
	enum st rc;

	TRY(locate(in, &at, e));
	a = arena_new();
	noptions = all_options(in, &at, a, sm, &options);
	rc = compile(in, &at, noptions, options, true, data, bytes, e);
	arena_free(a);
	return rc;
}

enum st nvrtc_compile(const struct nvrtc_input *in, char **ptx, struct err *e)
{
	struct nvrtc_place at;
	struct arena *a;
	const char **options;
	char *folder, *path = NULL;
	size_t bytes;
	int noptions;
	enum st rc = ST_OK;

	TRY(locate(in, &at, e));
	a = arena_new();
	noptions = all_options(in, &at, a, 0, &options);
	folder = cache_folder(in);
	if (folder)
		path = cache_file(folder, in, &at, noptions, options);
	*ptx = path ? cache_get(path) : NULL;
	if (!*ptx) {
		rc = compile(in, &at, noptions, options, false, ptx, &bytes, e);
		if (rc == ST_OK)
			*ptx = without_folders(*ptx, &at);
		if (rc == ST_OK && path)
			cache_put(folder, path, *ptx);
	}
	free(path);
	free(folder);
	arena_free(a);
	return rc;
}

bool nvrtc_find(char path[512], char version[16], char headers[512], char why[512])
{
	struct nvrtc_place at;
	bool found = nvrtc_locate(&at);

	snprintf(path, 512, "%s", at.path);
	snprintf(version, 16, "%s", at.version);
	snprintf(headers, 512, "%s", at.headers);
	snprintf(why, 512, "%s", at.why);
	return found;
}
