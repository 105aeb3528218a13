// Rotary embedding, one thread a pair: column j of a head turns together
// with column j of the head's other half. Each thread loads its two
// elements of x, and the cosine and sine of its angle.

#define DEPTH 128         // columns of a head
#define HALF (DEPTH / 2)  // pairs of a head: one angle each

extern "C" __global__ void rope_halves(const float* x,
                                       const float* cosines,
                                       const float* sines, float* y,
                                       int tokens, int heads) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair < tokens * heads * HALF) {
        int j = pair % HALF;
        int row = pair / HALF;  // one head of one token
        int token = row / heads;
        float cosine = cosines[token * HALF + j];
        float sine = sines[token * HALF + j];
        float a = x[row * DEPTH + j];
        float b = x[row * DEPTH + j + HALF];
        y[row * DEPTH + j] = a * cosine - b * sine;
        y[row * DEPTH + j + HALF] = b * cosine + a * sine;
    }
}
