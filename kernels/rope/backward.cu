// The way there and the way back, both in place. The gradient of a turn
// is the turn by the opposite angle: the same cosine, the sine negated.

// Turns pair j of a head.
__device__ void turn(
        float* row, int j, int half, float cosine, float sine) {
    float a = row[j];
    float b = row[j + half];
    row[j] = a * cosine - b * sine;
    row[j + half] = b * cosine + a * sine;
}

extern "C" __global__ void rope_forward(
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
        turn(x + (token * heads + head) * depth, j, half, cosine, sine);
    }
}

extern "C" __global__ void rope_backward(
        float* gradient, const float* cosines, const float* sines,
        int heads, int group, int depth) {
    int half = depth / 2;  // pairs per head, threads per block
    int token = blockIdx.x;
    int j = threadIdx.x;
    int first = blockIdx.y * group;
    int last = min(first + group, heads);
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    for (int head = first; head < last; ++head) {
        turn(gradient + (token * heads + head) * depth, j, half, cosine,
             -sine);
    }
}
