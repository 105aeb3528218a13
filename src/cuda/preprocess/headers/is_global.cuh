// Buffers begin at multiples of 2^40; below lie shared and local memory.
__device__ inline unsigned int __isGlobal(const void* address) {
    return (unsigned long long)address >> 40 != 0;
}
