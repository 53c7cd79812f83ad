#!/usr/bin/python3
"""make_cases.py EVIDENCE.json N - a cases.jsonl for synthetic evidence (make_evidence.py), on the standard output: N
cases a kernel and dtype in the form of validate/record.h, as many of them failing as the evidence says. The figures mean
nothing."""
import json
import sys


def record(k, d, i, failing):
    op = k["operator"]
    case = f"{op}/{d['dtype']} R=3,C={i + 1} layout=x:rowpad{i % 8} values=x:normal seed=0x{i:x} fill=a5"
    r = {"kernel": k["name"], "dtype": d["dtype"], "i": i, "case": case, "verdict": "FAIL" if failing else "PASS",
         "value": "PASS", "elements": 3 * (i + 1), "failed": 2 if failing else 0, "out_of_contract": 0, "ill": 0, "unknown": 0,
         "weak": 0, "r": "inf" if failing else 0.25, "q": None, "T": 12.5, "L": 8 + i, "envelope": "sm_90 mixed",
         "family": "f32", "power": True, "abs_error": 1.5e-6, "allclose": True, "new_edges": 0, "outputs_sha256": "0" * 64,
         "lane_instructions": 123456}
    if failing:
        r["findings"] = [{"kind": "out-of-bounds-read", "error": True, "text": "reads beyond x", "entry": "k", "block": [0, 0, 0],
                          "thread": [1, 0, 0], "ptx_line": 40, "source_line": 12, "buffer": "x", "element": 257, "count": 3}]
    r["ms"] = 0.5
    return r


def main():
    e, n = json.load(open(sys.argv[1])), int(sys.argv[2])
    print(json.dumps({"gpuemu": "0.1.0", "format": 1, "seed": e["seed"], "kernels": [k["sha256"] for k in e["kernels"]]}))
    for k in e["kernels"]:
        for d in k["dtypes"]:
            failed, of = d["cases_failed"], max(d["cases"], 1)
            for i in range(n):
                print(json.dumps(record(k, d, i, (i + 1) * failed // of > i * failed // of), separators=(",", ":")))


main()
