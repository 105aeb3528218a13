// The sum of each row of x, as in rows.cu, but of doubles: each lane
// loads 8 bytes, two words next to each other.

extern "C" __global__ void sum_rows_of_doubles(
        const double* x, double* sums, int rows, int length) {
    extern __shared__ double tile[];
    int first = blockIdx.x * 32;
    int t = threadIdx.x;
    for (int row = 0; row < 32; ++row) {
        for (int column = t; column < length; column += 32) {
            if (first + row < rows) {
                tile[row * length + column] =
                        x[(first + row) * length + column];
            }
        }
    }
    __syncthreads();
    if (first + t < rows) {
        double sum = 0.0;
        for (int column = 0; column < length; ++column) {
            sum += tile[t * length + column];
        }
        sums[first + t] = sum;
    }
}
