// C = A B by tensor cores, A and B in bf16 and the sums in fp32: a warp
// makes a tile of 16 by 16. Tiles of A and B go through shared memory,
// where what lies outside of the matrices is filled up with zeros: a
// fragment is always full.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

#define TILE 16
// Elements from one row of a tile to the next. Eight more than a row
// has, so that eight rows lie in different banks.
#define PITCH 24

extern "C" __global__ void matmul_wmma(
        const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m,
        int n, int k) {
    __shared__ __align__(32) __nv_bfloat16 a_tile[TILE * PITCH];
    __shared__ __align__(32) __nv_bfloat16 b_tile[TILE * PITCH];
    __shared__ __align__(32) float c_tile[TILE * TILE];
    int lane = threadIdx.x;
    int first_row = blockIdx.y * TILE;
    int first_column = blockIdx.x * TILE;
    wmma::fragment<
            wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major>
            a_part;
    wmma::fragment<
            wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major>
            b_part;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int start = 0; start < k; start += TILE) {
        __nv_bfloat16 zero = __float2bfloat16(0.0f);
        for (int i = lane; i < TILE * TILE; i += 32) {
            int y = i / TILE;
            int x = i % TILE;
            bool has_a = first_row + y < m && start + x < k;
            bool has_b = start + y < k && first_column + x < n;
            int from_a = (first_row + y) * k + start + x;
            int from_b = (start + y) * n + first_column + x;
            a_tile[y * PITCH + x] = has_a ? a[from_a] : zero;
            b_tile[y * PITCH + x] = has_b ? b[from_b] : zero;
        }
        __syncwarp();  // The tiles are complete.
        wmma::load_matrix_sync(a_part, a_tile, PITCH);
        wmma::load_matrix_sync(b_part, b_tile, PITCH);
        wmma::mma_sync(sums, a_part, b_part, sums);
        __syncwarp();  // Every lane has its part of them.
    }
    wmma::store_matrix_sync(c_tile, sums, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < TILE * TILE; i += 32) {
        int row = first_row + i / TILE;
        int column = first_column + i % TILE;
        if (row < m && column < n) {
            c[row * n + column] = c_tile[i];
        }
    }
}
