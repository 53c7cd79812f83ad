#!/bin/sh
# What is possible is tried: the faulty kernels' findings become confirmed, with a case that replays to the same fault; the good ones' are
# dropped and counted. What sanitizers say of the same kernels is the reference.
set -u
: "${B:=build}"
g=$PWD/$B/gpuemu
cd "$(dirname "$0")" || exit 1
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

confirmed() { # folder rule kind: the case's replay fails, and names the kind where a sanitizer sees it
	"$g" lint --confirm "$1" >"$t/text" 2>&1
	grep -q "\[$2, confirmed\]" "$t/text" || fail "$1: not confirmed: $(cat "$t/text")"
	line=$(sed -n "s|^ *gpuemu replay $1 '\(.*\)'|\1|p" "$t/text" | head -n 1)
	"$g" replay "$1" "$line" >"$t/replay" 2>&1
	[ $? -eq 1 ] || fail "$1: $line does not fail"
	grep -q "$3" "$t/replay" || fail "$1: $line shows no $3: $(cat "$t/replay")"
}
dropped() { # folder
	"$g" lint --notes "$1" | grep -q ', possible\]' || fail "$1: nothing is possible"
	"$g" lint --confirm --json "$1" >"$t/json" || fail "$1: an error: $(cat "$t/json")"
	grep -q '"dropped": *"[0-9]* cases were run for it and none shows it"' "$t/json" || fail "$1: not dropped: $(cat "$t/json")"
	"$g" lint --confirm --notes "$1" >"$t/text"
	grep -q '0 errors, 0 warnings, .*1 dropped after [0-9]* runs' "$t/text" || fail "$1: not counted: $(cat "$t/text")"
	grep -q ', possible\]' "$t/text" && fail "$1: dropped and shown"
}
confirmed divergent-barrier/bad_by_data divergent-barrier barrier-divergence
confirmed shuffle-full-mask/bad_by_data shuffle-full-mask shuffle-from-inactive-lane
confirmed finite-sentinel/bad_softmax finite-sentinel 'verdict  FAIL'
confirmed nan-dropped/bad_fmaxf nan-dropped 'verdict  FAIL'
confirmed uninitialised-register/bad_one_way uninitialised-register uninitialised-read
confirmed ../../corpus/buggy/softmax_tail_leak unguarded-global-access out-of-bounds-read
dropped divergent-barrier/good_by_data
dropped shuffle-full-mask/good_by_data

# a campaign does the same, and says so in the evidence
"$g" validate --cases 2 --quiet --out "$t/out" divergent-barrier/good_by_data divergent-barrier/bad_by_data >"$t/table" 2>&1
python3 - "$t/out/evidence.json" <<'P' || fail "the evidence: $(cat "$t/table")"
import json, sys
k = {k["name"]: k["lint"] for k in json.load(open(sys.argv[1]))["kernels"]}
assert k["bad_by_data"]["confirmed"] == 1 and k["bad_by_data"]["errors"] == 1
assert "case" in k["bad_by_data"]["findings"][0] and k["bad_by_data"]["findings"][0]["confidence"] == "confirmed"
assert k["good_by_data"]["dropped"] == 1 and k["good_by_data"]["notes"] == 0 and k["good_by_data"]["runs"] > 0
P
grep -q '^lint  bad_by_data: error' "$t/table" || fail "the table: $(cat "$t/table")"

# without a manifest there is nothing to run
"$g" lint --confirm divergent-barrier.ptx >"$t/text" 2>&1
[ $? -eq 2 ] && grep -q 'confirm' "$t/text" || fail "--confirm of a PTX file: $(cat "$t/text")"
exit 0
