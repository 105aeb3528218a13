// c = a + b: each thread adds one element.

__global__ void add(const float* a, const float* b, float* c, int count) {
    //> hole: Which element is this thread's?
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    //> start
    //| int i = 0;
    //> end
    if (i < count) {
        c[i] = a[i] + b[i];
    }
}
