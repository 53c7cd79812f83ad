/* cuda_driver.c - see cuda_driver.h. */
#include "device/cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum st find_symbols(struct cuda_driver *d, void *lib, const char *path, struct err *e)
{
	static const char *const names[] = {
#define X(member, symbol, params) #symbol,
		CU_LIST(X)
#undef X
	};
	/* all members are function pointers: POSIX lets dlsym's pointer be one */
	void **slot = (void **)d;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		slot[i] = dlsym(lib, names[i]);
		if (!slot[i])
			return FAIL(e, UNSUP, "%s has no %s: the driver is too old for gpuemu", path,
			            names[i]);
	}
	return ST_OK;
}

enum st cuda_driver_open(struct cuda_driver *d, struct err *e)
{
	const char *path = getenv("GPUEMU_LIBCUDA");
	char text[256];
	void *lib;
	int rc;

	if (!path || !*path)
		path = "libcuda.so.1";
	lib = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!lib)
		return FAIL(e, UNSUP, "no NVIDIA driver here (%s); run on the emulator (--device emu), or "
		            "name the driver's library in GPUEMU_LIBCUDA", dlerror());
	TRY(find_symbols(d, lib, path, e));
	rc = d->init(0);
	return rc == CU_OK ? ST_OK : FAIL(e, DEVICE, "%s: cuInit: %s", path, cuda_error(d, rc, text));
}

const char *cuda_error(const struct cuda_driver *d, int code, char out[256])
{
	const char *name = NULL, *text = NULL;

	if (d->error_name(code, &name) != CU_OK || !name)
		name = "unknown error";
	if (d->error_text(code, &text) != CU_OK || !text)
		text = "?";
	snprintf(out, 256, "%s (%d): %s", name, code, text);
	return out;
}

static void uuid_text(const struct cuda_driver *d, int device, char out[48])
{
	uint8_t u[16] = {0};
	int n;

	if (d->device_uuid(u, device) != CU_OK)
		memset(u, 0, sizeof u);
	n = snprintf(out, 48, "GPU-");
	for (int i = 0; i < 16; i++)
		n += snprintf(out + n, (size_t)(48 - n), i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
		              u[i]);
}

static bool names_device(const struct cuda_driver *d, const char *which, int ordinal, int device)
{
	char uuid[48], *end;
	long v = strtol(which, &end, 10);
	size_t n = strlen(which);

	if (end != which && !*end)
		return v == ordinal;
	uuid_text(d, device, uuid);
	return n >= 4 && (strncmp(uuid, which, n) == 0 || strncmp(uuid + 4, which, n) == 0);
}

enum st cuda_find_device(const struct cuda_driver *d, const char *which, int *device,
                         struct err *e)
{
	struct buf known = {0};
	char name[128], uuid[48];
	int n = 0;

	if (d->device_count(&n) != CU_OK)
		n = 0;
	for (int i = 0; i < n; i++) {
		if (d->device_get(device, i) != CU_OK)
			continue;
		if (names_device(d, which, i, *device)) {
			buf_free(&known);
			return ST_OK;
		}
		if (d->device_name(name, sizeof name, *device) != CU_OK)
			snprintf(name, sizeof name, "?");
		uuid_text(d, *device, uuid);
		buf_printf(&known, "%scuda:%d %s %s", i ? ", " : "", i, name, uuid);
	}
	FAIL(e, INPUT, "there is no GPU '%s'; known: %s", which, known.s ? known.s : "none");
	buf_free(&known);
	return e->code;
}

/* Version of the kernel's driver, as /proc tells it: "… Kernel Module  580.159.04  Release Build …" */
static void kernel_driver_version(char out[32])
{
	FILE *f = fopen("/proc/driver/nvidia/version", "r");
	char line[256], *p;

	snprintf(out, 32, "unknown");
	if (f && fgets(line, sizeof line, f))
		for (p = strtok(line, " \t\n"); p; p = strtok(NULL, " \t\n"))
			if (p[0] >= '0' && p[0] <= '9' && strchr(p, '.')) {
				snprintf(out, 32, "%.31s", p);
				break;
			}
	if (f)
		fclose(f);
}

void cuda_describe(const struct cuda_driver *d, int device, char out[256])
{
	char name[128] = "?", driver[32];
	int major = 0, minor = 0, version = 0;

	if (d->device_name(name, sizeof name, device) != CU_OK ||
	    d->device_attribute(&major, CU_ATTR_MAJOR, device) != CU_OK ||
	    d->device_attribute(&minor, CU_ATTR_MINOR, device) != CU_OK ||
	    d->driver_version(&version) != CU_OK)
		snprintf(name, sizeof name, "?");
	kernel_driver_version(driver);
	snprintf(out, 256, "%s, sm_%d%d, CUDA %d.%d, driver %s", name, major, minor, version / 1000,
	         version % 1000 / 10, driver);
}
