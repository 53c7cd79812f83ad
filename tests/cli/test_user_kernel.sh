#!/bin/bash
# A user's kernel, from an empty folder to a verdict: right ones PASS; wrong values, an endless loop, a trap and
# writes out of bounds each end as what they are, and the campaign goes on to its end.
. "$(dirname "$0")/kit.sh"

verdict() { # STATUS VERDICT NAME FRAGMENT
	expect "$1" "" validate --cases 12 --no-bench --quiet --jobs 1 --out "$dir/campaign" "$dir/$3"
	grep -q "^$3 .*user.*$2" "$dir/out" || bad "$3 is not $2: $(cat "$dir/out")"
	[ "$(wc -l <"$dir/campaign/cases.jsonl")" -eq 13 ] || bad "$3: the campaign did not run to its end"
	[ -z "$4" ] || grep -q "$4" "$dir/campaign/evidence.json" || bad "$3: no '$4' in the evidence"
}

kernel good "$right"
verdict 0 PASS good ''
kernel wrong 'setp.lt.f32 %p2, %f1, 0f00000000; and.b64 %rd10, %rd7, 127; setp.ne.s64 %p3, %rd10, 127;
	and.pred %p2, %p2, %p3; selp.f32 %f2, 0f00000000, %f1, %p2;' # every 128th negative value is kept
verdict 1 FAIL wrong '"by": "value"'
kernel outside "$right"'
	add.s64 %rd10, %rd7, 1; setp.lt.s64 %p3, %rd10, %rd3; @!%p3 st.global.f32 [%rd9+4], %f2;'
verdict 1 FAIL outside 'out-of-bounds-write'
kernel trap "$right"' setp.eq.s64 %p3, %rd7, 3; @%p3 trap;'
verdict 1 FAIL trap '"kind": "trap"'
kernel unwritten "$right"' setp.eq.s64 %p3, %rd7, 2; @%p3 bra DONE;'
verdict 1 FAIL unwritten ''
kernel null "$right"' mov.u64 %rd10, 0; st.global.f32 [%rd10], %f2;'
verdict 1 FAIL null ''

# Endless: some cases only, so that the others are decided and the verdict is not hidden; nothing wrong was seen,
# so there is no FAIL, and a campaign of 12 ends.
kernel endless "$right"' setp.ne.s64 %p3, %rd3, 1; @%p3 bra FORWARD; LOOP: bra LOOP; FORWARD:'
expect 3 "UNKNOWN: .*budget" replay "$dir/endless" 'relu/f32 N=1 values=x:normal seed=0x1 fill=a5'
expect 0 "" replay "$dir/endless" 'relu/f32 N=2 values=x:normal seed=0x1 fill=a5'
"$gpuemu" validate --cases 12 --no-bench --quiet --jobs 1 --out "$dir/campaign" "$dir/endless" >"$dir/out" 2>&1
[ "$(wc -l <"$dir/campaign/cases.jsonl")" -eq 13 ] || bad "endless: the campaign did not run to its end"

grep -q "^endless .*UNKNOWN.*instruction-budget" "$dir/out" || bad "endless is not UNKNOWN: $(cat "$dir/out")"

# One that cannot be read is told and left out; the others are judged.
mkdir "$dir/some"
kernel some/one "$right"
kernel some/two 'frobnicate.f32 %f2, %f1;'
expect 2 "frobnicate" validate --cases 6 --no-bench --quiet --out "$dir/campaign" "$dir/some"
grep -q "^one .*PASS" "$dir/out" || bad "one bad kernel stops the others: $(cat "$dir/out")"
grep -q '"left_out"' "$dir/campaign/evidence.json" || bad "the evidence does not tell what was left out"
sed -i 's/"dtypes"/"requires": ["N > 3"], "dtypes"/' "$dir/some/one/kernel.json"
expect 0 "PASS.*only where N > 3" validate --cases 6 --no-bench --quiet --out "$dir/campaign" "$dir/some/one"
expect 0 "stopped after 1 s with .* of 500000 cases" validate --cases 500000 --seconds 1 --no-bench --quiet \
	--out "$dir/campaign" "$dir/some/one"

