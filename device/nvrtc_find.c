/* nvrtc_find.c - looks for NVRTC and for the headers that a kernel may include. */
#include "device/nvrtc_find.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Newest first; NVRTC's C interface is the same in all of them. sm_90 needs CUDA 11.8 or later. */
static const char *const lib_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};

/* Where the header folder lies, seen from the library's folder: toolkit (lib64, targets/.../lib),
 * pip's packages before (cuda_nvrtc, cuda_runtime) and since CUDA 13 (one folder cu13). */
static const char *const header_dirs[] = {"../include", "../../include",
                                          "../../cuda_runtime/include", "../../../include"};

/* Folders of pip's packages below a site-packages folder. */
static const char *const pip_dirs[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"};

static bool has_header(const char *dir)
{
	char *file = path_join(dir, "cuda_fp16.h");
	bool yes = path_exists(file);

	free(file);
	return yes;
}

static void find_headers(struct nvrtc_place *at, void *symbol)
{
	char dir[512], *real;
	Dl_info info;
	char *end;

	at->headers[0] = 0;
	if (!dladdr(symbol, &info) || !info.dli_fname || strlen(info.dli_fname) >= sizeof dir)
		return;
	snprintf(dir, sizeof dir, "%s", info.dli_fname);
	end = strrchr(dir, '/');
	if (!end)
		return;
	*end = 0;
	for (size_t i = 0; i < ARRAY_LEN(header_dirs) && !at->headers[0]; i++) {
		char *candidate = path_join(dir, header_dirs[i]);

		if (has_header(candidate) && (real = realpath(candidate, NULL)) != NULL) {
			if (strlen(real) < sizeof at->headers)
				snprintf(at->headers, sizeof at->headers, "%s", real);
			free(real);
		}
		free(candidate);
	}
	if (!at->headers[0] && has_header("/usr/include")) /* a distribution's own toolkit */
		snprintf(at->headers, sizeof at->headers, "/usr/include");
}

/* Opens the library, asks for its version and finds its headers. */
static bool try_library(struct nvrtc_place *at, const char *path)
{
	void *lib, *symbol;
	int (*version)(int *major, int *minor);
	int major = 0, minor = 0;

	if (strlen(path) >= sizeof at->path)
		return false;
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!lib)
		return false;
	symbol = dlsym(lib, "nvrtcVersion");
	memcpy(&version, &symbol, sizeof version);
	if (!symbol || version(&major, &minor) != 0 || major < 0 || major > 999 || minor < 0 ||
	    minor > 999) {
		dlclose(lib);
		return false;
	}
	snprintf(at->path, sizeof at->path, "%s", path);
	snprintf(at->version, sizeof at->version, "%d.%d", major, minor);
	find_headers(at, symbol);
	dlclose(lib);
	return true;
}

static bool try_folder(struct nvrtc_place *at, const char *dir)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(lib_names) && !found; i++) {
		char *path = path_join(dir, lib_names[i]);

		found = path_exists(path) && try_library(at, path);
		free(path);
	}
	return found;
}

/* Folders that match pattern, the last in alphabetical order (the newest version) first. */
static bool try_glob(struct nvrtc_place *at, const char *pattern)
{
	bool found = false;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return false;
	for (size_t i = g.gl_pathc; i-- > 0 && !found;)
		found = try_folder(at, g.gl_pathv[i]);
	globfree(&g);
	return found;
}

static bool try_toolkit(struct nvrtc_place *at, const char *root)
{
	static const char *const dirs[] = {"lib64", "targets/*/lib", "lib"};
	bool found = false;

	for (size_t i = 0; root && root[0] && i < ARRAY_LEN(dirs) && !found; i++) {
		char *pattern = path_join(root, dirs[i]);

		found = try_glob(at, pattern);
		free(pattern);
	}
	return found;
}

/* prefix: what stands before lib/pythonX.Y; the Python versions are globbed. */
static bool try_pip(struct nvrtc_place *at, const char *prefix)
{
	static const char *const site[] = {"site-packages", "dist-packages"};
	bool found = false;

	if (!prefix || !prefix[0])
		return false;
	for (size_t s = 0; s < ARRAY_LEN(site) && !found; s++)
		for (size_t i = 0; i < ARRAY_LEN(pip_dirs) && !found; i++) {
			struct buf b = {0};

			buf_printf(&b, "%s/lib/python3*/%s/%s", prefix, site[s], pip_dirs[i]);
			found = try_glob(at, b.s);
			buf_free(&b);
		}
	return found;
}

static bool try_named(struct nvrtc_place *at, const char *given)
{
	bool found = path_is_dir(given) ? try_folder(at, given) : try_library(at, given);

	if (!found)
		snprintf(at->why, sizeof at->why,
		         "GPUEMU_NVRTC is '%.300s', which is not an NVRTC library "
		         "nor a folder with one",
		         given);
	return found;
}

bool nvrtc_locate(struct nvrtc_place *at)
{
	const char *given = getenv("GPUEMU_NVRTC"), *home = getenv("HOME");
	char *local = NULL;
	bool found;

	memset(at, 0, sizeof *at);
	if (given && given[0])
		return try_named(at, given);
	if (home && home[0])
		local = path_join(home, ".local");
	found = try_toolkit(at, getenv("CUDA_HOME")) || try_toolkit(at, getenv("CUDA_PATH")) ||
	        try_toolkit(at, "/usr/local/cuda") || try_glob(at, "/usr/local/cuda-*/lib64") ||
	        try_pip(at, getenv("VIRTUAL_ENV")) || try_pip(at, getenv("CONDA_PREFIX")) ||
	        try_pip(at, local) || try_pip(at, "/usr/local") || try_pip(at, "/usr");
	for (size_t i = 0; i < ARRAY_LEN(lib_names) && !found; i++)
		found = try_library(at, lib_names[i]);
	free(local);
	if (!found)
		snprintf(at->why, sizeof at->why,
		         "no libnvrtc.so in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, the nvidia "
		         "packages of "
		         "$VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, /usr/local and /usr, or the "
		         "linker's path");
	return found;
}
