// Attention in one kernel, with no matrix of scores: keys and values
// pass in tiles of 32, and each query keeps its maximum, its sum and
// its result so far, as in online softmax. Heads have 128 elements per
// token, and the number of tokens is a multiple of 32.

#include <cuda_bf16.h>

#define DEPTH 128   // elements of a head
#define KEYS 32     // keys of a tile, one per lane
#define QUERIES 16  // queries of a block
#define EACH 4      // queries of a warp
#define ALL_LANES 0xffffffffu
// Below every finite float: what a query must not see.
#define LOWEST (-3.402823466e+38f)

__device__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, offset));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, offset);
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(128) attention_tiles(
        const __nv_bfloat16* q, const __nv_bfloat16* k,
        const __nv_bfloat16* v, __nv_bfloat16* out, int tokens,
        float scale, int causal) {
    __shared__ float q_tile[QUERIES][DEPTH];
    // Lanes read down a column of keys: a word of padding per row.
    __shared__ float k_tile[KEYS][DEPTH + 1];
    __shared__ float v_tile[KEYS][DEPTH];
    int t = threadIdx.x;
    int lane = t % 32;
    int first = t / 32 * EACH;  // of this warp's queries
    int head = blockIdx.y * tokens * DEPTH;
    int first_query = blockIdx.x * QUERIES;
    for (int row = 0; row < QUERIES; row++) {
        int at = head + (first_query + row) * DEPTH + t;
        q_tile[row][t] = __bfloat162float(q[at]);
    }
    float maximum[EACH], sum[EACH], result[EACH][4] = {};
    for (int i = 0; i < EACH; i++) {
        maximum[i] = LOWEST;
        sum[i] = 0.0f;
    }
    // No query of this block sees a key behind its last one.
    int end = causal ? first_query + QUERIES : tokens;
    for (int start = 0; start < end; start += KEYS) {
        __syncthreads();  // nobody reads the tiles before any more
        for (int row = 0; row < KEYS; row++) {
            int at = head + (start + row) * DEPTH + t;
            k_tile[row][t] = __bfloat162float(k[at]);
            v_tile[row][t] = __bfloat162float(v[at]);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            // The score of this lane's key.
            float score = 0.0f;
            for (int d = 0; d < DEPTH; d++) {
                score += q_tile[first + i][d] * k_tile[lane][d];
            }
            bool is_hidden =
                    causal && start + lane > first_query + first + i;
            score = is_hidden ? LOWEST : scale * score;
            // What was summed so far is corrected to the new maximum.
            float before = maximum[i];
            maximum[i] = fmaxf(before, warp_max(score));
            float change = __expf(before - maximum[i]);
            float weight = __expf(score - maximum[i]);
            sum[i] = sum[i] * change + warp_sum(weight);
            for (int c = 0; c < 4; c++) {
                result[i][c] *= change;
            }
            // Now a lane has four columns of the values.
            for (int key = 0; key < KEYS; key++) {
                float w = __shfl_sync(ALL_LANES, weight, key);
                for (int c = 0; c < 4; c++) {
                    result[i][c] += w * v_tile[key][lane + 32 * c];
                }
            }
        }
    }
    for (int i = 0; i < EACH; i++) {
        int row = head + (first_query + first + i) * DEPTH;
        for (int c = 0; c < 4; c++) {
            out[row + lane + 32 * c] =
                    __float2bfloat16(result[i][c] / sum[i]);
        }
    }
}
