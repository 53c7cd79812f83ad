/* fake_cuda.c - a library with libcuda's functions on host memory, for tests where there is no GPU.
 *
 * Kernels are known by the beginning of their name; some fail, each in its way. Memory is limited to
 * $FAKE_CUDA_BYTES (default 64 MB); text that contains "jit error" does not load. Each context, load
 * and unload adds a line to the file $FAKE_CUDA_LOG.  FAKE_CUDA_WRONG=1 makes relu wrong in every
 * way that a comparison tells apart.  A program that calls fake_cuda_attach runs all kernels itself. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, INVALID = 1, NO_MEMORY = 2, INVALID_PTX = 218, NOT_FOUND = 500 };
enum { MAX_DEVICES = 3, MAX_DYNAMIC_SHARED = 227 << 10 };

struct function {
	const char *module;
	char name[64];
	int shared;
};

static int context_error; /* once set, every call returns it */
static size_t used;

/* Runs a kernel on these blocks of memory; returns a code of CUresult, -1: it does not end. */
typedef int emulator(const char *module, const char *entry, const unsigned grid[3], const unsigned block[3],
                     unsigned shared, void **params, void *const *memory, const size_t *bytes, int nblocks);
static emulator *attached;
static void *blocks[4096];
static size_t block_bytes[4096];
static int nblocks;

#define EXPORT(name, ...)                                                                          \
	int name(__VA_ARGS__);                                                                     \
	int name(__VA_ARGS__)
#define LIVING                                                                                     \
	do {                                                                                       \
		if (context_error)                                                                 \
			return context_error;                                                      \
	} while (0)

static void tell(const char *what)
{
	const char *path = getenv("FAKE_CUDA_LOG");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f) {
		fprintf(f, "%s\n", what);
		fclose(f);
	}
}

/* ---- devices ---- */

EXPORT(cuInit, unsigned flags)
{
	return flags || getenv("FAKE_CUDA_NO_INIT") ? 100 : OK;
}

EXPORT(cuDriverGetVersion, int *v)
{
	*v = 13000;
	return OK;
}

EXPORT(cuDeviceGetCount, int *n)
{
	*n = MAX_DEVICES;
	return OK;
}

EXPORT(cuDeviceGet, int *device, int ordinal)
{
	*device = ordinal + 40; /* no ordinal by accident */
	return OK;
}

EXPORT(cuDeviceGetName, char *name, int len, int device)
{
	snprintf(name, (size_t)len, device == 42 ? "Other GPU" : "Fake GPU");
	return OK;
}

EXPORT(cuDeviceGetUuid, uint8_t *u, int device)
{
	for (int i = 0; i < 16; i++)
		u[i] = (uint8_t)(16 * (device - 40) + i);
	return OK;
}

EXPORT(cuDeviceGetAttribute, int *v, int attribute, int device)
{
	(void)device;
	*v = attribute == 75 ? 9 : 0; /* compute capability 9.0 */
	return OK;
}

EXPORT(cuDevicePrimaryCtxRetain, void **ctx, int device)
{
	char text[32];

	snprintf(text, sizeof text, "context %d", device);
	tell(text);
	*ctx = &context_error;
	return OK;
}

EXPORT(cuCtxSetCurrent, void *ctx)
{
	return ctx == &context_error ? OK : INVALID;
}

EXPORT(cuGetErrorName, int code, const char **s)
{
	*s = code == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX" : "CUDA_ERROR_FAKE";
	return OK;
}

EXPORT(cuGetErrorString, int code, const char **s)
{
	*s = code == INVALID_PTX ? "a PTX JIT compilation failed" : "as the test wants it";
	return OK;
}

/* ---- modules ---- */

EXPORT(cuModuleLoadDataEx, void **m, const void *image, unsigned n, int *options, void **values)
{
	(void)n, (void)options, (void)values;
	LIVING;
	tell("load");
	*m = strdup(image);
	return OK;
}

/* The JIT: its machine code is the PTX behind this. */
#define MADE "\177ELF by the JIT\n"
struct link {
	char *log, *code;
	size_t bytes;
};

