// y = x, by way of 16 KiB of shared memory per block, whatever its size.

//> hole: Choose the threads of a block, from 32 to 1024.
constexpr int THREADS = 256;
//> start
//| constexpr int THREADS = 128;
//> end

__global__ void copy(const float* x, float* y, int count) {
    __shared__ float part[4096];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        part[threadIdx.x] = x[i];
        y[i] = part[threadIdx.x];
    }
}
