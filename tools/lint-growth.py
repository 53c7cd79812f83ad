#!/usr/bin/env python3
"""lint-growth.py GPUEMU FOLDER - how the time of gpuemu lint grows with the text, as JSON: lint.largest_seconds, the kernel of the corpus and of
calibrate/kernels whose PTX is longest, with its manifest; lint.mib_per_s, of its PTX eight times in one file (entries renamed), without; lint.growth, the time
for eight over eight times that for one (1: linear). Each the least of three runs."""
import glob, json, os, re, subprocess, sys, time

gpuemu, folder = sys.argv[1:]


def seconds(*arguments):
    best = float("inf")
    for _ in range(3):
        start = time.monotonic()
        subprocess.run([gpuemu, "lint", *arguments], stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.monotonic() - start)
    return best


def copies(text, n):
    """n times the entries of a module, under one head."""
    at = text.index(".visible .entry")
    at = text.rindex("\n", 0, at) + 1
    head, body, files = text[:at], text[at:], ""
    end = re.search(r"^\s*\.file\s", body, re.M)  # the table of files, and what follows
    if end:
        body, files = body[:end.start()], body[end.start():]
    names = re.findall(r"\.entry\s+([A-Za-z_$][\w$]*)", body)
    out = [head]
    for k in range(n):
        out.append(re.sub(r"\b(" + "|".join(names) + r")(?=\(|_param_)", rf"\1_copy{k}", body))
    return "".join(out) + files


ptx = max(glob.glob("corpus/*/*/kernel.ptx") + glob.glob("calibrate/kernels/*/kernel.ptx"), key=os.path.getsize)
text = open(ptx).read()
took = {}
for n in (1, 8):
    path = os.path.join(folder, f"lint-{n}.ptx")
    with open(path, "w") as f:
        f.write(copies(text, n))
    took[n] = seconds(path)
    size = os.path.getsize(path)
print(json.dumps({"lint.largest_seconds": seconds(os.path.dirname(ptx)), "lint.mib_per_s": size / 2**20 / took[8],
                  "lint.growth": took[8] / (8 * took[1])}))
