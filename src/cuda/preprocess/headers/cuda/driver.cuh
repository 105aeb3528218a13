// <cuda.h>: what programs ask the driver about devices. Modules and launches of its own are not here.
enum CUresult {
    CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_UNKNOWN = 999,
};
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
struct CUctx_st;
typedef CUctx_st* CUcontext;
struct CUmod_st;
typedef CUmod_st* CUmodule;
struct CUfunc_st;
typedef CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
#define CU_MEMHOSTALLOC_PORTABLE 1
#define CU_MEMHOSTALLOC_DEVICEMAP 2
#define CU_MEMHOSTALLOC_WRITECOMBINED 4
// The numbers are those of `cudaDeviceAttr`.
typedef cudaDeviceAttr CUdevice_attribute;
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK cudaDevAttrMaxThreadsPerBlock
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X cudaDevAttrMaxBlockDimX
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y cudaDevAttrMaxBlockDimY
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z cudaDevAttrMaxBlockDimZ
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X cudaDevAttrMaxGridDimX
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y cudaDevAttrMaxGridDimY
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z cudaDevAttrMaxGridDimZ
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK cudaDevAttrMaxSharedMemoryPerBlock
#define CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY cudaDevAttrTotalConstantMemory
#define CU_DEVICE_ATTRIBUTE_WARP_SIZE cudaDevAttrWarpSize
#define CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK cudaDevAttrMaxRegistersPerBlock
#define CU_DEVICE_ATTRIBUTE_CLOCK_RATE cudaDevAttrClockRate
#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT cudaDevAttrMultiProcessorCount
#define CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE cudaDevAttrMemoryClockRate
#define CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH cudaDevAttrGlobalMemoryBusWidth
#define CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE cudaDevAttrL2CacheSize
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR cudaDevAttrMaxThreadsPerMultiProcessor
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR cudaDevAttrComputeCapabilityMajor
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR cudaDevAttrComputeCapabilityMinor
inline CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
inline CUresult cuDriverGetVersion(int* version) { return (CUresult)cudaDriverGetVersion(version); }
inline CUresult cuDeviceGetCount(int* count) { return (CUresult)cudaGetDeviceCount(count); }
inline CUresult cuDeviceGet(CUdevice* device, int at) {
    int count = 0;
    cudaGetDeviceCount(&count);
    *device = at;
    return at >= 0 && at < count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
inline CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    cudaDeviceProp properties;
    CUresult result = (CUresult)cudaGetDeviceProperties(&properties, device);
    snprintf(name, length, "%s", properties.name);
    return result;
}
inline CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    cudaDeviceProp properties;
    CUresult result = (CUresult)cudaGetDeviceProperties(&properties, device);
    *bytes = properties.totalGlobalMem;
    return result;
}
inline CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return (CUresult)cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return (CUresult)cudaDeviceGetAttribute(value, attribute, device);
}
inline CUresult cuCtxCreate(CUcontext* context, unsigned int, CUdevice) {
    *context = (CUcontext)1;
    return CUDA_SUCCESS;
}
inline CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxSynchronize() { return (CUresult)cudaDeviceSynchronize(); }
inline CUresult cuGetErrorString(CUresult error, const char** text) {
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}
inline CUresult cuGetErrorName(CUresult error, const char** name) {
    *name = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR";
    return CUDA_SUCCESS;
}
inline CUresult cuMemGetInfo(size_t* free, size_t* total) { return (CUresult)cudaMemGetInfo(free, total); }
inline CUresult cuMemAlloc(CUdeviceptr* at, size_t bytes) { return (CUresult)cudaMalloc((void**)at, bytes); }
inline CUresult cuMemFree(CUdeviceptr at) { return (CUresult)cudaFree((void*)at); }
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return (CUresult)cudaMemcpy((void*)to, from, bytes, cudaMemcpyHostToDevice);
}
inline CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return (CUresult)cudaMemcpy(to, (const void*)from, bytes, cudaMemcpyDeviceToHost);
}
