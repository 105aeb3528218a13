// What a kernel gets from <cstring>. Words where all of it lies in words, as nvcc does for sizes that it knows.
namespace std {

__device__ inline void* memset(void* to, int value, unsigned long long count) {
    unsigned int byte = value & 255;
    if ((((unsigned long long)to | count) & 3) == 0) {
        for (unsigned long long at = 0; at < count / 4; ++at) {
            ((unsigned int*)to)[at] = byte * 0x01010101u;
        }
    } else {
        for (unsigned long long at = 0; at < count; ++at) {
            ((unsigned char*)to)[at] = (unsigned char)byte;
        }
    }
    return to;
}

}  // namespace std
using std::memset;
