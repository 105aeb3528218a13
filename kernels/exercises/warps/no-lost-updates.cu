// total = the sum of all elements of x.

__global__ void add_up(const float* x, float* total, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < count ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        //> hole
        atomicAdd(total, sum);
        //> start
        //| total[0] += sum;
        //> end
    }
}