EXPORT(cuLinkCreate_v2, unsigned n, int *options, void **values, void **out)
{
	struct link *l = calloc(1, sizeof *l);

	for (unsigned i = 0; i < n; i++)
		if (options[i] == 5) /* CU_JIT_ERROR_LOG_BUFFER */
			l->log = values[i];
	*out = l;
	return OK;
}

EXPORT(cuLinkAddData_v2, void *link, int type, void *data, size_t bytes, const char *name, unsigned n, int *options,
       void **values)
{
	struct link *l = link;

	(void)name, (void)n, (void)options, (void)values;
	LIVING;
	if (type != 1 || bytes == 0 || ((char *)data)[bytes - 1])
		return INVALID;
	if (strstr(data, "jit error")) {
		strcpy(l->log, "ptxas fatal: line 7: it says so");
		return INVALID_PTX;
	}
	tell("jit");
	l->bytes = strlen(MADE) + bytes;
	l->code = malloc(l->bytes);
	sprintf(l->code, MADE "%s", (char *)data);
	return OK;
}

EXPORT(cuLinkComplete, void *link, void **code, size_t *bytes)
{
	const struct link *l = link;

	*code = l->code;
	*bytes = l->bytes;
	return OK;
}

EXPORT(cuLinkDestroy, void *link)
{
	struct link *l = link;

	free(l->code);
	free(l);
	return OK;
}

EXPORT(cuModuleUnload, void *m)
{
	LIVING;
	tell("unload");
	free(m);
	return OK;
}

EXPORT(cuModuleGetFunction, void **f, void *m, const char *name)
{
	struct function *fn;

	LIVING;
	if (!m || strncmp(m, MADE, strlen(MADE)) != 0 || !strstr(m, name))
		return NOT_FOUND;
	fn = calloc(1, sizeof *fn);
	snprintf(fn->name, sizeof fn->name, "%s", name);
	fn->module = m;
	*f = fn;
	return OK;
}

EXPORT(cuFuncSetAttribute, void *f, int attribute, int v)
{
	LIVING;
	if (attribute != 8 || v > MAX_DYNAMIC_SHARED)
		return INVALID;
	((struct function *)f)->shared = v;
	return OK;
}

/* ---- memory ---- */

static size_t limit(void)
{
	const char *s = getenv("FAKE_CUDA_BYTES");

	return s ? strtoull(s, NULL, 10) : (size_t)64 << 20;
}

EXPORT(cuMemGetInfo_v2, size_t *free_bytes, size_t *total)
{
	*total = limit();
	*free_bytes = limit() - used;
	return OK;
}

EXPORT(cuMemAlloc_v2, uint64_t *p, size_t n)
{
	size_t *block;

	LIVING;
	if (n > limit() - used)
		return NO_MEMORY;
	block = aligned_alloc(512, (n + 1023) / 512 * 512);
	block[0] = n; /* the kernel's memory begins 512 bytes further */
	if (nblocks == sizeof blocks / sizeof *blocks)
		return NO_MEMORY;
	blocks[nblocks] = (char *)block + 512;
	block_bytes[nblocks++] = n;
	used += n;
	*p = (uint64_t)(uintptr_t)block + 512;
	return OK;
}

EXPORT(cuMemFree_v2, uint64_t p)
{
	size_t *block = (size_t *)(uintptr_t)(p - 512);

	LIVING;
	used -= block[0];
	for (int i = 0; i < nblocks; i++)
		if (blocks[i] == (char *)block + 512) {
			blocks[i] = blocks[--nblocks];
			block_bytes[i] = block_bytes[nblocks];
		}
	free(block);
	return OK;
}

EXPORT(cuMemcpyHtoD_v2, uint64_t to, const void *from, size_t n)
{
	LIVING;
	memcpy((void *)(uintptr_t)to, from, n);
	return OK;
}

EXPORT(cuMemcpyDtoH_v2, void *to, uint64_t from, size_t n)
{
	LIVING;
	memcpy(to, (const void *)(uintptr_t)from, n);
	return OK;
}

/* ---- kernels: (const float *in, float *out, long long n) ---- */

