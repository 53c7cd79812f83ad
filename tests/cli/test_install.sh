#!/bin/bash
# make install: what it copies works from there.
set -u
# as in tests/report/test_draw.sh: caches of fontconfig and Pango look like leaks
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
dir=$(mktemp -d /tmp/gpuemu-install.XXXXXX)
trap 'rm -rf "$dir"' EXIT
die() {
	echo "$*"
	exit 1
}
B=${B:-build} # what was built is installed: a test makes nothing again
make -s install -o "$B/gpuemu" -o "$B/gpuemu-report" B="$B" DESTDIR="$dir" PREFIX=/usr >"$dir/log" 2>&1 || die "make install: $(cat "$dir/log")"
for file in bin/gpuemu-report share/man/man1/gpuemu.1 share/gpuemu/ops/softmax.op share/gpuemu/kernel.schema.json; do
	[ -s "$dir/usr/$file" ] || die "$file is not installed"
done
cd "$dir" || exit 1
usr/bin/gpuemu validate --quiet --no-bench --cases 5 --dtype f32 usr/share/gpuemu/corpus/control/relu >log 2>&1 ||
	die "the installed program: $(cat log)"
usr/bin/gpuemu report gpuemu-out/evidence.json -o page >log 2>&1 || die "the installed report: $(cat log)"
usr/bin/gpuemu calibrate --dry-run --only relu usr/share/gpuemu/calibrate/kernels >log 2>&1 || die "installed known-good kernels: $(cat log)"
[ -s page/report.pdf ] || die "no page"
