// C = A B by 16 x 16 tiles, with a grid of one dimension.

__global__ void matmul(
        const float* a, const float* b, float* c, int m, int n, int k,
        int group) {
    int tile_rows = (m + 15) / 16;
    int tile_columns = (n + 15) / 16;
    int in_group = group * tile_columns;
    int first = blockIdx.x / in_group * group;
    //> hole
    int height = min(group, tile_rows - first);
    //> start
    //| int height = group;
    //> end
    int number = blockIdx.x % in_group;
    int row = (first + number % height) * 16 + threadIdx.y;
    int column = number / height * 16 + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++) {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
    }
}
