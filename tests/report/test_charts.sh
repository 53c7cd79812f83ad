#!/bin/bash
# Every chart, drawn from small data in data/charts, against its picture in golden/ (compare_png says how tolerantly).
# When one differs, build/golden/NAME.png shows reference, got and difference side by side. UPDATE=1 makes the
# pictures again: look at each before it is committed.
. tests/report/kit.sh
draws
data=tests/report/data/charts golden=tests/report/golden
case $(fc-match -f '%{family}' Sans 2>/dev/null) in
DejaVu*) ;;
*)
	echo "skipped: pictures are laid out with DejaVu Sans, which is not the sans-serif font here (fonts-dejavu-core)"
	exit 77
	;;
esac

# picture CHART FILE DATA [OPTION …]: 85 mm wide at 108 dots an inch: 386 with the margins
picture() {
	[ "$1" != heat ] || set -- "$@" --kernel softmax_tail_leak
	"$B/gpuemu-report" --chart "$1" --width 241 --dpi 108 --format png -o "$2" "${@:3}" || fail "$1: exit status $?"
}

mkdir -p build/golden "$golden"
"$B/gpuemu-report" --list-charts "$data" >"$dir/list" || fail "--list-charts"
drawn=0
for chart in $(sed -n 's/^\([a-z][a-z]*\) .*/\1/p' "$dir/list"); do
	grep -A1 "^$chart " "$dir/list" | grep -q '^ *absent:' && continue
	drawn=$((drawn + 1))
	picture "$chart" "$dir/$chart.png" "$data"
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$dir/$chart.png" "$golden/$chart.png"
	elif [ ! -e "$golden/$chart.png" ]; then
		fail "$chart has no picture: UPDATE=1 tests/report/test_charts.sh makes it"
	else
		"$B/tools/compare_png" "$golden/$chart.png" "$dir/$chart.png" "build/golden/$chart.png" || fail "$chart"
	fi
	# another renderer makes the same picture of the SVG
	if command -v rsvg-convert >/dev/null; then
		picture "$chart" "$dir/1.svg" "$data" --format svg
		rsvg-convert -w 386 -b white "$dir/1.svg" -o "$dir/rsvg.png" || fail "$chart: librsvg"
		"$B/tools/compare_png" "$dir/$chart.png" "$dir/rsvg.png" "build/golden/$chart-rsvg.png" || fail "$chart: its SVG in librsvg"
	fi
	# the same bytes twice, in every format, whatever the language and the time
	for f in svg pdf png; do
		"$B/gpuemu-report" --chart "$chart" --format $f -o "$dir/1" "$data" || fail "$chart.$f"
		env LC_ALL=C TZ=Asia/Tokyo LANG=ja_JP.UTF-8 SOURCE_DATE_EPOCH=1 \
			"$B/gpuemu-report" --chart "$chart" --format $f -o "$dir/2" "$data"
		cmp "$dir/1" "$dir/2" || fail "$chart.$f differs between two runs"
	done
done
# Runs are drawn beside the envelope that was fitted to them: 140 and 72 held out of softmax/f32 are not of a table that counts
# fewer (runs of sm_90 once stood beside the envelope of h200, and 810 runs beside one fitted to 418). In whatever order a
# file has the cells' runs, the picture is the same.
mkdir "$dir/runs"
cp "$data"/table.json* "$dir/runs"
envelope() { "$B/gpuemu-report" --chart envelope --format svg -o "$dir/envelope.svg" "$dir/runs"/table.json*; }
envelope || fail "the envelope's chart: exit status $?"
cp "$dir/envelope.svg" "$dir/one.svg"
awk '{ print } NR % 2 { sub("softmax/f32", "matmul/f32"); sub("coherent", "same"); print }' "$data/table.json.runs.jsonl" \
	>"$dir/runs/table.json.runs.jsonl"
"$B/gpuemu-report" --chart envelope --cell 'softmax/f32 f32 coherent' --format svg -o "$dir/envelope.svg" \
	"$dir/runs"/table.json* && cmp "$dir/one.svg" "$dir/envelope.svg" || fail "runs of another cell between its own"
cp "$data/table.json.runs.jsonl" "$dir/runs"
for few in 's/"runs":540/"runs":139/g' 's/"heldout":270/"heldout":71/g'; do
	sed "$few" "$data/table.json" >"$dir/runs/table.json"
	envelope 2>"$dir/err" && fail "$few: runs of another table are drawn"
	grep -q "another table's" "$dir/err" || fail "$few: $(cat "$dir/err")"
done

[ $drawn -ge 12 ] || fail "only $drawn charts can be drawn"

# what the comparison must see: one cell of one kernel, one point of a plot, one bar
mkdir "$dir/other"
cp "$data"/* "$dir/other"
differs() { # CHART FILE SED
	cp "$data/$2" "$dir/other/$2"
	sed -i "$3" "$dir/other/$2"
	! cmp -s "$data/$2" "$dir/other/$2" || fail "'$3' changes nothing in $2"
	picture "$1" "$dir/other.png" "$dir/other"
	"$B/tools/compare_png" "$golden/$1.png" "$dir/other.png" "$dir/side.png" >/dev/null && fail "$1 with '$3' is taken for the same"
	cp "$data/$2" "$dir/other/$2"
}
differs verdicts evidence.json '0,/"dtype":"f16","verdict":"PASS"/s//"dtype":"f16","verdict":"FAIL"/'
differs heat evidence.json 's/5000,"inf"/0.1,0.1/'
differs failing evidence.json '0,/"cases_failed":28/s//"cases_failed":60/'
differs policies calibration.json 's/"caught":3232/"caught":3000/'
exit $bad
