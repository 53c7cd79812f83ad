#!/bin/bash
# gpuemu compare: devices, files of tensors, records of campaigns; what differs is told, and the exit status.
. tests/cli/kit.sh
kernel good "$right"

# ---- devices ----
expect 0 "40 of 40 cases identical" compare --device emu --device emu --cases 40 --quiet --record "$dir/f.json" "$dir/good"
grep -q '"corpus_identical": 40' "$dir/f.json" || bad "--record: $(cat "$dir/f.json")"
expect 0 '"identical": true' compare --device emu --device emu --cases 4 --json "$dir/good"
expect 2 "record" compare --record "$dir/f.json" "$dir/good"
expect 2 "name kernel folders" compare
expect 2 "two devices at most" compare --device emu --device emu --device emu "$dir/good"
expect 2 "nonesuch" compare --device nonesuch --device emu "$dir/good"

# ---- a device that differs: fake_cuda.c, made wrong in every way that is told apart, or out of memory ----
cc -D_GNU_SOURCE -shared -fPIC -o "$dir/libcuda.so" tests/device/fake_cuda.c || die "no C compiler"
export GPUEMU_LIBCUDA=$dir/libcuda.so
relu="compare --device cuda:0 --dtype f32 --cases 60 --quiet corpus/control/relu"
expect 0 "60 of 60 cases identical" $relu
FAKE_CUDA_WRONG=1 expect 1 "nan-payload [1-9].*zero-sign [1-9].*value [1-9].*class [1-9].*(3 ulp at most)" $relu
grep -q "not traced: " "$dir/out" || bad "a device that ignores the PTX was traced: $(cat "$dir/out")"
FAKE_CUDA_BYTES=3000 expect 1 "0 of 60 cases identical, 0 elements  run 60" $relu
grep -q "b: launch-limit" "$dir/out" || bad "why the run ended is not told: $(cat "$dir/out")"
expect 2 "known: cuda:0 Fake GPU GPU-00010203" compare --device cuda:9 --quiet corpus/control/relu
unset GPUEMU_LIBCUDA

# ---- tensors ----
expect 0 "" inputs 'relu/f32 N=50 values=x:normal seed=0x1' -o "$dir/a.safetensors"
expect 0 "" inputs 'relu/f32 N=50 values=x:normal seed=0x2' -o "$dir/b.safetensors"
expect 0 "" inputs 'relu/f32 N=51 values=x:normal seed=0x2' -o "$dir/c.safetensors"
expect 0 "0 of 50 elements differ" compare "$dir/a.safetensors" "$dir/a.safetensors"
expect 1 "50 of 50 elements differ" compare "$dir/a.safetensors" "$dir/b.safetensors"
expect 1 "" compare "$dir/a.safetensors" "$dir/c.safetensors"
expect 2 "absent" compare "$dir/a.safetensors" "$dir/absent.safetensors"
head -c 60 "$dir/a.safetensors" >"$dir/d.safetensors"
expect 2 "d.safetensors" compare "$dir/a.safetensors" "$dir/d.safetensors"

# ---- records ----
for c in one two; do
	expect 0 "" validate --cases 20 --no-bench --no-coverage --quiet --out "$dir/$c" "$dir/good"
done
expect 0 "20 cases in both, 20 identical" compare "$dir/one" "$dir/two/evidence.json"
sed -i '3s/"outputs_sha256":"../"outputs_sha256":"zz/' "$dir/two/cases.jsonl"
expect 1 "19 identical in verdict by value and in outputs (other value 0, other outputs 1)" compare "$dir/one" "$dir/two"
sed -i '4s/"verdict":"PASS"/"verdict":"FAIL"/; 3s/zz/'"$(sed -n '3s/.*"outputs_sha256":"\(..\).*/\1/p' "$dir/one/cases.jsonl")/" \
	"$dir/two/cases.jsonl"
expect 1 "1 cases FAIL in one alone" compare "$dir/one" "$dir/two" # and so does the kernel
sed -i '5d' "$dir/two/cases.jsonl"
expect 1 "only in a 1, only in b 0" compare "$dir/one" "$dir/two"
echo '{}' >"$dir/two/cases.jsonl"
expect 2 "no record of a campaign" compare "$dir/one" "$dir/two"
exit $failed
