#!/bin/bash
# The drawings as other programs read them: poppler (text, fonts, pages), qpdf (structure), librsvg and
# python3's XML reader (SVG), over evidence of every kind that make_evidence.py gives.
. tests/report/kit.sh
draws
need python3 pdftotext pdffonts pdfinfo qpdf rsvg-convert

# has KIND TEXT: the page's text holds it (blanks and line ends are one)
has() {
	tr -s ' \n\f' ' ' <"$dir/$1/text" | grep -qF -- "$2" || fail "$1: the page does not say '$2'"
}

for kind in seed many empty user mixed odd; do
	python3 $here/make_evidence.py $kind "$dir/$kind.json" || fail "make_evidence.py $kind"
	"$B/gpuemu-report" "$dir/$kind.json" -o "$dir/$kind" 2>"$dir/err" || fail "$kind: exit status $?"
	[ ! -s "$dir/err" ] || fail "$kind told: $(head -c 300 "$dir/err")"
	pdf=$dir/$kind/report.pdf
	qpdf --check "$pdf" >"$dir/qpdf" 2>&1 || fail "$kind: $(tail -n 3 "$dir/qpdf")"
	pdftotext -layout "$pdf" "$dir/$kind/text" 2>"$dir/err" || fail "$kind: pdftotext"
	[ ! -s "$dir/err" ] || fail "$kind: pdftotext told: $(head -c 300 "$dir/err")"
	pdftotext -raw "$pdf" "$dir/$kind/raw"
	pdftotext -bbox-layout "$pdf" "$dir/$kind/bbox"
	# columns emb, sub, uni are the sixth to fourth from the right
	pdffonts "$pdf" | awk 'NR > 2 {n++; if ($(NF - 4) != "yes" || $(NF - 2) != "yes") print}
		END {if (!n) print "no font at all"}' >"$dir/fonts"
	[ ! -s "$dir/fonts" ] || fail "$kind: not embedded or without Unicode: $(cat "$dir/fonts")"
	pdfinfo "$pdf" >"$dir/$kind/info"
	grep -Eq '^Page size: +595\.2[0-9]* x 841\.[89]' "$dir/$kind/info" || fail "$kind: not A4"
	for path in "$dir/$kind"/charts/*.svg; do
		[ -e "$path" ] || continue
		svg=$(basename "$path" .svg)
		rsvg-convert "$path" -o "$dir/$kind/$svg.png" || fail "$kind: $svg.svg"
		[ "$(wc -c <"$dir/$kind/$svg.png")" -gt 3000 ] || fail "$kind: $svg.svg is nearly empty"
	done
done

pages() {
	sed -n 's/^Pages: *//p' "$dir/$1/info"
}
# a page a kernel at least; tagged; every page has its number
for kind in seed many empty user mixed; do
	n=$(pages $kind) kernels=$(grep -c '"folder"' "$dir/$kind.json")
	[ "$n" -gt "$kernels" ] || fail "$kind: $n pages for $kernels kernels"
	grep -q '^Tagged: *yes' "$dir/$kind/info" || fail "$kind: not tagged"
	[ "$(grep -Ec "  [0-9]+ of $n\$" "$dir/$kind/text")" -eq "$n" ] || fail "$kind: page numbers"
done

# what the page of the corpus has to say; the figures are those of the evidence
python3 - "$dir/seed.json" >"$dir/said" <<'END'
import json, sys
e = json.load(open(sys.argv[1]))
for k in e["kernels"]:
    print(k["name"])
for s in e["summary"].values():
    n, own = s["buggy_total"], s["buggy_accepted_by"]["seed"]
    print(f"{s['buggy_accepted_by_bench']} of {n} accepted on one input chosen per operator; "
          f"{own['published']} of {own['published_total']} on KernelBench's own.")
    print(f"{s['buggy_caught']} of {n} caught ({s['buggy_caught_by_value']} by output values alone), "
          f"{s['control_flagged']} of {s['control_total']} controls flagged")
