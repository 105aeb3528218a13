// As bf16.cu, but a thread turns two neighbouring pairs: columns 2j and
// 2j + 1 of both halves. It loads two bf16 values with one 4-byte
// access, and two cosines and two sines with one 8-byte access each.

#include <cuda_bf16.h>

extern "C" __global__ void rope_bf16_wide(
        __nv_bfloat162* x, const float2* cosines, const float2* sines,
        int heads, int group, int depth) {
    int quarter = depth / 4;  // threads per block
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    int last = min(first + group, heads);
    float2 cosine = cosines[token * quarter + j];
    float2 sine = sines[token * quarter + j];
    for (int head = first; head < last; ++head) {
        __nv_bfloat162* row = x + (token * heads + head) * (depth / 2);
        float2 a = __bfloat1622float2(row[j]);
        float2 b = __bfloat1622float2(row[j + quarter]);
        row[j] = __floats2bfloat162_rn(
                a.x * cosine.x - b.x * sine.x,
                a.y * cosine.y - b.y * sine.y);
        row[j + quarter] = __floats2bfloat162_rn(
                b.x * cosine.x + a.x * sine.x,
                b.y * cosine.y + a.y * sine.y);
    }
}
