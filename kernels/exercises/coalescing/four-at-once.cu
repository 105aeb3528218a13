// y = x. Thread i has the elements 4 i to 4 i + 3.

__global__ void copy(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    //> hole
    if (i < count / 4) {
        float4 pack = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(y)[i] = pack;
    }
    // What fills no pack goes to the first threads.
    if (i < count % 4) {
        int rest = count / 4 * 4 + i;
        y[rest] = x[rest];
    }
    //> start
    //| for (int k = 4 * i; k < 4 * i + 4 && k < count; k++) {
    //|     y[k] = x[k];
    //| }
    //> end
}
