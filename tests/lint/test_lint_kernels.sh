#!/bin/bash
# Good kernels of every family that docs/facts/emulation.md 4.5 counts, compiled by NVRTC and written for this (kernels/; the first lines of a file name
# entries and launches): no error with the launch and none without; a warning of at most 2 % of them. Where a buffer is one element shorter than the
# kernel needs, the launch shows it: it was executed.
set -u
: "${B:=build}"
g=$PWD/$B/gpuemu
cd "$(dirname "$0")/kernels" || exit 1
n=0 errors=0 warned=0 seen=0
lint() { # file entry launch: counts what it reports
	local out rc status=good
	out=$("$g" lint "$1" --entry "$2" ${3:+--launch "$3"} 2>&1)
	rc=$?
	n=$((n + 1))
	if [ $rc -ne 0 ]; then
		errors=$((errors + 1)) status=error
	elif ! echo "$out" | grep -q ': 0 errors, 0 warnings'; then
		warned=$((warned + 1)) status=warning
	fi
	[ -z "${TABLE:-}" ] || echo "$2 ${3:+launched} $status" >>"$TABLE" # for tools/lint-results.sh
	[ $status = good ] || { echo "$1 $2 $3: $status"; echo "$out" | grep -E '(error|warning): '; }
}
while IFS=: read -r file entry launch; do
	lint "${file%.cu}.ptx" "${entry#// }" "${launch# }"
	lint "${file%.cu}.ptx" "${entry#// }" ""
	# the last buffer, four bytes short
	short=$(echo "${launch# }" | sed -E 's/(.*(ptr|in):)([0-9]+)/echo "\1$((\3-4))/; s/$/"/' | sh)
	"$g" lint "${file%.cu}.ptx" --entry "${entry#// }" --launch "$short" 2>/dev/null | grep -q 'error: .*\[unguarded-global-access' && seen=$((seen + 1))
done < <(grep -HE '^// [a-z0-9_]*: ' ./*.cu | sed 's#^\./##')
echo "$n runs of $((n / 2)) kernels: $errors with errors, $warned with warnings; $seen kernels seen to exceed a shorter buffer"
[ $((n / 2)) -ge 60 ] && [ "$errors" -eq 0 ] && [ $((50 * warned)) -le "$n" ] && [ "$seen" -ge 60 ]
