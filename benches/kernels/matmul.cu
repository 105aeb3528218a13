// Two products of square matrices, c = a * b.

#define TILE 16

// One thread an element, each reading a row of a and a column of b.
extern "C" __global__ void matmul_naive(const float* a, const float* b,
                                        float* c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

// One block a tile of c, over pairs of tiles in shared memory.
extern "C" __global__ void matmul_tiled(const float* a, const float* b,
                                        float* c, int n) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int tile = 0; tile < n / TILE; ++tile) {
        tile_a[ty][tx] = a[row * n + tile * TILE + tx];
        tile_b[ty][tx] = b[(tile * TILE + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
