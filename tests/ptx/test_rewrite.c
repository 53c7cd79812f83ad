/* test_rewrite.c - ptxas' rewrites, each against the SASS that ptxas 13.0 -arch=sm_90 made of the same PTX
 * (nvdisasm of the CUDA 13 toolkit, December 2026; loads, stores, addresses and branches left out).
 *
 * A row: the body, what ptx_rewrite makes of it (stores and deleted instructions left out), the SASS
 * that says so.  The body's %f1-%f5, %d1-%d4, %h1-%h4, %r1-%r4 are loaded, %p1 is %f5 > 3. */
#include "ptx/ir.h"
#include "tests/check.h"

static const struct {
	const char *body, *want, *sass;
} rows[] = {
	{ "@%p1 mul.f32 %f6,%f1,%f2; @%p1 add.f32 %f3,%f6,%f3; st.global.f32 [%rd1],%f3;",
	  "@%p1 mul.f32 %f6, %f1, %f2; @%p1 add.f32 %f3, %f6, %f3;",
	  "FSETP.GT.AND P0, PT, R4, 3, PT; FMUL R0, R0, R5; FSEL R0, R0, R1, P0; "
	  "@P0 FADD R7, R7, R0" },
	{ "abs.f32 %f5,%f1; mul.f32 %f6,%f5,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "abs.f32 %f5, %f1; fma.rn.f32 %f7, %f5, %f2, %f3;",
	  "FFMA R5, |R0|, R5, R7" },
	{ "abs.f32 %f6,%f1; setp.gt.f32 %p2,%f6,%f2; selp.f32 %f7,%f1,%f2,%p2; "
	  "st.global.f32 [%rd1],%f7;",
	  "abs.f32 %f6, %f1; setp.gt.f32 %p2, %f6, %f2; selp.f32 %f7, %f1, %f2, %p2;",
	  "FSETP.GT.AND P0, PT, |R0|, R5, PT; FSEL R5, R0, R5, P0" },
	{ "abs.f32 %f6,%f1; st.global.f32 [%rd1],%f6;",
	  "abs.f32 %f6, %f1;",
	  "FADD R5, |R0|, -RZ" },
	{ "add.f32 %f5,%f1,%f2; @%p1 bra L; max.f32 %f6,%f5,0f00000000; "
	  "min.f32 %f7,%f6,0f3F800000; st.global.f32 [%rd1],%f7; L:",
	  "add.f32 %f5, %f1, %f2; @%p1 bra L; max.f32 %f6, %f5, 0f00000000; "
	  "cvt.sat.f32.f32 %f7, %f5;",
	  "FSETP.GT.AND P0, PT, R4, 3, PT; FADD.SAT R5, R0, R5" },
	{ "add.f32 %f5,%f1,%f2; cvt.sat.f32.f32 %f6,%f5; st.global.f32 [%rd1],%f6;",
	  "add.f32 %f5, %f1, %f2; cvt.sat.f32.f32 %f6, %f5;",
	  "FADD.SAT R5, R0, R5" },
	{ "add.f32 %f5,%f1,%f2; max.f32 %f6,%f5,0f00000000; min.f32 %f7,%f6,0f3F800000; "
	  "st.global.f32 [%rd1],%f7;",
	  "add.f32 %f5, %f1, %f2; max.f32 %f6, %f5, 0f00000000; cvt.sat.f32.f32 %f7, %f5;",
	  "FADD.SAT R5, R0, R5" },
	{ "add.f32 %f6,%f1,0f3f800000; add.f32 %f7,%f6,0f40000000; st.global.f32 [%rd1],%f7;",
	  "add.f32 %f6, %f1, 0f3F800000; add.f32 %f7, %f6, 0f40000000;",
	  "FADD R0, R0, 1; FADD R5, R0, 2" },
	{ "add.f32 %f7,%f1,0f00000000; st.global.f32 [%rd1],%f7;",
	  "add.f32 %f7, %f1, 0f00000000;",
	  "FADD R5, RZ, R0" },
	{ "add.f32 %f7,%f1,0f80000000; st.global.f32 [%rd1],%f7;",
	  "add.f32 %f7, %f1, 0f80000000;",
	  "FADD R5, -RZ, R0" },
	{ "add.f32 %f9,0f3f800000,0f40000000; div.full.f32 %f6,%f1,%f9; st.global.f32 [%rd1],%f6;",
	  "add.f32 %f9, 0f3F800000, 0f40000000; div.full.f32 %f6, %f1, %f9;",
	  "FMUL R5, R0, 0.3333333432674407959" },
	{ "add.rn.f32 %f5,%f1,%f2; max.f32 %f6,%f5,0f00000000; min.f32 %f7,%f6,0f3F800000; "
	  "st.global.f32 [%rd1],%f7;",
	  "add.rn.f32 %f5, %f1, %f2; max.f32 %f6, %f5, 0f00000000; cvt.sat.f32.f32 %f7, %f5;",
	  "FADD.SAT R5, R0, R5" },
	{ "cvt.f32.f16 %f6,%h1; mul.f32 %f7,%f6,%f3; add.f32 %f7,%f7,%f2; "
	  "st.global.f32 [%rd1],%f7;",
	  "cvt.f32.f16 %f6, %h1; fma.rn.f32 %f7, %f6, %f3, %f2;",
	  "HADD2.F32 R4, -RZ, R4.H0_H0; FFMA R5, R5, R4, R0" },
	{ "cvt.rn.f32.s32 %f9,7; div.full.f32 %f6,%f1,%f9; st.global.f32 [%rd1],%f6;",
	  "cvt.rn.f32.s32 %f9, 7; mul.f32 %f6, %f1, 0f3E124925;",
	  "FMUL R5, R0, 0.14285714924335479736" },
	{ "cvt.sat.f32.f32 %f6,%f1; mul.f32 %f7,%f6,%f3; add.f32 %f7,%f7,%f2; "
	  "st.global.f32 [%rd1],%f7;",
	  "cvt.sat.f32.f32 %f6, %f1; fma.rn.f32 %f7, %f6, %f3, %f2;",
	  "FADD.SAT R0, RZ, R0; FFMA R5, R5, R0, R4" },
	{ "cvt.sat.f32.f32 %f6,%f1; st.global.f32 [%rd1],%f6;",
	  "cvt.sat.f32.f32 %f6, %f1;",
	  "FADD.SAT R5, RZ, R0" },
	{ "div.approx.f32 %f6,%f1,%f2; add.rn.f32 %f6,%f6,%f3; st.global.f32 [%rd1],%f6;",
	  "div.approx.f32 %f6, %f1, %f2; add.rn.f32 %f6, %f6, %f3;",
	  "FSETP.GEU.AND P0, PT, |R4|, 1.175494350822287508e-38, PT; @!P0 FMUL R4, R4, 16777216; "
	  "@!P0 FMUL R0, R0, 16777216; MUFU.RCP R7, R4; FMUL R0, R7, R0; FADD R5, R5, R0" },
	{ "div.approx.f32 %f6,%f1,%f2; sub.f32 %f6,%f3,%f6; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6_1, %f1; mov.f32 %f6_2, %f2; abs.f32 %f6_3, %f6_2; "
	  "setp.lt.f32 %f6_4, %f6_3, 0f00800000; @%f6_4 mul.f32 %f6_2, %f6_2, 0f4B800000; "
	  "@%f6_4 mul.f32 %f6_1, %f6_1, 0f4B800000; rcp.approx.ftz.f32 %f6_5, %f6_2; "
	  "fma.rn.f32 %f6, -%f6_1, %f6_5, %f3;",
	  "FSETP.GEU.AND P0, PT, |R4|, 1.175494350822287508e-38, PT; @!P0 FMUL R4, R4, 16777216; "
	  "@!P0 FMUL R0, R0, 16777216; MUFU.RCP R4, R4; FFMA R5, R4, -R0, R5" },
	{ "div.approx.f32 %f6,%f1,0f00400000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f4B800000; mul.f32 %f6, %f6, 0f73000000;",
	  "FMUL R0, R0, 16777216; FMUL R5, R0, 1.01412048018258352120e+31" },
	{ "div.approx.f32 %f6,%f1,0f3f800000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, %f1;",
	  "(nothing)" },
	{ "div.approx.f32 %f6,%f1,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f3EAAAAAB;",
	  "FMUL R5, R0, 0.3333333432674407959" },
	{ "div.approx.f32 %f6,%f1,0f7f000000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f00000000;",
	  "FMUL R5, RZ, R0" },
	{ "div.approx.f32 %f6,0f3f800000,%f1; st.global.f32 [%rd1],%f6;",
	  "div.approx.f32 %f6, 0f3F800000, %f1;",
	  "HFMA2.MMA R5, -RZ, RZ, 15, 0; "
	  "FSETP.GEU.AND P0, PT, |R0|, 1.175494350822287508e-38, PT; FSEL R5, R5, 1, !P0; "
	  "@!P0 FMUL R0, R0, 16777216; MUFU.RCP R0, R0; FMUL R5, R0, R5" },
	{ "div.approx.f32 %f6,0f3f800000,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3EAAAAAB;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.666015625, -0.052093505859375" },
	{ "div.approx.ftz.f32 %f6,%f1,%f2; add.ftz.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mov.f32 %f6_1, %f1; mov.f32 %f6_2, %f2; rcp.approx.ftz.f32 %f6_3, %f6_2; "
	  "fma.rn.ftz.f32 %f7, %f6_1, %f6_3, %f3;",
	  "MUFU.RCP R4, R4; FFMA.FTZ R5, R0, R4, R5" },
	{ "div.approx.ftz.f32 %f6,%f1,0f00400000; st.global.f32 [%rd1],%f6;",
	  "mul.ftz.f32 %f6, %f1, 0f7F800000;",
	  "FMUL.FTZ R5, R0, +INF" },
	{ "div.approx.ftz.f32 %f6,%f1,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mul.ftz.f32 %f6, %f1, 0f3EAAAAAB;",
	  "FMUL.FTZ R5, R0, 0.3333333432674407959" },
	{ "div.approx.ftz.f32 %f6,%f1,0f7f000000; st.global.f32 [%rd1],%f6;",
	  "mul.ftz.f32 %f6, %f1, 0f00000000;",
	  "FMUL.FTZ R5, RZ, R0" },
	{ "div.full.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mov.f32 %f6_1, %f1; mov.f32 %f6_2, %f2; abs.f32 %f6_3, %f6_2; "
	  "setp.gt.f32 %f6_4, %f6_3, 0f7E800000; setp.lt.f32 %f6_5, %f6_3, 0f00800000; "
	  "@%f6_4 mul.f32 %f6_2, %f6_2, 0f3E800000; @%f6_4 mul.f32 %f6_1, %f6_1, 0f3E800000; "
	  "@%f6_5 mul.f32 %f6_2, %f6_2, 0f4B800000; @%f6_5 mul.f32 %f6_1, %f6_1, 0f4B800000; "
	  "rcp.approx.ftz.f32 %f6_6, %f6_2; fma.rn.f32 %f7, %f6_1, %f6_6, %f3;",
	  "FSETP.GT.AND P0, PT, |R4|, 8.50705917302346158658e+37, PT; "
	  "FSETP.GEU.AND P1, PT, |R4|, 1.175494350822287508e-38, PT; @P0 FMUL R4, R4, 0.25; "
	  "@P0 FMUL R0, R0, 0.25; @!P1 FMUL R4, R4, 16777216; @!P1 FMUL R0, R0, 16777216; "
	  "MUFU.RCP R4, R4; FFMA R5, R4, R0, R5" },
	{ "div.full.f32 %f6,%f1,%f2; add.ftz.f32 %f6,%f6,%f3; st.global.f32 [%rd1],%f6;",
	  "div.full.f32 %f6, %f1, %f2; add.ftz.f32 %f6, %f6, %f3;",
	  "FSETP.GT.AND P0, PT, |R4|, 8.50705917302346158658e+37, PT; "
	  "FSETP.GEU.AND P1, PT, |R4|, 1.175494350822287508e-38, PT; @P0 FMUL R4, R4, 0.25; "
	  "@P0 FMUL R0, R0, 0.25; @!P1 FMUL R4, R4, 16777216; @!P1 FMUL R0, R0, 16777216; "
	  "MUFU.RCP R7, R4; FMUL R0, R7, R0; FADD.FTZ R5, R5, R0" },
	{ "div.full.f32 %f6,%f1,0f00000000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f7F800000;",
	  "FMUL R0, R0, 16777216; FMUL R5, R0, +INF" },
	{ "div.full.f32 %f6,%f1,0f00400000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f4B800000; mul.f32 %f6, %f6, 0f73000000;",
	  "FMUL R0, R0, 16777216; FMUL R5, R0, 1.01412048018258352120e+31" },
	{ "div.full.f32 %f6,%f1,0f3f800000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, %f1;",
	  "(nothing)" },
	{ "div.full.f32 %f6,%f1,0f40000000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f3F000000;",
	  "FMUL R5, R0, 0.5" },
	{ "div.full.f32 %f6,%f1,0f40400000; add.f32 %f7,%f6,%f2; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f3EAAAAAB, %f2;",
	  "FFMA R5, R0, 0.3333333432674407959, R5" },
	{ "div.full.f32 %f6,%f1,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f3EAAAAAB;",
	  "FMUL R5, R0, 0.3333333432674407959" },
	{ "div.full.f32 %f6,%f1,0f7E800000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f00800000;",
	  "FMUL R5, R0, 1.175494350822287508e-38" },
	{ "div.full.f32 %f6,%f1,0f7f000000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f3E800000; mul.f32 %f6, %f6, 0f01000000;",
	  "FMUL R0, R0, 0.25; FMUL R5, R0, 2.3509887016445750159e-38" },
	{ "div.full.f32 %f6,%f1,0f7f800000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f3E800000; mul.f32 %f6, %f6, 0f00000000;",
	  "FMUL R0, R0, 0.25; FMUL R5, RZ, R0" },
	{ "div.full.f32 %f6,0f3f800000,%f1; st.global.f32 [%rd1],%f6;",
	  "div.full.f32 %f6, 0f3F800000, %f1;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.625, 0; "
	  "FSETP.GT.AND P0, PT, |R0|, 8.50705917302346158658e+37, PT; "
	  "FSETP.GEU.AND P1, PT, |R0|, 1.175494350822287508e-38, PT; FSEL R5, R5, 1, P0; "
	  "@P0 FMUL R0, R0, 0.25; @!P1 FMUL R5, R5, 16777216; @!P1 FMUL R0, R0, 16777216; "
	  "MUFU.RCP R0, R0; FMUL R5, R0, R5" },
	{ "div.full.f32 %f6,0f3f800000,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3EAAAAAB;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.666015625, -0.052093505859375" },
	{ "div.full.f32 %f6,0f40400000,%f1; add.f32 %f6,%f6,%f2; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6_1, 0f40400000; mov.f32 %f6_2, %f1; abs.f32 %f6_3, %f6_2; "
	  "setp.gt.f32 %f6_4, %f6_3, 0f7E800000; setp.lt.f32 %f6_5, %f6_3, 0f00800000; "
	  "@%f6_4 mul.f32 %f6_2, %f6_2, 0f3E800000; @%f6_4 mul.f32 %f6_1, %f6_1, 0f3E800000; "
	  "@%f6_5 mul.f32 %f6_2, %f6_2, 0f4B800000; @%f6_5 mul.f32 %f6_1, %f6_1, 0f4B800000; "
	  "rcp.approx.ftz.f32 %f6_6, %f6_2; fma.rn.f32 %f6, %f6_1, %f6_6, %f2;",
	  "HFMA2.MMA R6, -RZ, RZ, 1.8125, 0; "
	  "FSETP.GT.AND P0, PT, |R0|, 8.50705917302346158658e+37, PT; "
	  "FSETP.GEU.AND P1, PT, |R0|, 1.175494350822287508e-38, PT; FSEL R6, R6, 3, P0; "
	  "@P0 FMUL R0, R0, 0.25; @!P1 FMUL R6, R6, 16777216; @!P1 FMUL R0, R0, 16777216; "
	  "MUFU.RCP R5, R0; FFMA R5, R5, R6, R4" },
	{ "div.full.f32 %f6,0f40A00000,0f40E00000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3F36DB6E;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.802734375, -237.75" },
	{ "div.full.ftz.f32 %f6,%f1,%f2; add.ftz.f32 %f6,%f6,%f3; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6_1, %f1; mov.f32 %f6_2, %f2; abs.f32 %f6_3, %f6_2; "
	  "setp.gt.ftz.f32 %f6_4, %f6_3, 0f7E800000; @%f6_4 mul.ftz.f32 %f6_2, %f6_2, 0f3E800000; "
	  "@%f6_4 mul.ftz.f32 %f6_1, %f6_1, 0f3E800000; rcp.approx.ftz.f32 %f6_5, %f6_2; "
	  "fma.rn.ftz.f32 %f6, %f6_1, %f6_5, %f3;",
	  "FSETP.GT.FTZ.AND P0, PT, |R4|, 8.50705917302346158658e+37, PT; "
	  "@P0 FMUL.FTZ R4, R4, 0.25; @P0 FMUL.FTZ R0, R0, 0.25; MUFU.RCP R4, R4; "
	  "FFMA.FTZ R5, R4, R0, R5" },
	{ "div.full.ftz.f32 %f6,%f1,0f00400000; st.global.f32 [%rd1],%f6;",
	  "mul.ftz.f32 %f6, %f1, 0f7F800000;",
	  "FMUL.FTZ R5, R0, +INF" },
	{ "div.full.ftz.f32 %f6,%f1,0f40400000; add.ftz.f32 %f7,%f6,%f2; st.global.f32 [%rd1],%f7;",
	  "fma.rn.ftz.f32 %f7, %f1, 0f3EAAAAAB, %f2;",
	  "FFMA.FTZ R5, R0, 0.3333333432674407959, R5" },
	{ "div.full.ftz.f32 %f6,%f1,0f7f000000; st.global.f32 [%rd1],%f6;",
	  "mul.ftz.f32 %f6, %f1, 0f3E800000; mul.ftz.f32 %f6, %f6, 0f01000000;",
	  "FMUL.FTZ R0, R0, 0.25; FMUL.FTZ R5, R0, 2.3509887016445750159e-38" },
	{ "ex2.approx.f16 %h5,%h1; mul.f16 %h6,%h5,%h2; st.global.b16 [%rd1],%h6;",
	  "ex2.approx.f16 %h5, %h1; mul.f16 %h6, %h5, %h2;",
	  "MUFU.EX2.F16 R5, R0; HMUL2 R4, R5.H0_H0, R4.H0_H0" },
	{ "ex2.approx.f32 %f6,%f1; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "ex2.approx.f32 %f6, %f1; add.f32 %f7, %f6, %f3;",
	  "FSETP.GEU.AND P0, PT, R0, -126, PT; @!P0 FMUL R0, R0, 0.5; MUFU.EX2 R5, R0; "
	  "@!P0 FMUL R5, R5, R5; FADD R5, R4, R5" },
	{ "ex2.approx.f32 %f6,0f3f000000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3FB504F3;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.9267578125, 7.5519084930419921875e-05" },
	{ "ex2.approx.f32 %f6,0fC3100000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f00000020;",
	  "HFMA2.MMA R5, -RZ, RZ, 0, 1.9073486328125e-06" },
	{ "ex2.approx.ftz.f32 %f6,0f3f000000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3FB504F3;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.9267578125, 7.5519084930419921875e-05" },
	{ "ex2.approx.ftz.f32 %f6,0fC3100000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f00000000;",
	  "(nothing)" },
	{ "fma.rn.f32 %f5,%f1,%f2,%f3; cvt.sat.f32.f32 %f6,%f5; st.global.f32 [%rd1],%f6;",
	  "fma.rn.f32 %f5, %f1, %f2, %f3; cvt.sat.f32.f32 %f6, %f5;",
	  "FFMA.SAT R5, R0, R5, R7" },
	{ "fma.rn.f32 %f6,%f1,%f2,%f3; mul.f32 %f7,%f6,%f4; add.f32 %f8,%f7,%f6; "
	  "st.global.f32 [%rd1],%f8;",
	  "fma.rn.f32 %f6, %f1, %f2, %f3; fma.rn.f32 %f8, %f6, %f4, %f6;",
	  "FFMA R5, R0, R5, R7; FFMA R5, R4, R5, R5" },
	{ "fma.rn.f32 %f7,%f1,%f2,0f00000000; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, 0f00000000;",
	  "FFMA R5, R0, R5, RZ" },
	{ "fma.rn.f32 %f7,%f1,%f2,0f80000000; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, 0f80000000;",
	  "FFMA R5, R0, R5, -RZ" },
	{ "fma.rn.f32 %f7,%f1,0f00000000,%f2; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f00000000, %f2;",
	  "FFMA R5, RZ, R5, R0" },
	{ "fma.rn.f32 %f7,%f1,0f3F800000,%f2; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f3F800000, %f2;",
	  "FFMA R5, R0, 1, R5" },
	{ "fma.rn.f32 %f7,%f1,0f40000000,%f2; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f40000000, %f2;",
	  "FFMA R5, R0, 2, R5" },
	{ "fma.rn.f32 %f7,%f1,0fBF800000,%f2; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0fBF800000, %f2;",
	  "FFMA R5, R0, -1, R5" },
	{ "lg2.approx.f32 %f6,%f1; mul.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "lg2.approx.f32 %f6, %f1; mul.f32 %f7, %f6, %f3;",
	  "FSETP.GEU.AND P0, PT, |R0|, 1.175494350822287508e-38, PT; @!P0 FMUL R0, R0, 16777216; "
	  "MUFU.LG2 R5, R0; @!P0 FADD R5, R5, -24; FMUL R5, R4, R5" },
	{ "lg2.approx.f32 %f6,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3FCAE00D;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.947265625, -518.5" },
	{ "mad.rn.f32 %f6,%f1,%f2,%f3; st.global.f32 [%rd1],%f6;",
	  "mad.rn.f32 %f6, %f1, %f2, %f3;",
	  "FFMA R5, R0, R5, R7" },
	{ "max.NaN.f32 %f6,%f1,0f00000000; min.NaN.f32 %f7,%f6,0f3F800000; "
	  "st.global.f32 [%rd1],%f7;",
	  "max.NaN.f32 %f6, %f1, 0f00000000; min.NaN.f32 %f7, %f6, 0f3F800000;",
	  "FMNMX.NAN R0, RZ, R0, !PT; FMNMX.NAN R5, R0, 1, PT" },
	{ "max.f32 %f6,%f1,%f1; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, %f1;",
	  "(nothing)" },
	{ "max.f32 %f6,%f1,0f00000000; @%p1 bra L; min.f32 %f7,%f6,0f3F800000; "
	  "st.global.f32 [%rd1],%f7; L:",
	  "max.f32 %f6, %f1, 0f00000000; @%p1 bra L; cvt.sat.f32.f32 %f7, %f1;",
	  "FSETP.GT.AND P0, PT, R0, 3, PT; FADD.SAT R5, RZ, R0" },
	{ "max.f32 %f6,%f1,0f00000000; min.f32 %f7,%f6,0f3F800000; st.global.f32 [%rd1],%f7;",
	  "max.f32 %f6, %f1, 0f00000000; cvt.sat.f32.f32 %f7, %f1;",
	  "FADD.SAT R5, RZ, R0" },
	{ "max.f32 %f6,%f1,0f00000000; min.f32 %f7,%f6,0f3F800000; st.global.f32 [%rd1],%f7; "
	  "st.global.f32 [%rd1+4],%f6;",
	  "max.f32 %f6, %f1, 0f00000000; cvt.sat.f32.f32 %f7, %f1;",
	  "FADD.SAT R7, RZ, R0; FMNMX R5, RZ, R0, !PT" },
	{ "max.f32 %f6,%f1,0f00000000; min.ftz.f32 %f7,%f6,0f3F800000; st.global.f32 [%rd1],%f7;",
	  "max.f32 %f6, %f1, 0f00000000; cvt.ftz.sat.f32.f32 %f7, %f1;",
	  "FADD.FTZ.SAT R5, RZ, R0" },
	{ "max.f32 %f6,%f1,0f80000000; min.f32 %f7,%f6,0f3F800000; st.global.f32 [%rd1],%f7;",
	  "max.f32 %f6, %f1, 0f80000000; cvt.sat.f32.f32 %f7, %f1;",
	  "FADD.SAT R5, RZ, R0" },
	{ "max.f32 %f6,0f00000000,%f1; min.f32 %f7,0f3F800000,%f6; st.global.f32 [%rd1],%f7;",
	  "max.f32 %f6, 0f00000000, %f1; cvt.sat.f32.f32 %f7, %f1;",
	  "FADD.SAT R5, RZ, R0" },
	{ "max.f64 %d6,%d1,0d0000000000000000; min.f64 %d7,%d6,0d3FF0000000000000; "
	  "st.global.f64 [%rd1],%d7;",
	  "max.f64 %d6, %d1, 0d0000000000000000; min.f64 %d7, %d6, 0d3FF0000000000000;",
	  "IMAD.MOV.U32 R0, RZ, RZ, RZ; IMAD.MOV.U32 R6, RZ, RZ, 0x80000; "
	  "DSETP.MAX.AND P0, P1, RZ, R2, PT; IMAD.MOV.U32 R7, RZ, RZ, R3; FSEL R9, R0, R7, P0; "
	  "SEL R2, R0, R2, P0; @P1 LOP3.LUT R9, R7, 0x80000, RZ, 0xfc, !PT; "
	  "IMAD.MOV.U32 R3, RZ, RZ, R9; IMAD.MOV.U32 R0, RZ, RZ, R3; "
	  "DSETP.MIN.AND P0, P1, R2, 1, PT; FSEL R7, R0, 1.875, P0; SEL R2, R2, RZ, P0; "
	  "@P1 LOP3.LUT R7, R6, 0x3ff00000, RZ, 0xfc, !PT; IMAD.MOV.U32 R3, RZ, RZ, R7" },
	{ "max.ftz.f32 %f6,%f1,0f00000000; min.ftz.f32 %f7,%f6,0f3F800000; "
	  "st.global.f32 [%rd1],%f7;",
	  "max.ftz.f32 %f6, %f1, 0f00000000; cvt.ftz.sat.f32.f32 %f7, %f1;",
	  "FADD.FTZ.SAT R5, RZ, R0" },
	{ "min.f32 %f6,%f1,0f3F800000; max.f32 %f7,%f6,0f00000000; st.global.f32 [%rd1],%f7;",
	  "min.f32 %f6, %f1, 0f3F800000; cvt.sat.f32.f32 %f7, %f1;",
	  "FADD.SAT R5, RZ, R0" },
	{ "mov.b32 %r9,0x40400000; mov.b32 %f9,%r9; div.full.f32 %f6,%f1,%f9; "
	  "st.global.f32 [%rd1],%f6;",
	  "mov.b32 %r9, 1077936128; mov.b32 %f9, %r9; mul.f32 %f6, %f1, 0f3EAAAAAB;",
	  "FMUL R5, R0, 0.3333333432674407959" },
	{ "mov.f32 %f6,%f4; @%p1 mul.f32 %f6,%f1,%f2; add.f32 %f3,%f6,%f3; "
	  "st.global.f32 [%rd1],%f3;",
	  "mov.f32 %f6, %f4; @%p1 mul.f32 %f6, %f1, %f2; add.f32 %f3, %f6, %f3;",
	  "FSETP.GT.AND P0, PT, R6, 3, PT; @P0 FMUL R7, R0, R5; FADD R7, R4, R7" },
	{ "mov.f32 %f9,0f40400000; @%p1 mov.f32 %f9,0f40A00000; div.full.f32 %f6,%f1,%f9; "
	  "st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f9, 0f40400000; @%p1 mov.f32 %f9, 0f40A00000; div.full.f32 %f6, %f1, %f9;",
	  "HFMA2.MMA R4, -RZ, RZ, 2.3125, 0; FSETP.GT.AND P0, PT, R5, 3, PT; FSEL R4, R4, 3, P0; "
	  "MUFU.RCP R5, R4; FMUL R5, R0, R5" },
	{ "mov.f32 %f9,0f40400000; div.full.f32 %f6,%f1,%f9; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f9, 0f40400000; mul.f32 %f6, %f1, 0f3EAAAAAB;",
	  "FMUL R5, R0, 0.3333333432674407959" },
	{ "mul.bf16 %h6,%h1,%h2; add.bf16 %h7,%h6,%h3; st.global.b16 [%rd1],%h7;",
	  "fma.rn.bf16 %h7, %h1, %h2, %h3;",
	  "HFMA2.BF16_V2 R0, R0.H0_H0, R5.H0_H0, R4.H0_H0" },
	{ "mul.bf16x2 %r6,%r1,%r2; add.bf16x2 %r7,%r6,%r3; add.bf16x2 %r8,%r6,%r4; "
	  "st.global.b32 [%rd1],%r7; st.global.b32 [%rd1+4],%r8;",
	  "fma.rn.bf16x2 %r7, %r1, %r2, %r3; fma.rn.bf16x2 %r8, %r1, %r2, %r4;",
	  "HFMA2.MMA.BF16_V2 R7, R0, R5, R4; HFMA2.BF16_V2 R5, R0, R5, R6" },
	{ "mul.bf16x2 %r6,%r1,%r2; sub.bf16x2 %r7,%r6,%r3; st.global.b32 [%rd1],%r7;",
	  "fma.rn.bf16x2 %r7, %r1, %r2, -%r3;",
	  "HFMA2.MMA.BF16_V2 R5, R0, R5, -R4" },
	{ "mul.f16 %h6,%h1,%h2; add.f16 %h7,%h6,%h3; add.f16 %h8,%h6,%h4; "
	  "st.global.b16 [%rd1],%h7; st.global.b16 [%rd1+4],%h8;",
	  "fma.rn.f16 %h7, %h1, %h2, %h3; fma.rn.f16 %h8, %h1, %h2, %h4;",
	  "PRMT R4, R4, 0x5410, R7; HFMA2 R0, R0.H0_H0, R5.H0_H0, R4; PRMT R4, R0, 0x7632, R4" },
	{ "mul.f16 %h6,%h1,%h2; add.f16 %h7,%h6,%h3; st.global.b16 [%rd1],%h7;",
	  "fma.rn.f16 %h7, %h1, %h2, %h3;",
	  "HFMA2 R0, R0.H0_H0, R5.H0_H0, R4.H0_H0" },
	{ "mul.f16 %h6,%h1,%h2; sub.f16 %h7,%h3,%h6; st.global.b16 [%rd1],%h7;",
	  "fma.rn.f16 %h7, -%h1, %h2, %h3;",
	  "HFMA2 R0, -R0.H0_H0, R5.H0_H0, R4.H0_H0" },
	{ "mul.f16x2 %r6,%r1,%r2; add.f16x2 %r7,%r6,%r3; add.f16x2 %r8,%r6,%r4; "
	  "st.global.b32 [%rd1],%r7; st.global.b32 [%rd1+4],%r8;",
	  "fma.rn.f16x2 %r7, %r1, %r2, %r3; fma.rn.f16x2 %r8, %r1, %r2, %r4;",
	  "HFMA2.MMA R7, R0, R5, R4; HFMA2 R5, R0, R5, R6" },
	{ "mul.f16x2 %r6,%r1,%r2; add.f16x2 %r7,%r6,%r3; st.global.b32 [%rd1],%r7;",
	  "fma.rn.f16x2 %r7, %r1, %r2, %r3;",
	  "HFMA2.MMA R5, R0, R5, R4" },
	{ "mul.f32 %f4,%f1,%f2; add.f32 %f5,%f4,%f2; max.f32 %f6,%f5,0f00000000; "
	  "min.f32 %f7,%f6,0f3F800000; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f5, %f1, %f2, %f2; max.f32 %f6, %f5, 0f00000000; cvt.sat.f32.f32 %f7, %f5;",
	  "FFMA.SAT R5, R0, R5, R5" },
	{ "mul.f32 %f5,%f1,%f2; cvt.sat.f32.f32 %f6,%f5; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f5, %f1, %f2; cvt.sat.f32.f32 %f6, %f5;",
	  "FMUL.SAT R5, R0, R5" },
	{ "mul.f32 %f6,%f1,%f1; mul.f32 %f8,%f2,%f2; add.f32 %f7,%f6,%f8; mul.f32 %f9,%f3,%f3; "
	  "add.f32 %f7,%f7,%f9; sqrt.approx.f32 %f7,%f7; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f8, %f2, %f2; fma.rn.f32 %f7, %f1, %f1, %f8; fma.rn.f32 %f7, %f3, %f3, %f7; "
	  "sqrt.approx.f32 %f7, %f7;",
	  "FMUL R7, R4, R4; FFMA R0, R0, R0, R7; FFMA R0, R5, R5, R0; "
	  "FSETP.GEU.AND P0, PT, R0, 1.175494350822287508e-38, PT; @!P0 FMUL R0, R0, 16777216; "
	  "MUFU.SQRT R5, R0; @!P0 FMUL R5, R5, 0.000244140625" },
	{ "mul.f32 %f6,%f1,%f2; @%p1 add.f32 %f3,%f6,%f3; st.global.f32 [%rd1],%f3;",
	  "@%p1 fma.rn.f32 %f3, %f1, %f2, %f3;",
	  "FSETP.GT.AND P0, PT, R4, 3, PT; @P0 FFMA R7, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; @%p1 bra L; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7; L:",
	  "mul.f32 %f6, %f1, %f2; @%p1 bra L; add.f32 %f7, %f6, %f3;",
	  "FSETP.GT.AND P0, PT, R0, 3, PT; FMUL R5, R0, R5; FADD R5, R4, R5" },
	{ "mul.f32 %f6,%f1,%f2; abs.f32 %f8,%f6; add.f32 %f7,%f8,%f3; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; abs.f32 %f8, %f6; add.f32 %f7, %f8, %f3;",
	  "FMUL R5, R0, R5; FADD R5, R4, |R5|" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f6,%f6,%f3; st.global.f32 [%rd1],%f6;",
	  "fma.rn.f32 %f6, %f1, %f2, %f3;",
	  "FFMA R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f4; mul.f32 %f8,%f6,%f7; sub.f32 %f9,%f8,%f6; "
	  "st.global.f32 [%rd1],%f9;",
	  "mul.f32 %f6, %f1, %f2; add.f32 %f7, %f3, %f4; fma.rn.f32 %f9, %f6, %f7, -%f6;",
	  "FMUL R0, R0, R5; FADD R7, R4, R7; FFMA R7, R0, R7, -R0" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f6; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, %f3;",
	  "FFMA R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; @%p1 add.f32 %f4,%f6,%f4; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f4;",
	  "fma.rn.f32 %f7, %f1, %f2, %f3; @%p1 fma.rn.f32 %f4, %f1, %f2, %f4;",
	  "FSETP.GT.AND P0, PT, R4, 3, PT; FFMA R7, R0, R5, R7; @P0 FFMA R9, R0, R5, R9" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; add.f32 %f8,%f6,%f4; add.f32 %f9,%f6,%f5; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f8; st.global.f32 [%rd1+8],%f9;",
	  "fma.rn.f32 %f7, %f1, %f2, %f3; fma.rn.f32 %f8, %f1, %f2, %f4; "
	  "fma.rn.f32 %f9, %f1, %f2, %f5;",
	  "FFMA R7, R0, R5, R7; FFMA R9, R0, R5, R4; FFMA R5, R0, R5, R6" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; add.f32 %f8,%f6,%f4; add.f32 %f9,%f6,%f5; "
	  "sub.f32 %f10,%f6,%f1; sub.f32 %f11,%f2,%f6; st.global.f32 [%rd1],%f7; "
	  "st.global.f32 [%rd1+4],%f8; st.global.f32 [%rd1+8],%f9; st.global.f32 [%rd1+12],%f10; "
	  "st.global.f32 [%rd1+16],%f11;",
	  "fma.rn.f32 %f7, %f1, %f2, %f3; fma.rn.f32 %f8, %f1, %f2, %f4; "
	  "fma.rn.f32 %f9, %f1, %f2, %f5; fma.rn.f32 %f10, %f1, %f2, -%f1; "
	  "fma.rn.f32 %f11, -%f1, %f2, %f2;",
	  "FFMA R13, R0, R5, -R0; FFMA R7, R0, R5, R7; FFMA R9, R0, R5, R4; FFMA R11, R0, R5, R6; "
	  "FFMA R5, -R0, R5, R5" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; add.f32 %f8,%f6,%f4; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f8;",
	  "fma.rn.f32 %f7, %f1, %f2, %f3; fma.rn.f32 %f8, %f1, %f2, %f4;",
	  "FFMA R7, R0, R5, R7; FFMA R5, R0, R5, R4" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, %f3;",
	  "FFMA R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7; @%p1 bra L; "
	  "add.f32 %f8,%f6,%f4; st.global.f32 [%rd1+4],%f8; L:",
	  "mul.f32 %f6, %f1, %f2; add.f32 %f7, %f6, %f3; @%p1 bra L; add.f32 %f8, %f6, %f4;",
	  "FSETP.GT.AND P0, PT, R7, 3, PT; FMUL R5, R0, R5; FADD R7, R4, R5; FADD R5, R6, R5" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7; "
	  "st.global.f32 [%rd1+4],%f6;",
	  "mul.f32 %f6, %f1, %f2; add.f32 %f7, %f6, %f3;",
	  "FMUL R5, R0, R5; FADD R7, R4, R5" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f6; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; add.f32 %f7, %f6, %f6;",
	  "FMUL R0, R0, R5; FADD R5, R0, R0" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,0f00000000; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, 0f00000000;",
	  "FFMA R5, R0, R5, RZ" },
	{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,0f80000000; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, 0f80000000;",
	  "FFMA R5, R0, R5, -RZ" },
	{ "mul.f32 %f6,%f1,%f2; add.ftz.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; add.ftz.f32 %f7, %f6, %f3;",
	  "FMUL R5, R0, R5; FADD.FTZ R5, R4, R5" },
	{ "mul.f32 %f6,%f1,%f2; add.rn.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; add.rn.f32 %f7, %f6, %f3;",
	  "FMUL R5, R0, R5; FADD R5, R4, R5" },
	{ "mul.f32 %f6,%f1,%f2; add.rz.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; add.rz.f32 %f7, %f6, %f3;",
	  "FMUL R5, R0, R5; FADD.RZ R5, R4, R5" },
	{ "mul.f32 %f6,%f1,%f2; add.sat.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.sat.f32 %f7, %f1, %f2, %f3;",
	  "FFMA.SAT R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; bra L; L: add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "bra L; fma.rn.f32 %f7, %f1, %f2, %f3;",
	  "FFMA R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; cvt.rn.f16.f32 %h5,%f6; st.global.b16 [%rd1],%h5;",
	  "mul.f32 %f6, %f1, %f2; cvt.rn.f16.f32 %h5, %f6;",
	  "FMUL R0, R0, R5; F2FP.F16.F32.PACK_AB R0, RZ, R0" },
	{ "mul.f32 %f6,%f1,%f2; fma.rn.f32 %f7,%f3,%f4,%f6; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; fma.rn.f32 %f7, %f3, %f4, %f6;",
	  "FMUL R5, R0, R5; FFMA R5, R4, R7, R5" },
	{ "mul.f32 %f6,%f1,%f2; mov.f32 %f1,%f4; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7; "
	  "st.global.f32 [%rd1+4],%f1;",
	  "mov.f32 %f1, %f4; fma.rn.f32 %f7, %f1, %f2, %f3;",
	  "FFMA R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; mov.f32 %f8,%f6; add.f32 %f7,%f8,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, %f3;",
	  "FFMA R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; add.f32 %f7,%f6,%f8; add.f32 %f9,%f6,%f5; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f9;",
	  "mul.f32 %f6, %f1, %f2; fma.rn.f32 %f7, %f3, %f4, %f6; add.f32 %f9, %f6, %f5;",
	  "FMUL R5, R0, R5; FFMA R7, R4, R7, R5; FADD R5, R6, R5" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; add.f32 %f7,%f6,%f8; add.f32 %f9,%f8,%f5; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f9;",
	  "mul.f32 %f8, %f3, %f4; fma.rn.f32 %f7, %f1, %f2, %f8; add.f32 %f9, %f8, %f5;",
	  "FMUL R7, R4, R7; FFMA R5, R0, R5, R7; FADD R7, R6, R7" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; add.f32 %f7,%f6,%f8; "
	  "st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f8, %f3, %f4; fma.rn.f32 %f7, %f1, %f2, %f8;",
	  "FMUL R7, R4, R7; FFMA R5, R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; add.f32 %f7,%f6,%f8; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f6;",
	  "mul.f32 %f6, %f1, %f2; fma.rn.f32 %f7, %f3, %f4, %f6;",
	  "FMUL R5, R0, R5; FFMA R7, R4, R7, R5" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; add.f32 %f7,%f6,%f8; sub.f32 %f9,%f6,%f8; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f9;",
	  "mul.f32 %f8, %f3, %f4; fma.rn.f32 %f7, %f1, %f2, %f8; fma.rn.f32 %f9, %f1, %f2, -%f8;",
	  "FMUL R7, R4, R7; FFMA R9, R0, R5, R7; FFMA R5, R0, R5, -R7" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; add.f32 %f7,%f6,%f8; sub.f32 %f9,%f8,%f6; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f9;",
	  "mul.f32 %f8, %f3, %f4; fma.rn.f32 %f7, %f1, %f2, %f8; fma.rn.f32 %f9, -%f1, %f2, %f8;",
	  "FMUL R7, R4, R7; FFMA R9, R0, R5, R7; FFMA R5, -R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; add.f32 %f7,%f8,%f6; "
	  "st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; fma.rn.f32 %f7, %f3, %f4, %f6;",
	  "FMUL R5, R0, R5; FFMA R5, R4, R7, R5" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; sub.f32 %f7,%f6,%f8; mul.f32 %f9,%f1,%f4; "
	  "mul.f32 %f10,%f2,%f3; add.f32 %f11,%f9,%f10; st.global.f32 [%rd1],%f7; "
	  "st.global.f32 [%rd1+4],%f11;",
	  "mul.f32 %f8, %f3, %f4; fma.rn.f32 %f7, %f1, %f2, -%f8; mul.f32 %f10, %f2, %f3; "
	  "fma.rn.f32 %f11, %f1, %f4, %f10;",
	  "FMUL R9, R4, R7; FMUL R4, R5, R4; FFMA R9, R0, R5, -R9; FFMA R7, R0, R7, R4" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; sub.f32 %f7,%f6,%f8; "
	  "st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f8, %f3, %f4; fma.rn.f32 %f7, %f1, %f2, -%f8;",
	  "FMUL R7, R4, R7; FFMA R5, R0, R5, -R7" },
	{ "mul.f32 %f6,%f1,%f2; mul.f32 %f8,%f3,%f4; sub.f32 %f7,%f8,%f6; "
	  "st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; fma.rn.f32 %f7, %f3, %f4, -%f6;",
	  "FMUL R5, R0, R5; FFMA R5, R4, R7, -R5" },
	{ "mul.f32 %f6,%f1,%f2; neg.f32 %f8,%f6; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7; "
	  "st.global.f32 [%rd1+4],%f8;",
	  "mul.f32 %f6, %f1, %f2; neg.f32 %f8, %f6; add.f32 %f7, %f6, %f3;",
	  "FMUL R5, R0, R5; FADD R7, -R5, -RZ; FADD R5, R4, R5" },
	{ "mul.f32 %f6,%f1,%f2; neg.f32 %f8,%f6; add.f32 %f7,%f8,%f3; add.f32 %f9,%f6,%f4; "
	  "st.global.f32 [%rd1],%f7; st.global.f32 [%rd1+4],%f9;",
	  "fma.rn.f32 %f7, -%f1, %f2, %f3; fma.rn.f32 %f9, %f1, %f2, %f4;",
	  "FFMA R7, -R0, R5, R7; FFMA R5, R0, R5, R4" },
	{ "mul.f32 %f6,%f1,%f2; neg.f32 %f8,%f6; add.f32 %f7,%f8,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, -%f1, %f2, %f3;",
	  "FFMA R5, -R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; selp.f32 %f7,%f6,%f3,%p1; add.f32 %f8,%f7,%f4; "
	  "st.global.f32 [%rd1],%f8;",
	  "mul.f32 %f6, %f1, %f2; selp.f32 %f7, %f6, %f3, %p1; add.f32 %f8, %f7, %f4;",
	  "FSETP.GT.AND P0, PT, R6, 3, PT; @P0 FMUL R7, R0, R5; FADD R7, R4, R7" },
	{ "mul.f32 %f6,%f1,%f2; sub.f32 %f7,%f3,%f6; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, -%f1, %f2, %f3;",
	  "FFMA R5, -R0, R5, R7" },
	{ "mul.f32 %f6,%f1,%f2; sub.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, %f2, -%f3;",
	  "FFMA R5, R0, R5, -R7" },
	{ "mul.f32 %f6,%f1,%f2; sub.f32 %f7,%f6,%f6; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, %f2; sub.f32 %f7, %f6, %f6;",
	  "FMUL R0, R0, R5; FADD R5, R0, -R0" },
	{ "mul.f32 %f6,%f1,0f00000000; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f00000000, %f3;",
	  "FFMA R5, RZ, R5, R0" },
	{ "mul.f32 %f6,%f1,0f3F800000; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mov.f32 %f6, %f1; add.f32 %f7, %f6, %f3;",
	  "FADD R5, R0, R5" },
	{ "mul.f32 %f6,%f1,0f40000000; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f40000000, %f3;",
	  "FFMA R5, R0, 2, R5" },
	{ "mul.f32 %f6,%f1,0f40000000; mul.f32 %f7,%f6,0f40400000; st.global.f32 [%rd1],%f7;",
	  "mul.f32 %f6, %f1, 0f40000000; mul.f32 %f7, %f6, 0f40400000;",
	  "FMUL R0, R0, 2; FMUL R5, R0, 3" },
	{ "mul.f32 %f6,%f1,0f40000000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0f40000000;",
	  "FMUL R5, R0, 2" },
	{ "mul.f32 %f6,%f1,0f40400000; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f40400000, %f3;",
	  "FFMA R5, R0, 3, R5" },
	{ "mul.f32 %f6,%f1,0f40400000; add.f32 %f7,%f6,0f40A00000; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0f40400000, 0f40A00000;",
	  "HFMA2.MMA R5, -RZ, RZ, 2.125, 0; FFMA R5, R0, R5, 5" },
	{ "mul.f32 %f6,%f1,0fBF800000; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.f32 %f7, %f1, 0fBF800000, %f3;",
	  "FADD R5, -R0, R5" },
	{ "mul.f32 %f6,%f1,0fBF800000; st.global.f32 [%rd1],%f6;",
	  "mul.f32 %f6, %f1, 0fBF800000;",
	  "FADD R5, -R0, -RZ" },
	{ "mul.f64 %d6,%d1,%d2; add.f64 %d7,%d6,%d3; add.f64 %d8,%d6,%d4; "
	  "st.global.f64 [%rd1],%d7; st.global.f64 [%rd1+8],%d8;",
	  "fma.rn.f64 %d7, %d1, %d2, %d3; fma.rn.f64 %d8, %d1, %d2, %d4;",
	  "DFMA R6, R2, R4, R6; DFMA R8, R2, R4, R8" },
	{ "mul.f64 %d6,%d1,%d2; add.f64 %d7,%d6,%d3; st.global.f64 [%rd1],%d7;",
	  "fma.rn.f64 %d7, %d1, %d2, %d3;",
	  "DFMA R2, R2, R4, R6" },
	/* the operand that is defined first is first: which NaN is handed on */
	{ "add.f64 %d6,%d2,%d1; st.global.f64 [%rd1],%d6;",
	  "add.f64 %d6, %d1, %d2;",
	  "DADD R4, R4, R6" },
	{ "add.f64 %d6,%d1,%d2; st.global.f64 [%rd1],%d6;",
	  "add.f64 %d6, %d1, %d2;",
	  "DADD R6, R6, R8" },
	{ "sub.f64 %d6,%d2,%d1; st.global.f64 [%rd1],%d6;",
	  "add.f64 %d6, -%d1, %d2;",
	  "DADD R4, -R4, R6" },
	{ "mul.rn.f64 %d6,%d1,%d2; add.f64 %d7,%d6,%d3; st.global.f64 [%rd1],%d7;",
	  "mul.rn.f64 %d6, %d1, %d2; add.f64 %d7, %d3, %d6;",
	  "DMUL R6, R4, R6; DADD R6, R8, R6" },
	{ "mul.rn.f64 %d6,%d1,%d2; sub.rz.f64 %d7,%d6,%d3; st.global.f64 [%rd1],%d7;",
	  "mul.rn.f64 %d6, %d1, %d2; add.rz.f64 %d7, -%d3, %d6;",
	  "DMUL R4, R4, R6; DADD.RZ R4, -R8, R4" },
	{ "mul.rn.f64 %d6,%d1,%d2; fma.rn.f64 %d7,%d6,%d3,%d4; st.global.f64 [%rd1],%d7;",
	  "mul.rn.f64 %d6, %d1, %d2; fma.rn.f64 %d7, %d3, %d6, %d4;",
	  "DMUL R4, R4, R6; DFMA R4, R8, R4, R10" },
	{ "neg.f64 %d6,%d1; add.f64 %d7,%d6,%d2; st.global.f64 [%rd1],%d7;",
	  "neg.f64 %d6, %d1; add.f64 %d7, %d6, %d2;",
	  "DADD R6, -R6, R8" },
	{ "neg.f64 %d6,%d1; neg.f64 %d7,%d6; st.global.f64 [%rd1],%d7;",
	  "neg.f64 %d6, %d1; mov.f64 %d7, %d1;",
	  "(nothing)" },
	{ "min.f64 %d6,%d1,%d1; st.global.f64 [%rd1],%d6;",
	  "mov.f64 %d6, %d1;",
	  "(nothing)" },
	{ "min.f32 %f6,%f1,%f1; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, %f1;",
	  "(nothing)" },
	{ "min.ftz.f32 %f6,%f1,%f1; st.global.f32 [%rd1],%f6;",
	  "min.ftz.f32 %f6, %f1, %f1;",
	  "FADD.FTZ R7, R2, -RZ" },
	{ "mul.f64 %d6,%d1,0d3FF0000000000000; st.global.f64 [%rd1],%d6;",
	  "mov.f64 %d6, %d1;",
	  "(nothing)" },
	{ "mul.f64 %d6,%d1,0dBFF0000000000000; st.global.f64 [%rd1],%d6;",
	  "mul.f64 %d6, %d1, 0dBFF0000000000000;",
	  "DADD R2, -RZ, -R2" },
	{ "mul.ftz.f16 %h6,%h1,%h2; add.ftz.f16 %h7,%h6,%h3; st.global.b16 [%rd1],%h7;",
	  "fma.rn.ftz.f16 %h7, %h1, %h2, %h3;",
	  "HFMA2.FTZ R0, R0.H0_H0, R5.H0_H0, R4.H0_H0" },
	{ "mul.ftz.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mul.ftz.f32 %f6, %f1, %f2; add.f32 %f7, %f6, %f3;",
	  "FMUL.FTZ R5, R0, R5; FADD R5, R4, R5" },
	{ "mul.ftz.f32 %f6,%f1,%f2; add.ftz.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "fma.rn.ftz.f32 %f7, %f1, %f2, %f3;",
	  "FFMA.FTZ R5, R0, R5, R7" },
	{ "mul.ftz.f32 %f6,%f1,0f3F800000; st.global.f32 [%rd1],%f6;",
	  "mul.ftz.f32 %f6, %f1, 0f3F800000;",
	  "FADD.FTZ R5, R0, -RZ" },
	{ "mul.rn.bf16x2 %r6,%r1,%r2; add.rn.bf16x2 %r7,%r6,%r3; st.global.b32 [%rd1],%r7;",
	  "mul.rn.bf16x2 %r6, %r1, %r2; add.rn.bf16x2 %r7, %r6, %r3;",
	  "HFMA2.MMA.BF16_V2 R0, R0, R5, -RZ; HADD2.BF16_V2 R5, R0, R4" },
	{ "mul.rn.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mul.rn.f32 %f6, %f1, %f2; add.f32 %f7, %f6, %f3;",
	  "FMUL R5, R0, R5; FADD R5, R4, R5" },
	{ "mul.rn.f32 %f6,%f1,0f3F800000; st.global.f32 [%rd1],%f6;",
	  "mul.rn.f32 %f6, %f1, 0f3F800000;",
	  "FMUL R5, R0, 1" },
	{ "mul.sat.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mul.sat.f32 %f6, %f1, %f2; add.f32 %f7, %f6, %f3;",
	  "FMUL.SAT R5, R0, R5; FADD R5, R4, R5" },
	{ "neg.f32 %f5,%f1; mul.f32 %f6,%f5,%f2; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "neg.f32 %f5, %f1; fma.rn.f32 %f7, %f5, %f2, %f3;",
	  "FFMA R5, -R0, R5, R7" },
	{ "neg.f32 %f6,%f1; abs.f32 %f7,%f6; st.global.f32 [%rd1],%f7;",
	  "neg.f32 %f6, %f1; abs.f32 %f7, %f6;",
	  "FADD R5, |R0|, -RZ" },
	{ "neg.f32 %f6,%f1; max.f32 %f7,%f6,%f2; st.global.f32 [%rd1],%f7;",
	  "neg.f32 %f6, %f1; max.f32 %f7, %f6, %f2;",
	  "FMNMX R5, -R0, R5, !PT" },
	{ "neg.f32 %f6,%f1; mov.b32 %r9,%f6; xor.b32 %r9,%r9,%r2; st.global.b32 [%rd1],%r9;",
	  "neg.f32 %f6, %f1; mov.b32 %r9, %f6; xor.b32 %r9, %r9, %r2;",
	  "FADD R5, -R0, -RZ; LOP3.LUT R5, R5, R4, RZ, 0x3c, !PT" },
	{ "neg.f32 %f6,%f1; neg.f32 %f7,%f6; st.global.f32 [%rd1],%f7;",
	  "neg.f32 %f6, %f1; mov.f32 %f7, %f1;",
	  "(nothing)" },
	{ "neg.f32 %f6,%f1; selp.f32 %f7,%f6,%f2,%p1; st.global.f32 [%rd1],%f7;",
	  "neg.f32 %f6, %f1; selp.f32 %f7, %f6, %f2, %p1;",
	  "FSETP.GT.AND P0, PT, R4, 3, PT; FSEL R5, -R0, R5, P0" },
	{ "neg.f32 %f6,%f1; st.global.f32 [%rd1],%f6;",
	  "neg.f32 %f6, %f1;",
	  "FADD R5, -R0, -RZ" },
	{ "rcp.approx.f32 %f6,%f1; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "mov.f32 %f6_1, 0f3F800000; abs.f32 %f6_2, %f1; setp.lt.f32 %f6_3, %f6_2, 0f00800000; "
	  "setp.gt.f32 %f6_4, %f6_2, 0f7E800000; @%f6_3 mov.f32 %f6_1, 0f4B800000; "
	  "@%f6_4 mov.f32 %f6_1, 0f3E800000; mul.f32 %f6_5, %f1, %f6_1; "
	  "rcp.approx.ftz.f32 %f6_6, %f6_5; fma.rn.f32 %f7, %f6_1, %f6_6, %f3;",
	  "IMAD.MOV.U32 R5, RZ, RZ, 0x4b800000; "
	  "FSETP.GEU.AND P1, PT, |R0|, 1.175494350822287508e-38, PT; "
	  "FSETP.GT.AND P0, PT, |R0|, 8.50705917302346158658e+37, PT; FSEL R5, R5, 1, !P1; "
	  "FSEL R5, R5, 0.25, !P0; FMUL R0, R0, R5; MUFU.RCP R0, R0; FFMA R5, R5, R0, R4" },
	{ "rcp.approx.f32 %f6,%f1; mul.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "rcp.approx.f32 %f6, %f1; mul.f32 %f7, %f6, %f3;",
	  "HFMA2.MMA R5, -RZ, RZ, 15, 0; "
	  "FSETP.GEU.AND P1, PT, |R0|, 1.175494350822287508e-38, PT; "
	  "FSETP.GT.AND P0, PT, |R0|, 8.50705917302346158658e+37, PT; FSEL R5, R5, 1, !P1; "
	  "FSEL R5, R5, 0.25, !P0; FMUL R0, R0, R5; MUFU.RCP R0, R0; FMUL R5, R5, R0; "
	  "FMUL R5, R4, R5" },
	{ "rcp.approx.f32 %f6,%f1; rcp.approx.f32 %f7,%f6; st.global.f32 [%rd1],%f7;",
	  "rcp.approx.f32 %f6, %f1; rcp.approx.f32 %f7, %f6;",
	  "IMAD.MOV.U32 R6, RZ, RZ, 0x4b800000; "
	  "FSETP.GEU.AND P1, PT, |R0|, 1.175494350822287508e-38, PT; "
	  "FSETP.GT.AND P0, PT, |R0|, 8.50705917302346158658e+37, PT; FSEL R4, R6, 1, !P1; "
	  "FSEL R5, R4, 0.25, !P0; FMUL R0, R0, R5; MUFU.RCP R0, R0; FMUL R5, R5, R0; "
	  "FSETP.GEU.AND P1, PT, |R5|, 1.175494350822287508e-38, PT; "
	  "FSETP.GT.AND P0, PT, |R5|, 8.50705917302346158658e+37, PT; FSEL R4, R6, 1, !P1; "
	  "FSEL R4, R4, 0.25, !P0; FMUL R5, R5, R4; MUFU.RCP R5, R5; FMUL R7, R4, R5" },
	{ "rcp.approx.f32 %f6,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3EAAAAAB;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.666015625, -0.052093505859375" },
	{ "rcp.approx.ftz.f32 %f6,%f1; mul.ftz.f32 %f7,%f6,%f3; add.ftz.f32 %f7,%f7,%f2; "
	  "st.global.f32 [%rd1],%f7;",
	  "rcp.approx.ftz.f32 %f6, %f1; fma.rn.ftz.f32 %f7, %f6, %f3, %f2;",
	  "MUFU.RCP R0, R0; FFMA.FTZ R5, R5, R0, R4" },
	{ "rcp.approx.ftz.f32 %f6,%f1; rcp.approx.ftz.f32 %f7,%f6; st.global.f32 [%rd1],%f7;",
	  "rcp.approx.ftz.f32 %f6, %f1; mov.f32 %f7, %f1;",
	  "(nothing)" },
	{ "rsqrt.approx.f32 %f6,%f1; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "rsqrt.approx.f32 %f6, %f1; add.f32 %f7, %f6, %f3;",
	  "FSETP.GEU.AND P0, PT, |R0|, 1.175494350822287508e-38, PT; @!P0 FMUL R0, R0, 16777216; "
	  "MUFU.RSQ R5, R0; @!P0 FMUL R5, R5, 4096; FADD R5, R4, R5" },
	{ "rsqrt.approx.f32 %f6,%f1; rcp.approx.f32 %f7,%f6; st.global.f32 [%rd1],%f7;",
	  "rsqrt.approx.f32 %f6, %f1; rcp.approx.f32 %f7, %f6;",
	  "HFMA2.MMA R5, -RZ, RZ, 15, 0; "
	  "FSETP.GEU.AND P0, PT, |R0|, 1.175494350822287508e-38, PT; @!P0 FMUL R0, R0, 16777216; "
	  "MUFU.RSQ R4, R0; @!P0 FMUL R4, R4, 4096; "
	  "FSETP.GEU.AND P1, PT, |R4|, 1.175494350822287508e-38, PT; "
	  "FSETP.GT.AND P0, PT, |R4|, 8.50705917302346158658e+37, PT; FSEL R5, R5, 1, !P1; "
	  "FSEL R5, R5, 0.25, !P0; FMUL R4, R4, R5; MUFU.RCP R4, R4; FMUL R5, R5, R4" },
	{ "rsqrt.approx.f32 %f6,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3F13CD3A;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.7685546875, -20.90625" },
	{ "sin.approx.f32 %f6,0f3f000000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3EF57744;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.7392578125, 29760" },
	{ "sqrt.approx.f32 %f6,%f1; add.f32 %f7,%f6,%f3; st.global.f32 [%rd1],%f7;",
	  "sqrt.approx.f32 %f6, %f1; add.f32 %f7, %f6, %f3;",
	  "FSETP.GEU.AND P0, PT, |R0|, 1.175494350822287508e-38, PT; @!P0 FMUL R0, R0, 16777216; "
	  "MUFU.SQRT R5, R0; @!P0 FMUL R5, R5, 0.000244140625; FADD R5, R4, R5" },
	{ "sqrt.approx.f32 %f6,0f40400000; st.global.f32 [%rd1],%f6;",
	  "mov.f32 %f6, 0f3FDDB3D7;",
	  "HFMA2.MMA R5, -RZ, RZ, 1.9658203125, -0.2449951171875" },
	{ "sqrt.approx.ftz.f32 %f6,%f1; rcp.approx.ftz.f32 %f7,%f6; st.global.f32 [%rd1],%f7;",
	  "sqrt.approx.ftz.f32 %f6, %f1; rcp.approx.ftz.f32 %f7, %f6;",
	  "MUFU.SQRT R0, R0; MUFU.RCP R5, R0" },
	{ "sub.f32 %f6,%f1,%f1; st.global.f32 [%rd1],%f6;",
	  "sub.f32 %f6, %f1, %f1;",
	  "FADD R5, R0, -R0" },
	{ "sub.f32 %f7,%f1,0f00000000; st.global.f32 [%rd1],%f7;",
	  "sub.f32 %f7, %f1, 0f00000000;",
	  "FADD R5, -RZ, R0" },
	{ "tanh.approx.f32 %f6,0f3f000000; st.global.f32 [%rd1],%f6;",
	  "tanh.approx.f32 %f6, 0f3F000000;",
	  "MUFU.TANH R5, 0.5" },
};

