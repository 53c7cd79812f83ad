#!/bin/bash
# report.html of every kind of evidence: balanced, its ids unique and its links alive, nothing fetched, every kernel and
# every replay line in it, no text become markup; the same bytes twice; the cases of cases.jsonl, or why not.
# What script does is looked at in test_html_browser.sh.
. tests/report/kit.sh
draws
need python3

# page FOLDER: report.html of its evidence
page() {
	"$B/gpuemu-report" --format html "$dir/$1/evidence.json" -o "$dir/$1/report.html" 2>"$dir/err" || fail "$1: exit status $?"
	[ ! -s "$dir/err" ] || fail "$1 told: $(head -c 300 "$dir/err")"
}

# again FOLDER: the same bytes, whatever the time, the language and the zone
again() {
	env LC_ALL=C TZ=Asia/Tokyo LANG=ja_JP.UTF-8 SOURCE_DATE_EPOCH=1 \
		"$B/gpuemu-report" --format html "$dir/$1/evidence.json" | cmp - "$dir/$1/report.html" || fail "$1: other bytes"
}

kinds="seed many empty user mixed odd hostile read other"
for kind in $kinds; do
	mkdir "$dir/$kind"
	case $kind in
	hostile | read | other) from=seed ;;
	*) from=$kind ;;
	esac
	python3 $here/make_evidence.py $from "$dir/$kind/evidence.json" || fail "make_evidence.py $from"
done
# texts that would be markup, in every place of a kernel where one can stand
python3 - "$dir/hostile/evidence.json" <<'END' || fail "hostile"
import json, sys
evil = "</script></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;--><!-- \u2028\u202e\x01\ufffe"
def all_texts(j, keep):
    for k in (j if isinstance(j, dict) else range(len(j))):
        if isinstance(j[k], (dict, list)):
            all_texts(j[k], keep)
        elif isinstance(j[k], str) and k not in keep:
            j[k] = j[k] + evil
e = json.load(open(sys.argv[1]))
for part in ("kernels", "tolerance", "tool", "device", "profiles", "friendly_inputs"):
    all_texts(e[part], ("role", "verdict", "value", "expected", "published_inputs", "dtype", "sha256"))
e["kernels"][1]["name"] = e["kernels"][0]["name"]
e["kernels"][2]["sets"] = ["seed", evil]
json.dump(e, open(sys.argv[1], "w"))
END
python3 $here/make_cases.py "$dir/read/evidence.json" 300 >"$dir/read/cases.jsonl"
# lines that are none: broken, of no kernel, other types, bytes, longer than any, half a line
python3 - >>"$dir/read/cases.jsonl" <<'END'
import sys
out = sys.stdout.buffer
for line in (b"{", b"[]", b"7", b'{"kernel":7,"dtype":[],"i":0}', b'{"kernel":"none","dtype":"f32","i":0,"verdict":"FAIL"}', b"\0\xff\n",
             b'{"kernel":"' + b"x" * (5 << 20) + b'"}', b""):
    out.write(line + b"\n")
out.write(b'{"kernel":"half a li')
END
python3 $here/make_cases.py "$dir/seed/evidence.json" 2 | sed '1s/"seed": "0x1"/"seed": "0x2"/' >"$dir/other/cases.jsonl"
for kind in $kinds; do
	page $kind
done
again read
again hostile

python3 - "$dir" $kinds <<'END' || bad=1
import base64, hashlib, html, json, re, sys
from html.parser import HTMLParser
VOID = {"meta", "input", "img", "br"}

class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.faults, self.names, self.texts = [], [], [], [], [], []
        self.raw, self.policy, self.codes = {}, "", []
    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if len(a) != len(attrs):
            self.faults.append(f"{tag}: an attribute twice")
        self.ids += [a["id"]] if "id" in a else []
        self.links += [a["href"]] if "href" in a else []
        if a.get("http-equiv") == "Content-Security-Policy":
            self.policy = a["content"]
        if any(k.startswith("on") or k == "style" for k in a) or tag in ("link", "iframe", "object", "base"):
            self.faults.append(f"{tag} {attrs}")
        if "src" in a and not (tag == "img" and a["src"].startswith("data:image/svg+xml,") and a.get("alt")):
            self.faults.append(f"{tag} fetches {a['src'][:60]} or has no alt")
        if tag in ("script", "style"):
            self.raw[tag] = self.raw.get(tag, 0) + 1
        if tag == "code":
            self.codes.append("")
        if tag == "h3" and "summary" in self.open:
            self.names.append("")
        if tag not in VOID:
            self.open.append(tag)
    def handle_endtag(self, tag):
        if tag in VOID or not self.open or self.open.pop() != tag:
            self.faults.append(f"unbalanced: {tag} at {self.getpos()}")
    def handle_data(self, data):
        if "summary" in self.open and "h3" in self.open:
            self.names[-1] += data
        if "code" in self.open:
            self.codes[-1] += data
        if "script" not in self.open and "style" not in self.open:
            self.texts.append(data)

