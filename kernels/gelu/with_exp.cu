// The fused GeLU, with tanh written with the exponential function, for
// hardware or languages that have no tanh.
extern "C" __global__ void gelu_exp(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
        float e = expf(2.0f * inner);
        // Where e is infinite the quotient is zero, and t is one.
        float t = 1.0f - 2.0f / (e + 1.0f);
        y[i] = 0.5f * v * (1.0f + t);
    }
}
