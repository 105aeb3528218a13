// y = max(x, 0), four neighbouring elements per thread.

extern "C" __global__ void relu_by_four(const float* x, float* y, int count) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    //> hole: compute y for the four elements from `first` on that exist
    for (int i = first; i < first + 4 && i < count; i++) {
        y[i] = fmaxf(x[i], 0.0f);
    }
    //> end
}