def clean(s):
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else "\ufffd" if ord(c) & 0xfffe == 0xfffe else "" if c == "\u2028" else c
                   for c in s)

def check(kind):
    text = open(f"{dir}/{kind}/report.html", "rb").read().decode()
    p, e = Page(), json.load(open(f"{dir}/{kind}/evidence.json"))
    p.feed(text)
    faults = p.faults[:5]
    if p.open or p.raw != {"script": 1, "style": 1}:
        faults.append(f"open: {p.open}, {p.raw}")
    if len(set(p.ids)) != len(p.ids):
        faults.append("an id twice")
    faults += [f"leads nowhere: {l}" for l in p.links if l[:1] != "#" or l[1:] not in p.ids][:3]
    if re.search(r"(?:src|href|url\()\s*[=(]?\s*[\"']?(?:https?:)?//", text) or "@import" in text:
        faults.append("an address of the network")
    if "default-src 'none'" not in p.policy or "unsafe" in p.policy:
        faults.append(f"policy: {p.policy}")
    for tag in ("style", "script"):
        inside = re.search(f"<{tag}>(.*?)</{tag}>", text, re.S).group(1)
        if f"'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'" not in p.policy:
            faults.append(f"the policy does not allow our {tag}")
    kernels = [k for k in e["kernels"] if isinstance(k, dict)]
    names = [clean(k["name"]) if isinstance(k.get("name"), str) and k["name"] else "(no name)" for k in kernels]
    if kind != "odd" and sorted(names) != sorted(p.names):
        faults.append(f"kernels differ: {sorted(set(names) ^ set(p.names))[:4]}")
    if kind != "odd":
        for d in [d for k in kernels for d in k["dtypes"] if "minimal" in d]:
            if clean(d["minimal"]["replay"]) not in p.codes:
                faults.append(f"no replay line {d['minimal']['replay']}")
    return p, " ".join("".join(p.texts).split()), faults

dir, bad = sys.argv[1], 0
pages = {}
for kind in sys.argv[2:]:
    pages[kind] = p, said, faults = check(kind)
    for f in faults[:8]:
        print(f"FAILED: {kind}: {f}")
        bad = 1

def says(kind, text):
    global bad
    if text not in pages[kind][1]:
        print(f"FAILED: {kind} does not say '{text}'")
        bad = 1
e = json.load(open(f"{dir}/seed/evidence.json"))
for s in e["summary"].values():
    says("seed", f"{s['buggy_caught']} of {s['buggy_total']} caught ({s['buggy_caught_by_value']} by output values alone)")
for t in [e["date"], e["device"]["text"], e["tool"]["commit"], e["corpus"]["sha256"], e["tolerance"]["sha256"],
          hashlib.sha256(open(f"{dir}/seed/evidence.json", "rb").read()).hexdigest(), "Every kernel got the verdict that it should",
          "there is no cases.jsonl beside the evidence", "Source lines never executed: 4.", "12: float x1 = x[c1];",
          "99 % of good runs at 95 % confidence", "Judged with T = 12.5 at L = 26 (sm_90 mixed)", "mean of V"]:
    says("seed", t)
says("empty", "The evidence holds no kernel")
says("mixed", "1 of 3 pass, 1 fails, 1 left undecided")
says("other", "cases.jsonl beside the evidence is of another campaign")
# 12,000 rows for 78 kernels and dtypes: 153 of the 300 of each, those that fail first
n = sum(len(k["dtypes"]) for k in e["kernels"])
says("read", f"{153 * n:,} of {300 * n:,} cases are listed, of each kernel and dtype at most 153")
rows = [c for c in pages["read"][0].codes if "layout=x:rowpad" in c]
if len(rows) != 153 * n or len(set(c.split(" seed")[0] for c in rows)) < 300 * n / 30:
    print(f"FAILED: read: {len(rows)} rows")
    bad = 1
failing = sum(d["cases_failed"] * 3 for k in e["kernels"] for d in k["dtypes"])
found = sum(int(x.replace(",", "")) for x in re.findall(r"listed; ([\d,]+) did not pass", pages["read"][1]))
if found != failing or failing == 0:
    print(f"FAILED: read: {found} of {failing} failing cases are counted")
    bad = 1
sys.exit(bad)
END
"$B/gpuemu" report --format html "$dir/user/evidence.json" | cmp - "$dir/user/report.html" || fail "gpuemu report --format html"
"$B/gpuemu-report" --format html "$dir/nothing.json" >"$dir/out" 2>/dev/null
[ $? -eq 2 ] || fail "without a file"
[ ! -s "$dir/out" ] || fail "writes without a file"
exit $bad
