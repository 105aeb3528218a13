// Rotary embedding of halves in place, heads in groups, x in bf16. The
// tables stay fp32 and so does the arithmetic: each result is rounded to
// bf16 once, as it is stored.

#include <cuda_bf16.h>

#define DEPTH 128         // columns of a head
#define HALF (DEPTH / 2)  // pairs of a head, threads of a block

extern "C" __global__ void rope_bf16(__nv_bfloat16* x,
                                     const float* cosines,
                                     const float* sines,
                                     int heads, int group) {
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    int last = min(first + group, heads);
    float cosine = cosines[token * HALF + j];
    float sine = sines[token * HALF + j];
    for (int head = first; head < last; ++head) {
        __nv_bfloat16* row = x + (token * heads + head) * DEPTH;
        float a = __bfloat162float(row[j]);
        float b = __bfloat162float(row[j + HALF]);
        row[j] = __float2bfloat16(a * cosine - b * sine);
        row[j + HALF] = __float2bfloat16(b * cosine + a * sine);
    }
}
