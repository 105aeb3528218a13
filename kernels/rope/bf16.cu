// Rotary embedding of halves in place, heads in groups, x in bf16. The
// tables stay fp32 and so does the arithmetic: each result is rounded
// to bf16 once, as it is stored.

#include <cuda_bf16.h>

extern "C" __global__ void rope_bf16(
        __nv_bfloat16* x, const float* cosines, const float* sines,
        int heads, int group, int depth) {
    int half = depth / 2;  // pairs per head, threads per block
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    int last = min(first + group, heads);
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    for (int head = first; head < last; ++head) {
        __nv_bfloat16* row = x + (token * heads + head) * depth;
        float a = __bfloat162float(row[j]);
        float b = __bfloat162float(row[j + half]);
        row[j] = __float2bfloat16(a * cosine - b * sine);
        row[j + half] = __float2bfloat16(b * cosine + a * sine);
    }
}
