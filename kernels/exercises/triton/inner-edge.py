# C = max(A B, 0), a tile of 16 x 16 per program.
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, rows, columns, inner, T: tl.constexpr):
    row = tl.program_id(1) * T + tl.arange(0, T)
    column = tl.program_id(0) * T + tl.arange(0, T)
    total = tl.zeros((T, T), dtype=tl.float32)
    for start in range(0, inner, T):
        k = start + tl.arange(0, T)
        #> hole
        a_inside = (row[:, None] < rows) & (k[None, :] < inner)
        #> start
        #| a_inside = (row[:, None] < rows) & (row[:, None] * inner + k[None, :] < rows * inner)
        #> end
        b_inside = (k[:, None] * columns + column[None, :] < inner * columns) & (column[None, :] < columns)
        a = tl.load(a_ptr + row[:, None] * inner + k[None, :], mask=a_inside, other=0.0)
        b = tl.load(b_ptr + k[:, None] * columns + column[None, :], mask=b_inside, other=1.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(c_ptr + row[:, None] * columns + column[None, :], tl.maximum(total, 0.0), mask=inside)
