/* mufu_simd.c - the special functions over arrays, compiled once for each instruction set. */
#include "ptx/mufu.h"
#include "ptx/mufu_isa.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

/* Results go to an array that cannot overlap the tables, else compilers dare not use gathers. */
#define CHUNK 32
#define LOOP(name, call)                                                                           \
	static void name(const uint32_t *a, uint32_t *d, size_t n)                                 \
	{                                                                                          \
		uint32_t in[CHUNK] = {0}, out[CHUNK];                                              \
		for (size_t at = 0; at < n; at += CHUNK) {                                         \
			size_t len = n - at < CHUNK ? n - at : CHUNK;                              \
			memcpy(in, a + at, len * sizeof *in);                                      \
			for (int i = 0; i < CHUNK; i++) {                                          \
				uint32_t u = in[i];                                                \
				out[i] = call;                                                     \
			}                                                                          \
			memcpy(d + at, out, len * sizeof *out);                                    \
		}                                                                                  \
	}
LOOP(loop_ex2, mufu_ex2(u))
LOOP(loop_rcp, mufu_rcp(u))
LOOP(loop_rsqrt, mufu_rsqrt(u))
LOOP(loop_sqrt, mufu_sqrt(u))
LOOP(loop_lg2, mufu_lg2(u))
LOOP(loop_sin, f32_sin_approx(u))
LOOP(loop_cos, f32_cos_approx(u))
LOOP(loop_tanh, mufu_tanh(u))

mufu_loop *const PASTE(mufu_loops_, ISA)[MUFU_COUNT] = {
        [MUFU_EX2] = loop_ex2,   [MUFU_RCP] = loop_rcp,   [MUFU_RSQRT] = loop_rsqrt,
        [MUFU_SQRT] = loop_sqrt, [MUFU_LG2] = loop_lg2,   [MUFU_SIN] = loop_sin,
        [MUFU_COS] = loop_cos,   [MUFU_TANH] = loop_tanh,
};
