// Softmax, or its logarithm, of rows that registers hold: of one warp
// if they do, else of a block. Each kernel has only the registers that
// it needs, and host code picks it by the length of a row.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu
// Packs per thread where a row has a whole block.
#define HELD_BY_BLOCK 8

// Floats that are loaded and stored together.
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

// Every step-th pack of a row of `count` packs, from the first-th on.
// All loads stand before the first use. Padding changes no maximum, and
// its exponential is zero.
template <int WIDTH, int HELD>
__device__ void load(
        const Pack<WIDTH>* row, Pack<WIDTH>* held, int first, int step,
        int count) {
#pragma unroll
    for (int k = 0; k < HELD; k++) {
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            held[k].at[i] = LOWEST;
        }
        if (first + k * step < count) {
            held[k] = row[first + k * step];
        }
    }
}

// The largest of all that a warp holds.
template <int WIDTH, int HELD>
__device__ float largest(const Pack<WIDTH>* held) {
    float maximum = LOWEST;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            maximum = fmaxf(maximum, held[k].at[i]);
        }
    }
    return warp_max(maximum);
}

// The sum of a warp's exponentials; they take the values' place, unless
// the logarithm needs those.
template <int WIDTH, int HELD, bool LOG>
__device__ float exponentials(Pack<WIDTH>* held, float maximum) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            float e = __expf(held[k].at[i] - maximum);
            sum += e;
            if (!LOG) {
                held[k].at[i] = e;
            }
        }
    }
    return warp_sum(sum);
}

// Results: one multiplication or one subtraction per element.
template <int WIDTH, int HELD, bool LOG>
__device__ void store(
        Pack<WIDTH>* out, Pack<WIDTH>* held, float change, int first,
        int step, int count) {
#pragma unroll
    for (int k = 0; k < HELD; k++) {
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            float value = held[k].at[i];
            held[k].at[i] = LOG ? value - change : value * change;
        }
        if (first + k * step < count) {
            out[first + k * step] = held[k];
        }
    }
}

// One warp per row of at most 32 * HELD packs: no barrier.
template <int WIDTH, int HELD, bool LOG>
__device__ void row_of_warp(
        const float* x, float* y, int rows, int columns) {
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (r >= rows) {
        return;
    }
    int count = columns / WIDTH;
    int lane = threadIdx.x % 32;
    Pack<WIDTH> held[HELD];
    load<WIDTH, HELD>(
            reinterpret_cast<const Pack<WIDTH>*>(x) + r * count, held,
            lane, 32, count);
    float maximum = largest<WIDTH, HELD>(held);
    float sum = exponentials<WIDTH, HELD, LOG>(held, maximum);
    float change = LOG ? maximum + logf(sum) : 1.0f / sum;
    store<WIDTH, HELD, LOG>(
            reinterpret_cast<Pack<WIDTH>*>(y) + r * count, held, change,
            lane, 32, count);
}

// One block per row, and one barrier: each warp has the maximum and the
// sum of its own part, and every warp merges all parts.
template <int WIDTH, int HELD, bool LOG>
__device__ void row_of_block(const float* x, float* y, int columns) {
    __shared__ float2 parts[32];
    int count = columns / WIDTH;
    int t = threadIdx.x;
    int lane = t % 32;
    const Pack<WIDTH>* in = reinterpret_cast<const Pack<WIDTH>*>(x);
    Pack<WIDTH> held[HELD];
    load<WIDTH, HELD>(
            in + blockIdx.x * count, held, t, blockDim.x, count);
    float maximum = largest<WIDTH, HELD>(held);
    float sum = exponentials<WIDTH, HELD, LOG>(held, maximum);
    if (lane == 0) {
        parts[t / 32] = make_float2(maximum, sum);
    }
    __syncthreads();
    float2 part = make_float2(LOWEST, 0.0f);
    if (lane < blockDim.x / 32) {
        part = parts[lane];
    }
    // A sum that was taken of a smaller maximum is corrected to the
    // largest.
    float all = warp_max(part.x);
    float total = warp_sum(part.y * __expf(part.x - all));
    float change = LOG ? all + logf(total)
                       : __expf(maximum - all) / total;
    store<WIDTH, HELD, LOG>(
            reinterpret_cast<Pack<WIDTH>*>(y) + blockIdx.x * count,
            held, change, t, blockDim.x, count);
}

// A kernel for each number of packs that a lane holds. An SM should
// have registers for eight of its blocks; with 64 floats per lane, for
// five.
#define WARP(NAME, WIDTH, HELD, LOG)                             \
    extern "C" __global__ void                                   \
    __launch_bounds__(128, WIDTH * HELD > 32 ? 5 : 8)            \
    NAME##_##WIDTH##_##HELD(                                     \
            const float* x, float* y, int rows, int columns) {   \
        row_of_warp<WIDTH, HELD, LOG>(x, y, rows, columns);      \
    }
#define BLOCK(NAME, WIDTH, HELD, LOG)                            \
    extern "C" __global__ void __launch_bounds__(1024)           \
    NAME##_##WIDTH(const float* x, float* y, int columns) {      \
        row_of_block<WIDTH, HELD, LOG>(x, y, columns);           \
    }
#define KERNELS(WARPS, BLOCKS, LOG)                              \
    WARP(WARPS, 4, 1, LOG)                                       \
    WARP(WARPS, 4, 2, LOG)                                       \
    WARP(WARPS, 4, 4, LOG)                                       \
    WARP(WARPS, 4, 8, LOG)                                       \
    WARP(WARPS, 4, 16, LOG)                                      \
    WARP(WARPS, 1, 8, LOG)                                       \
    WARP(WARPS, 1, 16, LOG)                                      \
    WARP(WARPS, 1, 32, LOG)                                      \
    BLOCK(BLOCKS, 4, HELD_BY_BLOCK, LOG)                         \
    BLOCK(BLOCKS, 1, 4 * HELD_BY_BLOCK, LOG)

KERNELS(softmax_warp, softmax_block, false)
KERNELS(log_softmax_warp, log_softmax_block, true)
