/* exec_cvt_simd.c - handlers of cvt. */
#include "ptx/exec.h"
#include "ptx/num_cvt.h"

NUM_FN uint32_t cvt_half_satfinite(uint32_t a, enum num_half t, enum rnd r, bool relu)
{
	uint32_t h = t == HALF_F16 ? num_round(a, 5, 10, 0x7bff, 0x7bff, r)
	                           : num_round(a, 8, 7, 0x7f7f, 0x7f7f, r);
	h = f32_isnan(a) ? HALF_NAN : h;
	return relu && (h & HALF_SIGN) ? 0 : h;
}
NUM_FN uint32_t cvt_f16_same(uint32_t h, bool sat)
{
	struct half_mods m = {false, sat, false};
	return half_finish(half_widen(h & 0xffff, HALF_F16), HALF_F16, RND_NE, m);
}
NUM_FN uint32_t cvt_tf32_rna_satfinite(uint32_t a)
{
	uint32_t v = cvt_tf32_rna(a); /* one step down from infinity, and so from NaN too (H200) */
	return v - ((v & ~F32_SIGN) >= F32_INF ? 0x2000u : 0);
}

#define LIST "ptx/exec_cvt.inc"
#define PART emu_cvt_part
#include "ptx/exec_lanes.h"
