// Softmax of short rows: one warp per row. Each lane keeps its columns
// in registers, so the row is read once, and the lanes exchange the
// maximum and the sum by shuffles: no shared memory, no barrier.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu
// Columns that a warp can hold: 32 lanes with 32 registers each.
#define HELD_COLUMNS 1024

// The largest of the values of all lanes, for every lane.
__device__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, offset));
    }
    return value;
}

// The sum of the values of all lanes, for every lane.
__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, offset);
    }
    return value;
}

// One row with HELD columns per lane. HELD is known when the kernel is
// compiled: only then can `held` be registers, which have no addresses.
template <int HELD>
__device__ void softmax_row(const float* row, float* out, int columns) {
    int lane = threadIdx.x % 32;
    float held[HELD];

    // Columns past the end of the row are padding: they change no
    // maximum.
    float maximum = LOWEST;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int column = 32 * k + lane;
        held[k] = column < columns ? row[column] : LOWEST;
        maximum = fmaxf(maximum, held[k]);
    }
    // What no register is left for has to be read each time it is
    // needed. Not unrolled: that would take registers from `held`.
#pragma unroll 1
    for (int column = HELD_COLUMNS + lane; column < columns;
         column += 32) {
        maximum = fmaxf(maximum, row[column]);
    }
    maximum = warp_max(maximum);

    // The exponential of padding is zero: it changes no sum.
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        bool inside = 32 * k + lane < columns;
        held[k] = inside ? expf(held[k] - maximum) : 0.0f;
        sum += held[k];
    }
#pragma unroll 1
    for (int column = HELD_COLUMNS + lane; column < columns;
         column += 32) {
        sum += expf(row[column] - maximum);
    }
    sum = warp_sum(sum);

#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int column = 32 * k + lane;
        if (column < columns) {
            out[column] = held[k] / sum;
        }
    }
#pragma unroll 1
    for (int column = HELD_COLUMNS + lane; column < columns;
         column += 32) {
        out[column] = expf(row[column] - maximum) / sum;
    }
}

// The fewest registers that hold the row: each step of the unrolled
// loops costs time, even where all it handles is padding. The bounds
// tell the compiler how many threads a block has, and how many blocks
// an SM should have registers for.
extern "C" __global__ void __launch_bounds__(128, 8)
        softmax_warp(const float* x, float* y, int rows, int columns) {
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (r >= rows) {
        return;  // The whole warp: all its lanes have the same row.
    }
    const float* row = x + r * columns;
    float* out = y + r * columns;
    if (columns <= 32) {
        softmax_row<1>(row, out, columns);
    } else if (columns <= 64) {
        softmax_row<2>(row, out, columns);
    } else if (columns <= 128) {
        softmax_row<4>(row, out, columns);
    } else if (columns <= 256) {
        softmax_row<8>(row, out, columns);
    } else {
        softmax_row<32>(row, out, columns);
    }
}
