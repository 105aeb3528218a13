// As both.cu, with four accumulators a thread: the four loads of a step
// wait for nothing but the memory, and not for one another's additions.
extern "C" __global__ void row_sum_four(
        const float* x, float* sums, int columns) {
    __shared__ float of_warp[32];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    int width = blockDim.x;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    int start = 0;
    // Tiles of four times the block, as long as the row fills them.
    for (; start + 4 * width <= columns; start += 4 * width) {
        int column = start + t;
        a += row[column];
        b += row[column + width];
        c += row[column + 2 * width];
        d += row[column + 3 * width];
    }
    // What is left of the row.
    for (int column = start + t; column < columns; column += width) {
        a += row[column];
    }
    float sum = (a + b) + (c + d);
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
