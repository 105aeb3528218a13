// What the instructions of PTX do that inline PTX may name, in the CUDA C++ that this program reads. An instruction
// `add.s32` is the function `add_s32`; what it writes comes first. Addresses of shared memory have 32 bits.
//
// Macros write a function for each type: `P` is the type's name in PTX, `T` the same in CUDA C++.
namespace __ptx {

template <typename A>
__device__ inline unsigned long long address(A a) {
    return (unsigned long long)a;
}
__device__ inline unsigned long long in_shared(unsigned long long a) {
    return (1ull << 32) | (a & 0xffffffffull);
}
template <typename T>
__device__ inline T* to(unsigned long long a) {
    return reinterpret_cast<T*>(a);
}

__device__ inline unsigned int laneid() {
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31;
}
__device__ inline unsigned int warpid() {
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
}
__device__ inline unsigned int nwarpid() { return (blockDim.x * blockDim.y * blockDim.z + 31) / 32; }
// Blocks go to multiprocessors in turn; this many are an H200's.
__device__ inline unsigned int nsmid() { return 132; }
__device__ inline unsigned int smid() {
    return (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) % nsmid();
}
__device__ inline unsigned int lanemask_eq() { return 1u << laneid(); }
__device__ inline unsigned int lanemask_lt() { return (1u << laneid()) - 1; }
__device__ inline unsigned int lanemask_le() { return lanemask_lt() | lanemask_eq(); }
__device__ inline unsigned int lanemask_gt() { return ~lanemask_le(); }
__device__ inline unsigned int lanemask_ge() { return ~lanemask_lt(); }

// `name(d, a)` gives `value`; with 2 or 3 in the name of the macro, `name(d, a, b)` and `name(d, a, b, c)` do.
#define OF(name, T, value) \
    template <typename D> \
    __device__ inline void name(D& d, T a) { d = value; }
#define OF2(name, T, value) \
    template <typename D> \
    __device__ inline void name(D& d, T a, T b) { d = value; }
#define OF3(name, T, value) \
    template <typename D> \
    __device__ inline void name(D& d, T a, T b, T c) { d = value; }
#define SHIFT(name, T, value) \
    template <typename D> \
    __device__ inline void name(D& d, T a, unsigned int b) { d = (D)(value); }

#define MEMORY(P, T) \
    template <typename D> \
    __device__ inline void ld_##P(D& d, unsigned long long a) { d = (D)*to<const T>(a); } \
    __device__ inline void st_##P(unsigned long long a, T v) { *to<T>(a) = v; } \
    template <typename D> \
    __device__ inline void ld_shared_##P(D& d, unsigned long long a) { d = (D)*to<const T>(in_shared(a)); } \
    __device__ inline void st_shared_##P(unsigned long long a, T v) { *to<T>(in_shared(a)) = v; }
MEMORY(u8, unsigned char)
MEMORY(s8, signed char)
MEMORY(b8, unsigned char)
MEMORY(u16, unsigned short)
MEMORY(s16, short)
MEMORY(b16, unsigned short)
MEMORY(u32, unsigned int)
MEMORY(s32, int)
MEMORY(b32, unsigned int)
MEMORY(u64, unsigned long long)
MEMORY(s64, long long)
MEMORY(b64, unsigned long long)
MEMORY(f32, float)
MEMORY(f64, double)

// `V` is the vector of two `T` without its number; `at` says where an address of its state space leads.
#define PAIR(name, T, V, at) \
    template <typename D0, typename D1> \
    __device__ inline void ld_##name(D0& d0, D1& d1, unsigned long long a) { \
        V##2 v = *to<const V##2>(at(a)); \
        d0 = (D0)v.x; d1 = (D1)v.y; \
    } \
    __device__ inline void st_##name(unsigned long long a, T v0, T v1) { *to<V##2>(at(a)) = make_##V##2(v0, v1); }
#define FOUR(name, T, V, at) \
    template <typename D0, typename D1, typename D2, typename D3> \
    __device__ inline void ld_##name(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) { \
        V##4 v = *to<const V##4>(at(a)); \
        d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w; \
    } \
    __device__ inline void st_##name(unsigned long long a, T v0, T v1, T v2, T v3) { \
        *to<V##4>(at(a)) = make_##V##4(v0, v1, v2, v3); \
    }
