// One field of many particles, out of two layouts of the same data.

// Eight fields, side by side in memory: an array of these is an array
// of structs.
struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass, charge;
};

extern "C" __global__ void masses_of_structs(
        const Particle* particles, float* masses, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        masses[i] = particles[i].mass;
    }
}

// A struct of arrays: all x, then all y, …; the masses are the seventh
// array.
extern "C" __global__ void masses_of_arrays(
        const float* fields, float* masses, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float* mass = fields + 6 * count;
    if (i < count) {
        masses[i] = mass[i];
    }
}
