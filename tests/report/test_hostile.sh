#!/bin/bash
# Files with wrong values in them never crash the report, the charts or the tables: hostile.py, a few rounds of it.
set -u
: "${B:=build}"
# as in test_draw.sh: caches of fontconfig and Pango look like leaks
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
command -v python3 >/dev/null || {
	echo "skipped: python3 is not installed"
	exit 77
}
exec python3 tests/report/hostile.py "$B/gpuemu-report" "$B/gpuemu" "${GPUEMU_ROUNDS:-12}" 5
