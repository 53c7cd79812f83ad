#!/bin/sh
# deps.sh [build|check|bench|paper|clang] - installs the Debian/Ubuntu packages that gpuemu needs and lacks, says what it does,
# and does nothing when all are there.  Uses sudo when it is not run by root.
set -eu
group=${1:-build}
case $group in
build) want="gcc make pkg-config libc6-dev libmpfr-dev libgmp-dev libgsl-dev libopenblas-serial-dev libcjson-dev
	libssl-dev libcairo2-dev libpango1.0-dev libcmocka-dev fonts-dejavu-core" ;;
check) want="poppler-utils qpdf librsvg2-bin python3" ;;
bench) want="python3 python3-numpy python3-scipy" ;;
clang) want="clang" ;;
paper) want="texlive-latex-recommended lmodern latexmk python3" ;;
*)
	echo "deps.sh: unknown group '$group' (build, check, bench, clang, paper)" >&2
	exit 2
	;;
esac
missing=
for p in $want; do
	dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
	echo "deps.sh: this is not Debian or Ubuntu; install the equivalents of:$missing" >&2
	exit 2
fi
sudo=
if [ "$(id -u)" != 0 ]; then
	sudo=sudo
	command -v sudo >/dev/null || {
		echo "deps.sh: run as root: apt-get install$missing" >&2
		exit 2
	}
fi
echo "deps.sh: installing with apt-get:$missing"
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo ${sudo:+-E} apt-get install -y -qq --no-install-recommends $missing >/dev/null
