"""Times Triton's own code, or an operation of PyTorch, on the GPU, as a job says.

Called by `tutor` as `python3 baseline.py --serve`: each line on standard input is the path of a job, and a line of JSON
on standard output answers it: what ran, its version, milliseconds of each timed run, or why there are none. As
`python3 baseline.py JOB.json --once` it runs each launch once and times nothing: that is for a profiler.
"""

import ast
import ctypes
import json
import os
import sys

# As the other baselines are timed: see `timing.rs`.
WARM_UP_RUNS = 3
FEWEST_RUNS, MOST_RUNS = 20, 200
MEASURED_MS = 200.0
FLUSH_BYTES = 256 << 20
# Long enough for Python to put a whole run into the stream before the GPU begins with it.
HEAD_START_CYCLES = 1_000_000


def module_of(path):
    """The kernels of a file, what they name and its imports; the rest of the file does not run.

    Tutorials call and benchmark their kernels at the end of the file. What kernels need are functions, imports, and
    the variables that they name.
    """
    with open(path) as file:
        text = file.read()
    tree = ast.parse(text, path)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    jitted = [node for node in functions if any("jit" in ast.unparse(of) for of in node.decorator_list)]
    named = {name.id for node in jitted for name in ast.walk(node) if isinstance(name, ast.Name)}

    def is_needed(node):
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
            return True
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        return any(isinstance(target, ast.Name) and target.id in named for target in targets)

    names = {"__name__": "kernels", "__file__": path}
    # Triton reads the text of a function from the file: every line stays where it is.
    for node in tree.body:
        if not is_needed(node):
            continue
        try:
            exec(compile(ast.Module([node], []), path, "exec"), names)
        except Exception as error:
            # A plotting library that is missing is none of the kernels' business.
            if node in jitted:
                raise RuntimeError(f"line {node.lineno}: {error}") from error
    return names


def kernel_of(names, launch):
    """The kernel as Triton compiles it, without what chooses its constants."""
    import triton

    kernel = names[launch["kernel"]]
    while not isinstance(kernel, triton.runtime.JITFunction):
        kernel = kernel.fn
    if launch["is_general"]:
        every = [parameter.name for parameter in kernel.params]
        kernel = triton.jit(kernel.fn, do_not_specialize=every, do_not_specialize_on_alignment=every)
    return kernel


def constant(text, names):
    """A constant of the command line: a number, or a name of the file such as `tl.float32`."""
    try:
        return eval(text, dict(names))
    except (NameError, SyntaxError):
        return text


class Kernels:
    """Launches of Triton kernels over buffers."""

    def __init__(self, job):
        import torch
        import triton

        self.version = triton.__version__
        types = {
            "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
            "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2,
            "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8,
            "u64": torch.uint64, "u32": torch.uint32, "u16": torch.uint16, "u8": torch.uint8,
        }
        self.files = [buffer["path"] for buffer in job["buffers"]]
        self.initial = []
        for buffer in job["buffers"]:
            with open(buffer["path"], "rb") as file:
                values = torch.frombuffer(bytearray(file.read()), dtype=types[buffer["type"]])
            self.initial.append(values.cuda())
        self.buffers = [values.clone() for values in self.initial]
        self.calls = [self.call_of(launch) for launch in job["launches"]]

    def call_of(self, launch):
        names = module_of(launch["file"])
        kernel = kernel_of(names, launch)
        constants = {name: constant(text, names) for name, text in launch["constants"]}
        arguments = [
            self.buffers[given["buffer"]] if "buffer" in given else given["number"]
            for given in launch["arguments"]
        ]
        free = [parameter.name for parameter in kernel.params if parameter.name not in constants]
        options = {"num_warps": launch["warps"]}
        if launch["stages"] is not None:
            options["num_stages"] = launch["stages"]
        given = dict(zip(free, arguments), **constants, **options)
        return lambda: kernel[tuple(launch["grid"])](**given)

    def restore(self):
        for buffer, initial in zip(self.buffers, self.initial):
            buffer.copy_(initial)

    def run(self):
        for call in self.calls:
            call()

    def finish(self):
        """Leaves the values of one run where the buffers came from."""
        self.restore()
        self.run()
        for buffer, path in zip(self.buffers, self.files):
            values = buffer.cpu()
            with open(path, "wb") as file:
                file.write(ctypes.string_at(values.data_ptr(), values.nbytes))