static const char head[] =
	".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p){\n"
	".reg .b64 %rd<9>; .reg .f32 %f<40>; .reg .f64 %d<20>; .reg .b16 %h<20>; .reg .b32 %r<40>;\n"
	".reg .pred %p<9>; ld.param.u64 %rd1,[p]; cvta.to.global.u64 %rd1,%rd1;\n"
	"ld.global.f32 %f1,[%rd1]; ld.global.f32 %f2,[%rd1+4]; ld.global.f32 %f3,[%rd1+8];\n"
	"ld.global.f32 %f4,[%rd1+12]; ld.global.f32 %f5,[%rd1+16]; ld.global.f64 %d1,[%rd1+32];\n"
	"ld.global.f64 %d2,[%rd1+40]; ld.global.f64 %d3,[%rd1+48]; ld.global.f64 %d4,[%rd1+56];\n"
	"ld.global.b16 %h1,[%rd1+64]; ld.global.b16 %h2,[%rd1+66]; ld.global.b16 %h3,[%rd1+68];\n"
	"ld.global.b16 %h4,[%rd1+70]; ld.global.b32 %r1,[%rd1+80]; ld.global.b32 %r2,[%rd1+84];\n"
	"ld.global.b32 %r3,[%rd1+88]; ld.global.b32 %r4,[%rd1+92]; setp.gt.f32 %p1,%f5,0f40400000;\n";
