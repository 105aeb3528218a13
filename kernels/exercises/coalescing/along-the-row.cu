// y = x, a matrix, by blocks of 16 x 16 threads.

__global__ void copy_matrix(
        const float* x, float* y, int rows, int columns) {
    //> hole
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    //> start
    //| int row = blockIdx.x * blockDim.x + threadIdx.x;
    //| int column = blockIdx.y * blockDim.y + threadIdx.y;
    //> end
    if (row < rows && column < columns) {
        y[row * columns + column] = x[row * columns + column];
    }
}
