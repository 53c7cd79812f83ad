/* math_source.c - CUDA source that evaluates a function on any inputs, and that measures it on all 2^32.
 *
 * The measuring kernel takes CUDA's double-precision function of the same name as reference. Its error, by NVIDIA's table at
 * most 10 ulp (facts/accuracy.md §1.2), is below 2^-25 ulp of f32: it decides which inputs are worst, whose errors
 * are then computed from MPFR's value. So a maximum that is told is exact for its input, and no other input is
 * worse by more than 2^-24 ulp wherever the double function keeps its promise. */
#include "calibrate/math.h"

#include <math.h>
#include <stdio.h>

void math_entry(char out[24], const char *kind, size_t index)
{
	snprintf(out, 24, "%s_%zu", kind, index);
}

/* The finaliser of splitmix64, as in tests/ptx/data. */
uint64_t math_mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t math_sample_chunk(int k)
{
	uint32_t step = MATH_CHUNKS / MATH_SAMPLE;

	return (uint32_t)k * step + (uint32_t)(math_mix((uint64_t)k) % step);
}

static const char f32_head[] =
	"typedef unsigned u32;\n"
	"typedef unsigned long long u64;\n"
	"struct chunk { double ulp, ratio; u32 ulp_at, ratio_at; u64 hash; u32 wrong, far, special, special_at; };\n"
	"static __device__ __forceinline__ u64 mix(u64 z)\n"
	"{\n"
	"	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;\n"
	"	z = (z ^ z >> 27) * 0x94d049bb133111ebull;\n"
	"	return z ^ z >> 31;\n"
	"}\n"
	"static __device__ __forceinline__ double ulp_of(double d)\n"
	"{\n"
	"	int e = (int)(__double_as_longlong(d) >> 52 & 0x7ff) - 1023 - 23;\n"
	"	e = e < -149 ? -149 : e > 104 ? 104 : e;\n"
	"	return __longlong_as_double((long long)(e + 1023) << 52);\n"
	"}\n"
	"static __device__ __forceinline__ double clamped(double d)\n"
	"{\n"
	"	return d > 0x1p128 ? 0x1p128 : d < -0x1p128 ? -0x1p128 : d;\n"
	"}\n";

/* One thread takes 256 inputs of a chunk of 65,536; the block's threads are then reduced, ties to the smallest input. */
static const char f32_sweep[] =
	"static __device__ void take(struct chunk &c, u32 u)\n"
	"{\n"
	"	float xf = __uint_as_float(u), yf = f32_function(xf);\n"
	"	double d = f64_function((double)xf), y = clamped((double)yf), z, err, ulp, limit;\n"
	"	bool ulps;\n"
	"	c.hash += mix((u64)u << 32 | __float_as_uint(yf));\n"
	"	if ((yf != yf) != (d != d)) {\n"
	"		c.special_at = c.special++ ? c.special_at : u;\n"
	"		return;\n"
	"	}\n"
	"	if (d != d)\n"
	"		return;\n"
	"	z = clamped(d);\n"
	"	err = fabs(y - z);\n"
	"	ulp = ulp_of(z);\n"
	"	limit = allowed((double)xf, z, ulp, ulps);\n"
	"	c.wrong += (float)d != yf;\n"
	"	c.far += fabs(y - clamped((double)(float)d)) >= 1.5 * ulp;\n"
	"	if (ulps && err / ulp > c.ulp) {\n"
	"		c.ulp = err / ulp;\n"
	"		c.ulp_at = u;\n"
	"	}\n"
	"	if (limit > 0 && err / limit > c.ratio) {\n"
	"		c.ratio = err / limit;\n"
	"		c.ratio_at = u;\n"
	"	}\n"
	"}\n"
	"static __device__ void join(struct chunk &a, const struct chunk &b)\n"
	"{\n"
	"	if (b.ulp > a.ulp || (b.ulp == a.ulp && b.ulp_at < a.ulp_at)) {\n"
	"		a.ulp = b.ulp;\n"
	"		a.ulp_at = b.ulp_at;\n"
	"	}\n"
	"	if (b.ratio > a.ratio || (b.ratio == a.ratio && b.ratio_at < a.ratio_at)) {\n"
	"		a.ratio = b.ratio;\n"
	"		a.ratio_at = b.ratio_at;\n"
	"	}\n"
	"	if (b.special && (!a.special || b.special_at < a.special_at))\n"
	"		a.special_at = b.special_at;\n"
	"	a.hash += b.hash;\n"
	"	a.wrong += b.wrong;\n"
	"	a.far += b.far;\n"
	"	a.special += b.special;\n"
	"}\n"
	"extern \"C\" __global__ void %s(struct chunk *out)\n"
	"{\n"
	"	__shared__ struct chunk all[256];\n"
	"	struct chunk c = {0, 0, ~0u, ~0u, 0, 0, 0, 0, 0};\n"
	"	for (u32 i = 0; i < 256; i++)\n"
	"		take(c, blockIdx.x << 16 | i << 8 | threadIdx.x);\n"
	"	all[threadIdx.x] = c;\n"
	"	__syncthreads();\n"
	"	for (u32 n = 128; n; n /= 2) {\n"
	"		if (threadIdx.x < n)\n"
	"			join(all[threadIdx.x], all[threadIdx.x + n]);\n"
	"		__syncthreads();\n"
	"	}\n"
	"	if (threadIdx.x == 0)\n"
	"		out[blockIdx.x] = all[0];\n"
	"}\n";

