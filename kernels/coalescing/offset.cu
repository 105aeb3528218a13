// x from element `offset` on, to the front of y. Neighbouring lanes
// read neighbours, but where a warp begins to read depends on the
// offset.

extern "C" __global__ void copy_offset(
        const float* x, float* y, int count, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[i + offset];
    }
}
