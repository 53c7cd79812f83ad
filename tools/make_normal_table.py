#!/usr/bin/env python3
"""Makes cases/normal_table.inc: the normal quantile for the value generator.

Row j = 32*k + i (k octave 0..39, i 0..31), and one last row: z with upper tail probability
p = 2^-(k+1) * (1 - i/64), that is, p falls from 1/2 (z = 0) to 2^-41. Values by scipy.special.ndtri,
printed as hex floats: the committed table, not this script, defines the bytes of every case.
Run: python3 tools/make_normal_table.py > cases/normal_table.inc"""
from scipy.special import ndtri

OCTAVES, STEPS = 40, 32
for k in range(OCTAVES):
    row = []
    for i in range(STEPS):
        p = 2.0 ** -(k + 1) * (1 - i / (2 * STEPS))
        row.append(float(-ndtri(p)) + 0.0)
    for i in range(0, STEPS, 4):
        print("\t" + " ".join(z.hex() + "," for z in row[i:i + 4]))
print("\t" + float(-ndtri(2.0 ** -(OCTAVES + 1))).hex() + ",")
