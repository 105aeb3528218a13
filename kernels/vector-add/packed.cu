// c = a + b, four neighbours per thread: one load of 16 bytes from a,
// one from b, and one store of 16 bytes. What is left when count is no
// multiple of four goes to the first threads, one element each.

extern "C" __global__ void add_packed(
        const float* a, const float* b, float* c, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = count / 4;
    if (i < packs) {
        float4 u = reinterpret_cast<const float4*>(a)[i];
        float4 v = reinterpret_cast<const float4*>(b)[i];
        u.x += v.x;
        u.y += v.y;
        u.z += v.z;
        u.w += v.w;
        reinterpret_cast<float4*>(c)[i] = u;
    }
    if (i < count % 4) {
        int rest = 4 * packs + i;
        c[rest] = a[rest] + b[rest];
    }
}
