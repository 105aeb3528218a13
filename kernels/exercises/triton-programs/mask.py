# y = 2 * x, a tile at a time.
import triton
import triton.language as tl


@triton.jit
def twice(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    #> hole: The last tile may be longer than what is left.
    mask = offsets < count
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x + x, mask=mask)
    #> start
    #| x = tl.load(x_ptr + offsets)
    #| tl.store(y_ptr + offsets, x + x)
    #> end
