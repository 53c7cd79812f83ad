#!/bin/bash
# gpuemu ci: says nothing when nothing changed; says exactly what did: a kernel broken and mended, a case that newly fails, findings by their
# place, kernels new and gone, lint, metrics and budgets, another table; writes small, sorted, stable baselines; refuses wrong ones.
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY
. "$(dirname "$0")/kit.sh"
cd "$dir" || exit 1
ci="ci --baseline b.json --jobs 1 --out c"

# said 'STATUS' 'LINE' …: gpuemu ci $arguments ends so, with these beginnings of lines and no others but replay lines, causes and the count
said() {
	local want=$1 got n
	shift
	timeout 100 "$gpuemu" $ci $arguments >out 2>err
	got=$?
	[ $got -eq "$want" ] || bad "ci $arguments: exit $got, expected $want: $(cat out err)"
	for line; do grep -q -- "^$line" out || bad "ci $arguments: no '$line' in: $(cat out)"; done
	n=$(grep -c '^\(worse\|undecided\|changed\|better\) ' out)
	[ "$n" -eq $# ] || bad "ci $arguments: $n changes, expected $#: $(cat out)"
	[ $# -eq 0 ] && [ -s out ] && bad "not silent: $(cat out)"
	return 0
}
arguments=k

mkdir k
kernel k/one "$right"
kernel k/two "$right"
expect 2 "name the baseline" ci k
expect 2 "name a kernel folder" ci --baseline b.json
expect 2 "there is no baseline yet; the same command with --update makes it" $ci k
expect 0 "b.json written: 2 kernels in a dtype, 0 of them" $ci --cases 12 --update k
cp b.json first.json
said 0
expect 0 "" $ci --update --quiet k
cmp b.json first.json || bad "a baseline made again has other bytes"
(mkdir elsewhere && cd elsewhere && "$gpuemu" ci --baseline ../b.json --jobs 2 --out c ../k/ >out 2>&1) || bad "from another folder: $(cat elsewhere/out)"
[ -s elsewhere/out ] && bad "from another folder: $(cat elsewhere/out)"
grep -c '^{"kernel":"k/\(one\|two\)","dtype":"f32"' b.json | grep -qx 2 || bad "a line a kernel and dtype: $(cat b.json)"
grep -q '"@' b.json && bad "private keys are written"

# broken: one line, with its case; the other kernel is silent
kernel k/two 'mov.f32 %f2, %f1;'
said 1 "worse     k/two f32: PASS -> FAIL, [0-9]* of 12 cases fail: .*elements\{0,1\} \(is\|are\) wrong"
grep -q "^ *gpuemu replay k/two 'relu/f32 N=1 " out || bad "no replay line: $(cat out)"
grep -q "^1 change: 1 worse against b.json" out || bad "no count: $(cat out)"
eval "\"$gpuemu\" $(sed -n 's/^ *gpuemu \(replay .*\)/\1/p' out)" >replayed
[ $? -eq 1 ] || bad "the replay line does not fail: $(cat replayed)"

# annotations and the step's summary
expect 1 "^::error file=.*k/two/kernel.ptx,title=gpuemu ci::k/two f32: PASS -> FAIL" $ci --github k
(GITHUB_ACTIONS=true timeout 100 "$gpuemu" $ci k | grep -q '^::error') || bad "no annotation under GITHUB_ACTIONS"
(export GITHUB_STEP_SUMMARY=$dir/step.md; echo before >step.md; timeout 100 "$gpuemu" $ci --github k >out; "$gpuemu" $ci --github k/one >out)
grep -q '^before' step.md && grep -q '^### gpuemu ci: 1 change: 1 worse against' step.md && grep -q '^- \*\*worse\*\* k/two f32: PASS' step.md &&
	grep -q '^### gpuemu ci: nothing changed' step.md || bad "summary: $(cat step.md)"
expect 1 "" $ci --junit j.xml --sarif s.sarif --summary s.md --badge b.svg k
for f in j.xml s.sarif s.md b.svg; do [ -s $f ] || bad "no $f"; done

# accepted: then silent, and the failing case is kept
expect 0 "b.json written: 2 kernels in a dtype, 1 of them not as expected" $ci --update k
said 0
grep -q '"kernel":"k/two".*"replay":\[{"case":"relu/f32 N=1 [^"]*","verdict":"FAIL"}\]' b.json || bad "no case is kept: $(grep two b.json)"

# fails in more cases, then in fewer
cp b.json all.json
sed -i '/k\/two/s/"failing":"[0-9a-f]* [0-9a-f]* /"failing":"/; /k\/two/s/"failed":[0-9]*/"failed":3/' b.json
said 1 "worse     k/two f32: 2 cases newly fail ([0-9]* fail, 3 did)"
sed '/k\/two/s/"failing":"/"failing":"00000000 /' all.json >b.json
said 0 "better    k/two f32: 1 case that failed does not any more"
cp all.json b.json

# mended; the kept case is tried again, also when the campaign's own cases pass
kernel k/two "$right"
said 0 "better    k/two f32: FAIL -> PASS"
expect 0 "" $ci --update k
said 0
grep -q '"kernel":"k/two".*"verdict":"PASS".*"replay":\[{"case":"[^"]*","verdict":"PASS"}\]' b.json || bad "the kept case is lost: $(grep two b.json)"
# wrong where the kept case is, at -2 or -1, and there alone (values are those of its seed)
kernel k/two 'setp.lt.f32 %p2, %f1, 0f00000000; selp.f32 %f2, 0f00000000, %f1, %p2; setp.eq.s64 %p3, %rd3, 1; @%p3 mov.f32 %f2, %f1;'
expect 1 "" $ci k
grep -q '^worse     k/two f32: kept case PASS -> FAIL' out || bad "the kept case is not run: $(cat out)"

# a fault that sanitizers see: a finding by its place; lines added above it are no change
kernel k/two 'ld.global.f32 %f3, [%rd8+1048576]; setp.lt.f32 %p2, %f1, 0f00000000; selp.f32 %f2, 0f00000000, %f1, %p2;'
expect 1 "" $ci k
grep -q '^worse     k/two f32: PASS -> FAIL' out && grep -q '^worse     k/two f32: new out-of-bounds-read of x in mine' out || bad "finding: $(cat out)"
expect 0 "" $ci --update k
sed -i '1i // moved\n// down' k/two/kernel.ptx
said 0
kernel k/two 'st.global.f32 [%rd9+1048576], %f1; setp.lt.f32 %p2, %f1, 0f00000000; selp.f32 %f2, 0f00000000, %f1, %p2;'
expect 1 "" $ci k
grep -q '^worse     k/two f32: new out-of-bounds-write of y' out && grep -q '^better    k/two f32: gone: out-of-bounds-read of x' out || bad "findings: $(cat out)"
kernel k/two "$right"
expect 0 "" $ci --update k

# new and gone; what is not named is neither
kernel k/three "$right"
said 0 "changed   k/three f32: new: PASS"
arguments="k/one"
said 0
expect 0 "" $ci --update k/three
grep -c '"dtype"' b.json | grep -qx 3 || bad "an update of one kernel: $(cat b.json)"
rm -r k/three
arguments="k/one k/two"
said 0
arguments=k
said 0 "changed   k/three: removed"
expect 0 "" $ci --update k
grep -q three b.json && bad "a removed kernel stays"
kernel k/three 'mov.f32 %f2, %f1;'
said 1 "worse     k/three f32: new: FAIL"
# a kernel that cannot be read: told, neither removed nor lost by --update
rm -r k/three
cp k/two/kernel.json two.json
echo '{' >k/two/kernel.json
arguments=k
said 2
expect 2 "" $ci --update k
grep -q 'k/two' b.json || bad "a kernel that cannot be read is lost"
cp two.json k/two/kernel.json

# metrics: grown against the baseline, and over a budget
sed 's/"instructions":[0-9]*/"instructions":3/' b.json >less.json
cp b.json all.json && cp less.json b.json
arguments=k
said 1 "worse     k/one: mine: instructions grew from 3 to" "worse     k/two: mine: instructions grew from 3 to"
cp all.json b.json
expect 1 "^worse     budget: k/one mine: instructions is [0-9]*, the budget is 2" $ci --budget instructions=2 k/one
expect 0 "" $ci --budget instructions=2000 k/one
expect 2 "no entry has a metric" $ci --budget wonders=1 k/one

# lint: a finding more, by rule and place
sed '/"lint"/,$s/"kernel":"k\/one",/"kernel":"k\/one","findings":["error: grid-limit in mine: x"],/' all.json >b.json
said 0 "better    k/one: gone: lint error: grid-limit in mine: x"
cp all.json b.json

# another table, another program: named as possible causes, when something changed and only then
sed 's/^"tolerances": .*/"tolerances": "other 123",/; s/^"tool": .*/"tool": "0.0.1",/' all.json >b.json
said 0
sed -i '/k\/one","dtype/s/"verdict":"PASS"/"verdict":"UNKNOWN"/' b.json
said 0 "better    k/one f32: UNKNOWN -> PASS (manifest, source and PTX are as they were)"
grep -q '^possible cause: gpuemu is another (0.0.1 -> .*; the tolerance table is another (other 123 -> sm_90 ' out || bad "causes: $(cat out)"
cp all.json b.json

# undecided: a kernel whose cases do not end
kernel k/two 'L: bra L; mov.f32 %f2, %f1;'
said 3 "undecided k/two f32: PASS -> UNKNOWN" "undecided k/two f32: new instruction-budget" "undecided k/two f32: kept case PASS -> UNKNOWN" "undecided k/two f32: kept case PASS -> UNKNOWN"
kernel k/two "$right"

# a kernel that is known to be buggy, caught and not caught
sed -i 's/"dtypes"/"role": "buggy", "bug_class": "x", "bug": "x", "twin": "one", "dtypes"/' k/two/kernel.json
expect 1 "k/two f32: PASS, of which FAIL is expected now" $ci k
cp two.json k/two/kernel.json

# options that are not the baseline's, and wrong files
expect 2 "was made with --cases 12 --seed 0x1" $ci --cases 13 k
expect 2 "name all to change that" $ci --update --cases 13 k/one
expect 0 "" $ci --update --cases 13 --seed 7 k
grep -q '^"cases": 13,' b.json && grep -q '^"seed": "0x7",' b.json || bad "new options: $(head -8 b.json)"
cp all.json b.json
wrong() { # FRAGMENT, the file on stdin
	cat >b.json
	cp b.json wrong.json
	expect 2 "$1" $ci k
	expect 2 "$1" $ci --update k
	cmp -s b.json wrong.json || bad "a file that is no baseline was written over"
}
echo '{"schema": "gpuemu-evidence/1"}' | wrong "is no baseline of gpuemu ci"
: | wrong "b.json"
head -c 400 all.json | wrong "b.json"
sed 's/"verdict":"PASS"/"verdict":"GOOD"/' all.json | wrong "verdict"
sed 's/"cases": 12/"cases": 1e300/' all.json | wrong "cases"
sed 's/"cases": 12/"cases": -1/' all.json | wrong "cases"
sed 's/"seed": "0x1"/"seed": "luck"/' all.json | wrong "seed"
sed 's/"units": \[/"units": [7,/' all.json | wrong "units"
sed 's/"kernel"/"kernle"/' all.json | wrong "kernle"
# hostile, and yet of the form: units twice, paths that lead out, cases that are none
python3 - <<'P' || bad "python3"
import json
j = json.load(open("all.json"))
one = dict(j["units"][0], replay=[{"case": "no case", "verdict": "FAIL"}, {"case": "relu/f32 N=-1", "verdict": "PASS"}], failing="00000000", failed=10**9)
j["units"] += [one, one, dict(one, kernel="../" * 90 + "x\x1b[2J"), dict(one, kernel="k/one/../../..", dtype="\x07")]
json.dump(j, open("b.json", "w"))
P
"$gpuemu" $ci k >out 2>err
[ $? -le 3 ] || bad "hostile: exit $?: $(cat err)"
grep -q "$(printf '\033')" out && bad "an escape reaches the terminal"
expect 2 "cannot write\|No such file\|not a writable" ci --baseline absent/b.json --out c --jobs 1 --update --cases 3 k
exit $failed
