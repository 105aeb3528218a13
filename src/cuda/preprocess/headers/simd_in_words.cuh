// SIMD intrinsics: a word as two numbers of 16 bits or four of 8 (CUDA Math API, "SIMD Intrinsics"). `x` and `y` are a
// part of `a` and of `b`, `least` and `most` what such a part holds.
#define __PARTS(name, T, bits, least_of, most_of, value) \
    __device__ inline unsigned int name(unsigned int a, unsigned int b) { \
        unsigned int all = 0; \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits) { \
            int x = (T)(a >> at), y = (T)(b >> at), least = least_of, most = most_of; \
            all |= ((unsigned int)(value) & ((1u << bits) - 1)) << at; \
        } \
        return all; \
    }
#define __OF_SIGNED(name, value) \
    __PARTS(name##2, short, 16, -32768, 32767, value) \
    __PARTS(name##4, signed char, 8, -128, 127, value)
#define __OF_UNSIGNED(name, value) \
    __PARTS(name##2, unsigned short, 16, 0, 65535, value) \
    __PARTS(name##4, unsigned char, 8, 0, 255, value)
#define __OF_ONE(name) \
    __device__ inline unsigned int name##2(unsigned int a) { return name##2(a, 0u); } \
    __device__ inline unsigned int name##4(unsigned int a) { return name##4(a, 0u); }
// Masks and ones where two parts compare so.
#define __COMPARES(kind, OF, holds) \
    OF(__vcmp##kind, (holds) ? -1 : 0) \
    OF(__vset##kind, (holds) ? 1 : 0)
#define __SUMS(name, of, count, bits) \
    __device__ inline unsigned int name##count(unsigned int a, unsigned int b) { \
        unsigned int parts = of##count(a, b), sum = 0; \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits) { sum += parts >> at & ((1u << bits) - 1); } \
        return sum; \
    }

__OF_SIGNED(__vadd, x + y)
__OF_SIGNED(__vsub, x - y)
__OF_SIGNED(__vaddss, min(max(x + y, least), most))
__OF_SIGNED(__vsubss, min(max(x - y, least), most))
__OF_UNSIGNED(__vaddus, min(x + y, most))
__OF_UNSIGNED(__vsubus, max(x - y, least))
__OF_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
__OF_UNSIGNED(__vavgu, (x + y + 1) >> 1)
__OF_UNSIGNED(__vhaddu, (x + y) >> 1)
__OF_SIGNED(__vabsdiffs, abs(x - y))
__OF_UNSIGNED(__vabsdiffu, abs(x - y))
__OF_SIGNED(__vmaxs, max(x, y))
__OF_SIGNED(__vmins, min(x, y))
__OF_UNSIGNED(__vmaxu, max(x, y))
__OF_UNSIGNED(__vminu, min(x, y))
__OF_SIGNED(__vabs, abs(x))
__OF_SIGNED(__vabsss, min(abs(x), most))
__OF_SIGNED(__vneg, -x)
__OF_SIGNED(__vnegss, min(-x, most))
__OF_ONE(__vabs)
__OF_ONE(__vabsss)
__OF_ONE(__vneg)
__OF_ONE(__vnegss)
__COMPARES(eq, __OF_UNSIGNED, x == y)
__COMPARES(ne, __OF_UNSIGNED, x != y)
__COMPARES(ges, __OF_SIGNED, x >= y)
__COMPARES(geu, __OF_UNSIGNED, x >= y)
__COMPARES(gts, __OF_SIGNED, x > y)
__COMPARES(gtu, __OF_UNSIGNED, x > y)
__COMPARES(les, __OF_SIGNED, x <= y)
__COMPARES(leu, __OF_UNSIGNED, x <= y)
__COMPARES(lts, __OF_SIGNED, x < y)
__COMPARES(ltu, __OF_UNSIGNED, x < y)
__SUMS(__vsads, __vabsdiffs, 2, 16)
__SUMS(__vsads, __vabsdiffs, 4, 8)
__SUMS(__vsadu, __vabsdiffu, 2, 16)
__SUMS(__vsadu, __vabsdiffu, 4, 8)
#undef __PARTS
#undef __OF_SIGNED
#undef __OF_UNSIGNED
#undef __OF_ONE
#undef __COMPARES
#undef __SUMS
