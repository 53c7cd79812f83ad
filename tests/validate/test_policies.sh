#!/bin/bash
# The four tolerance policies of evidence.json against cases.jsonl, counted here from its text alone.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"${B:-build}/gpuemu" validate --no-bench --no-coverage --quiet --seed 5 --cases 12 --out "$dir" corpus >/dev/null 2>"$dir/err" ||
	[ $? -eq 1 ] || { echo "FAILED: $(cat "$dir/err")"; exit 1; }
python3 - "$dir" <<'END'
import collections, json, math, sys
e = json.load(open(sys.argv[1] + "/evidence.json"))
kernels = {k["name"]: k for k in e["kernels"]}
lines = [json.loads(l) for l in open(sys.argv[1] + "/cases.jsonl")][1:]
# abs_error is told of what has a verdict
units = collections.defaultdict(list)
for c in sorted(lines, key=lambda c: (c["kernel"], c["dtype"], c["i"])):
    if c["value"] in ("PASS", "FAIL") and c["abs_error"] is not None:
        c["abs_error"] = float(c["abs_error"])
        units[c["kernel"], c["dtype"]].append(c)
teach = collections.defaultdict(list)
for (k, d), cs in units.items():
    if kernels[k]["role"] == "control":
        teach[kernels[k]["operator"], d] += [c["abs_error"] for c in cs[::2] if math.isfinite(c["abs_error"])]
p95 = {key: 1.5 * sorted(v)[math.ceil(0.95 * len(v)) - 1] for key, v in teach.items()}
bad = 0
for name, s in e["summary"].items():
    wrong, control = [], []
    for (k, d), cs in units.items():
        if name in kernels[k]["sets"]:
            wrong += [c for c in cs if c.get("wrong")] if kernels[k]["role"] == "buggy" else []
            control += cs[1::2] if kernels[k]["role"] == "control" else []
    flags = [lambda c: not c["published"], lambda c: not c["allclose"],
             lambda c: c["abs_error"] > p95[kernels[c["kernel"]]["operator"], c["dtype"]], lambda c: c["value"] == "FAIL"]
    for p, f in zip(s["policies"], flags):
        want = (len(wrong), sum(map(f, wrong)), len(control), sum(map(f, control)))
        got = (p["wrong_cases"], p["caught"], p["control_cases"], p["false_alarms"])
        if got != want or not wrong or not control:
            print("FAILED:", name, p["policy"], got, "but the cases give", want)
            bad = 1
    # what is wrong beyond any rounding fails by every envelope
    if s["policies"][3]["caught"] != s["policies"][3]["wrong_cases"] or len(s["policies"]) != 4:
        print("FAILED:", name, "a wrong case passes")
        bad = 1
# the published numbers on one element: KernelBench's 1e-4 for relu in f32, 1e-2 in f16, Liger's 0.2 for rmsnorm in bf16
limits = {("relu", "f32"): 1e-4, ("relu", "f16"): 1e-2, ("rmsnorm", "bf16"): 0.2}
for (k, d), cs in units.items():
    limit = limits.get((kernels[k]["operator"], d))
    for c in cs if limit else ():
        if c["abs_error"] <= limit and not c["published"]:
            print("FAILED:", c["case"], "errs by", c["abs_error"], "only and is not accepted")
            bad = 1
sys.exit(bad)
END
