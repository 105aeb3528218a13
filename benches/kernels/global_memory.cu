// Kernels that differ in where they go in global memory.

extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void add4(const float4* a, const float4* b, float4* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

extern "C" __global__ void strided(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[8 * i];
}

extern "C" __global__ void gather(const float* x, const int* index, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[index[i]];
}

extern "C" __global__ void scatter(const float* x, const int* index, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[index[i]] = x[i];
}

extern "C" __global__ void bytes(const unsigned char* x, unsigned char* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = min(x[i] + 40, 255);
}

struct Particle {
    float x, y, z, vx, vy, vz, mass;
};

extern "C" __global__ void particles(Particle* particles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle p = particles[i];
        p.x += 0.01f * p.vx;
        p.y += 0.01f * p.vy;
        p.z += 0.01f * p.vz;
        p.vy -= 0.0981f * p.mass;
        particles[i] = p;
    }
}

// A thread per row.
extern "C" __global__ void csr_rows(const float* values, const int* columns, const int* starts,
                                    const float* x, float* y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int at = starts[row]; at < starts[row + 1]; ++at) sum += values[at] * x[columns[at]];
        y[row] = sum;
    }
}

// A warp per row.
extern "C" __global__ void csr_warps(const float* values, const int* columns, const int* starts,
                                     const float* x, float* y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row < rows) {
        float sum = 0.0f;
        for (int at = starts[row] + lane; at < starts[row + 1]; at += 32) {
            sum += values[at] * x[columns[at]];
        }
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
        if (lane == 0) y[row] = sum;
    }
}

extern "C" __global__ void stencil1(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 3 && i < n - 3) {
        float sum = 0.0f;
        for (int step = -3; step <= 3; ++step) sum += x[i + step];
        y[i] = sum / 7.0f;
    }
}

extern "C" __global__ void stencil2(const float* x, float* y, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < width - 1 && j < height - 1) {
        int at = j * width + i;
        y[at] = 0.2f * (x[at] + x[at - 1] + x[at + 1] + x[at - width] + x[at + width]);
    }
}

extern "C" __global__ void stencil3(const float* x, float* y, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < side - 1 && j < side - 1) {
        for (int k = 1; k < side - 1; ++k) {
            int at = (k * side + j) * side + i;
            float sides = x[at - 1] + x[at + 1] + x[at - side] + x[at + side];
            y[at] = (x[at] + sides + x[at - side * side] + x[at + side * side]) / 7.0f;
        }
    }
}

extern "C" __global__ void transpose(const float* x, float* y, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    y[i * side + j] = x[j * side + i];
}

// Where each number stands in a sorted list.
extern "C" __global__ void search(const int* sorted, const int* wanted, int* found, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int low = 0, high = n;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted[middle] < wanted[i]) low = middle + 1;
            else high = middle;
        }
        found[i] = low;
    }
}
