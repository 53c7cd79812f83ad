#!/usr/bin/python3
"""hostile.py PROGRAM GPUEMU N SEED - charts, reports and tables from files with wrong values in them: N times the data in
data/charts are changed at random (keys missing, other types, absurd numbers, broken lines), and the programs must end
with 0 or 2 and in time, without a word from Pango or Cairo's warnings. Prints what did not, and keeps its folder."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "charts")
VALUES = [None, -1, 0, 1e308, -1e308, 1e-320, "inf", "nan", "", [], {}, "x" * 500, True, 1e18, 0.5, "\u202e\U0001f600a\n",
          [1, 2, 3], {"a": 1}]
# by these a file is known: without them it would only be refused
KEEP = ("schema", "policies", "forms_covered", "kernels", "cells")


def nodes(j):
    for k in list(j) if isinstance(j, dict) else range(len(j)):
        yield j, k
        if isinstance(j[k], (dict, list)):
            yield from nodes(j[k])


def change(j, rand):
    places = list(nodes(j))
    for _ in range(rand.choice([1, 3, 20, len(places) // 10 + 1])):
        c, k = rand.choice(places)
        if k in KEEP and rand.random() < 0.95:
            continue
        if isinstance(c, dict) and rand.random() < 0.2:
            c.pop(k, None)
        elif isinstance(c, dict) or k < len(c):
            c[k] = rand.choice(VALUES)
    return j


def break_lines(text, rand):
    b = bytearray(text)
    for _ in range(50):
        b[rand.randrange(len(b))] = rand.randrange(256)
    return bytes(b)


def make(folder, rand):
    files = sorted(os.listdir(DATA))
    # one or two: a table that is refused hides what the others would do
    wrong = rand.sample(files, rand.choice([1, 2]))
    for f in files:
        text = open(os.path.join(DATA, f), "rb").read()
        if f in wrong:
            text = json.dumps(change(json.loads(text), rand)).encode() if f.endswith(".json") else break_lines(text, rand)
        open(os.path.join(folder, f), "wb").write(text)


def main():
    program, gpuemu, n, rand = sys.argv[1], sys.argv[2], int(sys.argv[3]), random.Random(int(sys.argv[4]))
    bad, drawn = False, 0
    for _ in range(n):
        d = tempfile.mkdtemp()
        make(d, rand)
        good = True
        for cmd in ([program, "-o", d + "/o", d], [program, "--format", "html", "-o", d + "/o.html", d],
                    [gpuemu, "report", "--tables", d, "-o", d + "/t"]):
            try:
                r = subprocess.run(cmd, capture_output=True, timeout=60)
            except subprocess.TimeoutExpired:
                print("FAILED: does not end:", *cmd)
                good = False
                continue
            if r.returncode not in (0, 2) or b"Pango" in r.stderr or b"CRITICAL" in r.stderr:
                print("FAILED: exit status", r.returncode, *cmd, r.stderr[-500:].decode(errors="replace"))
                good = False
        drawn += os.path.exists(d + "/o/report.pdf")
        if good:
            shutil.rmtree(d)
        bad |= not good
    if drawn < n / 4:
        print(f"FAILED: only {drawn} of {n} were drawn: the test tests nothing")
        bad = True
    return bad


sys.exit(main())
