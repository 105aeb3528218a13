# The sum of each column, 32 columns per program.
import triton
import triton.language as tl


@triton.jit
def column_sums(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    first = tl.program_id(0) * 32
    #> hole
    column = first + tl.arange(0, 32)
    inside = column < columns
    total = tl.zeros((32,), dtype=tl.float32)
    for row in range(0, rows):
        total += tl.load(x_ptr + row * columns + column, mask=inside, other=0.0)
    tl.store(y_ptr + column, total, mask=inside)
    #> start
    #| row = tl.arange(0, BLOCK)
    #| for column in range(first, min(first + 32, columns)):
    #|     x = tl.load(x_ptr + row * columns + column, mask=row < rows, other=0.0)
    #|     tl.store(y_ptr + column, tl.sum(x, axis=0))
    #> end
