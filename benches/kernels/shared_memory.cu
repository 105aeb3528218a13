// Kernels whose threads meet in shared memory, or by shuffles.

#define BLOCK 256

extern "C" __global__ void transpose_tiles(const float* x, float* y, int side) {
    __shared__ float tile[32][33];
    int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
    for (int row = 0; row < 32; row += 8) {
        tile[threadIdx.y + row][threadIdx.x] = x[(j + row) * side + i];
    }
    __syncthreads();
    i = blockIdx.y * 32 + threadIdx.x;
    j = blockIdx.x * 32 + threadIdx.y;
    for (int row = 0; row < 32; row += 8) {
        y[(j + row) * side + i] = tile[threadIdx.x][threadIdx.y + row];
    }
}

extern "C" __global__ void sum_tree(const float* x, float* sums) {
    __shared__ float t[BLOCK];
    int lane = threadIdx.x;
    t[lane] = x[blockIdx.x * BLOCK + lane];
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (lane < step) t[lane] += t[lane + step];
        __syncthreads();
    }
    if (lane == 0) sums[blockIdx.x] = t[0];
}

extern "C" __global__ void sum_shuffles(const float* x, float* sums) {
    __shared__ float t[BLOCK / 32];
    float sum = x[blockIdx.x * BLOCK + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) t[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < BLOCK / 32 ? t[threadIdx.x] : 0.0f;
        for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
        if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    }
}

// Hillis and Steele, from one buffer to the other.
extern "C" __global__ void scan_double(const float* x, float* y) {
    __shared__ float t[2][BLOCK];
    int lane = threadIdx.x, from = 0;
    t[0][lane] = x[blockIdx.x * BLOCK + lane];
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        float value = t[from][lane];
        if (lane >= step) value += t[from][lane - step];
        t[1 - from][lane] = value;
        from = 1 - from;
        __syncthreads();
    }
    y[blockIdx.x * BLOCK + lane] = t[from][lane];
}

// Blelloch, exclusive.
extern "C" __global__ void scan_tree(const float* x, float* y) {
    __shared__ float t[BLOCK];
    int lane = threadIdx.x;
    t[lane] = x[blockIdx.x * BLOCK + lane];
    for (int step = 1; step < BLOCK; step *= 2) {
        __syncthreads();
        int at = 2 * step * (lane + 1) - 1;
        if (at < BLOCK) t[at] += t[at - step];
    }
    if (lane == 0) t[BLOCK - 1] = 0.0f;
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        __syncthreads();
        int at = 2 * step * (lane + 1) - 1;
        if (at < BLOCK) {
            float left = t[at - step];
            t[at - step] = t[at];
            t[at] += left;
        }
    }
    __syncthreads();
    y[blockIdx.x * BLOCK + lane] = t[lane];
}

extern "C" __global__ void scan_shuffles(const float* x, float* y) {
    __shared__ float sums[BLOCK / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float value = x[blockIdx.x * BLOCK + threadIdx.x];
    for (int step = 1; step < 32; step *= 2) {
        float left = __shfl_up_sync(0xffffffff, value, step);
        if (lane >= step) value += left;
    }
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    for (int before = 0; before < warp; ++before) value += sums[before];
    y[blockIdx.x * BLOCK + threadIdx.x] = value;
}

extern "C" __global__ void bitonic(const float* x, float* y) {
    __shared__ float t[BLOCK];
    int i = threadIdx.x;
    t[i] = x[blockIdx.x * BLOCK + i];
    for (int size = 2; size <= BLOCK; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int other = i ^ step;
            if (other > i) {
                float a = t[i], b = t[other];
                if ((a > b) == ((i & size) == 0)) {
                    t[i] = b;
                    t[other] = a;
                }
            }
        }
    }
    __syncthreads();
    y[blockIdx.x * BLOCK + i] = t[i];
}

// Blocks of 16 by 16 threads.
extern "C" __global__ void stencil_tile(const float* x, float* y, int width, int height) {
    __shared__ float t[18][18];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y, at = j * width + i;
    t[ty][tx] = x[at];
    if (tx == 1) t[ty][0] = i > 0 ? x[at - 1] : 0.0f;
    if (tx == 16) t[ty][17] = i < width - 1 ? x[at + 1] : 0.0f;
    if (ty == 1) t[0][tx] = j > 0 ? x[at - width] : 0.0f;
    if (ty == 16) t[17][tx] = j < height - 1 ? x[at + width] : 0.0f;
    __syncthreads();
    y[at] = 0.2f * (t[ty][tx] + t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx]);
}

extern "C" __global__ void matmul_tiles(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0.0f;
    for (int start = 0; start < n; start += 16) {
        ta[y][x] = a[row * n + start + x];
        tb[y][x] = b[(start + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// The next tiles are loaded while the product of these is made.
extern "C" __global__ void matmul_double(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[2][16][16], tb[2][16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0.0f;
    ta[0][y][x] = a[row * n + x];
    tb[0][y][x] = b[y * n + column];
    __syncthreads();
    int now = 0;
    for (int start = 16; start <= n; start += 16) {
        if (start < n) {
            ta[1 - now][y][x] = a[row * n + start + x];
            tb[1 - now][y][x] = b[(start + y) * n + column];
        }
        for (int k = 0; k < 16; ++k) sum += ta[now][y][k] * tb[now][k][x];
        __syncthreads();
        now = 1 - now;
    }
    c[row * n + column] = sum;
}

// Forces on one axis each, of bodies of one mass.
extern "C" __global__ void bodies(const float4* body, float* force, int n) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = body[i];
    float sum = 0.0f;
    for (int start = 0; start < n; start += BLOCK) {
        tile[threadIdx.x] = body[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK; ++k) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            sum += dx * inverse * inverse * inverse;
        }
        __syncthreads();
    }
    force[i] = sum;
}

// A block per row.
extern "C" __global__ void softmax(const float* x, float* y, int columns) {
    __shared__ float t[BLOCK];
    const float* in = x + blockIdx.x * columns;
    float* out = y + blockIdx.x * columns;
    int lane = threadIdx.x;
    float most = -3.4e38f;
    for (int i = lane; i < columns; i += BLOCK) most = fmaxf(most, in[i]);
    t[lane] = most;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (lane < step) t[lane] = fmaxf(t[lane], t[lane + step]);
        __syncthreads();
    }
    most = t[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = lane; i < columns; i += BLOCK) sum += expf(in[i] - most);
    t[lane] = sum;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (lane < step) t[lane] += t[lane + step];
        __syncthreads();
    }
    sum = t[0];
    for (int i = lane; i < columns; i += BLOCK) out[i] = expf(in[i] - most) / sum;
}
