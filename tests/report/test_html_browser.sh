#!/bin/bash
# What script does in report.html, in Chromium: filters, search, sorting, keys, copying, links to what is closed. A copy of
# the page without its policy gets a script that does what a reader does and says what came of it; the page itself must
# run under its policy. The figures expected are counted from the evidence.
. tests/report/kit.sh
draws
need_browser

# dom FILE: the page as it stands after its scripts have run
dom() {
	HOME=$dir timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$dir/profile" \
		--virtual-time-budget=8000 --dump-dom "file://$1" 2>"$dir/err"
}

echo '<p id="there">x</p>' >"$dir/try.html"
dom "$dir/try.html" | grep -q 'id="there"' || {
	echo "skipped: $browser does not run here: $(tail -n 1 "$dir/err")"
	exit 77
}

python3 $here/make_evidence.py seed "$dir/evidence.json" || fail "make_evidence.py"
python3 $here/make_cases.py "$dir/evidence.json" 20 >"$dir/cases.jsonl" || fail "make_cases.py"
"$B/gpuemu-report" --format html "$dir/evidence.json" -o "$dir/report.html" || fail "exit status $?"

# under its own policy: script shows the filters, style applies, nothing is refused
dom "$dir/report.html" >"$dir/dom"
grep -q '<form id="filter" role="search">' "$dir/dom" || fail "script does not run under the page's policy"
grep -q 'of 26 kernels' "$dir/dom" || fail "the filter does not count: $(grep -o '<output.*</output>' "$dir/dom")"
grep -q 'Content Security Policy' "$dir/err" && fail "the policy refuses: $(grep -m 1 'Content Security' "$dir/err")"

