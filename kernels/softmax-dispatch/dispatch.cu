// Softmax of rows of any length, three ways in one kernel: rows of up to 1024
// columns in registers, several a warp if they are short; longer rows a block
// each, through shared memory as far as that goes; the rest by re-reading.
// Who launches it chooses grid, block and shared memory to match.

// Below every finite float.
#define LOWEST (-3.402823466e+38f)
#define ALL_LANES 0xffffffffu
// The longest row of the first way: 32 lanes with 32 registers each.
#define HELD_COLUMNS 1024

// Floats that are loaded and stored together. Their address has to be a
// multiple of their size: that is why rows must be multiples of WIDTH.
template <int WIDTH>
struct __align__(4 * WIDTH) Pack {
    float at[WIDTH];
};

// The largest of the values of a row's lanes. They are neighbours, so offsets
// below their number never reach into another row.
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

// One row of `count` packs, HELD of them a lane; more than one only where a
// row has all 32 lanes.
template <int WIDTH, int HELD>
__device__ void softmax_row(const Pack<WIDTH>* row, Pack<WIDTH>* out,
                            int count, int lanes) {
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

// The row in packs of WIDTH, with the fewest registers that hold it. Lanes of
// rows past the end stay for the shuffles, with a row of no packs.
template <int WIDTH>
__device__ void softmax_packs(const float* x, float* y, int r, int rows,
                              int columns, int lanes) {
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

// The largest value, or the sum, of all threads of a block: each warp's, then
// every warp takes all of those together.
__device__ float block_max(float value, float* of_warps) {
    value = row_max(value, 32);
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    return row_max(lane < blockDim.x / 32 ? of_warps[lane] : LOWEST, 32);
}

__device__ float block_sum(float value, float* of_warps) {
    value = row_sum(value, 32);
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    return row_sum(lane < blockDim.x / 32 ? of_warps[lane] : 0.0f, 32);
}

// The second way: the row is read once, into shared memory.
__device__ void softmax_kept(const float* row, float* out, int columns,
                             float* part, float* maxima, float* sums) {
    float maximum = LOWEST;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        part[column] = row[column];
        maximum = fmaxf(maximum, part[column]);
    }
    maximum = block_max(maximum, maxima);
    float sum = 0.0f;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        part[column] = expf(part[column] - maximum);
        sum += part[column];
    }
    sum = block_sum(sum, sums);
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        out[column] = part[column] / sum;
    }
}

// The third way: nothing is kept, and the row is read three times.
__device__ void softmax_reread(const float* row, float* out, int columns,
                               float* maxima, float* sums) {
    float maximum = LOWEST;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        maximum = fmaxf(maximum, row[column]);
    }
    maximum = block_max(maximum, maxima);
    float sum = 0.0f;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        sum += expf(row[column] - maximum);
    }
    sum = block_sum(sum, sums);
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        out[column] = expf(row[column] - maximum) / sum;
    }
}

// `width`, `lanes`: of the first way, as in groups.cu. `most`: the longest row
// of the second way. It and the third launch blocks of 1024 threads: the bound
// has the compiler leave registers for so many, whichever way is taken.
extern "C" __global__ void __launch_bounds__(1024)
    softmax_dispatch(const float* x, float* y, int rows, int columns,
                     int width, int lanes, int most) {
    extern __shared__ float part[];
    __shared__ float maxima[32];
    __shared__ float sums[32];
    const float* row = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;
    if (columns > most) {
        softmax_reread(row, out, columns, maxima, sums);
    } else if (columns > HELD_COLUMNS) {
        softmax_kept(row, out, columns, part, maxima, sums);
    } else if (width == 4) {
        softmax_packs<4>(x, y, r, rows, columns, lanes);
    } else if (width == 2) {
        softmax_packs<2>(x, y, r, rows, columns, lanes);
    } else {
        softmax_packs<1>(x, y, r, rows, columns, lanes);
    }
}
