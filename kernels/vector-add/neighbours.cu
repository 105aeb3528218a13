// c = a + b, several elements per thread, and those are neighbours:
// thread 0 takes the first few, thread 1 the next few. Natural on a
// CPU. Here the lanes of a warp are apart whenever they load together.

extern "C" __global__ void add_neighbours(
        const float* a, const float* b, float* c, int count, int each) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int k = 0; k < each; k++) {
        int i = first + k;
        if (i < count) {
            c[i] = a[i] + b[i];
        }
    }
}
