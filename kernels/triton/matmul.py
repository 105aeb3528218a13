# C = max(A B, 0): a tile of C per program, the tiles numbered in groups of rows.
import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


# A is rows x inner, B is inner x columns; strides say how many elements lie between neighbours along each side.
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, rows, columns, inner,
           a_row, a_inner, b_inner, b_column, c_row, c_column,
           M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr):
    # Programs go down a group of GROUP tile rows before they go on to the next tile column.
    number = tl.program_id(0)
    tile_rows = tl.cdiv(rows, M)
    tile_columns = tl.cdiv(columns, N)
    in_group = GROUP * tile_columns
    first = number // in_group * GROUP
    height = min(tile_rows - first, GROUP)
    tile_row = first + number % in_group % height
    tile_column = number % in_group // height

    row = tile_row * M + tl.arange(0, M)
    column = tile_column * N + tl.arange(0, N)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, inner, K):
        k = start + tl.arange(0, K)
        a_inside = (row[:, None] < rows) & (k[None, :] < inner)
        b_inside = (k[:, None] < inner) & (column[None, :] < columns)
        a = tl.load(a_ptr + row[:, None] * a_row + k[None, :] * a_inner, mask=a_inside, other=0.0)
        b = tl.load(b_ptr + k[:, None] * b_inner + column[None, :] * b_column, mask=b_inside, other=0.0)
        total = tl.dot(a, b, total, input_precision="tf32" if PRECISION else "ieee")
    c_inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(c_ptr + row[:, None] * c_row + column[None, :] * c_column, relu(total), mask=c_inside)
