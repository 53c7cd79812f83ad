#!/bin/bash
# gpuemu time: kernels beside each other, on a library that only plays libcuda and takes a quarter of a millisecond a launch.
. tests/cli/kit.sh

cc -D_GNU_SOURCE -shared -fPIC -o "$dir/libcuda.so" tests/device/fake_cuda.c || die "no C compiler"
export GPUEMU_LIBCUDA=$dir/libcuda.so
case='relu/f32 N=100 values=x:normal seed=0x1 fill=00'
expect 0 "relu  *250.000 us  (250.000 to 250.000)" time --case "$case" --rounds 8 --runs 3 corpus/control/relu
expect 0 "1.0000 of the first (1.0000 to 1.0000)" time --case "$case" --rounds 8 --runs 3 corpus/control/relu corpus/control/relu
# an interval of 95 % takes six rounds
expect 0 "(nan to nan)" time --case "$case" --rounds 5 --runs 3 corpus/control/relu
expect 0 "(250.000 to 250.000)" time --case "$case" --rounds 6 --runs 3 corpus/control/relu
expect 0 '"ratio"' time --case "$case" --rounds 6 --runs 3 --json corpus/control/relu corpus/control/relu
python3 -c 'import json, sys
k = json.load(open(sys.argv[1]))["kernels"]
assert k[0]["us"] == [250, 250, 250] and k[1]["ratio"] == [1, 1, 1]' "$dir/out" || bad "the JSON: $(cat "$dir/out")"
expect 2 "give --case" time corpus/control/relu
expect 2 "rounds" time --case "$case" --rounds 0 corpus/control/relu
expect 2 "softmax" time --case 'softmax/f32 R=1,C=1' corpus/control/relu
expect 3 "cuda:0" time --device emu --case "$case" corpus/control/relu
unset GPUEMU_LIBCUDA
exit $failed
