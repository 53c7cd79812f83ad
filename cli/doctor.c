/* doctor.c - gpuemu doctor: what is here and what is not; --isa: what the emulator understands. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "cli/cli.h"

static const char *simd(void)
{
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return "AVX-512";
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "AVX2" : "SSE2";
}

static const char *blas_config(void)
{
	char *(*config)(void);

	*(void **)&config = dlsym(RTLD_DEFAULT, "openblas_get_config");
	return config ? config() : "a BLAS that does not tell its name";
}

static int list_forms(void)
{
	struct conform_record r;
	struct err e = {0};
	size_t known = 0, at = 0, n = ptx_form_count();

	if (conform_record_shipped("isa_h200", &r, &e) != ST_OK)
		return cli_error(&e);
	for (size_t i = 0; i < n; i++) {
		struct ptx_form f = ptx_form_get(i);
		const struct conform_line *l = conform_record_find(&r, f.text, &at);
		bool hardware = l && l->state != CONFORM_REFUSED;

		known += hardware;
		printf("T%d  %-8s  %-40s %s\n", f.tier, hardware ? "hardware" : "modelled", f.text, f.section);
	}
	printf("%zu forms, %zu hardware, %zu modelled (%s, %s)\n", n, known, n - known, r.device, r.date);
	conform_record_free(&r);
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	char path[512], version[16], headers[512], why[512];
	void *cuda;

	if (argc == 2 && strcmp(argv[1], "--isa") == 0)
		return list_forms();
	if (argc != 1)
		return cli_usage("doctor", "unknown argument '%s'", argv[1]);
	printf("gpuemu     %s\nprocessor  %s, %d cores\nBLAS       %s\nMPFR       %s\n", gpuemu_version,
	       simd(), cpu_count(), blas_config(), mpfr_get_version());
	printf("emulator   %zu instruction forms (gpuemu doctor --isa), reference sm_90 (H200)\n",
	       ptx_form_count());
	if (nvrtc_find(path, version, headers, why))
		printf("NVRTC      %s, %s, headers %s\n", version, path, headers);
	else
		printf("NVRTC      not found: %s\n           Shipped PTX runs without it; sources do not compile. "
		       "Get it from the CUDA toolkit, or\n           pip install nvidia-cuda-nvrtc, or set "
		       "GPUEMU_NVRTC.\n", why);
	cuda = dlopen("libcuda.so.1", RTLD_LAZY);
	printf("libcuda    %s\n", cuda ? "found: gpuemu validate --device cuda:0 runs kernels on the GPU" :
	                                 "not found: no NVIDIA driver here; validation needs none");
	if (cuda)
		dlclose(cuda);
	return 0;
}
