#!/bin/bash
# What readers of the PDF alone were misled by, each held against the evidence: counts of seeds, tables and the grid cut by a
# page's end, counts without interval, the answer on replaying where nothing fails.
. tests/report/kit.sh
draws
need pdftotext python3

report() { # KIND: its evidence, its report as text
	python3 $here/make_evidence.py "$1" "$dir/$1.json" || fail "make_evidence.py $1"
	"$B/gpuemu-report" --format pdf "$dir/$1.json" -o "$dir/$1" || fail "$1: exit status $?"
	pdftotext -layout "$dir/$1/report.pdf" "$dir/$1.txt"
}
report seed
report empty
grep -q "By the command in grey on its kernel's page: the same bytes" "$dir/empty.txt" || fail "how a failure is replayed, where none is"

python3 - "$dir" <<'END' || bad=1
import collections, json, math, re, sys
dir, bad = sys.argv[1], False
e = json.load(open(dir + "/seed.json"))
pages = open(dir + "/seed.txt").read().split("\f")

def fail(why):
    global bad
    bad = True
    print("FAILED:", why)

# "rejects 5 of 5", and never "rejects 0 of 5" for a check that accepts at none of 5 seeds
want = collections.Counter()
for k in e["kernels"]:
    for kind, given in k["bench"].items():
        for dtype in ("f32", "f16", "bf16") if kind == "friendly" else ("f32",):
            seeds = given[dtype]["seeds"]
            for a in given[dtype]["accepted"].values():
                want[("accepts", a, seeds) if a == seeds else ("rejects", seeds - a, seeds)] += 1
got = collections.Counter()
for page in pages:
    page = re.sub(r"“rejects 3 of 5”", "", " ".join(page.split()))
    for word, n, of in re.findall(r"\b(accepts|rejects) (\d+) of (\d+)", page):
        got[word, int(n), int(of)] += 1
if got != want:
    fail(f"what the checks say: {got}, not {want}")

# what fits on a page is on one
whole = [p for p in pages if "Published one-shape checks, as measured" in p]
if len(whole) < len(e["kernels"]) / 2 or not all("ggml_nmse" in p for p in whole):
    fail("a table of checks goes on over a page's end")
grid = [p for p in pages[2:] if "Verdicts of every oracle" in p]
if len(grid) != 1 or not all(k["name"] in grid[0] for k in e["kernels"]):
    fail("the grid of verdicts goes on over a page's end")

# every share of a set with its interval; 5 of 9 is 21.2 to 86.3 % (Clopper and Pearson's, by bisection of the binomial sum)
counts = next(p for p in pages if re.search(r"^ *Counts$", p, re.M)).split("\n")
shares = [l for l in counts if re.match(r" *(buggy|controls|cases of|the same|by output|on KernelBench)", l) and re.search(r"\d of \d", l)]
if len(shares) < 9 or any(len(re.findall(r"\d of \d", l)) != len(re.findall(r"\d–[\d.]+ %", l)) for l in shares):
    fail("a share without its interval: " + "\n".join(shares))
own = [l for l in shares if "KernelBench's own" in l]
n, of = map(int, re.search(r"(\d+) of (\d+)", own[0]).groups())
below = lambda k, p: sum(math.comb(of, i) * p**i * (1 - p) ** (of - i) for i in range(k + 1))
def solve(f):
    lo, hi = 0, 1
    for _ in range(60):
        lo, hi = ((lo + hi) / 2, hi) if f((lo + hi) / 2) else (lo, (lo + hi) / 2)
    return lo
lo, hi = solve(lambda p: 1 - below(n - 1, p) < 0.025), solve(lambda p: below(n, p) > 0.025)
if f"{math.floor(100 * lo)}–{math.ceil(100 * hi)} %" not in own[0]:
    fail(f"not {100 * lo} to {100 * hi} %: {own[0]}")
