#!/bin/bash
# The known-good kernels of calibrate/tensor/: the emulator refuses them with a remedy, shipped PTX belongs to its source, and
# copies of them in which shuffles and FMAs stand for mma.sync (mma_by_shuffles.cuh) pass. What tensor cores themselves do is
# measured on a GPU (docs/calibration.md).
. "$(dirname "$0")/../cli/kit.sh"
cd "$(dirname "$0")/../.." || exit 1

folders=(calibrate/tensor/*/)
expect 3 "mma.sync.* is not supported yet by the emulator; a GPU that has it runs it: --device cuda:0" \
	validate --cases 1 --no-bench --out "$dir/refused" calibrate/tensor/attention_mma_f16
if ! "$gpuemu" doctor | grep -q '^NVRTC  *[0-9]'; then
	[ $failed -eq 0 ] || exit 1
	echo "NVRTC is not installed: kernels cannot be compiled"
	exit 77
fi

# stand_in FILE FROM TO WITH: FILE of the copies with the lines FROM up to TO in exchange for those of WITH.
stand_in() {
	awk -v from="$2" -v to="$3" -v with="$4" 'index($0, to) == 1 { out = 0 }
		index($0, from) == 1 && !done { out = done = 1; while ((getline line < with) > 0) print line }
		!out' "$dir/tensor/$1" >"$dir/new" && mv "$dir/new" "$dir/tensor/$1"
}
cp -R calibrate/kernels calibrate/tensor "$dir"
copies=("${folders[@]/#calibrate/$dir}")
expect 0 "" compile "${copies[@]}"
for k in "${folders[@]}"; do
	[ "$(grep source-sha256 "$k/kernel.ptx")" = "$(grep source-sha256 "${k/#calibrate/$dir}/kernel.ptx")" ] ||
		bad "$k is stale (mend with \`make corpus-ptx\`)"
done
stand_in mma.cuh 'static __device__ void mma_k16' 'struct matrix' tests/calibrate/mma_by_shuffles.cuh
stand_in mma_tf32.cuh 'static __device__ void mma_tf32' '/* Element k' tests/calibrate/mma_tf32_by_shuffles.cuh
rm "$dir"/tensor/*/kernel.ptx
expect 0 "" compile "${copies[@]}"
expect 0 "" validate --cases 80 --no-bench --quiet --jobs 2 --out "$dir/campaign" "${copies[@]}"
[ "$(grep -c ' control  *-  *PASS ' "$dir/out")" -eq "${#folders[@]}" ] || bad "not all pass: $(cat "$dir/out")"
grep -q '"error":true' "$dir/campaign/cases.jsonl" && bad "findings: $(grep -m 1 '"error":true' "$dir/campaign/cases.jsonl")"

# NaN and infinities of V that a query does not see are no part of its result, though tensor cores multiply them by 0; cases draw
# such values for the first input alone. Several steps of keys, a last one that is not full, both anchors.
for k in "$dir"/tensor/attention_*/; do
	t=${k%/} t=${t##*_}
	for v in 'v:nan(0.02)' 'v:inf(0.02)' 'k:nan(0.02),v:inf(0.2),bias:normal' 'v:nan(0.02),bias:inf(0.02)'; do
		for a in top_left bottom_right; do
			expect 0 "verdict  PASS" replay "$k" \
				"attention/$t B=1,H=4,G=2,N=33,L=70,D=17,E=19 causal=1,anchor=$a values=q:normal,$v seed=0x5 fill=a5"
		done
	done
done
exit $failed
