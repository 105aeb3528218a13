// Softmax of rows of any length: one block per row, which keeps nothing
// but the maximum and the sum. It reads the row for each of them, and
// once more for the results.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu

// Floats that are loaded and stored together. Their address has to be a
// multiple of their size: that is why rows must be multiples of WIDTH.
template <int WIDTH>
struct __align__(4 * WIDTH) Pack {
    float at[WIDTH];
};

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

// The largest value, or the sum, of all threads of a block: each
// warp's, then every warp takes all of those together.
__device__ float block_max(float value, float* of_warps) {
    value = warp_max(value);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    return warp_max(lane < blockDim.x / 32 ? of_warps[lane] : LOWEST);
}

__device__ float block_sum(float value, float* of_warps) {
    value = warp_sum(value);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    return warp_sum(lane < blockDim.x / 32 ? of_warps[lane] : 0.0f);
}

template <int WIDTH>
__device__ void softmax_row(
        const float* x, float* y, int columns, float* maxima,
        float* sums) {
    int count = columns / WIDTH;
    const Pack<WIDTH>* row = reinterpret_cast<const Pack<WIDTH>*>(x) +
                             blockIdx.x * count;
    Pack<WIDTH>* out =
            reinterpret_cast<Pack<WIDTH>*>(y) + blockIdx.x * count;

    float maximum = LOWEST;
    for (int place = threadIdx.x; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            maximum = fmaxf(maximum, pack.at[i]);
        }
    }
    maximum = block_max(maximum, maxima);

    float sum = 0.0f;
    for (int place = threadIdx.x; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            sum += expf(pack.at[i] - maximum);
        }
    }
    sum = block_sum(sum, sums);

    for (int place = threadIdx.x; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = expf(pack.at[i] - maximum) / sum;
        }
        out[place] = pack;
    }
}

// `width` is 1, 2 or 4, and divides `columns`.
extern "C" __global__ void __launch_bounds__(1024, 2) softmax_reread(
        const float* x, float* y, int columns, int width) {
    __shared__ float maxima[32];
    __shared__ float sums[32];
    if (width == 4) {
        softmax_row<4>(x, y, columns, maxima, sums);
    } else if (width == 2) {
        softmax_row<2>(x, y, columns, maxima, sums);
    } else {
        softmax_row<1>(x, y, columns, maxima, sums);
    }
}