print("\n".join(p["name"] for p in e["profiles"]))
print("\n".join([e["tool"]["version"], e["date"], e["seed"], e["device"]["text"], e["tolerance"]["text"],
                 "provisional", e["corpus"]["sha256"], e["tool"]["command"],
                 e["tool"]["commit"], e["tolerance"]["sha256"], e["device"]["driver"], e["kernels"][0]["toolkit"],
                 "99 % of good runs at 95 % confidence", "Judged with T = 12.5 at L = 26 (sm_90 mixed)", "Source lines never executed: 4.", "12: float x1 = x[c1];", "C 1 to 15,276", "subnormal 8",
                 "nearest to its tolerance among the passing is r = 1.5 of T = 6", "mean of V", "gpuemu replay corpus/buggy/"]))
END
[ "$(wc -l <"$dir/said")" -gt 50 ] || fail "the corpus is not read: $(wc -l <"$dir/said") lines"
while read -r line; do
	# names of checks stand upright and are found by their own letters in -raw order
	tr -s ' \n\f' ' ' <"$dir/seed/text" | grep -qF -- "$line" ||
		tr -s ' \n\f' ' ' <"$dir/seed/raw" | grep -qF -- "$line" ||
		fail "seed: the page does not say '$line'"
done <"$dir/said"

# every command that replays a failure is there and one command for a shell, whichever way the text is taken
# from the page: a line that another follows ends with a backslash, outside of quotes
for kind in seed user mixed; do
	pdftotext "$dir/$kind/report.pdf" "$dir/$kind/order"
	for mode in raw text order; do
		python3 - "$dir/$kind.json" "$dir/$kind/$mode" <<'END' || fail "$kind, $mode: a replay is missing or no command"
import json, shlex, sys
lines, found, i = open(sys.argv[2]).read().replace("\f", "\n").split("\n"), set(), 0
while i < len(lines):
    command = lines[i].strip()
    while command.startswith("gpuemu replay") and command.endswith("\\"):
        i += 1
        command = command[:-1] + lines[i]
    if command.startswith("gpuemu replay"):
        words = shlex.split(command)
        found.add((words[2], " ".join(words[3:])))
    i += 1
want = {tuple(shlex.split(d["minimal"]["replay"])[2:]) for k in json.load(open(sys.argv[1]))["kernels"]
        for d in k["dtypes"] if "minimal" in d}
print("\n".join(map(str, sorted(want - found)[:3])))
sys.exit(not want or not want <= found)
END
	done
done

# a table that goes on has its head on each page
python3 - "$dir/many/text" <<'END' || fail "many: a page of the index has no head"
import sys
pages = open(sys.argv[1]).read().split("\f")
index = [p for p in pages if p.split("\n")[0].rstrip().endswith("All kernels")]
sys.exit(len(index) < 2 or not all("Cases failed" in p for p in index))
END
for i in 9 48 74; do
	has many "kernel_number_$i "
done
[ "$(grep -c '/300$' "$dir/many/text")" -eq 75 ] || fail "many: $(grep -c '/300$' "$dir/many/text") rows"
has many "größenänderung_27"
has many "noël_reduce_57"
has empty "The evidence holds no kernel"
has user "0 of 1 pass, 1 fails"
has user "gpuemu replay work/my_softmax"
has user "They were not run in this campaign."
! grep -q 'KernelBench' "$dir/user/text" || fail "user: speaks of benchmark checks that were not run"
has mixed "1 of 3 pass, 1 fails, 1 left undecided"
has mixed "gpuemu replay '/home/me/my kernels, with a long name of their own and blanks/soft & max'"
has odd "Set <b>&."
# the same of a table's cell, whose lines are one text
has_cell() {
	tr -s ' \n\f' ' ' <"$dir/$1/raw" | grep -qF -- "$2" || fail "$1: no cell says '$2'"
}
# kernels that pass in some dtypes, where the verdict is counted and where the kernel is listed
has mixed "my_softmax passes in f16 and fails in f32, bf16."
has mixed "partly_wrong passes in f16, bf16 and fails in f32: wrong all the same"
has_cell mixed "f16, bf16 pass"
# which tree the tool was built from
has mixed "commit 0123456789ab, TREE NOT CLEAN"
has seed "commit 0123456789ab, tree clean"
# only what is fitted has a coverage and a confidence; numbers of the formula; controls and buggy kernels apart
has_cell seed "fitted: t = 3.25, slope 0.5 from knee 32 on, slope′ 0.125, M₀ 64"
has_cell seed "largest error met 1.46, with its margin t = 1.83"
[ "$(grep -c '99 % at 95 %' "$dir/seed/text")" -eq "$(grep -o 'fitted: t = 3.25' "$dir/seed/text" | wc -l)" ] ||
	fail "seed: another cell than a fitted one has a coverage"
