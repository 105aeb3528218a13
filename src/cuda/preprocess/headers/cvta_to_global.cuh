// Global memory has the addresses that all memory has.
__device__ inline unsigned long long __cvta_generic_to_global(const void* address) {
    return (unsigned long long)address;
}
