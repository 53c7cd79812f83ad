# kit.sh - what the scripts of tests/cli/ share (sourced): $gpuemu, a folder of their own, checks of a command's
# exit status and messages, and kernels in PTX written by hand.
set -u
gpuemu=${B:-build}/gpuemu
case $gpuemu in /*) ;; *) gpuemu=$PWD/$gpuemu ;; esac
dir=$(mktemp -d /tmp/gpuemu-cli.XXXXXX)
trap 'rm -rf "$dir"' EXIT

failed=0
bad() {
	echo "$*"
	failed=1
}
die() {
	echo "$*"
	exit 1
}

# expect STATUS 'FRAGMENT' ARGUMENT...: gpuemu ends with STATUS and says FRAGMENT (basic regular expression, on
# stdout or stderr; empty: whatever), without dying of a signal or a sanitizer.
expect() {
	local want=$1 text=$2 got
	shift 2
	timeout 100 "$gpuemu" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" -eq "$want" ] || bad "gpuemu $*: exit $got, expected $want: $(head -c 2000 "$dir/err")"
	grep -q 'Sanitizer\|runtime error' "$dir/err" && bad "gpuemu $*: $(head -c 2000 "$dir/err")"
	[ -z "$text" ] || cat "$dir/out" "$dir/err" | grep -q -- "$text" ||
		bad "gpuemu $*: no '$text' in: $(head -c 2000 "$dir/err"; head -c 1000 "$dir/out")"
}

manifest() {
	cat <<'EOF'
{
	"operator": "relu",
	"ptx": "kernel.ptx",
	"dtypes": ["f32"],
	"launches": [
		{
			"entry": "mine",
			"grid": ["ceil(N,128)"],
			"block": ["128"],
			"params": [{"tensor": "x"}, {"tensor": "y"}, {"i64": "N"}]
		}
	]
}
EOF
}

# An elementwise kernel: BODY computes %f2 from %f1, with %rd7 the element's number, %rd9 the output's address
# and %rd3 the number of elements.
ptx() {
	cat <<EOF
.version 9.0
.target sm_90
.address_size 64
.visible .entry mine(.param .u64 x, .param .u64 y, .param .u64 n)
{
	.reg .pred %p<4>;
	.reg .f32 %f<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<12>;
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	ld.param.u64 %rd3, [n];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mul.wide.u32 %rd4, %r1, %r2;
	cvt.u64.u32 %rd5, %r3;
	add.s64 %rd7, %rd4, %rd5;
	setp.ge.s64 %p1, %rd7, %rd3;
	@%p1 bra DONE;
	cvta.to.global.u64 %rd1, %rd1;
	cvta.to.global.u64 %rd2, %rd2;
	shl.b64 %rd6, %rd7, 2;
	add.s64 %rd8, %rd1, %rd6;
	add.s64 %rd9, %rd2, %rd6;
	ld.global.f32 %f1, [%rd8];
	$1
	st.global.f32 [%rd9], %f2;
DONE:
	ret;
}
EOF
}
right='setp.lt.f32 %p2, %f1, 0f00000000; selp.f32 %f2, 0f00000000, %f1, %p2;'

# kernel NAME BODY: a folder $dir/NAME
kernel() {
	mkdir -p "$dir/$1"
	manifest >"$dir/$1/kernel.json"
	ptx "$2" >"$dir/$1/kernel.ptx"
}
