// Softmax of rows that are too long for one warp's registers: one block a row.
// The row is read once, into shared memory; the maximum, the exponentials and
// the results all come from there.

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

// `kept` columns fit in the shared memory of the launch; what is beyond them
// is read from global memory again, as often as it is needed.
extern "C" __global__ void softmax_shared(const float* x, float* y,
                                          int columns, int kept) {
    extern __shared__ float part[];
    __shared__ float maxima[32];
    __shared__ float sums[32];
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    int warps = blockDim.x / 32;

    // Each thread later reads only what it wrote here: no barrier for that.
    float maximum = LOWEST;
    for (int column = t; column < columns; column += blockDim.x) {
        float value = row[column];
        if (column < kept) {
            part[column] = value;
        }
        maximum = fmaxf(maximum, value);
    }
    // Each warp's maximum, then every warp takes the largest of them.
    maximum = warp_max(maximum);
    if (lane == 0) {
        maxima[warp] = maximum;
    }
    __syncthreads();
    maximum = warp_max(lane < warps ? maxima[lane] : LOWEST);

    float sum = 0.0f;
    for (int column = t; column < columns; column += blockDim.x) {
        float value = column < kept ? part[column] : row[column];
        float exponential = expf(value - maximum);
        if (column < kept) {
            part[column] = exponential;
        }
        sum += exponential;
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    sum = warp_sum(lane < warps ? sums[lane] : 0.0f);

    for (int column = t; column < columns; column += blockDim.x) {
        float exponential =
            column < kept ? part[column] : expf(row[column] - maximum);
        out[column] = exponential / sum;
    }
}
