// Rotary embedding of halves, in place, one thread per pair.

__global__ void rope(
        float* x, const float* cosines, const float* sines, int heads,
        int depth) {
    int half = depth / 2;
    int token = blockIdx.x;
    int j = threadIdx.x;
    float* head = x + (token * heads + blockIdx.y) * depth;
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    //> hole
    float a = head[j];
    float b = head[j + half];
    head[j] = a * cosine - b * sine;
    head[j + half] = b * cosine + a * sine;
    //> start
    //| head[j] = head[j] * cosine - head[j + half] * sine;
    //| head[j + half] = head[j + half] * cosine + head[j] * sine;
    //> end
}
