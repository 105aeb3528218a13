// Attention of several heads in three kernels, with the matrix of
// scores in global memory between them. Heads have 128 elements per
// token, and the number of tokens is a multiple of 16.

#include <cuda_bf16.h>

#define DEPTH 128  // elements of a head
#define TILE 16    // rows and columns of a tile
#define ALL_LANES 0xffffffffu
// Below every finite float: what a query must not see.
#define LOWEST (-3.402823466e+38f)

// scores[query][key] = scale * (query . key), head by head.
extern "C" __global__ void attention_scores(
        const __nv_bfloat16* q, const __nv_bfloat16* k, float* scores,
        int tokens, float scale, int causal) {
    __shared__ float q_tile[TILE][TILE];
    __shared__ float k_tile[TILE][TILE + 1];  // read down its columns
    int x = threadIdx.x;
    int y = threadIdx.y;
    int head = blockIdx.z;
    int query = blockIdx.y * TILE + y;
    int key = blockIdx.x * TILE + x;
    const __nv_bfloat16* q_row = q + (head * tokens + query) * DEPTH;
    const __nv_bfloat16* k_row =
            k + (head * tokens + blockIdx.x * TILE + y) * DEPTH;
    float sum = 0.0f;
    for (int start = 0; start < DEPTH; start += TILE) {
        q_tile[y][x] = __bfloat162float(q_row[start + x]);
        k_tile[y][x] = __bfloat162float(k_row[start + x]);
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += q_tile[y][i] * k_tile[x][i];
        }
        __syncthreads();
    }
    bool is_hidden = causal && key > query;
    long row = (long)head * tokens + query;
    scores[row * tokens + key] = is_hidden ? LOWEST : scale * sum;
}

// Each row of scores becomes weights, in place: one warp per row.
extern "C" __global__ void attention_softmax(
        float* scores, int tokens) {
    float* row = scores + (long)blockIdx.x * tokens;
    int lane = threadIdx.x;
    float maximum = LOWEST;
    for (int key = lane; key < tokens; key += 32) {
        maximum = fmaxf(maximum, row[key]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_xor_sync(ALL_LANES, maximum, offset);
        maximum = fmaxf(maximum, other);
    }
    float sum = 0.0f;
    for (int key = lane; key < tokens; key += 32) {
        sum += __expf(row[key] - maximum);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, offset);
    }
    for (int key = lane; key < tokens; key += 32) {
        row[key] = __expf(row[key] - maximum) / sum;
    }
}

// out = weights * v, head by head.
extern "C" __global__ void attention_values(
        const float* weights, const __nv_bfloat16* v,
        __nv_bfloat16* out, int tokens) {
    __shared__ float w_tile[TILE][TILE];
    __shared__ float v_tile[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int head = blockIdx.z;
    int column = blockIdx.x * TILE + x;
    long row = (long)head * tokens + blockIdx.y * TILE + y;
    float sum = 0.0f;
    for (int start = 0; start < tokens; start += TILE) {
        w_tile[y][x] = weights[row * tokens + start + x];
        v_tile[y][x] = __bfloat162float(
                v[(head * tokens + start + y) * DEPTH + column]);
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += w_tile[y][i] * v_tile[i][x];
        }
        __syncthreads();
    }
    out[row * DEPTH + column] = __float2bfloat16(sum);
}
