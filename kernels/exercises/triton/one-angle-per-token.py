# Rotary embedding of halves: a token and a group of heads per program.
import triton
import triton.language as tl


@triton.jit
def rope(x_ptr, cosines_ptr, sines_ptr, y_ptr, heads, HALF: tl.constexpr, GROUP: tl.constexpr):
    token = tl.program_id(0)
    pair = tl.arange(0, HALF)
    first = tl.program_id(1) * GROUP
    #> hole
    cosine = tl.load(cosines_ptr + token * HALF + pair)
    sine = tl.load(sines_ptr + token * HALF + pair)
    for head in range(first, min(first + GROUP, heads)):
        at = (token * heads + head) * 2 * HALF + pair
        a = tl.load(x_ptr + at)
        b = tl.load(x_ptr + at + HALF)
        tl.store(y_ptr + at, a * cosine - b * sine)
        tl.store(y_ptr + at + HALF, b * cosine + a * sine)
    #> start
    #| for head in range(first, min(first + GROUP, heads)):
    #|     at = (token * heads + head) * 2 * HALF + pair
    #|     cosine = tl.load(cosines_ptr + token * HALF + pair)
    #|     sine = tl.load(sines_ptr + token * HALF + pair)
    #|     a = tl.load(x_ptr + at)
    #|     b = tl.load(x_ptr + at + HALF)
    #|     tl.store(y_ptr + at, a * cosine - b * sine)
    #|     tl.store(y_ptr + at + HALF, b * cosine + a * sine)
    #> end