#define VECTOR2(P, T, V) PAIR(v2_##P, T, V, ) PAIR(shared_v2_##P, T, V, in_shared)
#define VECTORS(P, T, V) VECTOR2(P, T, V) FOUR(v4_##P, T, V, ) FOUR(shared_v4_##P, T, V, in_shared)
VECTORS(b32, unsigned int, uint)
VECTORS(u32, unsigned int, uint)
VECTORS(s32, int, int)
VECTORS(f32, float, float)
VECTORS(b16, unsigned short, ushort)
VECTORS(u16, unsigned short, ushort)
VECTOR2(u64, unsigned long long, ulonglong)
VECTOR2(b64, unsigned long long, ulonglong)
VECTOR2(s64, long long, longlong)
VECTOR2(f64, double, double)

// Atomic functions, with what was there before or without it.
#define ATOMIC(P, T, op, function) \
    template <typename D> \
    __device__ inline void atom_##op##_##P(D& d, unsigned long long a, T v) { d = (D)function(to<T>(a), v); } \
    template <typename D> \
    __device__ inline void atom_shared_##op##_##P(D& d, unsigned long long a, T v) { \
        d = (D)function(to<T>(in_shared(a)), v); \
    } \
    __device__ inline void red_##op##_##P(unsigned long long a, T v) { function(to<T>(a), v); } \
    __device__ inline void red_shared_##op##_##P(unsigned long long a, T v) { function(to<T>(in_shared(a)), v); }
#define ATOMIC_NUMBER(P, T) \
    ATOMIC(P, T, add, atomicAdd) \
    ATOMIC(P, T, min, atomicMin) \
    ATOMIC(P, T, max, atomicMax)
#define ATOMIC_BITS(P, T) \
    ATOMIC(P, T, and, atomicAnd) \
    ATOMIC(P, T, or, atomicOr) \
    ATOMIC(P, T, xor, atomicXor) \
    ATOMIC(P, T, exch, atomicExch) \
    template <typename D> \
    __device__ inline void atom_cas_##P(D& d, unsigned long long a, T old, T v) { d = (D)atomicCAS(to<T>(a), old, v); } \
    template <typename D> \
    __device__ inline void atom_shared_cas_##P(D& d, unsigned long long a, T old, T v) { \
        d = (D)atomicCAS(to<T>(in_shared(a)), old, v); \
    }
ATOMIC_NUMBER(u32, unsigned int)
ATOMIC_NUMBER(s32, int)
ATOMIC_NUMBER(u64, unsigned long long)
ATOMIC_BITS(b32, unsigned int)
ATOMIC_BITS(b64, unsigned long long)
ATOMIC(f32, float, add, atomicAdd)
ATOMIC(f64, double, add, atomicAdd)
ATOMIC(u32, unsigned int, inc, atomicInc)
ATOMIC(u32, unsigned int, dec, atomicDec)

// `c` holds the bits of a lane that number its segment, and the last lane of one.
#define SHUFFLE(kind, B, function) \
    template <typename D> \
    __device__ inline void shfl_##kind##_b32(D& d, unsigned int a, B b, unsigned int c, unsigned int lanes) { \
        d = (D)function(lanes, a, b, 32 - (c >> 8 & 31)); \
    }
SHUFFLE(idx, int, __shfl_sync)
SHUFFLE(up, unsigned int, __shfl_up_sync)
SHUFFLE(down, unsigned int, __shfl_down_sync)
SHUFFLE(bfly, int, __shfl_xor_sync)
template <typename D>
__device__ inline void vote_ballot_b32(D& d, bool p, unsigned int lanes) { d = (D)__ballot_sync(lanes, p); }
template <typename D>
__device__ inline void vote_any_pred(D& d, bool p, unsigned int lanes) { d = (D)(__any_sync(lanes, p) != 0); }
template <typename D>
__device__ inline void vote_all_pred(D& d, bool p, unsigned int lanes) { d = (D)(__all_sync(lanes, p) != 0); }

