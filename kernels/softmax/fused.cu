// Softmax of each row of x in one kernel, one block per row. Only x is
// read from memory and only y is written: the maximum and the sum stay
// in the block.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)

extern "C" __global__ void softmax_fused(
        const float* x, float* y, int columns) {
    __shared__ float partial[256];
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    int t = threadIdx.x;

    // The maximum of the row: each thread's own, then the block's.
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
    maximum = partial[0];
    __syncthreads();  // All have it before the sums overwrite it.

    // The sum of the exponentials, in the same way.
    float sum = 0.0f;
    for (int column = t; column < columns; column += blockDim.x) {
        sum += expf(row[column] - maximum);
    }
    partial[t] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) {
            partial[t] += partial[t + step];
        }
        __syncthreads();
    }
    sum = partial[0];

    // Each exponential once more, divided, and out.
    for (int column = t; column < columns; column += blockDim.x) {
        out[column] = expf(row[column] - maximum) / sum;
    }
}
