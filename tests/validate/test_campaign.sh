#!/bin/bash
# Campaigns: the record does not depend on the number of workers, nor on being killed; a resumed campaign gives
# the same evidence; minimal failing cases replay in another process and pass on the control twin.
set -u
gpuemu=${B:-build}/gpuemu
dir=$(mktemp -d /tmp/gpuemu-campaign.XXXXXX)
trap 'rm -rf "$dir"' EXIT
die() {
	echo "$*"
	exit 1
}
kernels="corpus/control/relu corpus/control/silu corpus/buggy/silu_tail_beta corpus/buggy/softmax_tail_leak"
campaign() { # OUT OPTION...
	local out=$1
	shift
	"$gpuemu" validate $kernels --quiet --no-bench --cases 70 --dtype f16 --out "$out" "$@"
}
record() { sed 's/,"ms":[0-9.e+-]*}$/}/' "$1/cases.jsonl"; }
evidence() { grep -v '^ *"\(date\|command\|seconds\|jobs\|cases_per_s\|bench_seconds\)":' "$1/evidence.json"; }
same() { # OUT WHAT
	cmp <(record "$dir/whole") <(record "$1") || die "$2: other cases.jsonl"
	cmp <(evidence "$dir/whole") <(evidence "$1") || die "$2: other evidence"
}

# ---- workers ----
start=$(date +%s%N)
campaign "$dir/whole" --jobs 1 >"$dir/log" 2>&1 || die "exit $? of a campaign as expected: $(cat "$dir/log")"
took=$((($(date +%s%N) - start) / 1000000))
[ "$(record "$dir/whole" | wc -l)" -eq 281 ] || die "not a header and 4 x 70 cases"
for jobs in 2 5; do
	campaign "$dir/jobs" --jobs $jobs >/dev/null 2>&1 || die "exit $? with --jobs $jobs"
	same "$dir/jobs" "--jobs $jobs"
done
campaign "$dir/seed" --seed 2 --jobs 2 >/dev/null 2>&1
cmp -s <(record "$dir/whole" | tail -n +2) <(record "$dir/seed" | tail -n +2) && die "the seed changes nothing"

# ---- killed and resumed, at random moments ----
RANDOM=${GPUEMU_TEST_SEED:-$$}
partial=0
for round in 1 2 3 4 5 6 7; do
	ms=$((took * (3 + RANDOM % 25) / 100 + 5))
	# the shell that tells of the kill is silenced
	(timeout -s KILL "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))" \
		"$gpuemu" validate $kernels --quiet --no-bench --cases 70 --dtype f16 --out "$dir/killed" \
		--resume --jobs $((1 + round % 3))) >/dev/null 2>&1
	n=0
	[ -e "$dir/killed/cases.jsonl" ] && n=$(wc -l <"$dir/killed/cases.jsonl")
	[ "$n" -gt 1 ] && [ "$n" -lt 281 ] && partial=$((partial + 1))
done
[ "$partial" -ge 1 ] || die "no kill struck in the middle ($took ms)"
campaign "$dir/killed" --resume --jobs 2 >/dev/null 2>&1 || die "exit $? of the last --resume"
same "$dir/killed" "killed 7 times, $partial of them in the middle"

# ---- a record cut at any place ----
cut_at() { # BYTES
	rm -rf "$dir/cut"
	mkdir "$dir/cut"
	head -c "$1" "$dir/whole/cases.jsonl" >"$dir/cut/cases.jsonl"
	campaign "$dir/cut" --resume --jobs 2 >"$dir/log" 2>&1 || die "exit $? after a cut at $1: $(cat "$dir/log")"
	same "$dir/cut" "cut at byte $1"
}
size=$(stat -c %s "$dir/whole/cases.jsonl")
cut_at 0
cut_at 100
cut_at $((size - 7))
cut_at $((size * 2 / 3))
rm -rf "$dir/cut"
mkdir "$dir/cut"
{ head -n 50 "$dir/whole/cases.jsonl"; echo '{"kernel":"relu","dty'; } >"$dir/cut/cases.jsonl"
campaign "$dir/cut" --resume >/dev/null 2>&1 || die "exit $? after a broken line"
same "$dir/cut" "a broken line"

# ---- not the same campaign ----
refused() { # MESSAGE OPTION...
	local text=$1
	shift
	campaign "$dir/whole" --resume "$@" >"$dir/log" 2>&1
	[ $? -eq 2 ] || die "exit not 2 for --resume $*"
	grep -q "$text" "$dir/log" || die "--resume $*: $(cat "$dir/log")"
}
cp "$dir/whole/cases.jsonl" "$dir/before"
refused "another campaign" --seed 2
refused "another campaign" --cases 71
refused "another campaign" --no-sanitize
refused "another campaign" corpus/control/gelu
{ head -n 1 "$dir/before"; sed -n '3p' "$dir/before"; } >"$dir/whole/cases.jsonl"
refused "out of order"
cp "$dir/before" "$dir/whole/cases.jsonl"
exec 9>>"$dir/whole/cases.jsonl"
flock -n 9 || die "cannot lock"
refused "another gpuemu"
exec 9>&-
cmp "$dir/before" "$dir/whole/cases.jsonl" || die "a refused --resume changed the record"

# ---- lines of another file than the kernel's source ----
# are no lines of it: line 55 of a header is not shown as line 55 of kernel.cu (line 4690 of cuda_fp16.h once was, of a file of 34)
cp -r corpus/buggy/softmax_tail_leak "$dir/included"
lines() { "$gpuemu" validate "$dir/included" --quiet --no-bench --no-lint --cases 4 --dtype f32 --out "$dir/lines" >"$dir/log" 2>&1
	grep -o '"source_line": *[0-9]*' "$dir/lines/evidence.json" | grep -o '[0-9]*$' | sort -un | tr '\n' ' '; }
here=$(lines)
case " $here" in *" 55 "*) ;; *) die "no finding at line 55: $here $(cat "$dir/log")" ;; esac
sed -i 's/\(\.file.*\)"kernel.cu"/\1"softmax.cuh"/' "$dir/included/kernel.ptx"
[ "$(lines)" = "0 " ] || die "lines of softmax.cuh are told as the source's: $(lines)"
grep -q '"source_lines": *\[\]' "$dir/lines/evidence.json" || die "texts of the source beside lines of a header"
exit 0
