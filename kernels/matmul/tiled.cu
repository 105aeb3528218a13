// C = A B by tiles: a block makes a square tile of C, and brings tiles
// of A and B into shared memory.

// The widest tile that fits; a block has tile * tile threads.
#define WIDEST 32

extern "C" __global__ void matmul_tiled(
        const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[WIDEST * WIDEST];
    __shared__ float b_tile[WIDEST * WIDEST];
    int tile = blockDim.x;
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * tile + y;
    int column = blockIdx.x * tile + x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += tile) {
        // What lies outside of the matrices counts as zero. No thread
        // may leave early: all have to reach the barriers.
        float a_value = 0.0f;
        if (row < m && start + x < k) {
            a_value = a[row * k + start + x];
        }
        float b_value = 0.0f;
        if (start + y < k && column < n) {
            b_value = b[(start + y) * n + column];
        }
        a_tile[y * tile + x] = a_value;
        b_tile[y * tile + x] = b_value;
        __syncthreads();  // The tiles are complete.
        for (int i = 0; i < tile; i++) {
            sum += a_tile[y * tile + i] * b_tile[i * tile + x];
        }
        __syncthreads();  // Nobody needs them any more.
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
