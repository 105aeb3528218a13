// y = max(x, 0), element by element. The grid has whole blocks, so some
// threads have no element.

__global__ void relu(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    //> hole
    if (i < count) {
    //> start
    //| if (i <= count) {
    //> end
        y[i] = fmaxf(x[i], 0.0f);
    }
}
