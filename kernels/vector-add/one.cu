// c = a + b, one thread per element. The smallest useful kernel: which
// element is mine, is there such an element, do the work.

extern "C" __global__ void add_one(
        const float* a, const float* b, float* c, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = a[i] + b[i];
    }
}
