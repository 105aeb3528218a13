// The transpose of a matrix, one thread per element. The lanes of a
// warp go along a row of x: they read neighbours, and write down a
// column of y.

extern "C" __global__ void transpose_read_rows(
        const float* x, float* y, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        y[column * rows + row] = x[row * columns + column];
    }
}
