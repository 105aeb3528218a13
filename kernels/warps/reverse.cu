// Each warp's 32 elements from their end, without memory in between: a
// lane reads the register of another lane.

extern "C" __global__ void reverse_warps(
        const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float value = 0.0f;
    if (i < count) {
        value = x[i];
    }
    // The last warp may have fewer elements than lanes.
    int mine = min(32, count - (i - lane));
    // Not under the guard: all 32 lanes have to take part.
    float other = __shfl_sync(0xffffffff, value, mine - 1 - lane);
    if (i < count) {
        y[i] = other;
    }
}
