#!/bin/bash
# man.sh GPUEMU - gpuemu(1) on stdout, from the program's own help: a page that cannot say otherwise.
# docs/man/gpuemu.1 is its output; tests/cli/test_man.sh compares.
set -eu
gpuemu=$1
# Text for roff: hyphens of options stay hyphens, no line is taken for a request.
roff() { sed "s/…/.../g; s/\\\\/\\\\e/g; s/-/\\\\-/g; s/^\\([.']\\)/\\\\\\&\\1/"; }
version=$("$gpuemu" --version | cut -d' ' -f2)
cat <<EOF
.TH GPUEMU 1 "" "gpuemu $version" "User Commands"
.SH NAME
gpuemu \\- decide whether a GPU kernel is right
.SH SYNOPSIS
.B gpuemu
.I COMMAND
.RI [ ARGUMENT " ...]"
.SH DESCRIPTION
Runs the real PTX of a GPU kernel on the processor, on cases chosen from its operator's schema and its own
tiles, and judges each output against the operator's mathematics, evaluated with a certified enclosure.
No GPU and no CUDA toolkit is needed.
.SH COMMANDS
EOF
"$gpuemu" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | while read -r command; do
	"$gpuemu" "$command" --help >"${TMPDIR:-/tmp}/gpuemu-man.$$"
	{
		read -r usage
		read -r _
		read -r summary
		read -r _
		echo ".SS $command"
		echo ".B $(echo "${usage#usage: }" | roff)"
		echo ".PP"
		echo "${summary^}" | roff
		echo ".PP"
		echo ".nf"
		roff
		echo ".fi"
	} <"${TMPDIR:-/tmp}/gpuemu-man.$$"
	rm -f "${TMPDIR:-/tmp}/gpuemu-man.$$"
done
cat <<'EOF'
.SH EXIT STATUS
.TP
0
all as expected
.TP
1
a kernel FAILs (or a buggy kernel of the corpus PASSes)
.TP
2
the input is wrong; the message says where and how to mend it
.TP
3
gpuemu could not decide, or failed: a limit, a full disk, something it does not support
.SH ENVIRONMENT
.TP
GPUEMU_NVRTC
the file libnvrtc.so, when it is found neither in a CUDA toolkit nor in pip's packages
.TP
XDG_CACHE_HOME
the folder whose gpuemu/ holds compiled PTX (default ~/.cache)
.TP
SOURCE_DATE_EPOCH
the date that evidence carries
.SH FILES
.TP
OUT/evidence.json
the evidence of a campaign, in the form of evidence.schema.json
.TP
OUT/cases.jsonl
a line a case, in order; \-\-resume goes on from it
.TP
share/gpuemu/
the corpus, its operators' texts and the schemas
.SH EXAMPLES
.nf
gpuemu init mykernel softmax
gpuemu validate mykernel
gpuemu replay mykernel 'softmax/f32 R=3,C=257 values=x:normal seed=0x1 fill=a5'
gpuemu validate /usr/local/share/gpuemu/corpus \-\-cases 20
.fi
.SH SEE ALSO
.BR gpuemu\-report (1)
EOF
