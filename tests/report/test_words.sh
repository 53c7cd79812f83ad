#!/bin/bash
# Every word that evidence can contain is explained in the audit report made of it: the kinds of findings (base/launch.h),
# the rules of lint and the classes of values (as the program lists them), layouts, the operator with its axes; a kernel's
# sha256 is what the command in the report makes of its folder.
. tests/report/kit.sh
draws
need python3 pdftotext sha256sum

"$B/gpuemu" validate corpus/buggy/softmax_tail_leak --out "$dir" --cases 4 --dtype f16 --jobs 1 --no-bench --quiet >"$dir/log" 2>&1
[ $? -le 1 ] || fail "validate: $(tail -n 2 "$dir/log")"
"$B/gpuemu-report" "$dir/evidence.json" -o "$dir" || fail "the report"
pdftotext -layout "$dir/report.pdf" "$dir/text" || fail "pdftotext"
# the parts that explain words
sed -n '/^How to read a case/,/^Tolerances/p' "$dir/text" >"$dir/explained"
sed -n '/^Glossary/,$p' "$dir/text" >>"$dir/explained"

sed -n '/define FINDING_LIST/,/^$/s/.*X([A-Z_]*, "\([^"]*\)".*/\1/p' base/launch.h >"$dir/words"
[ "$(wc -l <"$dir/words")" -ge 18 ] || fail "base/launch.h is not read: $(cat "$dir/words")"
"$B/gpuemu" lint --list-rules | sed 's/ .*//' >>"$dir/words"
"$B/gpuemu" inputs --classes | sed 's/ .*//' >>"$dir/words"
printf '%s\n' contiguous rowpad offset slice transposed colstride broadcast >>"$dir/words"
[ "$(wc -l <"$dir/words")" -gt 80 ] || fail "only $(wc -l <"$dir/words") words"
while read -r word; do
	# a word at the beginning of a row, and something behind it
	awk -v "word=$word" '$1 == word && NF > 1 { found = 1 } END { exit !found }' "$dir/explained" ||
		fail "$word is not explained"
done <"$dir/words"
# reasons of loose and refused cells: what stands in the sources before a colon, a parenthesis or a number
grep -h 'cell_fit_lower(' tolerances/fit.c calibrate/envelopes.c | sed -n 's/.*lower([^"]*"\([^":(%]*[^":(% ]\).*/\1/p' | sort -u >"$dir/words"
[ "$(wc -l <"$dir/words")" -ge 8 ] || fail "reasons of refused cells are not read: $(cat "$dir/words")"
while read -r reason; do
	grep -Eq "^ *$reason  +[^ ]" "$dir/explained" || fail "the reason '$reason' is not explained"
done <"$dir/words"
! grep -q 'does not explain' "$dir/text" || fail "a word of this evidence is not explained"
grep -q 'x  *T\[R,C\]  *input' "$dir/text" || fail "the operator's axes are not told"

# the hash, by the report's own command
command=$(sed -n 's/^ *\({ cat kernel.json.*\)$/\1/p' "$dir/text" | head -n 1)
[ -n "$command" ] || fail "no command for the hash"
hash=$(cd corpus/buggy/softmax_tail_leak && eval "$command" | sed 's/ .*//')
grep -q "$hash" "$dir/text" || fail "the report's command gives $hash, which is not in it"

# evidence that explains nothing: its words are told as such
python3 -c "
import json, sys
e = json.load(open(sys.argv[1]))
del e['words']
json.dump(e, open(sys.argv[1], 'w'))" "$dir/evidence.json"
"$B/gpuemu-report" "$dir/evidence.json" -o "$dir" || fail "the report of evidence without words"
pdftotext -layout "$dir/report.pdf" "$dir/text"
grep -q 'out-of-bounds-read  *occurs in this evidence, which does not explain it' "$dir/text" ||
	fail "a finding that the evidence does not explain is left out"
exit $bad
