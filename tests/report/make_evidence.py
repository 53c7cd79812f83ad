#!/usr/bin/python3
"""make_evidence.py KIND [FILE] - synthetic evidence in the form of validate/evidence.schema.json, for tests of
report/ alone: its figures are invented (from hashes, so that they never change) and mean nothing.

KIND: seed   the kernels of corpus/, with benchmark checks
      many   75 kernels with long and non-ASCII names
      empty  no kernel at all
      user   one failing kernel of a user, no benchmark checks
      mixed  a user's kernels in every state beside a control that is flagged, a buggy kernel that passes in two
             dtypes, partial acceptance; built from a tree that is not clean
      large  100 kernels of 10,000 cases a dtype with as much of everything as evidence holds: 9,600 findings
      huge   500 kernels, 48,000 findings
      odd    the smallest objects that the program must survive: keys missing, wrong types, absurd numbers
"""
import glob
import hashlib
import json
import os
import shlex
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PROFILES = [
    ("seed", 1e-5, 1e-2, "head"), ("assert_close", 1e-5, 1.3e-6, "head"),
    ("kernelbench_v0", 1e-2, 1e-2, "v0"), ("kernelbench_v0.1", 1e-2, 1e-2, "head"),
    ("kernelbench_head", 1e-4, 1e-4, "head"), ("multikernelbench", 1e-4, 1e-4, "head"),
    ("cuda_l1", 1e-2, 1e-2, "head"), ("robust_kbench", 1e-5, 1e-5, "head"),
    ("backendbench", 1e-2, 1e-2, "head"), ("flashinfer_bench", 1e-2, 1e-2, "head"),
    ("gpu_mode", 1e-8, 1e-5, "head"), ("geak", 1e-2, 1e-1, "head"), ("ggml_nmse", 0, 1e-7, "head"),
]
DTYPES = ["f32", "f16", "bf16"]
NULLS = ["zeros", "copy of an input", "mean of the exact output", "constant 1", "untouched output"]


def number(text, below):
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) % below


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def minimal(name, folder, operator, dtype, twin, by):
    case = f"{operator}/{dtype} R=1,C={257 + number(name + dtype, 40)} values=x:normal seed=0x{number(name, 1 << 32):x} fill=a5"
    m = {"case": case, "replay": f"gpuemu replay {shlex.quote(folder)} '{case}'", "by": by, "verdict": "FAIL",
         "outputs_sha256": sha(case), "reason": "1 of 257 elements outside the allowed range",
         "elements_of_case": 257, "failed": 1,
         "elements": [{"output": "y", "index": [0, 256], "got": 0.5, "want": 0.25, "lo": 0.2499, "hi": 0.2501,
                       "exact": 0.25, "r": "inf", "S": 1.5, "tol": 1.1e-06, "got_bits": "0x3f000000", "ulps": 8388608}]}
    if dtype == "f16":  # neighbours are farther apart than the tolerance
        m["elements"][0].update(exact=0.25004, lo=0.25, hi=0.25)
    m.update({"r": "inf", "T": 12.5, "L": 26, "envelope": "sm_90 mixed"})
    if twin:
        m["twin_verdict"] = "PASS"
    return m


