// y = max(x, 0), one thread per element.

extern "C" __global__ void relu(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = fmaxf(x[i], 0.0f);
    }
}
