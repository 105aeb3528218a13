// What <cuda_fp8.h> declares: floats of 8 bits, e4m3 with 3 bits of fraction and e5m2 with 2. Rounding is to nearest,
// halves to even; what is too large becomes the largest number (or NaN, of e5m2 infinity, without saturation); there is
// one NaN. Held against all codes of an H200, and 460,000 values of float and half.
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

__host__ __device__ inline __nv_fp8_storage_t __fp8_of(unsigned int bits, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind) {
    bool is_e4m3 = kind == __NV_E4M3;
    unsigned int fraction = is_e4m3 ? 3 : 2;
    // Of the smallest normal number, the exponent that it has as a float.
    unsigned int least = is_e4m3 ? 121 : 113;
    unsigned int most = is_e4m3 ? 0x7e : 0x7b;
    unsigned int sign = bits >> 24 & 0x80;
    unsigned int size = bits & 0x7fffffff;
    if (size > 0x7f800000) {
        return 0x7f;
    }
    unsigned int shift = 23 - fraction;
    unsigned int code = 0;
    if (size >> 23 < least) {
        // Fixed point: the hidden bit moves into the fraction.
        unsigned int down = least - (size >> 23);
        if (down < 24) {
            unsigned int whole = (size & 0x7fffff) | 0x800000;
            shift += down;
            code = shift < 32 ? whole >> shift : 0;
            unsigned int rest = shift < 32 ? whole & ((1u << shift) - 1) : whole;
            unsigned int half = shift <= 32 ? 1u << (shift - 1) : 0;
            if (half != 0 && (rest > half || (rest == half && (code & 1) != 0))) {
                code += 1;
            }
        }
    } else {
        unsigned int rounded = size + (1u << (shift - 1)) - 1 + (size >> shift & 1);
        code = (rounded >> shift) - ((least - 1) << fraction);
    }
    if (code > most) {
        code = saturation == __NV_SATFINITE ? most : is_e4m3 ? 0x7f : 0x7c;
    }
    return (__nv_fp8_storage_t)(sign | code);
}

__host__ __device__ inline float __fp8_value(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind) {
    unsigned int size = code & 0x7f;
    if (size > (kind == __NV_E4M3 ? 0x7e : 0x7c)) {
        return __uint_as_float(0x7fffffff);
    }
    unsigned int sign = (unsigned int)(code & 0x80) << 24;
    // The same bits as a float are smaller by the difference of the biases; infinity of e5m2 is no such number.
    float value;
    if (kind == __NV_E4M3) {
        value = __uint_as_float(size << 20) * __uint_as_float((127 + 120) << 23);
    } else if (size == 0x7c) {
        value = __uint_as_float(0x7f800000);
    } else {
        value = __uint_as_float(size << 21) * __uint_as_float((127 + 112) << 23);
    }
    return __uint_as_float(__float_as_uint(value) | sign);
}

__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                                    __nv_fp8_interpretation_t kind) {
    return __fp8_of(__float_as_uint(x), saturation, kind);
}
// Rounded once: what the float loses is kept as its last bit.
__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                                     __nv_fp8_interpretation_t kind) {
    float nearest = (float)x;
    unsigned int bits = __float_as_uint(nearest);
    double back = nearest;
    if (back != x && x == x) {
        if ((x < 0 ? -back : back) > (x < 0 ? -x : x)) {
            bits -= 1;
        }
        bits |= 1;
    }
    return __fp8_of(bits, saturation, kind);
}
__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half x, __nv_saturation_t saturation,
                                                                      __nv_fp8_interpretation_t kind) {
    return __fp8_of(__float_as_uint(__half2float(x)), saturation, kind);
}
__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16 x, __nv_saturation_t saturation,
                                                                          __nv_fp8_interpretation_t kind) {
    return __fp8_of(__float_as_uint(__bfloat162float(x)), saturation, kind);
}
__host__ __device__ inline __half __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __float2half(__fp8_value(x, kind));
}
__host__ __device__ inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                                         __nv_fp8_interpretation_t kind) {
    unsigned int low = __nv_cvt_float_to_fp8(x.x, saturation, kind);
    return (__nv_fp8x2_storage_t)(low | (unsigned int)__nv_cvt_float_to_fp8(x.y, saturation, kind) << 8);
}
__host__ __device__ inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2 x, __nv_saturation_t saturation,
                                                                           __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__half22float2(x), saturation, kind);
}
__host__ __device__ inline __half2 __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
    return __halves2half2(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x & 0xff), kind),
                          __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind));
}

