// A small layer of a neural network in three kernels, to see which of
// them takes the time: y = relu(a b), and then a copy for whoever comes
// next.

// The product of two square matrices, one thread per element: it goes
// along a row of a and down a column of b.
extern "C" __global__ void multiply(
        const float* a, const float* b, float* product, int side) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < side && column < side) {
        float sum = 0.0f;
        for (int k = 0; k < side; k++) {
            sum += a[row * side + k] * b[k * side + column];
        }
        product[row * side + column] = sum;
    }
}

// Negative elements become zero, one thread per element.
extern "C" __global__ void relu(
        const float* product, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = fmaxf(product[i], 0.0f);
    }
}

// One thread per element.
extern "C" __global__ void hand_over(
        const float* y, float* next, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        next[i] = y[i];
    }
}