#define HEAD_INSNS 20 /* of them */

/* The body rewritten, as text: free with buf_free. */
static struct buf rewritten(const char *body, unsigned which)
{
	struct buf text = { 0 }, out = { 0 }, one = { 0 };
	struct err e = { 0 };
	struct ptx_module *m;
	struct ir_func *f;
	struct arena *a = arena_new();

	buf_printf(&text, "%s%s\nret;\n}\n", head, body);
	check_ok(ptx_parse(text.s, text.len, "row", &m, &e), &e);
	f = ir_func_copy(a, &m->func[0]);
	ptx_rewrite_with(a, f, which);
	for (int k = HEAD_INSNS; k < f->ninsn - 1; k++) {
		one.len = 0;
		ir_print_insn(&one, m, f, &f->insn[k]);
		if (strstr(one.s, "st.global") == NULL && strstr(one.s, "nop") == NULL)
			buf_printf(&out, "%s%s", out.len ? " " : "", one.s);
	}
	buf_puts(&out, "");
	buf_free(&one);
	buf_free(&text);
	arena_free(a);
	ptx_module_free(m);
	return out;
}

static void every_rule_gives_what_ptxas_gave(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		struct buf got = rewritten(rows[k].body, RW_ALL);

		if (strcmp(got.s ? got.s : "", rows[k].want) != 0) {
			print_error("%s\n  got  %s\n  want %s\n  SASS %s\n", rows[k].body, got.s,
			            rows[k].want, rows[k].sass);
			wrong++;
		}
		buf_free(&got);
	}
	assert_int_equal(wrong, 0);
}

