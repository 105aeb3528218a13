# Softmax of each row, a row per program: our own text, in the manner of Triton's second tutorial.
import triton
import triton.language as tl


# The tile is the row, filled up to a power of two.
@triton.jit
def softmax(x_ptr, y_ptr, x_stride, y_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * x_stride + column, mask=inside, other=-float("inf"))
    shifted = x - tl.max(x, axis=0)
    e = tl.exp(shifted)
    y = e / tl.sum(e, axis=0)
    tl.store(y_ptr + row * y_stride + column, y, mask=inside)
