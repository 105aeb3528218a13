// The sum of each row of x, a block of 256 threads per row.

__global__ void row_sums(const float* x, float* sums, int columns) {
    __shared__ float part[256];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int c = t; c < columns; c += 256) {
        sum += row[c];
    }
    //> hole
    part[t] = sum;
    __syncthreads();
    //> start
    //| if (t < columns) {
    //|     part[t] = sum;
    //|     __syncthreads();
    //| }
    //> end
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) {
            part[t] += part[t + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = part[0];
    }
}
