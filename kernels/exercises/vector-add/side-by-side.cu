// y = max(x, 0). The grid is as large as the GPU, not as the data, so each
// thread has several elements.

__global__ void relu(const float* x, float* y, int count) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    //> hole: Each thread takes a piece of its own. Which elements should it take?
    for (int i = thread; i < count; i += threads) {
        y[i] = fmaxf(x[i], 0.0f);
    }
    //> start
    //| int piece = (count + threads - 1) / threads;
    //| for (int k = 0; k < piece; k++) {
    //|     int i = thread * piece + k;
    //|     if (i < count) {
    //|         y[i] = fmaxf(x[i], 0.0f);
    //|     }
    //| }
    //> end
}
