// The sum of each row of x, one block per row: each warp sums its lanes
// by shuffles, then the first warp sums the warps, with one value per
// warp in shared memory and a single barrier.
extern "C" __global__ void row_sum_both(
        const float* x, float* sums, int columns) {
    __shared__ float of_warp[32];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    float sum = 0.0f;
    for (int column = t; column < columns; column += blockDim.x) {
        sum += row[column];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (lane == 0) {
        of_warp[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? of_warp[lane] : 0.0f;
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, step);
        }
        if (lane == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
