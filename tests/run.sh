#!/bin/bash
# run.sh PROGRAM... - runs test programs (and test_*.sh scripts), JOBS at a time, and ends with one
# line "N passed, N failed, N skipped".  A program that dies, hangs (T_TIMEOUT seconds, default
# 300), exits nonzero without a failed test, or has no test is one failure more; so is a test that
# begins and is not told of again.  A script is one test: exit 0 is passed, 77 skipped (its last
# line says why).
set -u
: "${B:=build}" "${JOBS:=2}" "${T_TIMEOUT:=300}"
export B
logs=$B/tests/log
mkdir -p "$logs"
one() {
	t=$1
	n=$(echo "$t" | sed "s|^$B/||; s|/|_|g")
	log=$logs/$n
	timeout -k 10 "$T_TIMEOUT" "$t" >"$log.out" 2>"$log.err"
	rc=$?
	case $t in
	*.sh)
		p=0 f=0 s=0
		case $rc in 0) p=1 ;; 77) s=1 ;; *) f=1 ;; esac
		[ $rc -eq 0 ] || { echo "$t (exit $rc): $(tail -n 3 "$log.out" "$log.err")"; } ;;
	*)
		# cmocka tells each test on stdout; a group whose setup fails, on stderr alone.
		p=$(grep -c '^\[       OK \] ' "$log.out") s=$(grep -c '^\[  SKIPPED \] ' "$log.out")
		f=$(grep -c '^\[  FAILED  \] ' "$log.out")
		f=$((f + $(grep -c '^\[  FAILED  \] GROUP' "$log.err")))
		n=$(sed -n 's/^\[=*\] Running \([0-9]*\) test(s)\.$/\1/p' "$log.out" |
			paste -sd+ -)
		if ! grep -q '^\[==========\].* test(s) run\.' "$log.out"; then
			f=$((f + 1))
			echo "DIED $t (exit $rc): $(tail -n 2 "$log.err")"
		elif [ $((n)) -eq 0 ]; then
			f=1
			echo "EMPTY $t has no test"
		elif [ $((p + f + s)) -lt $((n)) ]; then
			f=$((f + n - p - f - s))
			echo "LOST $t: of $((n)) tests only $((p + s)) ended well (exit $rc)"
		elif [ $rc -ne 0 ] && [ "$f" -eq 0 ]; then
			f=1
			echo "EXIT $t returned $rc without a failed test"
		fi
		[ "$f" -eq 0 ] || grep -v '^\[ *\(OK\|RUN\|PASSED\)' "$log.err" | head -n 40 ;;
	esac
	printf '%-44s %4d ok %3d failed %3d skipped\n' "$t" "$p" "$f" "$s"
	echo "$p $f $s" >"$log.count"
}
export -f one
export logs T_TIMEOUT
rm -f "$logs"/*.count
[ $# -gt 0 ] && printf '%s\0' "$@" | xargs -0 -n 1 -P "$JOBS" bash -c 'one "$1"' _
pass=0 fail=0 skip=0 told=0
for c in "$logs"/*.count; do
	[ -e "$c" ] || continue
	read -r p f s <"$c"
	pass=$((pass + p)) fail=$((fail + f)) skip=$((skip + s)) told=$((told + 1))
done
if [ "$told" -ne $# ]; then
	echo "of $# programs only $told have told their counts"
	fail=$((fail + 1))
fi
for t in "$@"; do
	n=$(echo "$t" | sed "s|^$B/||; s|/|_|g")
	sed -n "s|^skipped |skipped $t |p" "$logs/$n.out"
	[ "$(cat "$logs/$n.count" 2>/dev/null)" = "0 0 1" ] && [ "${t%.sh}" != "$t" ] && echo "skipped $t: $(tail -n 1 "$logs/$n.out")"
done
echo "$pass passed, $fail failed, $skip skipped"
[ "$fail" -eq 0 ] && [ "$pass" -gt 0 ]
