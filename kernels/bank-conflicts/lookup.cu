// y[i] = table[codes[i]]: a code of one byte stands for one of 256
// floats. This is how numbers that were squeezed into bytes are
// unpacked. Each block of 256 threads keeps the table in shared memory,
// one entry per thread.

extern "C" __global__ void look_up(
        const float* table, const unsigned char* codes, float* y,
        int count) {
    __shared__ float entries[256];
    entries[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = entries[codes[i]];
    }
}
