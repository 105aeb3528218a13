// Work that takes every block equally long: one block a tile of x, and each
// element goes through so many dependent multiply-adds. `scale` holds ones
// and `shift` zeros, so y is x, exactly; the compiler cannot know that, so
// it has to compute it.
//
// Thread 0 counts in `seat` that the tile is done. Laid out with one row a
// wave and one column a seat, `seat` is the plan of who sits where.

extern "C" __global__ void busy(const float* x, const float* scale,
                                const float* shift, float* y, int* seat,
                                int steps) {
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
