#!/bin/bash
# Chromium makes the same picture of every chart's SVG as Cairo, within the tolerance of compare_png: of the files that
# gpuemu-report writes, and of the smaller ones that stand in report.html. (librsvg: test_charts.sh.) One that differs is
# shown in build/golden/NAME-chromium.png.
. tests/report/kit.sh
draws
data=tests/report/data/charts
need_browser

mkdir -p build/golden
"$B/gpuemu-report" --list-charts "$data" >"$dir/list" || fail "--list-charts"
"$B/gpuemu-report" --format html "$data" -o "$dir/report.html" || fail "report.html"
# pages NAME PNG-of-Cairo SVG: lines of a list
for chart in $(sed -n 's/^\([a-z][a-z]*\) .*/\1/p' "$dir/list"); do
	grep -A1 "^$chart " "$dir/list" | grep -q '^ *absent:' && continue
	for f in png svg; do
		"$B/gpuemu-report" --chart "$chart" --width 241 --dpi 108 --format $f -o "$dir/$chart.$f" "$data" || fail "$chart.$f"
	done
	echo "$chart"
done >"$dir/names"

# A page with all of them, and the images of report.html; it draws each to a canvas of the size that Cairo's picture has
# and gives back a PNG.
python3 - "$dir" "$B" "$data" <<'END' || fail "the page for the browser"
import base64, html, re, struct, subprocess, sys
dir, B, data = sys.argv[1:]
titles = dict(reversed(l.split(None, 1)) for l in open(dir + "/list").read().split("\n") if l and l[0] != " ")
images = []
def add(name, svg):
    w, h = struct.unpack(">II", open(f"{dir}/{name}.png", "rb").read()[16:24])
    images.append(f'<img data-name="{name}" data-w="{w}" data-h="{h}" src="{svg}">')
for name in open(dir + "/names").read().split():
    svg = open(f"{dir}/{name}.svg", "rb").read()
    add(name, "data:image/svg+xml;base64," + base64.b64encode(svg).decode())
seen = set()
for alt, src in re.findall(r'<img class="chart"[^>]*? alt="([^"]*)" src="([^"]*)"', open(dir + "/report.html").read()):
    name = next((n for t, n in titles.items() if html.unescape(alt).startswith(t + ". ")), None)
    if name is None or name in seen or name in ("heat", "cases"):  # a kernel's own: of another kernel
        continue
    seen.add(name)
    width = float(re.search(r"viewBox='0 0 ([\d.]+) ", src).group(1)) - 16
    subprocess.run([B + "/gpuemu-report", "--chart", name, "--plain", "--width", f"{width:.6g}", "--dpi", "108", "--format", "png",
                    "-o", f"{dir}/{name}-in-html.png", data], check=True)
    add(name + "-in-html", src)
if len(seen) < 12:
    print(f"FAILED: only {len(seen)} charts in report.html")
    sys.exit(1)
open(dir + "/page.html", "w").write("<!DOCTYPE html><body>" + "\n".join(images) + """<script>
onload = async () => {
	for (const i of document.querySelectorAll("img")) {
		await i.decode();
		const c = document.createElement("canvas"), w = c.width = i.dataset.w, h = c.height = i.dataset.h, g = c.getContext("2d");
		g.fillStyle = "white";
		g.fillRect(0, 0, w, h);
		/* 108 dots an inch: Cairo's picture ends with a whole pixel, the SVG where it ends */
		g.drawImage(i, 0, 0, i.naturalWidth * 108 / 96, i.naturalHeight * 108 / 96);
		i.dataset.png = c.toDataURL("image/png");
		i.removeAttribute("src");
	}
	document.body.dataset.ready = "1";
};
</script></body>""")
END
HOME=$dir timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$dir/profile" \
	--virtual-time-budget=20000 --dump-dom "file://$dir/page.html" >"$dir/dom" 2>"$dir/err"
grep -q 'data-ready="1"' "$dir/dom" || {
	echo "skipped: $browser does not draw here: $(tail -n 1 "$dir/err")"
	exit 77
}
python3 - "$dir" >"$dir/made" <<'END' || fail "the browser's pictures"
import base64, re, sys
dir = sys.argv[1]
for tag in re.findall(r"<img [^>]*>", open(dir + "/dom").read()):
    name = re.search(r'data-name="([^"]*)"', tag).group(1)
    png = re.search(r'data-png="data:image/png;base64,([^"]*)"', tag).group(1)
    open(f"{dir}/{name}.browser.png", "wb").write(base64.b64decode(png))
    print(name)
END
[ "$(wc -l <"$dir/made")" -ge 24 ] || fail "only $(wc -l <"$dir/made") pictures"
while read -r name; do
	"$B/tools/compare_png" "$dir/$name.png" "$dir/$name.browser.png" "build/golden/$name-chromium.png" ||
		fail "$name: Chromium's picture"
done <"$dir/made"
# what the comparison must see: another chart
! "$B/tools/compare_png" "$dir/heat.png" "$dir/verdicts.browser.png" "$dir/side.png" >/dev/null || fail "any picture will do"
exit $bad
