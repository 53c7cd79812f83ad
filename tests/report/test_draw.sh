#!/bin/bash
# gpuemu-report as a program: what it writes, that it writes the same bytes twice, and what it answers to
# wrong inputs. Needs no tool but the program. Pictures: test_pictures.sh.
. tests/report/kit.sh
draws
data=tests/report/data/text.json

# expect STATUS TEXT COMMAND...: the exit status, and a text on stderr ("" for none at all)
expect() {
	want=$1 text=$2
	shift 2
	"$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	[ $rc -eq "$want" ] || fail "'$*' ended with $rc, not $want: $(head -c 300 "$dir/err")"
	if [ -z "$text" ]; then
		[ ! -s "$dir/err" ] || fail "'$*' told: $(head -c 300 "$dir/err")"
	else
		grep -qF -- "$text" "$dir/err" || fail "'$*' did not say '$text': $(head -c 300 "$dir/err")"
	fi
}

p=$B/gpuemu-report
expect 0 "" "$p" --help
grep -q '^usage: gpuemu-report ' "$dir/out" || fail "--help has no usage line"
expect 0 "" "$p" --version
grep -Eq '^gpuemu-report [0-9]+\.[0-9]+' "$dir/out" || fail "--version: $(cat "$dir/out")"

# twice the same bytes, whatever the time, the language and the zone; the folder is made
expect 0 "" "$p" "$data" -o "$dir/a/b"
expect 0 "" env LC_ALL=C TZ=Asia/Tokyo LANG=ja_JP.UTF-8 PANGO_LANGUAGE=ja SOURCE_DATE_EPOCH=1 \
	"$p" -o "$dir/c" "$data"
for f in report.pdf charts/verdicts.svg charts/failing.svg; do
	cmp "$dir/a/b/$f" "$dir/c/$f" || fail "$f differs between two runs"
done
[ "$(ls "$dir/c" | xargs)" = "charts report.pdf" ] || fail "more than the report and the charts: $(ls "$dir/c")"
[ "$(ls "$dir/c/charts" | xargs)" = "checks.svg failing.svg verdicts.svg" ] || fail "other charts: $(ls "$dir/c/charts")"
head -c 5 "$dir/c/report.pdf" | grep -q '^%PDF-' || fail "report.pdf is no PDF"
grep -q '</svg>' "$dir/c/charts/verdicts.svg" || fail "verdicts.svg does not end"
grep -q '</svg>' "$dir/c/charts/failing.svg" || fail "failing.svg does not end"

# nor do the fonts that the machine prefers (a package of fonts changes them) where DejaVu's are installed
case $(fc-match -f '%{family}' 'DejaVu Sans Mono' 2>/dev/null) in
'DejaVu Sans Mono'*)
	cat >"$dir/fonts.conf" <<-'END'
		<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
		<fontconfig><include>/etc/fonts/fonts.conf</include>
		<match target="pattern"><test name="family"><string>monospace</string></test>
		<edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans</string></edit></match>
		<match target="pattern"><test name="family"><string>sans</string></test>
		<edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit></match>
		<match target="pattern"><test name="family"><string>sans-serif</string></test>
		<edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit></match></fontconfig>
	END
	case $(FONTCONFIG_FILE=$dir/fonts.conf fc-match -f '%{family}' Monospace) in
	'DejaVu Sans') ;;
	*) fail "the other preference is none: $(FONTCONFIG_FILE=$dir/fonts.conf fc-match Monospace)" ;;
	esac
	expect 0 "" env FONTCONFIG_FILE="$dir/fonts.conf" "$p" -o "$dir/fonts" "$data"
	for f in report.pdf charts/verdicts.svg; do
		cmp "$dir/a/b/$f" "$dir/fonts/$f" || fail "$f differs where other fonts are preferred"
	done
	;;
esac

# other evidence gives other pictures
sed 's/"cases_failed": 4/"cases_failed": 5/' "$data" >"$dir/other.json"
expect 0 "" "$p" "$dir/other.json" -o "$dir/d"
for f in report.pdf charts/failing.svg; do
	! cmp -s "$dir/d/$f" "$dir/c/$f" || fail "$f does not show a failing case more"
done
cmp -s "$dir/d/charts/verdicts.svg" "$dir/c/charts/verdicts.svg" || fail "verdicts.svg differs with the same verdicts"

# the current folder is the default
cp "$data" "$dir/e.json"
expect 0 "" env -C "$dir" "$(realpath "$p")" e.json
cmp "$dir/report.pdf" "$dir/c/report.pdf" || fail "the default folder is not the current one"

# wrong inputs: 2, and a message that names the thing
expect 2 "name an evidence.json" "$p"
expect 2 "is evidence already" "$p" "$data" "$data"
expect 2 "unrecognized option" "$p" --colour "$data"
expect 2 "requires an argument" "$p" "$data" -o
expect 2 "no evidence given" "$p" results/fidelity.json
expect 2 "$dir/none.json" "$p" "$dir/none.json" -o "$dir/x"
expect 2 "is not evidence of gpuemu" "$p" tests/report/../../validate/evidence.schema.json -o "$dir/x"
head -c 300 "$data" >"$dir/cut.json"
expect 2 "cut.json:" "$p" "$dir/cut.json" -o "$dir/x"
[ ! -e "$dir/x" ] || fail "a folder was made for evidence that cannot be read"
expect 2 "$dir/e.json" "$p" "$data" -o "$dir/e.json/sub"
expect 2 "/proc/gpuemu" "$p" "$data" -o /proc/gpuemu

# charts: the list tells why one cannot be drawn; asked for, it is an error; every format is the same twice
expect 0 "" "$p" --list-charts
grep -q '^verdicts ' "$dir/out" || fail "verdicts is not listed"
expect 0 "" "$p" --list-charts "$data"
grep -A1 '^policies ' "$dir/out" | grep -q 'absent: no calibration figures' || fail "why policies is absent is not told"
expect 2 "cannot be drawn: no calibration figures given" "$p" --chart policies "$data"
expect 2 "there is no chart 'pie'" "$p" --chart pie "$data"
expect 2 "other formats are for --chart" "$p" --format svg "$data"
expect 2 "unknown format" "$p" --chart verdicts --format gif "$data"
expect 2 "--width takes" "$p" --chart verdicts --width 100 "$data"
for f in svg pdf png; do
	expect 0 "" "$p" --chart verdicts --format $f -o "$dir/1.$f" "$data"
	expect 0 "" env LC_ALL=C TZ=Asia/Tokyo LANG=ja_JP.UTF-8 "$p" --chart verdicts --format $f -o "$dir/2.$f" "$data"
	cmp "$dir/1.$f" "$dir/2.$f" || fail "verdicts.$f differs between two runs"
	expect 0 "" "$p" --chart verdicts --plain --format $f -o "$dir/3.$f" "$data"
	! cmp -s "$dir/1.$f" "$dir/3.$f" || fail "--plain changes nothing in $f"
done

# no room for the file: 3, and nothing half-written is left under its name
mkdir "$dir/full"
(
	trap '' XFSZ
	ulimit -f 4
	expect 3 "report.pdf" "$p" "$data" -o "$dir/full"
	exit $bad
) || bad=1
[ -z "$(ls "$dir/full")" ] || fail "left behind: $(ls "$dir/full")"
exit $bad
