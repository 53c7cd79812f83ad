#!/usr/bin/env python3
"""library.py GPUEMU RUNS OUT.json [--per N] [--tolerances T] - PyTorch's own kernels (cuBLAS, cuDNN, ATen) on a GPU,
judged by gpuemu: of each operator and types the first N cases (default 40) recorded in RUNS, the runs file of
`gpuemu calibrate`, with inputs made by `gpuemu inputs`, outputs computed by PyTorch, verdicts by `gpuemu judge`.
Needs PyTorch with CUDA. Exit status: 0, also when a case FAILs (OUT.json says which)."""
import argparse, json, os, re, struct, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F

DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
          "I64": torch.int64, "I32": torch.int32, "I8": torch.int8, "U8": torch.uint8}
NAMES = {v: k for k, v in DTYPES.items()}


def load(path):
    with open(path, "rb") as f:
        data = f.read()
    n = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, t in json.loads(data[8:8 + n]).items():
        if name == "__metadata__":
            continue
        a, b = t["data_offsets"]
        flat = torch.empty(0, dtype=DTYPES[t["dtype"]])
        if b > a:
            flat = torch.frombuffer(bytearray(data[8 + n + a:8 + n + b]), dtype=DTYPES[t["dtype"]])
        out[name] = flat.reshape(t["shape"]).cuda()
    return out


def save(path, name, t):
    t = t.detach().contiguous().cpu()
    raw = t.reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
    head = json.dumps({name: {"dtype": NAMES[t.dtype], "shape": list(t.shape), "data_offsets": [0, len(raw)]}}).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head + raw)


def attention(i, p):
    q, k, v = i["q"], i["k"], i["v"]
    scale, n, l = p.get("scale"), q.shape[2], k.shape[2]
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
    if p.get("causal") or l == 0 or "bias" in i:
        return None  # PyTorch's masks and its rows without keys mean other things, its bias has the type of q
    return F.scaled_dot_product_attention(q, k, v, scale=scale)


def conv(f):
    return lambda i, p: f(i["x"], i["w"], i.get("b"), stride=int(p.get("stride", 1)), padding=int(p.get("pad", 0)),
                          dilation=int(p.get("dil", 1)), groups=int(p.get("groups", 1)))


def unary(f):
    return lambda i, p: f(i["x"])


# operator: output's name, function of inputs and parameters (None: PyTorch has not this form), family
OPS = {
    "softmax": ("y", unary(lambda x: torch.softmax(x, 1)), []),
    "log_softmax": ("y", unary(lambda x: torch.log_softmax(x, 1)), []),
    "layernorm": ("y", lambda i, p: F.layer_norm(i["x"], i["x"].shape[1:], i.get("w"), i.get("b"), p.get("eps", 1e-5)), []),
    "l2norm": ("y", lambda i, p: F.normalize(i["x"], dim=1, eps=p.get("eps", 1e-12)), []),
    "sum": ("y", unary(lambda x: x.sum(1)), []),
    "mean": ("y", unary(lambda x: x.mean(1)), []),
    "var": ("y", lambda i, p: i["x"].var(1, correction=int(p.get("correction", 1))), []),
    "cumsum": ("y", unary(lambda x: x.cumsum(1)), []),
    "max": ("y", unary(lambda x: x.amax(1)), []),
    "matmul": ("c", lambda i, p: i["a"] @ i["b"], ["--tensor-cores"]),
    "bmm": ("c", lambda i, p: torch.bmm(i["a"], i["b"]), ["--tensor-cores"]),
    "gelu": ("y", unary(F.gelu), []),
    "gelu_tanh": ("y", unary(lambda x: F.gelu(x, approximate="tanh")), []),
    "relu": ("y", unary(F.relu), []),
    "leaky_relu": ("y", lambda i, p: F.leaky_relu(i["x"], p.get("slope", 0.01)), []),
    "silu": ("y", unary(F.silu), []),
    "sigmoid": ("y", unary(torch.sigmoid), []),
    "tanh": ("y", unary(torch.tanh), []),
    "elu": ("y", lambda i, p: F.elu(i["x"], p.get("alpha", 1.0)), []),
    "attention": ("o", attention, ["--tensor-cores", "--low", "p=f16"]),
    "conv1d": ("y", conv(F.conv1d), ["--tensor-cores"]),
    "conv2d": ("y", conv(F.conv2d), ["--tensor-cores"]),
    "embedding": ("y", lambda i, p: F.embedding(i["id"], i["w"]), []),
}


