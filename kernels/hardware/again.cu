// How many bytes a second come from each level of the memory? Every
// block reads a slice of x in each pass. With a shift of 0 it is the
// same slice in every pass, and the L1 of its SM can keep it. With a
// shift of 1 it goes on to the next slice, which it has not read
// before: other blocks have, on other SMs, and only L2 can have it.

extern "C" __global__ void again(
        const float* x, float* largest, int slice, int passes,
        int shift) {
    float found = 0.0f;
    for (int pass = 0; pass < passes; pass++) {
        int turn = (blockIdx.x + pass * shift) % gridDim.x;
        const float* from = x + turn * slice;
        for (int i = threadIdx.x; i < slice; i += blockDim.x) {
            found = fmaxf(found, from[i]);
        }
    }
    // Something has to come of what was read: a compiler leaves out
    // loads that nobody needs.
    largest[blockIdx.x * blockDim.x + threadIdx.x] = found;
}
