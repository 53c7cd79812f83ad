#!/bin/bash
# gpuemu sign and verify: a signed folder verifies, also by OpenSSL and sha256sum alone; every kind of tampering is
# detected and named.
. tests/cli/kit.sh
f=$dir/evidence
make_folder() {
	rm -rf "$f"
	mkdir -p "$f/charts/deep"
	printf '{"a":1}\n' >"$f/evidence.json"
	printf 'line\n%.0s' {1..5000} >"$f/cases.jsonl"
	: >"$f/empty"
	printf '<svg/>\n' >"$f/charts/a b.svg"
	printf '<svg/>\n' >"$f/charts/deep/größe.svg"
}
make_folder
expect 0 "keep it secret" sign --new-key "$dir/k.pem"
[ "$(stat -c %a "$dir/k.pem")" = 600 ] || bad "the private key is readable by others"
expect 2 "is there already" sign --new-key "$dir/k.pem"
expect 0 "" sign --new-key "$dir/other.pem"
expect 0 "5 files, signed" sign "$f" --key "$dir/k.pem"
expect 0 "5 files are as they were signed" verify "$f" --key "$dir/k.pub.pem"
expect 0 "5 files, signed" sign "$f" --key "$dir/k.pem" # again: the list is no part of itself
if command -v openssl >/dev/null; then
	(cd "$f" && openssl pkeyutl -verify -pubin -inkey "$dir/k.pub.pem" -rawin -in MANIFEST.sha256 -sigfile MANIFEST.sig) >"$dir/openssl" 2>&1 ||
		bad "openssl: $(cat "$dir/openssl")"
fi
(cd "$f" && sha256sum -c --strict --quiet MANIFEST.sha256) || bad "sha256sum"

# tamper 'WHAT IS SAID' COMMAND: run in a signed folder
tamper() {
	make_folder
	"$gpuemu" sign "$f" --key "$dir/k.pem" >/dev/null
	(cd "$f" && eval "$2") || bad "could not: $2"
	expect 1 "$1" verify "$f" --key "$dir/k.pub.pem"
}
tamper "evidence.json: was changed" "sed -i s/1/2/ evidence.json"
tamper "cases.jsonl: was changed" "truncate -s -1 cases.jsonl"
tamper "cases.jsonl: was changed" "echo more >>cases.jsonl"
tamper "empty: is missing" "rm empty"
tamper "charts/new.svg: is not in the list" "cp 'charts/a b.svg' charts/new.svg"
tamper "charts/a b.svg: is missing" "mv 'charts/a b.svg' charts/b.svg"
tamper "charts/b.svg: is not in the list" "mv 'charts/a b.svg' charts/b.svg"
tamper "evidence.json: was changed" "cp evidence.json x; cp cases.jsonl evidence.json; mv x cases.jsonl"
tamper "empty: is no plain file any more" "rm empty; ln -s /dev/null empty"
# who changes the list as well has no key
tamper "MANIFEST.sha256: is not what this key signed" "echo '{}' >evidence.json; sha256sum cases.jsonl 'charts/a b.svg' charts/deep/größe.svg empty evidence.json >MANIFEST.sha256"
tamper "MANIFEST.sha256: is not what this key signed" "sed -i '/empty/d' MANIFEST.sha256; rm empty"
tamper "MANIFEST.sha256: is not what this key signed" "printf x | dd of=MANIFEST.sig bs=1 seek=9 conv=notrunc status=none"
tamper "MANIFEST.sig: is no ed25519 signature" "truncate -s 63 MANIFEST.sig"
tamper "names a file outside the folder" "sed -i 's|  empty|  ../empty|' MANIFEST.sha256"
tamper "names a file outside the folder" "sed -i 's|  empty|  /etc/passwd|' MANIFEST.sha256"
tamper "lists a file twice" "sed -i '\$p' MANIFEST.sha256"
tamper "has a line that is no SHA-256" "echo nonsense >>MANIFEST.sha256"
tamper "holds a zero byte" "printf '\\000' >>MANIFEST.sha256"
make_folder
"$gpuemu" sign "$f" --key "$dir/other.pem" >/dev/null
expect 1 "is not what this key signed" verify "$f" --key "$dir/k.pub.pem"

expect 2 "no ed25519 public key" verify "$f" --key "$dir/k.pem"
expect 2 "no ed25519 private key" sign "$f" --key "$dir/k.pub.pem"
expect 2 "no ed25519 private key" sign "$f" --key README.md
expect 2 "No such file" verify "$dir" --key "$dir/k.pub.pem"
expect 2 "No such file" sign "$dir/none" --key "$dir/k.pem"
ln -s empty "$f/link"
expect 2 "link is no plain file" sign "$f" --key "$dir/k.pem"
rm "$f/link"
: >"$f/back\\slash"
expect 2 "a line end or a backslash" sign "$f" --key "$dir/k.pem"
mkdir "$dir/nothing"
expect 2 "no file to sign" sign "$dir/nothing" --key "$dir/k.pem"
expect 2 "give FOLDER --key" sign "$f"
exit $failed
