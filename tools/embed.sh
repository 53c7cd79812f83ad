#!/bin/sh
# embed.sh FILE... - prints one C table row a file: {"NAME", "text…", length}, NAME being the file's base
# name without its last extension. The text is split into short string literals, byte for byte.
set -eu
for f in "$@"; do
	n=$(basename "$f")
	printf '{"%s",\n' "${n%.*}"
	LC_ALL=C sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' -e 's/^/"/' -e 's/$/\\n"/' "$f"
	printf '},\n'
done
