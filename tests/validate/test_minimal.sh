#!/bin/bash
# Each buggy kernel of the corpus is caught by value by a small campaign; its minimal failing case gives the same
# bytes in another process and FAILs there, and its control twin PASSes the same case.
set -u
gpuemu=${B:-build}/gpuemu
dir=$(mktemp -d /tmp/gpuemu-minimal.XXXXXX)
trap 'rm -rf "$dir"' EXIT
die() {
	echo "$*"
	exit 1
}
"$gpuemu" validate corpus/buggy --quiet --no-bench --dtype f32 --cases 64 --jobs 1 --out "$dir" >"$dir/table" 2>&1 ||
	die "exit $?: not every buggy kernel FAILs: $(cat "$dir/table")"
# folder, case and sha256 of each minimal case
awk -F '"' '
	$2 == "replay" { split($4, a, "'\''"); split(a[1], w, " "); folder = w[3]; line = a[2] }
	$2 == "outputs_sha256" && folder != "" { print folder "|" line "|" $4; folder = "" }
' "$dir/evidence.json" >"$dir/minimal"
[ "$(wc -l <"$dir/minimal")" -eq 10 ] || die "not ten minimal cases"
while IFS='|' read -r folder line sha; do
	"$gpuemu" replay "$folder" "$line" >"$dir/out" 2>&1
	[ $? -eq 1 ] || die "$folder '$line' does not FAIL: $(cat "$dir/out")"
	grep -q "^outputs  sha256 $sha\$" "$dir/out" || die "$folder '$line' gives other bytes"
	grep -q "^by value FAIL" "$dir/out" || die "$folder '$line' does not fail by value"
	grep -q "^wrong elements" "$dir/out" || die "$folder: no wrong element is shown"
	"$gpuemu" replay --no-sanitize "$folder" "$line" >/dev/null 2>&1
	[ $? -eq 1 ] || die "$folder '$line' passes without sanitizers"
	twin=$(sed -n 's/.*"twin": "\([a-z_0-9]*\)".*/\1/p' "$folder/kernel.json")
	"$gpuemu" replay "corpus/control/$twin" "$line" >"$dir/out" 2>&1 ||
		die "the twin $twin does not PASS '$line': $(cat "$dir/out")"
done <"$dir/minimal"
grep -c '"twin_verdict": "PASS"' "$dir/evidence.json" | grep -qx 10 || die "the evidence has no ten twins that PASS"
exit 0
