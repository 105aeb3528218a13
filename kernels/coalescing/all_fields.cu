// The sum of all eight fields of each particle, out of an array of
// structs, one thread per particle.

// Reads the fields one by one: eight requests per warp, each over all
// of its particles.
extern "C" __global__ void sum_fields(
        const float* particles, float* sums, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float sum = 0.0f;
        for (int field = 0; field < 8; ++field) {
            sum += particles[i * 8 + field];
        }
        sums[i] = sum;
    }
}

// Reads a particle as two pieces of 16 bytes: two requests per warp.
extern "C" __global__ void sum_pieces(
        const float4* particles, float* sums, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float4 a = particles[2 * i];
        float4 b = particles[2 * i + 1];
        sums[i] = ((a.x + a.y) + (a.z + a.w)) +
                  ((b.x + b.y) + (b.z + b.w));
    }
}
