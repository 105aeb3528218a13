// Attention by whole warpgroups: two of them multiply, for 64 queries
// each, straight from shared memory, while a third copies the next keys
// and values. Weights go from registers into the second product. Needs
// compute capability 9.0. Heads have 128 elements per token, and the
// number of tokens is a multiple of 128.

#include <cuda_bf16.h>

#define DEPTH 128    // elements of a head
#define QUERIES 128  // of a block
#define KEYS 128     // of a tile
#define STAGES 4     // tiles in shared memory: keys, values, keys, …
#define THREADS 384  // two warpgroups that multiply, one that copies
// A tile is two panels of 64 columns: 128 rows of 128 bytes each.
#define PANEL (128 * 128)
#define TILE (2 * PANEL)
#define ALL_LANES 0xffffffffu
// Less than every score, and what a query must not see.
#define LOWEST (-1e30f)
// exp(v) is exp2(LOG2_E * v).
#define LOG2_E 1.4426950408889634f

__device__ unsigned address_of(const void* shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

// A barrier in shared memory. It turns over when `count` threads have
// arrived.
__device__ void init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(barrier), "r"(count) : "memory");
}

__device__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :: "r"(barrier) : "memory");
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

// 16 bytes into shared memory; the thread does not wait for them.
__device__ void copy_async(unsigned to, const __nv_bfloat16* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(to), "l"(from) : "memory");
}

// All but the newest so many groups of this thread's copies have
// arrived, and the tensor cores may see them.
template <int NEWEST>
__device__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" :: "n"(NEWEST) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
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

// scores = A B of a warpgroup, or += where `add` is not 0: 64 queries
// by 16 of their elements, both in shared memory. B holds keys by rows,
// so it is taken as its transpose.
__device__ void multiply_keys(
        float (&scores)[64], unsigned long long a,
        unsigned long long b, int add) {
    asm volatile(
            "{\n"
            ".reg .pred adds;\n"
            "setp.ne.b32 adds, %66, 0;\n"
            "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
            "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
            "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, "
            "%35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
            "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, "
            "%57, %58, %59, %60, %61, %62, %63"
            "}, %64, %65, adds, 1, 1, 0, 0;\n"
            "}"
            : THIRTY_TWO(scores), THIRTY_TWO(scores + 32)
            : "l"(a), "l"(b), "r"(add));
}

// result += A B: 64 by 16 weights in registers, 16 rows of values.
__device__ void multiply_values(
        float (&result)[64], const unsigned (&a)[4],
        unsigned long long b) {
    asm volatile(
            "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
            "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
            "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, "
            "%35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
            "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, "
            "%57, %58, %59, %60, %61, %62, %63"
            "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
            : THIRTY_TWO(result), THIRTY_TWO(result + 32)
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void wait_for_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ unsigned pair(float low, float high) {
    __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<unsigned*>(&both);
}

// A row of a product is spread over four neighbouring lanes.
__device__ float row_max(float value) {
    value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, 1));
    return fmaxf(value, __shfl_xor_sync(ALL_LANES, value, 2));
}

__device__ float row_sum(float value) {
    value += __shfl_xor_sync(ALL_LANES, value, 1);
    return value + __shfl_xor_sync(ALL_LANES, value, 2);
}

// What the third warpgroup does: queries, then keys and values in turn.
__device__ void copy_tiles(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, int steps, unsigned tiles,
        unsigned full, unsigned empty) {
    int t = threadIdx.x % 128;
    int row = t / 16;
    int chunk = t % 16;
    // Eight chunks of a column lie in eight places of their rows.
    unsigned place = chunk / 8 * PANEL + row * 128 +
                     (chunk % 8 ^ row) * 16;
    auto fetch = [&](unsigned to, const __nv_bfloat16* from) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            copy_async(to + place + i * 8 * 128,
                       from + (row + i * 8) * DEPTH + chunk * 8);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    // The last barrier and the last tile are those of the queries.
    fetch(tiles + STAGES * TILE, q);
    int last = STAGES;
    for (int i = 0; i < 2 * steps; i++) {
        int stage = i % STAGES;
        if (i >= STAGES) {
            wait(empty + 8 * stage, i / STAGES - 1);
        }
        const __nv_bfloat16* from = i % 2 ? v : k;
        fetch(tiles + stage * TILE, from + i / 2 * KEYS * DEPTH);
        wait_for_copies<1>();
        arrive(full + 8 * last);
        last = stage;
    }
    wait_for_copies<0>();
    arrive(full + 8 * last);
}

