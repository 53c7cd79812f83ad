/* conform_rewrite.c - what the instruction table does not list: special registers, and short
 * sequences that ptxas makes something else of: contraction to fused multiply-adds, constants
 * folded, algebra. A compiled kernel is SASS, not PTX; the emulator models these rewrites
 * (ptx/rewrite*.c), and here is what a device computes. Not forms of the instruction table: lines
 * named "register:…" and "rewrite:…" of the record. */
#include "calibrate/conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On registers of the type: sources a b c d, scratch x w, results y and, where it is set, z. T
 * stands for the type. */
static const struct {
	const char *name, *types, *text;
} rewrites[] = {
        {"mul-add", "f32 f64 f16 bf16 f16x2 bf16x2", "mul.T x,a,b; add.T y,x,c;"},
        {"add-of-mul", "f32 f64 f16 bf16 f16x2 bf16x2", "mul.T x,a,b; add.T y,c,x;"},
        {"mul-sub", "f32 f64 f16 bf16 f16x2 bf16x2", "mul.T x,a,b; sub.T y,x,c;"},
        {"sub-of-mul", "f32 f64 f16 bf16 f16x2 bf16x2", "mul.T x,a,b; sub.T y,c,x;"},
        {"mul.rn-add", "f32 f64 f16 bf16 f16x2 bf16x2", "mul.rn.T x,a,b; add.T y,x,c;"},
        {"mul-add.rn", "f32 f64 f16 bf16 f16x2 bf16x2", "mul.T x,a,b; add.rn.T y,x,c;"},
        {"mul.ftz-add.ftz", "f32 f16 f16x2", "mul.ftz.T x,a,b; add.ftz.T y,x,c;"},
        {"mul.ftz-add", "f32 f16 f16x2", "mul.ftz.T x,a,b; add.T y,x,c;"},
        {"mul-add.ftz", "f32 f16 f16x2", "mul.T x,a,b; add.ftz.T y,x,c;"},
        {"mul-add.sat", "f32 f16 f16x2", "mul.T x,a,b; add.sat.T y,x,c;"},
        {"mul.sat-add", "f32 f16 f16x2", "mul.sat.T x,a,b; add.T y,x,c;"},
        {"mul.rz-add", "f32 f64", "mul.rz.T x,a,b; add.T y,x,c;"},
        {"two-products", "f32 f64 f16 bf16 f16x2 bf16x2", "mul.T x,a,b; mul.T w,c,d; add.T y,x,w;"},
        {"two-products-sub", "f32 f64 f16 bf16", "mul.T x,a,b; mul.T w,c,d; sub.T y,x,w;"},
        {"used-twice", "f32 f64 f16 bf16", "mul.T x,a,b; add.T y,x,c; add.rn.T z,x,d;"},
        {"stored-too", "f32 f64 f16", "mul.T x,a,b; add.T y,x,c; mov.B z,x;"},
        {"square", "f32 f64 f16", "mul.T x,a,a; add.T y,x,x;"},
        {"mul-neg-add", "f32 f64 f16 bf16", "mul.T x,a,b; neg.T x,x; add.T y,x,c;"},
        {"mul-abs-add", "f32 f64 f16", "mul.T x,a,b; abs.T x,x; add.T y,x,c;"},
        {"chain", "f32 f64 f16 bf16", "mul.T x,a,b; add.T x,x,c; mul.T x,x,d; add.T y,x,a;"},
        {"horner", "f32 f64",
         "mul.T x,a,b; add.T x,x,c; mul.T x,x,a; add.T x,x,d; mul.T x,x,a; add.T y,x,b;"},
        {"neg-add", "f32 f64 f16 bf16", "neg.T x,a; add.T y,x,b;"},
        {"neg-fma", "f32 f64 f16 bf16", "neg.T x,a; fma.rn.T y,x,b,c;"},
        {"neg-neg", "f32 f64 f16 bf16", "neg.T x,a; neg.T y,x;"},
        {"abs-neg", "f32 f64 f16 bf16", "abs.T x,a; neg.T y,x;"},
        {"abs-max", "f32", "abs.T x,a; max.T y,x,b;"},
        {"neg-mul", "f32 f64 f16 bf16", "neg.T x,a; mul.T y,x,b;"},
        {"times-1", "f32", "mul.T y,a,0f3f800000;"},
        {"times-1.rn", "f32", "mul.rn.T y,a,0f3f800000;"},
        {"times--1", "f32", "mul.T y,a,0fbf800000;"},
        {"times-2", "f32", "mul.T y,a,0f40000000;"},
        {"times-0", "f32", "mul.T y,a,0f00000000;"},
        {"plus-0", "f32", "add.T y,a,0f00000000;"},
        {"plus--0", "f32", "add.T y,a,0f80000000;"},
        {"minus-0", "f32", "sub.T y,a,0f00000000;"},
        {"minus-itself", "f32 f64 f16", "sub.T y,a,a;"},
        {"times-1-f64", "f64", "mul.T y,a,0d3ff0000000000000;"},
        {"plus-0-f64", "f64", "add.T y,a,0d0000000000000000;"},
        {"plus--0-f64", "f64", "add.T y,a,0d8000000000000000;"},
        {"fma-times-1", "f32", "fma.rn.T y,a,0f3f800000,b;"},
        {"fma-plus-0", "f32", "fma.rn.T y,a,b,0f00000000;"},
        {"fma-plus--0", "f32", "fma.rn.T y,a,b,0f80000000;"},
        {"two-constants", "f32", "add.T x,a,0f3f800000; add.T y,x,0f40000000;"},
        {"two-factors", "f32", "mul.T x,a,0f40400000; mul.T y,x,0f40a00000;"},
        {"mul-constant-add", "f32", "mul.T x,a,0f40490fdb; add.T y,x,b;"},
        {"max-min-sat", "f32", "max.T x,a,0f00000000; min.T y,x,0f3f800000;"},
        {"min-max-sat", "f32", "min.T x,a,0f3f800000; max.T y,x,0f00000000;"},
        {"max.ftz-min.ftz-sat", "f32", "max.ftz.T x,a,0f00000000; min.ftz.T y,x,0f3f800000;"},
        {"add-max-min-sat", "f32", "add.T x,a,b; max.T x,x,0f00000000; min.T y,x,0f3f800000;"},
        {"max-itself", "f32 f64 f16", "max.T y,a,a;"},
        {"min-itself", "f32", "min.T y,a,a;"},
        {"max-0", "f32", "max.T y,a,0f00000000;"},
        {"div.rn-by-2", "f32", "div.rn.T y,a,0f40000000;"},
        {"div.full-by-3", "f32", "div.full.T y,a,0f40400000;"},
        {"div.full.ftz-by-3", "f32", "div.full.ftz.T y,a,0f40400000;"},
        {"div.approx-by-3", "f32", "div.approx.T y,a,0f40400000;"},
        {"div.approx.ftz-by-3", "f32", "div.approx.ftz.T y,a,0f40400000;"},
        {"one-div.rn", "f32", "div.rn.T y,0f3f800000,a;"},
        {"one-div.full", "f32", "div.full.T y,0f3f800000,a;"},
        {"one-div.approx", "f32", "div.approx.T y,0f3f800000,a;"},
        {"ex2-of-constant", "f32", "mov.T x,0f3f333333; ex2.approx.T y,x; ex2.approx.ftz.T z,x;"},
        {"lg2-of-constant", "f32", "mov.T x,0f40400000; lg2.approx.T y,x; lg2.approx.ftz.T z,x;"},
        {"rcp-of-constant", "f32", "mov.T x,0f40400000; rcp.approx.T y,x; rcp.approx.ftz.T z,x;"},
        {"rsqrt-of-constant", "f32",
         "mov.T x,0f40400000; rsqrt.approx.T y,x; rsqrt.approx.ftz.T z,x;"},
        {"sqrt-of-constant", "f32",
         "mov.T x,0f40400000; sqrt.approx.T y,x; sqrt.approx.ftz.T z,x;"},
        {"sin-of-constant", "f32", "mov.T x,0f40400000; sin.approx.T y,x; sin.approx.ftz.T z,x;"},
        {"cos-of-constant", "f32", "mov.T x,0f40400000; cos.approx.T y,x; cos.approx.ftz.T z,x;"},
        {"tanh-of-constant", "f32", "mov.T x,0f3f333333; tanh.approx.T y,x;"},
        {"constants", "f32", "mov.T x,0f3f333333; mul.T x,x,0f40490fdb; add.T y,x,0f40400000;"},
        {"sqrt-rcp", "f32", "sqrt.approx.T x,a; rcp.approx.T y,x;"},
        {"sqrt-rcp.ftz", "f32", "sqrt.approx.ftz.T x,a; rcp.approx.ftz.T y,x;"},
        {"rcp-mul", "f32", "rcp.approx.T x,a; mul.T y,x,b;"},
        {"sqrt.rn-rcp.rn", "f32", "sqrt.rn.T x,a; rcp.rn.T y,x;"},
        {"mul-then-branch", "f32 f64", "mul.T x,a,b; @p1 bra L; neg.T c,c; L: add.T y,x,c;"},
        {"mul-before-branch", "f32", "mul.T x,a,b; mov.B y,d; @p1 bra L; add.T y,x,c; L:"},
        {"predicated-add", "f32 f16", "mul.T x,a,b; mov.B y,d; @p1 add.T y,x,c;"},
        {"predicated-mul", "f32", "mov.B x,d; @p1 mul.T x,a,b; add.T y,x,c;"},
        {"select-mul-add", "f32", "mul.T x,a,b; selp.T x,x,d,p1; add.T y,x,c;"},
        {"mul-lo-add", "s32 u32 s64", "mul.lo.T x,a,b; add.T y,x,c;"},
        {"mul24-add", "s32", "mul24.lo.T x,a,b; add.T y,x,c;"},
        {"shift-add", "s32", "shl.b32 x,a,3; add.T y,x,b;"},
        {"div-by-7", "s32 u32", "div.T y,a,7; rem.T z,a,7;"},
        {"div-by-8", "s32 u32 s64", "div.T y,a,8; rem.T z,a,8;"},
        {"and-or-xor", "b32", "and.T x,a,b; or.T x,x,c; xor.T y,x,d;"},
        {"%tid.x", "u32", "mov.T y,%tid.x;"},
        {"%tid.y", "u32", "mov.T y,%tid.y;"},
        {"%tid.z", "u32", "mov.T y,%tid.z;"},
        {"%ntid.x", "u32", "mov.T y,%ntid.x;"},
        {"%ntid.y", "u32", "mov.T y,%ntid.y;"},
        {"%ntid.z", "u32", "mov.T y,%ntid.z;"},
        {"%ctaid.x", "u32", "mov.T y,%ctaid.x;"},
        {"%ctaid.y", "u32", "mov.T y,%ctaid.y;"},
        {"%ctaid.z", "u32", "mov.T y,%ctaid.z;"},
        {"%nctaid.x", "u32", "mov.T y,%nctaid.x;"},
        {"%nctaid.y", "u32", "mov.T y,%nctaid.y;"},
        {"%nctaid.z", "u32", "mov.T y,%nctaid.z;"},
        {"%laneid", "u32", "mov.T y,%laneid;"},
        {"%nwarpid", "u32", "mov.T y,%nwarpid;"},
        {"%nsmid", "u32", "mov.T y,%nsmid;"},
        {"%lanemask_eq", "u32", "mov.T y,%lanemask_eq;"},
        {"%lanemask_le", "u32", "mov.T y,%lanemask_le;"},
        {"%lanemask_lt", "u32", "mov.T y,%lanemask_lt;"},
        {"%lanemask_ge", "u32", "mov.T y,%lanemask_ge;"},
        {"%lanemask_gt", "u32", "mov.T y,%lanemask_gt;"},
        {"%clusterid.x", "u32", "mov.T y,%clusterid.x;"},
        {"%clusterid.y", "u32", "mov.T y,%clusterid.y;"},
        {"%clusterid.z", "u32", "mov.T y,%clusterid.z;"},
        {"%nclusterid.x", "u32", "mov.T y,%nclusterid.x;"},
        {"%nclusterid.y", "u32", "mov.T y,%nclusterid.y;"},
        {"%nclusterid.z", "u32", "mov.T y,%nclusterid.z;"},
        {"%cluster_ctaid.x", "u32", "mov.T y,%cluster_ctaid.x;"},
        {"%cluster_ctaid.y", "u32", "mov.T y,%cluster_ctaid.y;"},
        {"%cluster_ctaid.z", "u32", "mov.T y,%cluster_ctaid.z;"},
        {"%cluster_nctaid.x", "u32", "mov.T y,%cluster_nctaid.x;"},
        {"%cluster_nctaid.y", "u32", "mov.T y,%cluster_nctaid.y;"},
        {"%cluster_nctaid.z", "u32", "mov.T y,%cluster_nctaid.z;"},
        {"%cluster_ctarank", "u32", "mov.T y,%cluster_ctarank;"},
        {"%cluster_nctarank", "u32", "mov.T y,%cluster_nctarank;"},
        {"%total_smem_size", "u32", "mov.T y,%total_smem_size;"},
        {"%dynamic_smem_size", "u32", "mov.T y,%dynamic_smem_size;"},
        {"%aggr_smem_size", "u32", "mov.T y,%aggr_smem_size;"},
        {"%is_explicit_cluster", "u32", "mov.pred p1,%is_explicit_cluster; selp.u32 y,1,0,p1;"},
};