cat >"$dir/reader.js" <<'END'
(async () => {
	const $ = id => document.getElementById(id), all = s => Array.from(document.querySelectorAll(s)), out = [];
	const say = (key, value) => out.push(key + "=" + value);
	const rest = () => new Promise(r => setTimeout(r, 60));
	const press = (key, at) => (at || document.activeElement).dispatchEvent(
		new KeyboardEvent("keydown", {key: key, bubbles: true, cancelable: true}));
	const set = async (id, value) => {
		const e = $(id);
		if (e.type === "checkbox") e.checked = value; else e.value = value;
		e.dispatchEvent(new Event("input", {bubbles: true}));
		await rest();
	};
	const rows = () => all("#kernel-table tbody tr").filter(r => !r.hidden);
	const names = () => rows().map(r => r.cells[0].textContent);
	const clear = async () => { $("filter").reset(); await rest(); };
	try {
		say("all", rows().length);
		await set("f-role", "control");
		say("controls", rows().length + " " + all("details.kernel:not([hidden])").length);
		await set("f-verdict", "FAIL");
		say("controls that fail", rows().length + " " + !$("none").hidden);
		await clear();
		say("cleared", rows().length);
		await set("f-set", "flash");
		say("flash", rows().length);
		await clear();
		await set("f-text", "SOFTMAX tail_leak");
		say("softmax tail_leak", names().join());
		await clear();
		await set("f-text", "no kernel has this");
		say("nothing", rows().length + " " + $("none").hidden);
		await clear();
		await set("f-odd", true);
		say("odd", rows().length);
		await clear();

		/* cases */
		await set("f-verdict", "FAIL");
		await set("f-dtype", "f16");
		$("found").open = true;
		await rest();
		say("failing in f16", $("found").querySelector("summary").textContent.match(/[\d,]+$/)[0]);
		say("as a table", all("table.found tbody tr").length);
		await clear();
		await set("f-text", "rowpad7");
		say("rowpad7", $("found").querySelector("summary").textContent.match(/[\d,]+$/)[0]);
		await clear();

		/* sorting: up, down, as it was */
		const before = names(), head = i => $("kernel-table").tHead.rows[0].cells[i];
		const failed = Array.from($("kernel-table").tHead.rows[0].cells).findIndex(c => c.textContent === "Cases failed");
		head(0).querySelector("button").click();
		say("by name", names().join() === before.slice().sort((a, b) => new Intl.Collator("en", {numeric: true}).compare(a, b)).join());
		head(failed).querySelector("button").click();
		say("one sorted", all("[aria-sort]").length + " " + head(failed).getAttribute("aria-sort"));
		head(failed).querySelector("button").click();
		const shares = rows().map(r => Number(r.cells[failed].dataset.n));
		say("falling", shares.every((x, i) => i === 0 || shares[i - 1] >= x) && shares[0] > 0);
		head(failed).querySelector("button").click();
		say("as it was", names().join() === before.join());

		/* keys */
		press("/", document.body);
		say("slash", document.activeElement.id);
		await set("f-text", "gelu");
		press("Escape", $("f-text"));
		await rest();
		say("escape", rows().length + " '" + $("f-text").value + "'");
		rows()[0].querySelector("a").focus();
		press("ArrowDown");
		press("ArrowDown");
		press("ArrowUp");
		say("arrows", document.activeElement === rows()[1].querySelector("a"));
		const reached = all("a, button, input, select, summary").filter(e => e.tabIndex < 0 && !e.closest("tr"));
		say("out of reach", reached.length);

		/* links to what is closed or filtered away */
		const link = rows()[3].querySelector("a"), part = $(link.hash.slice(1)).closest("details");
		await set("f-text", "no kernel has this");
		location.hash = link.hash;
		await new Promise(r => setTimeout(r, 200));
		say("opened", part.open && !part.hidden && document.activeElement === part.querySelector("summary"));
		await clear();

		/* copying */
		let text = "";
		Object.defineProperty(navigator, "clipboard", {value: {writeText: t => { text = t; return Promise.resolve(); }}});
		const fails = all("details.kernel").find(d => d.querySelector("pre.code"));
		fails.open = true;
		await rest();
		fails.querySelector("pre.code button.copy").click();
		say("copied", text);
		const list = fails.querySelector("details.cases");
		list.open = true;
		await rest();
		const row = list.querySelector("tbody tr");
		row.focus();
		say("row has focus", document.activeElement === row);
		press("c");
		say("copied case", text);

		/* colours */
		const ground = () => getComputedStyle(document.body).backgroundColor;
		document.querySelector("#theme [value=dark]").click();
		const dark = ground();
		document.querySelector("#theme [value=light]").click();
		say("colours", dark + " " + ground());
	} catch (e) {
		say("error", e.stack);
	}
	document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: out.join("\n") + "\n"}));
})();
END
python3 - "$dir" <<'END'
import re, sys
dir = sys.argv[1]
page, n = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", open(dir + "/report.html").read())
assert n == 1
open(dir + "/read.html", "w").write(page.replace("</body>", "<script>" + open(dir + "/reader.js").read() + "</script></body>"))
END
dom "$dir/read.html" >"$dir/dom"
python3 - "$dir" <<'END' || bad=1
import html, json, re, sys
dir = sys.argv[1]
m = re.search(r'<pre id="said">(.*?)</pre>', open(dir + "/dom").read(), re.S)
said = dict(l.split("=", 1) for l in html.unescape(m.group(1)).split("\n") if "=" in l) if m else {}
e = json.load(open(dir + "/evidence.json"))
cases = [json.loads(l) for l in open(dir + "/cases.jsonl")][1:]
kernels = e["kernels"]
f16 = [c for c in cases if c["dtype"] == "f16" and c["verdict"] == "FAIL"]
first = next(k for k in kernels if k["role"] == "buggy")
replay = next(d["minimal"]["replay"] for d in first["dtypes"] if "minimal" in d)
case = next(c["case"] for c in cases if c["kernel"] == first["name"] and c["verdict"] == "FAIL")
controls = sum(k["role"] == "control" for k in kernels)
want = {
    "all": len(kernels), "controls": f"{controls} {controls}", "controls that fail": "0 true", "cleared": len(kernels),
    "flash": sum("flash" in k["sets"] for k in kernels), "softmax tail_leak": "softmax_tail_leak", "nothing": "0 false", "odd": 0,
    "failing in f16": f"{len(f16):,}", "as a table": min(300, len(f16)),
    "rowpad7": f"{sum('rowpad7 ' in c['case'] for c in cases):,}",
    "by name": "true", "one sorted": "1 ascending", "falling": "true", "as it was": "true", "slash": "f-text",
    "escape": f"{len(kernels)} ''", "arrows": "true", "out of reach": 0, "opened": "true", "copied": replay,
    "row has focus": "true", "copied case": f"gpuemu replay {first['folder']} '{case}'",
    "colours": "rgb(20, 24, 29) rgb(255, 255, 255)", "error": None}
bad = not f16
for k, v in want.items():
    if said.get(k) != (str(v) if v is not None else None):
        print(f"FAILED: {k}: '{said.get(k)}', not '{v}'")
        bad = True
sys.exit(bad)
END
exit $bad
