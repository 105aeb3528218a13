# The sum of each row, a tile at a time.
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < columns
        #> hole
        total += tl.load(x_ptr + row * columns + column, mask=inside, other=0.0)
        #> start
        #| total = tl.load(x_ptr + row * columns + column, mask=inside, other=0.0)
        #> end
    tl.store(y_ptr + row, tl.sum(total, axis=0))
