// As packed.cu, with x in bf16: 16 bytes are eight elements, so thread
// (j, h) has eight neighbouring pairs of one head. The angles stay in
// fp32, and eight of them are two loads of 16 bytes.

#include <cuda_bf16.h>

// Eight elements of x as bits, two per word. nvcc loads words of a
// struct together; it would load each __nv_bfloat162 alone.
struct __align__(16) Pack {
    unsigned at[4];
};

// The two elements of a word: the lower half of it is the first.
__device__ float2 unpacked(unsigned word) {
    return make_float2(__uint_as_float(word << 16),
                       __uint_as_float(word & 0xffff0000u));
}

__device__ unsigned packed(float first, float second) {
    __nv_bfloat16 low = __float2bfloat16(first);
    __nv_bfloat16 high = __float2bfloat16(second);
    return (unsigned)__bfloat16_as_ushort(high) << 16
           | __bfloat16_as_ushort(low);
}

// a cos - b sin of two neighbouring pairs, rounded once.
__device__ unsigned turned(unsigned a, unsigned b, float2 c, float2 s) {
    float2 p = unpacked(a);
    float2 q = unpacked(b);
    return packed(p.x * c.x - q.x * s.x, p.y * c.y - q.y * s.y);
}

__device__ void turn(
        const Pack* x, const float4* cosines, const float4* sines,
        Pack* y, int heads, int depth, float sign) {
    int packs = depth / 16;  // of one half of a head
    int token = blockIdx.x;
    int j = threadIdx.x;
    int head = blockIdx.y * blockDim.y + threadIdx.y;
    if (head < heads) {
        int angle = 2 * (token * packs + j);
        int first = (token * heads + head) * 2 * packs + j;
        Pack a = x[first];
        Pack b = x[first + packs];
        Pack low, high;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            float4 c = cosines[angle + k];
            float4 s = sines[angle + k];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int pair = 2 * k + i;
                float2 co = i ? make_float2(c.z, c.w)
                              : make_float2(c.x, c.y);
                float2 si = i ? make_float2(s.z, s.w)
                              : make_float2(s.x, s.y);
                si = make_float2(sign * si.x, sign * si.y);
                low.at[pair] = turned(a.at[pair], b.at[pair], co, si);
                // b cos + a sin is the same with the sine negated.
                si = make_float2(-si.x, -si.y);
                high.at[pair] = turned(b.at[pair], a.at[pair], co, si);
            }
        }
        y[first] = low;
        y[first + packs] = high;
    }
}

extern "C" __global__ void rope_bf16_packed(
        const Pack* x, const float4* cosines, const float4* sines,
        Pack* y, int heads, int depth) {
    turn(x, cosines, sines, y, heads, depth, 1.0f);
}

extern "C" __global__ void rope_bf16_packed_backward(
        const Pack* x, const float4* cosines, const float4* sines,
        Pack* y, int heads, int depth) {
    turn(x, cosines, sines, y, heads, depth, -1.0f);
}
