// The sum of each row of x, one block per row. The block goes along the
// row in tiles of `tile` columns, sums each tile with a tree in shared
// memory, and adds that to the row's total.
extern "C" __global__ void row_sum_tiles(
        const float* x, float* sums, int columns, int tile) {
    __shared__ float partial[1024];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    float total = 0.0f;
    for (int start = 0; start < columns; start += tile) {
        // The last tile may reach beyond the row.
        int end = min(start + tile, columns);
        float sum = 0.0f;
        for (int column = start + t; column < end;
             column += blockDim.x) {
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
        total += partial[0];
        // All have it before the next tile overwrites it.
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = total;
    }
}
