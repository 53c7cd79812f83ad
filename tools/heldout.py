"""heldout.py CAMPAIGN OUT - counts false alarms of a campaign over known-good kernels and controls, CAMPAIGN being what
gpuemu validate --out wrote. results/heldout_h200.json is of
gpuemu validate --device cuda:0 --seed 83 --cases 90 --out CAMPAIGN calibrate/kernels calibrate/tensor corpus/control"""
import collections
import json
import os
import sys

from limits import upper

directory, out = sys.argv[1:]
with open(os.path.join(directory, "evidence.json")) as f:
    evidence = json.load(f)
with open(os.path.join(directory, "cases.jsonl")) as f:
    next(f)
    cases = [json.loads(line) for line in f]
verdicts = collections.Counter(c["verdict"] for c in cases)
alarms = [c for c in cases if c["verdict"] == "FAIL"]
result = {
    "command": "gpuemu validate --device cuda:0 --seed 83 --cases 90 --out CAMPAIGN calibrate/kernels calibrate/tensor "
               "corpus/control; tools/heldout.py CAMPAIGN results/heldout_h200.json",
    "date": evidence["date"], "device": evidence["device"]["text"],
    "table": evidence["tolerance"]["text"], "table_sha256": evidence["tolerance"]["sha256"],
    "kernels": len(evidence["kernels"]), "cases": len(cases), "verdicts": dict(sorted(verdicts.items())),
    "false_alarms": len(alarms), "fp_upper95": upper(len(alarms), len(cases)),
    "false_alarm_cases": [f'{c["kernel"]} {c["case"]}' for c in alarms],
    "cases_by_type": dict(sorted(collections.Counter(c["case"].split(" ")[0] for c in cases).items())),
}
with open(out, "w") as f:
    json.dump(result, f, indent=2)
    f.write("\n")
print(json.dumps(result, indent=2))
