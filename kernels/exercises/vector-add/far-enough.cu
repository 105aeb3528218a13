// y = max(x, 0), element by element.

__global__ void relu(const float* x, float* y, int count) {
    //> hole
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    //> start
    //| short i = blockIdx.x * blockDim.x + threadIdx.x;
    //> end
    if (i < count) {
        y[i] = fmaxf(x[i], 0.0f);
    }
}
