// y = x, a matrix, by blocks of 32 x 8 threads.

__global__ void copy_matrix(
        const float* x, float* y, int rows, int columns) {
    //> hole: Which row and which column are this thread's?
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    //> start
    //| int row = threadIdx.y;
    //| int column = threadIdx.x;
    //> end
    if (row < rows && column < columns) {
        y[row * columns + column] = x[row * columns + column];
    }
}
