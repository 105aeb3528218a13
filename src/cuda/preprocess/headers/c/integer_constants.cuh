// <stdint.h>: literals of a type, which are macros there.
#define __literal(name, T) \
    __host__ __device__ constexpr T name(T value) { return value; }
__literal(INT8_C, int)
__literal(INT16_C, int)
__literal(INT32_C, int)
__literal(INT64_C, long long)
__literal(INTMAX_C, long long)
__literal(UINT8_C, int)
__literal(UINT16_C, int)
__literal(UINT32_C, unsigned int)
__literal(UINT64_C, unsigned long long)
__literal(UINTMAX_C, unsigned long long)
#undef __literal
