// Copies x to y, several elements per thread. A thread asks for all of
// them before it stores the first.

#define EACH 8  // elements per thread

extern "C" __global__ void copy_many(const float* x, float* y, int n) {
    int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
    float value[EACH];
    // Neighbouring lanes take neighbouring elements in every step.
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = first + k * blockDim.x;
        if (i < n) {
            value[k] = x[i];
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = first + k * blockDim.x;
        if (i < n) {
            y[i] = value[k];
        }
    }
}
