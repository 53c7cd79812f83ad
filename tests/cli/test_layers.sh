#!/bin/sh
# test_layers.sh - the modules include only what the Makefile's SEES_ lines allow, and
# tools/layers.sh would tell if they did not: shown on copies of the headers with one violation planted.
set -eu
cd "$(dirname "$0")/../.."
tools/layers.sh || {
	echo "the include rule is broken (above)"
	exit 1
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A fresh copy of what the rule needs in $dir/t.
copy() {
	rm -rf "$dir/t"
	mkdir -p "$dir/t/tools"
	cp Makefile "$dir/t/"
	cp tools/layers.sh "$dir/t/tools/"
	for h in */*.h; do
		case $h in tests/*) continue ;; esac
		mkdir -p "$dir/t/${h%/*}"
		cp "$h" "$dir/t/$h"
	done
}
# refused WORDS - layers.sh fails on the copy with a message that has these words.
refused() {
	if out=$("$dir/t/tools/layers.sh" 2>&1); then
		echo "layers.sh let pass: $1"
		exit 1
	fi
	case $out in
	*"$1"*) ;;
	*)
		echo "layers.sh said '$out', expected '$1'"
		exit 1
		;;
	esac
}

copy
"$dir/t/tools/layers.sh" || {
	echo "the clean copy does not pass"
	exit 1
}
echo '#include "oracles/oracles.h"' >"$dir/t/ptx/planted.c"
refused "ptx/ may not include oracles/"
copy
mkdir -p "$dir/t/oracles/deep"
echo '#  include "ptx/ptx.h"' >"$dir/t/oracles/deep/planted.h"
refused "oracles/ may not include ptx/"
copy
echo '#include "validate/validate.h"' >>"$dir/t/base/base.h"
refused "base/ may not include validate/"
copy
mkdir "$dir/t/stray"
echo 'int x;' >"$dir/t/stray/stray.c"
refused "stray/ has no SEES_stray line"
