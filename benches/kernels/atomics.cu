// Kernels whose threads change the same memory.

extern "C" __global__ void histogram_shared(const int* x, int* bins, int n) {
    __shared__ int t[256];
    t[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&t[x[i] & 255], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], t[threadIdx.x]);
}

extern "C" __global__ void histogram_global(const int* x, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i] & 255], 1);
}

// One counter for all.
extern "C" __global__ void count(const int* x, int* counter, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 3 == 0) atomicAdd(counter, 1);
}

extern "C" __global__ void scatter_add(const float* x, const int* index, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[index[i] & 4095], x[i]);
}

// The greatest, by compare and swap.
extern "C" __global__ void greatest(const float* x, int* most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int old = *most;
        while (x[i] > __int_as_float(old)) {
            int seen = atomicCAS(most, old, __float_as_int(x[i]));
            if (seen == old) break;
            old = seen;
        }
    }
}

// Keeps the multiples of 3: one atomic operation for each warp.
extern "C" __global__ void compact(const int* x, int* kept, int* counter, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keeps = i < n && x[i] % 3 == 0;
    unsigned mask = __ballot_sync(0xffffffff, keeps);
    int first = 0;
    if (lane == 0) first = atomicAdd(counter, __popc(mask));
    first = __shfl_sync(0xffffffff, first, 0);
    if (keeps) kept[first + __popc(mask & ((1u << lane) - 1))] = x[i];
}
