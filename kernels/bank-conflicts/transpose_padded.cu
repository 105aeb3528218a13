// The transpose by tiles, as transpose_tile. Rows of the tile have one
// word more than is used, so that the words of a column lie in
// different banks.

extern "C" __global__ void transpose_padded(
        const float* x, float* y, int rows, int columns) {
    __shared__ float tile[32][33];
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
