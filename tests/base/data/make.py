#!/usr/bin/python3
"""Writes the golden files of tests/base/test_tensor_files.c with NumPy (npy) and with struct and json
alone (safetensors): python3 tests/base/data/make.py tests/base/data"""
import json
import os
import struct
import sys

import numpy as np

out = sys.argv[1]


def npy(name, a, version=None):
    with open(os.path.join(out, name), "wb") as f:
        np.lib.format.write_array(f, a, version=version, allow_pickle=False)


def ramp(n, dtype):
    return (np.arange(n) * 3 - 5).astype(dtype)


for code in ["f8", "f4", "f2", "i1", "i2", "i4", "i8"]:
    npy(f"{code}.npy", ramp(6, "<" + code).reshape(2, 3))
for code in ["u1", "u2", "u4", "u8"]:
    npy(f"{code}.npy", ramp(6, np.int64).astype("<" + code).reshape(2, 3))
npy("b1.npy", np.array([[True, False, True], [False, True, True]]))
npy("v2.npy", ramp(6, "<f4").reshape(2, 3), (2, 0))
npy("v3.npy", ramp(6, "<f4").reshape(2, 3), (3, 0))
npy("scalar.npy", np.array(2.5, "<f8"))
npy("vector.npy", ramp(5, "<f4"))
npy("empty.npy", np.zeros((3, 0, 2), "<f4"))
npy("rank8.npy", ramp(2, "<f4").reshape(1, 1, 1, 1, 1, 1, 1, 2))
npy("rank9.npy", ramp(2, "<f4").reshape(1, 1, 1, 1, 1, 1, 1, 1, 2))
npy("big_endian.npy", ramp(6, ">f4").reshape(2, 3))
npy("fortran.npy", np.asfortranarray(ramp(6, "<f4").reshape(2, 3)))
npy("complex.npy", ramp(2, "<c8"))
npy("record.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))

tensors, data, header = [
    ("weight", "F32", [2, 3], ramp(6, "<f4").tobytes()),
    ("half", "F16", [4], ramp(4, "<f2").tobytes()),
    ("bfloat", "BF16", [2], struct.pack("<HH", 0x3F80, 0xC000)),
    ("e4m3", "F8_E4M3", [3], bytes([0x38, 0x7E, 0x80])),
    ("e5m2", "F8_E5M2", [1], bytes([0x7B])),
    ("count", "I64", [], struct.pack("<q", -(2**60) - 1)),
    ("mask", "BOOL", [2, 1], bytes([1, 0])),
    ("none", "F64", [0, 7], b""),
], b"", {"__metadata__": {"made by": "make.py"}}
for name, dtype, shape, bits in tensors:
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(bits)]}
    data += bits
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(os.path.join(out, "mixed.safetensors"), "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + data)