# A domain in which no case is found: that kernel is UNKNOWN and says so, the others are judged.
sed -i 's/N > 3/N*N*N == 77/' "$dir/some/one/kernel.json"
expect 3 "one: f32 UNKNOWN: in 1000 draws no sizes that operator relu allows" validate --cases 6 --no-bench --quiet \
	--out "$dir/campaign" "$dir/some/one" "$dir/good"
grep -q "^good .*PASS" "$dir/out" || bad "a kernel without cases stops the others: $(cat "$dir/out")"
manifest | sed 's/"i64": "N"/"i32": "N"/' >"$dir/some/one/kernel.json"
expect 2 "params.2. has 4 bytes" check "$dir/some/one"

# A grid that is no size for some case: that kernel's fault, which the others' campaign outlives; wrong input all the same.
mkdir "$dir/grids"
kernel grids/negative "$right"
sed -i 's/ceil(N,128)/-N/' "$dir/grids/negative/kernel.json"
expect 2 "negative: f32 UNKNOWN: .*grid: '-N' is not a size" validate --cases 6 --no-bench --quiet --out "$dir/campaign" \
	"$dir/grids" "$dir/good"
grep -q "^good .*PASS" "$dir/out" || bad "a wrong grid stops the others: $(cat "$dir/out")"

# Links that lead round: a kernel is run once. A pipe in the place of a file is not waited for.
mkdir "$dir/round"
cp -r "$dir/good" "$dir/round/good"
ln -s . "$dir/round/again"
expect 0 "" validate --cases 2 --no-bench --quiet --out "$dir/campaign" "$dir/round"
[ "$(grep -c "^good " "$dir/out")" -eq 1 ] || bad "a kernel is run by each of its names: $(cat "$dir/out")"
rm "$dir/round/good/kernel.ptx"
mkfifo "$dir/round/good/kernel.ptx"
expect 2 "the end of the text" check "$dir/round/good"

# An entry that cannot be lowered is UNSUPPORTED, and says why; the other kernel is judged.
kernel some/two 'call.uni (retval0), vprintf, (param0, param1);'
sed -i 's/^.visible .entry/.extern .func (.param .b32 retval0) vprintf (.param .b64 a, .param .b64 b);\n&/; s/call.uni/{ .param .b64 param0; .param .b64 param1; .param .b32 retval0; st.param.b64 [param0], %rd1; st.param.b64 [param1], %rd1; &/; s/param1);$/&}/' "$dir/some/two/kernel.ptx"
expect 3 "two .*UNSUPPORTED" validate --cases 6 --no-bench --quiet --out "$dir/campaign" "$dir/some/two" "$dir/good"
grep -q "^good .*PASS" "$dir/out" || bad "an unsupported kernel stops the others: $(cat "$dir/out")"
grep -q "vprintf" "$dir/campaign/cases.jsonl" || bad "the record does not tell what is not supported"

# Subnormals flushed by an instruction (a global atomicAdd does so, unseen in the source): the reason says what mends the
# manifest. With it, -2^-149 * 0.01 = -0 or 0; without, any other wrong value is only wrong.
mkdir "$dir/flush"
cp corpus/control/leaky_relu/kernel.* "$dir/flush"
sed -i 's/mul\.f32/mul.ftz.f32/' "$dir/flush/kernel.ptx"
flushed='leaky_relu/f32 N=64 values=x:subnormal seed=0x1 fill=a5'
expect 1 'right if subnormals may be flushed, .*"numerics": {"ftz": true}$' replay "$dir/flush" "$flushed"
sed -i 's/"ftz": false/"ftz": true/' "$dir/flush/kernel.json"
expect 0 "verdict  PASS" replay "$dir/flush" "$flushed"
sed -i 's/"ftz": true/"ftz": false/' "$dir/flush/kernel.json"
sed -i 's/mul\.ftz\.f32\(.*\), \(%f[0-9]*\);/mul.f32\1, 0f3F800000;/' "$dir/flush/kernel.ptx"
expect 1 "elements are wrong" replay "$dir/flush" "$flushed"
! grep -q "flushed" "$dir/out" || bad "values that are not flushed: $(cat "$dir/out")"

