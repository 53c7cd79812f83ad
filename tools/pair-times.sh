#!/bin/sh
# pair-times.sh - on a machine with a GPU: how long each buggy kernel of the corpus takes beside its twin, in f32 on sizes that KernelBench picks
# (version 0; attention, which that has not, on 8 heads of 512 by 64). Writes the times into results/lint.json, beside the static differences.
# Variables: GPUEMU (the program, default build/gpuemu), DEVICE (default cuda:0), ROUNDS, RUNS (as of gpuemu time).
set -eu
cd "$(dirname "$0")/.."
g=${GPUEMU:-build/gpuemu}
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
sizes() {
	case $1 in
	softmax | l2norm) echo R=16,C=16384 ;;
	gelu | silu | leaky_relu) echo N=262144 ;;
	rmsnorm) echo A=2,N=64,B=65536 w=absent ;; # of 16
	matmul) echo M=2048,N=2048,K=2048 ;;
	attention) echo B=1,H=8,G=8,N=512,L=512,D=64,E=64 bias=absent ;;
	*) echo "no sizes for $1" >&2; exit 2 ;;
	esac
}
for d in corpus/buggy/*/; do
	name=$(basename "$d")
	twin=$(sed -n 's/.*"twin": "\([^"]*\)".*/\1/p' "$d/kernel.json")
	op=$(sed -n 's/.*"operator": "\([^"]*\)".*/\1/p' "$d/kernel.json")
	size=$(sizes "$op")
	"$g" time --device "${DEVICE:-cuda:0}" --rounds "${ROUNDS:-40}" --runs "${RUNS:-20}" --json \
		--case "$op/f32 $size values=*:normal seed=0x1" "corpus/control/$twin" "$d" >"$t/$name.json"
	echo "$name: $(python3 -c 'import json, sys
k = json.load(open(sys.argv[1]))["kernels"]
print("%.2f us, twin %.2f us, ratio %.4f" % (k[1]["us"][0], k[0]["us"][0], k[1]["ratio"][0]))' "$t/$name.json")"
done
python3 - "$t" <<'PY'
import datetime, glob, json, os, sys
out = json.load(open("results/lint.json"))
for path in glob.glob(sys.argv[1] + "/*.json"):
    j = json.load(open(path))
    twin, buggy = j["kernels"]
    out["differences"][os.path.basename(path)[:-5]]["times"] = {
        "case": j["case"], "device": j["device"], "date": datetime.date.today().isoformat(), "rounds": j["rounds"], "runs": j["runs"],
        "twin_us": twin["us"], "buggy_us": buggy["us"], "ratio": buggy["ratio"]}
json.dump(out, open("results/lint.json", "w"), indent="\t")
open("results/lint.json", "a").write("\n")
PY
