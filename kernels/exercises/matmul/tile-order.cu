// C = A B by tiles of 16 x 16.

__global__ void matmul(
        const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[16][16];
    __shared__ float b_tile[16][16];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * 16 + y;
    int column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += 16) {
        bool has_a = row < m && start + x < k;
        bool has_b = start + y < k && column < n;
        //> order: Put these lines in order. One of them is not needed: delete it.
        a_tile[y][x] = has_a ? a[row * k + start + x] : 0.0f;
        b_tile[y][x] = has_b ? b[(start + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
        //> start
        //| for (int i = 0; i < 16; i++) sum += a[row * k + start + i] * b[(start + i) * n + column];
        //> end
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
