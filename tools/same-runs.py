#!/usr/bin/env python3
"""same-runs.py A B - two files of calibration runs (FILE.runs.jsonl) from two devices: how many runs of the same kernel
and case are in both, and in how many the outputs (their SHA-256) and the scaled errors are the same. Exit status: 0 all
are, 1 some differ (the first ten are printed)."""
import json, sys


def runs(path):
    with open(path) as f:
        next(f)
        for line in f:
            d = json.loads(line)
            if d["case"]:
                yield (d["kernel"], d["case"]), d


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    a = dict(runs(sys.argv[1]))
    both = same = errors = 0
    for key, d in runs(sys.argv[2]):
        one = a.pop(key, None)
        if one is None:
            continue
        both += 1
        same += one["out"] == d["out"]
        errors += one["r"] == d["r"]
        if one["out"] != d["out"] and both - same <= 10:
            print(*key, one["out"], d["out"])
    print(f"{both} runs in both, {same} with the same outputs, {errors} with the same scaled error")
    return both != same


sys.exit(main())
