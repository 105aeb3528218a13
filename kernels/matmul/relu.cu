// C = relu(A B): the larger of zero and each element of the product.
// Once as two kernels with the product in memory between them, once as
// one kernel that does it to the sum before it writes it.

#define TILE 32

// The element of the product that this thread makes, by tiles in shared
// memory; zero outside of the matrices.
__device__ float product(
        const float* a, const float* b, int m, int n, int k, int row,
        int column) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        bool has_a = row < m && start + x < k;
        bool has_b = start + y < k && column < n;
        a_tile[y][x] = has_a ? a[row * k + start + x] : 0.0f;
        b_tile[y][x] = has_b ? b[(start + y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    return sum;
}

// The first of two: the product.
extern "C" __global__ void matmul(
        const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = product(a, b, m, n, k, row, column);
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

// The second of two: ReLU, one thread per element.
extern "C" __global__ void relu(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = fmaxf(x[i], 0.0f);
    }
}

// Both in one. What follows the loop is the epilogue.
extern "C" __global__ void matmul_relu(
        const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = product(a, b, m, n, k, row, column);
    if (row < m && column < n) {
        c[row * n + column] = fmaxf(sum, 0.0f);
    }
}
