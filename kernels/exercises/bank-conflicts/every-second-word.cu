// Each block sorts 256 elements by their places: the even ones first.

__global__ void even_first(const float* x, float* y, int count) {
    __shared__ float part[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    part[t] = i < count ? x[i] : 0.0f;
    __syncthreads();
    float value = part[t < 128 ? 2 * t : 2 * t - 255];  //> cause
    if (i < count) {
        y[i] = value;
    }
}
