// C = A B with large tiles: a block of 256 threads makes 128 by 128
// elements of C, and each thread 8 by 8 of them. M and N are multiples
// of 128, K is one of 8: no tile reaches beyond a matrix.

#define TILE 128   // rows and columns of C per block
#define DEPTH 8    // columns of A, rows of B at a time
#define PITCH 132  // of a row of a_tile: the next begins 4 banks on

// Four neighbours, from the one named on.
#define PACK(first) (*reinterpret_cast<float4*>(&(first)))
#define CONST_PACK(first) (*reinterpret_cast<const float4*>(&(first)))

extern "C" __global__ void __launch_bounds__(256, 2) matmul_large(
        const float* a, const float* b, float* c, int n, int k) {
    // A's tile lies on its side: what a thread needs of one column of A
    // then stands together, for loads of 16 bytes.
    __shared__ __align__(16) float a_tile[DEPTH][PITCH];
    __shared__ __align__(16) float b_tile[DEPTH][TILE];
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    // Each thread brings in one pack of A and one of B.
    int a_row = t / 2;
    int a_column = t % 2 * 4;
    a += (blockIdx.y * TILE + a_row) * k + a_column;
    b += warp * n + blockIdx.x * TILE + lane * 4;
    // A warp makes 64 by 32 elements, a lane packs of four: rows 32
    // apart, columns 16 apart.
    int row = warp / 4 * 64 + lane / 4 * 4;
    int column = warp % 4 * 32 + lane % 4 * 4;
    float sums[8][8] = {};
    for (int start = 0; start < k; start += DEPTH) {
        float4 next = CONST_PACK(a[start]);
        PACK(b_tile[warp][lane * 4]) = CONST_PACK(b[start * n]);
        a_tile[a_column][a_row] = next.x;
        a_tile[a_column + 1][a_row] = next.y;
        a_tile[a_column + 2][a_row] = next.z;
        a_tile[a_column + 3][a_row] = next.w;
        __syncthreads();
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner++) {
            float x[8], y[8];
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                PACK(x[i]) = PACK(a_tile[inner][row + 8 * i]);
                PACK(y[i]) = PACK(b_tile[inner][column + 4 * i]);
            }
            // Four loads of 16 bytes, 64 multiply-adds.
#pragma unroll
            for (int i = 0; i < 8; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sums[i][j] += x[i] * y[j];
                }
            }
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE + row) * n + blockIdx.x * TILE + column;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float* out = c + (i / 4 * 32 + i % 4) * n;
        PACK(out[0]) = PACK(sums[i][0]);
        PACK(out[16]) = PACK(sums[i][4]);
    }
}
