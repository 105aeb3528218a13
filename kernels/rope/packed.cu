// Rotary embedding of halves with accesses of 16 bytes. Thread (j, h)
// has four neighbouring pairs of one head: columns 4j to 4j + 3 of both
// halves. Its angles stand beside each other as well, so cosines and
// sines are one load each. `sign` is -1 to turn back.

__device__ void turn(
        const float4* x, const float4* cosines, const float4* sines,
        float4* y, int heads, int depth, float sign) {
    int packs = depth / 8;  // of one half of a head
    int token = blockIdx.x;
    int j = threadIdx.x;
    int head = blockIdx.y * blockDim.y + threadIdx.y;
    if (head < heads) {
        float4 c = cosines[token * packs + j];
        float4 s = sines[token * packs + j];
        s = make_float4(sign * s.x, sign * s.y, sign * s.z, sign * s.w);
        int first = (token * heads + head) * 2 * packs + j;
        float4 a = x[first];
        float4 b = x[first + packs];
        y[first] = make_float4(
                a.x * c.x - b.x * s.x, a.y * c.y - b.y * s.y,
                a.z * c.z - b.z * s.z, a.w * c.w - b.w * s.w);
        y[first + packs] = make_float4(
                b.x * c.x + a.x * s.x, b.y * c.y + a.y * s.y,
                b.z * c.z + a.z * s.z, b.w * c.w + a.w * s.w);
    }
}

extern "C" __global__ void rope_packed(
        const float4* x, const float4* cosines, const float4* sines,
        float4* y, int heads, int depth) {
    turn(x, cosines, sines, y, heads, depth, 1.0f);
}

extern "C" __global__ void rope_packed_backward(
        const float4* x, const float4* cosines, const float4* sines,
        float4* y, int heads, int depth) {
    turn(x, cosines, sines, y, heads, depth, -1.0f);
}