// What there is of numbers and of bits alike.
#define EQUALITY(P, T) \
    OF(mov_##P, T, (D)a) \
    OF2(setp_eq_##P, T, a == b) \
    OF2(setp_ne_##P, T, a != b) \
    template <typename D> \
    __device__ inline void selp_##P(D& d, T a, T b, bool p) { d = (D)(p ? a : b); }
#define NUMBER(P, T) \
    EQUALITY(P, T) \
    OF2(add_##P, T, (D)(T)(a + b)) \
    OF2(sub_##P, T, (D)(T)(a - b)) \
    OF(neg_##P, T, (D)(T)-a) \
    OF2(setp_lt_##P, T, a < b) \
    OF2(setp_le_##P, T, a <= b) \
    OF2(setp_gt_##P, T, a > b) \
    OF2(setp_ge_##P, T, a >= b)
// A shift by `bits` or more gives `far`.
#define INTEGER(P, T, bits, far) \
    NUMBER(P, T) \
    OF2(min_##P, T, (D)(a < b ? a : b)) \
    OF2(max_##P, T, (D)(a < b ? b : a)) \
    OF2(mul_lo_##P, T, (D)(T)(a * b)) \
    OF3(mad_lo_##P, T, (D)(T)(a * b + c)) \
    OF2(div_##P, T, (D)(a / b)) \
    OF2(rem_##P, T, (D)(a % b)) \
    SHIFT(shr_##P, T, b < bits ? a >> b : far)
INTEGER(u16, unsigned short, 16, 0)
INTEGER(s16, short, 16, a >> 15)
INTEGER(u32, unsigned int, 32, 0)
INTEGER(s32, int, 32, a >> 31)
INTEGER(u64, unsigned long long, 64, 0)
INTEGER(s64, long long, 64, a >> 63)

// The functions of `float` are those of `double` with an f behind their names.
#define FLOAT(P, T, f) \
    NUMBER(P, T) \
    OF2(min_##P, T, fmin##f(a, b)) \
    OF2(max_##P, T, fmax##f(a, b)) \
    OF2(mul_##P, T, a * b) \
    OF3(fma_##P, T, fma##f(a, b, c)) \
    OF3(mad_##P, T, fma##f(a, b, c)) \
    OF2(div_##P, T, a / b) \
    OF(abs_##P, T, fabs##f(a)) \
    OF(sqrt_##P, T, sqrt##f(a)) \
    OF(rsqrt_##P, T, rsqrt##f(a)) \
    OF(rcp_##P, T, 1 / a)
FLOAT(f32, float, f)
FLOAT(f64, double, )

#define BITS(P, T, bits) \
    EQUALITY(P, T) \
    OF2(and_##P, T, (D)(a & b)) \
    OF2(or_##P, T, (D)(a | b)) \
    OF2(xor_##P, T, (D)(a ^ b)) \
    OF(not_##P, T, (D)(T)~a) \
    SHIFT(shl_##P, T, b < bits ? (T)(a << b) : (T)0) \
    SHIFT(shr_##P, T, b < bits ? a >> b : 0)
BITS(b16, unsigned short, 16)
BITS(b32, unsigned int, 32)
BITS(b64, unsigned long long, 64)

OF(mov_pred, bool, a)
OF2(and_pred, bool, a && b)
OF2(or_pred, bool, a || b)
OF2(xor_pred, bool, a != b)
OF(not_pred, bool, !a)

template <typename D>
__device__ inline void mov_b32_join(D& d, unsigned short a, unsigned short b) { d = (D)(a | (unsigned int)b << 16); }
template <typename A, typename B>
__device__ inline void mov_b32_split(A& a, B& b, unsigned int v) { a = (A)(v & 0xffff); b = (B)(v >> 16); }
template <typename D>
__device__ inline void mov_b64_join(D& d, unsigned int a, unsigned int b) { d = (D)(a | (unsigned long long)b << 32); }
template <typename A, typename B>
__device__ inline void mov_b64_split(A& a, B& b, unsigned long long v) { a = (A)(unsigned int)v; b = (B)(unsigned int)(v >> 32); }

OF2(mul_wide_u32, unsigned int, (D)((unsigned long long)a * b))
OF2(mul_hi_u32, unsigned int, (D)(unsigned int)(((unsigned long long)a * b) >> 32))
OF2(mul_wide_s32, int, (D)((long long)a * b))
OF2(mul_hi_s32, int, (D)(int)(((long long)a * b) >> 32))
OF2(mul_wide_u16, unsigned short, (D)((unsigned int)a * b))
OF2(mul_hi_u64, unsigned long long, (D)__umul64hi(a, b))
OF2(mul24_lo_s32, int, (D)__mul24(a, b))
OF2(mul24_lo_u32, unsigned int, (D)__umul24(a, b))
OF(popc_b32, unsigned int, (D)__popc(a))
OF(popc_b64, unsigned long long, (D)__popcll(a))
OF(clz_b32, unsigned int, (D)__clz(a))
OF(clz_b64, unsigned long long, (D)__clzll(a))
OF(brev_b32, unsigned int, (D)__brev(a))
OF(brev_b64, unsigned long long, (D)__brevll(a))
OF(bfind_u32, unsigned int, (D)(31 - __clz(a)))
OF(abs_s32, int, (D)(a < 0 ? -a : a))
OF3(prmt_b32, unsigned int, (D)__byte_perm(a, b, c))
OF3(dp4a_s32_s32, int, (D)__dp4a(a, b, c))
OF3(dp4a_u32_u32, unsigned int, (D)__dp4a(a, b, c))
OF(ex2_f32, float, exp2f(a))
OF(sqrt_approx_f32, float, __sqrt_approx(a))
OF(rcp_approx_ftz_f32, float, __rcp_approx(a))
OF(rcp_approx_f32, float, __fdividef(1, a))
OF(rcp_ftz_f32, float, 1 / a)
OF(rcp_approx_ftz_f64, double, 1 / a)
OF(tanh_approx_f32, float, __tanh_approx(a))
OF2(div_approx_f32, float, __fdividef(a, b))
OF2(div_full_f32, float, __fdividef(a, b))
OF(lg2_f32, float, __log2f(a))
OF(sin_f32, float, __sinf(a))
OF(cos_f32, float, __cosf(a))
template <typename D>
__device__ inline void mad_wide_u32(D& d, unsigned int a, unsigned int b, unsigned long long c) { d = (D)((unsigned long long)a * b + c); }
template <typename D>
__device__ inline void mad_wide_s32(D& d, int a, int b, long long c) { d = (D)((long long)a * b + c); }
template <typename D>
__device__ inline void shf_l_wrap_b32(D& d, unsigned int lo, unsigned int hi, unsigned int n) { d = (D)__funnelshift_l(lo, hi, n); }
template <typename D>
__device__ inline void shf_r_wrap_b32(D& d, unsigned int lo, unsigned int hi, unsigned int n) { d = (D)__funnelshift_r(lo, hi, n); }
template <typename D>
__device__ inline void bfe_u32(D& d, unsigned int a, unsigned int at, unsigned int length) {
    unsigned int n = length & 255;
    unsigned int p = at & 255;
    unsigned int v = p < 32 ? a >> p : 0;
    d = (D)(n < 32 ? v & ((1u << n) - 1) : v);
}
template <typename D>
__device__ inline void bfe_s32(D& d, int a, unsigned int at, unsigned int length) {
    int n = length & 255;
    int p = at & 255;
    int v = a >> (p < 31 ? p : 31);
    int left = p + n > 32 ? 32 - p : n;
    d = (D)(n == 0 ? 0 : left <= 0 ? a >> 31 : n < 32 ? (v << (32 - left)) >> (32 - left) : v);
}
template <typename D>
__device__ inline void bfe_u64(D& d, unsigned long long a, unsigned int at, unsigned int length) {
    unsigned int n = length & 255;
    unsigned int p = at & 255;
    unsigned long long v = p < 64 ? a >> p : 0;
    d = (D)(n < 64 ? v & ((1ull << n) - 1) : v);
}
template <typename D>
__device__ inline void bfi_b32(D& d, unsigned int a, unsigned int b, unsigned int at, unsigned int length) {
    unsigned int n = length & 255;
    unsigned int p = at & 255;
    unsigned int mask = (n < 32 ? (1u << n) - 1 : 0xffffffffu);
    mask = p < 32 ? mask << p : 0;
    d = (D)((b & ~mask) | (p < 32 ? (a << p) & mask : 0));
}
template <typename D>
__device__ inline void lop3_b32(D& d, unsigned int a, unsigned int b, unsigned int c, unsigned int table) {
    unsigned int r = 0;
    if (table & 0x80) r |= a & b & c;
    if (table & 0x40) r |= a & b & ~c;
    if (table & 0x20) r |= a & ~b & c;
    if (table & 0x10) r |= a & ~b & ~c;
    if (table & 0x08) r |= ~a & b & c;
    if (table & 0x04) r |= ~a & b & ~c;
    if (table & 0x02) r |= ~a & ~b & c;
    if (table & 0x01) r |= ~a & ~b & ~c;
    d = (D)r;
}

// A conversion to the type `P` from another one, and from all that an integer may be.
#define CVT(P, T, from, F) OF(cvt_##P##_##from, F, (D)(T)a)
#define CVT_FROM_INTEGERS(P, T) \
    CVT(P, T, u8, unsigned char) \
    CVT(P, T, s8, signed char) \
    CVT(P, T, u16, unsigned short) \
    CVT(P, T, s16, short) \
    CVT(P, T, u32, unsigned int) \
    CVT(P, T, s32, int) \
    CVT(P, T, u64, unsigned long long) \
    CVT(P, T, s64, long long)
CVT_FROM_INTEGERS(u8, unsigned char)
CVT_FROM_INTEGERS(s8, signed char)
CVT_FROM_INTEGERS(u16, unsigned short)
CVT_FROM_INTEGERS(s16, short)
CVT_FROM_INTEGERS(u32, unsigned int)
CVT_FROM_INTEGERS(s32, int)
CVT_FROM_INTEGERS(u64, unsigned long long)
CVT_FROM_INTEGERS(s64, long long)
CVT_FROM_INTEGERS(f32, float)
CVT_FROM_INTEGERS(f64, double)
OF(cvt_f64_f32, float, a)
OF(cvt_f32_f64, double, (float)a)

// `to` is the integer's name in `__float2int_rn`; the last letters of that are the direction of rounding.
#define CVT_FROM_FLOAT(P, to) \
    OF(cvt_rz_##P##_f32, float, (D)__float2##to##_rz(a)) \
    OF(cvt_rni_##P##_f32, float, (D)__float2##to##_rn(a)) \
    OF(cvt_rzi_##P##_f32, float, (D)__float2##to##_rz(a)) \
    OF(cvt_rmi_##P##_f32, float, (D)__float2##to##_rd(a)) \
    OF(cvt_rpi_##P##_f32, float, (D)__float2##to##_ru(a))
CVT_FROM_FLOAT(u32, uint)
CVT_FROM_FLOAT(s32, int)
CVT_FROM_FLOAT(u64, ull)
CVT_FROM_FLOAT(s64, ll)

// Halves as words: a pair's first operand is its upper half.
#define CVT_HALF(P, H, T) \
    template <typename D> \
    __device__ inline void cvt_##P##_f32(D& d, float a) { d = (D)__##H##_as_ushort(__float2##T(a)); } \
    template <typename D> \
    __device__ inline void cvt_f32_##P(D& d, unsigned short a) { d = (D)__##T##2float(__ushort_as_##H(a)); } \
    template <typename D> \
    __device__ inline void cvt_##P##x2_f32(D& d, float a, float b) { \
        d = (D)((unsigned int)__##H##_as_ushort(__float2##T(a)) << 16 | __##H##_as_ushort(__float2##T(b))); \
    }
CVT_HALF(f16, half, half)
CVT_HALF(bf16, bfloat16, bfloat16)
template <typename D, typename A>
__device__ inline void cvta_to_shared_u64(D& d, A a) { d = (D)((unsigned long long)a & 0xffffffffull); }
template <typename D, typename A>
__device__ inline void cvta_to_shared_u32(D& d, A a) { d = (D)((unsigned long long)a & 0xffffffffull); }
template <typename D, typename A>
__device__ inline void cvta_to_global_u64(D& d, A a) { d = (D)(unsigned long long)a; }
template <typename D, typename A>
__device__ inline void cvta_global_u64(D& d, A a) { d = (D)(unsigned long long)a; }
template <typename D, typename A>
__device__ inline void cvta_shared_u64(D& d, A a) { d = (D)in_shared((unsigned long long)a); }

// An asynchronous copy is done at once here: who waits for it as one must sees no difference, and checks find who does not.
template <int Bytes>
__device__ inline void cp_async(unsigned long long d, unsigned long long s) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "`cp.async` copies 4, 8 or 16 bytes");
    if constexpr (Bytes == 16) {
        __copy_async(to<uint4>(in_shared(d)), *to<const uint4>(s));
    } else if constexpr (Bytes == 8) {
        __copy_async(to<uint2>(in_shared(d)), *to<const uint2>(s));
    } else {
        __copy_async(to<unsigned int>(in_shared(d)), *to<const unsigned int>(s));
    }
}
// Of what is not copied, the rest is zero.
template <int Bytes>
__device__ inline void cp_async(unsigned long long d, unsigned long long s, unsigned int copied) {
    if (copied >= Bytes) {
        cp_async<Bytes>(d, s);
    } else {
        unsigned int words[4] = {0, 0, 0, 0};
        if (copied >= 8) {
            uint2 two = *to<const uint2>(s);
            words[0] = two.x;
            words[1] = two.y;
        }
        if (copied % 8 != 0) {
            unsigned int word = to<const unsigned int>(s)[copied / 8 * 2];
            if (copied < 8) {
                words[0] = word;
            } else {
                words[2] = word;
            }
        }
        for (int at = 0; at < Bytes / 4; ++at) {
            __copy_async(to<unsigned int>(in_shared(d)) + at, words[at]);
        }
    }
}
__device__ inline void cp_async_commit_group() { __commit_copies(); }
__device__ inline void cp_async_wait_all() {
    __commit_copies();
    __await_copies(0);
}
__device__ inline void cp_async_wait_group(int n) { __await_copies(n); }
__device__ inline void prefetch_L1(unsigned long long a) {}
__device__ inline void prefetch(unsigned long long a) {}

__device__ inline void bar(int id) { __syncthreads(); }
// A barrier of the block by its number, for some of its threads: who only arrives does not wait.
__device__ inline unsigned int bar_arrive(unsigned int id, unsigned int threads) {
    return __barrier_arrive(id % 16 + 16 * threads);
}
__device__ inline void bar(unsigned int id, unsigned int threads) {
    unsigned int before = bar_arrive(id, threads);
    while (!__barrier_opened(id % 16 + 16 * before)) {
        __nanosleep(0);
    }
}
__device__ inline void barrier(int id) { __syncthreads(); }
__device__ inline void barrier(unsigned int id, unsigned int threads) { bar(id, threads); }
__device__ inline void barrier_cta(int id) { __syncthreads(); }
__device__ inline void barrier_cta(unsigned int id, unsigned int threads) { bar(id, threads); }
__device__ inline void barrier_arrive(unsigned int id, unsigned int threads) { bar_arrive(id, threads); }
__device__ inline void barrier_cta_arrive(unsigned int id, unsigned int threads) { bar_arrive(id, threads); }
// What all threads of the block say, who wait for each other: with the barrier of any number all of them meet.
#define BAR_RED(name) \
    template <typename D> __device__ inline void name##_or_pred(D& d, unsigned int, int p) { d = __syncthreads_or(p) != 0; } \
    template <typename D> __device__ inline void name##_and_pred(D& d, unsigned int, int p) { d = __syncthreads_and(p) != 0; } \
    template <typename D> __device__ inline void name##_popc_u32(D& d, unsigned int, int p) { d = __syncthreads_count(p); }
BAR_RED(bar_red)
BAR_RED(barrier_red)
BAR_RED(barrier_cta_red)
__device__ inline void bar_warp(unsigned int lanes) { __syncwarp(lanes); }
__device__ inline void membar_gl() { __threadfence(); }
__device__ inline void membar_cta() { __threadfence_block(); }
__device__ inline void membar_sys() { __threadfence_system(); }
__device__ inline void trap() { __trap(); }
__device__ inline void nanosleep_u32(unsigned int n) { __nanosleep(n); }
template <typename D>
__device__ inline void activemask_b32(D& d) { d = (D)__activemask(); }

__device__ inline __half low_half(unsigned int bits) { return __ushort_as_half((unsigned short)(bits & 0xffff)); }
__device__ inline __half high_half(unsigned int bits) { return __ushort_as_half((unsigned short)(bits >> 16)); }
__device__ inline __nv_bfloat16 low_bf16(unsigned int bits) { return __ushort_as_bfloat16((unsigned short)(bits & 0xffff)); }
__device__ inline __nv_bfloat16 high_bf16(unsigned int bits) { return __ushort_as_bfloat16((unsigned short)(bits >> 16)); }
__device__ inline unsigned int joined(__half low, __half high) {
    return __half_as_ushort(low) | (unsigned int)__half_as_ushort(high) << 16;
}

// Lane 8 * i + r holds where row r of the matrix i begins; each lane gets two neighbours of row lane / 4.
__device__ inline unsigned int rows_of(unsigned int a, int i) {
    unsigned int row = __shfl_sync(0xffffffffu, a, 8 * i + laneid() / 4);
    return *to<const unsigned int>(in_shared(row) + 4 * (laneid() % 4));
}
__device__ inline unsigned int columns_of(unsigned int a, int i) {
    unsigned int row = rows_of(a, i);
    __half2 turned = __movm(__halves2half2(low_half(row), high_half(row)));
    return joined(turned.x, turned.y);
}
template <typename D>
__device__ inline void movmatrix_m8n8_trans_b16(D& d, unsigned int a) {
    __half2 turned = __movm(__halves2half2(low_half(a), high_half(a)));
    d = (D)joined(turned.x, turned.y);
}
// One, two or four matrices, as `lanes` of them says.
#define LDMATRIX(name, lanes) \
    template <typename D0> \
    __device__ inline void name##_x1(D0& d0, unsigned long long a) { \
        unsigned int at = (unsigned int)a; \
        d0 = (D0)lanes(at, 0); \
    } \
    template <typename D0, typename D1> \
    __device__ inline void name##_x2(D0& d0, D1& d1, unsigned long long a) { \
        unsigned int at = (unsigned int)a; \
        d0 = (D0)lanes(at, 0); d1 = (D1)lanes(at, 1); \
    } \
    template <typename D0, typename D1, typename D2, typename D3> \
    __device__ inline void name##_x4(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) { \
        unsigned int at = (unsigned int)a; \
        d0 = (D0)lanes(at, 0); d1 = (D1)lanes(at, 1); d2 = (D2)lanes(at, 2); d3 = (D3)lanes(at, 3); \
    }
LDMATRIX(ldmatrix_b16, rows_of)
LDMATRIX(ldmatrix_b16_trans, columns_of)

template <typename T>
struct pair_of {
    T low, high;
};
// A word holds two numbers, which `low` and `high` take out of it.
#define MMA_PAIRS(P, low, high) \
    template <typename D0, typename D1, typename D2, typename D3> \
    __device__ inline void mma_m16n8k16_f32_##P##_##P##_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, \
                                                            unsigned int a1, unsigned int a2, unsigned int a3, \
                                                            unsigned int b0, unsigned int b1, float c0, float c1, \
                                                            float c2, float c3) { \
        float4 d = __mma_m16n8k16(low(a0), high(a0), low(a1), high(a1), low(a2), high(a2), low(a3), high(a3), \
                                  low(b0), high(b0), low(b1), high(b1), c0, c1, c2, c3); \
        d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w; \
    } \
    /* The first 8 of 16 products, which lie as those do. */ \
    template <typename D0, typename D1, typename D2, typename D3> \
    __device__ inline void mma_m16n8k8_f32_##P##_##P##_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, \
                                                           unsigned int a1, unsigned int b0, float c0, float c1, \
                                                           float c2, float c3) { \
        mma_m16n8k16_f32_##P##_##P##_f32(d0, d1, d2, d3, a0, a1, 0, 0, b0, 0, c0, c1, c2, c3); \
    }
MMA_PAIRS(f16, low_half, high_half)
MMA_PAIRS(bf16, low_bf16, high_bf16)
// A and B as floats, of whose fractions tensor cores take 10 bits.
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void mma_m16n8k8_f32_tf32_tf32_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, unsigned int a1,
                                                     unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1,
                                                     float c0, float c1, float c2, float c3) {
    float4 d = __mma_m16n8k8(__uint_as_float(a0), __uint_as_float(a1), __uint_as_float(a2), __uint_as_float(a3), __uint_as_float(b0), __uint_as_float(b1), c0, c1, c2, c3);
    d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w;
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void mma_m16n8k4_f32_tf32_tf32_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, unsigned int a1,
                                                     unsigned int b0, float c0, float c1, float c2, float c3) {
    float4 d = __mma_m16n8k4(__uint_as_float(a0), 0.0f, __uint_as_float(a1), 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, __uint_as_float(b0), 0.0f, 0.0f, 0.0f, c0, c1, c2, c3);
    d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w;
}
template <typename D, typename A>
__device__ inline void cvt_rna_tf32_f32(D& d, A a) {
    float value = a;
    d = (D)((__float_as_uint(value) + 0x1000) & 0xffffe000);
}
template <typename D0, typename D1>
__device__ inline void mma_m16n8k16_f16_f16_f16_f16(D0& d0, D1& d1, unsigned int a0, unsigned int a1, unsigned int a2,
                                                    unsigned int a3, unsigned int b0, unsigned int b1, unsigned int c0,
                                                    unsigned int c1) {
    auto d = __mma_m16n8k16(low_half(a0), high_half(a0), low_half(a1), high_half(a1), low_half(a2), high_half(a2), low_half(a3), high_half(a3), low_half(b0), high_half(b0), low_half(b1), high_half(b1), low_half(c0), high_half(c0), low_half(c1), high_half(c1));
    d0 = joined(d.x, d.y);
    d1 = joined(d.z, d.w);
}
template <typename D0, typename D1>
__device__ inline void mma_m16n8k8_f16_f16_f16_f16(D0& d0, D1& d1, unsigned int a0, unsigned int a1, unsigned int b0,
                                                   unsigned int c0, unsigned int c1) {
    mma_m16n8k16_f16_f16_f16_f16(d0, d1, a0, a1, 0, 0, b0, 0, c0, c1);
}
// A word holds four bytes; `T` says whether they have signs.
#define MMA_BYTES(P, T) \
    template <typename D0, typename D1, typename D2, typename D3> \
    __device__ inline void mma_m16n8k16_s32_##P##_##P##_s32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, \
                                                            unsigned int a1, unsigned int b0, int c0, int c1, int c2, \
                                                            int c3) { \
        int4 d = __mma_m16n8k16_bytes((T)a0, (T)a1, (T)b0, c0, c1, c2, c3); \
        d0 = (D0)d.x; d1 = (D1)d.y; d2 = (D2)d.z; d3 = (D3)d.w; \
    } \
    /* The upper 8 of 16 rows. */ \
    template <typename D0, typename D1> \
    __device__ inline void mma_m8n8k16_s32_##P##_##P##_s32(D0& d0, D1& d1, unsigned int a0, unsigned int b0, int c0, \
                                                           int c1) { \
        int4 d = __mma_m16n8k16_bytes((T)a0, (T)0, (T)b0, c0, c1, 0, 0); \
        d0 = (D0)d.x; d1 = (D1)d.y; \
    } \
    template <typename D0, typename D1, typename D2, typename D3> \
    __device__ inline void mma_m16n8k32_s32_##P##_##P##_s32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, \
                                                            unsigned int a1, unsigned int a2, unsigned int a3, \
                                                            unsigned int b0, unsigned int b1, int c0, int c1, int c2, \
                                                            int c3) { \
        int4 d = __mma_m16n8k32_bytes((T)a0, (T)a1, (T)a2, (T)a3, (T)b0, (T)b1, c0, c1, c2, c3); \
        d0 = (D0)d.x; d1 = (D1)d.y; d2 = (D2)d.z; d3 = (D3)d.w; \
    }
MMA_BYTES(s8, int)
MMA_BYTES(u8, unsigned int)
template <typename D0, typename D1>
__device__ inline void mma_m8n8k4_f64_f64_f64_f64(D0& d0, D1& d1, double a0, double b0, double c0, double c1) {
    double2 d = __mma_m8n8k4_doubles(a0, b0, c0, c1);
    d0 = d.x; d1 = d.y;
}

}  // namespace __ptx
