// Rotary embedding of halves: a token and a group of heads per block.

__global__ void rope(
        const float* x, const float* cosines, const float* sines,
        float* y, int heads, int depth, int group) {
    int half = depth / 2;
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    int last = min(first + group, heads);
    //> hole
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    for (int head = first; head < last; head++) {
        int at = (token * heads + head) * depth + j;
        float a = x[at];
        float b = x[at + half];
        y[at] = a * cosine - b * sine;
        y[at + half] = b * cosine + a * sine;
    }
    //> start
    //| for (int head = first; head < last; head++) {
    //|     int at = (token * heads + head) * depth + j;
    //|     float cosine = cosines[token * half + j];
    //|     float sine = sines[token * half + j];
    //|     float a = x[at];
    //|     float b = x[at + half];
    //|     y[at] = a * cosine - b * sine;
    //|     y[at + half] = b * cosine + a * sine;
    //| }
    //> end
}
