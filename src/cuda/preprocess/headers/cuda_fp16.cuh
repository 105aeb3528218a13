// The rest of what <cuda_fp16.h> and <cuda_bf16.h> declare: comparisons of pairs and of what may be no
// number, saturation, the halves of pairs. The functions of one operation are built in.
namespace cuda {
namespace fp16 {

// Comparisons: false, or with `u` true, where an operand is no number.
#define __compares(name, condition) \
    template <typename T> \
    __device__ bool __h##name(T a, T b) { \
        static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`"); \
        return condition; \
    }
__compares(ne, (a < b) | (a > b))
__compares(equ, !((a < b) | (a > b)))
__compares(neu, !(a == b))
__compares(ltu, !(a >= b))
__compares(leu, !(a > b))
__compares(gtu, !(a <= b))
__compares(geu, !(a < b))

// Of pairs: 1 or 0 for each half, all ones or zeros for each, or whether it holds for both. `of(x)` compares one half.
#define __compares_pairs(name, of) \
    template <typename Pair> \
    __device__ Pair __h##name##2(Pair a, Pair b) { \
        static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`"); \
        Pair each; \
        each.x = of(x) ? 1.0f : 0.0f; \
        each.y = of(y) ? 1.0f : 0.0f; \
        return each; \
    } \
    template <typename Pair> \
    __device__ unsigned int __h##name##2_mask(Pair a, Pair b) { \
        static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`"); \
        return (of(x) ? 0xffffu : 0u) | (of(y) ? 0xffff0000u : 0u); \
    } \
    template <typename Pair> \
    __device__ bool __hb##name##2(Pair a, Pair b) { \
        static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`"); \
        return (of(x)) & (of(y)); \
    }
#define __eq(c) a.c == b.c
#define __ne(c) (a.c < b.c) | (a.c > b.c)
#define __lt(c) a.c < b.c
#define __le(c) a.c <= b.c
#define __gt(c) a.c > b.c
#define __ge(c) a.c >= b.c
#define __equ(c) !((a.c < b.c) | (a.c > b.c))
#define __neu(c) !(a.c == b.c)
#define __ltu(c) !(a.c >= b.c)
#define __leu(c) !(a.c > b.c)
#define __gtu(c) !(a.c <= b.c)
#define __geu(c) !(a.c < b.c)
__compares_pairs(eq, __eq)
__compares_pairs(ne, __ne)
__compares_pairs(lt, __lt)
__compares_pairs(le, __le)
__compares_pairs(gt, __gt)
__compares_pairs(ge, __ge)
__compares_pairs(equ, __equ)
__compares_pairs(neu, __neu)
__compares_pairs(ltu, __ltu)
__compares_pairs(leu, __leu)
__compares_pairs(gtu, __gtu)
__compares_pairs(geu, __geu)
template <typename Pair>
__device__ Pair __hisnan2(Pair a) {
    Pair each;
    each.x = a.x == a.x ? 0.0f : 1.0f;
    each.y = a.y == a.y ? 0.0f : 1.0f;
    return each;
}

// Saturation to [0, 1], where what is no number becomes 0; and to what is not negative.
template <typename T>
__device__ T saturated(T v) {
    T zero = 0.0f;
    T one = 1.0f;
    return v > zero ? (v < one ? v : one) : zero;
}
template <typename Pair>
__device__ Pair saturated_pair(Pair v) {
    v.x = saturated(v.x);
    v.y = saturated(v.y);
    return v;
}
#define __saturates(op) \
    template <typename T> \
    __device__ T __h##op##_sat(T a, T b) { return saturated(__h##op(a, b)); } \
    template <typename Pair> \
    __device__ Pair __h##op##2_sat(Pair a, Pair b) { return saturated_pair(__h##op##2(a, b)); }
__saturates(add)
__saturates(sub)
__saturates(mul)
template <typename T>
__device__ T __hfma_sat(T a, T b, T c) {
    return saturated(__hfma(a, b, c));
}
template <typename Pair>
__device__ Pair __hfma2_sat(Pair a, Pair b, Pair c) {
    return saturated_pair(__hfma2(a, b, c));
}
template <typename T>
__device__ T __hfma_relu(T a, T b, T c) {
    T zero = 0.0f;
    T v = __hfma(a, b, c);
    return v < zero ? zero : v;
}
template <typename Pair>
__device__ Pair __hfma2_relu(Pair a, Pair b, Pair c) {
    Pair v = __hfma2(a, b, c);
    v.x = v.x < 0.0f ? 0.0f : (float)v.x;
    v.y = v.y < 0.0f ? 0.0f : (float)v.y;
    return v;
}

// The lesser and the greater, or what is no number if one of them is none.
#define __number_or_nan(name) \
    template <typename T> \
    __device__ T __h##name##_nan(T a, T b) { return a != a ? a : b != b ? b : __h##name(a, b); } \
    template <typename Pair> \
    __device__ Pair __h##name##2_nan(Pair a, Pair b) { \
        a.x = __h##name##_nan(a.x, b.x); \
        a.y = __h##name##_nan(a.y, b.y); \
        return a; \
    }
__number_or_nan(min)
__number_or_nan(max)

template <typename T>
__device__ T hrcp(T a) {
    T one = 1.0f;
    return one / a;
}
#define __of_each(name) \
    template <typename Pair> \
    __device__ Pair h2##name(Pair a) { \
        a.x = h##name(a.x); \
        a.y = h##name(a.y); \
        return a; \
    }
__of_each(rcp)
__of_each(exp10)
__of_each(log10)

// The halves of pairs, put together anew.
#define __halves_of(Pair, pair) \
    __device__ inline Pair __lows2##pair(Pair a, Pair b) { return Pair{a.x, b.x}; } \
    __device__ inline Pair __highs2##pair(Pair a, Pair b) { return Pair{a.y, b.y}; } \
    __device__ inline Pair __low2##pair(Pair a) { return Pair{a.x, a.x}; } \
    __device__ inline Pair __high2##pair(Pair a) { return Pair{a.y, a.y}; }
__halves_of(__half2, half2)
__halves_of(__nv_bfloat162, bfloat162)
template <typename Pair>
__device__ Pair __lowhigh2highlow(Pair a) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return Pair{a.y, a.x};
}

// Integers.
#define __rounded(I, name, T, half) \
    __device__ inline I __##half##2##name##_rd(T h) { return (I)floorf((float)h); } \
    __device__ inline I __##half##2##name##_ru(T h) { return (I)ceilf((float)h); }
#define __integer(I, name, given, T, half) \
    __rounded(I, name, T, half) \
    __device__ inline T __##name##2##half##_rn(I i) { return T(given); } \
    __device__ inline I __##half##2##name##_rz(T h) { return (I)(float)h; } \
    __device__ inline I __##half##2##name##_rn(T h) { return (I)rintf((float)h); }
#define __integers(T, half) \
    __integer(short, short, (float)i, T, half) \
    __integer(unsigned short, ushort, (float)i, T, half) \
    __integer(long long, ll, i, T, half) \
    __integer(unsigned long long, ull, i, T, half) \
    __rounded(int, int, T, half) \
    __rounded(unsigned int, uint, T, half) \
    __device__ inline unsigned int __##half##2uint_rz(T h) { return (unsigned int)(float)h; } \
    __device__ inline short __##half##_as_short(T h) { return (short)__##half##_as_ushort(h); }
__integers(__half, half)
__integers(__nv_bfloat16, bfloat16)
__device__ inline __nv_bfloat16 __uint2bfloat16_rn(unsigned int i) { return __nv_bfloat16(i); }

// Rounded towards zero, down and up: from the nearest value one step to the other side, where that lies beyond. Bits
// count up from zero in both directions, and infinity comes behind the largest number.
__device__ inline __half __float2half_rz(float f) {
    __half near = __float2half_rn(f);
    bool is_beyond = fabsf(__half2float(near)) > fabsf(f);
    return is_beyond ? __ushort_as_half(__half_as_ushort(near) - 1) : near;
}
__device__ inline __half __float2half_rd(float f) {
    __half near = __float2half_rn(f);
    if (!(__half2float(near) > f)) return near;
    unsigned short bits = __half_as_ushort(near);
    return __ushort_as_half(bits == 0 ? 0x8001 : bits & 0x8000 ? bits + 1 : bits - 1);
}
__device__ inline __half __float2half_ru(float f) { return -__float2half_rd(-f); }

#undef __compares
#undef __compares_pairs
#undef __eq
#undef __ne
#undef __lt
#undef __le
#undef __gt
#undef __ge
#undef __equ
#undef __neu
#undef __ltu
#undef __leu
#undef __gtu
#undef __geu
#undef __saturates
#undef __number_or_nan
#undef __of_each
#undef __halves_of
#undef __rounded
#undef __integer
#undef __integers

}  // namespace fp16
}  // namespace cuda

using namespace cuda::fp16;
