#!/bin/bash
# A reader with the PDF alone copies a command from it into a shell: it runs the same case, which gives the outputs that the
# evidence has the SHA-256 of. The case is so long that it takes several lines.
. tests/report/kit.sh
draws
need python3 pdftotext
fail() {
	echo "FAILED: $*"
	exit 1
}

cp -R corpus/buggy/attention_no_scale "$dir/a kernel's folder" || exit 1
"$B/gpuemu" validate "$dir/a kernel's folder" --out "$dir" --cases 6 --dtype f32 --jobs 1 --no-bench --quiet >"$dir/log" 2>&1
[ $? -le 1 ] || fail "validate: $(tail -n 2 "$dir/log")"
# the same case in more words, so that it takes several lines
python3 - "$dir/evidence.json" <<'END' || fail "no minimal case"
import json, sys
e = json.load(open(sys.argv[1]))
m = e["kernels"][0]["dtypes"][0]["minimal"]
m["replay"] = m["replay"].replace(" values=", " layout=q:contiguous,k:contiguous,v:contiguous,o:contiguous values=")
json.dump(e, open(sys.argv[1], "w"))
END
"$B/gpuemu-report" "$dir/evidence.json" -o "$dir" || fail "the report"
gpuemu() {
	"$B/gpuemu" "$@"
}
want=$(python3 -c "
import json, sys
m = json.load(open(sys.argv[1]))['kernels'][0]['dtypes'][0]['minimal']
print(m['outputs_sha256'])" "$dir/evidence.json")
# replays: the text in "$dir/copied" is the command
replays() {
	. "$dir/copied" >"$dir/replayed" 2>&1
	[ $? -eq 1 ] || fail "$1: the command did not fail as the case does: $(cat "$dir/copied") $(tail -n 3 "$dir/replayed")"
	grep -q "$want" "$dir/replayed" || fail "$1: other outputs than the evidence's $want: $(head -n 6 "$dir/replayed")"
}
for mode in -raw -layout -nopgbrk; do
	pdftotext $mode "$dir/report.pdf" "$dir/text" || fail "pdftotext"
	# from "gpuemu replay" to the line that does not go on, as a reader would mark it
	sed -n '/^ *gpuemu replay /,/[^\\]$/p' "$dir/text" | sed '/[^\\]$/q' >"$dir/copied"
	[ "$(wc -l <"$dir/copied")" -gt 2 ] || fail "$mode: the case is not broken: $(cat "$dir/copied")"
	replays "$mode"
	# viewers that put blanks for line ends
	tr '\n' ' ' <"$dir/copied" >"$dir/joined" && mv "$dir/joined" "$dir/copied"
	replays "$mode, on one line"
done