has seed "control 5; 0.43"
has seed "buggy 7; 0.93"
has seed "The nearest that a passing case of a control came to its tolerance is r/T = 0.43"
has seed "Allowed are the numbers of f16 between the roundings"
# elements judged: what is out of contract or ill-conditioned is none; the figures are those of the evidence
python3 - "$dir/seed.json" >"$dir/judged" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))["kernels"][0]["dtypes"][0]
none = d["elements_out_of_contract"] + d["elements_ill_conditioned"] + d["elements_unknown"]
print(f"{d['elements'] - none:,} .* {none:,} ")
END
grep -Eq "$(cat "$dir/judged")" "$dir/seed/text" || fail "seed: elements judged: $(cat "$dir/judged")"

# nothing beyond the margins, and no word over another (but the hexadecimal digits in the box that Pango draws for a character
# which no installed font has: pdftotext takes them for letters of full width)
for kind in seed many user mixed odd; do
	python3 - "$dir/$kind/bbox" >"$dir/out" <<'END'
import re, sys
for number, page in enumerate(open(sys.argv[1]).read().split("<page ")[1:], 1):
    words, near = [], []
    box = re.compile(r"[0-9A-F]{2,3}")
    for m in re.finditer(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)<', page):
        x0, y0, x1, y1 = map(float, m.groups()[:4])
        words.append((y0, x0, y1, x1, m.group(5)))
        if x0 < 30 or y0 < 20 or x1 > 567 or y1 > 825:
            print("outside the margins:", m.groups())
    for w in sorted(words):
        near = [v for v in near if v[2] > w[0] + 2.6]
        for v in near:
            if not (box.fullmatch(v[4]) and box.fullmatch(w[4])) and min(v[3], w[3]) - max(v[1], w[1]) > 1.2 and min(v[2], w[2]) - w[0] > 2.6:
                print(f"page {number}: one over the other: {v} {w}")
        near.append(w)
END
	[ ! -s "$dir/out" ] || fail "$kind: $(head -n 3 "$dir/out")"
done

# a page ends with no heading, and its running head is the part that it begins with or goes on with
for kind in seed many user mixed; do
	python3 - "$dir/$kind/bbox" >"$dir/out" <<'END'
import html, re, sys
part = ""
for number, page in enumerate(open(sys.argv[1]).read().split("<page ")[1:], 1):
    lines = []
    for at, text in re.findall(r'<line ([^>]*)>(.*?)</line>', page, re.S):
        x0, x1, y0, y1 = (float(re.search(k + r'="([-\d.]+)"', at).group(1)) for k in ("xMin", "xMax", "yMin", "yMax"))
        if x1 - x0 > y1 - y0:  # not upright
            lines.append((y0, y1 - y0, html.unescape(" ".join(re.findall(r'>([^<]*)</word>', text)))))
    head = [t for y, h, t in lines if y < 48 and t != "gpuemu audit report"]
    body = sorted(x for x in lines if 48 < x[0] < 784)
    if body and 12 < max(h for y, h, t in body if y == body[-1][0]):
        print(f"page {number} ends with {body[-1]}")
    if number > 1 and body and body[0][1] > 16:
        part = body[0][2]
    if number > 1 and body[0][0] < 70 and part not in head and not part.startswith(head[0][:12]):
        print(f"page {number} of {part} is headed {head}")
    for y, h, t in body:
        part = t if h > 16 and number > 1 else part
END
	[ ! -s "$dir/out" ] || fail "$kind: $(head -n 3 "$dir/out")"
done

# the outline leads to the parts; the document's dates are the evidence's
python3 - "$dir/seed/charts/verdicts.svg" "$dir/seed/charts/failing.svg" <<'END' || fail "an SVG is not well-formed"
import sys, xml.dom.minidom
for f in sys.argv[1:]:
    d = xml.dom.minidom.parse(f).documentElement
    assert d.tagName == "svg" and d.hasAttribute("viewBox"), f
END
TZ=UTC pdfinfo -isodates "$dir/seed/report.pdf" | grep -q '^CreationDate: *2026-12-02T08:00:00' ||
	fail "the date of the PDF is not the evidence's"
