#!/bin/sh
# make_ptx.sh - RULE.ptx of this folder again from RULE.cu, and machine/ (needs nvcc; `make check` does not). uninitialised-register.ptx is written by hand.
set -eu
cd "$(dirname "$0")"
for s in *.cu; do
	nvcc -ptx -arch=sm_90 -lineinfo -o "${s%.cu}.ptx" "$s"
	# paths and build numbers of this machine do not belong in it
	sed -i "s|\(\.file[	 ]*[0-9]*[	 ]*\"\).*/|\1|; /^\/\/ Compiler Build ID/d; s|, [0-9]*, [0-9]*\$||" "${s%.cu}.ptx"
done
# machine_sm90_cuda12.cubin: the PTX of machine.cu, its .version set to 8.4, by ptxas -arch=sm_90 of CUDA 12.4
for sm in 80 90 100; do
	nvcc -cubin -arch=sm_$sm -o machine/machine_sm$sm.cubin machine/machine.cu
done
