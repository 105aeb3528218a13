// Softmax of each row of x, in one kernel: one block a row. Nothing but x is read from memory and
// nothing but y is written; the maximum and the sum stay in the block.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)

extern "C" __global__ void softmax_fused(const float* x, float* y, int columns) {
    __shared__ float partial[256];
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;

    // The maximum of the row: each thread's own, then the block's.
    float maximum = LOWEST;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        maximum = fmaxf(maximum, row[column]);
    }
    partial[threadIdx.x] = maximum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + step]);
        }
        __syncthreads();
    }
    maximum = partial[0];
    __syncthreads();  // All have the maximum before the sums overwrite it.

    // The sum of the exponentials, in the same way.
    float sum = 0.0f;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        sum += expf(row[column] - maximum);
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            partial[threadIdx.x] += partial[threadIdx.x + step];
        }
        __syncthreads();
    }
    sum = partial[0];

    // Each exponential once more, divided, and out.
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        out[column] = expf(row[column] - maximum) / sum;
    }
}
