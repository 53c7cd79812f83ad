#!/usr/bin/env python3
"""make_ptx.py LIBNVRTC CUDA_INCLUDE - the PTX of this folder again from its sources, by NVRTC (`make check` does not need it)."""
import ctypes, glob, os, re, sys

nvrtc, include = ctypes.CDLL(sys.argv[1]), sys.argv[2]


def text_of(program, what):
    n = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(n))
    b = ctypes.create_string_buffer(n.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, b)
    return b.value.decode()


os.chdir(os.path.dirname(os.path.abspath(__file__)))
for path in sorted(glob.glob("*.cu")):
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), open(path, "rb").read(), path.encode(), 0, None, None)
    arch = "compute_90a" if path == "hopper.cu" else "compute_90"  # setmaxnreg
    options = [o.encode() for o in ("--gpu-architecture=" + arch, "-lineinfo", "-I" + include)]
    if nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)):
        sys.exit(text_of(program, "ProgramLog"))
    ptx = text_of(program, "PTX")
    ptx = re.sub(r"(\.file\s+\d+\s+\").*/([^\"]*\").*", r"\1\2", ptx)  # paths and build numbers of a machine do not belong in it
    ptx = re.sub(r"// Compiler Build ID.*\n", "", ptx)
    open(path[:-3] + ".ptx", "w").write(ptx)
