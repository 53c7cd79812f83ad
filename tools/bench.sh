#!/bin/sh
# bench.sh BUILD - measures speed on one core and writes build/bench.json, flat keys to numbers:
#   oracle.NAME.ratio             certified evaluation over plain numpy float64 (matmul: over dgemm of the same BLAS)
#   oracle.NAME.ratio_with_scale  the same with the error scale
#   oracle.NAME.mpfr_fraction     part of the elements that needed MPFR
#   emu.NAME.glips                G lane instructions a second, sanitizers off; .glips_sanitized: on
#   report.seconds, .megabytes    the audit report of 100 kernels of 10,000 cases a dtype with 9,600 findings (synthetic)
#   lint.NAME                     of lint-growth.py: seconds for the longest kernel, and how time grows with the text
#   campaign.cases_per_s          cases a second of a campaign over the corpus, all processors
# Tables for people go to standard error.
set -eu
b=$1
oracle=$b/bench-oracle.json campaign=$b/bench-campaign report=$b/bench-report
run() { "$b/gpuemu" run --json --repeat 7 "$@"; }
softmax='softmax/f32 R=256,C=1000 seed=0x1 fill=a5' matmul='matmul/f32 M=128,N=128,K=256 seed=0x1 fill=a5'
"$b/tools/bench_oracle" >"$oracle"
"$b/gpuemu" validate corpus --no-bench --cases 64 --quiet --out "$campaign" >/dev/null
mkdir -p "$report"
/usr/bin/python3 tests/report/make_evidence.py large "$report/large.json"
/usr/bin/python3 - "$b/gpuemu-report" "$report" <<'PY'
import json, resource, subprocess, sys, time
program, folder = sys.argv[1:]
start = time.monotonic()
subprocess.run([program, folder + "/large.json", "-o", folder], check=True)
r = {"report.seconds": time.monotonic() - start,
     "report.megabytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024}
json.dump(r, open(folder + "/bench.json", "w"))
PY
python3 tools/lint-growth.py "$b/gpuemu" "$report" >"$report/lint.json"
/usr/bin/python3 - "$oracle" "$campaign/evidence.json" "$report/bench.json" "$report/lint.json" build/bench.json \
	"$(run --no-sanitize corpus/control/softmax "$softmax")" "$(run corpus/control/softmax "$softmax")" \
	"$(run --no-sanitize corpus/control/matmul_tiled "$matmul")" "$(run corpus/control/matmul_tiled "$matmul")" <<'PY'
import json, sys
oracle, evidence, report, lint, out, *runs = sys.argv[1:]
r = json.load(open(oracle))
for key, run in zip(("softmax.glips", "softmax.glips_sanitized", "matmul_tiled.glips", "matmul_tiled.glips_sanitized"), runs):
    r["emu." + key] = json.loads(run)["glips"]
r.update(json.load(open(report)))
r.update(json.load(open(lint)))
r["campaign.cases_per_s"] = json.load(open(evidence))["cases_per_s"]
text = json.dumps(r, indent="\t")
open(out, "w").write(text + "\n")
print(text)
PY
