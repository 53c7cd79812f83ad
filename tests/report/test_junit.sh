#!/bin/bash
# The JUnit XML of every kind of evidence is well-formed to python3's XML reader, and its counts are right.
. tests/report/kit.sh
need python3
for kind in seed many empty user mixed odd; do
	python3 tests/report/make_evidence.py $kind "$dir/$kind.json" || bad=1
	"$B/gpuemu" report "$dir/$kind.json" --format junit --out "$dir/$kind.xml" || {
		echo "FAILED: $kind: exit status $?"
		bad=1
	}
done
cp tests/report/data/text.json "$dir/text.json"
cp tests/report/data/text.xml "$dir/text.xml"
python3 - "$dir" seed many empty user mixed odd text <<'END' || bad=1
import json, sys, xml.etree.ElementTree as et
dir, bad = sys.argv[1], 0
for kind in sys.argv[2:]:
    e, root = json.load(open(f"{dir}/{kind}.json")), et.parse(f"{dir}/{kind}.xml").getroot()
    suites = root.findall("testsuite")
    if root.tag != "testsuites" or len(suites) != len(e["kernels"]):
        print(f"FAILED: {kind}: {len(suites)} suites for {len(e['kernels'])} kernels")
        bad = 1
    for s, k in zip(suites, e["kernels"]):
        cases = s.findall("testcase")
        for tag, key in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            if len([c for c in cases if c.find(tag) is not None]) != int(s.get(key)):
                print(f"FAILED: {kind}: {s.get('name')}: {key}")
                bad = 1
        if len(cases) != int(s.get("tests")):
            print(f"FAILED: {kind}: {s.get('name')}: tests")
            bad = 1
        if kind == "odd":
            continue
        # independent of the writer: a buggy kernel as expected has no failure, others one a dtype that FAILs
        verdicts = [d["verdict"] for d in k["dtypes"]]
        want = 0 if k["role"] == "buggy" and k["as_expected"] else \
            verdicts.count("PASS") if k["role"] == "buggy" else verdicts.count("FAIL")
        if int(s.get("failures")) != want:
            print(f"FAILED: {kind}: {s.get('name')}: {s.get('failures')} failures, not {want}")
            bad = 1
sys.exit(bad)
END
exit $bad
