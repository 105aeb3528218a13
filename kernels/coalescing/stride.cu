// Every stride-th element of x, packed into y. Neighbouring lanes read
// elements that lie `stride` apart; what they write lies side by side.

extern "C" __global__ void copy_stride(
        const float* x, float* y, int count, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[i * stride];
    }
}
