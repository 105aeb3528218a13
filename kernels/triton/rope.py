# Rotary embedding of halves, heads in groups; backward turns the other way.
import triton
import triton.language as tl


# A program takes one token and GROUP of its heads, and loads the cosines and sines of that token once.
@triton.jit
def rope(x_ptr, cosines_ptr, sines_ptr, y_ptr, heads, HALF: tl.constexpr, GROUP: tl.constexpr, BACKWARD: tl.constexpr):
    token = tl.program_id(0)
    pair = tl.arange(0, HALF)
    cosine = tl.load(cosines_ptr + token * HALF + pair)
    sine = tl.load(sines_ptr + token * HALF + pair)
    if BACKWARD:
        sine = -sine
    first = tl.program_id(1) * GROUP
    for head in range(first, min(first + GROUP, heads)):
        at = (token * heads + head) * 2 * HALF + pair
        a = tl.load(x_ptr + at)
        b = tl.load(x_ptr + at + HALF)
        tl.store(y_ptr + at, a * cosine - b * sine)
        tl.store(y_ptr + at + HALF, b * cosine + a * sine)
