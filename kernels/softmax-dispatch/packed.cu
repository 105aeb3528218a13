// Softmax of short rows, one warp per row, with packed loads: a lane
// asks for 2 or 4 neighbouring columns at once, so a row takes fewer
// requests.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu
// Columns that a warp can hold: 32 lanes with 32 registers each.
#define HELD_COLUMNS 1024

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

// One row of `count` packs, HELD of them per lane.
template <int WIDTH, int HELD>
__device__ void softmax_row(
        const Pack<WIDTH>* row, Pack<WIDTH>* out, int count) {
    int lane = threadIdx.x % 32;
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
    // What no register is left for. Not unrolled: that would take
    // registers from `held`.
#pragma unroll 1
    for (int place = HELD_COLUMNS / WIDTH + lane; place < count;
         place += 32) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            maximum = fmaxf(maximum, pack.at[i]);
        }
    }
    maximum = warp_max(maximum);

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
#pragma unroll 1
    for (int place = HELD_COLUMNS / WIDTH + lane; place < count;
         place += 32) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            sum += expf(pack.at[i] - maximum);
        }
    }
    sum = warp_sum(sum);

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
#pragma unroll 1
    for (int place = HELD_COLUMNS / WIDTH + lane; place < count;
         place += 32) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            pack.at[i] = expf(pack.at[i] - maximum) / sum;
        }
        out[place] = pack;
    }
}

// The row in packs of WIDTH, with the fewest registers that hold it.
template <int WIDTH>
__device__ void softmax_packs(
        const float* x, float* y, int r, int columns) {
    int count = columns / WIDTH;
    const Pack<WIDTH>* row =
            reinterpret_cast<const Pack<WIDTH>*>(x) + r * count;
    Pack<WIDTH>* out = reinterpret_cast<Pack<WIDTH>*>(y) + r * count;
    if (count <= 32) {
        softmax_row<WIDTH, 1>(row, out, count);
    } else if (count <= 64) {
        softmax_row<WIDTH, 2>(row, out, count);
    } else if (count <= 128) {
        softmax_row<WIDTH, 4>(row, out, count);
    } else {
        softmax_row<WIDTH, 32 / WIDTH>(row, out, count);
    }
}

// `width` is 1, 2 or 4, and divides `columns`.
extern "C" __global__ void __launch_bounds__(128, 8) softmax_packed(
        const float* x, float* y, int rows, int columns, int width) {
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (r >= rows) {
        return;
    }
    if (width == 4) {
        softmax_packs<4>(x, y, r, columns);
    } else if (width == 2) {
        softmax_packs<2>(x, y, r, columns);
    } else {
        softmax_packs<1>(x, y, r, columns);
    }
}
