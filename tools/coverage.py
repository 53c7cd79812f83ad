#!/usr/bin/python3
"""coverage.py GPUEMU OUT - the figures of results/coverage.json: which lines with the bug, and which branches, one shape runs
(strategy native, one case an element type), and which a campaign (strategy ours, 100 cases). The lines with the bug are those
in which a buggy kernel's source differs from its twin's. Half a minute on two cores."""
import datetime
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

SEED = 80


def campaign(gpuemu, strategy, cases, out):
    cmd = [gpuemu, "validate", "--no-bench", "--quiet", "--strategy", strategy, "--cases", str(cases), "--seed", str(SEED),
           "--out", out, "corpus/buggy"]
    rc = subprocess.run(cmd, stdout=subprocess.DEVNULL).returncode
    if rc not in (0, 1, 3):  # 1, 3: a kernel is not as expected
        sys.exit(f"coverage.py: {' '.join(cmd)} ended with {rc}")
    return json.load(open(os.path.join(out, "evidence.json")))


def tokens(folder, name):
    """Words and signs of the source with their lines; no comments, the kernel's name made the same."""
    text = open(os.path.join(folder, "kernel.cu")).read()
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return [("KERNEL" if w == name else w, n) for n, line in enumerate(text.split("\n"), 1)
            for w in re.findall(r"\w+|\S", line)]


def buggy_lines(k, code):
    """code: lines that have some. A difference in another line is ascribed to the code before it."""
    a, b = tokens(k["folder"], k["name"]), tokens(os.path.join("corpus", "control", k["twin"]), k["twin"])
    lines = set()
    for tag, i1, i2, _, _ in difflib.SequenceMatcher(None, [w for w, _ in a], [w for w, _ in b], autojunk=False).get_opcodes():
        if tag != "equal":  # something that is missing: the word before it
            lines.update(n for _, n in a[i1:i2] or a[i1 - 1:i1])
    return {max(c for c in code if c <= n) for n in lines}


def figures(one, all_):
    code = {line for line, _ in all_["coverage"]["lines"]}
    bug = buggy_lines(one, code)
    hit = [{line for line, h in k["coverage"]["lines"] if h} for k in (one, all_)]
    return {"kernel": one["name"], "bug_lines": len(bug), "one_shape_bug_lines": len(bug & hit[0]),
            "campaign_bug_lines": len(bug & hit[1]), "edges": one["coverage"]["edges"],
            "one_shape_edges": one["coverage"]["edges_hit"], "campaign_edges": all_["coverage"]["edges_hit"],
            "lines": sorted(bug), "one_shape_rejects": one["verdict"] == "FAIL"}


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: tools/coverage.py GPUEMU OUT")
    gpuemu, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as d:
        one, all_ = campaign(gpuemu, "native", 1, d + "/one"), campaign(gpuemu, "ours", 100, d + "/all")
    rows = [figures(a, b) for a, b in zip(one["kernels"], all_["kernels"])]
    for r in rows:
        print(r)
    json.dump({"command": "tools/coverage.py build/gpuemu results/coverage.json",
               "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "device": one["device"]["text"],
               "seed": hex(SEED), "coverage": rows}, open(out, "w"), indent=2)
    open(out, "a").write("\n")


main()
