// y[i] = x[index[i]]: elements in the order that a list of indices
// gives. The indices themselves are read in order, one after the other.

extern "C" __global__ void gather(
        const float* x, const int* index, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[index[i]];
    }
}
