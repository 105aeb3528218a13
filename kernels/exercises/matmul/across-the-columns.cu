// C = A B, one thread per element of C.

__global__ void matmul(
        const float* a, const float* b, float* c, int m, int n, int k) {
    //> hole
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    //> start
    //| int row = blockIdx.x * blockDim.x + threadIdx.x;
    //| int column = blockIdx.y * blockDim.y + threadIdx.y;
    //> end
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++) {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
    }
}
