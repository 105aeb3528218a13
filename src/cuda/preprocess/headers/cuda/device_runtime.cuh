// What kernels that launch kernels call of CUDA's runtime: for the GPU, these stand for the functions without `__gpu_`.
__device__ inline cudaError_t __gpu_cudaGetLastError() { return cudaSuccess; }
__device__ inline cudaError_t __gpu_cudaPeekAtLastError() { return cudaSuccess; }
__device__ inline cudaError_t __gpu_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
    *stream = (cudaStream_t)0x100;
    return cudaSuccess;
}
__device__ inline cudaError_t __gpu_cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
// Memory of the same heap as that of `malloc` (CUDA C++ Programming Guide, "Memory Allocation" of dynamic parallelism).
template <typename T>
__device__ inline cudaError_t __gpu_cudaMalloc(T** memory, unsigned long long bytes) {
    *memory = (T*)__device_malloc(bytes);
    return *memory == 0 && bytes != 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
__device__ inline cudaError_t __gpu_cudaFree(void* memory) {
    __device_free(memory);
    return cudaSuccess;
}
