#!/bin/sh
# paper.sh GPUEMU OUT - builds paper/paper.tex as OUT/paper.pdf: its charts, tables and numbers are made anew from
# build/evidence, results/ and tolerances/.  Stops at a number that is missing, saying what makes it, at undefined
# references and at boxes that are more than 5 points too full.
set -eu
gpuemu=$1 out=$2
[ -e build/evidence/evidence.json ] || {
	echo "paper.sh: there is no build/evidence/evidence.json; 'make evidence' makes it" >&2
	exit 2
}
command -v latexmk >/dev/null || {
	echo "paper.sh: there is no latexmk; 'tools/deps.sh paper' installs TeX on Debian and Ubuntu" >&2
	exit 2
}
files="build/evidence/evidence.json results tolerances/sm_90.json tolerances/h200.json"
rm -rf "$out"
mkdir -p "$out"
python3 tools/paper.py check paper/paper.tex
# \chart{NAME} or \chart[SHARE]{NAME}; 467 points are the width of the text.
sed -n 's/^[^%]*\\chart\(\[\([0-9.]*\)\]\)\{0,1\}{\([a-z]*\)}.*/\3 \2/p' paper/paper.tex | while read -r chart share; do
	width=$(awk "BEGIN { printf \"%.0f\", 467 * ${share:-1} }")
	# shellcheck disable=SC2086 # names without spaces
	"$gpuemu" report $files --chart "$chart" --plain --width "$width" --format pdf -o "$out/chart-$chart.pdf"
done
# shellcheck disable=SC2086
"$gpuemu" report --tables $files -o "$out/tables"
python3 tools/paper.py values "$out/tables" "$out/values.tex"
# The tables of the text: the columns that fit its width, under shorter heads.
pick() {
	python3 tools/paper.py pick "$out/tables/$1.tex" "$2" "$3" >"$out/table-$1.tex"
}
pick checks 1,3,4,5,6 "check|faulty, friendly|faulty, benchmark's|controls, friendly|controls, benchmark's"
pick states 1,2,3,4,5,6,7 "types|cells|envelope|exact|refused|tight|power"
pick policies 1,2,3 ""
pick fidelity 1,2,3,4 "compared|number|differ|upper limit, 95\,\%"
pick math 1,2,3,4,5,6 "function|type|bound|max.\ ulp|of the bound|met"
mv "$out/table-checks.tex" "$out/checks.tex"
python3 tools/paper.py constants <"$out/checks.tex" >"$out/table-checks.tex"
python3 tools/paper.py minimal >"$out/table-minimal.tex"
cp paper/paper.tex paper/refs.bib "$out"
(
	cd "$out"
	# The same evidence, the same bytes: dates are of the evidence.
	SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/.*val@date.endcsname{\(.*\)}.*/\1/p' values.tex)" +%s)
	export SOURCE_DATE_EPOCH FORCE_SOURCE_DATE=1
	latexmk -pdf -interaction=nonstopmode -halt-on-error paper.tex >latexmk.log 2>&1 || {
		grep -A 5 '^!' paper.log >&2 || tail -n 20 latexmk.log >&2
		exit 1
	}
	bad=$(awk '/^LaTeX Warning: (Reference|Citation|There were undefined)/ || /^Package natbib Warning/ { print }
		/^Overfull/ { if (match($0, /\([0-9.]+pt/) && substr($0, RSTART + 1) + 0 > 5) print }' paper.log)
	[ -z "$bad" ] || {
		echo "$bad" >&2
		exit 1
	}
)
echo "$out/paper.pdf"
