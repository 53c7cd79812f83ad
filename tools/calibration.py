"""calibration.py GPUEMU DIR OUT - results/calibration.json from the campaigns of calibration.sh."""
import collections
import datetime
import json
import math
import os
import subprocess
import sys

from limits import upper

gpuemu, directory, out = sys.argv[1:]


def cases(name):
    with open(os.path.join(directory, name, "cases.jsonl")) as f:
        next(f)
        return [json.loads(line) for line in f]


def kernels(name):
    with open(os.path.join(directory, name, "evidence.json")) as f:
        return {k["name"]: k for k in json.load(f)["kernels"]}


def number(v):
    return math.inf if isinstance(v, str) else v


good, good_h200 = cases("good"), cases("good_h200")
alarms = [c for c in good if c["verdict"] == "FAIL"]
alarms_h200 = [c for c in good_h200 if c["verdict"] == "FAIL"]

# ---- four policies on the same cases ----
corpus, roles = cases("corpus"), kernels("corpus")
learnt = collections.defaultdict(list)
for c in cases("learn"):
    if c["value"] == "PASS" and c["abs_error"] is not None and math.isfinite(number(c["abs_error"])):
        learnt[c["case"].split(" ")[0]].append(number(c["abs_error"]))
p95 = {key: 1.5 * sorted(v)[max(0, math.ceil(0.95 * len(v)) - 1)] for key, v in learnt.items()}
policies = {
    "fixed atol 1e-2": lambda c: not number(c["abs_error"]) <= 1e-2,
    "allclose 1e-5, 1e-2": lambda c: not c["allclose"],
    "p95 of the absolute error, times 1.5": lambda c: not number(c["abs_error"]) <= p95[c["case"].split(" ")[0]],
    "gpuemu": lambda c: c["value"] == "FAIL",
}
judged = [c for c in corpus if c["abs_error"] is not None and c["value"] in ("PASS", "FAIL")]
buggy = [c for c in judged if roles[c["kernel"]]["role"] == "buggy"]
wrong = [c for c in buggy if c.get("wrong")]
control = [c for c in judged if roles[c["kernel"]]["role"] == "control"]
table = []
for name, flags in policies.items():
    caught, alarm = sum(map(flags, wrong)), sum(map(flags, control))
    table.append({"policy": name, "wrong_cases": len(wrong), "caught": caught, "recall": caught / len(wrong),
                  "control_cases": len(control), "false_alarms": alarm, "false_alarm_rate": alarm / len(control)})
undecided = [c for c in corpus if roles[c["kernel"]]["role"] == "buggy" and c["value"] not in ("PASS", "FAIL")]

# ---- bits that differ from the twin's ----
twins = {(c["kernel"], c["dtype"], c["case"]): c["outputs_sha256"] for c in corpus}
differ = caught = 0
for c in corpus:
    k = roles[c["kernel"]]
    twin = twins.get((k.get("twin"), c["dtype"], c["case"])) if k["role"] == "buggy" else None
    if twin and twin != c["outputs_sha256"]:
        differ += 1
        caught += c["value"] == "FAIL"

with open("tolerances/sm_90.json") as f:
    cells = json.load(f)["cells"]
fitted = [c for c in cells if c["state"] == "envelope"]
result = {
    "command": "tools/calibration.sh build/gpuemu results/calibration.json",
    "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    "device": "sm_90 in software (reference H200)",
    "heldout_cases": len(good), "heldout_false_alarms": len(alarms), "fp_upper95": upper(len(alarms), len(good)),
    "heldout_h200_table": {"cases": len(good_h200), "false_alarms": len(alarms_h200),
                           "fp_upper95": upper(len(alarms_h200), len(good_h200))},
    "false_alarm_cases": [f'{c["kernel"]} {c["case"]}' for c in alarms + alarms_h200],
    "recall_observable": sum(c["value"] == "FAIL" for c in wrong) / len(wrong), "observable_cases": len(wrong),
    "buggy_undecided": len(undecided),
    "differ_from_twin": differ, "differ_from_twin_caught": caught,
    "cells": len(cells), "cells_refused": sum(c["state"] == "refused" for c in cells),
    "cells_loose": sum(c["state"] == "loose" for c in cells),
    "cells_tight": sum(c.get("tightness", 0) > 0.5 for c in fitted), "cells_envelope": len(fitted),
    "cells_power_10": sum(c.get("power_10", 0) == 1 for c in fitted),
    "plan_heldout_runs": sum(c.get("heldout", 0) for c in cells),
    "plan_heldout_over": sum(c.get("heldout_over", 0) for c in cells),
    "kernels_left_out": sum(c.get("kernels_out", 0) for c in cells),
    "kernels_left_out_over": sum(c.get("kernels_out_over", 0) for c in cells),
    "sizes_left_out_runs": sum(c.get("sizes_out", 0) for c in cells),
    "sizes_left_out_over": sum(c.get("sizes_out_over", 0) for c in cells),
    "policies": table,
}
with open(out, "w") as f:
    json.dump(result, f, indent=2)
    f.write("\n")
print(json.dumps(result, indent=2))
