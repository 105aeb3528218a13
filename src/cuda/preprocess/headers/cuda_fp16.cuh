// The rest of what <cuda_fp16.h> and <cuda_bf16.h> declare: comparisons of pairs and of what may be no
// number, saturation, the halves of pairs. The functions of one operation are built in.
namespace cuda {
namespace fp16 {

// Comparisons: false, or with `u` true, where an operand is no number.
template <typename T>
__device__ bool __hne(T a, T b) {
    static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`");
    return (a < b) | (a > b);
}
template <typename T>
__device__ bool __hequ(T a, T b) {
    static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`");
    return !((a < b) | (a > b));
}
template <typename T>
__device__ bool __hneu(T a, T b) {
    static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`");
    return !(a == b);
}
template <typename T>
__device__ bool __hltu(T a, T b) {
    static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`");
    return !(a >= b);
}
template <typename T>
__device__ bool __hleu(T a, T b) {
    static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`");
    return !(a > b);
}
template <typename T>
__device__ bool __hgtu(T a, T b) {
    static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`");
    return !(a <= b);
}
template <typename T>
__device__ bool __hgeu(T a, T b) {
    static_assert(sizeof(T) == 2, "it takes `__half` or `__nv_bfloat16`");
    return !(a < b);
}

// Of pairs: 1 or 0 for each half, all ones or zeros for each, or whether it holds for both.
template <typename Pair>
__device__ Pair __heq2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = a.x == b.x ? 1.0f : 0.0f;
    each.y = a.y == b.y ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __heq2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x == b.x ? 0xffffu : 0u) | (a.y == b.y ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbeq2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x == b.x) & (a.y == b.y);
}
template <typename Pair>
__device__ Pair __hne2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = (a.x < b.x) | (a.x > b.x) ? 1.0f : 0.0f;
    each.y = (a.y < b.y) | (a.y > b.y) ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hne2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return ((a.x < b.x) | (a.x > b.x) ? 0xffffu : 0u) | ((a.y < b.y) | (a.y > b.y) ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbne2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return ((a.x < b.x) | (a.x > b.x)) & ((a.y < b.y) | (a.y > b.y));
}
template <typename Pair>
__device__ Pair __hlt2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = a.x < b.x ? 1.0f : 0.0f;
    each.y = a.y < b.y ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hlt2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x < b.x ? 0xffffu : 0u) | (a.y < b.y ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hblt2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x < b.x) & (a.y < b.y);
}
template <typename Pair>
__device__ Pair __hle2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = a.x <= b.x ? 1.0f : 0.0f;
    each.y = a.y <= b.y ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hle2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x <= b.x ? 0xffffu : 0u) | (a.y <= b.y ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hble2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x <= b.x) & (a.y <= b.y);
}
template <typename Pair>
__device__ Pair __hgt2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = a.x > b.x ? 1.0f : 0.0f;
    each.y = a.y > b.y ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hgt2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x > b.x ? 0xffffu : 0u) | (a.y > b.y ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbgt2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x > b.x) & (a.y > b.y);
}
template <typename Pair>
__device__ Pair __hge2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = a.x >= b.x ? 1.0f : 0.0f;
    each.y = a.y >= b.y ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hge2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x >= b.x ? 0xffffu : 0u) | (a.y >= b.y ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbge2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (a.x >= b.x) & (a.y >= b.y);
}
template <typename Pair>
__device__ Pair __hequ2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = !((a.x < b.x) | (a.x > b.x)) ? 1.0f : 0.0f;
    each.y = !((a.y < b.y) | (a.y > b.y)) ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hequ2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!((a.x < b.x) | (a.x > b.x)) ? 0xffffu : 0u) | (!((a.y < b.y) | (a.y > b.y)) ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbequ2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!((a.x < b.x) | (a.x > b.x))) & (!((a.y < b.y) | (a.y > b.y)));
}
template <typename Pair>
__device__ Pair __hneu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = !(a.x == b.x) ? 1.0f : 0.0f;
    each.y = !(a.y == b.y) ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hneu2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x == b.x) ? 0xffffu : 0u) | (!(a.y == b.y) ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbneu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x == b.x)) & (!(a.y == b.y));
}
template <typename Pair>
__device__ Pair __hltu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = !(a.x >= b.x) ? 1.0f : 0.0f;
    each.y = !(a.y >= b.y) ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hltu2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x >= b.x) ? 0xffffu : 0u) | (!(a.y >= b.y) ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbltu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x >= b.x)) & (!(a.y >= b.y));
}
template <typename Pair>
__device__ Pair __hleu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = !(a.x > b.x) ? 1.0f : 0.0f;
    each.y = !(a.y > b.y) ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hleu2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x > b.x) ? 0xffffu : 0u) | (!(a.y > b.y) ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbleu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x > b.x)) & (!(a.y > b.y));
}
template <typename Pair>
__device__ Pair __hgtu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = !(a.x <= b.x) ? 1.0f : 0.0f;
    each.y = !(a.y <= b.y) ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hgtu2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x <= b.x) ? 0xffffu : 0u) | (!(a.y <= b.y) ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbgtu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x <= b.x)) & (!(a.y <= b.y));
}
template <typename Pair>
__device__ Pair __hgeu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    Pair each;
    each.x = !(a.x < b.x) ? 1.0f : 0.0f;
    each.y = !(a.y < b.y) ? 1.0f : 0.0f;
    return each;
}
template <typename Pair>
__device__ unsigned int __hgeu2_mask(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x < b.x) ? 0xffffu : 0u) | (!(a.y < b.y) ? 0xffff0000u : 0u);
}
template <typename Pair>
__device__ bool __hbgeu2(Pair a, Pair b) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return (!(a.x < b.x)) & (!(a.y < b.y));
}
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
template <typename T>
__device__ T __hadd_sat(T a, T b) {
    return saturated(__hadd(a, b));
}
template <typename Pair>
__device__ Pair __hadd2_sat(Pair a, Pair b) {
    return saturated_pair(__hadd2(a, b));
}
template <typename T>
__device__ T __hsub_sat(T a, T b) {
    return saturated(__hsub(a, b));
}
template <typename Pair>
__device__ Pair __hsub2_sat(Pair a, Pair b) {
    return saturated_pair(__hsub2(a, b));
}
template <typename T>
__device__ T __hmul_sat(T a, T b) {
    return saturated(__hmul(a, b));
}
template <typename Pair>
__device__ Pair __hmul2_sat(Pair a, Pair b) {
    return saturated_pair(__hmul2(a, b));
}
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
template <typename T>
__device__ T __hmin_nan(T a, T b) {
    return a != a ? a : b != b ? b : __hmin(a, b);
}
template <typename T>
__device__ T __hmax_nan(T a, T b) {
    return a != a ? a : b != b ? b : __hmax(a, b);
}
template <typename Pair>
__device__ Pair __hmin2_nan(Pair a, Pair b) {
    a.x = __hmin_nan(a.x, b.x);
    a.y = __hmin_nan(a.y, b.y);
    return a;
}
template <typename Pair>
__device__ Pair __hmax2_nan(Pair a, Pair b) {
    a.x = __hmax_nan(a.x, b.x);
    a.y = __hmax_nan(a.y, b.y);
    return a;
}

