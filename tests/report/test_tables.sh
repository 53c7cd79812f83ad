#!/bin/bash
# Every table in every format, read back by python3: the same rows and figures in all of them, nothing in a name ends a
# cell or a row, and the figures are those of the evidence.
. tests/report/kit.sh
need python3

p=$B/gpuemu
for kind in seed many empty user mixed odd; do
	python3 tests/report/make_evidence.py $kind "$dir/$kind.json" || fail "make_evidence.py $kind"
	"$p" report --tables "$dir/$kind.json" results tolerances/sm_90.json tolerances/h200.json -o "$dir/$kind" ||
		fail "$kind: exit status $?"
done
python3 - "$dir" seed many empty user mixed odd <<'END' || bad=1
import csv, glob, json, os, re, sys
dir, bad = sys.argv[1], 0
def fail(text):
    global bad
    print("FAILED:", text)
    bad = 1
def split(line, sep):  # at separators without a backslash before them
    return re.split(r"(?<!\\)" + re.escape(sep), line)
for kind in sys.argv[2:]:
    names = sorted(os.path.basename(f)[:-5] for f in glob.glob(f"{dir}/{kind}/*.json"))
    want = {"summary", "kernels", "checks", "bench", "nulls", "cells", "states", "devices", "policies", "set_policies", "strategies", "mutation",
            "coverage", "calibration",
            "fidelity", "math", "lint", "rules", "twins"}
    if set(names) != want:
        fail(f"{kind}: {names}")
    for n in names:
        stem = f"{dir}/{kind}/{n}"
        rows = json.load(open(stem + ".json"))["rows"]
        table = list(csv.DictReader(open(stem + ".csv", newline="")))
        md = open(stem + ".md").read().splitlines()
        tex = open(stem + ".tex").read().split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
        if not len(rows) == len(table) == len(md) - 2 == len(tex):
            fail(f"{kind} {n}: {len(rows)} rows in JSON, {len(table)} CSV, {len(md) - 2} Markdown, {len(tex)} LaTeX")
            continue
        for r, c, m, t in zip(rows, table, md[2:], tex):
            if None in c or None in c.values():
                fail(f"{kind} {n}: a CSV row has another number of fields: {c}")
            if len(split(m, "|")) != len(r) + 2:
                fail(f"{kind} {n}: Markdown cells: {m}")
            if len(split(t, "&")) != len(r) or not t.endswith(" \\\\"):
                fail(f"{kind} {n}: LaTeX cells: {t}")
            for k, v in r.items():
                if isinstance(v, str) and v not in ("inf", "-inf") and v != c[k]:
                    fail(f"{kind} {n}: {k}: {v!r} is {c[k]!r} in CSV")
                if isinstance(v, dict):
                    if abs(v["share"] - v["x"] / v["n"]) > 1e-15 or float(c[k + "_x"]) != v["x"] or float(c[k + "_n"]) != v["n"]:
                        fail(f"{kind} {n}: {k}: {v} against {c}")
                    if "lo" in v and not v["lo"] <= v["share"] <= v["hi"]:
                        fail(f"{kind} {n}: {k}: the interval does not hold the share: {v}")
                    if "{:,.0f}/{:,.0f}".format(v["x"], v["n"]) not in m:
                        fail(f"{kind} {n}: {k}: {v} is not in {m}")
                if isinstance(v, (int, float)) and c[k] and float(c[k]) != v:
                    fail(f"{kind} {n}: {k}: {v} against {c[k]}")
        macros = [re.fullmatch(r"\\newcommand\{\\([A-Za-z]+)\}\{(.+)\}", l) for l in open(stem + ".macros.tex")
                  .read().splitlines() if not l.startswith("%")]
        if None in macros:
            fail(f"{kind} {n}: a line of macros is none")
            continue
        defined = [m.group(1) for m in macros]
        if len(defined) != len(set(defined)):
            fail(f"{kind} {n}: a macro is defined twice")
        if n in ("policies", "fidelity") and not defined:
            fail(f"{kind} {n}: no macros")

# against the sources, read here
e = json.load(open(f"{dir}/seed.json"))
rows = {r["set"]: r for r in json.load(open(f"{dir}/seed/summary.json"))["rows"]}
for name, s in e["summary"].items():
    r = rows[name]
    if (r["caught"]["x"], r["caught"]["n"], r["flagged"]["x"]) != (s["buggy_caught"], s["buggy_total"], s["control_flagged"]):
        fail(f"summary {name}: {r}")
for r, p in zip(json.load(open(f"{dir}/seed/policies.json"))["rows"], json.load(open("results/calibration.json"))["policies"]):
    if r["policy"] != p["policy"] or abs(r["recall"]["share"] - p["recall"]) > 1e-12:
        fail(f"policies: {r} against {p}")
    lo, hi = r["false_alarms"]["lo"], r["false_alarms"]["hi"]
    if p["false_alarms"] == 0 and (lo != 0 or abs(hi - (1 - 0.025 ** (1 / p["control_cases"]))) > 1e-9):
        fail(f"policies: the upper limit of none of {p['control_cases']} is {hi}")
for t in ("sm_90",):
    cells = json.load(open(f"tolerances/{t}.json"))["cells"]
    rows = json.load(open(f"{dir}/seed/cells.json"))["rows"]
    if [(r["op"], r["types"], r["state"], r["runs"]) for r in rows] != [(c["op"], c["types"], c["state"], c["runs"]) for c in cells]:
        fail("cells are not those of the table")
sys.exit(bad)
END

# names, formats and inputs that are wrong; a table whose data are not there
expect() {
	want=$1 text=$2
	shift 2
	"$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	[ $rc -eq "$want" ] || fail "'$*' ended with $rc, not $want"
	grep -qF -- "$text" "$dir/err" || fail "'$*' did not say '$text': $(head -c 300 "$dir/err")"
}
expect 2 "there is no table 'pie'" "$p" report --table pie "$dir/seed.json"
expect 2 "unknown format 'xls'" "$p" report --table kernels --format xls "$dir/seed.json"
expect 2 "the table cells cannot be made: no tolerance table given" "$p" report --table cells "$dir/seed.json"
expect 2 "none.json" "$p" report --table cells "$dir/none.json"
"$p" report --list-tables "$dir/seed.json" | grep -A1 '^cells ' | grep -q 'absent: no tolerance table' || fail "--list-tables"
"$p" report --table kernels --format csv "$dir/seed.json" -o "$dir/k.csv" || fail "-o"
cmp "$dir/k.csv" "$dir/seed/kernels.csv" || fail "one table is not as among all of them"
exit $bad
