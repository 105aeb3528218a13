# Softmax of each row in five kernels, as five operations of PyTorch do it.
import triton
import triton.language as tl


# m = x.max(dim=1)
@triton.jit
def row_max(x_ptr, m_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=-float("inf"))
    tl.store(m_ptr + row, tl.max(x, axis=0))


# z = x - m[:, None]
@triton.jit
def subtract(x_ptr, m_ptr, z_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=inside)
    tl.store(z_ptr + row * columns + column, x - tl.load(m_ptr + row), mask=inside)


# e = z.exp()
@triton.jit
def exponentials(z_ptr, e_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    z = tl.load(z_ptr + row * columns + column, mask=inside)
    tl.store(e_ptr + row * columns + column, tl.exp(z), mask=inside)


# s = e.sum(dim=1)
@triton.jit
def row_sum(e_ptr, s_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    e = tl.load(e_ptr + row * columns + column, mask=column < columns, other=0.0)
    tl.store(s_ptr + row, tl.sum(e, axis=0))


# y = e / s[:, None]
@triton.jit
def divide(e_ptr, s_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    e = tl.load(e_ptr + row * columns + column, mask=inside)
    tl.store(y_ptr + row * columns + column, e / tl.load(s_ptr + row), mask=inside)
