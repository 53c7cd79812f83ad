#!/bin/bash
# test_runner.sh - tests/run.sh counts what cmocka prints, and takes no crash, hang or silence for
# a pass.
set -eu
cd "$(dirname "$0")/../.."
runner=$PWD/tests/run.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/play.c" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void good(void **s) { (void)s; }
static void bad(void **s) { (void)s; assert_int_equal(1, 2); }
static void skipped(void **s) { (void)s; skip(); }
static void segv(void **s) { (void)s; raise(SIGSEGV); }
static void aborts(void **s) { (void)s; abort(); }
static void leaves(void **s) { (void)s; exit(0); }
static void hangs(void **s) { (void)s; for (;;) pause(); }
static int no_setup(void **s) { (void)s; return -1; }

#define PLAY(play, ...)                                                                            \
	if (!strcmp(name, #play)) {                                                                \
		const struct CMUnitTest t[] = {__VA_ARGS__};                                       \
		return cmocka_run_group_tests_name(name, t, NULL, NULL);                           \
	}
#define T cmocka_unit_test

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/') + 1;
	const struct CMUnitTest two[] = {T(good)}, one[] = {T(good), T(leaves)};

	(void)argc;
	PLAY(fine, T(good), T(good), T(skipped))
	PLAY(failing, T(good), T(bad), T(bad), T(skipped))
	PLAY(crashing, T(good), T(segv), T(good))
	PLAY(aborting, T(good), T(aborts), T(good))
	PLAY(hanging, T(good), T(hangs), T(good))
	PLAY(leaving, T(good), T(leaves), T(good))
	PLAY(setupless, T(good), cmocka_unit_test_setup(good, no_setup))
	if (!strcmp(name, "groupless"))
		return cmocka_run_group_tests_name("g", one, no_setup, NULL) > 0;
	if (!strcmp(name, "second")) {
		cmocka_run_group_tests_name("1", two, NULL, NULL);
		cmocka_run_group_tests_name("2", one, NULL, NULL);
		return 0;
	}
	if (!strcmp(name, "without_tests"))
		return _cmocka_run_group_tests("none", one, 0, NULL, NULL);
	if (!strcmp(name, "badexit")) {
		const struct CMUnitTest t[] = {T(good)};

		cmocka_run_group_tests_name(name, t, NULL, NULL);
		return 3;
	}
	return 0; /* "silent": runs nothing and says nothing */
}
END
${CC:-cc} -o "$dir/play" "$dir/play.c" -lcmocka
printf '#!/bin/sh\nexit 0\n' >"$dir/ok.sh"
printf '#!/bin/sh\necho no tool; exit 77\n' >"$dir/skip.sh"
printf '#!/bin/sh\nexit 1\n' >"$dir/bad.sh"
printf 'exit 0\n' >"$dir/plain.sh" # not executable
chmod +x "$dir/ok.sh" "$dir/skip.sh" "$dir/bad.sh"

wrong=0
# expect STATUS LINE PROGRAM... - run.sh ends with this status and this last line.
expect() {
	status=$1 line=$2
	shift 2
	for p in "$@"; do
		case $p in *.sh) ;; *) cp "$dir/play" "$dir/$p" ;; esac
	done
	rc=0
	out=$(B=$dir/build JOBS=2 T_TIMEOUT=1 "$runner" "${@/#/$dir/}" 2>&1) || rc=$?
	last=$(echo "$out" | tail -n 1)
	if [ "$rc" -ne "$status" ] || [ "$last" != "$line" ]; then
		echo "$*: exit $rc, '$last'; expected exit $status, '$line'"
		echo "$out"
		wrong=1
	fi
}

expect 0 "2 passed, 0 failed, 1 skipped" fine
expect 1 "1 passed, 2 failed, 1 skipped" failing
expect 1 "2 passed, 1 failed, 0 skipped" crashing
expect 1 "1 passed, 1 failed, 0 skipped" aborting
expect 1 "1 passed, 1 failed, 0 skipped" hanging
expect 1 "1 passed, 1 failed, 0 skipped" leaving
expect 1 "1 passed, 1 failed, 0 skipped" setupless
expect 1 "2 passed, 1 failed, 0 skipped" second
expect 1 "1 passed, 1 failed, 0 skipped" badexit
expect 1 "0 passed, 1 failed, 0 skipped" without_tests
expect 1 "0 passed, 1 failed, 0 skipped" silent
expect 1 "0 passed, 1 failed, 0 skipped" bad.sh
expect 1 "0 passed, 1 failed, 0 skipped" plain.sh
expect 1 "0 passed, 0 failed, 1 skipped" skip.sh
echo "$out" | grep -q '^skipped .*skip.sh: no tool$' || wrong=1 # the reason is told
expect 0 "1 passed, 0 failed, 1 skipped" ok.sh skip.sh
expect 1 "6 passed, 4 failed, 2 skipped" fine failing hanging leaving ok.sh
expect 1 "1 passed, 1 failed, 0 skipped" ok.sh ok.sh
expect 1 "0 passed, 0 failed, 0 skipped"
cp "$dir/play" "$dir/groupless"
groupless=$(B=$dir/build "$runner" "$dir/groupless" 2>&1 | tail -n 1)
case $groupless in
"0 passed, "[1-9]*) ;;
*) echo "groupless: '$groupless'"; wrong=1 ;;
esac
exit $wrong
