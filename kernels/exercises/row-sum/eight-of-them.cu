// The sum of each row of x, a block of 256 threads, which are 8 warps.

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    return value;
}

__global__ void row_sums(const float* x, float* sums, int columns) {
    __shared__ float part[32];
    const float* row = x + blockIdx.x * columns;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += 256) {
        sum += row[c];
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        part[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        //> hole
        sum = warp_sum(lane < 8 ? part[lane] : 0.0f);
        //> start
        //| sum = warp_sum(part[lane]);
        //> end
        if (lane == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
