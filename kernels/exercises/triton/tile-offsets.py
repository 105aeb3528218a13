# c = a + b, one tile per program.
import triton
import triton.language as tl


@triton.jit
def add(a_ptr, b_ptr, c_ptr, count, BLOCK: tl.constexpr):
    #> hole: Which elements are this program's?
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    #> start
    #| offsets = tl.arange(0, BLOCK)
    #> end
    mask = offsets < count
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    tl.store(c_ptr + offsets, a + b, mask=mask)
