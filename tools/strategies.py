#!/usr/bin/python3
"""strategies.py GPUEMU OUT - the figures of results/strategies.json: the corpus under every strategy of choosing cases,
with the same number of cases and one seed that nothing was tuned on. Three minutes on two cores.

A unit is a kernel in one element type. Of a buggy one it counts whether any of its cases fails, of a control whether any
does (a false alarm). A strategy that leaves element types out has fewer units."""
import datetime
import json
import os
import subprocess
import sys
import tempfile

STRATEGIES = ["ours", "native", "boundary", "regular", "f32", "f16", "nan", "adversarial"]
CASES, SEED = 100, 79


def campaign(gpuemu, strategy, out):
    cmd = [gpuemu, "validate", "--no-bench", "--quiet", "--strategy", strategy, "--cases", str(CASES), "--seed", str(SEED),
           "--out", out, "corpus"]
    rc = subprocess.run(cmd, stdout=subprocess.DEVNULL).returncode
    if rc not in (0, 1, 3):  # 1, 3: a kernel is not as expected, which is what is counted
        sys.exit(f"strategies.py: {' '.join(cmd)} ended with {rc}")
    return json.load(open(os.path.join(out, "evidence.json")))


def figures(strategy, e):
    f = {"strategy": strategy}
    for role in ("buggy", "control"):
        units = [d for k in e["kernels"] if k["role"] == role for d in k["dtypes"] if d["cases"] > 0]
        f[role + "_units"] = len(units)
        f[role + "_units_failing"] = sum(d["cases_failed"] > 0 for d in units)
        f[role + "_units_failing_by_value"] = sum(d["cases_failed_by_value"] > 0 for d in units)
        f[role + "_cases"] = sum(d["cases"] for d in units)
        f[role + "_cases_failing"] = sum(d["cases_failed"] for d in units)
    f["missed"] = sorted(f"{k['name']}/{d['dtype']}" for k in e["kernels"] if k["role"] == "buggy" for d in k["dtypes"]
                         if d["cases"] > 0 and d["cases_failed"] == 0)
    return f


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: tools/strategies.py GPUEMU OUT")
    gpuemu, out = sys.argv[1:]
    rows, device = [], ""
    with tempfile.TemporaryDirectory() as d:
        for s in STRATEGIES:
            e = campaign(gpuemu, s, os.path.join(d, s))
            device = e["device"]["text"]
            rows.append(figures(s, e))
            print(s, {k: v for k, v in rows[-1].items() if "failing" in k})
    json.dump({"command": "tools/strategies.py build/gpuemu results/strategies.json",
               "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "device": device,
               "seed": hex(SEED), "cases": CASES, "strategies": rows}, open(out, "w"), indent=2)
    open(out, "a").write("\n")


main()
