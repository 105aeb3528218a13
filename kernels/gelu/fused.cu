// GeLU of each element in one kernel, one thread per element. What lies
// between x and y stays in the thread's registers.
extern "C" __global__ void gelu_fused(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float cubic = v + 0.044715f * v * v * v;
        float inner = 0.7978845608f * cubic;
        float t = tanhf(inner);
        y[i] = 0.5f * v * (1.0f + t);
    }
}
