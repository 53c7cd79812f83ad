#!/usr/bin/env python3
"""Independent reference for cases/values.c: makes the SHA-256 values of tests/cases/test_values.c.

Python integers and IEEE doubles, numpy for the rounding to f32 and f16; written from the description of
the format (base/philox.c, cases/values.c), sharing only the committed table of normal quantiles.
Run from the repository's root: /usr/bin/python3 tests/cases/data/values_reference.py"""
import hashlib
import math
import re
import struct

import numpy as np

TABLE = [float.fromhex(x) for x in re.findall(r"[-0-9a-fx.p+]+(?=,)", open("cases/normal_table.inc").read())]
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def philox(ctr, key):
    c, k = list(ctr), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & M32, (p0 >> 32) ^ c[3] ^ k[1], p0 & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


def word(seed, stream, i):
    b = i >> 1
    o = philox([b & M32, b >> 32, stream & M32, stream >> 32], [seed & M32, seed >> 32])
    return o[2] | o[3] << 32 if i & 1 else o[0] | o[1] << 32


def unit(w):
    return (w >> 11) * 2.0 ** -53


def normal_of(w, w2):
    k, v = 0, w | 1 << 39
    while not v >> k & 1:
        k += 1
    at = 32 * k + (w >> 41 & 31)
    z = TABLE[at] + (TABLE[at + 1] - TABLE[at]) * unit(w2)
    return -z if w >> 63 else z


def normal(seed, t, i):
    return normal_of(word(seed, 16 * t, 2 * i), word(seed, 16 * t, 2 * i + 1))


def rows(seed, t, r):
    return word(seed, 16 * t + 1, r)


def value(name, seed, t, i, K):
    w, w2 = word(seed, 16 * t, 2 * i), word(seed, 16 * t, 2 * i + 1)
    if name == "normal(1,2)":
        return 1 + 2 * normal_of(w, w2)
    if name == "uniform(-1,3)":
        return -1 + 4 * unit(w)
    if name == "wide(10)":
        m = math.ldexp(1 + unit(w2), -10 + w % 21)
        return -m if w >> 63 else m
    if name == "ints(5)":
        return float(w % 11 - 5)
    if name == "rising(4,2)":
        return float(i % K // 4) * 2 + normal_of(w, w2)
    if name == "onehot(7)":
        r = rows(seed, t, i // K)
        return 0.0 if i % K != (r >> 8) % K else 1.0 if r & 1 else 7.0
    raise KeyError(name)


def encode(x, dt):
    if dt == "f32":
        return np.float32(x).tobytes()
    if dt == "f16":
        return np.float16(x).tobytes()
    # bf16: f64 to nearest even at 8 bits (values here are normal numbers or zero)
    if x == 0:
        return b"\0\0"
    m, e = math.frexp(x)
    v = round(m * 256)  # Python rounds halves to even
    return struct.pack("<f", math.ldexp(v, e - 8))[2:]


for dt, shape, name, seed in [("f32", (3, 33), "normal(1,2)", 0x9F3C21), ("f16", (3, 33), "normal(1,2)", 7),
                              ("bf16", (5, 17), "normal(1,2)", 1 << 60), ("f32", (7, 11), "uniform(-1,3)", 1),
                              ("f16", (2, 64), "wide(10)", 3), ("bf16", (4, 9), "ints(5)", 12),
                              ("f32", (3, 21), "rising(4,2)", 99), ("f32", (6, 5), "onehot(7)", 5)]:
    R, K = shape
    data = b"".join(encode(value(name, seed, 0, i, K), dt) for i in range(R * K))
    print('\t{"softmax/%s R=%d,C=%d values=x:%s seed=0x%x fill=00",\n\t "%s"},'
          % (dt, R, K, name, seed, hashlib.sha256(data).hexdigest()))
