// The 4 GiB of the lane's local memory.
__device__ inline unsigned int __isLocal(const void* address) {
    return (unsigned long long)address >> 32 == 2;
}
