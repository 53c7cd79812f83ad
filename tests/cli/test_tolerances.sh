#!/bin/bash
# gpuemu calibrate and tolerances: a table from a few kernels, the same for any number of workers and after a
# stop; shown, exported and compared.
. tests/cli/kit.sh
run="calibrate --only tanh --quiet calibrate/kernels"
expect 0 "3 cells" calibrate --only tanh --dry-run calibrate/kernels
expect 0 "3 cells, 0 refused" $run -j 2 -o "$dir/a.json"
expect 0 "tanh" $run -j 1 -o "$dir/b.json"
cmp <(grep -v '"date"\|"command"' "$dir/a.json") <(grep -v '"date"\|"command"' "$dir/b.json") ||
	bad "one worker gives another table"
cmp "$dir/a.json.runs.jsonl" "$dir/b.json.runs.jsonl" || bad "one worker gives other runs"
# stopped in the middle of a line: --resume goes on
head -c 4000 "$dir/a.json.runs.jsonl" >"$dir/c.json.runs.jsonl"
expect 0 "tanh" $run --resume -o "$dir/c.json"
cmp "$dir/a.json.runs.jsonl" "$dir/c.json.runs.jsonl" || bad "a resumed calibration has other runs"
expect 2 "belongs to another" $run --seed 9 --resume -o "$dir/c.json"

# the runs fitted again, and carried over to a device: the emulator to itself, and from one whose outputs differ
from="calibrate --only tanh --quiet calibrate/kernels --from $dir/a.json.runs.jsonl"
expect 0 "tanh" $from -o "$dir/e.json"
cmp <(grep -v '"date"\|"command"' "$dir/a.json") <(grep -v '"date"\|"command"' "$dir/e.json") ||
	bad "runs fitted again give another table"
expect 0 "carried over from sm_90.*2 of its 144 runs" $from --device emu -o "$dir/e.json"
sed '2s/"out":"..../"out":"wxyz/' "$dir/a.json.runs.jsonl" >"$dir/other.runs"
from=${from%--from*}
expect 2 "run 0: its outputs.*does not carry over; the case is tanh" $from --from "$dir/other.runs" --device emu -o "$dir/f.json"
# run 0 has no verdict: run 1 is compared in its place
sed '2s/"n":[0-9]*/"n":0/; 3s/"out":"..../"out":"wxyz/' "$dir/a.json.runs.jsonl" >"$dir/next.runs"
expect 2 "run 1: its outputs.*does not carry over" $from --from "$dir/next.runs" --device emu -o "$dir/f.json"
head -n 20 "$dir/other.runs" >"$dir/short.runs"
expect 2 "has 19 of 144 runs" $from --from "$dir/short.runs" -o "$dir/f.json"
expect 2 "another plan or seed" $from --plan pr --from "$dir/other.runs" -o "$dir/f.json"
expect 2 "other kernels" calibrate --only sigmoid --quiet calibrate/kernels --from "$dir/other.runs" -o "$dir/f.json"
expect 2 "README.md:1:1" $from --from README.md -o "$dir/f.json"
[ ! -e "$dir/f.json" ] || bad "a table was written after an error"

# a run names the cell that it is fitted in, its case's (a broadcast row of one sign is const): each cell has as many as it counts
expect 0 "15 cells" calibrate --only matmul --quiet calibrate/kernels -o "$dir/m.json"
if command -v python3 >/dev/null; then
	python3 - "$dir/m.json" <<'END' || bad "runs name other cells than they are fitted in"
import collections, json, sys
runs = collections.Counter()
for line in open(sys.argv[1] + ".runs.jsonl"):
    r = json.loads(line)
    if r.get("n", 0) >= 1:
        runs[r["cell"], r["heldout"]] += 1
cells = json.load(open(sys.argv[1]))["cells"]
assert {c["group"] for c in cells} == {"mixed", "wide", "same", "spike", "const"}
for c in cells:
    name = f"{c['op']}/{c['types']} {c['family']} {c['group']}"
    assert (runs[name, False], runs[name, True]) == (c["runs"], c["heldout"]), name
END
fi

expect 0 "3 cells in both, 0 moved" tolerances diff "$dir/a.json" "$dir/b.json"
sed 's/"state": *"envelope"/"state": "refused"/' "$dir/a.json" >"$dir/d.json"
expect 1 "3 moved by more" tolerances diff "$dir/a.json" "$dir/d.json"
expect 0 "" calibrate --only sigmoid --quiet calibrate/kernels -o "$dir/g.json"
expect 0 "" tolerances merge "$dir/a.json" "$dir/g.json" -o "$dir/both.json"
expect 0 "3 cells in both, 0 moved" tolerances diff "$dir/both.json" "$dir/a.json"
expect 0 "sigmoid" tolerances show "$dir/both.json" sigmoid
expect 2 "both tables have the cell tanh" tolerances merge "$dir/a.json" "$dir/both.json" -o "$dir/x.json"
# with --replace the second's cells stand, and each says its plan: a cell of 93 runs gives way to one of 473
expect 0 "" calibrate --only tanh --plan pr --quiet calibrate/kernels -o "$dir/pr.json"
expect 0 "" tolerances merge --replace "$dir/both.json" "$dir/pr.json" -o "$dir/mixed.json"
expect 0 "smoke and pr plan" tolerances show "$dir/mixed.json"
[ "$(grep -c '^tanh .* pr$' "$dir/out")" -eq 3 ] && [ "$(grep -c '^sigmoid .* smoke$' "$dir/out")" -eq 3 ] || bad "plans: $(cat "$dir/out")"
expect 0 "3 cells in both, 0 moved" tolerances diff "$dir/mixed.json" "$dir/pr.json"
expect 2 "different devices" tolerances merge h200 "$dir/a.json" -o "$dir/x.json"
expect 2 "needs -o" tolerances merge h200 "$dir/a.json"
expect 0 "operator,types" tolerances export "$dir/a.json" --format csv
expect 0 "toprule" tolerances export "$dir/a.json" --format latex
expect 0 '("tanh", "f16"): {"rtol"' tolerances export "$dir/a.json" --format python
if command -v python3 >/dev/null; then
	python3 -c "$("$gpuemu" tolerances export "$dir/a.json" --format python)
assert 0 < TOLERANCES['tanh', 'f32']['rtol'] < 1e-6, TOLERANCES" || bad "python export"
fi
expect 0 "sm_90" tolerances list
expect 0 "softmax" tolerances show sm_90 softmax/f32
expect 2 "neither a file nor a shipped table" tolerances show nonesuch
expect 2 "no cell of sm_90 begins with .softmx" tolerances show sm_90 softmx
expect 2 "unknown format" tolerances export sm_90 --format word
expect 2 "is expected" tolerances
expect 2 "there is no plan" calibrate --plan big -o "$dir/x.json" calibrate/kernels
expect 2 "is needed" calibrate calibrate/kernels
expect 2 "no known-good kernel" calibrate --only nonesuch -o "$dir/x.json" calibrate/kernels
kernel good "$right"
c='relu/f32 N=50 values=x:normal seed=0x1'
expect 0 "T = 6.25 (provisional" replay --tolerances provisional "$dir/good" "$c"
expect 0 "T = 6 (bound" replay --tolerances bound "$dir/good" "$c"
expect 0 "no table" validate --tolerances provisional --cases 4 --no-bench --quiet --out "$dir/v" "$dir/good"
expect 2 "neither a file" validate --tolerances none --cases 4 --no-bench --quiet --out "$dir/v" "$dir/good"
exit $failed