/* Finds the index-th pair of a row and one of its types; false: there are not as many. */
static bool find_pair(size_t index, int *row, const struct conform_type **type)
{
	for (size_t i = 0; i < ARRAY_LEN(rewrites); i++) {
		size_t n;

		for (const char *s = rewrites[i].types; *s; s += n + (s[n] == ' ')) {
			n = strcspn(s, " ");
			if (index-- > 0)
				continue;
			*row = (int)i;
			*type = conform_type(s, n);
			return true;
		}
	}
	return false;
}

size_t conform_rewrites(void)
{
	const struct conform_type *t;
	size_t n = 0;
	int row;

	while (find_pair(n, &row, &t))
		n++;
	return n;
}

void conform_rewrite_plan(struct conform_kernel *k, size_t index)
{
	struct conform_form *f = &k->form;

	*k = (struct conform_kernel){.nin = 5, .nout = 2, .vectors = 4096};
	if (!find_pair(index, &f->vec, &f->type[0]))
		abort(); /* index < conform_rewrites() */
	if (rewrites[f->vec].name[0] == '%')
		snprintf(f->text, sizeof f->text, "register:%s", rewrites[f->vec].name);
	else
		snprintf(f->text, sizeof f->text, "rewrite:%s.%s", rewrites[f->vec].name,
		         f->type[0]->name);
	f->cls = CLASS_REWRITE;
	f->seed = conform_hash(f->text);
}

