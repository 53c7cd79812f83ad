#!/bin/sh
# make.sh - compiles the .cu of this folder to .ptx with nvcc 13.0 (sm_90).  The .ptx are committed.
cd "$(dirname "$0")" || exit 1
for f in *.cu; do
	opt=
	case $f in
	fastmath.cu) opt=-use_fast_math ;;
	reduce.cu | half.cu) opt=-lineinfo ;;
	calls.cu) opt="-G" ;;
	bf16.cu) opt="-fmad=false" ;;
	esac
	nvcc -ptx -arch=sm_90 $opt -o "${f%.cu}.ptx" "$f" || exit 1
done
nvcc -ptx -arch=sm_90 -O1 -Xcicc -O1 -o calls_O1.ptx calls.cu
nvcc -ptx -arch=sm_80 -o bf16_sm80.ptx bf16.cu
nvcc -ptx -arch=sm_75 -o half_sm75.ptx half.cu
sed -i "s|\"$PWD/|\"tests/ptx/data/|" ./*.ptx # no path of the machine
