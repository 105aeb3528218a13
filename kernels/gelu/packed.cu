// The fused GeLU, four elements per thread in one load of 16 bytes and
// one store of 16 bytes. What is left when n is not a multiple of four
// goes to the first threads, one element each.

__device__ float gelu(float v) {
    float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    float t = 1.0f - 2.0f / (expf(2.0f * inner) + 1.0f);
    return 0.5f * v * (1.0f + t);
}

extern "C" __global__ void gelu_packed(
        const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (i < packs) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v.x = gelu(v.x);
        v.y = gelu(v.y);
        v.z = gelu(v.z);
        v.w = gelu(v.w);
        reinterpret_cast<float4*>(y)[i] = v;
    }
    if (i < n % 4) {
        int rest = 4 * packs + i;
        y[rest] = gelu(x[rest]);
    }
}
