// What the headers of asynchronous copies are made of: parts of 4, 8 or 16 bytes, as `cp.async` copies them.
namespace __copies {

template <int Bytes>
__device__ inline void part(void* to, const void* from) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "4, 8 or 16 bytes are copied asynchronously");
    if constexpr (Bytes == 16) {
        __copy_async((uint4*)to, *(const uint4*)from);
    } else if constexpr (Bytes == 8) {
        __copy_async((uint2*)to, *(const uint2*)from);
    } else {
        __copy_async((unsigned int*)to, *(const unsigned int*)from);
    }
}

// Bytes that threads `rank`, `rank + threads`, ... copy, of parts as wide as the alignment allows; what is narrower
// than 4 bytes is copied at once.
template <int Alignment>
__device__ inline void shared_out(unsigned int rank, unsigned int threads, void* to, const void* from, size_t bytes) {
    constexpr int width = Alignment >= 16 ? 16 : Alignment;
    unsigned int stride = threads * width;
    if constexpr (width >= 4) {
        if (__isShared(to) && __isGlobal(from)) {
            for (unsigned int at = rank * width; at < bytes; at += stride) {
                part<width>((char*)to + at, (const char*)from + at);
            }
        } else {
            for (unsigned int at = 4 * rank; at < bytes; at += 4 * threads) {
                *(unsigned int*)((char*)to + at) = *(const unsigned int*)((const char*)from + at);
            }
        }
    } else {
        for (unsigned int at = rank; at < bytes; at += threads) {
            ((char*)to)[at] = ((const char*)from)[at];
        }
    }
}

template <typename T>
struct alignment_of {
    static constexpr int value = alignof(T);
};
template <>
struct alignment_of<void> {
    static constexpr int value = 1;
};
template <>
struct alignment_of<const void> {
    static constexpr int value = 1;
};

}  // namespace __copies

namespace cuda {

// A number of bytes, and the alignment of both ends of a copy.
template <size_t Alignment>
struct aligned_size_t {
    size_t value;
    static constexpr size_t align = Alignment;
    __host__ __device__ constexpr explicit aligned_size_t(size_t size) : value(size) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};

}  // namespace cuda
