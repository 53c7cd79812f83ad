/* device.h - one interface to compile a kernel and to run it: NVRTC, the PTX emulator, and GPUs through
 * libcuda (both libraries opened at run time).  Knows ptx and base. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "ptx/ptx.h"

/* ---- compiling -------------------------------------------------------------------------------- */

/* A source to compile to PTX. Options are NVRTC's, in order; include_dirs are added after them.
 * The cache key is the SHA-256 of source text, options, and NVRTC's version. */
struct nvrtc_input {
	const char *name;   /* file name for messages and -lineinfo */
	const char *source; /* NUL-terminated CUDA C++ */
	const char *const *options;
	int noptions;
	const char *const *include_dirs;
	int ninclude_dirs;
	const char *cache_dir; /* NULL: $XDG_CACHE_HOME/gpuemu or ~/.cache/gpuemu; "": no cache */
};
/* PTX text, caller frees. ST_UNSUP with how to get NVRTC when it is not found (toolkit, pip's nvidia
 * packages, GPUEMU_NVRTC); ST_INPUT with the compiler's log when the source does not compile. */
MUST_USE enum st nvrtc_compile(const struct nvrtc_input *in, char **ptx, struct err *e);
/* Machine code for sm_SM (a --gpu-architecture among the options is replaced); not cached. Caller frees. ST_UNSUP also for an NVRTC before
 * CUDA 11.1. */
MUST_USE enum st nvrtc_cubin(const struct nvrtc_input *in, int sm, char **data, size_t *bytes, struct err *e);
/* Path and version ("13.0") of NVRTC and the folder of its headers, for `doctor`; false: not found,
 * why says where it was looked for. */
bool nvrtc_find(char path[512], char version[16], char headers[512], char why[512]);

/* ---- running ---------------------------------------------------------------------------------- */

struct device;
/* name: "emu" (sm_90 in software); "cuda:0" or "cuda:GPU-UUID" (the UUID may be cut short), several with
 * commas ("cuda:0,1": GPUs of one kind, used in parallel). ST_UNSUP when there is no NVIDIA driver,
 * ST_INPUT when there is no such device. GPUs are used from child processes, which run this same
 * program: its main() gives argv "--device-worker" to device_worker. */
MUST_USE enum st device_open(const char *name, struct device **out, struct err *e);
void device_close(struct device *d); /* after its modules are freed */
int device_worker(int argc, char **argv); /* argv[0] is "--device-worker"; returns the exit status */
const char *device_name(const struct device *d); /* "emu", "cuda:0" */
/* "sm_90 in software (reference H200)"; "NVIDIA H200, sm_90, CUDA 13.0, driver 580.159.04" */
const char *device_text(const struct device *d);

/* A module loaded on a device: immutable, shareable between threads. The text is PTX; a GPU takes machine
 * code (a cubin) as well, and PTX that gpuemu does not know: errors then hold the JIT's log. */
struct dev_module;
MUST_USE enum st device_load(struct device *d, const char *ptx, size_t len, const char *name,
                             struct dev_module **out, struct err *e);
void dev_module_free(struct dev_module *m);
/* NULL when the text is not PTX that gpuemu understands. */
const struct ptx_module *dev_module_ptx(const struct dev_module *m);

/* Coverage of a whole module, by entry, gathered over runs (thread-safe merge); empty on a GPU. */
struct dev_coverage;
struct dev_coverage *dev_coverage_new(const struct dev_module *m);
void dev_coverage_free(struct dev_coverage *c);
void dev_coverage_merge(struct dev_coverage *into, const struct dev_coverage *from);
int dev_coverage_new_edges(const struct dev_coverage *seen, const struct dev_coverage *c);
struct ptx_coverage_sum dev_coverage_total(const struct dev_coverage *c);
void dev_coverage_lines(const struct dev_coverage *c,
                        void (*fn)(void *ctx, const char *file, int line, uint64_t hits), void *ctx);

/* Was an instruction of this line of the PTX text reached? */
bool dev_coverage_reached(const struct dev_coverage *c, int ptx_line);

struct dev_run_options {
	bool sanitize;
	uint64_t budget;     /* lane instructions over all launches, 32 a warp instruction; 0: default */
	uint64_t order_seed;
	struct dev_coverage *coverage; /* NULL: none */
	double seconds;      /* a GPU's time limit, 0: 10; beyond it the run ends with a BUDGET finding */
};
/* Runs every launch of the plan in order. Fills OUT/WORKSPACE buffers and all guards with the plan's
 * fill byte first; afterwards adds findings for outputs never written (sanitize only, not on a GPU),
 * inputs changed and guards changed. On a GPU a fault is a finding too (ILLEGAL_ADDRESS, MISALIGNED, TRAP,
 * LAUNCH_LIMIT, BUDGET; no place is known): outputs are then what they were before the run, and the next
 * run has a fresh context. */
MUST_USE enum st device_run(const struct dev_module *m, const struct run_plan *plan,
                            const struct dev_run_options *o, struct run_report *r, struct err *e);

/* Times the launches of the plan on a GPU: ms[i], 0 <= i < n, are the milliseconds between two events round all launches of run i, after `warm`
 * runs that are not timed. Outputs are not read back. ST_UNSUP on the emulator, ST_INPUT when the kernel faults. */
MUST_USE enum st device_time(const struct dev_module *m, const struct run_plan *plan, int warm, int n, double *ms, struct err *e);

#endif
