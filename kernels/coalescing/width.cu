// The same copy with 1, 2, 4, 8 or 16 bytes per thread. The bytes stay
// the same; the wider the access, the fewer threads and requests it
// takes.

// Copies `bytes` bytes as values of type T, one per thread. What is
// left at the end, less than one T, goes byte by byte.
template <typename T>
__device__ void copy_as(
        const unsigned char* x, unsigned char* y, int bytes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int values = bytes / (int)sizeof(T);
    if (i < values) {
        reinterpret_cast<T*>(y)[i] = reinterpret_cast<const T*>(x)[i];
    }
    int rest = values * (int)sizeof(T) + i;
    if (rest < bytes) {
        y[rest] = x[rest];
    }
}

extern "C" __global__ void copy_width(
        const unsigned char* x, unsigned char* y, int bytes,
        int width) {
    switch (width) {
        case 1: copy_as<unsigned char>(x, y, bytes); break;
        case 2: copy_as<unsigned short>(x, y, bytes); break;
        case 4: copy_as<unsigned int>(x, y, bytes); break;
        case 8: copy_as<uint2>(x, y, bytes); break;
        case 16: copy_as<uint4>(x, y, bytes); break;
    }
}
