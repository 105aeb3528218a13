// Softmax of each row in one pass: a warp a row, four warps a block, the
// row's elements in registers between its three steps.

#define COLUMNS 1024
#define EACH (COLUMNS / 32)

__device__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, offset));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    return value;
}

extern "C" __global__ void softmax_warp(const float* x, float* y, int rows) {
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    const float* in = x + row * COLUMNS;
    float* out = y + row * COLUMNS;
    float values[EACH];
    float maximum = -3.402823466e+38f;
    for (int i = 0; i < EACH; ++i) {
        values[i] = in[i * 32 + lane];
        maximum = fmaxf(maximum, values[i]);
    }
    maximum = warp_max(maximum);
    float sum = 0.0f;
    for (int i = 0; i < EACH; ++i) {
        values[i] = expf(values[i] - maximum);
        sum += values[i];
    }
    sum = warp_sum(sum);
    for (int i = 0; i < EACH; ++i) {
        out[i * 32 + lane] = values[i] / sum;
    }
}
