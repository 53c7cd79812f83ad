#!/bin/bash
# A reader with the PDF alone copies a command from it into a shell: it runs the same case, which gives the outputs that the
# evidence has the SHA-256 of. The case is so long that it takes two lines.
set -u
: "${B:=build}"
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
for tool in python3 pdftotext; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed (poppler-utils, python3)"
		exit 77
	}
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}

cp -R corpus/buggy/attention_no_scale "$dir/a kernel's folder" || exit 1
"$B/gpuemu" validate "$dir/a kernel's folder" --out "$dir" --cases 6 --dtype f32 --jobs 1 --no-bench --quiet >"$dir/log" 2>&1
[ $? -le 1 ] || fail "validate: $(tail -n 2 "$dir/log")"
"$B/gpuemu-report" "$dir/evidence.json" -o "$dir" || fail "the report"
pdftotext -raw "$dir/report.pdf" "$dir/text" || fail "pdftotext"
# from "gpuemu replay" to the line that ends with a quote, as a reader would mark it
sed -n "/^gpuemu replay /,/'\$/p;" "$dir/text" | sed "/'\$/q" >"$dir/copied"
[ "$(wc -l <"$dir/copied")" -gt 1 ] || fail "the command is on one line: $(cat "$dir/copied")"
gpuemu() {
	"$B/gpuemu" "$@"
}
. "$dir/copied" >"$dir/replayed" 2>&1
[ $? -eq 1 ] || fail "the copied command did not fail as the case does: $(tail -n 3 "$dir/replayed")"
want=$(python3 -c "
import json, sys
m = json.load(open(sys.argv[1]))['kernels'][0]['dtypes'][0]['minimal']
print(m['outputs_sha256'])" "$dir/evidence.json")
grep -q "$want" "$dir/replayed" || fail "other outputs than the evidence's $want: $(head -n 6 "$dir/replayed")"