/* The text with T replaced by the type's name and B by its bits. */
static void expand(struct buf *b, const char *text, const struct conform_type *t)
{
	for (; *text; text++) {
		if (text[0] == '.' && text[1] == 'T')
			buf_printf(b, ".%s", t->name), text++;
		else if (text[0] == '.' && text[1] == 'B')
			buf_printf(b, ".b%d", t->bits), text++;
		else
			buf_putc(b, *text);
	}
}

void conform_rewrite_body(struct buf *b, const struct conform_kernel *k)
{
	const struct conform_type *t = k->form.type[0];

	buf_printf(b, ".reg .b%d a,b,c,d,x,w,y,z; .reg .pred p1; mov.b%d y, 0; mov.b%d z, 0;\n",
	           t->bits, t->bits, t->bits);
	for (int i = 0; i < 4; i++)
		buf_printf(b, "ld.global.b%d %c, [%%q30+%d];\n", t->bits, 'a' + i, 8 * i);
	buf_puts(b, "ld.global.u32 %r0, [%q30+32]; setp.ne.u32 p1, %r0, 0;\n");
	expand(b, rewrites[k->form.vec].text, t);
	buf_printf(
	        b,
	        "\nst.global.u64 [%%q31], 0; st.global.u64 [%%q31+8], 0; st.global.b%d [%%q31], y; "
	        "st.global.b%d [%%q31+8], z;\n",
	        t->bits, t->bits);
}

void conform_rewrite_inputs(const struct conform_kernel *k, uint64_t *in)
{
	const struct conform_type *t = k->form.type[0];
	struct conform_random r = {.seed = k->form.seed};
	unsigned specials = conform_specials(t);

	for (unsigned v = 0; v < k->vectors; v++, in += k->nin) {
		memset(in, 0, 8 * k->nin);
		for (int i = 0; i < 4; i++)
			for (int h = 0; h < t->count; h++) {
				uint64_t before[3] = {0}, one;

				for (int j = 0; j < i && j < 3; j++)
					before[j] = t->count == 2 ? in[j] >> t->width * h & 0xffff
					                          : in[j];
				one = v < k->vectors / 4 && i < 3
				              ? conform_special(t,
				                                (unsigned)(conform_next(&r) >> 32) %
				                                        specials)
				              : conform_value(&r, t, i < 3 ? i : 0, before);
				in[i] |= one << t->width * h;
			}
		in[4] = v & 1;
	}
}
