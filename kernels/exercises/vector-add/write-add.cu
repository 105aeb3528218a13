// c = a + b, one thread per element.

__global__ void add(const float* a, const float* b, float* c, int count) {
    //> hole: Find this thread's element, guard it, and add.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = a[i] + b[i];
    }
    //> end
}
