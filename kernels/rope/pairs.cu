// Rotary embedding, one thread a pair: columns 2j and 2j + 1 turn together.
// The thread loads and stores the two one by one, so the lanes of a warp
// reach for every other element.

#define DEPTH 128         // columns of a head
#define HALF (DEPTH / 2)  // pairs of a head: one angle each

extern "C" __global__ void rope_pairs(const float* x,
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
        float a = x[2 * pair];
        float b = x[2 * pair + 1];
        y[2 * pair] = a * cosine - b * sine;
        y[2 * pair + 1] = b * cosine + a * sine;
    }
}
