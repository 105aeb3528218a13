// Rotary embedding of halves, heads in groups. A block takes one token
// and up to `group` of its heads. Thread j loads the cosine and sine of
// its angle once, keeps them in registers, and turns pair j of each
// head.

extern "C" __global__ void rope_grouped(
        const float* x, const float* cosines, const float* sines,
        float* y, int heads, int group, int depth) {
    int half = depth / 2;  // pairs per head, threads per block
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    // The last group may be short.
    int last = min(first + group, heads);
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    for (int head = first; head < last; ++head) {
        const float* from = x + (token * heads + head) * depth;
        float* to = y + (token * heads + head) * depth;
        float a = from[j];
        float b = from[j + half];
        to[j] = a * cosine - b * sine;
        to[j + half] = b * cosine + a * sine;
    }
}
