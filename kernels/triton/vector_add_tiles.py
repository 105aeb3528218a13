# c[i] = a[i] + b[i], several tiles per program.
import triton
import triton.language as tl


# A program starts at its own number and steps by the number of programs: a grid-stride loop over tiles.
@triton.jit
def add_tiles(a_ptr, b_ptr, c_ptr, count, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tl.cdiv(count, BLOCK), tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < count
        a = tl.load(a_ptr + offsets, mask=mask)
        b = tl.load(b_ptr + offsets, mask=mask)
        tl.store(c_ptr + offsets, a + b, mask=mask)
