// Equal work for every block: one block per tile of x. `scale` holds
// ones and `shift` zeros, so y is x. Thread 0 counts in `seat` that its
// tile is done: one row per wave, one column per slot.

extern "C" __global__ void busy(
        const float* x, const float* scale, const float* shift,
        float* y, int* seat, int steps) {
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    float a = scale[t];
    float b = shift[t];

    float value = x[i];
    for (int step = 0; step < steps; step++) {
        value = fmaf(value, a, b);
    }
    y[i] = value;

    if (t == 0) {
        seat[blockIdx.x] += 1;
    }
}
