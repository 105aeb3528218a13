// C = A B in bf16 by whole warpgroups. One thread orders tiles from a
// unit that copies boxes of a matrix into swizzled shared memory, and
// two groups of four warps multiply straight from there: no ldmatrix,
// no addresses. Needs compute capability 9.0. M is a multiple of 128, N
// one of 256, K one of 64.

#include <cuda_bf16.h>

#define ROWS 128     // of C per block: 64 per warpgroup
#define COLUMNS 256  // of C per block
#define DEPTH 64     // columns of A, rows of B at a time
#define STAGES 4     // tiles in shared memory
#define THREADS 384  // two warpgroups that multiply, one that orders
// Rows of 128 bytes: A's tile is one panel, B's are four of 64 columns.
#define A_BYTES (ROWS * 128)
#define PANEL (DEPTH * 128)
#define STAGE (A_BYTES + 4 * PANEL)

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

// What tells the tensor cores where a matrix begins, how far apart its
// panels are, and that eight rows of 128 bytes are swizzled.
__device__ unsigned long long matrix_at(unsigned from, int panel) {
    return (unsigned long long)(from >> 4) |
           (unsigned long long)(panel >> 4) << 16 |
           (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

#define EIGHT(d)                                                   \
    "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3]),        \
    "+f"((d)[4]), "+f"((d)[5]), "+f"((d)[6]), "+f"((d)[7])
#define THIRTY_TWO(d)                                              \
    EIGHT(d), EIGHT((d) + 8), EIGHT((d) + 16), EIGHT((d) + 24)

// sums += A B of a warpgroup: 64 by 16 of A, 16 by 256 of B, both in
// shared memory. It only begins: `wait_for_products` waits.
__device__ void multiply(
        float (&sums)[128], unsigned long long a,
        unsigned long long b) {
    asm volatile(
            "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
            "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
            "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, "
            "%35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
            "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, "
            "%57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, "
            "%68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, "
            "%79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "
            "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, "
            "%101, %102, %103, %104, %105, %106, %107, %108, %109, "
            "%110, %111, %112, %113, %114, %115, %116, %117, %118, "
            "%119, %120, %121, %122, %123, %124, %125, %126, %127"
            "}, %128, %129, 1, 1, 1, 0, 1;"
            : THIRTY_TWO(sums), THIRTY_TWO(sums + 32),
              THIRTY_TWO(sums + 64), THIRTY_TWO(sums + 96)
            : "l"(a), "l"(b));
}

template <int UNDER_WAY>
__device__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;"
                 :: "n"(UNDER_WAY) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) matmul_wgmma(
        const __grid_constant__ TensorMap a,
        const __grid_constant__ TensorMap b, __nv_bfloat16* c, int m,
        int n, int k, int group_rows) {
    extern __shared__ char shared[];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    int t = threadIdx.x;
    int warpgroup = t / 128;
    // Blocks that run together share tiles in L2: they go down so many
    // rows of tiles, then to the next column.
    int in_group = group_rows * (n / COLUMNS);
    int above = blockIdx.x / in_group * group_rows;
    int rows = min(m / ROWS - above, group_rows);
    int place = blockIdx.x % in_group;
    int first_row = (above + place % rows) * ROWS;
    int first_column = place / rows * COLUMNS;
    // Swizzled tiles begin at multiples of 1024 bytes.
    unsigned tiles = (address_of(shared) + 1023) & ~1023u;
    if (t == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            init(address_of(full + stage), 1);
            init(address_of(empty + stage), 8);  // one lane per warp
        }
        // The copy unit must see the barriers, too.
        asm volatile("fence.mbarrier_init.release.cluster;"
                     ::: "memory");
    }
    __syncthreads();
    int steps = k / DEPTH;
    if (warpgroup == 2) {
        // Registers that this group does not need go to the others.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int step = 0; t == 256 && step < steps; step++) {
            int stage = step % STAGES;
            int round = step / STAGES;
            if (round > 0) {
                wait(address_of(empty + stage), round - 1);
            }
            unsigned to = tiles + stage * STAGE;
            unsigned barrier = address_of(full + stage);
            announce(barrier, STAGE);
            copy_box(to, &a, first_row, step * DEPTH, barrier);
#pragma unroll
            for (int panel = 0; panel < 4; panel++) {
                copy_box(to + A_BYTES + panel * PANEL, &b, step * DEPTH,
                         first_column + 64 * panel, barrier);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sums[128];
#pragma unroll
    for (int i = 0; i < 128; i++) {
        sums[i] = 0.0f;
    }
    for (int step = 0; step < steps; step++) {
        int stage = step % STAGES;
        wait(address_of(full + stage), step / STAGES);
        unsigned of_a = tiles + stage * STAGE + warpgroup * 64 * 128;
        unsigned of_b = tiles + stage * STAGE + A_BYTES;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner += 16) {
            multiply(sums, matrix_at(of_a + inner * 2, 16),
                     matrix_at(of_b + inner * 128, PANEL));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        // The products of the step before are done: its tiles are free.
        wait_for_products<1>();
        if (step > 0 && t % 32 == 0) {
            arrive(address_of(empty + (step - 1) % STAGES));
        }
    }
    wait_for_products<0>();
    int row = first_row + t / 32 * 16 + t % 32 / 4;
    int column = first_column + t % 4 * 2;
#pragma unroll
    for (int j = 0; j < 32; j++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int at = (row + 8 * half) * n + column + 8 * j;
            *reinterpret_cast<__nv_bfloat162*>(c + at) =
                    __floats2bfloat162_rn(
                            sums[4 * j + 2 * half],
                            sums[4 * j + 2 * half + 1]);
        }
    }
}