template <typename T>
__device__ T hrcp(T a) {
    T one = 1.0f;
    return one / a;
}
template <typename Pair>
__device__ Pair h2rcp(Pair a) {
    a.x = hrcp(a.x);
    a.y = hrcp(a.y);
    return a;
}
template <typename Pair>
__device__ Pair h2exp10(Pair a) {
    a.x = hexp10(a.x);
    a.y = hexp10(a.y);
    return a;
}
template <typename Pair>
__device__ Pair h2log10(Pair a) {
    a.x = hlog10(a.x);
    a.y = hlog10(a.y);
    return a;
}

// The halves of pairs, put together anew.
__device__ inline __half2 __lows2half2(__half2 a, __half2 b) {
    return __half2{a.x, b.x};
}
__device__ inline __half2 __highs2half2(__half2 a, __half2 b) {
    return __half2{a.y, b.y};
}
__device__ inline __half2 __low2half2(__half2 a) {
    return __half2{a.x, a.x};
}
__device__ inline __half2 __high2half2(__half2 a) {
    return __half2{a.y, a.y};
}
__device__ inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162{a.x, b.x};
}
__device__ inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162{a.y, b.y};
}
__device__ inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
    return __nv_bfloat162{a.x, a.x};
}
__device__ inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
    return __nv_bfloat162{a.y, a.y};
}
template <typename Pair>
__device__ Pair __lowhigh2highlow(Pair a) {
    static_assert(sizeof(Pair) == 4, "it takes `__half2` or `__nv_bfloat162`");
    return Pair{a.y, a.x};
}