template <__nv_fp8_interpretation_t Kind>
struct __fp8 {
    __nv_fp8_storage_t __x;

    __fp8() = default;
    __host__ __device__ __fp8(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, Kind)) {}
    explicit __host__ __device__ __fp8(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, Kind)) {}
    explicit __host__ __device__ __fp8(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, Kind)) {}
    explicit __host__ __device__ __fp8(__nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, Kind)) {}
    explicit __host__ __device__ __fp8(int x) : __x(__nv_cvt_double_to_fp8((double)x, __NV_SATFINITE, Kind)) {}
    explicit __host__ __device__ __fp8(unsigned int x) : __x(__nv_cvt_double_to_fp8((double)x, __NV_SATFINITE, Kind)) {}

    explicit __host__ __device__ operator float() const { return __fp8_value(__x, Kind); }
    explicit __host__ __device__ operator double() const { return (double)__fp8_value(__x, Kind); }
    explicit __host__ __device__ operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, Kind); }
    explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16(__fp8_value(__x, Kind)); }
    explicit __host__ __device__ operator int() const { return (int)__fp8_value(__x, Kind); }
    explicit __host__ __device__ operator unsigned int() const { return (unsigned int)__fp8_value(__x, Kind); }
    explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }
};
using __nv_fp8_e4m3 = __fp8<__NV_E4M3>;
using __nv_fp8_e5m2 = __fp8<__NV_E5M2>;

template <__nv_fp8_interpretation_t Kind>
struct __fp8x2 {
    __nv_fp8x2_storage_t __x;

    __fp8x2() = default;
    explicit __host__ __device__ __fp8x2(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, Kind)) {}
    explicit __host__ __device__ __fp8x2(__half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, Kind)) {}
    explicit __host__ __device__ __fp8x2(__nv_bfloat162 x) : __fp8x2(__bfloat1622float2(x)) {}
    explicit __host__ __device__ operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, Kind); }
    explicit __host__ __device__ operator float2() const {
        return float2{__fp8_value((__nv_fp8_storage_t)(__x & 0xff), Kind), __fp8_value((__nv_fp8_storage_t)(__x >> 8), Kind)};
    }
};
using __nv_fp8x2_e4m3 = __fp8x2<__NV_E4M3>;
using __nv_fp8x2_e5m2 = __fp8x2<__NV_E5M2>;

template <__nv_fp8_interpretation_t Kind>
struct __fp8x4 {
    __nv_fp8x4_storage_t __x;

    __fp8x4() = default;
    explicit __host__ __device__ __fp8x4(float4 x) {
        unsigned int low = __nv_cvt_float2_to_fp8x2(float2{x.x, x.y}, __NV_SATFINITE, Kind);
        unsigned int high = __nv_cvt_float2_to_fp8x2(float2{x.z, x.w}, __NV_SATFINITE, Kind);
        __x = low | high << 16;
    }
    __host__ __device__ __fp8x4(float2 low, float2 high) : __fp8x4(float4{low.x, low.y, high.x, high.y}) {}
    explicit __host__ __device__ __fp8x4(__half2 low, __half2 high)
        : __fp8x4(__half22float2(low), __half22float2(high)) {}
    explicit __host__ __device__ __fp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
        : __fp8x4(__bfloat1622float2(low), __bfloat1622float2(high)) {}
    explicit __host__ __device__ operator float4() const {
        float4 all;
        all.x = __fp8_value((__nv_fp8_storage_t)(__x & 0xff), Kind);
        all.y = __fp8_value((__nv_fp8_storage_t)(__x >> 8 & 0xff), Kind);
        all.z = __fp8_value((__nv_fp8_storage_t)(__x >> 16 & 0xff), Kind);
        all.w = __fp8_value((__nv_fp8_storage_t)(__x >> 24), Kind);
        return all;
    }
};
using __nv_fp8x4_e4m3 = __fp8x4<__NV_E4M3>;
using __nv_fp8x4_e5m2 = __fp8x4<__NV_E5M2>;
