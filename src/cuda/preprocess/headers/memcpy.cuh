// What a kernel gets from <cstring>. Words where all of it lies in words, as nvcc does for sizes that it knows.
namespace std {

__device__ inline void* memcpy(void* to, const void* from, unsigned long long count) {
    if ((((unsigned long long)to | (unsigned long long)from | count) & 3) == 0) {
        for (unsigned long long at = 0; at < count / 4; ++at) {
            ((unsigned int*)to)[at] = ((const unsigned int*)from)[at];
        }
    } else {
        for (unsigned long long at = 0; at < count; ++at) {
            ((char*)to)[at] = ((const char*)from)[at];
        }
    }
    return to;
}

}  // namespace std
using std::memcpy;
