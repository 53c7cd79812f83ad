#!/usr/bin/python3
"""mutation.py GPUEMU OUT [EACH [KERNEL …]] - the figures of results/mutation.json: mutants of the corpus' controls, EACH
(2) of every class of faults and entry, drawn by a seed; which of them a campaign catches, which the published one-shape
check does on both of its inputs, and what became of the rest. docs/mutation.md says what the words mean.

A campaign of 100 cases is run in two steps: its first cases for all mutants, all of them for those that have no wrong
output yet (the first cases of a campaign do not depend on how many follow). The checks are executed on every mutant that
ends. Outputs of mutants that nothing catches are held against the kernel's own, case by case and bit by bit."""
import collections
import concurrent.futures
import datetime
import json
import os
import subprocess
import sys
import tempfile

SEED, CASES, FIRST = 81, 100, 8
QUICK = ["--no-lint", "--no-shrink", "--quiet", "--seed", str(SEED)]
NULL = subprocess.DEVNULL
SHOWN = 12  # survivors that are told by name, of each class


def sample(gpuemu, kernels, each, where):
    """{name: mutant} of all kernels."""
    mutants = {}
    for k in kernels:
        folder = os.path.join(where, os.path.basename(k))
        out = subprocess.run([gpuemu, "mutate", k, "--sample", str(each), "--seed", str(SEED), "-o", folder],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in out.splitlines():
            ident, path = line.split(" ", 1)
            manifest = json.load(open(os.path.join(path, "kernel.json")))
            mutants[manifest["name"]] = {"id": ident, "folder": path, "kernel": k, "class": manifest["bug_class"],
                                         "change": manifest["bug"], "dtype": manifest["dtypes"][0]}
    return mutants


def campaign(gpuemu, mutants, out, *options):
    """The evidence of each mutant, by name."""
    if not mutants:
        return {}
    cmd = [gpuemu, "validate", *QUICK, *options, "--out", out] + [m["folder"] for m in mutants]
    rc = subprocess.run(cmd, stdout=NULL).returncode
    if rc not in (0, 1, 3):  # 1, 3: a mutant is not as expected, which is what is counted
        sys.exit(f"mutation.py: {' '.join(cmd[:12])} … ended with {rc}")
    return {k["name"]: k for k in json.load(open(os.path.join(out, "evidence.json")))["kernels"]}


def run_cases(gpuemu, mutants, d):
    """First what shows a wrong output in a few cases, then the whole campaign for the others."""
    for name, e in campaign(gpuemu, mutants.values(), d + "/first", "--no-bench", "--cases", str(FIRST)).items():
        mutants[name]["evidence"] = e["dtypes"][0]
    rest = {n: m for n, m in mutants.items() if not m["evidence"]["cases_failed_by_value"] and not endless(m)}
    for name, e in campaign(gpuemu, rest.values(), d + "/all", "--no-bench", "--cases", str(CASES)).items():
        mutants[name]["evidence"] = e["dtypes"][0]
    lines = collections.defaultdict(list)
    if rest:
        with open(d + "/all/cases.jsonl") as f:
            next(f)
            for line in f:
                j = json.loads(line)
                lines[j["kernel"]].append(j)
    return lines


def endless(m):
    return any(f["kind"] == "budget" or f["kind"] == "deadlock" for f in m["evidence"]["findings"])


def run_checks(gpuemu, mutants, d):
    """The checks of profile `seed`, on one input chosen per operator and on KernelBench's own (f32 alone)."""
    ending = [m for m in mutants.values() if not endless(m)]
    for name, e in campaign(gpuemu, ending, d + "/bench", "--cases", "1").items():
        b, m = e["bench"], mutants[name]
        for key, inputs in (("friendly", "friendly"), ("own", "v0")):
            r = b.get(inputs, {}).get(m["dtype"])
            m[key] = None if not r or not r["seeds"] else r["accepted"]["seed"] == r["seeds"]


def outputs(gpuemu, folder, cases, line, path):
    """({case: SHA-256 of its outputs}, whether the line was reached)."""
    with open(path, "w") as f:
        f.write("".join(c + "\n" for c in cases))
    out = subprocess.run([gpuemu, "run", folder, "--cases", path, "--reached", str(line)], check=True,
                         stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {c: sha for sha, c in (x.split(" ", 1) for x in out[:-1])}, " was reached" in out[-1]


def lint_sees(gpuemu, m):
    """Does lint name a rule for the mutant that it does not name for the kernel?"""
    def rules(folder):
        out = subprocess.run([gpuemu, "lint", "--json", folder], stdout=subprocess.PIPE, text=True).stdout
        return collections.Counter(f["rule"] for f in json.loads(out)["findings"] if f["severity"] != "note")
    return bool(rules(m["folder"]) - rules(m["kernel"]))


def settle(gpuemu, m, records, d):
    """What became of a mutant."""
    e = m["evidence"]
    if e["cases_failed_by_value"]:
        return "value"
    if e["cases_failed"]:
        return "finding"
    if endless(m):
        return "endless"
    if e["verdict"] != "PASS":
        return "undecided"
    ours = {r["case"]: r["outputs_sha256"] for r in records}
    theirs, reached = outputs(gpuemu, m["kernel"], ours, m["id"].rsplit(":", 1)[1], d + "/" + m["id"].replace(":", "-"))
    m["lint"] = lint_sees(gpuemu, m)
    if not reached:
        return "not_reached"
    different = sum(ours[c] != theirs[c] for c in ours)
    m["cases_different"], m["r_over_T"] = different, e["r_over_T"]
    return "within" if different else "same"


OUTCOMES = ["value", "finding", "endless", "within", "same", "not_reached", "undecided"]


def totals(mutants):
    t = {"mutants": len(mutants)}
    for o in OUTCOMES:
        t[o] = sum(m["outcome"] == o for m in mutants)
    for key in ("friendly", "own"):
        judged = [m for m in mutants if m.get(key) is not None]
        t[key + "_judged"] = len(judged)
        t[key + "_accepted"] = sum(m[key] for m in judged)
        wrong = [m for m in judged if m["outcome"] in ("value", "finding")]
        t[key + "_wrong_judged"] = len(wrong)
        t[key + "_wrong_accepted"] = sum(m[key] for m in wrong)
        t[key + "_alone"] = sum(not m[key] for m in judged if m["outcome"] in ("within", "same", "not_reached", "undecided"))
    t["lint"] = sum(m.get("lint", False) for m in mutants)
    t["r_over_T"] = max([m["r_over_T"] for m in mutants if m["outcome"] == "within"], default=0)
    return t


def groups(mutants, key):
    names = sorted({m[key] for m in mutants})
    return [{key: n, **totals([m for m in mutants if m[key] == n])} for n in names]


def told(m):
    keys = ["id", "dtype", "class", "change", "outcome", "cases_different", "r_over_T", "friendly", "own", "lint"]
    return {k: m[k] for k in keys if k in m}


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: tools/mutation.py GPUEMU OUT [EACH [KERNEL …]]")
    gpuemu, out = sys.argv[1:3]
    each = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    kernels = sys.argv[4:] or sorted("corpus/control/" + k for k in os.listdir("corpus/control"))
    start = datetime.datetime.now()
    with tempfile.TemporaryDirectory() as d:
        mutants = sample(gpuemu, kernels, each, d + "/mutants")
        step = lambda what: print(f"{(datetime.datetime.now() - start).seconds:4} s  {what}", flush=True)
        step(f"{len(mutants)} mutants")
        records = run_cases(gpuemu, mutants, d)
        step("campaigns")
        run_checks(gpuemu, mutants, d)
        step("checks")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (name, m), o in zip(mutants.items(), pool.map(
                    lambda nm: settle(gpuemu, nm[1], records[nm[0]], d), mutants.items())):
                m["outcome"] = o
        step("survivors")
    all_ = list(mutants.values())
    survivors, shown = [], collections.Counter()
    for m in sorted((m for m in all_ if m["outcome"] in ("within", "same", "not_reached", "undecided")),
                    key=lambda m: (m["class"], m["outcome"], -m.get("r_over_T", 0), m["id"])):
        shown[m["class"], m["outcome"]] += 1
        if shown[m["class"], m["outcome"]] <= SHOWN:
            survivors.append(told(m))
    j = {"command": "tools/mutation.py build/gpuemu results/mutation.json" + (f" {each}" if each != 2 else ""),
         "tool": subprocess.run([gpuemu, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip(),
         "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
         "device": "sm_90 in software (reference H200)", "seed": hex(SEED), "cases": CASES, "each": each,
         "kernels": len(kernels), "mutation": groups(all_, "class"), "by_dtype": groups(all_, "dtype"),
         "total": totals(all_), "survivors": survivors}
    json.dump(j, open(out, "w"), indent=1)
    open(out, "a").write("\n")
    for c in j["mutation"]:
        print(c["class"], {k: v for k, v in c.items() if v and k != "class"})
    print(j["total"])


main()
