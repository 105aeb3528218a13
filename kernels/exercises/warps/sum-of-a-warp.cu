// The sum of each row of x, one warp per row.

__global__ void row_sums(const float* x, float* sums, int columns) {
    int lane = threadIdx.x;
    const float* row = x + blockIdx.x * columns;
    //> order: Put these lines in order. One of them is not needed: delete it.
    float sum = 0.0f;
    for (int c = lane; c < columns; c += 32) sum += row[c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) sums[blockIdx.x] = sum;
    //> start
    //| sum = __shfl_sync(0xffffffff, sum, 31);
    //> end
}
