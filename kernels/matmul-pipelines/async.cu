// As ahead.cu, with 16 by 8 sums per thread and copies that go past the
// registers: cp.async moves 16 bytes from global to shared memory by
// itself. A has to be turned on its way, so A still goes through
// registers. M and N are multiples of 128, K is one of 16.

#define TILE 128   // rows and columns of C per block
#define DEPTH 16   // columns of A, rows of B at a time
#define PITCH 132  // of a row of a_tile: the next begins 4 banks on
#define THREADS 128

// Four neighbours, from the one named on.
#define PACK(first) (*reinterpret_cast<float4*>(&(first)))
#define CONST_PACK(first) (*reinterpret_cast<const float4*>(&(first)))

// 16 bytes into shared memory; the thread does not wait for them.
__device__ void copy_async(float* to, const float* from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(address), "l"(from));
}

// All copies of this thread have arrived.
__device__ void wait_for_copies() {
    asm volatile("cp.async.wait_all;");
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) matmul_async(
        const float* a, const float* b, float* c, int n, int k) {
    __shared__ __align__(16) float a_tile[2][DEPTH][PITCH];
    __shared__ __align__(16) float b_tile[2][DEPTH][TILE];
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    int a_row = t / 4;
    int a_column = t % 4 * 4;
    a += (blockIdx.y * TILE + a_row) * k + a_column;
    b += warp * n + blockIdx.x * TILE + lane * 4;
    // A warp makes 128 by 32 elements, a lane 16 by 8.
    int row = lane / 4 * 4;
    int column = warp * 32 + lane % 4 * 4;
    float sums[16][8] = {};
    float x[2][16], y[2][8];
    float4 next_a[4];

    // The next 16 columns of A and rows of B.
    auto fetch = [&](int tile) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float* to_b = &b_tile[tile][warp + 4 * i][lane * 4];
            copy_async(to_b, b + 4 * i * n);
            next_a[i] = CONST_PACK(a[32 * i * k]);
        }
        a += DEPTH;
        b += DEPTH * n;
    };
    auto store = [&](int tile) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float* to = &a_tile[tile][a_column][a_row + 32 * i];
            to[0] = next_a[i].x;
            to[PITCH] = next_a[i].y;
            to[2 * PITCH] = next_a[i].z;
            to[3 * PITCH] = next_a[i].w;
        }
    };
    auto load = [&](int set, int tile, int inner) {
#pragma unroll
        for (int i = 0; i < 16; i += 4) {
            PACK(x[set][i]) = PACK(a_tile[tile][inner][row + 8 * i]);
        }
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            PACK(y[set][j]) = PACK(b_tile[tile][inner][column + 4 * j]);
        }
    };

    fetch(0);
    store(0);
    wait_for_copies();
    __syncthreads();
    load(0, 0, 0);
    int tile = 0;
    for (int start = DEPTH; start <= k; start += DEPTH) {
        bool is_last = start == k;
        if (!is_last) {
            fetch(1 - tile);
        }
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner++) {
            if (inner + 1 == DEPTH && !is_last) {
                tile = 1 - tile;
                store(tile);
                wait_for_copies();
                __syncthreads();
            }
            load((inner + 1) % 2, tile, (inner + 1) % DEPTH);
            // Six loads of 16 bytes, 128 multiply-adds.
#pragma unroll
            for (int i = 0; i < 16; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sums[i][j] += x[inner % 2][i] * y[inner % 2][j];
                }
            }
        }
    }
    c += (blockIdx.y * TILE + row) * n + blockIdx.x * TILE + column;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        float* out = c + (i / 4 * 32 + i % 4) * n;
        PACK(out[0]) = PACK(sums[i][0]);
        PACK(out[16]) = PACK(sums[i][4]);
    }
}
