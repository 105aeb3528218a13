// Softmax of rows of any length: three kernels, one for each place
// where a row can stay. Host code looks at the length and launches one
// of them, so that each has only the registers that it needs itself.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu

// Floats that are loaded and stored together. Their address has to be a
// multiple of their size: that is why rows must be multiples of WIDTH.
template <int WIDTH>
struct __align__(4 * WIDTH) Pack {
    float at[WIDTH];
};

// The largest of the values of a row's lanes. They are neighbours, so
// offsets below their number never reach into another row.
__device__ float row_max(float value, int lanes) {
    for (int offset = lanes / 2; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, offset));
    }
    return value;
}

__device__ float row_sum(float value, int lanes) {
    for (int offset = lanes / 2; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, offset);
    }
    return value;
}

// One row of `count` packs, HELD of them per lane; more than one only
// where a row has all 32 lanes.
template <int WIDTH, int HELD>
__device__ void row_in_registers(
        const Pack<WIDTH>* row, Pack<WIDTH>* out, int count,
        int lanes) {
    int lane = threadIdx.x % lanes;
    float held[HELD][WIDTH];

    float maximum = LOWEST;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int place = 32 * k + lane;
        Pack<WIDTH> pack;
        if (place < count) {
            pack = row[place];
        }
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            held[k][i] = place < count ? pack.at[i] : LOWEST;
            maximum = fmaxf(maximum, held[k][i]);
        }
    }
    maximum = row_max(maximum, lanes);

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            bool inside = 32 * k + lane < count;
            held[k][i] = inside ? expf(held[k][i] - maximum) : 0.0f;
            sum += held[k][i];
        }
    }
    sum = row_sum(sum, lanes);

#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int place = 32 * k + lane;
        Pack<WIDTH> pack;
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = held[k][i] / sum;
        }
        if (place < count) {
            out[place] = pack;
        }
    }
}

// The row in packs of WIDTH, with the fewest registers that hold it.
// Lanes of rows past the end stay for the shuffles, with a row of no
// packs.
template <int WIDTH>
__device__ void softmax_packs(
        const float* x, float* y, int r, int rows, int columns,
        int lanes) {
    int count = columns / WIDTH;
    const Pack<WIDTH>* row =
            reinterpret_cast<const Pack<WIDTH>*>(x) + r * count;
    Pack<WIDTH>* out = reinterpret_cast<Pack<WIDTH>*>(y) + r * count;
    if (r >= rows) {
        count = 0;
    }
    if (count <= 32) {
        row_in_registers<WIDTH, 1>(row, out, count, lanes);
    } else if (count <= 64) {
        row_in_registers<WIDTH, 2>(row, out, count, lanes);
    } else if (count <= 128) {
        row_in_registers<WIDTH, 4>(row, out, count, lanes);
    } else {
        row_in_registers<WIDTH, 32 / WIDTH>(row, out, count, lanes);
    }
}

// The largest value, or the sum, of all threads of a block: each
// warp's, then every warp takes all of those together.
__device__ float block_max(float value, float* of_warps) {
    value = row_max(value, 32);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = lane < blockDim.x / 32 ? of_warps[lane] : LOWEST;
    return row_max(value, 32);
}

__device__ float block_sum(float value, float* of_warps) {
    value = row_sum(value, 32);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = lane < blockDim.x / 32 ? of_warps[lane] : 0.0f;
    return row_sum(value, 32);
}

// The second path: the row is read once, into shared memory.
template <int WIDTH>
__device__ void row_in_shared(
        const float* x, float* y, int columns, float* part,
        float* maxima, float* sums) {
    int count = columns / WIDTH;
    const Pack<WIDTH>* row = reinterpret_cast<const Pack<WIDTH>*>(x) +
                             blockIdx.x * count;
    Pack<WIDTH>* out =
            reinterpret_cast<Pack<WIDTH>*>(y) + blockIdx.x * count;
    Pack<WIDTH>* held = reinterpret_cast<Pack<WIDTH>*>(part);

    float maximum = LOWEST;
    for (int place = threadIdx.x; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = row[place];
        held[place] = pack;
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            maximum = fmaxf(maximum, pack.at[i]);
        }
    }
    maximum = block_max(maximum, maxima);

    float sum = 0.0f;
    for (int place = threadIdx.x; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = held[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = expf(pack.at[i] - maximum);
            sum += pack.at[i];
        }
        held[place] = pack;
    }
    sum = block_sum(sum, sums);

    for (int place = threadIdx.x; place < count; place += blockDim.x) {
        Pack<WIDTH> pack = held[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = pack.at[i] / sum;
        }
        out[place] = pack;
    }
}

// The third path: nothing is kept, and the row is read three times.
template <int WIDTH>
__device__ void row_again(
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

// Up to 1024 columns: a row has `lanes` lanes, and stays in their
// registers.
extern "C" __global__ void __launch_bounds__(128, 8) softmax_short(
        const float* x, float* y, int rows, int columns, int width,
        int lanes) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;
    if (width == 4) {
        softmax_packs<4>(x, y, r, rows, columns, lanes);
    } else if (width == 2) {
        softmax_packs<2>(x, y, r, rows, columns, lanes);
    } else {
        softmax_packs<1>(x, y, r, rows, columns, lanes);
    }
}

// A block per row, with room for the row in shared memory.
extern "C" __global__ void __launch_bounds__(1024, 2) softmax_middle(
        const float* x, float* y, int columns, int width) {
    extern __shared__ float4 part[];
    __shared__ float maxima[32];
    __shared__ float sums[32];
    float* row = reinterpret_cast<float*>(part);
    if (width == 4) {
        row_in_shared<4>(x, y, columns, row, maxima, sums);
    } else if (width == 2) {
        row_in_shared<2>(x, y, columns, row, maxima, sums);
    } else {
        row_in_shared<1>(x, y, columns, row, maxima, sums);
    }
}

// A block per row, which stays nowhere.
extern "C" __global__ void __launch_bounds__(1024, 2)
        softmax_long(const float* x, float* y, int columns, int width) {
    __shared__ float maxima[32];
    __shared__ float sums[32];
    if (width == 4) {
        row_again<4>(x, y, columns, maxima, sums);
    } else if (width == 2) {
        row_again<2>(x, y, columns, maxima, sums);
    } else {
        row_again<1>(x, y, columns, maxima, sums);
    }
}
