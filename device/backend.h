/* backend.h - what a device is made of (private to device/): each backend is one table of
 * functions, and begins its own device and module with the structures below. */
#ifndef DEVICE_BACKEND_H
#define DEVICE_BACKEND_H

#include "device/device.h"

struct backend {
	/* Does a sanitized run tell every store (`written` of the buffers)? */
	bool sees_stores;
	void (*close)(struct device *d);
	enum st (*load)(struct device *d, const char *text, size_t len, const char *name,
	                struct dev_module **out, struct err *e);
	void (*unload)(struct dev_module *m);
	/* The program of an entry for its coverage; NULL: there is none. NULL altogether: the
	 * backend cannot tell coverage. */
	const struct ptx_program *(*program)(const struct dev_module *m, int entry);
	/* Runs the launches in order until one does not end; r->complete says whether all did. */
	enum st (*run)(const struct dev_module *m, const struct run_plan *plan,
	               const struct dev_run_options *o, struct run_report *r, struct err *e);
	/* As device_time; NULL: it has no clock of its own. */
	enum st (*time)(const struct dev_module *m, const struct run_plan *plan, int warm, int n, double *ms, struct err *e);
};

struct device {
	const struct backend *backend;
	const char *name, *text;
};
struct dev_module {
	const struct backend *backend;
	struct ptx_module *ptx; /* NULL: machine code, or PTX that only the driver understands */
};

MUST_USE enum st emu_open(const char *name, struct device **out, struct err *e);
MUST_USE enum st cuda_open(const char *name, struct device **out, struct err *e);

/* Coverage of one entry, for the backend that has a program for it; NULL: none. */
struct ptx_coverage *dev_coverage_entry(const struct dev_coverage *c, int entry);

static inline bool grid_is_empty(const struct run_launch *l)
{
	return l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0;
}

#endif
