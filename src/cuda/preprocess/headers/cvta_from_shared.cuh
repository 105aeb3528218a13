// The address of a place in the block's shared memory.
__device__ inline void* __cvta_shared_to_generic(unsigned long long place) {
    return (void*)((1ull << 32) | (place & 0xffffffffull));
}
