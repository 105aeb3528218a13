// The transpose by tiles of 32 × 32: a block of 32 × 8 threads reads a
// tile along the rows of x, and writes it along the rows of y. In
// between the tile is in shared memory, and is read there down its
// columns.

extern "C" __global__ void transpose_tile(
        const float* x, float* y, int rows, int columns) {
    __shared__ float tile[32][32];
    int tx = threadIdx.x;

    // Lanes along a row of x: into a row of the tile.
    int lane_column = blockIdx.x * 32 + tx;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int row = blockIdx.y * 32 + j;
        if (row < rows && lane_column < columns) {
            tile[j][tx] = x[row * columns + lane_column];
        }
    }
    __syncthreads();

    // Lanes along a row of y: down a column of the tile.
    int lane_row = blockIdx.y * 32 + tx;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int column = blockIdx.x * 32 + j;
        if (lane_row < rows && column < columns) {
            y[column * rows + lane_row] = tile[tx][j];
        }
    }
}