static int count(const char *s, const char *what)
{
	int n = 0;

	for (; (s = strstr(s, what)) != NULL; s += strlen(what))
		n++;
	return n;
}

/* Independent of the expected texts: as many fused operations as the SASS has. */
static void as_much_is_fused_as_in_the_sass(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		struct buf got = rewritten(rows[k].body, RW_ALL);
		const char *s = rows[k].sass;
		int sass = count(s, "FFMA") + count(s, "DFMA") + count(s, "HFMA2") -
		           count(s, "-RZ, RZ"); /* HFMA2.MMA -RZ, RZ, c: a constant */

		/* x*-1+y is an FADD there: the same value as the fma; two f16 fmas are packed into one */
		if (strstr(rows[k].body, "mul.f32 %f6,%f1,0fBF800000; add") == NULL &&
		    strstr(s, "PRMT") == NULL)
			check_true(sass == count(got.s, "fma.rn") + count(got.s, "mad.rn") +
			                           (strstr(got.s, "mul.rn.bf16x2") != NULL),
			           "%s: %s against %s", rows[k].body, got.s, s);
		buf_free(&got);
	}
}

static void each_kind_of_rule_can_be_switched_off(void **state)
{
	static const struct {
		const char *body;
		unsigned rule;
	} one[] = {
		{ "mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f3;", RW_CONTRACT },
		{ "ex2.approx.f32 %f6,0f3f000000;", RW_FOLD },
		{ "div.full.f32 %f6,%f1,0f40400000;", RW_FOLD },
		{ "mul.f32 %f6,%f1,0f3F800000;", RW_ALGEBRA },
		{ "max.f32 %f6,%f1,0f00000000; min.f32 %f7,%f6,0f3F800000;", RW_ALGEBRA },
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(one); k++) {
		struct buf plain = rewritten(one[k].body, 0);
		struct buf rest = rewritten(one[k].body, RW_ALL & ~one[k].rule);
		struct buf only = rewritten(one[k].body, one[k].rule);

		assert_string_equal(plain.s, rest.s);
		assert_string_not_equal(plain.s, only.s);
		buf_free(&plain);
		buf_free(&rest);
		buf_free(&only);
	}
}

static void a_factor_that_changes_is_kept(void **state)
{
	/* %f1 is loaded anew between product and sum: the sum takes the old value. */
	struct buf got = rewritten("LOOP: mul.f32 %f6,%f1,%f2; ld.global.f32 %f1,[%rd1+96]; "
	                           "add.f32 %f7,%f6,%f3; @%p1 bra LOOP;", RW_CONTRACT);

	(void)state;
	assert_string_equal(got.s, "mov.b32 %f1, %f1; ld.global.f32 %f1, [%rd1+96]; "
	                           "fma.rn.f32 %f7, %f1, %f2, %f3; @%p1 bra LOOP;");
	buf_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_gives_what_ptxas_gave),
		cmocka_unit_test(as_much_is_fused_as_in_the_sass),
		cmocka_unit_test(each_kind_of_rule_can_be_switched_off),
		cmocka_unit_test(a_factor_that_changes_is_kept),
	};

	return check_main(tests);
}
