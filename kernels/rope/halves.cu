// Rotary embedding, one thread per pair: columns j and j + depth / 2 of
// a head.

extern "C" __global__ void rope_halves(
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
        float a = x[row * depth + j];
        float b = x[row * depth + j + half];
        y[row * depth + j] = a * cosine - b * sine;
        y[row * depth + j + half] = b * cosine + a * sine;
    }
}
