// Softmax of each row of x, one kernel per step. Each step reads what
// the step before wrote, so the matrix crosses memory again and again.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)

// One block per row. Each thread finds the largest of the elements that
// it meets; then the block halves its candidates until one is left: a
// tree.
extern "C" __global__ void row_max(
        const float* x, float* row_maximum, int columns) {
    __shared__ float partial[256];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    float maximum = LOWEST;
    for (int column = t; column < columns; column += blockDim.x) {
        maximum = fmaxf(maximum, row[column]);
    }
    partial[t] = maximum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) {
            partial[t] = fmaxf(partial[t], partial[t + step]);
        }
        __syncthreads();
    }
    if (t == 0) {
        row_maximum[blockIdx.x] = partial[0];
    }
}

// One thread per element.
extern "C" __global__ void subtract_max(
        const float* x, const float* row_maximum, float* shifted,
        int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) {
        shifted[i] = x[i] - row_maximum[i / columns];
    }
}

// One thread per element.
extern "C" __global__ void exponentiate(
        const float* shifted, float* exponentials, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        exponentials[i] = expf(shifted[i]);
    }
}

// One block per row, as row_max.
extern "C" __global__ void row_sum(
        const float* exponentials, float* row_sums, int columns) {
    __shared__ float partial[256];
    const float* row = exponentials + blockIdx.x * columns;
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int column = t; column < columns; column += blockDim.x) {
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
    if (t == 0) {
        row_sums[blockIdx.x] = partial[0];
    }
}

// One thread per element.
extern "C" __global__ void divide(
        const float* exponentials, const float* row_sums, float* y,
        int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) {
        y[i] = exponentials[i] / row_sums[i / columns];
    }
}
