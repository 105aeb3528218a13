// Rotary embedding, one thread per pair: columns 2j and 2j + 1 of a
// head.

extern "C" __global__ void rope_pairs(
        const float* x, const float* cosines, const float* sines,
        float* y, int tokens, int heads, int depth) {
    int half = depth / 2;  // pairs of a head: one angle each
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair < tokens * heads * half) {
        int j = pair % half;
        int row = pair / half;  // one head of one token
        int token = row / heads;
        float cosine = cosines[token * half + j];
        float sine = sines[token * half + j];
        float a = x[2 * pair];
        float b = x[2 * pair + 1];
        y[2 * pair] = a * cosine - b * sine;
        y[2 * pair + 1] = b * cosine + a * sine;
    }
}