if not any(re.search(r"\d,\d{3} of \d,\d{3}", l) for l in shares):
    fail("counts of thousands without a comma: " + "\n".join(shares))
sys.exit(bad)
END

# A campaign on a GPU (one whose kernels do nothing): its lines name the device, for the emulator passes what fails there; what a
# GPU does not tell is not told: accesses, blocks that ran. So does a campaign with a table of its own.
text() { pdftotext -layout "$dir/$1/report.pdf" - | tr -s ' \n' '  ' >"$dir/$1.txt"; }
cc -D_GNU_SOURCE -shared -fPIC -o "$dir/libcuda.so" tests/device/fake_cuda.c || fail "the fake does not compile"
GPUEMU_LIBCUDA=$dir/libcuda.so "$B/gpuemu" validate corpus/buggy/leaky_relu_alpha --device cuda:0 --cases 4 --dtype f32 --no-bench --quiet \
	--tolerances bound --out "$dir/gpu" >"$dir/log" 2>&1
"$B/gpuemu-report" "$dir/gpu/evidence.json" -o "$dir/gpu" && text gpu
for words in 'gpuemu replay --device cuda:0 --tolerances bound corpus/buggy/leaky_relu_alpha' 'Its accesses were not watched' \
	'Not measured: only the emulator sees' 'a GPU does not tell of them' 'on a device of that name'; do
	grep -qF "$words" "$dir/gpu.txt" || fail "of a campaign on a GPU is not told: $words ($(tail -n 1 "$dir/log"))"
done
for words in 'sanitizers on;' 'No access is out of bounds' '0 of 0 basic blocks' 'The PTX names no source lines' 'without a GPU\. Page'; do
	! grep -q "$words" "$dir/gpu.txt" || fail "of a campaign on a GPU is told: $words"
done
"$B/gpuemu" validate corpus/buggy/leaky_relu_alpha --cases 4 --dtype f32 --no-bench --quiet --no-sanitize --out "$dir/off" >"$dir/log" 2>&1
"$B/gpuemu-report" "$dir/off/evidence.json" -o "$dir/off" && text off
grep -q 'Its accesses were not watched' "$dir/off.txt" || fail "without sanitizers: accesses are told"

# Why a kernel has no verdict, with a case and without one.
python3 - "$dir" <<'END'
import json, sys
e = json.load(open(sys.argv[1] + "/off/evidence.json"))
k = e["kernels"][0]
d = k["dtypes"][0]
k.update(verdict="UNKNOWN", value="UNKNOWN", role="user")
d.update(verdict="UNKNOWN", value="UNKNOWN", cases_failed=0, cases_failed_by_value=0, cases_unknown=4, reason="the reason of f32")
d["minimal"].update(verdict="UNKNOWN", by="instruction-budget", reason="its budget is spent")
d["findings"] = [{"kind": "instruction-budget", "error": True, "text": "spent", "entry": "k", "block": [0, 0, 0], "thread": [0, 0, 0],
                  "ptx_line": 0, "source_line": 0, "buffer": "", "element": 0, "count": 1, "cases": 4, "case": d["minimal"]["case"]}]
other = json.loads(json.dumps(d))
other.update(dtype="f16", verdict="UNSUPPORTED", reason="the reason of f16")
del other["minimal"]
k["dtypes"].append(other)
json.dump(e, open(sys.argv[1] + "/open.json", "w"))
END
"$B/gpuemu-report" "$dir/open.json" -o "$dir/open" && text open
for words in 'Smallest undecided cases' 'f32: its budget is spent' 'Not decided: UNKNOWN, by the finding instruction-budget.' \
	'f16 is UNSUPPORTED, for its first undecided case: the reason of f16.' 'No case of it fails, and it could not be decided.'; do
	grep -qF "$words" "$dir/open.txt" || fail "of an undecided kernel is not told: $words"
done
! grep -q 'It fails in and\|Fails by the finding\|PTX line 0' "$dir/open.txt" || fail "an undecided kernel is told to fail"
exit $bad
