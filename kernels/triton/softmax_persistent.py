# Softmax of each row with a fixed number of programs: each takes one row after the other.
import triton
import triton.language as tl


# The loads of num_stages rows are on their way at a time.
@triton.jit
def softmax_rows(x_ptr, y_ptr, x_stride, y_stride, rows, columns, BLOCK: tl.constexpr, num_stages: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=num_stages):
        x = tl.load(x_ptr + row * x_stride + column, mask=inside, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * y_stride + column, e / tl.sum(e, axis=0), mask=inside)