class OfTorch:
    """An operation of PyTorch on normally distributed inputs of `shapes`."""

    type = "float32"

    def __init__(self, job):
        import torch

        self.version = torch.__version__
        torch.manual_seed(1)
        kind = getattr(torch, self.type)
        self.inputs = [torch.randn(shape, device="cuda").to(kind) for shape in self.shapes(job["sizes"])]

    def shapes(self, sizes):
        return [sizes]

    def restore(self):
        pass

    def run(self):
        self.result = self.call(*self.inputs)

    def finish(self):
        """The largest error, beside double precision where it fits."""
        import torch

        self.run()
        doubles = sum(values.nelement() for values in self.inputs) * 8 * 4
        if doubles > torch.cuda.mem_get_info()[0]:
            return None
        exact = self.exact(*(values.double() for values in self.inputs))
        return (exact - self.result).abs().max().item()

    def exact(self, *inputs):
        return self.call(*inputs)


class Softmax(OfTorch):
    def call(self, x):
        import torch

        return torch.softmax(x, 1)


class LogSoftmax(OfTorch):
    def call(self, x):
        import torch

        return torch.log_softmax(x, 1)


class Sum(OfTorch):
    def call(self, x):
        import torch

        return torch.sum(x, 1)


class Add(OfTorch):
    def shapes(self, sizes):
        return [sizes, sizes]

    def call(self, a, b):
        return a + b


class Gelu(OfTorch):
    def call(self, x):
        import torch

        return torch.nn.functional.gelu(x, approximate="tanh")


class Attention(OfTorch):
    type = "bfloat16"
    is_causal = False

    def shapes(self, sizes):
        return [[1, *sizes]] * 3

    def call(self, q, k, v):
        import torch

        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)

    def exact(self, q, k, v):
        import torch

        # Head by head: the scores of all of them need not fit.
        result = torch.empty_like(q)
        for head in range(q.shape[1]):
            scores = q[0, head] @ k[0, head].T / q.shape[3] ** 0.5
            if self.is_causal:
                later = torch.ones_like(scores, dtype=torch.bool).triu(1)
                scores.masked_fill_(later, -float("inf"))
            result[0, head] = torch.softmax(scores, 1) @ v[0, head]
        return result


class CausalAttention(Attention):
    is_causal = True


OPERATIONS = {
    "triton": Kernels,
    "torch-softmax": Softmax,
    "torch-log-softmax": LogSoftmax,
    "torch-sum": Sum,
    "torch-add": Add,
    "torch-gelu": Gelu,
    "torch-attention": Attention,
    "torch-causal-attention": CausalAttention,
}


def times_of(operation, is_flushed):
    """Milliseconds of each run, every one with the same buffers."""
    import torch

    properties = torch.cuda.get_device_properties(0)
    flushed = max(FLUSH_BYTES, 4 * properties.L2_cache_size)
    flushed = min(flushed, torch.cuda.mem_get_info()[0] // 2)
    flush = torch.empty(flushed if is_flushed else 0, dtype=torch.uint8, device="cuda")
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    all_ms, spent_ms = [], 0.0
    for number in range(WARM_UP_RUNS + MOST_RUNS):
        operation.restore()
        torch.cuda._sleep(HEAD_START_CYCLES)
        flush.zero_()
        begin.record()
        operation.run()
        end.record()
        end.synchronize()
        if number < WARM_UP_RUNS:
            continue
        all_ms.append(begin.elapsed_time(end))
        spent_ms += all_ms[-1]
        if len(all_ms) >= FEWEST_RUNS and spent_ms >= MEASURED_MS:
            break
    return all_ms


def answer(job, is_once):
    """What is to be said."""
    import torch

    operation = OPERATIONS[job["operation"]](job)
    said = {"version": operation.version, "path": sys.executable}
    if is_once:
        operation.run()
        torch.cuda.synchronize()
        return said
    # Compiled before anything is timed.
    operation.run()
    said["ms"] = times_of(operation, job["is_flushed"])
    said["error"] = operation.finish()
    return said


def answered(path, is_once):
    """The answer to the job in a file, as text."""
    with open(path) as file:
        job = json.load(file)
    try:
        said = answer(job, is_once)
    except ModuleNotFoundError as error:
        said = {"missing": error.name, "path": sys.executable}
    except Exception as error:
        said = {"failed": f"{type(error).__name__}: {error}", "path": sys.executable}
    return json.dumps(said)


def main():
    # What files print must not stand between us and the answers.
    standard_output = os.dup(1)
    os.dup2(2, 1)
    if sys.argv[1] != "--serve":
        answered(sys.argv[1], "--once" in sys.argv)
        return
    for line in sys.stdin:
        said = answered(line.rstrip("\n"), False)
        os.write(standard_output, (said + "\n").encode())
        release_memory()


def release_memory():
    """What a job took, so that the next one, here or elsewhere, has it."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.cuda.empty_cache()


main()
