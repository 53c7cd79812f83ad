#!/bin/bash
# Wrong inputs of every kind get a message that says what is wrong, and the right exit status.
. "$(dirname "$0")/kit.sh"
cd "$(dirname "$0")/../.." || exit 1
small="--cases 3 --no-bench --quiet --jobs 1 --out $dir/campaign"
kernel good "$right"
case_line='relu/f32 N=5 values=x:normal seed=0x1 fill=a5'

# ---- arguments ----
expect 2 "usage: gpuemu COMMAND"
expect 2 "no command 'validat'" validat
for command in validate replay inputs ops check compile init report doctor run; do
	expect 0 "usage: gpuemu $command" "$command" --help
done
expect 2 "name a kernel folder" validate
expect 2 "name a kernel folder and a case" replay "$dir/good"
expect 2 "name a kernel folder and a case" replay
expect 2 "give a case" inputs -o "$dir/x.safetensors"
expect 2 "name kernel folders" compile
expect 2 "name .op or .ptx" check
expect 2 "name a new folder" init "$dir/new"
expect 2 "name an evidence" report
expect 2 "unknown argument" doctor --everything
for option in "--cases 0" "--cases x" "--cases 99999999999999999999" "--jobs 0" "--jobs -1" "--seconds 0" \
	"--seconds 1.5" "--cases ''"; do
	expect 2 "takes a number from" validate $option "$dir/good"
done
expect 2 "64-bit number" validate --seed -1 "$dir/good"
expect 2 "64-bit number" validate --seed 0x "$dir/good"
expect 2 "64-bit number" validate --seed 18446744073709551616 "$dir/good"
expect 2 "unknown dtype 'f33'" validate --dtype f33 "$dir/good"
expect 2 "no kernel is built for the dtype" validate $small --dtype f64 "$dir/good"
expect 2 "unknown strategy" validate --strategy luck "$dir/good"
expect 2 "unknown option" validate --fast "$dir/good"
expect 2 "unknown option or missing value" validate "$dir/good" --seed
expect 2 "unknown format" report --format odt "$dir/x.json"

# ---- folders ----
expect 2 "no such folder" validate $small "$dir/absent"
mkdir "$dir/empty"
expect 2 "no kernel.json in it or below" validate $small "$dir/empty"
expect 2 "in set nonsense" validate $small --set nonsense "$dir/good"
expect 2 "no such folder" replay "$dir/absent" "$case_line"
expect 2 "kernel.json" check "$dir/empty"
expect 2 "no such folder" compile "$dir/absent"
expect 2 "absent.json" report --format table "$dir/absent.json"
echo '{"schema": "other"}' >"$dir/other.json"
expect 2 "" report --format table "$dir/other.json"
expect 2 "exists already" init "$dir/good" relu

# ---- operators and cases ----
expect 2 "unknown operator 'sofmax'" ops sofmax
expect 2 "unknown operator 'sofmax'" init "$dir/new" sofmax
[ -e "$dir/new" ] && bad "init made a folder for an unknown operator"
expect 2 "sofmax" inputs 'sofmax/f32 R=1,C=2' -o "$dir/x.safetensors"
expect 2 "f33" inputs 'relu/f33 N=1' -o "$dir/x.safetensors"
expect 2 "gelu" replay "$dir/good" 'gelu/f32 N=5 values=x:normal seed=0x1 fill=a5'
expect 2 "f16" replay "$dir/good" 'relu/f16 N=5 values=x:normal seed=0x1 fill=a5'
expect 2 "" replay "$dir/good" 'relu/f32 N=-5 values=x:normal seed=0x1 fill=a5'
expect 2 "" replay "$dir/good" ''
expect 2 "such" replay "$dir/good" 'relu/f32 N=5 values=x:nonsuch seed=0x1 fill=a5'
expect 3 "" replay "$dir/good" 'relu/f32 N=99999999999 values=x:normal seed=0x1 fill=a5'
printf 'op bad\ntype T in f32\ndim N in 1..\nin x: T[N]\nout y: T[N]\ny[i] = x[i] + z[i]\n' >"$dir/bad.op"
expect 2 "bad.op:6:" ops "$dir/bad.op"
grep -q '^ *^' "$dir/err" || bad "no caret points at the place: $(cat "$dir/err")"
expect 2 "bad.op:6:" check "$dir/bad.op"
printf 'op bad\ntype T in f32\ndim N in 1..\nin x: T[N]\nout y: T[N]\ny[i] = if exp(x[i]) > 1 then 1 else 0\n' \
	>"$dir/bad.op"
