#!/bin/sh
# The paper's text holds no measured number, asks for none that tools/paper.py does not make, and paper/README.md lists
# all; a text with each of these faults is refused.  Needs no TeX.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
t=$(mktemp -d "${TMPDIR:-/tmp}/gpuemu-test-paper-XXXXXX") || exit 1
trap 'rm -rf "$t"' EXIT
rc=0
fail() {
	echo "FAILED: $*"
	rc=1
}

python3 tools/paper.py check paper/paper.tex || fail "the paper's text"

# $1: a paragraph; $2: what the complaint must contain, empty: none may come.
try() {
	printf '\\documentclass{article}\n\\begin{document}\n%s\n\\end{document}\n' "$1" >"$t/t.tex"
	if out=$(python3 tools/paper.py check "$t/t.tex"); then
		[ -z "$2" ] || fail "passes: $1"
	elif [ -z "$2" ]; then
		fail "refused: $1: $out"
	else
		case $out in
		*"t.tex:3: $2"*) ;;
		*) fail "$1: says $out" ;;
		esac
	fi
}
try 'It catches 9 of them.' 'the number 9'
try 'It catches nine of them.' "the number 'nine'"
try 'A rate of 98.80\,\%.' 'the number 98.80'
try 'That is $9/9$ of them.' 'a number in the formula'
try 'That is $x = 12$ of them.' 'a number in the formula'
try 'That is $1.5u$ of them.' 'a number in the formula'
try 'It is \[ p = 37\% \]' 'a number in the formula'
try '\val{no-such-number}' '\val{no-such-number}: tools/paper.py has no such number'
try '\caption{All 26 kernels.}' 'the number 26'
try '\emph{Almost 4\,000}' 'the number 4'
try 'In f32, bf16 and f16 on an H200 (sm\_90), $T(L) = 2L + 1$, \cite{a2020} and \val{forms}. % 17' ''
try 'By definition \const{1e-5} in 16-bit, see Table~\ref{tab:1}, \chart[0.68]{devices}.' ''

python3 tools/paper.py sources >"$t/sources" || fail "paper.py sources"
sed -n '/^| number | from |/,/^$/p' paper/README.md | sed '/^$/d' >"$t/listed"
diff -u "$t/listed" "$t/sources" || fail "paper/README.md lists other numbers than tools/paper.py sources prints"

# Figures and tables in the order of the text.
for what in chart table; do
	sed -n "s/.*\\\\\(data\)\{0,1\}$what\(\[[0-9.]*\]\)\{0,1\}{\([a-z]*\)}.*/\3/p" paper/paper.tex |
		grep -v '^minimal$' | nl >"$t/text"
	[ -s "$t/text" ] || fail "no ${what} in the text"
	sed -n "s/^| [0-9]*, .* --$what \([a-z]*\) .*/\1/p" paper/README.md | nl >"$t/readme"
	diff -u "$t/readme" "$t/text" || fail "paper/README.md and the text have other ${what}s"
done
for key in $(sed -n 's/^| `\([^`]*\)`.*/\1/p' "$t/sources"); do
	grep -q "\\\\val{$key}" paper/paper.tex || fail "the paper does not use the number $key"
done

# What the repository holds is there: every path that a number comes from, but the evidence.
tail -n +3 "$t/sources" | cut -d'`' -f4 | sort -u | grep -v '^build/' | while read -r p; do
	[ -z "$p" ] || [ -e "$p" ] || echo "$p"
done >"$t/missing"
[ ! -s "$t/missing" ] || fail "sources that are not there: $(cat "$t/missing")"

# Every work cited is in refs.bib and every work in it is cited.
grep -o '\\cite{[^}]*}' paper/paper.tex | sed 's/.*{//; s/}//' | tr ',' '\n' | sort -u >"$t/cited"
sed -n 's/^@[a-z]*{\(.*\),$/\1/p' paper/refs.bib | sort -u >"$t/works"
diff -u "$t/cited" "$t/works" || fail "cited works (-) and refs.bib (+) differ"
exit $rc
