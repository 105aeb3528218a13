// Copies x to y, several elements a thread. A thread asks for all of its
// elements before it needs the first: so one warp has as much on its way as
// several warps of copy_one, and pays for it with registers.

#define EACH 8  // elements a thread

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
