// C = A B by tiles, one block per tile, numbered in groups of `group`
// rows of tiles: down a column of the group, then down the next.

#define TILE 16

extern "C" __global__ void matmul_grouped(
        const float* a, const float* b, float* c, int m, int n, int k,
        int group) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int tile_rows = (m + TILE - 1) / TILE;
    int tile_columns = (n + TILE - 1) / TILE;

    // From the block's number to its tile. The last group may be lower.
    int pid = blockIdx.x;
    int first_row = pid / (group * tile_columns) * group;
    int height = min(group, tile_rows - first_row);
    int within = pid % (group * tile_columns);
    int tile_row = first_row + within % height;
    int tile_column = within / height;

    // The tile: a row of tiles of A times a column of tiles of B.
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = tile_row * TILE + y;
    int column = tile_column * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        bool has_a = row < m && start + x < k;
        bool has_b = start + y < k && column < n;
        a_tile[y][x] = has_a ? a[row * k + start + x] : 0.0f;
        b_tile[y][x] = has_b ? b[(start + y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
