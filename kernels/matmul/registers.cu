// C = A B by tiles, with sums in registers. A block of 16 by 16 threads
// makes 64 by 64 elements of C, and each thread 4 by 4 of them. What a
// thread takes out of shared memory then serves four sums.

#define TILE 64   // rows and columns of C per block
#define DEPTH 16  // columns of A, rows of B at a time
#define SIDE 16   // threads along each side of a block
#define EACH 4    // rows and columns per thread: TILE / SIDE

extern "C" __global__ void matmul_registers(
        const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[TILE][DEPTH];
    __shared__ float b_tile[DEPTH][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int thread = y * SIDE + x;
    int first_row = blockIdx.y * TILE;
    int first_column = blockIdx.x * TILE;
    float sums[EACH][EACH] = {};
    for (int start = 0; start < k; start += DEPTH) {
        // Each thread brings in four elements of either tile; what lies
        // outside of the matrices counts as zero.
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int at = thread + i * SIDE * SIDE;
            int row = first_row + at / DEPTH;
            int inner = start + at % DEPTH;
            float value = 0.0f;
            if (row < m && inner < k) {
                value = a[row * k + inner];
            }
            a_tile[at / DEPTH][at % DEPTH] = value;
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int at = thread + i * SIDE * SIDE;
            int inner = start + at / TILE;
            int column = first_column + at % TILE;
            float value = 0.0f;
            if (inner < k && column < n) {
                value = b[inner * n + column];
            }
            b_tile[at / TILE][at % TILE] = value;
        }
        __syncthreads();
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner++) {
            float from_a[EACH];
            float from_b[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                from_a[i] = a_tile[y + i * SIDE][inner];
                from_b[i] = b_tile[inner][x + i * SIDE];
            }
            // Eight loads from shared memory, sixteen multiply-adds.
#pragma unroll
            for (int i = 0; i < EACH; i++) {
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    sums[i][j] += from_a[i] * from_b[j];
                }
            }
        }
        __syncthreads();
    }
    // A thread's rows and columns lie 16 apart, so that neighbouring
    // threads write neighbouring elements.
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int row = first_row + y + i * SIDE;
            int column = first_column + x + j * SIDE;
            if (row < m && column < n) {
                c[row * n + column] = sums[i][j];
            }
        }
    }
}
