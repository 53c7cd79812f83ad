#!/bin/bash
# gpuemu(1) is what the program's own help says; `make man` writes it again.
set -u
tools/man.sh "${B:-build}/gpuemu" | diff docs/man/gpuemu.1 - || {
	echo "docs/man/gpuemu.1 is old: make man"
	exit 1
}
