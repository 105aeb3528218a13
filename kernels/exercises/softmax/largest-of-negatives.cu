// The largest element of each row of x, one warp per row.

__global__ void row_maxima(const float* x, float* maxima, int columns) {
    int lane = threadIdx.x;
    const float* row = x + blockIdx.x * columns;
    //> hole
    float maximum = -INFINITY;
    //> start
    //| float maximum = 0.0f;
    //> end
    for (int c = lane; c < columns; c += 32) {
        maximum = fmaxf(maximum, row[c]);
    }
    for (int step = 16; step > 0; step /= 2) {
        maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffff, maximum, step));
    }
    if (lane == 0) {
        maxima[blockIdx.x] = maximum;
    }
}
