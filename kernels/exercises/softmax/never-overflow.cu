// Softmax of each row of x, one warp per row.

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

//> hole: The weight of an element, in a row whose largest is `maximum`.
__device__ float weight(float value, float maximum) {
    return expf(value - maximum);
}
//> start
//| __device__ float weight(float value, float maximum) {
//|     return expf(value);
//| }
//> end

__global__ void softmax(const float* x, float* y, int columns) {
    int lane = threadIdx.x;
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    float maximum = -INFINITY;
    for (int c = lane; c < columns; c += 32) {
        maximum = fmaxf(maximum, row[c]);
    }
    maximum = warp_max(maximum);
    float sum = 0.0f;
    for (int c = lane; c < columns; c += 32) {
        sum += weight(row[c], maximum);
    }
    sum = warp_sum(sum);
    for (int c = lane; c < columns; c += 32) {
        out[c] = weight(row[c], maximum) / sum;
    }
}
