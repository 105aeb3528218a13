// The product of two square matrices, one thread per element: it goes
// along a row of a and down a column of b. A later lesson makes it
// fast; here it is something to time.

extern "C" __global__ void product(
        const float* a, const float* b, float* c, int side) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < side && column < side) {
        float sum = 0.0f;
        for (int k = 0; k < side; k++) {
            sum += a[row * side + k] * b[k * side + column];
        }
        c[row * side + column] = sum;
    }
}
