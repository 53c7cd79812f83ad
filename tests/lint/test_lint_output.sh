#!/bin/bash
# The four formats, suppression, exit statuses and differences of gpuemu lint; no error or warning on the controls of the corpus; the ten
# pairs of a buggy kernel and its twin are told apart as a reading of their sources tells them.
set -u
: "${B:=build}"
g=$B/gpuemu
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
fail() { echo "$*"; exit 1; }
bad=tests/lint/unguarded-global-access.ptx
launch='grid=4 block=256 args=ptr:4000,i32:1000'

"$g" lint --entry bad_ragged --launch "$launch" "$bad" >"$t/text"
[ $? -eq 1 ] || fail "an error must give exit 1"
grep -q 'element 4000 of arg0\|element 1000' "$t/text" || fail "no element: $(cat "$t/text")"
grep -q 'thread 232,0,0' "$t/text" || fail "the first thread beyond is 232 of block 3: $(cat "$t/text")"
grep -q '\^' "$t/text" || fail "no caret"
"$g" lint --json --entry bad_ragged --launch "$launch" "$bad" >"$t/json"
python3 - "$t/json" <<'P' || fail "JSON: $(cat "$t/json")"
import json, sys
j = json.load(open(sys.argv[1]))
f = [x for x in j["findings"] if x["rule"] == "unguarded-global-access"]
assert len(f) == 1 and f[0]["severity"] == "error" and f[0]["confidence"] == "proved", f
assert f[0]["source_line"] == 5 and f[0]["ptx_line"] > 0 and f[0]["message"], f
P
"$g" lint --format sarif --entry bad_ragged --launch "$launch" "$bad" >"$t/sarif"
python3 - "$t/sarif" <<'P' || fail "SARIF: $(head -c 400 "$t/sarif")"
import json, sys
j = json.load(open(sys.argv[1]))
assert j["version"] == "2.1.0" and len(j["runs"]) == 1
run = j["runs"][0]
rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
for r in run["results"]:
    assert rules[r["ruleIndex"]] == r["ruleId"] and r["level"] in ("error", "warning", "note")
    assert r["message"]["text"] and r["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1
assert "unguarded-global-access" in [r["ruleId"] for r in run["results"]]
P
"$g" lint --format sarif corpus/buggy/softmax_tail_leak tests/lint/machine/machine_sm90.cubin >"$t/more.sarif"
"$g" lint --format sarif --confirm tests/lint/divergent-barrier/*_by_data >"$t/runs.sarif"
python3 tests/lint/sarif.py "$t/sarif" "$t/more.sarif" "$t/runs.sarif" || fail "SARIF"
"$g" lint --format github --entry bad_ragged --launch "$launch" "$bad" | grep -q '^::error file=tests/lint/unguarded-global-access.ptx,line=[0-9]*,title=unguarded-global-access::' ||
	fail "no annotation"

# a stride that is ignored though it varies is more than a note, and an access between rows shows it
for name in bad_x_stride bad_y_stride; do
	"$g" lint tests/lint/unused-parameter/$name >"$t/text"
	[ $? -eq 1 ] && grep -q 'warning: parameter [45], stride([xy],0), is never read' "$t/text" || fail "$name: $(cat "$t/text")"
done

# suppression by comment and by manifest; an unknown rule in a manifest is told
sed 's|^\(.*st.global.*\)$|// gpuemu-lint: allow unguarded-global-access the harness pads\n\1|' "$bad" >"$t/allowed.ptx"
"$g" lint --entry bad_ragged --launch "$launch" "$t/allowed.ptx" >"$t/text" || fail "allowed, and yet: $(cat "$t/text")"
grep -q '1 allowed' "$t/text" || fail "allowed is not counted"
cp -r corpus/buggy/softmax_tail_leak "$t/k"
sed -i 's|"role": "buggy",|"role": "buggy", "lint": {"allow": [{"rule": "unguarded-global-access", "reason": "known"}]},|' "$t/k/kernel.json"
"$g" lint "$t/k" >"$t/text" || fail "allowed by manifest, and yet: $(cat "$t/text")"
sed -i 's|"rule": "unguarded-global-access"|"rule": "unguarded"|' "$t/k/kernel.json"
"$g" lint "$t/k" >"$t/text" 2>&1
[ $? -eq 2 ] && grep -q "no rule 'unguarded'" "$t/text" || fail "a rule misspelt: $(cat "$t/text")"

# wrong input
"$g" lint --launch 'grid=0' "$bad" 2>/dev/null; [ $? -eq 2 ] || fail "grid=0 must be exit 2"
"$g" lint --explain nothing 2>/dev/null; [ $? -eq 2 ] || fail "--explain of no rule must be exit 2"
"$g" lint "$t/none.ptx" 2>/dev/null; [ $? -eq 2 ] || fail "no file must be exit 2"
for rule in $("$g" lint --list-rules | cut -d' ' -f1); do "$g" lint --explain "$rule" | grep -q "^$rule" || fail "--explain $rule"; done

"$g" lint corpus/control >"$t/text" || fail "controls: $(cat "$t/text")"
[ "$(grep -c ': 0 errors, 0 warnings' "$t/text")" -eq "$(ls -d corpus/control/*/ | wc -l)" ] || fail "a control warns: $(cat "$t/text")"
"$g" lint corpus/buggy/softmax_tail_leak >/dev/null; [ $? -eq 1 ] || fail "softmax_tail_leak reads beyond its row"

