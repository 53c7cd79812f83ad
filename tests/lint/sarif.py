"""sarif.py FILE … - is each a SARIF 2.1.0 log as the standard has it (OASIS, sarif-v2.1.0, sections named below), of the objects that gpuemu writes? Names that
the standard has not, and those that we have never meant to write, are errors. With GPUEMU_SARIF_SCHEMA naming the standard's own schema
(sarif-schema-2.1.0.json, not kept here for its licence), and python3-jsonschema, that is asked as well."""
import json, os, sys

TEXT, WHOLE, BAG = "text", "whole number, from 1", "properties"
LEVELS = ("none", "note", "warning", "error")
MESSAGE = {"text!": TEXT}  # 3.11
ARTIFACT = {"uri!": TEXT}  # 3.4
REGION = {"startLine!": WHOLE, "startColumn": WHOLE}  # 3.30
LOCATION = {"physicalLocation!": {"artifactLocation!": ARTIFACT, "region": REGION}}  # 3.28, 3.29
SUPPRESSION = {"kind!": ("inSource", "external"), "justification": TEXT}  # 3.35
RESULT = {"ruleId!": TEXT, "ruleIndex": "index", "level": LEVELS, "message!": MESSAGE, "locations": [LOCATION], "properties": BAG,
          "suppressions": [SUPPRESSION], "partialFingerprints!": {"primaryLocationLineHash!": TEXT}}  # 3.27
RULE = {"id!": TEXT, "shortDescription": MESSAGE, "fullDescription": MESSAGE, "help": MESSAGE,
        "defaultConfiguration": {"level!": LEVELS}}  # 3.49, 3.50
RUN = {"tool!": {"driver!": {"name!": TEXT, "version": TEXT, "rules": [RULE]}}, "columnKind": ("utf16CodeUnits", "unicodeCodePoints"),
       "results": [RESULT]}  # 3.14, 3.18, 3.19
LOG = {"$schema": TEXT, "version!": ("2.1.0",), "runs!": [RUN]}  # 3.13


def check(value, want, where):
    if isinstance(want, dict):
        assert isinstance(value, dict), f"{where}: an object is wanted"
        known = {k.rstrip("!"): v for k, v in want.items()}
        for k in value:
            assert k in known, f"{where}.{k}: no such property"
            check(value[k], known[k], f"{where}.{k}")
        for k in want:
            assert not k.endswith("!") or k[:-1] in value, f"{where}: no {k[:-1]}"
    elif isinstance(want, list):
        assert isinstance(value, list), f"{where}: an array is wanted"
        for i, v in enumerate(value):
            check(v, want[0], f"{where}[{i}]")
    elif isinstance(want, tuple):
        assert value in want, f"{where}: {value}"
    elif want == TEXT:
        assert isinstance(value, str) and value, f"{where}: a text is wanted"
    elif want in (WHOLE, "index"):
        assert type(value) is int and value >= (want == WHOLE), f"{where}: {value}"
    else:
        assert isinstance(value, dict), f"{where}: a property bag is an object"


for path in sys.argv[1:]:
    log = json.load(open(path))
    check(log, LOG, "log")
    for run in log["runs"]:
        ids = [r["id"] for r in run["tool"]["driver"]["rules"]]
        assert len(set(ids)) == len(ids), "rules have one id each"  # 3.19.23
        prints = [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]
        assert len(set(prints)) == len(prints), "results have one fingerprint each"
        for r in run["results"]:
            assert ids[r["ruleIndex"]] == r["ruleId"], r  # 3.27.6
            assert not r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("/"), "a relative URI"
    schema = os.environ.get("GPUEMU_SARIF_SCHEMA")
    if schema:
        import jsonschema
        jsonschema.validate(log, json.load(open(schema)))
