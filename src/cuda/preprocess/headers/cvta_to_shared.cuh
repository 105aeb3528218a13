// Where something stands in the block's shared memory.
__device__ inline unsigned long long __cvta_generic_to_shared(const void* address) {
    return (unsigned long long)address & 0xffffffffull;
}
