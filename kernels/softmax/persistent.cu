// Softmax of each row of x with a fixed number of blocks: as many as
// the GPU holds at once, however many rows there are. A block takes one
// row after the other, and asks for its next row before it works on the
// present one.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu
// Columns that a thread can hold of one row.
#define MOST_HELD 16

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

// This thread's columns of a row, into registers. None of a row past
// the end.
template <int HELD>
__device__ void load_row(
        const float* x, int r, int rows, int columns, float* held) {
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        int column = k * blockDim.x + threadIdx.x;
        bool inside = r < rows && column < columns;
        held[k] = inside ? x[r * columns + column] : LOWEST;
    }
}

// HELD columns a thread. HELD is known when the kernel is compiled, so
// that `held` and `next` are registers.
template <int HELD>
__device__ void softmax_rows(
        const float* x, float* y, int rows, int columns) {
    __shared__ float maxima[32];
    __shared__ float sums[32];
    int t = threadIdx.x;
    int lane = t % 32;
    int warps = blockDim.x / 32;
    float held[HELD];
    float next[HELD];

    load_row<HELD>(x, blockIdx.x, rows, columns, held);
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        // These loads are on their way while the block works on row r.
        load_row<HELD>(x, r + gridDim.x, rows, columns, next);
        const float* row = x + r * columns;
        float* out = y + r * columns;
        // What no register is left for is read each time it is needed.
        int rest = HELD * blockDim.x + t;

        float maximum = LOWEST;
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            maximum = fmaxf(maximum, held[k]);
        }
        for (int column = rest; column < columns;
             column += blockDim.x) {
            maximum = fmaxf(maximum, row[column]);
        }
        // Each warp's maximum, then every warp takes the largest of
        // them.
        maximum = warp_max(maximum);
        if (lane == 0) {
            maxima[t / 32] = maximum;
        }
        __syncthreads();
        maximum = warp_max(lane < warps ? maxima[lane] : LOWEST);

        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            bool inside = k * blockDim.x + t < columns;
            held[k] = inside ? expf(held[k] - maximum) : 0.0f;
            sum += held[k];
        }
        for (int column = rest; column < columns;
             column += blockDim.x) {
            sum += expf(row[column] - maximum);
        }
        sum = warp_sum(sum);
        if (lane == 0) {
            sums[t / 32] = sum;
        }
        __syncthreads();
        sum = warp_sum(lane < warps ? sums[lane] : 0.0f);

#pragma unroll
        for (int k = 0; k < HELD; k++) {
            int column = k * blockDim.x + t;
            if (column < columns) {
                out[column] = held[k] / sum;
            }
            held[k] = next[k];
        }
        for (int column = rest; column < columns;
             column += blockDim.x) {
            out[column] = expf(row[column] - maximum) / sum;
        }
    }
}

// The fewest registers that hold the row. The bounds tell the compiler
// how many threads a block has at most, and how many blocks an SM
// should have registers for.
extern "C" __global__ void __launch_bounds__(256, 4) softmax_persistent(
        const float* x, float* y, int rows, int columns) {
    if (columns <= 4 * blockDim.x) {
        softmax_rows<4>(x, y, rows, columns);
    } else {
        softmax_rows<MOST_HELD>(x, y, rows, columns);
    }
}
