// c = a + b, several elements per thread, and those are a block apart:
// the block takes a tile as wide as itself, then the next tile. In each
// tile neighbouring threads take neighbouring elements.

extern "C" __global__ void add_tiles(
        const float* a, const float* b, float* c, int count, int each) {
    int first = blockIdx.x * blockDim.x * each + threadIdx.x;
    for (int k = 0; k < each; k++) {
        int i = first + k * blockDim.x;
        if (i < count) {
            c[i] = a[i] + b[i];
        }
    }
}
