# Softmax of each row, one row per program.
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    #> order: Put these lines in order. One of them is not needed: delete it.
    x = tl.load(x_ptr + row * columns + column, mask=inside, other=-float("inf"))
    shifted = x - tl.max(x, axis=0)
    e = tl.exp(shifted)
    y = e / tl.sum(e, axis=0)
    #> start
    #| y = e / tl.sum(x, axis=0)
    #> end
    tl.store(y_ptr + row * columns + column, y, mask=inside)