for d in corpus/buggy/*/; do
	n=$(basename "$d") want=structural
	[ "$n" = softmax_pad_zero ] && want=constant-only
	twin=$(sed -n 's/.*"twin": "\([^"]*\)".*/\1/p' "$d/kernel.json")
	[ "$("$g" lint --diff "corpus/control/$twin" "$d" | tail -n 1)" = "change: $want" ] || fail "$n against $twin is $want"
	[ "$("$g" lint --diff "$d" "$d" | tail -n 1)" = "change: none" ] || fail "$n against itself"
done
# modulo names: every register renamed
sed 's/%f\([0-9]\)/%fx\1/g; s/%f</%fx</; s/%r\([0-9]\)/%q\1/g; s/%r</%q</' "$bad" >"$t/renamed.ptx"
[ "$("$g" lint --diff "$bad" "$t/renamed.ptx" | tail -n 1)" = "change: none" ] || fail "renamed registers are no change"

# a baseline: nothing grew; then fewer instructions are in it than there are
"$g" lint --json -o "$t/base.json" tests/lint/local-memory.ptx || fail "baseline"
"$g" lint --baseline "$t/base.json" tests/lint/local-memory.ptx >/dev/null || fail "nothing grew against itself"
sed 's/"local_bytes":.*/"local_bytes": 1/' "$t/base.json" >"$t/less.json"
"$g" lint --baseline "$t/less.json" tests/lint/local-memory.ptx >"$t/text"
[ $? -eq 1 ] && grep -q 'bad_indexed: local_bytes grew from 1 to 64' "$t/text" || fail "local memory grew: $(cat "$t/text")"

# machine code: metrics, a baseline and a budget
"$g" lint --json -o "$t/code.json" tests/lint/machine/machine_sm90.cubin || fail "a cubin"
"$g" lint --notes tests/lint/machine/machine_sm90.cubin | grep -q 'a stack of 64 bytes a thread, 5 loads and 7 stores of local memory.*\[local-memory, proved\]' || fail "a stack"
"$g" lint --baseline "$t/code.json" tests/lint/machine/machine_sm90.cubin >/dev/null || fail "machine code grew against itself"
python3 - "$t/code.json" <<'P' || fail "metrics of machine code"
import json, sys
j = json.load(open(sys.argv[1]))
k = {s["entry"]: s for s in j["kernels"][0]["sass"]}
assert k["bounded"]["block_threads"] == 64 and k["shared"]["block_shared_bytes"] == 400
assert {o["sm"]: o["blocks"] for o in k["bounded"]["occupancy"]} == {70: 32, 75: 16, 80: 32, 86: 16, 89: 24, 90: 32, 100: 32}
k["stack"]["stack_bytes"] = 0
k["bounded"]["occupancy"] = [{"sm": 90, "warps": 65}]
json.dump(j, open(sys.argv[1], "w"))
P
"$g" lint --baseline "$t/code.json" tests/lint/machine/machine_sm90.cubin >"$t/text"
[ $? -eq 1 ] && grep -q 'stack: stack_bytes grew from 0 to 64 (machine code)' "$t/text" && grep -q 'bounded: occupancy fell from 65 to 64 warps' "$t/text" ||
	fail "the stack grew: $(cat "$t/text")"