def error_map(name, dtype):
    rows, cols = 1 + number(name + "rows", 40), 1 + number(name + dtype + "cols", 150)
    high, wide = -(-rows // 24), -(-cols // 64)
    tiles = [[None if number(f"{name}{r}{c}", 40) == 0 else
              "inf" if number(f"{name}{c}", 50) == 0 else
              round(10.0 ** (number(f"{name}{dtype}{r},{c}", 800) / 100 - 3), 4) if c * wide > cols // 2 else 0.25
              for c in range(-(-cols // wide))] for r in range(-(-rows // high))]
    return {"case": f"softmax/{dtype} R={rows},C={cols} seed=0x1 fill=a5", "output": "y", "rows": rows, "cols": cols,
            "tile_rows": high, "tile_cols": wide, "r_over_T": tiles}


def runs(name, dtype, failing, n):
    out = []
    for i in range(n):
        key = f"{name}{dtype}{i}"
        length = 1 + number(key + "L", 2 ** (1 + i % 12))
        bad = failing and i % 3 == 0
        T = 6 + length / 4
        r = "inf" if bad and i % 9 == 0 else T * (2 + number(key, 500)) if bad else T * number(key, 1000) / 1100 * 10.0 ** -(i % 4)
        cases = 1 + number(key + "n", 40)
        out.append([length, T, r, cases, cases if bad else 0])
    return out


def lint_of(name, n):
    kinds = [("unguarded-global-access", "error", "proved"), ("divergent-barrier", "warning", "possible"),
             ("approximations", "note", "proved")]
    f = [dict(zip(("rule", "severity", "confidence"), kinds[i % 3]), message=f"place {i}: something at element {7 * i} of x",
              ptx_line=40 + i, source_line=10 + i % 17) for i in range(n)]
    count = {s: sum(x["severity"] == s for x in f) for s in ("error", "warning", "note")}
    return {"errors": count["error"], "warnings": count["warning"], "notes": count["note"],
            "assumed": f"41 launches made from the manifest of {name}", "findings": f}


def dtype_entry(k, dtype, verdict, cases=100, many_findings=0):
    name = k["name"]
    failed = 1 + number(name + dtype + "failed", cases - 1) if verdict == "FAIL" else 0
    by_value = failed - (number(name + dtype + "value", failed // 3 + 1) if failed > 1 else 0)
    finding = {"kind": "out-of-bounds-read", "error": True, "text": "reads beyond x", "entry": name, "block": [0, 0, 0],
               "thread": [1, 0, 0], "ptx_line": 40, "source_line": 12, "buffer": "x", "element": 257, "count": 3,
               "cases": failed - by_value, "case": "softmax/f32 R=1,C=257 seed=0x1 fill=a5"}
    points = runs(name, dtype, verdict == "FAIL", 80 if many_findings else 12)
    d = {"dtype": dtype, "verdict": verdict, "value": verdict, "cases": cases, "cases_failed": failed,
         "cases_failed_by_value": by_value,
         "cases_unknown": cases if verdict == "UNKNOWN" else number(name + dtype + "unknown", 3),
         "cases_unsupported": cases if verdict == "UNSUPPORTED" else 0,
         "cases_no_power": number(name + dtype + "power", 9), "elements": 100000, "elements_failed": failed * 5,
         "elements_out_of_contract": number(name + dtype + "out", 900), "elements_ill_conditioned": 3,
         "elements_unknown": 0, "elements_no_power": 40, "lane_instructions": 123456789, "r_max_passed": 1.5,
         "r_over_T": 0.25, "findings": [finding] if failed > by_value else [],
         "runs": points, "worst": {"case": f"softmax/{dtype} R=3,C=257 seed=0x7 fill=a5", "r": 1.5, "T": 6, "L": 26,
                                   "envelope": "sm_90 mixed"}}
    for i in range(many_findings):
        d["findings"].append(dict(finding, kind=["out-of-bounds-read", "uninitialised-read", "finite-to-nonfinite"][i % 3],
                                  error=i % 3 < 2, ptx_line=41 + i, source_line=3 + i, buffer="xyw"[i % 3], cases=1 + i))
    if by_value:
        d["error_map"] = error_map(name, dtype)
    if verdict == "FAIL":
        d["reason"] = "outside the allowed range"
        d["minimal"] = minimal(name, k["folder"], k["operator"], dtype, k.get("twin"),
                               "value" if by_value else "out-of-bounds-read")
    return d


def bench_of(name, operator, buggy, flash, partial=False):
    def accepted(kind, seeds):
        a = {}
        for i, (p, _, rtol, _) in enumerate(PROFILES):
            good = not buggy or (kind == "friendly" and (rtol >= 1e-4 or number(name + p, 3) > 0)) or \
                (kind != "friendly" and number(name + kind, 3) == 0 and rtol >= 1e-4)
            a[p] = seeds if good else 0
            if partial and i % 3 == 1:
                a[p] = seeds // 2
        return {"seeds": seeds, "accepted": a}
    b = {"friendly": {"case": "R=64,C=256", "set": "flash" if flash else "seed", "f32": accepted("friendly", 20),
                      "f16": accepted("friendly", 5), "bf16": accepted("friendly", 5)}}
    if operator not in ("attention", "sum"):
        b["v0"] = {"case": "R=2,C=16384", "problem": "level1/23", "original": "[16,16384], torch.randn",
                   "f32": accepted("v0", 5)}
    if operator != "sum":
        b["head"] = {"case": "R=2,C=393216 values=*:uniform(0,1)", "problem": "level1/23",
                     "original": "[4096,393216], torch.rand", "f32": accepted("head", 5)}
    return b


def kernel(name, operator, role, sets, twin=None, bug=None, bench=True, verdicts=None, partial=False, folder=None, big=False):
    expected = "FAIL" if role == "buggy" else "PASS"
    k = {"name": name, "folder": folder or f"corpus/{role}/{name}", "operator": operator, "role": role, "sets": sets,
         "sha256": sha(name), "ptx": "shipped", "coverage": {"blocks": 9, "blocks_hit": 9, "edges": 12, "edges_hit": 11,
                                                             "lines": [[3, 1], [4, 0]]},
         "toolkit": "CUDA 13.0, V13.0.88", "numerics": {"acc": "f32", "ftz": False, "chain": "C"},
         "tried": {"sizes": {"R": [0, 110], "C": [1, 15276]}, "layouts": {"contiguous": 236, "rowpad": 61},
                   "values": {v: 7 + i for i, v in enumerate(["normal", "subnormal", "wide", "ints", "inf", "nan", "maxlast"])}},
         "source_lines": [[4, "\t\treturn; // größe <&>"], [12, "\t\tfloat x1 = x[c1];"]],
         "lint": lint_of(name, 40 if big else number(name + "lint", 4))}
    if big:
        k["coverage"]["lines"] = [[i, int(number(name + str(i), 9) > 0)] for i in range(1, 200)]
    if twin:
        k["twin"] = twin
    if bug:
        k["bug_class"], k["bug"] = "TAIL", bug
    verdicts = verdicts or [expected] * len(DTYPES)
    k["dtypes"] = [dtype_entry(k, d, v, 10000 if big else 100, 32 if big else 0) for d, v in zip(DTYPES, verdicts)]
    order = ["FAIL", "UNKNOWN", "UNSUPPORTED", "PASS"]
    k["verdict"] = k["value"] = min(verdicts, key=order.index)
    k["expected"], k["as_expected"] = expected, k["verdict"] == expected
    if bench:
        k["bench"] = bench_of(name, operator, role == "buggy", sets == ["flash"], partial)
    return k


def count(kernels, only=None):
    def total(role, key):
        return sum(d.get(key, 0) for k in kernels if k["role"] == role for d in k["dtypes"] if only in (None, d["dtype"]))

    def taken(k, inp, p):
        a = k.get("bench", {}).get(inp, {}).get("f32")
        return a is not None and a["accepted"][p] == a["seeds"]
    buggy = [k for k in kernels if k["role"] == "buggy"]
    control = [k for k in kernels if k["role"] == "control"]
    s = {"buggy_total": len(buggy), "buggy_accepted_by_bench": sum(taken(k, "friendly", "seed") for k in buggy),
         "buggy_caught": sum(k["verdict"] == "FAIL" for k in buggy),
         "buggy_caught_by_value": sum(k["value"] == "FAIL" for k in buggy), "control_total": len(control),
         "control_accepted_by_bench": sum(taken(k, "friendly", "seed") for k in control),
         "control_passed": sum(k["verdict"] == "PASS" for k in control),
         "control_flagged": sum(k["verdict"] == "FAIL" for k in control)}
    for role in ("buggy", "control"):
        s[role + "_cases"], s[role + "_cases_flagged"] = total(role, "cases"), total(role, "cases_failed")
    for key, field in (("unknown", "cases_unknown"), ("unsupported", "cases_unsupported"),
                       ("cases_no_power", "cases_no_power"), ("elements_out_of_contract", "elements_out_of_contract")):
        s[key] = total("buggy", field) + total("control", field)
    s["ci95"] = {"buggy_accepted_by_bench": [0.664, 1], "buggy_caught": [0.664, 1], "control_flagged": [0, 0.218],
                 "buggy_cases_flagged": [0.5, 0.6], "control_cases_flagged": [0, 0.0008]}
    return s, taken, buggy


def summary_of(kernels, friendly, name):
    s, taken, buggy = count(kernels)
    s["buggy_accepted_by"] = {
        p: {"friendly": sum(taken(k, "friendly", p) for k in buggy), "published": sum(taken(k, own, p) for k in buggy),
            "published_total": sum(own in k.get("bench", {}) for k in buggy)} for p, _, _, own in PROFILES}
    s["friendly_null_accepted"] = [
        {"operator": f["operator"], "case": f["case"], "null": n} for f in friendly
        if name == "flash" or f["set"] == name for n, a in f["nulls"].items() if a["seed"] == f["seeds"]]
    wrong, controls = int(s["buggy_cases_flagged"]), int(s["control_cases"]) // 2
    s["policies"] = [
        {"policy": p, "rule": "abs(y-z) <= atol + rtol*abs(z)", "source": "invented", "wrong_cases": wrong,
         "caught": wrong * share // 100, "control_cases": controls, "false_alarms": controls * (100 - share) // 1000}
        for p, share in (("published per operator and type", 88), ("allclose 1e-5, 1e-2", 94),
                         ("p95 of the absolute error, times 1.5", 90), ("gpuemu", 100))]
    s["by_dtype"] = {d: count(kernels, d)[0] for d in DTYPES}
    return s


def friendly_of(kernels):
    seen, out = set(), []
    for k in kernels:
        if "bench" not in k:
            continue
        key = (k["operator"], k["bench"]["friendly"]["set"])
        if key in seen:
            continue
        seen.add(key)
        nulls = {n: {p[0]: 20 if number(key[0] + n, 6) == 0 else 0 for p in PROFILES} for n in NULLS}
        if key[0] == "attention":
            nulls["mean of V"] = {p[0]: 20 for p in PROFILES}
        out.append({"set": key[1], "operator": key[0], "case": k["bench"]["friendly"]["case"], "seeds": 20, "nulls": nulls})
    return out


def evidence(kernels, bench=True, command="gpuemu validate corpus --out build/evidence --cases 100 --jobs 2"):
    friendly = friendly_of(kernels)
    summary = {}
    for s in ("seed", "flash"):
        of_set = [k for k in kernels if s in k["sets"] and k["role"] != "user"]
        if of_set:
            summary[s] = summary_of(of_set, friendly, s)
    return {
        "schema": "gpuemu-evidence/1", "tool": {"name": "gpuemu", "version": "0.1.0", "commit": "0123456789ab", "command": command},
        "date": "2026-12-02T08:00:00Z", "seed": "0x1",
        "device": {"name": "emu-sm_90", "text": "emulated sm_90 (reference H200), PTX 9.0, 2 workers",
                   "driver": "none: the PTX is run in software"},
        "tolerance": {"name": "sm_90", "text": "tolerances/sm_90: sm_90 in software, provisional figures", "sha256": sha("table"),
                      "cells": cells() if kernels else []},
        "corpus": {"sha256": sha("corpus"), "kernels": len(kernels)},
        "options": {"cases": 100, "jobs": 2, "seconds": 0, "sanitize": True, "big": False},
        "seconds": 93.4, "cases_per_s": 83.5, "bench_seconds": 41.0 if bench else 0, "kernels": kernels,
        "profiles": [{"name": n, "rule": "abs(y-x) <= atol + rtol*abs(x)", "atol_f32": a, "rtol_f32": r,
                      "published_inputs": own, "source": "synthetic"} for n, a, r, own in PROFILES] if bench else [],
        "friendly_inputs": friendly, "summary": summary}


def seed_corpus():
    out = []
    for path in sorted(glob.glob(os.path.join(ROOT, "corpus", "*", "*", "kernel.json"))):
        m = json.load(open(path))
        out.append(kernel(os.path.basename(os.path.dirname(path)), m["operator"], m["role"], m["sets"], m.get("twin"),
                          m.get("bug")))
    return out


def many():
    long_names = ["σοφτμαξ_με_πολύ_μακρύ_όνομα_που_δεν_χωράει", "матричное_умножение_с_накоплением", "größenänderung",
                  "a" * 200, "融合注意力_kernel", "نواة", "x\ny\t<&>\"'", "noël_reduce"]
    out = []
    for i in range(75):
        role = "buggy" if i % 3 == 0 else "control"
        name = f"{long_names[i % 25]}_{i}" if i % 25 < len(long_names) else f"kernel_number_{i}"
        out.append(kernel(name, ["softmax", "gelu", "sum", "attention"][i % 4], role, ["seed"],
                          "twin" if role == "buggy" else None, "Größe σ: wrong by one." if role == "buggy" else None))
    return out


def mixed():
    bad = ["FAIL", "PASS", "FAIL"]
    return [kernel("my_softmax", "softmax", "user", [], verdicts=bad, folder="/home/me/my kernels, with a long name of their own and blanks/soft & max"),
            kernel("my_gelu", "gelu", "user", [], verdicts=["PASS", "UNKNOWN", "UNSUPPORTED"], partial=True),
            kernel("my_sum", "sum", "user", []),
            kernel("partly_wrong", "relu", "buggy", ["seed"], "flagged_control", "Wrong in f32 alone.", verdicts=["FAIL", "PASS", "PASS"]),
            kernel("flagged_control", "relu", "control", ["seed"], verdicts=["PASS", "FAIL", "PASS"], partial=True),
            kernel("missed_bug", "relu", "buggy", ["seed"], "flagged_control", "Missed.", verdicts=["PASS"] * 3)]


def large(n):
    """As much as a campaign may write: long names, all kinds of verdicts."""
    out = []
    for i in range(n):
        role = ["buggy", "control", "user"][i % 3]
        verdicts = [["FAIL"] * 3, ["PASS"] * 3, ["PASS", "UNKNOWN", "FAIL"]][i % 3]
        name = f"fused_{'very_' * (i % 9)}long_kernel_name_for_attention_with_bias_and_mask_{i}" if i % 2 else f"größe_{i}"
        out.append(kernel(name, ["softmax", "gelu", "sum", "attention", "matmul"][i % 5], role, ["seed"] if role != "user" else [],
                          "twin" if role == "buggy" else None, "Wrong by one." if role == "buggy" else None, verdicts=verdicts,
                          big=True))
    return out


def cells():
    out = []
    for op in ("softmax", "gelu", "sum", "attention", "matmul"):
        for t in DTYPES:
            for group in ("mixed", "same", "const"):
                c = {"op": op, "types": t, "family": "f32", "name": "sm_90 " + group, "group": group, "tier": "statistical",
                     "state": "envelope", "runs": 540, "coverage": 0.99, "confidence": 0.95,
                     "cases": 1 + number(op + t + group, 900), "L_lo": 4, "L_hi": 4000, "T_lo": 3.25, "T_hi": 40, "r_over_T": 0.93,
                     "t": 3.25, "slope": 0.5, "knee": 32, "elements_slope": 0.125 if group == "const" else 0, "elements_lo": 64,
                     "chain_lo": 4, "chain_hi": 4000, "narrow": int(t != "f32"), "per_op": 1, "extra": 4, "exceed": 1e-6,
                     "max": 12.5, "law": "linear", "heldout": 270, "heldout_over": 0,
                     "by_role": {"control": {"cases": 5, "r_over_T": 0.43}, "buggy": {"cases": 7, "r_over_T": 0.93}}}
                if number(op + t + group, 3) == 0:
                    c.update(state="refused", name=c["name"] + ", bound: cell refused",
                             reason="tail too heavy: shape 0.53, upper limit 0.83 over 0.25")
                elif op == "gelu":
                    c.update(group="all", name="sm_90 all", tier="bounded", runs=32, slope=0, t=1.83, max=1.46)
                out.append(c)
    return out


def odd():
    return {"schema": "gpuemu-evidence/1", "date": 7, "seed": None, "summary": {"x": 3, "<b>&": {"buggy_total": 1e308}},
            "profiles": [1, {"name": 5}, {}], "friendly_inputs": [3, {"nulls": {"z": {"seed": 0}}}], "tool": [],
            "kernels": [3, None, {}, {"name": "x", "role": "?", "dtypes": {"a": 1}},
                        {"name": "", "role": "buggy", "bench": {"friendly": {"f32": {"seeds": -1}}},
                         "dtypes": [7, {"dtype": "f32", "cases": -4, "cases_failed": 1e300, "verdict": "?"},
                                    {"dtype": "q" * 400, "cases": 0, "cases_failed": 3}]}]}


def dirty(e):
    e["tool"]["commit"] += ", with changes"
    return e


def main():
    kind = sys.argv[1]
    e = {"seed": lambda: evidence(seed_corpus()), "many": lambda: evidence(many()), "empty": lambda: evidence([], False),
         "user": lambda: evidence([kernel("my_softmax", "softmax", "user", [], bench=False, folder="work/my_softmax",
                                          verdicts=["FAIL", "PASS", "PASS"])], False, "gpuemu validate work/my_softmax"),
         "mixed": lambda: dirty(evidence(mixed())), "large": lambda: evidence(large(100)),
         "huge": lambda: evidence(large(500)), "odd": odd}[kind]()
    out = open(sys.argv[2], "w") if len(sys.argv) > 2 else sys.stdout
    json.dump(e, out, indent=1, ensure_ascii=False)
    out.write("\n")


main()
