/* fake_nvrtc.c - a library with NVRTC's functions that compiles nothing, for tests where there is
 * no CUDA.  Its PTX lists name, options and source; a source that contains "syntax error" does not
 * compile, an option "--bad" is refused.  Each compile adds a byte to the file $FAKE_NVRTC_COUNT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
	char *source, *name, *text;
};

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(struct program **p, const char *source, const char *name, int nheaders,
                       const char *const *headers, const char *const *names);
int nvrtcDestroyProgram(struct program **p);
int nvrtcCompileProgram(struct program *p, int n, const char *const *options);
int nvrtcGetPTXSize(struct program *p, size_t *n);
int nvrtcGetPTX(struct program *p, char *out);
int nvrtcGetProgramLogSize(struct program *p, size_t *n);
int nvrtcGetProgramLog(struct program *p, char *out);
const char *nvrtcGetErrorString(int code);

int nvrtcVersion(int *major, int *minor)
{
	*major = 98;
	*minor = 7;
	return 0;
}

int nvrtcCreateProgram(struct program **p, const char *source, const char *name, int nheaders,
                       const char *const *headers, const char *const *names)
{
	(void)nheaders, (void)headers, (void)names;
	*p = calloc(1, sizeof **p);
	(*p)->source = strdup(source);
	(*p)->name = strdup(name);
	return 0;
}

int nvrtcDestroyProgram(struct program **p)
{
	free((*p)->source);
	free((*p)->name);
	free((*p)->text);
	free(*p);
	*p = NULL;
	return 0;
}

int nvrtcCompileProgram(struct program *p, int n, const char *const *options)
{
	const char *count = getenv("FAKE_NVRTC_COUNT");
	FILE *f = count ? fopen(count, "a") : NULL;
	size_t size;
	FILE *text = open_memstream(&p->text, &size);
	int code = strstr(p->source, "syntax error") ? 6 : 0;

	if (f) {
		fputc('x', f);
		fclose(f);
	}
	fprintf(text, code ? "%s(1): error: it says so\n" : "// %s\n", p->name);
	for (int i = 0; i < n; i++) {
		if (strncmp(options[i], "-D", 2) != 0) /* nvcc's macros, which every source gets */
			fprintf(text, "// %s\n", options[i]);
		if (strcmp(options[i], "--bad") == 0)
			code = 5;
	}
	fprintf(text, "%s", p->source);
	fclose(text);
	return code;
}

int nvrtcGetPTXSize(struct program *p, size_t *n)
{
	*n = strlen(p->text) + 1;
	return 0;
}

int nvrtcGetPTX(struct program *p, char *out)
{
	strcpy(out, p->text);
	return 0;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *n)
{
	return nvrtcGetPTXSize(p, n);
}

int nvrtcGetProgramLog(struct program *p, char *out)
{
	return nvrtcGetPTX(p, out);
}

const char *nvrtcGetErrorString(int code)
{
	return code == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INVALID_OPTION";
}
