// y = x, by way of shared memory. A thread copies EACH elements, a
// block apart.

//> hole: Choose the elements per thread, from 1 to 64.
constexpr int EACH = 4;
//> start
//| constexpr int EACH = 1;
//> end

__global__ void copy(const float* x, float* y, int count) {
    __shared__ float part[12288];
    int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
    for (int k = 0; k < EACH; k++) {
        int i = first + k * blockDim.x;
        if (i < count) {
            part[threadIdx.x] = x[i];
            y[i] = part[threadIdx.x];
        }
    }
}