static void put_bound(struct buf *b, double v)
{
	if (isinf(v))
		buf_puts(b, v > 0 ? "(1 / 0.0)" : "(-1 / 0.0)");
	else
		buf_printf(b, "%a", v);
}

/* math_allowed of math_table.c once more, for the device. */
static void put_rules(struct buf *b, const struct math_fn *f)
{
	buf_puts(b, "static __device__ double allowed(double x, double z, double ulp, bool &ulps)\n{\n");
	for (const struct math_rule *r = f->rule;; r++) {
		bool last = isinf(r->lo) && isinf(r->hi);

		if (!last) {
			buf_puts(b, "\tif (x >= ");
			put_bound(b, r->lo);
			buf_puts(b, " && x <= ");
			put_bound(b, r->hi);
			buf_puts(b, ") {\n");
		}
		buf_printf(b, "\tulps = %d;\n\treturn ", r->promise == MATH_ULP || r->promise == MATH_ULP_X);
		switch (r->promise) {
		case MATH_ULP_X: buf_printf(b, "(%a + floor(fabs(%a * x)) + 0.5) * ulp", r->a, r->b); break;
		case MATH_NOTHING: buf_puts(b, "0.0"); break;
		case MATH_ULP: buf_printf(b, "(%a + 0.5) * ulp", r->a); break;
		case MATH_ABS: buf_printf(b, "%a", r->a); break;
		case MATH_REL: buf_printf(b, "%a * fabs(z)", r->a); break;
		}
		buf_puts(b, last ? ";\n}\n" : ";\n\t}\n");
		if (last)
			return;
	}
}

static void put_f32(struct buf *b, const struct math_fn *f, size_t index, bool sweep)
{
	char entry[24];

	buf_printf(b, "static __device__ __forceinline__ float f32_function(float x)\n{\n\treturn %s;\n}\n", f->f32);
	math_entry(entry, "eval", index);
	buf_printf(b, "extern \"C\" __global__ void %s(const u32 *in, u32 *out, u32 n)\n{\n"
	              "\tu32 i = blockIdx.x * blockDim.x + threadIdx.x;\n\tif (i < n)\n"
	              "\t\tout[i] = __float_as_uint(f32_function(__uint_as_float(in[i])));\n}\n", entry);
	if (!sweep)
		return;
	buf_printf(b, "static __device__ __forceinline__ double f64_function(double x)\n{\n\treturn %s;\n}\n", f->f64);
	put_rules(b, f);
	math_entry(entry, "check", index);
	buf_printf(b, f32_sweep, entry);
}

static void put_half(struct buf *b, const struct math_fn *f, size_t index)
{
	bool h = f->dt == DT_F16;
	char entry[24];

	math_entry(entry, "eval", index);
	buf_printf(b, "extern \"C\" __global__ void %s(const u32 *in, u32 *out, u32 n)\n{\n"
	              "\tu32 i = blockIdx.x * blockDim.x + threadIdx.x;\n\tif (i >= n)\n\t\treturn;\n"
	              "\t%s x = __ushort_as_%s((unsigned short)in[i]);\n"
	              "\tout[i] = __%s_as_ushort(%s);\n}\n", entry,
	           h ? "__half" : "__nv_bfloat16", h ? "half" : "bfloat16", h ? "half" : "bfloat16", f->f32);
}

void math_source(struct buf *b, size_t from, size_t to, bool sweep)
{
	buf_puts(b, "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n");
	buf_puts(b, f32_head);
	for (size_t i = from; i < to; i++) {
		buf_printf(b, "namespace f%zu { // %s\n", i, math_fns[i].name);
		if (math_fns[i].dt == DT_F32)
			put_f32(b, &math_fns[i], i, sweep);
		else
			put_half(b, &math_fns[i], i);
		buf_puts(b, "}\n");
	}
}
