# The sum of each column, a tile of rows and columns at a time.
import triton
import triton.language as tl


# A program takes BLOCK columns, and walks down them.
@triton.jit
def column_sums(x_ptr, y_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
    for start in range(0, rows, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        total += tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.store(y_ptr + column, tl.sum(total, axis=0), mask=column < columns)
