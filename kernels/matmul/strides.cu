// C = A B where only strides say how A and B lie in memory: element (i,
// j) of A stands at a[i * a_row + j * a_column]. Row by row is (k, 1);
// the transpose of a matrix is the same memory with its two strides
// exchanged.

extern "C" __global__ void matmul_strided(
        const float* a, int a_row, int a_column, const float* b,
        int b_row, int b_column, float* c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < k; i++) {
        sum += a[row * a_row + i * a_column] *
               b[i * b_row + column * b_column];
    }
    c[row * n + column] = sum;
}

// Writes the transpose of x, one thread per element, so that there is a
// matrix that lies the other way round. Its writes are neighbours, its
// reads are not.
extern "C" __global__ void transpose(
        const float* x, float* y, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) {
        y[i] = x[i % rows * columns + i / rows];
    }
}
