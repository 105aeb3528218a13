// Rotary embedding of halves in place: y is x. A thread reads both elements
// of its pair before it writes either, and no other thread touches them.

#define DEPTH 128         // columns of a head
#define HALF (DEPTH / 2)  // pairs of a head, threads of a block

extern "C" __global__ void rope_in_place(float* x, const float* cosines,
                                         const float* sines,
                                         int heads, int group) {
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    int last = min(first + group, heads);
    float cosine = cosines[token * HALF + j];
    float sine = sines[token * HALF + j];
    for (int head = first; head < last; ++head) {
        float* row = x + (token * heads + head) * DEPTH;
        float a = row[j];
        float b = row[j + HALF];
        row[j] = a * cosine - b * sine;
        row[j + HALF] = b * cosine + a * sine;
    }
}