# All at once: one wrong kernel does not spoil another's verdict.
mkdir "$dir/all"
mv "$dir/good" "$dir/wrong" "$dir/trap" "$dir/all"
expect 1 "" validate --cases 6 --no-bench --quiet --out "$dir/campaign" "$dir/all"
grep -q "^good .*PASS" "$dir/out" && grep -q "^wrong .*FAIL" "$dir/out" && grep -q "^trap .*FAIL" "$dir/out" ||
	bad "three kernels: $(cat "$dir/out")"

# JUnit and JSON say the same, JUnit is well-formed.
expect 1 "" validate --cases 6 --no-bench --quiet --junit "$dir/junit.xml" --json --out "$dir/campaign" "$dir/all"
cmp "$dir/out" "$dir/campaign/evidence.json" || bad "--json prints other evidence"
[ -e "$dir/junit.xml" ] || bad "no JUnit file when a kernel FAILs"
[ "$(grep -c '<testcase' "$dir/junit.xml")" -eq 3 ] || bad "JUnit: not 3 test cases"
[ "$(grep -c '<failure' "$dir/junit.xml")" -eq 2 ] || bad "JUnit: not 2 failures"

# The failing case replays; its dump holds inputs, output and exact value.
line=$(sed -n "s/.*gpuemu replay [^ ]*wrong '\(.*\)'\".*/\1/p" "$dir/campaign/evidence.json")
expect 1 "wrong elements" replay --dump "$dir/x.safetensors" "$dir/all/wrong" "$line"
for name in '"x":' '"y":' '"y.exact":'; do
	grep -q "$name" "$dir/x.safetensors" || bad "the dump has no $name"
done
expect 0 "" replay "$dir/all/good" "$line"
expect 0 "" inputs "$line" -o "$dir/in.safetensors"

# From init: the manifest fits the schema and the source's parameters; its PTX is added by hand.
expect 0 "kernel.json" init "$dir/fresh" relu
expect 2 "exists already" init "$dir/fresh" relu
sed -i 's/"source": "kernel.cu"/"ptx": "kernel.ptx"/; s/"1"/"ceil(N,256)"/; /"per_type"/d; s/relu_{T}/mine/' \
	"$dir/fresh/kernel.json"
ptx "$right" >"$dir/fresh/kernel.ptx"
expect 0 "kernel fresh of operator relu" check "$dir/fresh"
expect 0 "" validate --cases 12 --no-bench --quiet --out "$dir/campaign" "$dir/fresh"
for op in $("$gpuemu" ops | cut -d' ' -f1); do
	expect 0 "" init "$dir/init_$op" "$op"
	[ -s "$dir/init_$op/kernel.cu" ] || bad "init $op: no source"
	expect 0 "of operator $op" check "$dir/init_$op"
done
grep -q 'const T \*x, signed char \*q, float \*s' "$dir/init_quant_i8/kernel.cu" || bad "init quant_i8: types"
grep -q 'const T \*x, const long long \*t, OUT_T \*loss' "$dir/init_cross_entropy/kernel.cu" ||
	bad "init cross_entropy: types"

# Benchmarks' inputs that a kernel's "requires" excludes are told as not run.
sed 's/"dtypes"/"requires": ["N <= 1000"], "dtypes"/' "$dir/fresh/kernel.json" >"$dir/k"
cp "$dir/k" "$dir/fresh/kernel.json"
expect 0 "" validate --cases 3 --quiet --out "$dir/campaign" "$dir/fresh"
grep -q '"not_run": ".*requires N <= 1000' "$dir/campaign/evidence.json" || bad "the excluded input is not told"
exit $failed