"$g" lint --budget 'registers=19, stack_bytes=64' tests/lint/machine/machine_sm90.cubin >/dev/null || fail "within the budget"
"$g" lint --budget 'registers=18 instructions=1000' tests/lint/machine/machine_sm90.cubin >"$t/text"
[ $? -eq 1 ] && [ "$(grep -c 'the budget is' "$t/text")" -eq 1 ] && grep -q 'stack: registers is 19, the budget is 18' "$t/text" || fail "over it: $(cat "$t/text")"
for wrong in registers=x 'registers 3' nothing=1; do
	"$g" lint --budget "$wrong" tests/lint/machine/machine_sm90.cubin >/dev/null 2>&1
	[ $? -eq 2 ] || fail "--budget $wrong must be exit 2"
done
# a disassembler's names where there is one; lines as nvdisasm -c and cuobjdump -sass print them
mkdir "$t/none" "$t/bin" "$t/dump"
for tool in sh env cat; do ln -s "$(command -v $tool)" "$t/none/$tool"; done
PATH=$t/none "$PWD/$g" lint --metrics tests/lint/machine/machine_sm90.cubin 2>"$t/err" >/dev/null
grep -q "no nvdisasm or cuobjdump in PATH" "$t/err" || fail "no disassembler: $(cat "$t/err")"
cat >"$t/bin/nvdisasm" <<'S'
#!/bin/sh
printf '%s\n' '        .global         loads7' 'loads7:' '.text.loads7:' '        /*0000*/                   LDC R1, c[0x0][0x28] ;' '.L_x_0:' \
	'        /*0010*/              @!P0 LDG.E R0, desc[UR4][R2.64] ;' '        /*1020*/                   LDG.E R0, [R2] ;' '        /*1030*/                   NOP;'
S
cat >"$t/dump/cuobjdump" <<'S'
#!/bin/sh
printf '%s\n' '		Function : loads7' '        /*0000*/                   LDG R1, c[0x0][0x28] ;           /* 0x00000a0000017a02 */' \
	'                                                                    /* 0x000fe40000000f00 */' '		Function : other' '        /*0000*/                   MOV R1, R2 ;'
S
chmod +x "$t/bin/nvdisasm" "$t/dump/cuobjdump"
PATH=$t/bin:$t/none "$PWD/$g" lint --metrics tests/lint/machine/machine_sm90.cubin | grep -q 'by nvdisasm -c: LDG 2, LDC 1$' || fail "nvdisasm's names"
PATH=$t/dump:$t/none "$PWD/$g" lint --metrics --json tests/lint/machine/machine_sm90.cubin | tr -d ' \t\n' | grep -q '"mnemonics":{"LDG":1}' || fail "cuobjdump's names"
head -c 3000 tests/lint/machine/machine_sm90.cubin >"$t/cut.cubin"
"$g" lint "$t/cut.cubin" >"$t/text" 2>&1
[ $? -eq 2 ] && grep -q 'cut.cubin: damaged' "$t/text" || fail "a cut cubin: $(cat "$t/text")"
if "$g" doctor | grep -q '^NVRTC  *[0-9]'; then # by way of NVRTC
	"$g" lint --sass --json corpus/control/relu | grep -q '"sass"' || fail "--sass"
	"$g" lint --sass=sm_80 corpus/control/relu | grep -q 'relu_f32 *sm_80: [0-9]* registers' || fail "--sass=sm_80"
	# a folder without PTX is compiled, as for validate; nothing is written into it
	mkdir "$t/relu" && cp corpus/control/relu/kernel.cu corpus/control/relu/kernel.json "$t/relu" && sed -i '/"ptx"/d' "$t/relu/kernel.json"
	"$g" lint "$t/relu" >"$t/out" 2>&1 || fail "without PTX: $(cat "$t/out")"
	[ ! -e "$t/relu/kernel.ptx" ] || fail "lint wrote PTX"
fi
"$g" lint --sass=60 corpus/control/relu >/dev/null 2>&1; [ $? -eq 2 ] || fail "--sass=60 must be exit 2"
exit 0
