#!/bin/bash
# gpuemu mutate: a mutant is a kernel that validate judges; the same id and the same seed give the same bytes; run --cases
# tells outputs apart.
. tests/cli/kit.sh
relu=corpus/control/relu soft=corpus/control/softmax

expect 0 'relu:store-lost:[0-9]* *store *relu_bf16' mutate "$relu" --list
line=$(sed -n 's/^relu:store-lost:\([0-9]*\) .*relu_f32$/\1/p' "$dir/out" | head -1)
expect 0 '"class": "boundary"' mutate "$relu" --list --json
python3 -c 'import json,sys; l=json.load(open(sys.argv[1])); assert len(l) > 50 and l[0]["id"].startswith("relu:")' "$dir/out" || bad "the list is no JSON"
expect 0 '^loop-short *loop *a loop ends' mutate --kinds

expect 0 '' mutate "$relu" --id "relu:store-lost:$line" -o "$dir/m"
cp -R "$dir/m" "$dir/first"
expect 0 '' mutate "$relu" --id "relu:store-lost:$line" -o "$dir/m"
diff -r "$dir/first" "$dir/m" || bad "the same id gives another mutant"
[ "$(diff "$relu/kernel.ptx" "$dir/m/kernel.ptx" | grep -c '^[<>]')" = 2 ] || bad "more than one line differs"
expect 0 'relu_store_lost.*FAIL' validate --no-bench --no-lint --no-shrink --quiet --cases 20 --out "$dir/v" "$dir/m"
grep -q '"lint"' "$dir/v/evidence.json" && bad "--no-lint leaves lint"
grep -q 'never-written' "$dir/v/cases.jsonl" || bad "a lost store leaves no finding"

expect 0 '' mutate "$soft" --sample 1 --seed 7 -o "$dir/s1"
expect 0 '' mutate "$soft" --sample 1 --seed 7 -o "$dir/s2"
diff -r "$dir/s1" "$dir/s2" || bad "the same seed gives another sample"
expect 0 '' mutate "$soft" --sample 1 --seed 8 -o "$dir/s3"
diff -rq "$dir/s1" "$dir/s3" >/dev/null && bad "another seed gives the same sample"

# outputs of a kernel and of its mutant: the same where the fault is not reached, in a sum that long rows alone have
expect 0 '' mutate "$soft" --id softmax:term-lost:273 -o "$dir/lost"
printf 'softmax/f32 R=2,C=65 seed=0x1 fill=a5\nsoftmax/f32 R=2,C=4000 seed=0x1 fill=a5\n' >"$dir/cases"
expect 0 'line 273 was reached' run "$soft" --cases "$dir/cases" --reached 273
grep -v '^line' "$dir/out" >"$dir/good"
expect 0 '^[0-9a-f]\{64\} softmax/f32 R=2,C=65 ' run "$dir/lost" --cases "$dir/cases"
[ "$(diff "$dir/good" "$dir/out" | grep '^<' | cut -d' ' -f4)" = R=2,C=4000 ] || bad "not C=4000 alone differs"
printf 'softmax/f32 R=2,C=65 seed=0x1 fill=a5\n' >"$dir/cases"
expect 0 'line 325 was reached' run "$soft" --cases "$dir/cases" --reached 325
expect 0 'line 153 was not reached' run "$soft" --cases "$dir/cases" --reached 153

expect 2 'no mutant relu:store-lost:1;' mutate "$relu" --id relu:store-lost:1 -o "$dir/n"
expect 2 'one of --list' mutate "$relu"
expect 2 'name the folder' mutate "$relu" --sample 1
expect 2 'name one kernel' mutate --list
expect 2 'no such folder' mutate "$dir/none" --list
mkdir "$dir/src"
sed 's/"ptx": "kernel.ptx",//' "$relu/kernel.json" >"$dir/src/kernel.json"
cp "$relu/kernel.cu" "$dir/src"
expect 2 'gpuemu compile' mutate "$dir/src" --list
exit $failed
