// What does arithmetic cost beside moving data? Each thread takes one
// float from memory, multiplies and adds as often as it is told, and
// writes the result. The factor is 1 and the summand 0, so the result
// is the input: but the compiler cannot know that, because both come
// with the launch.

extern "C" __global__ void work(
        const float* x, float* y, int n, int steps, float factor,
        float summand) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = x[i];
        for (int step = 0; step < steps; step++) {
            value = value * factor + summand;
        }
        y[i] = value;
    }
}