// Integers.
__device__ inline __half __short2half_rn(short i) { return __half((float)i); }
__device__ inline short __half2short_rz(__half h) { return (short)(float)h; }
__device__ inline short __half2short_rn(__half h) { return (short)rintf((float)h); }
__device__ inline __half __ushort2half_rn(unsigned short i) { return __half((float)i); }
__device__ inline unsigned short __half2ushort_rz(__half h) { return (unsigned short)(float)h; }
__device__ inline unsigned short __half2ushort_rn(__half h) { return (unsigned short)rintf((float)h); }
__device__ inline __half __ll2half_rn(long long i) { return __half(i); }
__device__ inline long long __half2ll_rz(__half h) { return (long long)(float)h; }
__device__ inline long long __half2ll_rn(__half h) { return (long long)rintf((float)h); }
__device__ inline __half __ull2half_rn(unsigned long long i) { return __half(i); }
__device__ inline unsigned long long __half2ull_rz(__half h) { return (unsigned long long)(float)h; }
__device__ inline unsigned long long __half2ull_rn(__half h) { return (unsigned long long)rintf((float)h); }
__device__ inline unsigned int __half2uint_rz(__half h) { return (unsigned int)(float)h; }
__device__ inline short __half_as_short(__half h) { return (short)__half_as_ushort(h); }
__device__ inline __nv_bfloat16 __short2bfloat16_rn(short i) { return __nv_bfloat16((float)i); }
__device__ inline short __bfloat162short_rz(__nv_bfloat16 h) { return (short)(float)h; }
__device__ inline short __bfloat162short_rn(__nv_bfloat16 h) { return (short)rintf((float)h); }
__device__ inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short i) { return __nv_bfloat16((float)i); }
__device__ inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 h) { return (unsigned short)(float)h; }
__device__ inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 h) { return (unsigned short)rintf((float)h); }
__device__ inline __nv_bfloat16 __ll2bfloat16_rn(long long i) { return __nv_bfloat16(i); }
__device__ inline long long __bfloat162ll_rz(__nv_bfloat16 h) { return (long long)(float)h; }
__device__ inline long long __bfloat162ll_rn(__nv_bfloat16 h) { return (long long)rintf((float)h); }
__device__ inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long i) { return __nv_bfloat16(i); }
__device__ inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 h) { return (unsigned long long)(float)h; }
__device__ inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 h) { return (unsigned long long)rintf((float)h); }
__device__ inline __nv_bfloat16 __uint2bfloat16_rn(unsigned int i) { return __nv_bfloat16(i); }
__device__ inline unsigned int __bfloat162uint_rz(__nv_bfloat16 h) { return (unsigned int)(float)h; }
__device__ inline short __bfloat16_as_short(__nv_bfloat16 h) {
    return (short)__bfloat16_as_ushort(h);
}

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

}  // namespace fp16
}  // namespace cuda

using namespace cuda::fp16;
