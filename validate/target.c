/* target.c - a kernel folder to a module on a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate.h"

enum st target_compile(const struct kernel *k, char **ptx, struct err *e)
{
	struct nvrtc_input in = {.name = kernel_name(k)};
	char *text = kernel_compile_text(k);
	enum st rc;

	in.source = text;
	in.noptions = kernel_options(k, &in.options);
	in.ninclude_dirs = kernel_include_dirs(k, &in.include_dirs);
	rc = nvrtc_compile(&in, ptx, e);
	free(text);
	return rc;
}

/* The PTX to run: shipped, unless it is missing, stale or not wanted. Stale PTX is run only where NVRTC
 * is absent, and then says so in the evidence. */
static enum st choose_ptx(struct target *t, bool recompile, char **made, const char **ptx, size_t *len,
                          struct err *e)
{
	const struct kernel *k = t->kernel;
	struct err why = {0};
	enum st rc;

	*ptx = kernel_ptx(k, len);
	t->stale = kernel_ptx_stale(k, t->stale_why);
	if (*ptx && !recompile && !t->stale)
		return ST_OK;
	if (!kernel_source(k))
		return *ptx ? ST_OK : FAIL(e, INPUT, "%s: no source to compile", kernel_folder(k));
	rc = target_compile(k, made, &why);
	if (rc == ST_OK) {
		t->recompiled = true;
		t->stale = false;
		*ptx = *made;
		*len = strlen(*made);
		return ST_OK;
	}
	if (*ptx && rc == ST_UNSUP && !recompile)
		return ST_OK;
	*e = why;
	return err_prefix(e, "%s", kernel_folder(k));
}

static void find_tiles(struct target *t)
{
	const struct ptx_module *m = dev_module_ptx(t->module);

	for (int i = 0; m && i < ptx_entry_count(m) && t->ntiles < ARRAY_LEN(t->tiles); i++) {
		int64_t found[64];
		size_t n = ptx_tile_constants(m, ptx_entry_name(m, i), found, ARRAY_LEN(found));

		for (size_t j = 0; j < n; j++) {
			size_t at = 0;

			while (at < t->ntiles && t->tiles[at] != found[j])
				at++;
			if (at == t->ntiles && t->ntiles < ARRAY_LEN(t->tiles))
				t->tiles[t->ntiles++] = found[j];
		}
	}
}

static enum st check_params(const struct kernel *k, int launch, const char *entry, const struct ptx_param *p,
                            int n, struct err *e)
{
	const char *where = "";
	int i;

	for (i = 0; i < n; i++) {
		size_t bytes = kernel_param_bytes(k, launch, i, &where);

		if (bytes == 0)
			break;
		if (bytes != p[i].bytes)
			return FAIL(e, INPUT, "%s/kernel.json: %s has %zu bytes, parameter %d (%s) of %s has %u",
			            kernel_folder(k), where, bytes, i, p[i].name, entry, p[i].bytes);
	}
	if (i < n || kernel_param_bytes(k, launch, n, &where))
		return FAIL(e, INPUT, "%s/kernel.json: launches[%d].params: %s takes %d parameters, the manifest gives %s",
		            kernel_folder(k), launch, entry, n, i < n ? "fewer" : "more");
	return ST_OK;
}

static enum st check_entry(const struct kernel *k, int launch, const char *entry,
                           const struct ptx_module *m, struct err *e)
{
	int n;
	const struct ptx_param *p = ptx_entry_params(m, entry, &n);

	if (p)
		return check_params(k, launch, entry, p, n, e);
	return FAIL(e, INPUT, "%s/kernel.json: launches[%d].entry: the PTX has no entry '%s'; its first entry "
	            "is '%s'", kernel_folder(k), launch, entry,
	            ptx_entry_count(m) ? ptx_entry_name(m, 0) : "(none)");
}

/* Every launch of every dtype combination must name an entry of the module (where it can be read). */
static enum st check_entries(const struct target *t, struct err *e)
{
	const struct ptx_module *m = dev_module_ptx(t->module);
	enum dtype types[OP_MAX_TYPES];
	int nd = kernel_dtypes(t->kernel, -1, types);

	for (int d = 0; m && d < nd; d++)
		for (int l = 0; l < kernel_launches(t->kernel); l++) {
			TRY(check_entry(t->kernel, l, kernel_entry(t->kernel, d, l), m, e));
			if (kernel_f32_entry(t->kernel, d, l))
				TRY(check_entry(t->kernel, l, kernel_f32_entry(t->kernel, d, l), m, e));
		}
	return ST_OK;
}

enum st target_open(struct device *d, const char *folder, bool recompile, struct target **out,
                    struct err *e)
{
	struct target *t = mem_zalloc(1, sizeof *t);
	char *made = NULL;
	const char *ptx, *path;
	size_t len;
	enum st rc;

	TRY_OR(done, rc, kernel_read(folder, &t->kernel, e));
	TRY_OR(done, rc, choose_ptx(t, recompile, &made, &ptx, &len, e));
	path = kernel_ptx_path(t->kernel);
	TRY_OR(done, rc, device_load(d, ptx, len, made || !path ? kernel_name(t->kernel) : path, &t->module, e));
	TRY_OR(done, rc, check_entries(t, e));
	find_tiles(t);
	t->table = tolerance_of_device(device_text(d));
	t->device = device_name(d);
	t->asked = recompile;
done:
	free(made);
	if (rc != ST_OK) {
		target_free(t);
		return rc;
	}
	*out = t;
	return ST_OK;
}

void target_free(struct target *t)
{
	if (!t)
		return;
	dev_module_free(t->module);
	kernel_free(t->kernel);
	free(t);
}

void target_replay(const struct target *t, struct buf *b)
{
	buf_puts(b, "gpuemu replay ");
	if (strcmp(t->device, "emu") != 0)
		buf_printf(b, "--device %s ", t->device);
	if (t->asked)
		buf_puts(b, "--recompile ");
	if (t->tolerances) {
		buf_puts(b, "--tolerances ");
		buf_shell(b, t->tolerances);
		buf_putc(b, ' ');
	}
	buf_shell(b, kernel_folder(t->kernel));
}
