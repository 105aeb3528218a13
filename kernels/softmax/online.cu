// Softmax of each row of x, one block per row, with the maximum and the
// sum found in one pass: the sum so far is scaled whenever a larger
// value shows up. Nothing of the row has to be kept, so it may have any
// length.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu

// Takes the maximum and sum of another part of the row into those of
// this one. Sums are of exponentials with the maximum of their own part
// subtracted.
__device__ void merge(
        float& maximum, float& sum, float other_maximum,
        float other_sum) {
    float both = fmaxf(maximum, other_maximum);
    sum = sum * expf(maximum - both) +
          other_sum * expf(other_maximum - both);
    maximum = both;
}

// The maximum and sum of all lanes, for every lane.
__device__ void merge_warp(float& maximum, float& sum) {
    for (int offset = 16; offset > 0; offset /= 2) {
        float other_maximum =
                __shfl_xor_sync(ALL_LANES, maximum, offset);
        float other_sum = __shfl_xor_sync(ALL_LANES, sum, offset);
        merge(maximum, sum, other_maximum, other_sum);
    }
}

extern "C" __global__ void softmax_online(
        const float* x, float* y, int columns) {
    __shared__ float maxima[32];
    __shared__ float sums[32];
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    int t = threadIdx.x;
    int lane = t % 32;

    // One pass: each element is a part of the row with one
    // exponential, 1.
    float maximum = LOWEST;
    float sum = 0.0f;
    for (int column = t; column < columns; column += blockDim.x) {
        merge(maximum, sum, row[column], 1.0f);
    }
    // The parts of the lanes, then of the warps.
    merge_warp(maximum, sum);
    if (lane == 0) {
        maxima[t / 32] = maximum;
        sums[t / 32] = sum;
    }
    __syncthreads();
    bool is_warp = lane < blockDim.x / 32;
    maximum = is_warp ? maxima[lane] : LOWEST;
    sum = is_warp ? sums[lane] : 0.0f;
    merge_warp(maximum, sum);

    // A second pass for the results.
    for (int column = t; column < columns; column += blockDim.x) {
        out[column] = expf(row[column] - maximum) / sum;
    }
}
