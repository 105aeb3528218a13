// <cuda_runtime.h> beside its enumerations: structs, functions of the library, and what wraps these in templates.
// Headers of programs ask whether these were included.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventWaitDefault 0x00
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterReadOnly 0x08
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01
#define cudaPeerAccessDefault 0x00
#define CUDART_CB
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUmemPoolHandle_st;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void (*cudaHostFn_t)(void*);

struct cudaUUID_t {
    char bytes[16];
};
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported, clusterLaunch;
    // Removed in CUDA 13, and asked for by programs from before.
    int clockRate, memoryClockRate, deviceOverlap, computeMode, kernelExecTimeoutEnabled;
    int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
struct cudaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
struct cudaLaunchAttributeValue {
    int cooperative, priority, programmaticStreamSerializationAllowed;
    dim3 clusterDim;
    cudaAccessPolicyWindow accessPolicyWindow;
};
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributePriority cudaLaunchAttributePriority
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned int numAttrs;
};
struct cudaKernelNodeParams {
    void* func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void** kernelParams;
    void** extra;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void* userData;
};
struct cudaMemsetParams {
    void* dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};

extern "C" {
cudaError_t cudaMalloc(void**, size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaMallocHost(void**, size_t, unsigned int = 0);
cudaError_t cudaHostAlloc(void**, size_t, unsigned int);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaHostGetDevicePointer(void**, void*, unsigned int);
cudaError_t cudaHostRegister(void*, size_t, unsigned int);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaMallocManaged(void**, size_t, unsigned int = 1);
cudaError_t cudaMallocPitch(void**, size_t*, size_t, size_t);
cudaError_t cudaMallocAsync(void**, size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void*, cudaStream_t);
cudaError_t cudaMemGetInfo(size_t*, size_t*);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyPeer(void*, int, const void*, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemset2D(void*, size_t, int, size_t, size_t);
cudaError_t cudaMemset2DAsync(void*, size_t, int, size_t, size_t, cudaStream_t = 0);
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int);
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = 0);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
cudaError_t __cudaMemcpyToSymbol(const void*, const void*, size_t, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __cudaMemcpyFromSymbol(void*, const void*, size_t, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __cudaGetSymbolAddress(void**, const void*);
cudaError_t __cudaGetSymbolSize(size_t*, const void*);

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t);
const char* cudaGetErrorName(cudaError_t);

cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetDeviceFlags(unsigned int);
cudaError_t cudaGetDeviceFlags(unsigned int*);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
cudaError_t cudaChooseDevice(int*, const cudaDeviceProp*);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaThreadExit();
cudaError_t cudaDeviceGetLimit(size_t*, cudaLimit);
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
// Between them code of the host reaches the GPU's memory.
cudaError_t __gpuCodeBegins();
cudaError_t __gpuCodeEnds();
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache*);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig*);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
cudaError_t cudaDeviceGetPCIBusId(char*, int, int);
cudaError_t cudaDeviceGetStreamPriorityRange(int*, int*);
cudaError_t cudaDeviceCanAccessPeer(int*, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int);
cudaError_t cudaDriverGetVersion(int*);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned int);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned int, int);
cudaError_t cudaStreamGetPriority(cudaStream_t, int*);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void*, unsigned int);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned int = 4);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned int);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);

cudaError_t __cudaFuncGetAttributes(cudaFuncAttributes*, const void*);
cudaError_t __cudaFuncSetAttribute(const void*, cudaFuncAttribute, int);
cudaError_t __cudaLaunchKernel(const void*, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                               unsigned int, void**, size_t, cudaStream_t);
cudaError_t __cudaLaunchCooperativeKernel(const void*, unsigned int, unsigned int, unsigned int, unsigned int,
                                          unsigned int, unsigned int, void**, size_t, cudaStream_t);
cudaError_t __cudaOccupancyBlocks(int*, const void*, int, size_t);
cudaError_t __cudaOccupancyBlockSize(int*, int*, const void*, size_t, int);

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned int);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t*, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, size_t*);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t, cudaGraphNode_t*, size_t*);
cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, size_t*);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t*, const cudaGraphNode_t*, size_t);
cudaError_t __cudaGraphNodeGetType(cudaGraphNode_t, int*);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t,
                                   const cudaKernelNodeParams*);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t,
                                 const cudaHostNodeParams*);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t,
                                   const cudaMemsetParams*);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t, cudaGraph_t);
cudaError_t cudaGraphClone(cudaGraph_t*, cudaGraph_t);
cudaError_t __cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, int*);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t, void*, const void*,
                                     size_t, cudaMemcpyKind);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
}

// Since CUDA 13 edges have data; all are plain here.
struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
};

inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     cudaGraphEdgeData* data, size_t* count) {
    cudaError_t error = cudaGraphGetEdges(graph, from, to, count);
    for (size_t i = 0; data && error == cudaSuccess && i < *count; i++) data[i] = {};
    return error;
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            const cudaGraphEdgeData*, size_t count) {
    return cudaGraphAddDependencies(graph, from, to, count);
}

inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* to) {
    return __cudaGraphNodeGetType(node, (int*)to);
}
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0,
    cudaGraphExecUpdateError = 1,
    cudaGraphExecUpdateErrorTopologyChanged = 2,
    cudaGraphExecUpdateErrorNodeTypeChanged = 3,
    cudaGraphExecUpdateErrorFunctionChanged = 4,
    cudaGraphExecUpdateErrorParametersChanged = 5,
    cudaGraphExecUpdateErrorNotSupported = 6
};
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    return __cudaGraphExecUpdate(executable, graph, info == 0 ? 0 : (int*)&info->result);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* to, unsigned int flags) { return cudaEventCreateWithFlags(to, flags); }
template <class T> inline cudaError_t cudaMalloc(T** to, size_t bytes) { return cudaMalloc((void**)to, bytes); }
template <class T> inline cudaError_t cudaMallocHost(T** to, size_t bytes, unsigned int flags = 0) {
    return cudaMallocHost((void**)to, bytes, flags);
}
template <class T> inline cudaError_t cudaHostAlloc(T** to, size_t bytes, unsigned int flags) {
    return cudaHostAlloc((void**)to, bytes, flags);
}
template <class T> inline cudaError_t cudaHostGetDevicePointer(T** to, void* of, unsigned int flags) {
    return cudaHostGetDevicePointer((void**)to, of, flags);
}
template <class T> inline cudaError_t cudaMallocManaged(T** to, size_t bytes, unsigned int flags = 1) {
    return cudaMallocManaged((void**)to, bytes, flags);
}
template <class T> inline cudaError_t cudaMallocPitch(T** to, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch((void**)to, pitch, width, height);
}
template <class T> inline cudaError_t cudaMallocAsync(T** to, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync((void**)to, bytes, stream);
}
template <class T> inline cudaError_t cudaMallocAsync(T** to, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
    return cudaMallocAsync((void**)to, bytes, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** to, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
    return cudaMallocAsync((void**)to, bytes, stream);
}
// Pools are numbered from the default one on. Memory goes back at once, so what an attribute says changes nothing.
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void* win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};
static unsigned long long __pool_thresholds[64];
static int __pool_reuse[64][4];
static int __pools_made = 1;
static cudaMemPool_t __pools_in_use[16];
inline size_t __pool_number(cudaMemPool_t pool) { return (size_t)pool - 1073741824ull; }
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* to, const cudaMemPoolProps*) {
    if (__pools_made == 64) {
        return cudaErrorMemoryAllocation;
    }
    *to = (cudaMemPool_t)(1073741824ull + __pools_made);
    ++__pools_made;
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return __pool_number(pool) == 0 || __pool_number(pool) >= 64 ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    __pools_in_use[device] = pool;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* to, int device) {
    *to = __pools_in_use[device];
    return *to != 0 ? cudaSuccess : cudaDeviceGetDefaultMemPool(to, device);
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    size_t number = __pool_number(pool);
    if (number >= 64) {
        return cudaErrorInvalidValue;
    }
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        __pool_thresholds[number] = *(unsigned long long*)value;
    } else if (attribute < cudaMemPoolAttrReleaseThreshold) {
        // Kept as what turns it off: all of it is allowed at first.
        __pool_reuse[number][attribute] = *(int*)value == 0;
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    size_t number = __pool_number(pool);
    if (number >= 64) {
        return cudaErrorInvalidValue;
    }
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
        *(int*)value = !__pool_reuse[number][attribute];
    } else {
        *(unsigned long long*)value = attribute == cudaMemPoolAttrReleaseThreshold ? __pool_thresholds[number] : 0;
    }
    return cudaSuccess;
}
struct cudaMemAccessDesc {
    cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
// A GPU may always use its own pools.
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc* all, size_t count) {
    for (size_t at = 0; at < count; ++at) {
        bool is_whole = all[at].flags == cudaMemAccessFlagsProtReadWrite;
        if (all[at].location.type != cudaMemLocationTypeDevice || all[at].location.id != 0 || !is_whole) {
            return cudaErrorInvalidValue;
        }
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* to, cudaMemPool_t, cudaMemLocation* of) {
    *to = of->type == cudaMemLocationTypeDevice ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void* of, size_t bytes, cudaMemLocation to, unsigned int,
                                        cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync(of, bytes, to.id, stream);
}
inline cudaError_t cudaMemAdvise(const void* of, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation to) {
    return cudaMemAdvise(of, bytes, advice, to.id);
}

// What a stream prefers to keep in L2 changes nothing that is computed.
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
    return cudaSuccess;
}
inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
inline cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t) {
    return graph != 0 ? cudaSuccess : cudaErrorInvalidValue;
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return __cudaMemcpyToSymbol((const void*)&symbol, from, bytes, offset, kind, 0);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return __cudaMemcpyToSymbol((const void*)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return __cudaMemcpyFromSymbol(to, (const void*)&symbol, bytes, offset, kind, 0);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return __cudaMemcpyFromSymbol(to, (const void*)&symbol, bytes, offset, kind, stream);
}
template <class T> inline cudaError_t cudaGetSymbolAddress(void** to, const T& symbol) {
    return __cudaGetSymbolAddress(to, (const void*)&symbol);
}
template <class T> inline cudaError_t cudaGetSymbolSize(size_t* to, const T& symbol) {
    return __cudaGetSymbolSize(to, (const void*)&symbol);
}

template <class F> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, F kernel) {
    return __cudaFuncGetAttributes(to, (const void*)kernel);
}
template <class F> inline cudaError_t cudaFuncSetAttribute(F kernel, cudaFuncAttribute attribute, int value) {
    return __cudaFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class F> inline cudaError_t cudaFuncSetCacheConfig(F kernel, cudaFuncCache) {
    cudaFuncAttributes ignored;
    return __cudaFuncGetAttributes(&ignored, (const void*)kernel);
}
template <class F> inline cudaError_t cudaFuncSetSharedMemConfig(F kernel, cudaSharedMemConfig) {
    cudaFuncAttributes ignored;
    return __cudaFuncGetAttributes(&ignored, (const void*)kernel);
}
template <class F>
inline cudaError_t cudaLaunchKernel(F kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                    cudaStream_t stream = 0) {
    return __cudaLaunchKernel((const void*)kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, arguments, shared,
                              stream);
}
template <class F, class... A>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, F kernel, A... arguments) {
    kernel<<<config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream>>>(arguments...);
    return cudaPeekAtLastError();
}
template <class F>
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, F kernel, void** arguments) {
    return cudaLaunchKernel(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                            config->stream);
}
template <class F>
inline cudaError_t cudaLaunchCooperativeKernel(F kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                               cudaStream_t stream = 0) {
    return __cudaLaunchCooperativeKernel((const void*)kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                         arguments, shared, stream);
}
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F kernel, int threads, size_t shared) {
    return __cudaOccupancyBlocks(blocks, (const void*)kernel, threads, shared);
}
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F kernel, int threads,
                                                                          size_t shared, unsigned int) {
    return __cudaOccupancyBlocks(blocks, (const void*)kernel, threads, shared);
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F kernel, size_t shared = 0,
                                                      int most = 0) {
    return __cudaOccupancyBlockSize(grid, block, (const void*)kernel, shared, most);
}
// As CUDA's own header does: from the largest block down, and the first of those with most threads is taken.
template <class F, class S>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F kernel, S shared_of,
                                                                  int most = 0) {
    cudaFuncAttributes of;
    cudaError_t error = cudaFuncGetAttributes(&of, kernel);
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    int limit = most > 0 && most < of.maxThreadsPerBlock ? most : of.maxThreadsPerBlock;
    int best = 0;
    for (int aligned = (limit + 31) / 32 * 32; aligned > 0 && error == cudaSuccess; aligned -= 32) {
        int threads = aligned < limit ? aligned : limit;
        int blocks = 0;
        error = __cudaOccupancyBlocks(&blocks, (const void*)kernel, threads, shared_of(threads));
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * processors;
        }
    }
    return error;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
    return cudaGraphInstantiate(to, graph, 0ull);
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    cudaExtent extent;
    extent.width = width;
    extent.height = height;
    extent.depth = depth;
    return extent;
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    cudaPos pos;
    pos.x = x;
    pos.y = y;
    pos.z = z;
    return pos;
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* to, size_t pitch, size_t width, size_t height) {
    cudaPitchedPtr made;
    made.ptr = to;
    made.pitch = pitch;
    made.xsize = width;
    made.ysize = height;
    return made;
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* to, cudaExtent extent) {
    to->xsize = extent.width;
    to->ysize = extent.height;
    return cudaMallocPitch(&to->ptr, &to->pitch, extent.width, extent.height * extent.depth);
}
inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr of, int value, cudaExtent extent, cudaStream_t stream = 0) {
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; ++z) {
        void* slice = (char*)of.ptr + z * of.pitch * of.ysize;
        error = cudaMemset2DAsync(slice, of.pitch, value, extent.width, extent.height, stream);
    }
    return error;
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr of, int value, cudaExtent extent) {
    return cudaMemset3DAsync(of, value, extent);
}
