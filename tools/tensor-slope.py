#!/usr/bin/env python3
"""tensor-slope.py OUT.json RUNS... - how the scaled error of matmul grows with K, by kernel: the slope of log r over log K
(least squares, 95 % interval) over runs with K >= 32 whose terms are all of one sign (value classes `same` and
`uniform`), and the median of r/K. RUNS: runs files of `gpuemu calibrate` (--only matmul calibrate/kernels, and on a
GPU calibrate/tensor). Truncation drifts like K, rounding to nearest like its root (docs/facts/accuracy.md §4.2)."""
import collections, json, math, re, statistics, sys


def runs(path):
    with open(path) as f:
        header = json.loads(f.readline())
        for line in f:
            d = json.loads(line)
            k = re.search(r"\bK=(\d+)", d["case"])
            v = re.search(r" values=(\S+)", d["case"])
            if k and v and set(re.findall(r":(\w+)", v[1])) <= {"same", "uniform"} and float(d["r"]) > 0:
                if "broadcast" not in d["case"] and int(k[1]) >= 32:
                    yield header["device"], d["kernel"], d["case"].split()[0].split("/")[1], int(k[1]), float(d["r"])


def slope(points):
    x, y = [math.log(k) for k, _ in points], [math.log(r) for _, r in points]
    mx, my, n = statistics.fmean(x), statistics.fmean(y), len(x)
    sxx = sum((a - mx) ** 2 for a in x)
    b = sum((a - mx) * (c - my) for a, c in zip(x, y)) / sxx
    s = math.sqrt(sum((c - my - b * (a - mx)) ** 2 for a, c in zip(x, y)) / (n - 2) / sxx)
    return b, b - 1.96 * s, b + 1.96 * s


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    groups = collections.defaultdict(list)
    for path in sys.argv[2:]:
        for device, kernel, types, k, r in runs(path):
            groups[kernel, types, device].append((k, r))
    rows = []
    for (kernel, types, device), points in sorted(groups.items()):
        if len(points) < 20:
            continue
        b, lo, hi = slope(points)
        rows.append({"kernel": kernel, "types": types, "device": device, "runs": len(points), "K": [min(points)[0], max(points)[0]],
                     "slope": round(b, 3), "slope_lo": round(lo, 3), "slope_hi": round(hi, 3),
                     "r_over_K": float("%.3g" % statistics.median(r / k for k, r in points))})
        print("%-18s %-5s %4d runs  slope %.2f [%.2f, %.2f]  r/K %.3g" %
              (kernel, types, len(points), b, lo, hi, rows[-1]["r_over_K"]))
    with open(sys.argv[1], "w") as f:
        json.dump({"command": "tools/tensor-slope.py OUT RUNS...", "rows": rows}, f, indent=1)
        f.write("\n")


main()
