#!/bin/bash
# gpuemu calibrate --math as a command: docs/math.md is the record's table, wrong inputs are told.
. tests/cli/kit.sh
expect 0 "functions of math_h200 on emu: 0 differ" calibrate --math --only expf
expect 0 "" calibrate --math --table
tail -n "$(wc -l <"$dir/out")" docs/math.md | cmp - "$dir/out" || bad "docs/math.md is not the table of results/math_h200.json"
expect 2 "on a GPU" calibrate --math -o "$dir/x.json"
expect 2 "takes no" calibrate --math x
expect 2 "absent.json" calibrate --math --against "$dir/absent.json"
sed '/"name":.*"sinf"/,/"got"/s/"got":.*/"got": "0x00000000",/' results/math_h200.json >"$dir/other.json"
expect 1 "sinf at 0x4a47ae3b" calibrate --math --against "$dir/other.json"
exit $failed
