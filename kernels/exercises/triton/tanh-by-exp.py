# GeLU by the tanh formula.
import triton
import triton.language as tl


@triton.jit
def tanh(t):
    #> hole: tanh of t, with tl.exp.
    return 1.0 - 2.0 / (tl.exp(2.0 * t) + 1.0)
    #> start
    #| return t
    #> end


@triton.jit
def gelu(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    x = tl.load(x_ptr + offsets, mask=mask)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    tl.store(y_ptr + offsets, 0.5 * x * (1.0 + tanh(inner)), mask=mask)
