// The logarithm of the softmax of each row of x, one block per row. It
// is never computed as a logarithm of a weight: a weight may be too
// small for a float.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu

__device__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, offset));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, offset);
    }
    return value;
}

extern "C" __global__ void log_softmax(
        const float* x, float* y, int columns) {
    __shared__ float maxima[32];
    __shared__ float sums[32];
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    int t = threadIdx.x;
    int lane = t % 32;
    int warps = blockDim.x / 32;

    float maximum = LOWEST;
    for (int column = t; column < columns; column += blockDim.x) {
        maximum = fmaxf(maximum, row[column]);
    }
    // Each warp's maximum, then every warp takes the largest of them.
    maximum = warp_max(maximum);
    if (lane == 0) {
        maxima[t / 32] = maximum;
    }
    __syncthreads();
    maximum = warp_max(lane < warps ? maxima[lane] : LOWEST);

    float sum = 0.0f;
    for (int column = t; column < columns; column += blockDim.x) {
        sum += expf(row[column] - maximum);
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        sums[t / 32] = sum;
    }
    __syncthreads();
    sum = warp_sum(lane < warps ? sums[lane] : 0.0f);

    // log(exp(x - maximum) / sum) = x - maximum - log(sum): one
    // logarithm a thread, and no exponential and no division for the
    // results.
    float log_sum = logf(sum);
    for (int column = t; column < columns; column += blockDim.x) {
        out[column] = row[column] - maximum - log_sum;
    }
}
