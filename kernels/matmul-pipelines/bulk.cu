// As swizzled.cu, with tiles that one thread orders from a copy unit,
// which takes boxes of a matrix and swizzles them on their way. No
// thread computes addresses of global memory any more. Needs compute
// capability 9.0. M and N are multiples of 128, K is one of 64.

#include <cuda_bf16.h>

#define TILE 128    // rows and columns of C per block
#define DEPTH 64    // columns of A, rows of B at a time
#define STAGES 3    // tiles in shared memory
#define WARPS 4
// Rows of 128 bytes: A's tile is one panel, B's are two of 64 columns.
#define ROW 128
#define PANEL (DEPTH * ROW)
#define A_BYTES (TILE * ROW)
#define STAGE (A_BYTES + 2 * PANEL)

// How a matrix lies in memory and which boxes are copied: made by
// cuTensorMapEncodeTiled, and read by the copy unit alone.
struct __align__(64) TensorMap {
    unsigned long long words[16];
};

__device__ unsigned address_of(const void* shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

// A barrier in shared memory. It turns over when `count` threads have
// arrived and all bytes that were announced are there.
__device__ void init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(barrier), "r"(count) : "memory");
}

__device__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :: "r"(barrier) : "memory");
}

__device__ void announce(unsigned barrier, int bytes) {
    asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
            :: "r"(barrier), "r"(bytes) : "memory");
}

// Waits until the barrier has turned over: `round` counts how often.
__device__ void wait(unsigned barrier, int round) {
    asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@!done bra again;\n"
            "}"
            :: "r"(barrier), "r"(round & 1) : "memory");
}

// The box whose first element is in this row and column; `barrier`
// hears of its bytes.
__device__ void copy_box(
        unsigned to, const TensorMap* of, int row, int column,
        unsigned barrier) {
    asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
            :: "r"(to), "l"(of), "r"(column), "r"(row), "r"(barrier)
            : "memory");
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

// Where a chunk of 16 bytes of a row lies once it is swizzled.
__device__ int place(int row, int chunk) {
    return row * ROW + (chunk ^ row % 8) * 16;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 2) matmul_bulk(
        const __grid_constant__ TensorMap a,
        const __grid_constant__ TensorMap b, __nv_bfloat16* c, int m,
        int n, int k, int group_rows) {
    extern __shared__ char shared[];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    // Blocks that run together share tiles in L2: they go down so many
    // rows of tiles, then to the next column.
    int in_group = group_rows * (n / TILE);
    int above = blockIdx.x / in_group * group_rows;
    int rows = min(m / TILE - above, group_rows);
    int at = blockIdx.x % in_group;
    int first_row = (above + at % rows) * TILE;
    int first_column = at / rows * TILE;
    // Swizzled tiles begin at multiples of 1024 bytes.
    unsigned tiles = (address_of(shared) + 1023) & ~1023u;
    if (t == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            init(address_of(full + stage), 1);
            init(address_of(empty + stage), WARPS);  // a lane per warp
        }
        // The copy unit must see the barriers, too.
        asm volatile("fence.mbarrier_init.release.cluster;"
                     ::: "memory");
    }
    __syncthreads();
    int steps = k / DEPTH;
    // For one thread: the tiles of a step, once nobody reads the stage.
    auto fetch = [&](int step) {
        int stage = step % STAGES;
        if (step >= STAGES) {
            wait(address_of(empty + stage), step / STAGES - 1);
        }
        unsigned to = tiles + stage * STAGE;
        unsigned barrier = address_of(full + stage);
        announce(barrier, STAGE);
        copy_box(to, &a, first_row, step * DEPTH, barrier);
        copy_box(to + A_BYTES, &b, step * DEPTH, first_column, barrier);
        copy_box(to + A_BYTES + PANEL, &b, step * DEPTH,
                 first_column + 64, barrier);
    };
    if (t == 0) {
        for (int step = 0; step < min(STAGES - 1, steps); step++) {
            fetch(step);
        }
    }

    // A warp makes 64 by 64 elements, those of one panel of B.
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
    auto load = [&](int set, int stage, int inner) {
        unsigned from = tiles + stage * STAGE;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            load_matrices(
                    x[set][i], from + from_a[inner] + 16 * i * ROW);
            load_transposed(
                    y[set][i], from + from_b[i] + 16 * inner * ROW);
        }
    };
    wait(address_of(full), 0);
    load(0, 0, 0);
    for (int step = 0; step < steps; step++) {
        int stage = step % STAGES;
#pragma unroll
        for (int inner = 0; inner < 4; inner++) {
            if (inner == 3) {
                // All of this stage is in registers.
                if (lane == 0) {
                    arrive(address_of(empty + stage));
                }
                int next = step + 1;
                stage = next % STAGES;
                if (next < steps) {
                    wait(address_of(full + stage), next / STAGES);
                }
            }
            load((inner + 1) % 2, stage, (inner + 1) % 4);
            // Into the stage of the step before, once all have left it.
            if (inner == 0 && t == 0 && step + STAGES - 1 < steps) {
                fetch(step + STAGES - 1);
            }
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
    c += (first_row + row + lane / 4) * n + first_column +
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
