// Each block reverses 256 elements of x, by way of shared memory.

__global__ void reverse_blocks(const float* x, float* y, int count) {
    __shared__ float part[256];
    int first = blockIdx.x * 256;
    int size = min(256, count - first);
    //> order: Put these lines in order. One of them is not needed: delete it.
    int t = threadIdx.x;
    if (t < size) part[t] = x[first + t];
    __syncthreads();
    if (t < size) y[first + t] = part[size - 1 - t];
    //> start
    //| if (t < size) __syncthreads();
    //> end
}
