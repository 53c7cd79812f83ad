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
expect 2 "no output tensor named c; the file has x, y" judge 'matmul/f32 M=2,N=2,K=2 seed=0x1' "$dir/good"
expect 2 "is it a safetensors file" judge "$c" README.md
expect 2 "y is of f32, the case's is of f16: round it, or put outputs=f32 into the case" judge "${c/f32/f16}" "$dir/good"
# an .npy file is the one output: made by hand here, its data those of y
python3 - "$dir" <<'PY'
import json, struct, sys
b = open(sys.argv[1] + "/good", "rb").read()
n = struct.unpack("<Q", b[:8])[0]
at, end = json.loads(b[8:8 + n])["y"]["data_offsets"]
h = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 13), }"
h += " " * (-(len(h) + 11) % 64) + "\n"
open(sys.argv[1] + "/y.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(h)) + h.encode() + b[8 + n + at:8 + n + end])
PY
expect 0 "$sha" judge "$c" "$dir/y.npy"
expect 2 "has 2 outputs, and an .npy file holds one tensor" judge 'quant_i8/f32 R=8,C=13,G=13 seed=0x1' "$dir/y.npy"
expect 2 "the case's has \[8,14\]" judge "${c/13/14}" "$dir/y.npy"
expect 2 "is no npy file" judge "$c" "$(cp README.md "$dir/r.npy"; echo "$dir/r.npy")"
expect 2 "names an intermediate" judge --low p "$c" "$dir/good"
expect 2 "give a case" judge "$c"
exit $failed
