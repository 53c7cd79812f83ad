#!/bin/sh
# lint-results.sh - results/lint.json again: what lint says of each kernel of the corpus and of the known-good ones of calibrate/ (rule x kernel), what each rule
# says of the kernels of tests/lint made for it, and how the ten buggy kernels differ from their twins: kind of change, and what it does to the
# machine code for sm_90 (needs NVRTC). Run times, which pair-times.sh measures on a GPU, stay.
set -eu
cd "$(dirname "$0")/.."
g=${B:-build}/gpuemu
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
"$g" lint --json -o "$t/corpus.json" corpus || [ $? -eq 1 ]
"$g" lint --json -o "$t/good.json" calibrate/kernels calibrate/tensor
B=${B:-build} TABLE=$t/rules tests/lint/test_lint_rules.sh >/dev/null
B=${B:-build} TABLE=$t/kernels tests/lint/test_lint_kernels.sh >/dev/null
"$g" lint --confirm --json -o "$t/confirmed.json" corpus || [ $? -eq 1 ]
"$g" lint --sass=sm_90 --json -o "$t/sass.json" corpus || [ $? -eq 1 ]
for d in corpus/buggy/*/; do
	twin=$(sed -n 's/.*"twin": "\([^"]*\)".*/\1/p' "$d/kernel.json")
	"$g" lint --diff -o "$t/diff" "corpus/control/$twin" "$d" || [ $? -eq 1 ]
	echo "$(basename "$d") $twin $(sed -n 's/^change: //p' "$t/diff")"
done >"$t/diffs"
python3 - "$t" <<'PY'
import collections, json, sys
t = sys.argv[1]
out = {"schema": "gpuemu-lint-results/1"}
for name in ("corpus", "good"):
    j = json.load(open(f"{t}/{name}.json"))
    table = {k["name"]: {} for k in j["kernels"]}
    for f in j["findings"]:
        if f["severity"] != "note" and "allowed" not in f:
            cell = table[f["kernel"]].setdefault(f["rule"], {"severity": f["severity"], "confidence": f["confidence"], "places": 0})
            cell["places"] += 1
    out[name] = {"summary": j["summary"], "kernels": table}
# rule: the kernels of tests/lint made to show it, and those that look like it, with whether it is reported of each without a run
out["rules"] = collections.defaultdict(lambda: {"bad": {}, "good": {}})
for rule, entry, *found in (l.split() for l in open(f"{t}/rules")):
    out["rules"][rule][entry.split("_")[0]][entry] = rule in found
# the good kernels of tests/lint/kernels, with their launches and without: those of which something is reported
out["kernels"] = {"kernels": 0, "error": [], "warning": []}
for entry, *launched, status in (l.split() for l in open(f"{t}/kernels")):
    out["kernels"]["kernels"] += bool(launched)
    if status != "good":
        out["kernels"][status].append(entry + (" with its launch" if launched else " without a launch"))
# the corpus with its findings tried: how many are confirmed, how many dropped
out["confirmed"] = {k["name"]: {m: k[m] for m in ("runs", "confirmed", "dropped")} for k in json.load(open(f"{t}/confirmed.json"))["kernels"]}
sass = {k["name"]: {s["entry"].rsplit("_", 1)[-1]: s for s in k["sass"]} for k in json.load(open(f"{t}/sass.json"))["kernels"]}
try:
    before = json.load(open("results/lint.json"))["differences"]
except (OSError, KeyError):
    before = {}
out["differences"] = {}
for buggy, twin, change in (l.split() for l in open(f"{t}/diffs")):
    d = out["differences"][buggy] = {"twin": twin, "change": change, "sm_90": {}}
    for dtype in sass[twin]: # [the twin's, the buggy kernel's]
        d["sm_90"][dtype] = {m: [sass[twin][dtype][m], sass[buggy][dtype][m]]
                             for m in ("registers", "instructions", "global_loads", "special", "stack_bytes", "shared_bytes")}
    if "times" in before.get(buggy, {}):
        d["times"] = before[buggy]["times"]
json.dump(out, open("results/lint.json", "w"), indent="\t")
open("results/lint.json", "a").write("\n")
PY
