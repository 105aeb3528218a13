// The gradient of rotary embedding of halves, one thread per pair.

__global__ void rope_backward(
        const float* dy, const float* cosines, const float* sines,
        float* dx, int heads, int depth) {
    int half = depth / 2;
    int token = blockIdx.x;
    int j = threadIdx.x;
    int at = (token * heads + blockIdx.y) * depth + j;
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    float a = dy[at];
    float b = dy[at + half];
    //> hole: Turn (a, b) back.
    dx[at] = a * cosine + b * sine;
    dx[at + half] = b * cosine - a * sine;
    //> start
    //| dx[at] = a * cosine - b * sine;
    //| dx[at + half] = b * cosine + a * sine;
    //> end
}
