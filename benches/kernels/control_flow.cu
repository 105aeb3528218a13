// Kernels whose threads part, or have memory of their own.

extern "C" __global__ void switches(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = x[i];
        switch (value & 3) {
            case 0: value = value * 3 + 1; break;
            case 1: value = value ^ 0x55; break;
            case 2: value = value >> 2; break;
            default: value = value - 7;
        }
        y[i] = value;
    }
}

// Steps until 1 is reached.
extern "C" __global__ void collatz(const int* x, int* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned value = x[i] & 1023 | 1;
        int count = 0;
        while (value != 1) {
            value = value % 2 == 0 ? value / 2 : 3 * value + 1;
            ++count;
        }
        steps[i] = count;
    }
}

extern "C" __global__ void mandelbrot(int* steps, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * i / width, cy = -1.0f + 2.0f * j / height, x = 0.0f, y = 0.0f;
    int step = 0;
    while (step < 100 && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++step;
    }
    steps[j * width + i] = step;
}

// Each thread sorts eight numbers of its own.
extern "C" __global__ void insertion_sort(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int own[8];
        for (int k = 0; k < 8; ++k) own[k] = x[8 * i + k];
        for (int k = 1; k < 8; ++k) {
            int value = own[k], at = k;
            while (at > 0 && own[at - 1] > value) {
                own[at] = own[at - 1];
                --at;
            }
            own[at] = value;
        }
        for (int k = 0; k < 8; ++k) y[8 * i + k] = own[k];
    }
}

// Each thread counts bytes in bins of its own.
extern "C" __global__ void own_bins(const int* x, int* most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bins[16];
        for (int k = 0; k < 16; ++k) bins[k] = 0;
        for (int k = 0; k < 32; ++k) ++bins[x[k * n + i] & 15];
        int found = 0;
        for (int k = 0; k < 16; ++k) found = max(found, bins[k]);
        most[i] = found;
    }
}

extern "C" __global__ void print(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i % 4 == 0) printf("%d: %d\n", i, x[i]);
        y[i] = x[i] + 1;
    }
}
