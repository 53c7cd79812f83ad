#!/bin/bash
# fidelity.sh [-q] GPUEMU DEVICE OUT - what docs/fidelity.md states, on the GPU at hand, in one call of a few minutes:
# the instruction conformance suite and the math functions against the record of an H200 (-q: both left out),
# the corpus bit by bit against the emulator,
# evidence made on both, and kernels that end badly. Run it in the repository; writes into the folder OUT.
# Exit status: 0 all agree, 1 something differs (OUT/*.txt say what).
set -u
isa=1
[ "${1:-}" = -q ] && isa=0 && shift
[ $# -eq 3 ] || {
	sed -n '2,6s/^# //p' "$0" >&2
	exit 2
}
gpuemu=$1 device=$2 out=$3
mkdir -p "$out" || exit 2
differ=0
step() { # NAME WANTED-STATUS|- COMMAND...: its output goes to OUT/NAME.txt as well
	local name=$1 want=$2 start=$SECONDS rc
	shift 2
	echo "== $name: $*"
	"$@" >"$out/$name.txt" 2>&1
	rc=$?
	tail -n 25 "$out/$name.txt"
	echo "== $name: exit $rc in $((SECONDS - start)) s"
	[ "$want" = - ] || [ $rc -eq "$want" ] || differ=1
}
"$gpuemu" doctor
[ $isa -eq 0 ] || step isa 0 "$gpuemu" calibrate --isa --device "$device" --all-inputs --quiet --against isa_h200 -o "$out/isa_record.txt"
# the table (1: a bound is not met, which says nothing about fidelity), then the H200's record on this GPU
[ $isa -eq 0 ] || step math_table - "$gpuemu" calibrate --math --device "$device" --quiet -o "$out/math.json"
[ $isa -eq 0 ] || step math 0 "$gpuemu" calibrate --math --device "$device" --against math_h200
step corpus 0 "$gpuemu" compare --device emu --device "$device" --cases 200 --quiet --json="$out/corpus.json" --record "$out/fidelity.json" corpus
for d in emu "$device"; do
	name=evidence_${d%%:*}
	step "$name" 0 "$gpuemu" validate --device "$d" --no-coverage --tolerances sm_90 --quiet --cases 100 --out "$out/$name" corpus
done
step evidence 0 "$gpuemu" compare "$out/evidence_emu" "$out/evidence_${device%%:*}"
step bad_kernels 1 "$gpuemu" validate --device "$device" --no-bench --no-coverage --quiet --cases 12 --out "$out/bad" tests/validate/bad
[ "$(wc -l <"$out/bad/cases.jsonl")" -eq 49 ] || differ=1
exit $differ
