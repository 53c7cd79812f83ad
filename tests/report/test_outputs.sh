#!/bin/bash
# SARIF, step summary and badge of every kind of evidence: SARIF by the standard (tests/lint/sarif.py), the badge well-formed, the summary within
# its size; the same evidence gives the same bytes; files that cannot be written and options that do not go together are told.
. "$(dirname "$0")/../cli/kit.sh"
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || {
	echo "skipped: python3 is not installed"
	exit 77
}
for kind in seed many empty user mixed odd large; do
	python3 tests/report/make_evidence.py $kind "$dir/$kind.json" || bad "make_evidence.py $kind"
	for n in 1 2; do
		expect 0 "" report "$dir/$kind.json" --sarif "$dir/$kind.sarif.$n" --summary "$dir/$kind.md.$n" --badge "$dir/$kind.svg.$n" --junit "$dir/$kind.xml.$n"
	done
	for f in sarif md svg xml; do cmp "$dir/$kind.$f.1" "$dir/$kind.$f.2" || bad "$kind: $f differs when made again"; done
	[ "$(stat -c %s "$dir/$kind.md.1")" -le 1048576 ] || bad "$kind: the summary is larger than GitHub takes"
	python3 - "$dir/$kind.svg.1" <<'P' || bad "$kind: the badge is no SVG"
import sys, xml.etree.ElementTree as et
r = et.parse(sys.argv[1]).getroot()
texts = r.findall(".//{http://www.w3.org/2000/svg}text")
assert len(texts) == 2 and texts[0].text == "gpuemu" and float(r.get("width")) > float(texts[1].get("textLength"))
P
done
python3 tests/lint/sarif.py "$dir"/*.sarif.1 || bad "SARIF (above)"

# a campaign writes the same as a report of its evidence
kernel wrong 'mov.f32 %f2, %f1;'
expect 1 "" validate --cases 5 --no-bench --quiet --jobs 1 --out "$dir/c" --sarif "$dir/a.sarif" --summary "$dir/a.md" --badge "$dir/a.svg" "$dir/wrong"
expect 0 "" report "$dir/c/evidence.json" --sarif "$dir/b.sarif" --summary "$dir/b.md" --badge "$dir/b.svg"
for f in sarif md svg; do cmp "$dir/a.$f" "$dir/b.$f" || bad "validate and report differ: $f"; done
grep -q "gpuemu replay .*/wrong 'relu/f32 N=1 " "$dir/a.md" || bad "no replay line: $(cat "$dir/a.md")"
grep -q 'FAIL 1 of 1 kernel' "$dir/a.svg" || bad "badge: $(cat "$dir/a.svg")"
python3 - "$dir/a.sarif" <<'P' || bad "the verdict in SARIF"
import json, sys
r = [x for x in json.load(open(sys.argv[1]))["runs"][0]["results"] if x["ruleId"] == "wrong-result"]
assert len(r) == 1 and r[0]["level"] == "error" and r[0]["properties"]["dtype"] == "f32"
assert r[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("/wrong/kernel.ptx"), r
P

expect 2 "cannot write\|No such file" report "$dir/user.json" --sarif "$dir/absent/x.sarif"
expect 2 "go with a text format" report "$dir/user.json" --badge "$dir/x.svg" --format html
expect 2 "name one evidence" report --badge "$dir/x.svg"
exit $failed
