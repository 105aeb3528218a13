// What the instructions of PTX do that inline PTX may name, in the CUDA C++ that this program reads. An instruction
// `add.s32` is the function `add_s32`; what it writes comes first. Addresses of shared memory have 32 bits.
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
__device__ inline unsigned int lanemask_eq() { return 1u << laneid(); }
__device__ inline unsigned int lanemask_lt() { return (1u << laneid()) - 1; }
__device__ inline unsigned int lanemask_le() { return lanemask_lt() | lanemask_eq(); }
__device__ inline unsigned int lanemask_gt() { return ~lanemask_le(); }
__device__ inline unsigned int lanemask_ge() { return ~lanemask_lt(); }

template <typename D>
__device__ inline void ld_u8(D& d, unsigned long long a) { d = (D)*to<const unsigned char>(a); }
__device__ inline void st_u8(unsigned long long a, unsigned char v) { *to<unsigned char>(a) = v; }
template <typename D>
__device__ inline void ld_shared_u8(D& d, unsigned long long a) { d = (D)*to<const unsigned char>(in_shared(a)); }
__device__ inline void st_shared_u8(unsigned long long a, unsigned char v) { *to<unsigned char>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_s8(D& d, unsigned long long a) { d = (D)*to<const signed char>(a); }
__device__ inline void st_s8(unsigned long long a, signed char v) { *to<signed char>(a) = v; }
template <typename D>
__device__ inline void ld_shared_s8(D& d, unsigned long long a) { d = (D)*to<const signed char>(in_shared(a)); }
__device__ inline void st_shared_s8(unsigned long long a, signed char v) { *to<signed char>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_b8(D& d, unsigned long long a) { d = (D)*to<const unsigned char>(a); }
__device__ inline void st_b8(unsigned long long a, unsigned char v) { *to<unsigned char>(a) = v; }
template <typename D>
__device__ inline void ld_shared_b8(D& d, unsigned long long a) { d = (D)*to<const unsigned char>(in_shared(a)); }
__device__ inline void st_shared_b8(unsigned long long a, unsigned char v) { *to<unsigned char>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_u16(D& d, unsigned long long a) { d = (D)*to<const unsigned short>(a); }
__device__ inline void st_u16(unsigned long long a, unsigned short v) { *to<unsigned short>(a) = v; }
template <typename D>
__device__ inline void ld_shared_u16(D& d, unsigned long long a) { d = (D)*to<const unsigned short>(in_shared(a)); }
__device__ inline void st_shared_u16(unsigned long long a, unsigned short v) { *to<unsigned short>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_s16(D& d, unsigned long long a) { d = (D)*to<const short>(a); }
__device__ inline void st_s16(unsigned long long a, short v) { *to<short>(a) = v; }
template <typename D>
__device__ inline void ld_shared_s16(D& d, unsigned long long a) { d = (D)*to<const short>(in_shared(a)); }
__device__ inline void st_shared_s16(unsigned long long a, short v) { *to<short>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_b16(D& d, unsigned long long a) { d = (D)*to<const unsigned short>(a); }
__device__ inline void st_b16(unsigned long long a, unsigned short v) { *to<unsigned short>(a) = v; }
template <typename D>
__device__ inline void ld_shared_b16(D& d, unsigned long long a) { d = (D)*to<const unsigned short>(in_shared(a)); }
__device__ inline void st_shared_b16(unsigned long long a, unsigned short v) { *to<unsigned short>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_u32(D& d, unsigned long long a) { d = (D)*to<const unsigned int>(a); }
__device__ inline void st_u32(unsigned long long a, unsigned int v) { *to<unsigned int>(a) = v; }
template <typename D>
__device__ inline void ld_shared_u32(D& d, unsigned long long a) { d = (D)*to<const unsigned int>(in_shared(a)); }
__device__ inline void st_shared_u32(unsigned long long a, unsigned int v) { *to<unsigned int>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_s32(D& d, unsigned long long a) { d = (D)*to<const int>(a); }
__device__ inline void st_s32(unsigned long long a, int v) { *to<int>(a) = v; }
template <typename D>
__device__ inline void ld_shared_s32(D& d, unsigned long long a) { d = (D)*to<const int>(in_shared(a)); }
__device__ inline void st_shared_s32(unsigned long long a, int v) { *to<int>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_b32(D& d, unsigned long long a) { d = (D)*to<const unsigned int>(a); }
__device__ inline void st_b32(unsigned long long a, unsigned int v) { *to<unsigned int>(a) = v; }
template <typename D>
__device__ inline void ld_shared_b32(D& d, unsigned long long a) { d = (D)*to<const unsigned int>(in_shared(a)); }
__device__ inline void st_shared_b32(unsigned long long a, unsigned int v) { *to<unsigned int>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_u64(D& d, unsigned long long a) { d = (D)*to<const unsigned long long>(a); }
__device__ inline void st_u64(unsigned long long a, unsigned long long v) { *to<unsigned long long>(a) = v; }
template <typename D>
__device__ inline void ld_shared_u64(D& d, unsigned long long a) { d = (D)*to<const unsigned long long>(in_shared(a)); }
__device__ inline void st_shared_u64(unsigned long long a, unsigned long long v) { *to<unsigned long long>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_s64(D& d, unsigned long long a) { d = (D)*to<const long long>(a); }
__device__ inline void st_s64(unsigned long long a, long long v) { *to<long long>(a) = v; }
template <typename D>
__device__ inline void ld_shared_s64(D& d, unsigned long long a) { d = (D)*to<const long long>(in_shared(a)); }
__device__ inline void st_shared_s64(unsigned long long a, long long v) { *to<long long>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_b64(D& d, unsigned long long a) { d = (D)*to<const unsigned long long>(a); }
__device__ inline void st_b64(unsigned long long a, unsigned long long v) { *to<unsigned long long>(a) = v; }
template <typename D>
__device__ inline void ld_shared_b64(D& d, unsigned long long a) { d = (D)*to<const unsigned long long>(in_shared(a)); }
__device__ inline void st_shared_b64(unsigned long long a, unsigned long long v) { *to<unsigned long long>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_f32(D& d, unsigned long long a) { d = (D)*to<const float>(a); }
__device__ inline void st_f32(unsigned long long a, float v) { *to<float>(a) = v; }
template <typename D>
__device__ inline void ld_shared_f32(D& d, unsigned long long a) { d = (D)*to<const float>(in_shared(a)); }
__device__ inline void st_shared_f32(unsigned long long a, float v) { *to<float>(in_shared(a)) = v; }
template <typename D>
__device__ inline void ld_f64(D& d, unsigned long long a) { d = (D)*to<const double>(a); }
__device__ inline void st_f64(unsigned long long a, double v) { *to<double>(a) = v; }
template <typename D>
__device__ inline void ld_shared_f64(D& d, unsigned long long a) { d = (D)*to<const double>(in_shared(a)); }
__device__ inline void st_shared_f64(unsigned long long a, double v) { *to<double>(in_shared(a)) = v; }
template <typename D0, typename D1>
__device__ inline void ld_v2_b32(D0& d0, D1& d1, unsigned long long a) {
    uint2 v = *to<const uint2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_b32(unsigned long long a, unsigned int v0, unsigned int v1) {
    *to<uint2>(a) = make_uint2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_b32(D0& d0, D1& d1, unsigned long long a) {
    uint2 v = *to<const uint2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_b32(unsigned long long a, unsigned int v0, unsigned int v1) {
    *to<uint2>(in_shared(a)) = make_uint2(v0, v1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_v4_b32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    uint4 v = *to<const uint4>(a);
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_v4_b32(unsigned long long a, unsigned int v0, unsigned int v1, unsigned int v2, unsigned int v3) {
    *to<uint4>(a) = make_uint4(v0, v1, v2, v3);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_shared_v4_b32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    uint4 v = *to<const uint4>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_shared_v4_b32(unsigned long long a, unsigned int v0, unsigned int v1, unsigned int v2, unsigned int v3) {
    *to<uint4>(in_shared(a)) = make_uint4(v0, v1, v2, v3);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_u32(D0& d0, D1& d1, unsigned long long a) {
    uint2 v = *to<const uint2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_u32(unsigned long long a, unsigned int v0, unsigned int v1) {
    *to<uint2>(a) = make_uint2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_u32(D0& d0, D1& d1, unsigned long long a) {
    uint2 v = *to<const uint2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_u32(unsigned long long a, unsigned int v0, unsigned int v1) {
    *to<uint2>(in_shared(a)) = make_uint2(v0, v1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_v4_u32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    uint4 v = *to<const uint4>(a);
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_v4_u32(unsigned long long a, unsigned int v0, unsigned int v1, unsigned int v2, unsigned int v3) {
    *to<uint4>(a) = make_uint4(v0, v1, v2, v3);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_shared_v4_u32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    uint4 v = *to<const uint4>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_shared_v4_u32(unsigned long long a, unsigned int v0, unsigned int v1, unsigned int v2, unsigned int v3) {
    *to<uint4>(in_shared(a)) = make_uint4(v0, v1, v2, v3);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_s32(D0& d0, D1& d1, unsigned long long a) {
    int2 v = *to<const int2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_s32(unsigned long long a, int v0, int v1) {
    *to<int2>(a) = make_int2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_s32(D0& d0, D1& d1, unsigned long long a) {
    int2 v = *to<const int2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_s32(unsigned long long a, int v0, int v1) {
    *to<int2>(in_shared(a)) = make_int2(v0, v1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_v4_s32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    int4 v = *to<const int4>(a);
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_v4_s32(unsigned long long a, int v0, int v1, int v2, int v3) {
    *to<int4>(a) = make_int4(v0, v1, v2, v3);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_shared_v4_s32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    int4 v = *to<const int4>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_shared_v4_s32(unsigned long long a, int v0, int v1, int v2, int v3) {
    *to<int4>(in_shared(a)) = make_int4(v0, v1, v2, v3);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_f32(D0& d0, D1& d1, unsigned long long a) {
    float2 v = *to<const float2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_f32(unsigned long long a, float v0, float v1) {
    *to<float2>(a) = make_float2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_f32(D0& d0, D1& d1, unsigned long long a) {
    float2 v = *to<const float2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_f32(unsigned long long a, float v0, float v1) {
    *to<float2>(in_shared(a)) = make_float2(v0, v1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_v4_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    float4 v = *to<const float4>(a);
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_v4_f32(unsigned long long a, float v0, float v1, float v2, float v3) {
    *to<float4>(a) = make_float4(v0, v1, v2, v3);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_shared_v4_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    float4 v = *to<const float4>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_shared_v4_f32(unsigned long long a, float v0, float v1, float v2, float v3) {
    *to<float4>(in_shared(a)) = make_float4(v0, v1, v2, v3);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_u64(D0& d0, D1& d1, unsigned long long a) {
    ulonglong2 v = *to<const ulonglong2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_u64(unsigned long long a, unsigned long long v0, unsigned long long v1) {
    *to<ulonglong2>(a) = make_ulonglong2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_u64(D0& d0, D1& d1, unsigned long long a) {
    ulonglong2 v = *to<const ulonglong2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_u64(unsigned long long a, unsigned long long v0, unsigned long long v1) {
    *to<ulonglong2>(in_shared(a)) = make_ulonglong2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_b64(D0& d0, D1& d1, unsigned long long a) {
    ulonglong2 v = *to<const ulonglong2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_b64(unsigned long long a, unsigned long long v0, unsigned long long v1) {
    *to<ulonglong2>(a) = make_ulonglong2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_b64(D0& d0, D1& d1, unsigned long long a) {
    ulonglong2 v = *to<const ulonglong2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_b64(unsigned long long a, unsigned long long v0, unsigned long long v1) {
    *to<ulonglong2>(in_shared(a)) = make_ulonglong2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_s64(D0& d0, D1& d1, unsigned long long a) {
    longlong2 v = *to<const longlong2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_s64(unsigned long long a, long long v0, long long v1) {
    *to<longlong2>(a) = make_longlong2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_s64(D0& d0, D1& d1, unsigned long long a) {
    longlong2 v = *to<const longlong2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_s64(unsigned long long a, long long v0, long long v1) {
    *to<longlong2>(in_shared(a)) = make_longlong2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_f64(D0& d0, D1& d1, unsigned long long a) {
    double2 v = *to<const double2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_f64(unsigned long long a, double v0, double v1) {
    *to<double2>(a) = make_double2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_f64(D0& d0, D1& d1, unsigned long long a) {
    double2 v = *to<const double2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_f64(unsigned long long a, double v0, double v1) {
    *to<double2>(in_shared(a)) = make_double2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_b16(D0& d0, D1& d1, unsigned long long a) {
    ushort2 v = *to<const ushort2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_b16(unsigned long long a, unsigned short v0, unsigned short v1) {
    *to<ushort2>(a) = make_ushort2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_b16(D0& d0, D1& d1, unsigned long long a) {
    ushort2 v = *to<const ushort2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_b16(unsigned long long a, unsigned short v0, unsigned short v1) {
    *to<ushort2>(in_shared(a)) = make_ushort2(v0, v1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_v4_b16(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    ushort4 v = *to<const ushort4>(a);
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_v4_b16(unsigned long long a, unsigned short v0, unsigned short v1, unsigned short v2, unsigned short v3) {
    *to<ushort4>(a) = make_ushort4(v0, v1, v2, v3);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_shared_v4_b16(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    ushort4 v = *to<const ushort4>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_shared_v4_b16(unsigned long long a, unsigned short v0, unsigned short v1, unsigned short v2, unsigned short v3) {
    *to<ushort4>(in_shared(a)) = make_ushort4(v0, v1, v2, v3);
}
template <typename D0, typename D1>
__device__ inline void ld_v2_u16(D0& d0, D1& d1, unsigned long long a) {
    ushort2 v = *to<const ushort2>(a);
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_v2_u16(unsigned long long a, unsigned short v0, unsigned short v1) {
    *to<ushort2>(a) = make_ushort2(v0, v1);
}
template <typename D0, typename D1>
__device__ inline void ld_shared_v2_u16(D0& d0, D1& d1, unsigned long long a) {
    ushort2 v = *to<const ushort2>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y;
}
__device__ inline void st_shared_v2_u16(unsigned long long a, unsigned short v0, unsigned short v1) {
    *to<ushort2>(in_shared(a)) = make_ushort2(v0, v1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_v4_u16(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    ushort4 v = *to<const ushort4>(a);
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_v4_u16(unsigned long long a, unsigned short v0, unsigned short v1, unsigned short v2, unsigned short v3) {
    *to<ushort4>(a) = make_ushort4(v0, v1, v2, v3);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ld_shared_v4_u16(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    ushort4 v = *to<const ushort4>(in_shared(a));
    d0 = (D0)v.x; d1 = (D1)v.y; d2 = (D2)v.z; d3 = (D3)v.w;
}
__device__ inline void st_shared_v4_u16(unsigned long long a, unsigned short v0, unsigned short v1, unsigned short v2, unsigned short v3) {
    *to<ushort4>(in_shared(a)) = make_ushort4(v0, v1, v2, v3);
}
template <typename D>
__device__ inline void mov_u16(D& d, unsigned short v) { d = (D)v; }
template <typename D>
__device__ inline void mov_s16(D& d, short v) { d = (D)v; }
template <typename D>
__device__ inline void mov_b16(D& d, unsigned short v) { d = (D)v; }
template <typename D>
__device__ inline void mov_u32(D& d, unsigned int v) { d = (D)v; }
template <typename D>
__device__ inline void mov_s32(D& d, int v) { d = (D)v; }
template <typename D>
__device__ inline void mov_b32(D& d, unsigned int v) { d = (D)v; }
template <typename D>
__device__ inline void mov_u64(D& d, unsigned long long v) { d = (D)v; }
template <typename D>
__device__ inline void mov_s64(D& d, long long v) { d = (D)v; }
template <typename D>
__device__ inline void mov_b64(D& d, unsigned long long v) { d = (D)v; }
template <typename D>
__device__ inline void mov_f32(D& d, float v) { d = (D)v; }
template <typename D>
__device__ inline void mov_f64(D& d, double v) { d = (D)v; }
template <typename D>
__device__ inline void mov_pred(D& d, bool v) { d = v; }
template <typename D>
__device__ inline void mov_b32_join(D& d, unsigned short a, unsigned short b) { d = (D)(a | (unsigned int)b << 16); }
template <typename A, typename B>
__device__ inline void mov_b32_split(A& a, B& b, unsigned int v) { a = (A)(v & 0xffff); b = (B)(v >> 16); }
template <typename D>
__device__ inline void mov_b64_join(D& d, unsigned int a, unsigned int b) { d = (D)(a | (unsigned long long)b << 32); }
template <typename A, typename B>
__device__ inline void mov_b64_split(A& a, B& b, unsigned long long v) { a = (A)(unsigned int)v; b = (B)(unsigned int)(v >> 32); }
template <typename D>
__device__ inline void add_u16(D& d, unsigned short a, unsigned short b) { d = (D)(unsigned short)(a + b); }
template <typename D>
__device__ inline void sub_u16(D& d, unsigned short a, unsigned short b) { d = (D)(unsigned short)(a - b); }
template <typename D>
__device__ inline void neg_u16(D& d, unsigned short a) { d = (D)(unsigned short)-a; }
template <typename D>
__device__ inline void min_u16(D& d, unsigned short a, unsigned short b) { d = (D)(a < b ? a : b); }
template <typename D>
__device__ inline void max_u16(D& d, unsigned short a, unsigned short b) { d = (D)(a < b ? b : a); }
template <typename D>
__device__ inline void mul_lo_u16(D& d, unsigned short a, unsigned short b) { d = (D)(unsigned short)(a * b); }
template <typename D>
__device__ inline void mad_lo_u16(D& d, unsigned short a, unsigned short b, unsigned short c) { d = (D)(unsigned short)(a * b + c); }
template <typename D>
__device__ inline void div_u16(D& d, unsigned short a, unsigned short b) { d = (D)(a / b); }
template <typename D>
__device__ inline void rem_u16(D& d, unsigned short a, unsigned short b) { d = (D)(a % b); }
template <typename D>
__device__ inline void shr_u16(D& d, unsigned short a, unsigned int b) { d = (D)(b < 16 ? a >> b : 0); }
template <typename D>
__device__ inline void setp_eq_u16(D& d, unsigned short a, unsigned short b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_u16(D& d, unsigned short a, unsigned short b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_u16(D& d, unsigned short a, unsigned short b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_u16(D& d, unsigned short a, unsigned short b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_u16(D& d, unsigned short a, unsigned short b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_u16(D& d, unsigned short a, unsigned short b) { d = a >= b; }
template <typename D>
__device__ inline void selp_u16(D& d, unsigned short a, unsigned short b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void add_s16(D& d, short a, short b) { d = (D)(short)(a + b); }
template <typename D>
__device__ inline void sub_s16(D& d, short a, short b) { d = (D)(short)(a - b); }
template <typename D>
__device__ inline void neg_s16(D& d, short a) { d = (D)(short)-a; }
template <typename D>
__device__ inline void min_s16(D& d, short a, short b) { d = (D)(a < b ? a : b); }
template <typename D>
__device__ inline void max_s16(D& d, short a, short b) { d = (D)(a < b ? b : a); }
template <typename D>
__device__ inline void mul_lo_s16(D& d, short a, short b) { d = (D)(short)(a * b); }
template <typename D>
__device__ inline void mad_lo_s16(D& d, short a, short b, short c) { d = (D)(short)(a * b + c); }
template <typename D>
__device__ inline void div_s16(D& d, short a, short b) { d = (D)(a / b); }
template <typename D>
__device__ inline void rem_s16(D& d, short a, short b) { d = (D)(a % b); }
template <typename D>
__device__ inline void shr_s16(D& d, short a, unsigned int b) { d = (D)(b < 16 ? a >> b : a >> 15); }
template <typename D>
__device__ inline void setp_eq_s16(D& d, short a, short b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_s16(D& d, short a, short b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_s16(D& d, short a, short b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_s16(D& d, short a, short b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_s16(D& d, short a, short b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_s16(D& d, short a, short b) { d = a >= b; }
template <typename D>
__device__ inline void selp_s16(D& d, short a, short b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void add_u32(D& d, unsigned int a, unsigned int b) { d = (D)(unsigned int)(a + b); }
template <typename D>
__device__ inline void sub_u32(D& d, unsigned int a, unsigned int b) { d = (D)(unsigned int)(a - b); }
template <typename D>
__device__ inline void neg_u32(D& d, unsigned int a) { d = (D)(unsigned int)-a; }
template <typename D>
__device__ inline void min_u32(D& d, unsigned int a, unsigned int b) { d = (D)(a < b ? a : b); }
template <typename D>
__device__ inline void max_u32(D& d, unsigned int a, unsigned int b) { d = (D)(a < b ? b : a); }
template <typename D>
__device__ inline void mul_lo_u32(D& d, unsigned int a, unsigned int b) { d = (D)(unsigned int)(a * b); }
template <typename D>
__device__ inline void mad_lo_u32(D& d, unsigned int a, unsigned int b, unsigned int c) { d = (D)(unsigned int)(a * b + c); }
template <typename D>
__device__ inline void div_u32(D& d, unsigned int a, unsigned int b) { d = (D)(a / b); }
template <typename D>
__device__ inline void rem_u32(D& d, unsigned int a, unsigned int b) { d = (D)(a % b); }
template <typename D>
__device__ inline void shr_u32(D& d, unsigned int a, unsigned int b) { d = (D)(b < 32 ? a >> b : 0); }
template <typename D>
__device__ inline void setp_eq_u32(D& d, unsigned int a, unsigned int b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_u32(D& d, unsigned int a, unsigned int b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_u32(D& d, unsigned int a, unsigned int b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_u32(D& d, unsigned int a, unsigned int b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_u32(D& d, unsigned int a, unsigned int b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_u32(D& d, unsigned int a, unsigned int b) { d = a >= b; }
template <typename D>
__device__ inline void selp_u32(D& d, unsigned int a, unsigned int b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void add_s32(D& d, int a, int b) { d = (D)(int)(a + b); }
template <typename D>
__device__ inline void sub_s32(D& d, int a, int b) { d = (D)(int)(a - b); }
template <typename D>
__device__ inline void neg_s32(D& d, int a) { d = (D)(int)-a; }
template <typename D>
__device__ inline void min_s32(D& d, int a, int b) { d = (D)(a < b ? a : b); }
template <typename D>
__device__ inline void max_s32(D& d, int a, int b) { d = (D)(a < b ? b : a); }
template <typename D>
__device__ inline void mul_lo_s32(D& d, int a, int b) { d = (D)(int)(a * b); }
template <typename D>
__device__ inline void mad_lo_s32(D& d, int a, int b, int c) { d = (D)(int)(a * b + c); }
template <typename D>
__device__ inline void div_s32(D& d, int a, int b) { d = (D)(a / b); }
template <typename D>
__device__ inline void rem_s32(D& d, int a, int b) { d = (D)(a % b); }
template <typename D>
__device__ inline void shr_s32(D& d, int a, unsigned int b) { d = (D)(b < 32 ? a >> b : a >> 31); }
template <typename D>
__device__ inline void setp_eq_s32(D& d, int a, int b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_s32(D& d, int a, int b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_s32(D& d, int a, int b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_s32(D& d, int a, int b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_s32(D& d, int a, int b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_s32(D& d, int a, int b) { d = a >= b; }
template <typename D>
__device__ inline void selp_s32(D& d, int a, int b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void add_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)(unsigned long long)(a + b); }
template <typename D>
__device__ inline void sub_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)(unsigned long long)(a - b); }
template <typename D>
__device__ inline void neg_u64(D& d, unsigned long long a) { d = (D)(unsigned long long)-a; }
template <typename D>
__device__ inline void min_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)(a < b ? a : b); }
template <typename D>
__device__ inline void max_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)(a < b ? b : a); }
template <typename D>
__device__ inline void mul_lo_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)(unsigned long long)(a * b); }
template <typename D>
__device__ inline void mad_lo_u64(D& d, unsigned long long a, unsigned long long b, unsigned long long c) { d = (D)(unsigned long long)(a * b + c); }
template <typename D>
__device__ inline void div_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)(a / b); }
template <typename D>
__device__ inline void rem_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)(a % b); }
template <typename D>
__device__ inline void shr_u64(D& d, unsigned long long a, unsigned int b) { d = (D)(b < 64 ? a >> b : 0); }
template <typename D>
__device__ inline void setp_eq_u64(D& d, unsigned long long a, unsigned long long b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_u64(D& d, unsigned long long a, unsigned long long b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_u64(D& d, unsigned long long a, unsigned long long b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_u64(D& d, unsigned long long a, unsigned long long b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_u64(D& d, unsigned long long a, unsigned long long b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_u64(D& d, unsigned long long a, unsigned long long b) { d = a >= b; }
template <typename D>
__device__ inline void selp_u64(D& d, unsigned long long a, unsigned long long b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void add_s64(D& d, long long a, long long b) { d = (D)(long long)(a + b); }
template <typename D>
__device__ inline void sub_s64(D& d, long long a, long long b) { d = (D)(long long)(a - b); }
template <typename D>
__device__ inline void neg_s64(D& d, long long a) { d = (D)(long long)-a; }
template <typename D>
__device__ inline void min_s64(D& d, long long a, long long b) { d = (D)(a < b ? a : b); }
template <typename D>
__device__ inline void max_s64(D& d, long long a, long long b) { d = (D)(a < b ? b : a); }
template <typename D>
__device__ inline void mul_lo_s64(D& d, long long a, long long b) { d = (D)(long long)(a * b); }
template <typename D>
__device__ inline void mad_lo_s64(D& d, long long a, long long b, long long c) { d = (D)(long long)(a * b + c); }
template <typename D>
__device__ inline void div_s64(D& d, long long a, long long b) { d = (D)(a / b); }
template <typename D>
__device__ inline void rem_s64(D& d, long long a, long long b) { d = (D)(a % b); }
template <typename D>
__device__ inline void shr_s64(D& d, long long a, unsigned int b) { d = (D)(b < 64 ? a >> b : a >> 63); }
template <typename D>
__device__ inline void setp_eq_s64(D& d, long long a, long long b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_s64(D& d, long long a, long long b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_s64(D& d, long long a, long long b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_s64(D& d, long long a, long long b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_s64(D& d, long long a, long long b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_s64(D& d, long long a, long long b) { d = a >= b; }
template <typename D>
__device__ inline void selp_s64(D& d, long long a, long long b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void add_f32(D& d, float a, float b) { d = (D)(float)(a + b); }
template <typename D>
__device__ inline void sub_f32(D& d, float a, float b) { d = (D)(float)(a - b); }
template <typename D>
__device__ inline void neg_f32(D& d, float a) { d = (D)(float)-a; }
template <typename D>
__device__ inline void min_f32(D& d, float a, float b) { d = fminf(a, b); }
template <typename D>
__device__ inline void max_f32(D& d, float a, float b) { d = fmaxf(a, b); }
template <typename D>
__device__ inline void mul_f32(D& d, float a, float b) { d = a * b; }
template <typename D>
__device__ inline void fma_f32(D& d, float a, float b, float c) { d = fmaf(a, b, c); }
template <typename D>
__device__ inline void mad_f32(D& d, float a, float b, float c) { d = fmaf(a, b, c); }
template <typename D>
__device__ inline void div_f32(D& d, float a, float b) { d = a / b; }
template <typename D>
__device__ inline void abs_f32(D& d, float a) { d = fabsf(a); }
template <typename D>
__device__ inline void sqrt_f32(D& d, float a) { d = sqrtf(a); }
template <typename D>
__device__ inline void rsqrt_f32(D& d, float a) { d = rsqrtf(a); }
template <typename D>
__device__ inline void rcp_f32(D& d, float a) { d = 1 / a; }
template <typename D>
__device__ inline void setp_eq_f32(D& d, float a, float b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_f32(D& d, float a, float b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_f32(D& d, float a, float b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_f32(D& d, float a, float b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_f32(D& d, float a, float b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_f32(D& d, float a, float b) { d = a >= b; }
template <typename D>
__device__ inline void selp_f32(D& d, float a, float b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void add_f64(D& d, double a, double b) { d = (D)(double)(a + b); }
template <typename D>
__device__ inline void sub_f64(D& d, double a, double b) { d = (D)(double)(a - b); }
template <typename D>
__device__ inline void neg_f64(D& d, double a) { d = (D)(double)-a; }
template <typename D>
__device__ inline void min_f64(D& d, double a, double b) { d = fmin(a, b); }
template <typename D>
__device__ inline void max_f64(D& d, double a, double b) { d = fmax(a, b); }
template <typename D>
__device__ inline void mul_f64(D& d, double a, double b) { d = a * b; }
template <typename D>
__device__ inline void fma_f64(D& d, double a, double b, double c) { d = fma(a, b, c); }
template <typename D>
__device__ inline void mad_f64(D& d, double a, double b, double c) { d = fma(a, b, c); }
template <typename D>
__device__ inline void div_f64(D& d, double a, double b) { d = a / b; }
template <typename D>
__device__ inline void abs_f64(D& d, double a) { d = fabs(a); }
template <typename D>
__device__ inline void sqrt_f64(D& d, double a) { d = sqrt(a); }
template <typename D>
__device__ inline void rsqrt_f64(D& d, double a) { d = rsqrt(a); }
template <typename D>
__device__ inline void rcp_f64(D& d, double a) { d = 1 / a; }
template <typename D>
__device__ inline void setp_eq_f64(D& d, double a, double b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_f64(D& d, double a, double b) { d = a != b; }
template <typename D>
__device__ inline void setp_lt_f64(D& d, double a, double b) { d = a < b; }
template <typename D>
__device__ inline void setp_le_f64(D& d, double a, double b) { d = a <= b; }
template <typename D>
__device__ inline void setp_gt_f64(D& d, double a, double b) { d = a > b; }
template <typename D>
__device__ inline void setp_ge_f64(D& d, double a, double b) { d = a >= b; }
template <typename D>
__device__ inline void selp_f64(D& d, double a, double b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void and_b16(D& d, unsigned short a, unsigned short b) { d = (D)(a & b); }
template <typename D>
__device__ inline void or_b16(D& d, unsigned short a, unsigned short b) { d = (D)(a | b); }
template <typename D>
__device__ inline void xor_b16(D& d, unsigned short a, unsigned short b) { d = (D)(a ^ b); }
template <typename D>
__device__ inline void not_b16(D& d, unsigned short a) { d = (D)(unsigned short)~a; }
template <typename D>
__device__ inline void shl_b16(D& d, unsigned short a, unsigned int b) { d = (D)(b < 16 ? (unsigned short)(a << b) : (unsigned short)0); }
template <typename D>
__device__ inline void shr_b16(D& d, unsigned short a, unsigned int b) { d = (D)(b < 16 ? a >> b : 0); }
template <typename D>
__device__ inline void setp_eq_b16(D& d, unsigned short a, unsigned short b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_b16(D& d, unsigned short a, unsigned short b) { d = a != b; }
template <typename D>
__device__ inline void selp_b16(D& d, unsigned short a, unsigned short b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void and_b32(D& d, unsigned int a, unsigned int b) { d = (D)(a & b); }
template <typename D>
__device__ inline void or_b32(D& d, unsigned int a, unsigned int b) { d = (D)(a | b); }
template <typename D>
__device__ inline void xor_b32(D& d, unsigned int a, unsigned int b) { d = (D)(a ^ b); }
template <typename D>
__device__ inline void not_b32(D& d, unsigned int a) { d = (D)(unsigned int)~a; }
template <typename D>
__device__ inline void shl_b32(D& d, unsigned int a, unsigned int b) { d = (D)(b < 32 ? (unsigned int)(a << b) : (unsigned int)0); }
template <typename D>
__device__ inline void shr_b32(D& d, unsigned int a, unsigned int b) { d = (D)(b < 32 ? a >> b : 0); }
template <typename D>
__device__ inline void setp_eq_b32(D& d, unsigned int a, unsigned int b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_b32(D& d, unsigned int a, unsigned int b) { d = a != b; }
template <typename D>
__device__ inline void selp_b32(D& d, unsigned int a, unsigned int b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void and_b64(D& d, unsigned long long a, unsigned long long b) { d = (D)(a & b); }
template <typename D>
__device__ inline void or_b64(D& d, unsigned long long a, unsigned long long b) { d = (D)(a | b); }
template <typename D>
__device__ inline void xor_b64(D& d, unsigned long long a, unsigned long long b) { d = (D)(a ^ b); }
template <typename D>
__device__ inline void not_b64(D& d, unsigned long long a) { d = (D)(unsigned long long)~a; }
template <typename D>
__device__ inline void shl_b64(D& d, unsigned long long a, unsigned int b) { d = (D)(b < 64 ? (unsigned long long)(a << b) : (unsigned long long)0); }
template <typename D>
__device__ inline void shr_b64(D& d, unsigned long long a, unsigned int b) { d = (D)(b < 64 ? a >> b : 0); }
template <typename D>
__device__ inline void setp_eq_b64(D& d, unsigned long long a, unsigned long long b) { d = a == b; }
template <typename D>
__device__ inline void setp_ne_b64(D& d, unsigned long long a, unsigned long long b) { d = a != b; }
template <typename D>
__device__ inline void selp_b64(D& d, unsigned long long a, unsigned long long b, bool p) { d = (D)(p ? a : b); }
template <typename D>
__device__ inline void and_pred(D& d, bool a, bool b) { d = a && b; }
template <typename D>
__device__ inline void or_pred(D& d, bool a, bool b) { d = a || b; }
template <typename D>
__device__ inline void xor_pred(D& d, bool a, bool b) { d = a != b; }
template <typename D>
__device__ inline void not_pred(D& d, bool a) { d = !a; }
template <typename D>
__device__ inline void mul_wide_u32(D& d, unsigned int a, unsigned int b) { d = (D)((unsigned long long)a * b); }
template <typename D>
__device__ inline void mad_wide_u32(D& d, unsigned int a, unsigned int b, unsigned long long c) { d = (D)((unsigned long long)a * b + c); }
template <typename D>
__device__ inline void mul_hi_u32(D& d, unsigned int a, unsigned int b) { d = (D)(unsigned int)(((unsigned long long)a * b) >> 32); }
template <typename D>
__device__ inline void mul_wide_s32(D& d, int a, int b) { d = (D)((long long)a * b); }
template <typename D>
__device__ inline void mad_wide_s32(D& d, int a, int b, long long c) { d = (D)((long long)a * b + c); }
template <typename D>
__device__ inline void mul_hi_s32(D& d, int a, int b) { d = (D)(int)(((long long)a * b) >> 32); }
template <typename D>
__device__ inline void mul_wide_u16(D& d, unsigned short a, unsigned short b) { d = (D)((unsigned int)a * b); }
template <typename D>
__device__ inline void mul_hi_u64(D& d, unsigned long long a, unsigned long long b) { d = (D)__umul64hi(a, b); }
template <typename D>
__device__ inline void mul24_lo_s32(D& d, int a, int b) { d = (D)__mul24(a, b); }
template <typename D>
__device__ inline void mul24_lo_u32(D& d, unsigned int a, unsigned int b) { d = (D)__umul24(a, b); }
template <typename D>
__device__ inline void popc_b32(D& d, unsigned int a) { d = (D)__popc(a); }
template <typename D>
__device__ inline void popc_b64(D& d, unsigned long long a) { d = (D)__popcll(a); }
template <typename D>
__device__ inline void clz_b32(D& d, unsigned int a) { d = (D)__clz(a); }
template <typename D>
__device__ inline void clz_b64(D& d, unsigned long long a) { d = (D)__clzll(a); }
template <typename D>
__device__ inline void brev_b32(D& d, unsigned int a) { d = (D)__brev(a); }
template <typename D>
__device__ inline void brev_b64(D& d, unsigned long long a) { d = (D)__brevll(a); }
template <typename D>
__device__ inline void bfind_u32(D& d, unsigned int a) { d = (D)(31 - __clz(a)); }
template <typename D>
__device__ inline void abs_s32(D& d, int a) { d = (D)(a < 0 ? -a : a); }
template <typename D>
__device__ inline void prmt_b32(D& d, unsigned int a, unsigned int b, unsigned int c) { d = (D)__byte_perm(a, b, c); }
template <typename D>
__device__ inline void bfe_u32(D& d, unsigned int a, unsigned int at, unsigned int length) { unsigned int n = length & 255;
    unsigned int p = at & 255;
    unsigned int v = p < 32 ? a >> p : 0;
    d = (D)(n < 32 ? v & ((1u << n) - 1) : v); }
template <typename D>
__device__ inline void bfe_s32(D& d, int a, unsigned int at, unsigned int length) { int n = length & 255;
    int p = at & 255;
    int v = a >> (p < 31 ? p : 31);
    int left = p + n > 32 ? 32 - p : n;
    d = (D)(n == 0 ? 0 : left <= 0 ? a >> 31 : n < 32 ? (v << (32 - left)) >> (32 - left) : v); }
template <typename D>
__device__ inline void bfe_u64(D& d, unsigned long long a, unsigned int at, unsigned int length) { unsigned int n = length & 255;
    unsigned int p = at & 255;
    unsigned long long v = p < 64 ? a >> p : 0;
    d = (D)(n < 64 ? v & ((1ull << n) - 1) : v); }
template <typename D>
__device__ inline void bfi_b32(D& d, unsigned int a, unsigned int b, unsigned int at, unsigned int length) { unsigned int n = length & 255;
    unsigned int p = at & 255;
    unsigned int mask = (n < 32 ? (1u << n) - 1 : 0xffffffffu);
    mask = p < 32 ? mask << p : 0;
    d = (D)((b & ~mask) | (p < 32 ? (a << p) & mask : 0)); }
template <typename D>
__device__ inline void lop3_b32(D& d, unsigned int a, unsigned int b, unsigned int c, unsigned int table) { unsigned int r = 0;
    if (table & 0x80) r |= a & b & c;
    if (table & 0x40) r |= a & b & ~c;
    if (table & 0x20) r |= a & ~b & c;
    if (table & 0x10) r |= a & ~b & ~c;
    if (table & 0x08) r |= ~a & b & c;
    if (table & 0x04) r |= ~a & b & ~c;
    if (table & 0x02) r |= ~a & ~b & c;
    if (table & 0x01) r |= ~a & ~b & ~c;
    d = (D)r; }
template <typename D>
__device__ inline void shf_l_wrap_b32(D& d, unsigned int lo, unsigned int hi, unsigned int n) { d = (D)__funnelshift_l(lo, hi, n); }
template <typename D>
__device__ inline void shf_r_wrap_b32(D& d, unsigned int lo, unsigned int hi, unsigned int n) { d = (D)__funnelshift_r(lo, hi, n); }
template <typename D>
__device__ inline void dp4a_s32_s32(D& d, int a, int b, int c) { d = (D)__dp4a(a, b, c); }
template <typename D>
__device__ inline void dp4a_u32_u32(D& d, unsigned int a, unsigned int b, unsigned int c) { d = (D)__dp4a(a, b, c); }
template <typename D>
__device__ inline void ex2_f32(D& d, float a) { d = exp2f(a); }
template <typename D>
__device__ inline void lg2_f32(D& d, float a) { d = __log2f(a); }
template <typename D>
__device__ inline void sin_f32(D& d, float a) { d = __sinf(a); }
template <typename D>
__device__ inline void cos_f32(D& d, float a) { d = __cosf(a); }
template <typename D>
__device__ inline void tanh_f32(D& d, float a) { d = tanhf(a); }
template <typename D>
__device__ inline void cvt_u16_s16(D& d, short v) { d = (D)(unsigned short)v; }
template <typename D>
__device__ inline void cvt_u16_u32(D& d, unsigned int v) { d = (D)(unsigned short)v; }
template <typename D>
__device__ inline void cvt_u16_s32(D& d, int v) { d = (D)(unsigned short)v; }
template <typename D>
__device__ inline void cvt_u16_u64(D& d, unsigned long long v) { d = (D)(unsigned short)v; }
template <typename D>
__device__ inline void cvt_u16_s64(D& d, long long v) { d = (D)(unsigned short)v; }
template <typename D>
__device__ inline void cvt_u16_u8(D& d, unsigned char v) { d = (D)(unsigned short)v; }
template <typename D>
__device__ inline void cvt_u16_s8(D& d, signed char v) { d = (D)(unsigned short)v; }
template <typename D>
__device__ inline void cvt_s16_u16(D& d, unsigned short v) { d = (D)(short)v; }
template <typename D>
__device__ inline void cvt_s16_u32(D& d, unsigned int v) { d = (D)(short)v; }
template <typename D>
__device__ inline void cvt_s16_s32(D& d, int v) { d = (D)(short)v; }
template <typename D>
__device__ inline void cvt_s16_u64(D& d, unsigned long long v) { d = (D)(short)v; }
template <typename D>
__device__ inline void cvt_s16_s64(D& d, long long v) { d = (D)(short)v; }
template <typename D>
__device__ inline void cvt_s16_u8(D& d, unsigned char v) { d = (D)(short)v; }
template <typename D>
__device__ inline void cvt_s16_s8(D& d, signed char v) { d = (D)(short)v; }
template <typename D>
__device__ inline void cvt_u32_u16(D& d, unsigned short v) { d = (D)(unsigned int)v; }
template <typename D>
__device__ inline void cvt_u32_s16(D& d, short v) { d = (D)(unsigned int)v; }
template <typename D>
__device__ inline void cvt_u32_s32(D& d, int v) { d = (D)(unsigned int)v; }
template <typename D>
__device__ inline void cvt_u32_u64(D& d, unsigned long long v) { d = (D)(unsigned int)v; }
template <typename D>
__device__ inline void cvt_u32_s64(D& d, long long v) { d = (D)(unsigned int)v; }
template <typename D>
__device__ inline void cvt_u32_u8(D& d, unsigned char v) { d = (D)(unsigned int)v; }
template <typename D>
__device__ inline void cvt_u32_s8(D& d, signed char v) { d = (D)(unsigned int)v; }
template <typename D>
__device__ inline void cvt_s32_u16(D& d, unsigned short v) { d = (D)(int)v; }
template <typename D>
__device__ inline void cvt_s32_s16(D& d, short v) { d = (D)(int)v; }
template <typename D>
__device__ inline void cvt_s32_u32(D& d, unsigned int v) { d = (D)(int)v; }
template <typename D>
__device__ inline void cvt_s32_u64(D& d, unsigned long long v) { d = (D)(int)v; }
template <typename D>
__device__ inline void cvt_s32_s64(D& d, long long v) { d = (D)(int)v; }
template <typename D>
__device__ inline void cvt_s32_u8(D& d, unsigned char v) { d = (D)(int)v; }
template <typename D>
__device__ inline void cvt_s32_s8(D& d, signed char v) { d = (D)(int)v; }
template <typename D>
__device__ inline void cvt_u64_u16(D& d, unsigned short v) { d = (D)(unsigned long long)v; }
template <typename D>
__device__ inline void cvt_u64_s16(D& d, short v) { d = (D)(unsigned long long)v; }
template <typename D>
__device__ inline void cvt_u64_u32(D& d, unsigned int v) { d = (D)(unsigned long long)v; }
template <typename D>
__device__ inline void cvt_u64_s32(D& d, int v) { d = (D)(unsigned long long)v; }
template <typename D>
__device__ inline void cvt_u64_s64(D& d, long long v) { d = (D)(unsigned long long)v; }
template <typename D>
__device__ inline void cvt_u64_u8(D& d, unsigned char v) { d = (D)(unsigned long long)v; }
template <typename D>
__device__ inline void cvt_u64_s8(D& d, signed char v) { d = (D)(unsigned long long)v; }
template <typename D>
__device__ inline void cvt_s64_u16(D& d, unsigned short v) { d = (D)(long long)v; }
template <typename D>
__device__ inline void cvt_s64_s16(D& d, short v) { d = (D)(long long)v; }
template <typename D>
__device__ inline void cvt_s64_u32(D& d, unsigned int v) { d = (D)(long long)v; }
template <typename D>
__device__ inline void cvt_s64_s32(D& d, int v) { d = (D)(long long)v; }
template <typename D>
__device__ inline void cvt_s64_u64(D& d, unsigned long long v) { d = (D)(long long)v; }
template <typename D>
__device__ inline void cvt_s64_u8(D& d, unsigned char v) { d = (D)(long long)v; }
template <typename D>
__device__ inline void cvt_s64_s8(D& d, signed char v) { d = (D)(long long)v; }
template <typename D>
__device__ inline void cvt_f32_u16(D& d, unsigned short v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f32_s16(D& d, short v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f32_u32(D& d, unsigned int v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f32_s32(D& d, int v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f32_u64(D& d, unsigned long long v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f32_s64(D& d, long long v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f32_u8(D& d, unsigned char v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f32_s8(D& d, signed char v) { d = (D)(float)v; }
template <typename D>
__device__ inline void cvt_f64_u16(D& d, unsigned short v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_f64_s16(D& d, short v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_f64_u32(D& d, unsigned int v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_f64_s32(D& d, int v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_f64_u64(D& d, unsigned long long v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_f64_s64(D& d, long long v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_f64_u8(D& d, unsigned char v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_f64_s8(D& d, signed char v) { d = (D)(double)v; }
template <typename D>
__device__ inline void cvt_u8_u16(D& d, unsigned short v) { d = (D)(unsigned char)v; }
template <typename D>
__device__ inline void cvt_u8_s16(D& d, short v) { d = (D)(unsigned char)v; }
template <typename D>
__device__ inline void cvt_u8_u32(D& d, unsigned int v) { d = (D)(unsigned char)v; }
template <typename D>
__device__ inline void cvt_u8_s32(D& d, int v) { d = (D)(unsigned char)v; }
template <typename D>
__device__ inline void cvt_u8_u64(D& d, unsigned long long v) { d = (D)(unsigned char)v; }
template <typename D>
__device__ inline void cvt_u8_s64(D& d, long long v) { d = (D)(unsigned char)v; }
template <typename D>
__device__ inline void cvt_u8_s8(D& d, signed char v) { d = (D)(unsigned char)v; }
template <typename D>
__device__ inline void cvt_s8_u16(D& d, unsigned short v) { d = (D)(signed char)v; }
template <typename D>
__device__ inline void cvt_s8_s16(D& d, short v) { d = (D)(signed char)v; }
template <typename D>
__device__ inline void cvt_s8_u32(D& d, unsigned int v) { d = (D)(signed char)v; }
template <typename D>
__device__ inline void cvt_s8_s32(D& d, int v) { d = (D)(signed char)v; }
template <typename D>
__device__ inline void cvt_s8_u64(D& d, unsigned long long v) { d = (D)(signed char)v; }
template <typename D>
__device__ inline void cvt_s8_s64(D& d, long long v) { d = (D)(signed char)v; }
template <typename D>
__device__ inline void cvt_s8_u8(D& d, unsigned char v) { d = (D)(signed char)v; }
template <typename D>
__device__ inline void cvt_f64_f32(D& d, float v) { d = v; }
template <typename D>
__device__ inline void cvt_f32_f64(D& d, double v) { d = (float)v; }
template <typename D>
__device__ inline void cvt_rz_u32_f32(D& d, float v) { d = (D)__float2uint_rz(v); }
template <typename D>
__device__ inline void cvt_rni_u32_f32(D& d, float v) { d = (D)__float2uint_rn(v); }
template <typename D>
__device__ inline void cvt_rzi_u32_f32(D& d, float v) { d = (D)__float2uint_rz(v); }
template <typename D>
__device__ inline void cvt_rmi_u32_f32(D& d, float v) { d = (D)__float2uint_rd(v); }
template <typename D>
__device__ inline void cvt_rpi_u32_f32(D& d, float v) { d = (D)__float2uint_ru(v); }
template <typename D>
__device__ inline void cvt_rz_s32_f32(D& d, float v) { d = (D)__float2int_rz(v); }
template <typename D>
__device__ inline void cvt_rni_s32_f32(D& d, float v) { d = (D)__float2int_rn(v); }
template <typename D>
__device__ inline void cvt_rzi_s32_f32(D& d, float v) { d = (D)__float2int_rz(v); }
template <typename D>
__device__ inline void cvt_rmi_s32_f32(D& d, float v) { d = (D)__float2int_rd(v); }
template <typename D>
__device__ inline void cvt_rpi_s32_f32(D& d, float v) { d = (D)__float2int_ru(v); }
template <typename D>
__device__ inline void cvt_rz_u64_f32(D& d, float v) { d = (D)__float2ull_rz(v); }
template <typename D>
__device__ inline void cvt_rni_u64_f32(D& d, float v) { d = (D)__float2ull_rn(v); }
template <typename D>
__device__ inline void cvt_rzi_u64_f32(D& d, float v) { d = (D)__float2ull_rz(v); }
template <typename D>
__device__ inline void cvt_rmi_u64_f32(D& d, float v) { d = (D)__float2ull_rd(v); }
template <typename D>
__device__ inline void cvt_rpi_u64_f32(D& d, float v) { d = (D)__float2ull_ru(v); }
template <typename D>
__device__ inline void cvt_rz_s64_f32(D& d, float v) { d = (D)__float2ll_rz(v); }
template <typename D>
__device__ inline void cvt_rni_s64_f32(D& d, float v) { d = (D)__float2ll_rn(v); }
template <typename D>
__device__ inline void cvt_rzi_s64_f32(D& d, float v) { d = (D)__float2ll_rz(v); }
template <typename D>
__device__ inline void cvt_rmi_s64_f32(D& d, float v) { d = (D)__float2ll_rd(v); }
template <typename D>
__device__ inline void cvt_rpi_s64_f32(D& d, float v) { d = (D)__float2ll_ru(v); }
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
__device__ inline void barrier(int id) { __syncthreads(); }
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
template <typename D0>
__device__ inline void ldmatrix_b16_x1(D0& d0, unsigned long long a) {
    unsigned int at = (unsigned int)a;
    d0 = (D0)rows_of(at, 0);
}
template <typename D0, typename D1>
__device__ inline void ldmatrix_b16_x2(D0& d0, D1& d1, unsigned long long a) {
    unsigned int at = (unsigned int)a;
    d0 = (D0)rows_of(at, 0); d1 = (D1)rows_of(at, 1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ldmatrix_b16_x4(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    unsigned int at = (unsigned int)a;
    d0 = (D0)rows_of(at, 0); d1 = (D1)rows_of(at, 1); d2 = (D2)rows_of(at, 2); d3 = (D3)rows_of(at, 3);
}
template <typename D0>
__device__ inline void ldmatrix_b16_trans_x1(D0& d0, unsigned long long a) {
    unsigned int at = (unsigned int)a;
    d0 = (D0)columns_of(at, 0);
}
template <typename D0, typename D1>
__device__ inline void ldmatrix_b16_trans_x2(D0& d0, D1& d1, unsigned long long a) {
    unsigned int at = (unsigned int)a;
    d0 = (D0)columns_of(at, 0); d1 = (D1)columns_of(at, 1);
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void ldmatrix_b16_trans_x4(D0& d0, D1& d1, D2& d2, D3& d3, unsigned long long a) {
    unsigned int at = (unsigned int)a;
    d0 = (D0)columns_of(at, 0); d1 = (D1)columns_of(at, 1); d2 = (D2)columns_of(at, 2); d3 = (D3)columns_of(at, 3);
}

template <typename T>
struct pair_of {
    T low, high;
};
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void mma_m16n8k16_f32_f16_f16_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, unsigned int a1,
                                                 unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1,
                                                 float c0, float c1, float c2, float c3) {
    float4 d = __mma_m16n8k16(low_half(a0), high_half(a0), low_half(a1), high_half(a1), low_half(a2), high_half(a2), low_half(a3), high_half(a3), low_half(b0), high_half(b0), low_half(b1), high_half(b1), c0, c1, c2, c3);
    d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w;
}
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void mma_m16n8k16_f32_bf16_bf16_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, unsigned int a1,
                                                 unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1,
                                                 float c0, float c1, float c2, float c3) {
    float4 d = __mma_m16n8k16(low_bf16(a0), high_bf16(a0), low_bf16(a1), high_bf16(a1), low_bf16(a2), high_bf16(a2), low_bf16(a3), high_bf16(a3), low_bf16(b0), high_bf16(b0), low_bf16(b1), high_bf16(b1), c0, c1, c2, c3);
    d0 = d.x; d1 = d.y; d2 = d.z; d3 = d.w;
}
// A and B as floats, of whose fractions tensor cores take 10 bits.
template <typename D0, typename D1, typename D2, typename D3>
__device__ inline void mma_m16n8k8_f32_tf32_tf32_f32(D0& d0, D1& d1, D2& d2, D3& d3, unsigned int a0, unsigned int a1,
                                                     unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1,
                                                     float c0, float c1, float c2, float c3) {
    float4 d = __mma_m16n8k16(__uint_as_float(a0), __uint_as_float(a2), __uint_as_float(a1), __uint_as_float(a3), 0.0f, 0.0f, 0.0f, 0.0f, __uint_as_float(b0), __uint_as_float(b1), 0.0f, 0.0f, c0, c1, c2, c3);
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

}  // namespace __ptx
