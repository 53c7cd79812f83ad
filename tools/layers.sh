#!/bin/sh
# layers.sh - fails when a module includes a header of a module it may not see. The rule is the Makefile's
# SEES_ lines; a folder with C files that has none is an error, not a pass.
set -eu
cd "$(dirname "$0")/.."
bad=0
for d in */; do
	m=${d%/}
	case $m in tests | tools | corpus | build) continue ;; esac
	files=$(find "$m" -name '*.[ch]' | sort)
	[ -n "$files" ] || continue
	if ! line=$(grep "^SEES_$m :=" Makefile); then
		echo "$m/ has no SEES_$m line in the Makefile"
		bad=1
		continue
	fi
	for inc in $(sed -n 's/^#[ 	]*include "\([a-z_]*\)\/.*/\1/p' $files | sort -u); do
		case " $m ${line#*:=} " in
		*" $inc "*) ;;
		*)
			echo "$m/ may not include $inc/:"
			grep -n "include \"$inc/" $files
			bad=1
			;;
		esac
	done
done
exit $bad
