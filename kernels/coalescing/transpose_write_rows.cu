// The same transpose, the other way round. The lanes of a warp go along
// a row of y: they read down a column of x, and write neighbours.

extern "C" __global__ void transpose_write_rows(
        const float* x, float* y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        y[column * rows + row] = x[row * columns + column];
    }
}
