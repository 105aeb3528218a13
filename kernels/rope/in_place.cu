// Rotary embedding of halves in place: y is x. A thread reads both
// elements of its pair before it writes either, and no other thread
// touches them.

extern "C" __global__ void rope_in_place(
        float* x, const float* cosines, const float* sines, int heads,
        int group, int depth) {
    int half = depth / 2;  // pairs per head, threads per block
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    int last = min(first + group, heads);
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    for (int head = first; head < last; ++head) {
        float* row = x + (token * heads + head) * depth;
        float a = row[j];
        float b = row[j + half];
        row[j] = a * cosine - b * sine;
        row[j + half] = b * cosine + a * sine;
    }
}
