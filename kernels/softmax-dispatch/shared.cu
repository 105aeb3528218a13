// Softmax of rows that are too long for one warp's registers: one block
// per row. The row is read once, in packs, into shared memory; the
// maximum, the exponentials and the results all come from there.

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

// One row of `count` packs. The first `kept` of them stay in shared
// memory; what is beyond them is read again each time it is needed.
template <int WIDTH>
__device__ void softmax_row(
        const float* x, float* y, int columns, int kept, float* part,
        float* maxima, float* sums) {
    int count = columns / WIDTH;
    int t = threadIdx.x;
    const Pack<WIDTH>* row = reinterpret_cast<const Pack<WIDTH>*>(x) +
                             blockIdx.x * count;
    Pack<WIDTH>* out =
            reinterpret_cast<Pack<WIDTH>*>(y) + blockIdx.x * count;
    Pack<WIDTH>* held = reinterpret_cast<Pack<WIDTH>*>(part);

    // Each thread later reads only what it wrote here: no barrier for
    // that.
    float maximum = LOWEST;
    for (int place = t; place < kept; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
        held[place] = pack;
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            maximum = fmaxf(maximum, pack.at[i]);
        }
    }
    for (int place = kept + t; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            maximum = fmaxf(maximum, pack.at[i]);
        }
    }
    maximum = block_max(maximum, maxima);

    float sum = 0.0f;
    for (int place = t; place < kept; place += blockDim.x) {
        Pack<WIDTH> pack = held[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = expf(pack.at[i] - maximum);
            sum += pack.at[i];
        }
        held[place] = pack;
    }
    for (int place = kept + t; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            sum += expf(pack.at[i] - maximum);
        }
    }
    sum = block_sum(sum, sums);

    for (int place = t; place < kept; place += blockDim.x) {
        Pack<WIDTH> pack = held[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = pack.at[i] / sum;
        }
        out[place] = pack;
    }
    for (int place = kept + t; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = expf(pack.at[i] - maximum) / sum;
        }
        out[place] = pack;
    }
}

// `width` is 1, 2 or 4 and divides `columns`; `kept` columns, a
// multiple of it, have room in the shared memory of the launch. The
// bounds leave each thread 32 registers: who chooses the block's size
// counts on that.
extern "C" __global__ void __launch_bounds__(1024, 2) softmax_shared(
        const float* x, float* y, int columns, int width, int kept) {
    extern __shared__ float4 part[];
    __shared__ float maxima[32];
    __shared__ float sums[32];
    float* row = reinterpret_cast<float*>(part);
    if (width == 4) {
        softmax_row<4>(x, y, columns, kept / 4, row, maxima, sums);
    } else if (width == 2) {
        softmax_row<2>(x, y, columns, kept / 2, row, maxima, sums);
    } else {
        softmax_row<1>(x, y, columns, kept, row, maxima, sums);
    }
}
