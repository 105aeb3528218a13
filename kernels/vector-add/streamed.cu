// As packed.cu, with a hint on each access: __ldcs and __stcs say that
// the data is used once, so that caches drop it first.

extern "C" __global__ void add_streamed(
        const float* a, const float* b, float* c, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = count / 4;
    if (i < packs) {
        float4 u = __ldcs(reinterpret_cast<const float4*>(a) + i);
        float4 v = __ldcs(reinterpret_cast<const float4*>(b) + i);
        u.x += v.x;
        u.y += v.y;
        u.z += v.z;
        u.w += v.w;
        __stcs(reinterpret_cast<float4*>(c) + i, u);
    }
    if (i < count % 4) {
        int rest = 4 * packs + i;
        c[rest] = a[rest] + b[rest];
    }
}