static unsigned launches; /* so far */
static int pending; /* what the next cuCtxSynchronize finds */

static void relu(const float *x, float *y, long long n)
{
	for (long long i = 0; i < n; i++)
		y[i] = x[i] < 0 ? 0 : x[i];
	if (!getenv("FAKE_CUDA_WRONG"))
		return;
	for (long long i = 0; i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &y[i], 4);
		if (i % 4 == 0)
			bits = (bits & 0x7fffffff) > 0x7f800000 ? bits ^ 1 : bits + 3;
		else if (i % 4 == 1)
			bits = bits ? bits : 0x80000000;
		else if (i % 4 == 2)
			bits = 0x7fc00000;
		memcpy(&y[i], &bits, 4);
	}
}

static void crash_once(void)
{
	const char *path = getenv("FAKE_CUDA_ONCE");

	if (path && unlink(path) == 0)
		raise(SIGKILL);
}

void fake_cuda_attach(emulator *f);
void fake_cuda_attach(emulator *f)
{
	attached = f;
}

static int begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

EXPORT(cuLaunchKernel, void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
       unsigned bz, unsigned shared, void *stream, void **params, void **extra)
{
	const struct function *fn = f;
	float *in, *out;
	long long n;

	(void)stream, (void)extra;
	LIVING;
	launches++;
	tell("launch");
	if (!gx || !gy || !gz || bx * by * bz > 1024 || (shared > 0 && fn->shared < (int)shared))
		return INVALID;
	if (attached) {
		const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};

		pending = attached(fn->module + strlen(MADE), fn->name, grid, block, shared, params, blocks, block_bytes, nblocks);
		return OK;
	}
	memcpy(&in, params[0], sizeof in);
	memcpy(&out, params[1], sizeof out);
	memcpy(&n, params[2], sizeof n);
	if (begins(fn->name, "relu"))
		relu(in, out, n);
	else if (begins(fn->name, "address"))
		for (int i = 0; i < 2; i++)
			out[i] = (float)((uintptr_t)(i ? out : in) % 256);
	else if (begins(fn->name, "guard"))
		out[n] = out[-1] = 1;
	else if (begins(fn->name, "input"))
		in[n - 1] += 1;
	else if (begins(fn->name, "illegal"))
		pending = 700;
	else if (begins(fn->name, "misaligned"))
		pending = 716;
	else if (begins(fn->name, "trap"))
		pending = 719;
	else if (begins(fn->name, "strange"))
		pending = 999;
	else if (begins(fn->name, "hang"))
		pending = -1;
	else if (begins(fn->name, "crash_once"))
		crash_once();
	else if (begins(fn->name, "crash"))
		signal(SIGSEGV, SIG_DFL), raise(SIGSEGV); /* a sanitizer would catch it */
	printf("a kernel prints\n"); /* must not reach the shared memory */
	fflush(stdout);
	if (begins(fn->name, "crash_once"))
		relu(in, out, n);
	return OK;
}

/* Events: an event is the number of launches before it, and each launch takes a quarter of a millisecond. */

EXPORT(cuEventCreate, void **event, unsigned flags)
{
	LIVING;
	if (flags)
		return INVALID;
	*event = calloc(1, sizeof launches);
	return OK;
}

EXPORT(cuEventRecord, void *event, void *stream)
{
	LIVING;
	if (stream)
		return INVALID;
	*(unsigned *)event = launches;
	return OK;
}

EXPORT(cuEventElapsedTime, float *ms, void *start, void *end)
{
	LIVING;
	*ms = 0.25f * (float)(*(unsigned *)end - *(unsigned *)start);
	return OK;
}

EXPORT(cuEventDestroy_v2, void *event)
{
	tell("event destroyed");
	free(event);
	return OK;
}

EXPORT(cuEventSynchronize, void *event)
{
	LIVING;
	(void)event;
	while (pending < 0)
		pause();
	context_error = pending;
	return context_error;
}

EXPORT(cuCtxSynchronize, void)
{
	LIVING;
	while (pending < 0)
		pause();
	context_error = pending;
	return context_error;
}
