#!/bin/bash
# gpuemu judge: outputs computed elsewhere get the verdict that the kernel that made them gets.
. tests/cli/kit.sh
c='softmax/f32 R=8,C=13 seed=0x1 fill=00'
"$gpuemu" replay --dump "$dir/good" corpus/control/softmax "$c" >"$dir/replay"
expect 0 "verdict  PASS" judge "$c" "$dir/good"
sha=$(sed -n 's/^outputs  sha256 //p' "$dir/replay")
expect 0 "$sha" judge "$c" "$dir/good"
expect 0 '"verdict":"PASS".*"T":18.0.*"L":13' judge --json --tolerances bound "$c" "$dir/good"
expect 0 '"T":10.0.*"L":5' judge --json --tolerances bound --chain 5 "$c" "$dir/good"
expect 0 '"family":"f32 ftz tensor x:bf16"' judge --json --ftz --tensor-cores --low x=bf16 "$c" "$dir/good"
expect 2 "no input and no intermediate 'p'" judge --low p=f16 "$c" "$dir/good"
"$gpuemu" replay --dump "$dir/bad" corpus/buggy/softmax_tail_leak "$c" >"$dir/replay"
expect 1 "verdict  FAIL: 104 of 104 elements are wrong" judge "$c" "$dir/bad"
expect 1 '"verdict":"FAIL".*"wrong":104' judge --json "$c" "$dir/bad"
expect 2 "y has shape \[8,13\], the case's has \[8,14\]" judge "${c/13/14}" "$dir/good"
expect 2 "y is of f32, the case's is of f16" judge "${c/f32/f16}" "$dir/good"
# 16-bit outputs that were left in f32: those of f32 inputs are others, and are shown as what they are
expect 1 "y\[0,0\]  got 0.01455" judge "${c/f32 R=8,C=13/f16 R=8,C=13 outputs=f32}" "$dir/good"
expect 2 "no output tensor named c" judge 'matmul/f32 M=2,N=2,K=2 seed=0x1' "$dir/good"
expect 2 "not credible" judge "$c" README.md
expect 2 "names an intermediate" judge --low p "$c" "$dir/good"
expect 2 "give a case" judge "$c"
exit $failed
