// C = A B with A and B in bf16 and the sums in fp32, by tiles of 16 by
// 16: the shape that tensor cores multiply, here with ordinary
// multiply-adds. An element of A or B is two bytes, so each moves half
// of what fp32 moves.
#include <cuda_bf16.h>

#define TILE 16

extern "C" __global__ void matmul_bf16(
        const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m,
        int n, int k) {
    __shared__ __nv_bfloat16 a_tile[TILE][TILE];
    __shared__ __nv_bfloat16 b_tile[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        __nv_bfloat16 zero = __float2bfloat16(0.0f);
        bool has_a = row < m && start + x < k;
        bool has_b = start + y < k && column < n;
        a_tile[y][x] = has_a ? a[row * k + start + x] : zero;
        b_tile[y][x] = has_b ? b[(start + y) * n + column] : zero;
        __syncthreads();
        // Sums in bf16 would lose most of what is added: eight bits of
        // a number are kept, so small terms vanish beside a large sum.
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            sum += __bfloat162float(a_tile[y][i]) *
                   __bfloat162float(b_tile[i][x]);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
