// Functions of GCC that count bits. Leading and trailing zeros of 0 are undefined.
__host__ __device__ inline int __builtin_popcountll(unsigned long long bits) {
    int count = 0;
    for (; bits != 0; bits &= bits - 1) {
        ++count;
    }
    return count;
}
__host__ __device__ inline int __builtin_ctzll(unsigned long long bits) { return __builtin_popcountll((bits & -bits) - 1); }
__host__ __device__ inline int __builtin_clzll(unsigned long long bits) {
    for (int by = 1; by < 64; by *= 2) {
        bits |= bits >> by;
    }
    return 64 - __builtin_popcountll(bits);
}
__host__ __device__ inline int __builtin_ffsll(long long bits) { return bits == 0 ? 0 : __builtin_ctzll(bits) + 1; }
__host__ __device__ inline int __builtin_parityll(unsigned long long bits) { return __builtin_popcountll(bits) & 1; }
#define __of_words(name, back) \
    __host__ __device__ inline int __builtin_##name(unsigned int bits) { return __builtin_##name##ll(bits) - back; } \
    __host__ __device__ inline int __builtin_##name##l(unsigned long bits) { return __builtin_##name##ll(bits); }
__of_words(popcount, 0)
__of_words(ctz, 0)
__of_words(clz, 32)
__of_words(ffs, 0)
__of_words(parity, 0)
#undef __of_words
