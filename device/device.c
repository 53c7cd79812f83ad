/* device.c - the devices behind one interface: which backend a name means, and what can be seen of a
 * run only from outside: outputs never written, inputs and guards changed. */
#include "device/backend.h"
#include "device/check_buffers.h"

#include <string.h>

enum st device_open(const char *name, struct device **out, struct err *e)
{
	if (strcmp(name, "emu") == 0)
		return emu_open(name, out, e);
	if (strncmp(name, "cuda:", 5) == 0 || strncmp(name, "GPU-", 4) == 0)
		return cuda_open(name, out, e);
	return FAIL(e, INPUT, "unknown device '%s'; known are emu, cuda:N (cuda:0, cuda:1, or cuda:0,1 "
	            "for several) and cuda:GPU-UUID", name);
}

void device_close(struct device *d)
{
	if (d)
		d->backend->close(d);
}

const char *device_name(const struct device *d)
{
	return d->name;
}

const char *device_text(const struct device *d)
{
	return d->text;
}

enum st device_load(struct device *d, const char *text, size_t len, const char *name,
                    struct dev_module **out, struct err *e)
{
	return d->backend->load(d, text, len, name, out, e);
}

void dev_module_free(struct dev_module *m)
{
	if (m)
		m->backend->unload(m);
}

const struct ptx_module *dev_module_ptx(const struct dev_module *m)
{
	return m->ptx;
}

enum st device_time(const struct dev_module *m, const struct run_plan *plan, int warm, int n, double *ms, struct err *e)
{
	if (!m->backend->time)
		return FAIL(e, UNSUP, "the emulator tells no times of a GPU; name one: --device cuda:0");
	return m->backend->time(m, plan, warm, n, ms, e);
}

enum st device_run(const struct dev_module *m, const struct run_plan *plan,
                   const struct dev_run_options *o, struct run_report *r, struct err *e)
{
	struct buffer_watch *w;
	double start = clock_seconds();
	enum st rc;

	memset(r, 0, sizeof *r);
	w = buffer_watch_begin(plan, o->sanitize && m->backend->sees_stores);
	rc = m->backend->run(m, plan, o, r, e);
	if (rc == ST_OK)
		buffer_watch_report(w, plan, r);
	buffer_watch_end(w, plan);
	r->seconds = clock_seconds() - start;
	return rc;
}
