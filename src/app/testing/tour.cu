// A tour of what a warp may do: each statement accesses memory in another way.
__global__ void tour(const float* x, float* y, int* hits) {
    __shared__ float tile[4][32];
    int t = threadIdx.x;
    float own = x[t];
    float far = x[32 * (t % 8)];
    tile[t % 4][t / 4] = own;
    __syncthreads();
    float first = tile[0][0];
    if (t < 8) {
        own += first + far;
        atomicAdd(hits, 1);
    }
    for (int i = 0; i < 3; ++i) {
        own = own * 0.5f;
    }
    const float4* four = (const float4*)x;
    float4 wide = four[t];
    y[blockIdx.x * blockDim.x + t] = own + wide.x;
}
