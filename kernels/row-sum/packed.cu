// As four.cu, with loads of 16 bytes: each of the four sums takes packs
// of four neighbouring columns, so 16 columns are under way per thread.
// Rows whose length is no multiple of four begin where packs cannot:
// they are loaded as single floats.

__device__ float sum_of(float v) {
    return v;
}

__device__ float sum_of(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}

// The sum of one row of `count` packs, by all threads of a block.
template <class Pack>
__device__ void row_sum(const Pack* row, float* sum_of_row, int count) {
    __shared__ float of_warp[32];
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    int width = blockDim.x;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    int at = t;
    // All four loads stand before the first sum that needs one.
    for (; at + 3 * width < count; at += 4 * width) {
        Pack u = row[at];
        Pack v = row[at + width];
        Pack w = row[at + 2 * width];
        Pack z = row[at + 3 * width];
        a += sum_of(u);
        b += sum_of(v);
        c += sum_of(w);
        d += sum_of(z);
    }
    // What is left of the row.
    for (; at < count; at += width) {
        a += sum_of(row[at]);
    }
    float sum = (a + b) + (c + d);
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (lane == 0) {
        of_warp[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? of_warp[lane] : 0.0f;
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, step);
        }
        if (lane == 0) {
            *sum_of_row = sum;
        }
    }
}

extern "C" __global__ void row_sum_packed(
        const float* x, float* sums, int columns) {
    const float* row = x + (long)blockIdx.x * columns;
    float* sum = sums + blockIdx.x;
    if (columns % 4 == 0) {
        row_sum(reinterpret_cast<const float4*>(row), sum, columns / 4);
    } else {
        row_sum(row, sum, columns);
    }
}
