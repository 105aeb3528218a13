# y = max(x, 0), one tile per program.
import triton
import triton.language as tl


@triton.jit
def relu(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    #> hole
    tl.store(y_ptr + offsets, tl.maximum(x, 0.0), mask=mask)
    #> start
    #| tl.store(y_ptr + offsets, tl.maximum(x, 0.0))
    #> end
