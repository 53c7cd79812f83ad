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
