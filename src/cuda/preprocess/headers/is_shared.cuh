// The 4 GiB of the block's shared memory.
__device__ inline unsigned int __isShared(const void* address) {
    return (unsigned long long)address >> 32 == 1;
}
