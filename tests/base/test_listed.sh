#!/bin/sh
# test_listed.sh - every test function of every test program is in that program's list (one that is
# not would never run, and nobody would notice).
set -eu
cd "$(dirname "$0")/../.."
bad=0
for f in tests/*/test_*.c; do
	for name in $(sed -n 's/^static void \([a-z0-9_A-Z]*\)(void \*\*[a-z_]*)$/\1/p' "$f"); do
		if [ "$(grep -cw "$name" "$f")" -lt 2 ]; then
			echo "$f: $name is in no list"
			bad=1
		fi
	done
done
exit $bad