def parameters(case):
    """Numbers among the words before the layout, by name: sizes as well, which do no harm."""
    out = {}
    for word in case.split()[1:]:
        if not re.match(r"(layout|values|seed|fill|outputs)=", word):
            for pair in word.split(","):
                name, _, value = pair.partition("=")
                try:
                    out[name] = float(value)
                except ValueError:
                    pass
    return out


def family(op, types):
    """Tensor cores take 16-bit inputs; in f32 PyTorch keeps to f32 unless told otherwise."""
    flags = OPS[op][2]
    if types == "f32":
        return []
    return [f"p={types}" if w == "p=f16" else w for w in flags]


def one(gpuemu, tolerances, case):
    op, types = case.split()[0].split("/")
    name, f, _ = OPS[op]
    with tempfile.TemporaryDirectory() as d:
        subprocess.run([gpuemu, "inputs", case, "-o", d + "/in"], check=True)
        y = f(load(d + "/in"), parameters(case))
        if y is None:
            return None
        save(d + "/out", name, y)
        r = subprocess.run([gpuemu, "judge", "--json", "--tolerances", tolerances, *family(op, types), case, d + "/out"],
                           capture_output=True, text=True)
        if r.returncode not in (0, 1, 3):
            sys.exit(f"{case}: {r.stderr}")
        return json.loads(r.stdout)


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("gpuemu"), a.add_argument("runs"), a.add_argument("out")
    a.add_argument("--per", type=int, default=40)
    a.add_argument("--tolerances", default="h200")
    o = a.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    # sums of 16-bit products in f32, as the operators' contract has it
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    cases = {}
    with open(o.runs) as f:
        for line in list(f)[1:]:
            case = json.loads(line)["case"]
            case = re.sub(r" (layout|outputs)=\S+", "", case)
            head = case.split(" ")[0]
            if head.split("/")[0] in OPS and case not in cases.setdefault(head, []) and len(cases[head]) < o.per:
                cases[head].append(case)
    rows = []
    with ThreadPoolExecutor(16) as pool:
        for head, lines in cases.items():
            got = [r for r in pool.map(lambda c: one(o.gpuemu, o.tolerances, c), lines) if r]
            row = {"op": head.split("/")[0], "types": head.split("/")[1], "cases": len(got)}
            for v in ("PASS", "FAIL", "UNKNOWN", "UNSUPPORTED"):
                row[v.lower()] = sum(r["verdict"] == v for r in got)
            ratio = lambda r: float(r["r"]) / r["T"] if r["T"] else float(r["r"])
            judged = [r for r in got if r["verdict"] in ("PASS", "FAIL")]
            if judged:
                worst = max(judged, key=ratio)
                row.update(worst_r=worst["r"], worst_T=worst["T"], envelope=worst["envelope"], worst_case=worst["case"])
            row["failing"] = [{"case": r["case"], "reason": r["reason"]} for r in got if r["verdict"] == "FAIL"][:3]
            rows.append(row)
            print(f"{head:20} {row['cases']:4} cases  {row['fail']:3} FAIL  {row['unknown']:3} UNKNOWN", flush=True)
    with open(o.out, "w") as f:
        json.dump({"command": "tools/library.py " + " ".join(map(os.path.basename, sys.argv[1:])),
                   "date": time.strftime("%Y-%m-%d", time.gmtime()), "device": torch.cuda.get_device_name(0),
                   "pytorch": torch.__version__, "cuda": torch.version.cuda, "tolerances": o.tolerances,
                   "cases": sum(r["cases"] for r in rows), "fail": sum(r["fail"] for r in rows), "rows": rows}, f, indent=1)
        f.write("\n")


main()
