"""Times the lessons' fastest kernels beside PyTorch, Triton and NVIDIA's libraries, and holds them against bars.

    python3 benches/kernels/bars.py [OPERATION ...] [--rounds N] [--csv FILE]

Needs torch, triton, cupy and a GPU of compute capability 9.0. Kernels are read from `kernels/`, as the lessons run
them, and compiled by NVRTC. All contenders of a workload take turns, so that clocks and temperature are the same for
all; before each run L2 is overwritten; one pair of events stands around all launches of a run. Printed are the median,
the 20th and 80th percentile, the largest error beside a reference, and the ratio that a bar asks for.
"""

import argparse
import csv
import ctypes
import math
import os
import sys

import cupy
import torch
import triton
import triton.language as tl

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kernels")
FLUSH_BYTES = 256 << 20
WARM_UP_RUNS = 2
ALL_SIZES = (256, 512, 781, 1024, 2048, 4096, 8192, 12544, 32768)

torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(1)


def ceil_div(a, b):
    return -(-a // b)


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()


class Stream:
    """One stream for all contenders."""

    def __init__(self):
        self.torch = torch.cuda.Stream()
        torch.cuda.set_stream(self.torch)
        self.flushed = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")

    def event(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record(self.torch)
        return event

    def flush(self):
        self.flushed.zero_()


class Kernels:
    """Kernels of this repository, compiled once per file."""

    def __init__(self, stream):
        self.stream = stream.torch.cuda_stream
        self.modules = {}
        self.driver = ctypes.CDLL("libcuda.so.1")

    def function(self, file, name):
        if file not in self.modules:
            with open(os.path.join(KERNELS, file)) as source:
                text = source.read()
            options = ("-std=c++17", "--gpu-architecture=sm_90a", "-I/usr/local/cuda/include")
            self.modules[file] = cupy.RawModule(code=text, backend="nvrtc", options=options)
        return self.modules[file].get_function(name)

    def launch(self, file, name, grid, block, arguments, shared=0):
        """What launches it, with nothing left to do but that."""
        function = self.function(file, name)
        if shared > 48 << 10:
            function.max_dynamic_shared_size_bytes = shared
        kept = [self.argument(of) for of in arguments]
        pointers = (ctypes.c_void_p * len(kept))(*(ctypes.addressof(of) for of in kept))
        handle, stream = ctypes.c_void_p(function.kernel.ptr), ctypes.c_void_p(self.stream)
        grid, block = (tuple(of) + (1,) * (3 - len(of)) for of in (grid, block))

        def go(_kept=kept):
            status = self.driver.cuLaunchKernel(handle, *grid, *block, shared, stream, pointers, None)
            assert status == 0, f"cuLaunchKernel of {name}: {status}"

        return go

    def argument(self, of):
        if isinstance(of, torch.Tensor):
            return ctypes.c_uint64(of.data_ptr())
        if isinstance(of, float):
            return ctypes.c_float(of)
        if isinstance(of, int):
            return ctypes.c_int(of)
        return of

    def tensor_map(self, matrix, box):
        """How the bulk copies see a matrix of bf16: boxes of columns x rows, rows of 128 bytes swizzled."""
        rows, columns = matrix.shape
        memory = (ctypes.c_ubyte * 192)()
        # It stands at a multiple of 64 bytes.
        offset = -ctypes.addressof(memory) % 64
        bf16, none, swizzle_128, promote_256 = 9, 0, 3, 3
        status = self.driver.cuTensorMapEncodeTiled(
            ctypes.c_void_p(ctypes.addressof(memory) + offset), bf16, 2, ctypes.c_void_p(matrix.data_ptr()),
            (ctypes.c_uint64 * 2)(columns, rows), (ctypes.c_uint64 * 1)(2 * columns),
            (ctypes.c_uint32 * 2)(*box), (ctypes.c_uint32 * 2)(1, 1), none, swizzle_128, promote_256, none,
        )
        assert status == 0, f"cuTensorMapEncodeTiled: {status}"
        return (ctypes.c_ubyte * 128).from_buffer(memory, offset)


class Bar:
    """What ours must reach: so much of the best of the contenders that `others` chooses."""

    def __init__(self, share, others, ours=None):
        self.share, self.others, self.ours = share, others, ours


class Bench:
    """Races of contenders, and what came of them."""

    def __init__(self, stream, rounds, table):
        self.stream, self.rounds, self.table = stream, rounds, table
        self.missed = []

    def race(self, title, contenders, bars, work, unit, error=None):
        """`work` is the bytes or operations of one run; `unit` is GB/s or TFLOP/s. Ours begin with `tutor`."""
        runs = {}
        errors = {}
        for name, call in contenders.items():
            try:
                for _ in range(WARM_UP_RUNS):
                    result = call()
                torch.cuda.synchronize()
            except Exception as failure:  # One that cannot run is no reason to time none.
                print(f"{title:34} {name:34} failed: {str(failure).splitlines()[0][:120]}", flush=True)
                continue
            errors[name] = error(result) if error else math.nan
            runs[name] = []
        for _ in range(self.rounds):
            for name, events in runs.items():
                self.stream.flush()
                before = self.stream.event()
                contenders[name]()
                events.append((before, self.stream.event()))
        torch.cuda.synchronize()
        medians = {}
        for name, events in runs.items():
            ms = sorted(before.elapsed_time(after) for before, after in events)
            low, medians[name], high = (ms[len(ms) * share // 10] for share in (2, 5, 8))
            rate = work / medians[name] / (1e6 if unit == "GB/s" else 1e9)
            print(
                f"{title:34} {name:34} {1e3 * medians[name]:10.2f} µs [{1e3 * low:.2f} {1e3 * high:.2f}] "
                f"{rate:8.1f} {unit}  error {errors[name]:.1e}", flush=True,
            )
            self.table.writerow([title, name, medians[name], low, high, rate, unit, errors[name]])
        for bar in bars:
            self.hold(title, bar, medians)

    def hold(self, title, bar, medians):
        ours = {name: ms for name, ms in medians.items() if name.startswith(bar.ours or "tutor")}
        others = {name: ms for name, ms in medians.items() if not name.startswith("tutor") and bar.others(name)}
        if not ours or not others:
            print(f"{title:34} no bar: {'nothing of ours' if not ours else 'no other'} ran")
            return
        our, other = min(ours, key=ours.get), min(others, key=others.get)
        ratio = others[other] / ours[our]
        verdict = "reached" if ratio >= bar.share else "MISSED"
        said = f"{our} is at {100 * ratio:.1f} % of {other}, bar {100 * bar.share:.0f} %"
        print(f"{title:34} {verdict}: {said}\n", flush=True)
        if ratio < bar.share:
            self.missed.append(f"{title}: {said}")


def any_other(_name):
    return True


def is_no_copy(name):
    return name != "a copy"


def result_or(result, output):
    """What a contender gave: PyTorch returns it, and launches leave it in the output."""
    return result if isinstance(result, torch.Tensor) else output


def largest(result, reference):
    return (result.float() - reference).abs().max().item()


@triton.jit
def triton_add(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def triton_copy(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def triton_gelu(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    e = tl.exp(2 * 0.7978845608 * (v + 0.044715 * v * v * v))
    tl.store(y + at, 0.5 * v * (1 + (e - 1) / (e + 1)), mask=at < n)


@triton.jit
def triton_softmax(y, x, n, BLOCK: tl.constexpr, LOG: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + columns, mask=columns < n, other=-float("inf"))
    v = v - tl.max(v, 0)
    e = tl.exp(v)
    result = v - tl.log(tl.sum(e, 0)) if LOG else e / tl.sum(e, 0)
    tl.store(y + row * n + columns, result, mask=columns < n)


@triton.jit
def triton_sum(y, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        sums += tl.load(x + row * n + columns, mask=columns < n, other=0.0)
    tl.store(y + row, tl.sum(sums, 0))


@triton.jit
def triton_rope(x, cosines, sines, y, heads, sign, GROUP: tl.constexpr, HALF: tl.constexpr):
    token, group, j = tl.program_id(0), tl.program_id(1), tl.arange(0, HALF)
    c = tl.load(cosines + token * HALF + j)
    s = tl.load(sines + token * HALF + j) * sign
    for head in range(GROUP):
        at = (token * heads + group * GROUP + head) * (2 * HALF) + j
        a = tl.load(x + at).to(tl.float32)
        b = tl.load(x + at + HALF).to(tl.float32)
        tl.store(y + at, (a * c - b * s).to(y.dtype.element_ty))
        tl.store(y + at + HALF, (b * c + a * s).to(y.dtype.element_ty))


def add(bench, kernels):
    for power in (24, 28):
        n = 1 << power
        x, y, z = torch.randn(n, device="cuda"), torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
        reference = x + y
        contenders = {
            "torch": lambda: torch.add(x, y, out=z),
            "triton": lambda: triton_add[(ceil_div(n, 1024),)](x, y, z, n, BLOCK=1024),
        }
        for threads in (256, 1024):
            contenders[f"tutor packed, {threads} threads"] = kernels.launch(
                "vector-add/packed.cu", "add_packed", (ceil_div(n, 4 * threads),), (threads,), [x, y, z, n])
        # The short one shows what a launch costs, and has no bar.
        bars = [Bar(0.99, any_other)] if power == 28 else []
        bench.race(f"add 2^{power}", contenders, bars, 12 * n, "GB/s",
                   lambda _: largest(z, reference))


def copy(bench, kernels):
    n = 16384 * 16384
    x, y = torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
    contenders = {
        "torch": lambda: y.copy_(x),
        "triton": lambda: triton_copy[(ceil_div(n, 1024),)](x, y, n, BLOCK=1024),
        "tutor width 16": kernels.launch(
            "coalescing/width.cu", "copy_width", (ceil_div(n // 4, 256),), (256,), [x, y, 4 * n, 16]),
    }
    bench.race("copy 16384 x 16384", contenders, [Bar(0.99, any_other)], 8 * n, "GB/s", lambda _: largest(y, x))


def gelu(bench, kernels):
    for n in (12582912, 16384 * 16384):
        x, y = torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
        of_torch = lambda: torch.nn.functional.gelu(x, approximate="tanh")
        reference = of_torch()
        contenders = {
            "torch": of_torch,
            "triton": lambda: triton_gelu[(ceil_div(n, 1024),)](x, y, n, BLOCK=1024),
        }
        for name in ("packed", "sigmoid"):
            contenders[f"tutor {name}"] = kernels.launch(
                f"gelu/{name}.cu", f"gelu_{name}", (ceil_div(n, 1024),), (256,), [x, y, n])
        bars = [Bar(0.99, any_other)] if n > 1 << 24 else []
        bench.race(f"gelu {n}", contenders, bars, 8 * n, "GB/s",
                   lambda result: largest(result_or(result, y), reference))


def read_once(kernels, name, x, y):
    """The launch that the lesson's host code makes for rows of this length."""
    rows, columns = x.shape
    width = 4 if columns % 4 == 0 else 1
    file = "softmax-dispatch/read_once.cu"
    if columns <= (2048 if width == 4 else 1024):
        held = next_power_of_2(ceil_div(columns, 32 * width))
        held = max(held, 8) if width == 1 else held
        return kernels.launch(
            file, f"{name}_warp_{width}_{held}", (ceil_div(rows, 4),), (128,), [x, y, rows, columns])
    threads = max(32, next_power_of_2(ceil_div(columns, 32)))
    return kernels.launch(file, f"{name}_block_{width}", (rows,), (threads,), [x, y, columns])


def rows_of(bench, kernels, name, of_torch, is_log):
    rows = 4096
    for columns in ALL_SIZES:
        x = torch.randn(rows, columns, device="cuda")
        y = torch.empty_like(x)
        reference = of_torch(x.double(), 1).float()
        block = next_power_of_2(columns)
        contenders = {"torch": lambda: of_torch(x, 1), "a copy": lambda: y.copy_(x)}
        for warps in ((4, 8) if columns <= 2048 else (8, 16) if columns <= 8192 else (16, 32)):
            contenders[f"triton, {warps} warps"] = lambda warps=warps: triton_softmax[(rows,)](
                y, x, columns, BLOCK=block, LOG=is_log, num_warps=warps)
        contenders["tutor read once"] = read_once(kernels, name, x, y)
        bars = [Bar(1.0, is_no_copy)]
        if columns >= 8192:
            bars.append(Bar(0.85, lambda name: not is_no_copy(name)))
        bench.race(f"{name} {rows} x {columns}", contenders, bars, 8 * rows * columns, "GB/s",
                   lambda result: largest(result_or(result, y), reference))


def softmax(bench, kernels):
    rows_of(bench, kernels, "softmax", torch.softmax, False)


def log_softmax(bench, kernels):
    rows_of(bench, kernels, "log_softmax", torch.log_softmax, True)


def row_sum(bench, kernels):
    for rows, columns in ((4096, 4096), (16384, 16384), (1024, 1 << 18)):
        x, y = torch.randn(rows, columns, device="cuda"), torch.empty(rows, device="cuda")
        reference = torch.cat([part.double().sum(1) for part in x.split(1024)]).float()
        contenders = {"torch": lambda: torch.sum(x, 1)}
        for block, warps in ((1024, 4), (4096, 8)):
            contenders[f"triton, block {block}"] = lambda block=block, warps=warps: triton_sum[(rows,)](
                y, x, columns, BLOCK=block, num_warps=warps)
        for threads in (256, 512, 1024):
            contenders[f"tutor packed, {threads} threads"] = kernels.launch(
                "row-sum/packed.cu", "row_sum_packed", (rows,), (threads,), [x, y, columns])
        work = 4 * (rows * columns + rows)
        bench.race(f"row sum {rows} x {columns}", contenders, [Bar(1.0, any_other)], work, "GB/s",
                   lambda result: largest(result_or(result, y), reference))


def rope(bench, kernels):
    tokens, heads, depth = 16384, 32, 128
    angles = torch.rand(tokens, depth // 2, device="cuda") * 6
    cosines, sines = angles.cos(), angles.sin()
    for kind, file, name, packed in (
        (torch.float32, "rope/packed.cu", "rope_packed", 4),
        (torch.bfloat16, "rope/bf16_packed.cu", "rope_bf16_packed", 8),
    ):
        x = torch.randn(tokens, heads, depth, device="cuda").to(kind)
        y = torch.empty_like(x)
        for way, sign in (("", 1.0), ("_backward", -1.0)):
            a, b = x.float().chunk(2, 2)
            c, s = cosines[:, None], sign * sines[:, None]
            reference = torch.cat((a * c - b * s, b * c + a * s), 2)
            contenders = {}
            for group in (1, 2, 4, 8, 16, 32):
                for warps in (1, 2, 4):
                    def by_triton(grid=(tokens, heads // group), group=group, warps=warps):
                        triton_rope[grid](
                            x, cosines, sines, y, heads, sign, GROUP=group, HALF=depth // 2, num_warps=warps)

                    contenders[f"triton, groups of {group}, {warps} warps"] = by_triton
            contenders["tutor packed"] = kernels.launch(
                file, name + way, (tokens, 1), (depth // 2 // packed, heads), [x, cosines, sines, y, heads, depth])
            work = 2 * x.nbytes + cosines.nbytes + sines.nbytes
            bench.race(f"rope{way} {str(kind)[6:]}", contenders, [Bar(1.0, any_other)], work, "GB/s",
                       lambda _: largest(y, reference))


def product_f32(bench, kernels):
    for n in (2048, 4096, 8192):
        a, b = (torch.randn(n, n, device="cuda") for _ in range(2))
        c = torch.empty_like(a)
        reference = a @ b
        contenders = {"cuBLAS": lambda: torch.mm(a, b, out=c)}
        for name, threads in (("large", 256), ("ahead", 256), ("async", 128)):
            contenders[f"tutor {name}"] = kernels.launch(
                f"matmul-pipelines/{name}.cu", f"matmul_{name}", (n // 128, n // 128), (threads,), [a, b, c, n, n])
        bench.race(f"product fp32 {n}", contenders, [Bar(0.9, any_other)], 2 * n**3, "TFLOP/s",
                   lambda _: largest(c, reference))


def product_bf16(bench, kernels):
    for n in (4096, 8192, 16384):
        a, b = (torch.randn(n, n, device="cuda").bfloat16() for _ in range(2))
        c = torch.empty_like(a)
        reference = (a @ b).float()
        contenders = {"cuBLAS": lambda: torch.mm(a, b, out=c)}
        # Without swizzling a product takes four times as long as with it: it is timed at one size.
        for name in ("mma", "swizzled") if n == 4096 else ("swizzled",):
            contenders[f"tutor {name}"] = kernels.launch(
                f"matmul-pipelines/{name}.cu", f"matmul_{name}", (n // 128, n // 128), (128,), [a, b, c, n, n], 3 << 15)
        maps = kernels.tensor_map(a, (64, 128)), kernels.tensor_map(b, (64, 64))
        for group in (1, 4, 16, n // 128):
            contenders[f"tutor mma bulk, groups of {group}"] = kernels.launch(
                "matmul-pipelines/bulk.cu", "matmul_bulk", ((n // 128) ** 2,), (128,), [*maps, c, n, n, n, group],
                (3 << 15) + 1024)
            contenders[f"tutor wgmma, groups of {group}"] = kernels.launch(
                "matmul-pipelines/wgmma.cu", "matmul_wgmma", (n // 128 * (n // 256),), (384,),
                [*maps, c, n, n, n, group], 4 * (128 + 256) * 128 + 1024)
        bars = [Bar(0.6, any_other, "tutor mma"), Bar(0.8, any_other, "tutor wgmma")]
        bench.race(f"product bf16 {n}", contenders, bars, 2 * n**3, "TFLOP/s", lambda _: largest(c, reference))


def attention(bench, kernels):
    heads, tokens, depth = 16, 4096, 128
    q, k, v = (torch.randn(1, heads, tokens, depth, device="cuda").bfloat16() for _ in range(3))
    out = torch.empty_like(q)
    scale = depth**-0.5
    for is_causal in (False, True):
        of_torch = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
        reference = of_torch().float()
        suffix = "_causal" if is_causal else ""
        contenders = {"torch": of_torch}
        contenders["tutor tiles"] = kernels.launch(
            "attention/tiles.cu", "attention_tiles", (tokens // 16, heads), (128,),
            [q, k, v, out, tokens, scale, int(is_causal)])
        contenders["tutor mma"] = kernels.launch(
            "attention/mma.cu", f"attention_mma{suffix}", (tokens // 128, heads), (256,),
            [q, k, v, out, tokens, scale], 4 * 64 * 256)
        contenders["tutor wgmma"] = kernels.launch(
            "attention/wgmma.cu", f"attention_wgmma{suffix}", (tokens // 128, heads), (384,),
            [q, k, v, out, tokens, scale], 5 * 32768 + 1024)
        pairs = tokens * (tokens + 1) // 2 if is_causal else tokens**2
        bars = [Bar(0.4, any_other, "tutor mma"), Bar(0.6, any_other, "tutor wgmma")]
        bench.race(f"attention{suffix} 16 x 4096 x 128", contenders, bars, 4 * heads * pairs * depth, "TFLOP/s",
                   lambda result: largest(result_or(result, out), reference))


OPERATIONS = {
    "add": add,
    "copy": copy,
    "gelu": gelu,
    "softmax": softmax,
    "log-softmax": log_softmax,
    "row-sum": row_sum,
    "rope": rope,
    "product-f32": product_f32,
    "product-bf16": product_bf16,
    "attention": attention,
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = f"of {', '.join(OPERATIONS)}; all if none is named"
    arguments.add_argument("operations", nargs="*", metavar="OPERATION", help=names)
    arguments.add_argument("--rounds", type=int, default=31, help="timed runs of each contender")
    arguments.add_argument("--csv", help="write every median to this file as well")
    chosen = arguments.parse_args()
    unknown = [name for name in chosen.operations if name not in OPERATIONS]
    if unknown:
        arguments.error(f"no operation {', '.join(unknown)}; there are {', '.join(OPERATIONS)}")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}", flush=True)
    stream = Stream()
    with open(chosen.csv or os.devnull, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["workload", "contender", "median_ms", "p20_ms", "p80_ms", "rate", "unit", "error"])
        bench = Bench(stream, chosen.rounds, table)
        kernels = Kernels(stream)
        for name in chosen.operations or OPERATIONS:
            OPERATIONS[name](bench, kernels)
            torch.cuda.empty_cache()
    print(f"{len(bench.missed)} bars missed" if bench.missed else "every bar reached")
    for missed in bench.missed:
        print(f"  {missed}")
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
