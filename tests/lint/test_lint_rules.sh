#!/bin/bash
# Every rule finds what the bad_ kernels of RULE.cu are made to show and says nothing of that kind of the good_ ones, of which it gives
# no error at all. The first lines of a file name the entries and the launch that each is linted with (-: none).
set -u
: "${B:=build}"
g=$PWD/$B/gpuemu
cd "$(dirname "$0")" || exit 1
bad=0 good=0 wrong=0
check() { # file rule entry launch
	set -- "$1" "$2" "$3" "${4# }"
	if [ "$4" = - ]; then
		out=$("$g" lint "$1" --entry "$3" --notes 2>&1)
	else
		out=$("$g" lint "$1" --entry "$3" --notes --launch "$4" 2>&1)
	fi
	rc=$?
	verdict "$3" "$2" "$rc" "$out"
}
verdict() { # entry rule status output
	if [ -n "${TABLE:-}" ]; then # for tools/lint-results.sh: which rules report something of the entry; a note that something is possible wants a run
		echo "$2 $1 $(echo "$4" | grep -v 'note: .*, possible\]$' | sed -n 's/.*\[\([a-z0-9-]*\), \(proved\|possible\|confirmed\)\]$/\1/p' | sort -u | tr '\n' ' ')" >>"$TABLE"
	fi
	case $1 in
	bad_*)
		bad=$((bad + 1))
		case $4 in
		*"[$2, "*) ;;
		*) echo "$2: $1 is not found:"; echo "$4"; wrong=$((wrong + 1)) ;;
		esac ;;
	*)
		good=$((good + 1))
		# a note that something is possible is no report
		if echo "$4" | grep -Eq "(warning|error): .*\\[$2,|\\[$2, proved\\]"; then
			echo "$2: $1 is good and is reported:"; echo "$4"; wrong=$((wrong + 1))
		elif [ "$3" != 0 ]; then
			echo "$1 of $2: exit $3:"; echo "$4"; wrong=$((wrong + 1))
		fi ;;
	esac
}
for ptx in *.ptx; do
	rule=${ptx%.ptx}
	text=$rule.cu
	[ -e "$text" ] || text=$ptx
	while IFS=: read -r entry launch; do
		check "$ptx" "$rule" "$entry" "$launch"
	done < <(grep -E '^// (bad|good)_[a-z0-9_]*:' "$text" | sed 's#^// ##; s/: /:/')
done
# rules that need a manifest: folders RULE/ENTRY
for folder in */*/kernel.json; do
	entry=$(basename "$(dirname "$folder")") rule=${folder%%/*}
	out=$("$g" lint "$(dirname "$folder")" --notes 2>&1)
	verdict "$entry" "$rule" $? "$out"
done
# each rule of the table has two of both
for rule in $("$g" lint --list-rules | cut -d' ' -f1); do
	files=$(ls -d "$rule.cu" "$rule.ptx" "$rule" 2>/dev/null)
	nbad=$({ grep -ho '^// bad_[a-z0-9_]*:' "$rule.cu" "$rule.ptx"; ls "$rule" | grep '^bad_'; } 2>/dev/null | sort -u | wc -l)
	ngood=$({ grep -ho '^// good_[a-z0-9_]*:' "$rule.cu" "$rule.ptx"; ls "$rule" | grep '^good_'; } 2>/dev/null | sort -u | wc -l)
	[ "$nbad" -ge 2 ] && [ "$ngood" -ge 2 ] || { echo "$rule has $nbad bad and $ngood good kernels ($files)"; wrong=$((wrong + 1)); }
done
echo "$bad bad kernels, $good good ones, $wrong wrong"
[ "$wrong" -eq 0 ] && [ "$bad" -gt 50 ] && [ "$good" -gt 50 ]
