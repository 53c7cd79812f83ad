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
"$g" lint --format github --entry bad_ragged --launch "$launch" "$bad" | grep -q '^::error file=tests/lint/unguarded-global-access.ptx,line=[0-9]*,title=unguarded-global-access::' ||
	fail "no annotation"

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
exit 0
