# c[i] = a[i] + b[i], a tile at a time: our own text, in the manner of Triton's first tutorial.
import triton
import triton.language as tl


# One program adds one tile.
@triton.jit
def add(a_ptr, b_ptr, c_ptr, count, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offsets = start + tl.arange(0, BLOCK)
    mask = offsets < count
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    tl.store(c_ptr + offsets, a + b, mask=mask)
