// Softmax of short rows, several rows per warp: a row gets only as many
// lanes as it has packs, a power of two, and the warp's other lanes
// take other rows. A row of more than 16 packs has the whole warp, as
// in packed.cu.

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
__device__ void softmax_row(
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
#pragma unroll 1
    for (int place = HELD_COLUMNS / WIDTH + lane; place < count;
         place += 32) {
        Pack<WIDTH> pack = row[place];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            sum += expf(pack.at[i] - maximum);
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
        softmax_row<WIDTH, 1>(row, out, count, lanes);
    } else if (count <= 64) {
        softmax_row<WIDTH, 2>(row, out, count, lanes);
    } else if (count <= 128) {
        softmax_row<WIDTH, 4>(row, out, count, lanes);
    } else {
        softmax_row<WIDTH, 32 / WIDTH>(row, out, count, lanes);
    }
}

// `width` is 1, 2 or 4, and divides `columns`. `lanes` of a row are a
// power of two: as many as there are packs, or all 32.
extern "C" __global__ void __launch_bounds__(128, 8) softmax_groups(
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
