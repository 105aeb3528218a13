// The sum of each row of x, one block per row. Each thread sums its own
// columns in a register all along the row; one tree in shared memory
// then sums the threads.
extern "C" __global__ void row_sum_tree(
        const float* x, float* sums, int columns) {
    __shared__ float partial[1024];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int column = t; column < columns; column += blockDim.x) {
        sum += row[column];
    }
    partial[t] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) {
            partial[t] += partial[t + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = partial[0];
    }
}
