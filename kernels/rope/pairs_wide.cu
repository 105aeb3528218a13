// Rotary embedding of neighbours, as pairs.cu does it, but a thread
// loads its pair with one 8-byte access: float2 holds both elements.

extern "C" __global__ void rope_pairs_wide(
        const float2* x, const float* cosines, const float* sines,
        float2* y, int tokens, int heads, int depth) {
    int half = depth / 2;  // pairs of a head: one angle each
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair < tokens * heads * half) {
        int j = pair % half;
        int row = pair / half;  // one head of one token
        int token = row / heads;
        float cosine = cosines[token * half + j];
        float sine = sines[token * half + j];
        float2 both = x[pair];
        y[pair] = make_float2(
                both.x * cosine - both.y * sine,
                both.y * cosine + both.x * sine);
    }
}
