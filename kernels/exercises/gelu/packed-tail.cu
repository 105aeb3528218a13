// GeLU by four floats per thread.

__device__ float gelu(float v) {
    float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.0f + tanhf(inner));
}

__global__ void gelu_packed(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v = make_float4(gelu(v.x), gelu(v.y), gelu(v.z), gelu(v.w));
        reinterpret_cast<float4*>(y)[i] = v;
    }
    //> hole: And the elements that fill no pack?
    if (i < n % 4) {
        int rest = n / 4 * 4 + i;
        y[rest] = gelu(x[rest]);
    }
    //> end
}
