// The sum of each row of x, 32 rows per block of one warp. The block
// fetches its rows into shared memory, lanes along the row; then each
// lane goes along a row of its own. Rows begin `pitch` words apart in
// shared memory.

extern "C" __global__ void sum_rows(
        const float* x, float* sums, int rows, int length, int pitch) {
    extern __shared__ float tile[];
    int first = blockIdx.x * 32;
    int t = threadIdx.x;
    for (int row = 0; row < 32; ++row) {
        for (int column = t; column < length; column += 32) {
            if (first + row < rows) {
                tile[row * pitch + column] =
                        x[(first + row) * length + column];
            }
        }
    }
    __syncthreads();
    if (first + t < rows) {
        float sum = 0.0f;
        for (int column = 0; column < length; ++column) {
            sum += tile[t * pitch + column];
        }
        sums[first + t] = sum;
    }
}
