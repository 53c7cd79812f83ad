#!/bin/bash
# gpuemu calibrate --isa: records, what differs from them, figures.
. "$(dirname "$0")/kit.sh"
cd "$(dirname "$0")/../.." || exit 1

expect 2 "is needed" calibrate
expect 2 "unknown option" calibrate --everything
expect 2 "unknown option or missing value" calibrate --isa --fast
expect 2 "unknown argument 'more'" calibrate --isa more
expect 2 "takes a number from" calibrate --isa --stride 0
expect 2 "no record 'absent' is shipped" calibrate --isa --only popc --against absent
expect 2 "no record 'absent' is shipped" calibrate --isa --only popc --against absent -o "$dir/never"
[ -e "$dir/never" ] && bad "a record was written beside an error"
expect 2 "needs --against" calibrate --isa --only popc --record "$dir/figures.json"
expect 2 "" calibrate --isa --only popc -o /nowhere/record.txt

# A record is what it is compared with; one digit changed is one form that differs.
expect 0 "8 covered" calibrate --isa --quiet --only popc -o "$dir/record.txt"
head -4 "$dir/record.txt" | tr '\n' ' ' | grep -q '^gpuemu-isa 1 device .* date .* command gpuemu calibrate --isa' ||
	bad "the record's head is $(head -4 "$dir/record.txt")"
expect 0 "0 forms differ" calibrate --isa --quiet --only popc --against "$dir/record.txt"
expect 0 "0 forms differ" calibrate --isa --quiet --only popc --against isa_h200 -j 1
awk '$1 == "popc.b64" { $3 = "0123456789abcdef" } { print }' "$dir/record.txt" >"$dir/other.txt"
expect 1 "popc.b64: expected 1024 vectors 0123456789abcdef, got 1024 vectors" calibrate --isa --quiet --only popc \
	--against "$dir/other.txt"
expect 1 "1 forms differ" calibrate --isa --quiet --only popc --against "$dir/other.txt" --record "$dir/figures.json"
grep -q '"differences": 1' "$dir/figures.json" || bad "figures: $(cat "$dir/figures.json")"

# Figures of others in the file stay.
echo '{"corpus_cases": 7, "differences": 9}' >"$dir/figures.json"
expect 0 "" calibrate --isa --quiet --only popc --against isa_h200 --record "$dir/figures.json"
tr -d ' \n' <"$dir/figures.json" | grep -q '"corpus_cases":7.*"forms_covered":8.*"differences":0' ||
	bad "figures: $(cat "$dir/figures.json")"

expect 0 "0 forms differ from emu" calibrate --isa --quiet --only brev --stride 4096 --against emu --device emu

# A GPU whose kernels do nothing: every form differs, with operands and both results; one whose kernel kills the process
# has ended.
cc -D_GNU_SOURCE -shared -fPIC -o "$dir/libcuda.so" tests/device/fake_cuda.c || die "the fake does not compile"
export GPUEMU_LIBCUDA=$dir/libcuda.so
export ASAN_OPTIONS=handle_segv=0${ASAN_OPTIONS:+:$ASAN_OPTIONS} # the fake's crash is meant
expect 1 "popc.b64: 993 of 1024 vectors differ" calibrate --isa --quiet --only popc.b64 --device cuda:0 --against emu
grep -A2 'vector 1 of 10000 1$' "$dir/out" | tr -d '\n' | grep -q '^  vector 1 of 10000 1    0 0    1 0$' ||
	bad "not the first vectors: $(head -5 "$dir/out")"
expect 1 "1 forms differ" calibrate --isa --quiet --only popc.b64 --device cuda:0 --against isa_h200
expect 1 "got ends trap" calibrate --isa --quiet --only brev.b32 --device cuda:0 --against isa_h200
unset GPUEMU_LIBCUDA
expect 0 " hardware  add.u16 " doctor --isa
exit $failed
