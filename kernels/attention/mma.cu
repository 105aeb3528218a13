// Attention on tensor cores: a block of eight warps takes 128 queries
// of a head, 16 per warp, and 64 keys at a time. Scores and weights
// stay in the registers where the products leave them. Heads have 128
// elements per token, and the number of tokens is a multiple of 128.

#include <cuda_bf16.h>

#define DEPTH 128    // elements of a head
#define QUERIES 128  // of a block
#define KEYS 64      // of a tile
#define THREADS 256
#define ROW 256      // bytes of a row of a tile: 16 chunks
#define TILE (KEYS * ROW)
#define ALL_LANES 0xffffffffu
// Less than every score, and what a query must not see.
#define LOWEST (-1e30f)
// exp(v) is exp2(LOG2_E * v).
#define LOG2_E 1.4426950408889634f

// Where a chunk of a row is stored, in bytes: eight chunks of a column
// have all banks.
__device__ int place(int row, int chunk) {
    return row * ROW + (chunk ^ row % 8) * 16;
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

template <bool CAUSAL>
__device__ void attend(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, __nv_bfloat16* out, int tokens,
        float scale) {
    // Two tiles of keys, then two of values.
    extern __shared__ __align__(1024) char tiles[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(tiles);
    int t = threadIdx.x;
    int lane = t % 32;
    // Late queries see most keys: their blocks begin first.
    int block = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    int head = blockIdx.y * tokens * DEPTH;
    int first_query = block * QUERIES;
    int warp_query = first_query + t / 32 * 16;
    auto fetch = [&](unsigned to, const __nv_bfloat16* from, int rows) {
#pragma unroll
        for (int row = 0; row < rows; row += THREADS / 16) {
            copy_async(to + place(row + t / 16, t % 16),
                       from + (row + t / 16) * DEPTH + t % 16 * 8);
        }
        asm volatile("cp.async.commit_group;");
    };

    // Queries pass through the tiles of keys, into registers.
    fetch(shared, q + head + first_query * DEPTH, QUERIES);
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    unsigned of_q[8][4];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int row = t / 32 * 16 + lane % 16;
        load_matrices(of_q[i], shared + place(row, 2 * i + lane / 16));
    }
    __syncthreads();

    int steps = (CAUSAL ? first_query + QUERIES : tokens) / KEYS;
    fetch(shared, k + head, KEYS);
    fetch(shared + 2 * TILE, v + head, KEYS);
    float result[16][4] = {};
    float maximum[2] = {LOWEST, LOWEST};
    float sum[2] = {0.0f, 0.0f};
    float by = scale * LOG2_E;
    for (int step = 0; step < steps; step++) {
        unsigned keys = shared + step % 2 * TILE;
        unsigned values = keys + 2 * TILE;
        unsigned next = shared + (step + 1) % 2 * TILE;
        int behind = head + (step + 1) * KEYS * DEPTH;
        // The keys are there, the values may still be under way.
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        if (step + 1 < steps) {
            fetch(next, k + behind, KEYS);
        } else {
            asm volatile("cp.async.commit_group;");
        }
        float scores[8][4] = {};
#pragma unroll
        for (int i = 0; i < 8; i++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned part[4];
                int row = j * 16 + lane % 8 + lane / 16 * 8;
                int chunk = 2 * i + lane / 8 % 2;
                load_matrices(part, keys + place(row, chunk));
                multiply(scores[2 * j], of_q[i], part[0], part[1]);
                multiply(scores[2 * j + 1], of_q[i], part[2], part[3]);
            }
        }
        // Only the last tiles have keys that some query must not see.
        if (CAUSAL && (step + 1) * KEYS > warp_query) {
#pragma unroll
            for (int j = 0; j < 8; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    int query = warp_query + lane / 4 + e / 2 * 8;
                    int key = step * KEYS + j * 8 + lane % 4 * 2;
                    key += e % 2;
                    scores[j][e] = key > query ? LOWEST : scores[j][e];
                }
            }
        }
        // A lane has parts of two rows: row lane / 4, and 8 below it.
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float most = maximum[half];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                most = fmaxf(most, fmaxf(scores[j][2 * half],
                                         scores[j][2 * half + 1]));
            }
            most = row_max(most);
            float change = exp2f((maximum[half] - most) * by);
            maximum[half] = most;
            sum[half] *= change;
#pragma unroll
            for (int j = 0; j < 8; j++) {
#pragma unroll
                for (int e = 2 * half; e < 2 * half + 2; e++) {
                    scores[j][e] = exp2f(scores[j][e] * by - most * by);
                    sum[half] += scores[j][e];
                }
            }
#pragma unroll
            for (int j = 0; j < 16; j++) {
                result[j][2 * half] *= change;
                result[j][2 * half + 1] *= change;
            }
        }
        // What a product leaves in a lane is what the next one takes
        // from it, rounded to bf16.
        unsigned weights[4][4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const float* of = scores[2 * j + e / 2] + e % 2 * 2;
                weights[j][e] = pair(of[0], of[1]);
            }
        }
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        if (step + 1 < steps) {
            fetch(next + 2 * TILE, v + behind, KEYS);
        } else {
            asm volatile("cp.async.commit_group;");
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int i = 0; i < 8; i++) {
                unsigned part[4];
                int row = j * 16 + lane % 16;
                int chunk = 2 * i + lane / 16;
                load_transposed(part, values + place(row, chunk));
                const unsigned(&w)[4] = weights[j];
                multiply(result[2 * i], w, part[0], part[1]);
                multiply(result[2 * i + 1], w, part[2], part[3]);
            }
        }
    }
    out += head + (warp_query + lane / 4) * DEPTH + lane % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float part = 1.0f / row_sum(sum[half]);
#pragma unroll
        for (int j = 0; j < 16; j++) {
            *reinterpret_cast<__nv_bfloat162*>(
                    out + half * 8 * DEPTH + j * 8) =
                    __floats2bfloat162_rn(
                            result[j][2 * half] * part,
                            result[j][2 * half + 1] * part);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) attention_mma(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, __nv_bfloat16* out, int tokens,
        float scale) {
    attend<false>(q, k, v, out, tokens, scale);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
attention_mma_causal(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, __nv_bfloat16* out, int tokens,
        float scale) {
    attend<true>(q, k, v, out, tokens, scale);
}
