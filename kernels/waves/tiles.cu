// A matrix cut into square tiles, one block per tile. A block has eight
// warps. Each takes a row of the tile, 32 columns at a time, then the
// row eight further down.

extern "C" __global__ void tiles(
        const float* x, float* y, int rows, int columns, int side,
        int steps, int one) {
    float scale = one;
    float shift = one - 1;
    int left = blockIdx.x * side;
    int top = blockIdx.y * side;
    for (int down = threadIdx.y; down < side; down += blockDim.y) {
        for (int right = threadIdx.x; right < side;
             right += blockDim.x) {
            int row = top + down;
            int column = left + right;
            if (row < rows && column < columns) {
                float value = x[row * columns + column];
                for (int step = 0; step < steps; step++) {
                    value = fmaf(value, scale, shift);
                }
                y[row * columns + column] = value;
            }
        }
    }
}
