// The sum of each column of x.

__global__ void column_sums(
        const float* x, float* sums, int rows, int columns) {
    //> hole: Add up the columns.
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < columns) {
        float sum = 0.0f;
        for (int r = 0; r < rows; r++) {
            sum += x[r * columns + column];
        }
        sums[column] = sum;
    }
    //> end
}
