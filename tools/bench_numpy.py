#!/usr/bin/python3
"""bench_numpy.py - the plain float64 references that tools/bench_oracle.c is compared with.

Reads one name a line (softmax, layernorm: 2048x2048; gelu: 4 Mi elements), computes that reference once
from float32 data in float64, the conversion included, as a user would write it, and prints the seconds it
took. `version` prints what is used. One thread."""
import os
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy
from scipy.special import erf

rng = np.random.default_rng(1)
rows = rng.standard_normal((2048, 2048)).astype(np.float32)
flat = rng.standard_normal(1 << 22).astype(np.float32)
weight = rng.standard_normal(2048).astype(np.float32)
bias = rng.standard_normal(2048).astype(np.float32)


def softmax():
    x = rows.astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layernorm():
    x = rows.astype(np.float64)
    d = x - x.mean(axis=1, keepdims=True)
    va = (d * d).mean(axis=1, keepdims=True)
    return d / np.sqrt(va + 1e-5) * weight.astype(np.float64) + bias.astype(np.float64)


def gelu():
    x = flat.astype(np.float64)
    return 0.5 * x * (1 + erf(x / np.sqrt(2.0)))


for line in sys.stdin:
    name = line.strip()
    if name == "version":
        print("numpy %s, scipy %s" % (np.__version__, scipy.__version__), flush=True)
        continue
    start = time.perf_counter()
    globals()[name]()
    print("%.9f" % (time.perf_counter() - start), flush=True)
