// Each block turns its elements around by way of shared memory: a
// thread puts its own element down, and picks up one that another
// thread put down.

extern "C" __global__ void reverse_blocks(
        const float* x, float* y, int count) {
    __shared__ float tile[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    // The last block may have fewer elements than threads.
    int mine = min(256, count - (i - t));
    if (i < count) {
        tile[t] = x[i];
    }
    __syncthreads();
    if (i < count) {
        y[i] = tile[mine - 1 - t];
    }
}