expect 2 "bad.op:6:" check "$dir/bad.op"
grep -q '^ *^' "$dir/err" || bad "no caret under the type error: $(cat "$dir/err")"

# ---- manifests ----
edited() { # SED FRAGMENT
	kernel bad "$right"
	sed "$1" "$dir/good/kernel.json" >"$dir/bad/kernel.json"
	expect 2 "$2" validate $small "$dir/bad"
	expect 2 "$2" check "$dir/bad"
}
edited '/"operator"/d' "operator"
edited 's/"operator"/"operater"/' "operater"
edited 's/"relu"/"rely"/' "rely"
edited 's/"f32"/"f33"/' "f33"
edited 's/ceil(N,128)/ceil(M,128)/' "launches\[0\].grid.*M"
edited 's/ceil(N,128)/ceil(N,/' "launches\[0\].grid"
edited 's/"block"/"blocks"/' "launches\[0\].*blocks"
edited 's/{"i64": "N"}/{"i64": "Q"}/' "launches\[0\].params\[2\].*Q"
edited 's/"tensor": "x"/"tensor": "z"/' "launches\[0\].params\[0\].*z"
edited 's/kernel.ptx/absent.ptx/' "absent.ptx"
edited '$d' "kernel.json"
edited 's/"dtypes"/"operator": "gelu", "dtypes"/' "operator"
kernel bad "$right"
sed 's/"mine"/"yours"/' "$dir/good/kernel.json" >"$dir/bad/kernel.json"
expect 2 "no entry 'yours'" validate $small "$dir/bad"
sed 's/{"i64": "N"}/{"i32": "N"}/' "$dir/good/kernel.json" >"$dir/bad/kernel.json"
expect 2 "parameter 2" validate $small "$dir/bad"

# ---- PTX ----
kernel bad 'wgmma.fence.sync.aligned;'
expect 3 "wgmma" validate $small "$dir/bad"
kernel bad 'frobnicate.f32 %f2, %f1;'
"$gpuemu" validate $small "$dir/bad" >"$dir/out" 2>"$dir/err"
case $? in 2 | 3) ;; *) bad "an unknown instruction is not refused" ;; esac
grep -q "kernel.ptx:27:2: 'frobnicate'" "$dir/err" ||
	bad "the line of an unknown instruction is not told: $(cat "$dir/err")"
for bytes in 1 40 300 600 739; do
	head -c $bytes "$dir/good/kernel.ptx" >"$dir/bad/kernel.ptx"
	expect 2 "kernel.ptx" validate $small "$dir/bad"
	expect 2 "kernel.ptx" check "$dir/bad"
done
: >"$dir/bad/kernel.ptx"
expect 2 "kernel.ptx" validate $small "$dir/bad"
head -c 3000 /dev/urandom >"$dir/bad/kernel.ptx"
expect 2 "kernel.ptx" check "$dir/bad/kernel.ptx"

# ---- outputs ----
: >"$dir/file"
expect 2 "$dir/file/out" validate $small --out "$dir/file/out" "$dir/good"
expect 2 "/proc/gpuemu" validate $small --out /proc/gpuemu "$dir/good"
expect 2 "$dir/file/x" inputs 'relu/f32 N=5' -o "$dir/file/x"
expect 2 "" init "$dir/file/x" relu
expect 3 "full" validate $small --junit /dev/full "$dir/good"
expect 3 "full" replay --dump /dev/full "$dir/good" "$case_line"
for command in "ops" "ops relu" "doctor --isa" "validate $small $dir/good" "validate --json $small $dir/good"; do
	"$gpuemu" $command >/dev/full 2>"$dir/err"
	[ $? -eq 3 ] || bad "gpuemu $command >/dev/full: not 3"
	grep -q "full" "$dir/err" || bad "gpuemu $command >/dev/full: $(cat "$dir/err")"
done
# a record that outgrows the disk, here the limit of a file's size: a message, no signal's death
rm -rf "$dir/campaign"
(ulimit -f 4 && exec "$gpuemu" validate --cases 40 --no-bench --quiet --out "$dir/campaign" "$dir/good") \
	>"$dir/out" 2>"$dir/err"
got=$?
[ "$got" -eq 3 ] || bad "a full disk in a campaign: exit $got: $(cat "$dir/err")"
grep -q "cases.jsonl" "$dir/err" || bad "a full disk in a campaign: $(cat "$dir/err")"
"$gpuemu" validate --cases 40 --no-bench --quiet --resume --out "$dir/campaign" "$dir/good" >/dev/null 2>&1 ||
	bad "no --resume once there is room again"
exit $failed
