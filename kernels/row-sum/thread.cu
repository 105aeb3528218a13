// The sum of each row of x, one thread per row. No thread needs
// another's help; but the lanes of a warp are a whole row apart.
extern "C" __global__ void row_sum_thread(
        const float* x, float* sums, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int column = 0; column < columns; ++column) {
            sum += x[row * columns + column];
        }
        sums[row] = sum;
    }
}
