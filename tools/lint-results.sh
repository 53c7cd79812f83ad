#!/bin/sh
# lint-results.sh - results/lint.json again: what lint says of each kernel of the corpus and of calibrate/kernels (rule x kernel), and how
# the ten buggy kernels differ from their twins.
set -eu
cd "$(dirname "$0")/.."
g=${B:-build}/gpuemu
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
"$g" lint --json -o "$t/corpus.json" corpus || [ $? -eq 1 ]
"$g" lint --json -o "$t/good.json" calibrate/kernels
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
out["differences"] = {b: {"twin": w, "change": c} for b, w, c in (l.split() for l in open(f"{t}/diffs"))}
json.dump(out, open("results/lint.json", "w"), indent="\t")
open("results/lint.json", "a").write("\n")
PY
