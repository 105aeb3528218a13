# c = a + b, with any number of programs.
import triton
import triton.language as tl


@triton.jit
def add_tiles(a_ptr, b_ptr, c_ptr, count, BLOCK: tl.constexpr):
    #> hole
    for tile in range(tl.program_id(0), tl.cdiv(count, BLOCK), tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < count
        a = tl.load(a_ptr + offsets, mask=mask)
        b = tl.load(b_ptr + offsets, mask=mask)
        tl.store(c_ptr + offsets, a + b, mask=mask)
    #> start
    #| offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    #| mask = offsets < count
    #| a = tl.load(a_ptr + offsets, mask=mask)
    #| b = tl.load(b_ptr + offsets, mask=mask)
    #| tl.store(c_ptr + offsets, a + b, mask=mask)
    #> end
