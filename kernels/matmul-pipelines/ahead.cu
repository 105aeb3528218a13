// As large.cu, and whatever is needed next is loaded ahead. Two tiles
// in shared memory take turns: while a block works on one, the loads of
// the next are under way in registers. Two sets of packs take turns in
// the same way, so that no multiply-add waits for shared memory.

#define TILE 128   // rows and columns of C per block
#define DEPTH 8    // columns of A, rows of B at a time
#define PITCH 132  // of a row of a_tile: the next begins 4 banks on

// Four neighbours, from the one named on.
#define PACK(first) (*reinterpret_cast<float4*>(&(first)))
#define CONST_PACK(first) (*reinterpret_cast<const float4*>(&(first)))

extern "C" __global__ void __launch_bounds__(256, 2) matmul_ahead(
        const float* a, const float* b, float* c, int n, int k) {
    __shared__ __align__(16) float a_tile[2][DEPTH][PITCH];
    __shared__ __align__(16) float b_tile[2][DEPTH][TILE];
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    int a_row = t / 2;
    int a_column = t % 2 * 4;
    a += (blockIdx.y * TILE + a_row) * k + a_column;
    b += warp * n + blockIdx.x * TILE + lane * 4;
    int row = warp / 4 * 64 + lane / 4 * 4;
    int column = warp % 4 * 32 + lane % 4 * 4;
    float sums[8][8] = {};
    float x[2][8], y[2][8];
    float4 next_a = CONST_PACK(*a);
    float4 next_b = CONST_PACK(*b);

    auto store = [&](int tile) {
        PACK(b_tile[tile][warp][lane * 4]) = next_b;
        a_tile[tile][a_column][a_row] = next_a.x;
        a_tile[tile][a_column + 1][a_row] = next_a.y;
        a_tile[tile][a_column + 2][a_row] = next_a.z;
        a_tile[tile][a_column + 3][a_row] = next_a.w;
    };
    auto load = [&](int set, int tile, int inner) {
#pragma unroll
        for (int i = 0; i < 8; i += 4) {
            PACK(x[set][i]) = PACK(a_tile[tile][inner][row + 8 * i]);
            PACK(y[set][i]) = PACK(b_tile[tile][inner][column + 4 * i]);
        }
    };

    store(0);
    __syncthreads();
    load(0, 0, 0);
    int tile = 0;
    for (int start = DEPTH; start <= k; start += DEPTH) {
        bool is_last = start == k;
        if (!is_last) {
            next_a = CONST_PACK(*(a += DEPTH));
            next_b = CONST_PACK(*(b += DEPTH * n));
        }
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner++) {
            // The last products of a tile hide the first load of the
            // next, which nobody reads yet: one barrier will do.
            if (inner + 1 == DEPTH && !is_last) {
                tile = 1 - tile;
                store(tile);
                __syncthreads();
            }
            load((inner + 1) % 2, tile, (inner + 1) % DEPTH);
#pragma unroll
            for (int i = 0; i < 8; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sums[i][j] += x[inner % 2][i] * y[inner % 2][j];
                }
            }
        }
    }
    c += (blockIdx.y * TILE + row) * n + blockIdx.x * TILE + column;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float* out = c + (i / 4 * 32 + i % 4) * n;
        PACK(out[0]) = PACK(sums[i][0]);
        PACK(out[16]) = PACK(sums[i][4]);
    }
}
