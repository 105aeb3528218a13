// C = A B. A block of 16 x 16 threads makes 16 x 16 elements of C.

__global__ void matmul(
        const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * 16 + threadIdx.y;
    int column = blockIdx.x * 16 + threadIdx.x;
    //> hole
    __shared__ float a_tile[16][16];
    __shared__ float b_tile[16][16];
    int x = threadIdx.x;
    int y = threadIdx.y;
    float sum = 0.0f;
    for (int start = 0; start < k; start += 16) {
        bool has_a = row < m && start + x < k;
        bool has_b = start + y < k && column < n;
        a_tile[y][x] = has_a ? a[row * k + start + x] : 0.0f;
        b_tile[y][x] = has_b ? b[(start + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
    //> start
    //| if (row < m && column < n) {
    //|     float sum = 0.0f;
    //|     for (int i = 0; i < k; i++) {
    //|         sum += a[row * k + i] * b[i * n + column];
    //|     }
    //|     c[row * n + column] = sum;
    //| }
    //> end
}
