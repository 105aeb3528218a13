// Kernels over `x` (floats to load), `y` (floats to store) and their length, one thread an element.

extern "C" __global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] + x[n - 1 - i];
    }
}

// Pointers and trip counts that differ from block to block.
extern "C" __global__ void of_blocks(const float* x, float* y, int n) {
    const float* mine = x + (long long)blockIdx.x * blockDim.x;
    float sum = blockIdx.x * 0.5f + gridDim.x + blockIdx.y;
    for (int i = 0; i < blockIdx.x % 5; ++i) {
        sum += mine[i];
    }
    if (blockIdx.x % 7 < 2) {
        sum *= 2.0f;
    }
    int at = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < n) {
        y[at] = sum + mine[threadIdx.x % 3];
    }
}

// Passing values on, and threads that end early.
extern "C" __global__ void shuffled(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float value = x[i];
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, step);
    }
    y[i] = value;
}

extern "C" __global__ void misses(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[blockIdx.x >= 702 && threadIdx.x >= 40 ? i + n : i];
    }
}

// Copies between arrays, and defaults for lanes that load nothing.
extern "C" __global__ void copied(const float* x, float* y, int n) {
    int first = (blockIdx.x * 64 + threadIdx.x) * 4 % n;
    float a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        a[i] = 3.0f;
        if (first + i < n - 33000) a[i] = x[first + i];
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        b[i] = a[i];
        a[i] = a[i] * 0.5f;
    }
    float sum = a[0] + b[3];
    if (blockIdx.x % 7 == 3) sum = b[1];
    if (blockIdx.x * 64 + threadIdx.x < n) y[blockIdx.x * 64 + threadIdx.x] = sum + b[2] - a[1];
}
