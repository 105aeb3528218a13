// Attention of one head by its definition, one thread per query: scores
// of all keys, softmax, and the mean of the values with these weights.
// A query that is causal sees no later key.

extern "C" __global__ void attention_small(
        const float* q, const float* k, const float* v, float* out,
        int tokens, int depth, float scale, int causal) {
    int query = blockIdx.x * blockDim.x + threadIdx.x;
    if (query >= tokens) {
        return;
    }
    int seen = causal ? query + 1 : tokens;
    float sum = 0.0f;
    for (int column = 0; column < depth; column++) {
        out[query * depth + column] = 0.0f;
    }
    for (int key = 0; key < seen; key++) {
        float score = 0.0f;
        for (int d = 0; d < depth; d++) {
            score += q[query * depth + d] * k[key * depth + d];
        }
        // Small numbers alone: no maximum is taken away here.
        float weight = expf(scale * score);
        sum += weight;
        for (int column = 0; column < depth; column++) {
            out[query * depth + column] +=
                    weight * v[key * depth + column];
        }
    }
    for (int column = 0; column < depth; column++) {
        out[query * depth + column] /= sum;
    }
}
