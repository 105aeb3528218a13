// Rotary embedding of halves, one thread per pair, one block per head.

__global__ void rope(
        const float* x, const float* cosines, const float* sines,
        float* y, int heads, int depth) {
    int half = depth / 2;
    int token = blockIdx.x;
    int j = threadIdx.x;
    int head = (token * heads + blockIdx.y) * depth;
    //> hole: Where does the partner of element j stand?
    int partner = j + half;
    //> start
    //| int partner = j + 1;
    //> end
    float cosine = cosines[token * half + j];
    float sine = sines[token * half + j];
    float a = x[head + j];
    float b = x[head + partner];
    y[head + j] = a * cosine - b * sine;
    y[head + partner] = b * cosine + a * sine;
}
