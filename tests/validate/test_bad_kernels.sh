#!/bin/bash
# Kernels that write out of bounds, never end, trap and ask for too much: each ends as a finding, in a campaign that
# completes. tools/fidelity.sh runs the same on a GPU.
set -u
gpuemu=${B:-build}/gpuemu
dir=$(mktemp -d /tmp/gpuemu-bad.XXXXXX)
trap 'rm -rf "$dir"' EXIT
bad=0
"$gpuemu" validate tests/validate/bad --cases 12 --no-bench --quiet --out "$dir/out" >"$dir/table" 2>&1
[ $? -eq 1 ] || bad=1
[ "$(wc -l <"$dir/out/cases.jsonl")" -eq 49 ] || bad=1
while read -r name verdict kind; do
	grep -q "^$name  *user .* $verdict .*$kind" "$dir/table" || {
		echo "$name is not $verdict by $kind"
		bad=1
	}
	grep -q "^$name: $kind: " "$dir/table" || {
		echo "$name: the reason is not told"
		bad=1
	}
done <<END
endless UNKNOWN instruction-budget
greedy FAIL launch-limit
outside FAIL out-of-bounds-write
trap FAIL trap
END
[ $bad -eq 0 ] || cat "$dir/table"
exit $bad