template <bool CAUSAL>
__device__ void attend(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, __nv_bfloat16* out, int tokens,
        float scale) {
    extern __shared__ char shared[];
    __shared__ unsigned long long barriers[2 * STAGES + 1];
    int t = threadIdx.x;
    // Swizzled tiles begin at multiples of 1024 bytes.
    unsigned tiles = (address_of(shared) + 1023) & ~1023u;
    unsigned full = address_of(barriers);
    unsigned empty = full + 8 * (STAGES + 1);
    if (t == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            init(full + 8 * stage, 128);
            init(empty + 8 * stage, 8);  // one lane per warp
        }
        init(full + 8 * STAGES, 128);
        asm volatile("fence.mbarrier_init.release.cluster;"
                     ::: "memory");
    }
    __syncthreads();
    // Late queries see most keys: their blocks begin first.
    int block = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    int head = blockIdx.y * tokens * DEPTH;
    int steps = CAUSAL ? block + 1 : tokens / KEYS;
    if (t >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        copy_tiles(q + head + block * QUERIES * DEPTH, k + head,
                   v + head, steps, tiles, full, empty);
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    int lane = t % 32;
    int warp_query = t / 32 * 16;  // within the block
    float result[64];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        result[i] = 0.0f;
    }
    float maximum[2] = {LOWEST, LOWEST};
    float sum[2] = {0.0f, 0.0f};
    float by = scale * LOG2_E;
    unsigned of_q = tiles + STAGES * TILE + t / 128 * 64 * 128;
    wait(full + 8 * STAGES, 0);
    for (int step = 0; step < steps; step++) {
        int stage = 2 * step % STAGES;
        int round = 2 * step / STAGES;
        unsigned keys = tiles + stage * TILE;
        wait(full + 8 * stage, round);
        float scores[64];
        begin_products();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            // 16 elements are 32 bytes of a row, 64 are a panel.
            unsigned at = i / 4 * PANEL + i % 4 * 32;
            multiply_keys(scores, matrix_at(of_q + at, 16),
                          matrix_at(keys + at, 16), i);
        }
        wait_for_products();
        if (lane == 0) {
            arrive(empty + 8 * stage);
        }
        if (CAUSAL && step == block) {
#pragma unroll
            for (int i = 0; i < 64; i++) {
                int query = warp_query + lane / 4 + i / 2 % 2 * 8;
                int key = i / 4 * 8 + lane % 4 * 2 + i % 2;
                scores[i] = key > query ? LOWEST : scores[i];
            }
        }
        // A lane has parts of two rows: row lane / 4, and 8 below it.
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float most = maximum[half];
#pragma unroll
            for (int i = 2 * half; i < 64; i += 4) {
                most = fmaxf(most, fmaxf(scores[i], scores[i + 1]));
            }
            most = row_max(most);
            float change = exp2f((maximum[half] - most) * by);
            maximum[half] = most;
            sum[half] *= change;
#pragma unroll
            for (int i = 2 * half; i < 64; i += 4) {
#pragma unroll
                for (int e = i; e < i + 2; e++) {
                    scores[e] = exp2f(scores[e] * by - most * by);
                    sum[half] += scores[e];
                    result[e] *= change;
                }
            }
        }
        // What a product leaves in a lane is what the next one takes
        // from it, rounded to bf16.
        unsigned weights[8][4];
#pragma unroll
        for (int i = 0; i < 32; i++) {
            weights[i / 4][i % 4] =
                    pair(scores[2 * i], scores[2 * i + 1]);
        }
        unsigned values = keys + TILE;
        wait(full + 8 * (stage + 1), round);
        begin_products();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            multiply_values(result, weights[i],
                            matrix_at(values + i * 16 * 128, PANEL));
        }
        wait_for_products();
        if (lane == 0) {
            arrive(empty + 8 * (stage + 1));
        }
    }
    int query = block * QUERIES + warp_query + lane / 4;
    out += head + query * DEPTH + lane % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float part = 1.0f / row_sum(sum[half]);
#pragma unroll
        for (int i = 0; i < 16; i++) {
            *reinterpret_cast<__nv_bfloat162*>(
                    out + half * 8 * DEPTH + i * 8) =
                    __floats2bfloat162_rn(
                            result[4 * i + 2 * half] * part,
                            result[4 * i + 2 * half + 1] * part);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
attention_wgmma(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, __nv_bfloat16* out, int tokens,
        float scale) {
    attend<false>(q, k, v, out, tokens, scale);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
attention_wgmma_causal(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, __nv_bfloat16* out, int tokens,
        float scale) {
    attend<true>(q, k, v, out, tokens, scale);
}
