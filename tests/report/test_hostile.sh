#!/bin/bash
# Files with wrong values in them never crash the report, the charts or the tables: hostile.py, a few rounds of it.
. tests/report/kit.sh
draws
need python3
python3 tests/report/hostile.py "$B/gpuemu-report" "$B/gpuemu" "${GPUEMU_ROUNDS:-12}" 5
