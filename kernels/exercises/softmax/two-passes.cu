// Softmax of each row of x, one warp per row.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)

__device__ float warp_max(float value) {
    for (int step = 16; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, step);
    }
    return value;
}

__global__ void softmax(const float* x, float* y, int columns) {
    int lane = threadIdx.x;
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    float maximum = LOWEST;
    float sum = 0.0f;
    //> hole
    for (int c = lane; c < columns; c += 32) {
        float value = row[c];
        float larger = fmaxf(maximum, value);
        sum = sum * expf(maximum - larger) + expf(value - larger);
        maximum = larger;
    }
    float whole = warp_max(maximum);
    sum = warp_sum(sum * expf(maximum - whole));
    maximum = whole;
    //> start
    //| for (int c = lane; c < columns; c += 32) {
    //|     maximum = fmaxf(maximum, row[c]);
    //| }
    //| maximum = warp_max(maximum);
    //| for (int c = lane; c < columns; c += 32) {
    //|     sum += expf(row[c] - maximum);
    //| }
    //| sum = warp_sum(sum);
    //> end
    for (int c = lane; c < columns; c += 32) {
        out[c] = expf(row[c] - maximum) / sum;
    }
}
