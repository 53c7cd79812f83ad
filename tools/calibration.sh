#!/bin/sh
# calibration.sh GPUEMU OUT - the figures of results/calibration.json: campaigns over all known-good kernels and the
# corpus with seeds that no table has seen, judged by the emulator's table and by the H200's, and four tolerance policies
# on the same cases. Some 90 seconds on two cores; needs python3.
set -eu
[ $# -eq 2 ] || { echo "usage: tools/calibration.sh GPUEMU OUT" >&2; exit 2; }
gpuemu=$1 out=$2 dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() {
	name=$1
	shift
	"$gpuemu" validate --no-bench --no-coverage --quiet --out "$dir/$name" "$@" >"$dir/$name.txt" || [ $? -eq 1 ] || [ $? -eq 3 ]
}
run good --seed 83 --cases 90 calibrate/kernels corpus/control
run good_h200 --seed 83 --cases 90 --tolerances h200 calibrate/kernels corpus/control
run learn --seed 1 --cases 100 corpus/control
run corpus --seed 78 --cases 200 corpus
python3 tools/calibration.py "$gpuemu" "$dir" "$out"
