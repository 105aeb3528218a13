// Looks each key up in a table, entry by entry from the start. How many
// steps that takes depends on the key, so lanes leave the loop at
// different times.

// Thread i takes key i: a warp gets whatever keys lie beside each
// other.
extern "C" __global__ void search_mixed(
        const float* keys, const float* table, float* y, int count,
        int entries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float key = keys[i];
        int at = 0;
        float entry = table[0];
        while (entry != key && at < entries - 1) {
            at++;
            entry = table[at];
        }
        y[i] = entry;
    }
}

// The keys repeat after 32. So a block of 32 warps deals its 1024 keys
// out: warp 0 takes its keys 0, 32, 64, …, which are equal; warp 1
// takes 1, 33, 65, …
extern "C" __global__ void search_sorted(
        const float* keys, const float* table, float* y, int count,
        int entries) {
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int i = blockIdx.x * blockDim.x + lane * 32 + warp;
    if (i < count) {
        float key = keys[i];
        int at = 0;
        float entry = table[0];
        while (entry != key && at < entries - 1) {
            at++;
            entry = table[at];
        }
        y[i] = entry;
    }
}
