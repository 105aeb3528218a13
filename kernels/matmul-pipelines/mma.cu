// C = A B in bf16 on tensor cores: a block of four warps makes 128 by
// 128 elements of C, a warp 64 by 64 of them. Tiles arrive by cp.async,
// two of them ahead. M and N are multiples of 128, K is one of 64, from 192 on.

#include <cuda_bf16.h>

#define TILE 128    // rows and columns of C per block
#define DEPTH 64    // columns of A, rows of B at a time
#define STAGES 3    // tiles in shared memory
#define THREADS 128
// Tiles are stored in rows of 128 bytes: 64 elements, eight chunks of
// 16 bytes. B's is twice as wide, so it is two panels of such rows.
#define ROW 128
#define PANEL (DEPTH * ROW)
#define A_BYTES (TILE * ROW)
#define STAGE (A_BYTES + 2 * PANEL)

// Where a chunk of a row is stored, in bytes.
__device__ int place(int row, int chunk) {
    return row * ROW + chunk * 16;
}

// 16 bytes into shared memory; the thread does not wait for them.
__device__ void copy_async(unsigned to, const __nv_bfloat16* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(to), "l"(from));
}

// Four matrices of 8 by 8, one register each. Lane l says where row l %
// 8 of matrix l / 8 begins.
__device__ void load_matrices(unsigned (&r)[4], unsigned from) {
    asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
            "{%0, %1, %2, %3}, [%4];"
            : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
            : "r"(from));
}

// The same, each of them transposed on its way.
__device__ void load_transposed(unsigned (&r)[4], unsigned from) {
    asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
            "{%0, %1, %2, %3}, [%4];"
            : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
            : "r"(from));
}

// sums += A B: 16 by 16 of A, 16 by 8 of B.
__device__ void multiply(
        float (&sums)[4], const unsigned (&a)[4], unsigned b0,
        unsigned b1) {
    asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
              "r"(b1));
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) matmul_mma(
        const __nv_bfloat16* a, const __nv_bfloat16* b,
        __nv_bfloat16* c, int n, int k) {
    extern __shared__ __align__(1024) char tiles[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(tiles);
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;

    // Each thread copies eight chunks of either tile.
    a += (blockIdx.y * TILE + t / 8) * k + t % 8 * 8;
    b += t / 16 * n + blockIdx.x * TILE + t % 16 * 8;
    int to_a = place(t / 8, t % 8);
    int to_b = A_BYTES + t % 16 / 8 * PANEL + place(t / 16, t % 8);
    auto fetch = [&](int stage) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            unsigned to = shared + stage * STAGE;
            copy_async(to + to_a + 16 * i * ROW, a + 16 * i * k);
            copy_async(to + to_b + 8 * i * ROW, b + 8 * i * n);
        }
        a += DEPTH;
        b += DEPTH * n;
    };

    // A warp makes the rows from 64 * (warp / 2) on, and the columns
    // from 64 * (warp % 2) on: those of one panel.
    int row = warp / 2 * 64;
    int from_a[4], from_b[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int chunk = 2 * i + lane / 16;
        from_a[i] = place(row + lane % 16, chunk);
        from_b[i] =
                A_BYTES + warp % 2 * PANEL + place(lane % 16, chunk);
    }
    float sums[4][8][4] = {};
    unsigned x[2][4][4], y[2][4][4];
    // What 16 columns of A and 16 rows of B need.
    auto load = [&](int set, int stage, int inner) {
        unsigned from = shared + stage * STAGE;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            load_matrices(
                    x[set][i], from + from_a[inner] + 16 * i * ROW);
            load_transposed(
                    y[set][i], from + from_b[i] + 16 * inner * ROW);
        }
    };

#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        fetch(stage);
        asm volatile("cp.async.commit_group;");
    }
    // All groups but the newest have arrived.
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2));
    __syncthreads();
    load(0, 0, 0);
    int now = 0;
    int free = STAGES - 1;
    for (int start = 0; start < k; start += DEPTH) {
#pragma unroll
        for (int inner = 0; inner < 4; inner++) {
            if (inner == 3) {
                // The last products hide the wait for the next tile.
                now = now + 1 == STAGES ? 0 : now + 1;
                asm volatile("cp.async.wait_group %0;"
                             :: "n"(STAGES - 2));
                __syncthreads();
            }
            load((inner + 1) % 2, now, (inner + 1) % 4);
            if (inner == 0) {
                if (start + (STAGES - 1) * DEPTH < k) {
                    fetch(free);
                }
                // An empty group at the end keeps the count.
                asm volatile("cp.async.commit_group;");
                free = free + 1 == STAGES ? 0 : free + 1;
            }
            // Eight loads, 32 products.
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    const unsigned* part = y[inner % 2][j / 2];
                    multiply(sums[i][j], x[inner % 2][i],
                             part[j % 2 * 2], part[j % 2 * 2 + 1]);
                }
            }
        }
    }

    // A lane has two neighbours of rows lane / 4 and lane / 4 + 8.
    c += (blockIdx.y * TILE + row + lane / 4) * n + blockIdx.x * TILE +
         warp % 2 * 64 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                int down = 16 * i + 8 * half;
                __nv_bfloat16* out = c + down * n + 8 * j;
                *reinterpret_cast<__nv_bfloat162*>(out) =
                        __floats2bfloat162_rn(
                                sums[i][j][2 * half],
                                sums[i][j][2 * half + 1]);
            }
        }
    }
}
