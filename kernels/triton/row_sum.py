# The sum of each row, a tile of rows and columns at a time.
import triton
import triton.language as tl


# A program takes ROWS rows, and walks along them: sums stay apart until the end.
@triton.jit
def row_sums(x_ptr, y_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        total += tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.store(y_ptr + row, tl.sum(total, axis=1), mask=row < rows)
