// y = x, by way of a tile in shared memory.

//> hole: Choose the floats of a tile, from 256 to 12288.
constexpr int TILE = 9216;
//> start
//| constexpr int TILE = 12288;
//> end

__global__ void copy(const float* x, float* y, int count) {
    __shared__ float tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        tile[threadIdx.x] = x[i];
        y[i] = tile[threadIdx.x];
    }
}