qpdf --qdf --object-streams=disable "$dir/seed/report.pdf" - >"$dir/qdf"
for entry in Summary Method Glossary 'softmax_tail_leak: FAIL'; do
	grep -aq "/Title ($entry)" "$dir/qdf" || fail "the outline has no $entry"
done
# links: as many as destinations asked for, each of which exists
python3 - "$dir/qdf" <<'END' || fail "a link leads nowhere"
import re, sys
pdf = open(sys.argv[1], "rb").read()
used = set(re.findall(rb"/Dest \((d\d+)\)", pdf)) | set(re.findall(rb"/D \((d\d+)\)", pdf))
# the names in the tree of names, each with its place: "(d5)" and, in the next line, "[ 7 0 R /XYZ 48 780 0 ]" or an object with it
names = set(re.findall(rb"\((d\d+)\)\s+(?:\d+ 0 R|\[|<<)", pdf))
print(len(used), "destinations linked;", sorted(used - names)[:5])
sys.exit(len(used) < 26 or bool(used - names))
END

# the contents name the pages on which parts and kernels begin
for kind in seed many user mixed; do
	python3 - "$dir/$kind/text" >"$dir/out" <<'END'
import re, sys
pages = open(sys.argv[1]).read().split("\f")
begins = {}
for number, page in enumerate(pages, 1):
    for line in page.split("\n"):
        begins.setdefault(line.strip(), []).append(number)
n = 0
for page in pages[1:9]:
    if "Contents" not in page.split("\n")[0]:
        break
    for title, number in re.findall(r"^ *(\S.*?\S)(?: {2,}[A-Z]+)? {2,}(\d+) *$", page, re.M):
        if title in begins:
            n += 1
            if int(number) not in begins[title]:
                print(f"{title} begins on {begins[title]}, not on {number}")
if n < 6:
    print(f"only {n} lines of contents are read")
END
	[ ! -s "$dir/out" ] || fail "$kind: $(head -n 3 "$dir/out")"
done

# what is adverse in the figures of studies is told below their chart, and only then
mkdir -p "$dir/figures" "$dir/remarks"
cp tests/report/data/charts/*.json* "$dir/figures"
draw_figures() {
	"$B/gpuemu-report" "$dir/figures" -o "$dir/remarks" 2>"$dir/err" || fail "the report of figures: $(cat "$dir/err")"
	pdftotext -raw "$dir/remarks/report.pdf" - | tr -s ' \n\f' ' ' >"$dir/remarks/text"
}
# told WHAT: the report of the figures says it
told() {
	grep -qE -- "$1" "$dir/remarks/text"
}
# change FILE: python on stdin, with the object as e
change() {
	{
		echo "import json, sys; e = json.load(open(sys.argv[1]))"
		cat
		echo "json.dump(e, open(sys.argv[1], 'w'))"
	} | python3 - "$dir/figures/$1"
}
draw_figures
told '__log10f errs beyond the bound that NVIDIA publishes for it .*: by 1.088 times it' || fail "__log10f is not told"
told 'boundary finds as many as ours' || fail "a strategy that finds as much is not told"
told 'The kernels. pages tell of the campaign of this evidence' || fail "the two coverages are not told apart"
told 'Nothing differs' || fail "no difference is not told"
change math.json <<'END'
for f in e["functions"]:
    f["of_bound"] = min(f.get("of_bound") or 0, 1)
END
change fidelity.json <<'END'
e["differences"] = 3
END
change strategies.json <<'END'
for s in e["strategies"]:
    s["buggy_units_failing"] -= s["strategy"] == "boundary"
END
change table.json <<'END'
for c in e["cells"]:
    c["power_4"] = 0.75 if c["types"] == "f32" and c["state"] == "envelope" else c["power_4"]
END
draw_figures
! told '__log10f errs beyond' || fail "__log10f is told though it keeps the bound"
told ' ([0-9]+) of \1 functions with a bound keep it' || fail "that all functions keep their bound is not told"
told 'Of the operand tuples of forms 3 of [0-9]+ differ' || fail "a difference of the emulator is not told"
! told 'boundary finds as many' || fail "a strategy that finds less is told"
told 'An error of 4 T is not seen in every run of [0-9]+ cells?: .*\(75 %\)' || fail "a cell of low power is not told"
exit $bad
