// As packed.cu, with x in bf16: 16 bytes are eight elements, so thread
// (j, h) has eight neighbouring pairs of one head. The angles stay in
// fp32, and eight of them are two loads of 16 bytes.

#include <cuda_bf16.h>

// Eight elements of x, in pairs.
struct __align__(16) Pack {
    __nv_bfloat162 at[4];
};

// a cos - b sin of two neighbouring pairs, rounded once.
__device__ __nv_bfloat162 turned(
        __nv_bfloat162 a, __nv_bfloat162 b, float2 c, float2 s) {
    float2 p = __bfloat1622float2(a);
    float2 q = __bfloat1622float2(b);
    return __floats2bfloat162_rn(
            p.x * c.x - q.x * s.x, p.y * c.y - q.y * s.y);
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
