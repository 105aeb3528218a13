// The way from a block's number to its tile, by itself: one thread for
// each number, and each tile of C is one element. A thread copies the
// element of its tile, so y equals x only if every tile is taken.
extern "C" __global__ void tile_of_number(
        const float* x, float* y, int tile_rows, int tile_columns,
        int group) {
    int pid = blockIdx.x * blockDim.x + threadIdx.x;
    if (pid >= tile_rows * tile_columns) {
        return;
    }
    // All groups before this one are full.
    int first_row = pid / (group * tile_columns) * group;
    // The last group has what rows are left.
    int height = min(group, tile_rows - first_row);
    // How many numbers of this group came before.
    int within = pid % (group * tile_columns);
    // Down a column of the group, then on to the next column.
    int tile_row = first_row + within % height;
    int tile_column = within / height;
    int tile = tile_row * tile_columns + tile_column;
    y[tile] = x[tile];
}
