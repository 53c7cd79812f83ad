# kit.sh - what the scripts of tests/report/ share (sourced): $B, a folder of their own, fail, draws, need.
set -u
: "${B:=build}"
here=tests/report
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

fail() {
	echo "FAILED: $*"
	bad=1
}

# draws: what runs draws. fontconfig and Pango keep caches until the process ends, which LeakSanitizer takes for leaks.
draws() {
	export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
}

# skip REASON
skip() {
	echo "skipped: $*"
	exit 77
}

# need TOOL...: skips the test where one is not installed
need() {
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed (tools/deps.sh check)"
	done
}

# Sets $browser, or skips.
need_browser() {
	browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
	[ -n "$browser" ] || skip "chromium is not installed"
	need python3
}
