// As tree.cu, but the tree adds neighbours first. Its lanes then lie
// ever further apart in shared memory, and fall on the same banks.
extern "C" __global__ void row_sum_spread(
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
    for (int step = 1; step < blockDim.x; step *= 2) {
        int left = 2 * step * t;
        if (left < blockDim.x) {
            partial[left] += partial[left + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = partial[0];
    }
}
