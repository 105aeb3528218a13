// The sum of each row of x, one warp per row. The lanes sum their own
// columns and pass the sums from register to register: no shared
// memory, and no barrier.
extern "C" __global__ void row_sum_shuffle(
        const float* x, float* sums, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {  // The same for all lanes of a warp.
        float sum = 0.0f;
        for (int column = lane; column < columns; column += 32) {
            sum += x[row * columns + column];
        }
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, step);
        }
        if (lane == 0) {
            sums[row] = sum;
        }
    }
}
