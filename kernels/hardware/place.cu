// Each thread works out its place on the GPU: which block it belongs
// to, which warp of that block, and which lane of that warp. From the
// three it puts together its number in the whole grid, and writes that
// down.

#define WARP 32  // lanes of a warp, on every NVIDIA GPU so far

extern "C" __global__ void place(int* number) {
    int block = blockIdx.x;
    int warp = threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    int mine = block * blockDim.x + warp * WARP + lane;
    number[mine] = mine;
}
