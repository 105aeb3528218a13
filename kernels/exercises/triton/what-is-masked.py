# Softmax of each row, one row per program.
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    #> hole
    x = tl.load(x_ptr + row * columns + column, mask=inside, other=-float("inf"))
    #> start
    #| x = tl.load(x_ptr + row * columns + column, mask=inside, other=0.0)
    #> end
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * columns + column, e / tl.sum(e, axis=0), mask=inside)
