// What keeps the values of the text below. The host launches tutor_attach, then tutor_watch for each
// warp; without them nothing is kept.
__device__ unsigned long long* tutor_side;

extern "C" __global__ void tutor_attach(unsigned long long* side, unsigned long long records) {
    tutor_side = side;
    if (side != nullptr) tutor_side[1] = records;
}

extern "C" __global__ void tutor_watch(int index, unsigned int x, unsigned int y, unsigned int z, unsigned int warp) {
    unsigned long long* watch = tutor_side + 2 + index * 4;
    watch[0] = x | (unsigned long long)y << 32;
    watch[1] = z | (unsigned long long)warp << 32;
    if (tutor_side[0] < index + 1) tutor_side[0] = index + 1;
}

// Keeps one value of each lane that is here, and with bytes other than 0 how far it lies in its variable.
__device__ inline void tutor_keep(unsigned int site, unsigned long long bits, bool is_part, unsigned long long bytes) {
    if (tutor_side == nullptr) return;
    unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int watches = tutor_side[0];
    unsigned long long most = tutor_side[1];
    for (int index = 0; index < watches; ++index) {
        unsigned long long* watch = tutor_side + 2 + index * 4;
        bool is_block = watch[0] == (blockIdx.x | (unsigned long long)blockIdx.y << 32);
        if (!is_block || watch[1] != (blockIdx.z | (unsigned long long)(thread / 32) << 32)) continue;
        unsigned int here = __activemask();
        unsigned int lane = thread % 32;
        unsigned int first = __ffs(here) - 1;
        unsigned long long size = is_part ? 2 : 1;
        unsigned long long at = 0;
        if (lane == first) at = atomicAdd(watch + 2, size);
        at = __shfl_sync(here, at, first);
        if (at + size > most) return;
        unsigned long long* record = tutor_side + 2 + watches * 4 + (index * most + at) * 33;
        if (lane == first) record[0] = site | (unsigned long long)here << 32;
        record[1 + lane] = bits;
        if (is_part) record[34 + lane] = bytes;
        return;
    }
}

template <class T> __device__ inline unsigned long long tutor_bits(const T& value) {
    const void* at = (const void*)&value;
    if (sizeof(T) == 8) return *(const unsigned long long*)at;
    if (sizeof(T) == 4) return *(const unsigned int*)at;
    if (sizeof(T) == 2) return *(const unsigned short*)at;
    return *(const unsigned char*)at;
}

// After a statement has set a variable.
template <int SITE, class T> __device__ inline void tutor_set(const T& value) {
    tutor_keep(SITE, tutor_bits(value), false, 0);
}
// One of the scalars of an array that begins at base.
template <int SITE, class T> __device__ inline void tutor_set_in(const void* base, const T& value) {
    unsigned long long bytes = (const char*)(const void*)&value - (const char*)base;
    tutor_keep(SITE, tutor_bits(value), true, bytes);
}
// All scalars of an array; each is a site of its own.
template <int SITE, int COUNT, class T> __device__ inline void tutor_set_all(const T* first) {
    for (int at = 0; at < COUNT; ++at) tutor_keep(SITE + at, tutor_bits(first[at]), false, 0);
}
// In the head of a loop.
template <int SITE, class T> __device__ inline T tutor_begin(const T& value) {
    tutor_keep(SITE, tutor_bits(value), false, 0);
    return value;
}
// After a condition has set a variable.
template <int SITE, class R, class T> __device__ inline R tutor_after(R result, const T& value) {
    tutor_keep(SITE, tutor_bits(value), false, 0);
    return result;
}
