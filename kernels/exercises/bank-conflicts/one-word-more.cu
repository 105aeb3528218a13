// y is x transposed, by tiles of 32 x 32. The block has 32 x 8 threads.

__global__ void transpose(const float* x, float* y, int rows, int columns) {
    //> hole
    __shared__ float tile[32][33];
    //> start
    //| __shared__ float tile[32][32];
    //> end
    int tx = threadIdx.x;

    int lane_column = blockIdx.x * 32 + tx;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int row = blockIdx.y * 32 + j;
        if (row < rows && lane_column < columns) {
            tile[j][tx] = x[row * columns + lane_column];
        }
    }
    __syncthreads();

    int lane_row = blockIdx.y * 32 + tx;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int column = blockIdx.x * 32 + j;
        if (lane_row < rows && column < columns) {
            y[column * rows + lane_row] = tile[tx][j];
        }
    }
}
