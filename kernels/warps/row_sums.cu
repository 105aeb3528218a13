// The sum of each row of x, one warp per row, in two ways.

// One lane does all of the work, and 31 watch.
extern "C" __global__ void one_lane(
        const float* x, float* y, int columns) {
    const float* row = x + blockIdx.x * columns;
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int column = 0; column < columns; column++) {
            sum += row[column];
        }
        y[blockIdx.x] = sum;
    }
}

// Each lane sums every 32nd element. Then the lanes add their sums in a
// tree: at each step a lane adds the sum of the lane `step` places on.
extern "C" __global__ void shuffle_tree(
        const float* x, float* y, int columns) {
    const float* row = x + blockIdx.x * columns;
    float sum = 0.0f;
    for (int column = threadIdx.x; column < columns; column += 32) {
        sum += row[column];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (threadIdx.x == 0) {
        y[blockIdx.x] = sum;
    }
}
