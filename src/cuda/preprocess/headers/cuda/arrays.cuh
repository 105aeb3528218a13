// <cuda_runtime.h>, textures: CUDA arrays, copies of rows and volumes to and from them, texture and surface objects.
// An array lies row by row in memory of the GPU; the host keeps what is known of it.
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3,
};
enum cudaResourceType {
    cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray = 1, cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3,
};
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaArray {
    char* data;
    cudaChannelFormatDesc format;
    size_t texel, row, slice;
    cudaExtent extent;
    unsigned int flags;
};
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
struct cudaMipmappedArray;
typedef cudaMipmappedArray* cudaMipmappedArray_t;
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct { void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
    } res;
    unsigned int flags;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    enum cudaMemcpyKind kind;
};

// Returns an error of these functions, which `cudaGetLastError` then gives as well.
extern "C" cudaError_t __cudaTextureError(cudaError_t);

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    cudaChannelFormatDesc format = {x, y, z, w, kind};
    return format;
}
inline cudaChannelFormatDesc __channels(int count, int bits, cudaChannelFormatKind kind) {
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind);
}
template <typename T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return __channels(0, 0, cudaChannelFormatKindNone);
}
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<char>() { return __channels(1, 8, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<signed char>() { return __channels(1, 8, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<char1>() { return __channels(1, 8, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<char2>() { return __channels(2, 8, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<char4>() { return __channels(4, 8, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<unsigned char>() { return __channels(1, 8, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<uchar1>() { return __channels(1, 8, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<uchar2>() { return __channels(2, 8, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<uchar4>() { return __channels(4, 8, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<short>() { return __channels(1, 16, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<short1>() { return __channels(1, 16, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<short2>() { return __channels(2, 16, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<short4>() { return __channels(4, 16, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<unsigned short>() { return __channels(1, 16, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<ushort1>() { return __channels(1, 16, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<ushort2>() { return __channels(2, 16, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<ushort4>() { return __channels(4, 16, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<int>() { return __channels(1, 32, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<int1>() { return __channels(1, 32, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<int2>() { return __channels(2, 32, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<int4>() { return __channels(4, 32, cudaChannelFormatKindSigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<unsigned int>() { return __channels(1, 32, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<uint1>() { return __channels(1, 32, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<uint2>() { return __channels(2, 32, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<uint4>() { return __channels(4, 32, cudaChannelFormatKindUnsigned); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<float>() { return __channels(1, 32, cudaChannelFormatKindFloat); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<float1>() { return __channels(1, 32, cudaChannelFormatKindFloat); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<float2>() { return __channels(2, 32, cudaChannelFormatKindFloat); }
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<float4>() { return __channels(4, 32, cudaChannelFormatKindFloat); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return __channels(1, 16, cudaChannelFormatKindFloat); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return __channels(2, 16, cudaChannelFormatKindFloat); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return __channels(4, 16, cudaChannelFormatKindFloat); }
inline int __channels_of(const cudaChannelFormatDesc& format) {
    return (format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0);
}

inline cudaError_t cudaMalloc3DArray(cudaArray_t* to, const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned int flags = 0) {
    if (to == 0 || format == 0 || extent.width == 0) return __cudaTextureError(cudaErrorInvalidValue);
    int channels = __channels_of(*format);
    if (channels == 3 || channels == 0) return __cudaTextureError(cudaErrorInvalidChannelDescriptor);
    cudaArray_t made = (cudaArray_t)malloc(sizeof(cudaArray));
    made->format = *format;
    made->extent = extent;
    made->flags = flags;
    made->texel = channels * format->x / 8;
    made->row = made->texel * extent.width;
    made->slice = made->row * (extent.height ? extent.height : 1);
    cudaError_t error = cudaMalloc((void**)&made->data, made->slice * (extent.depth ? extent.depth : 1));
    if (error != cudaSuccess) {
        free(made);
        return error;
    }
    *to = made;
    return cudaSuccess;
}
inline cudaError_t cudaMallocArray(cudaArray_t* to, const cudaChannelFormatDesc* format, size_t width,
                                   size_t height = 0, unsigned int flags = 0) {
    return cudaMalloc3DArray(to, format, make_cudaExtent(width, height, 0), flags);
}
inline cudaError_t cudaFreeArray(cudaArray_t array) {
    if (array == 0) return cudaSuccess;
    cudaError_t error = cudaFree(array->data);
    free(array);
    return error;
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* to, cudaArray_const_t array) {
    *to = array->format;
    return cudaSuccess;
}
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags,
                                    cudaArray_t array) {
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

// Offsets and widths in bytes, as of the functions that take no extents.
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind,
                                            cudaStream_t stream = 0) {
    if (to == 0 || x + width > to->row || y + height > (to->extent.height ? to->extent.height : 1))
        return __cudaTextureError(cudaErrorInvalidValue);
    return cudaMemcpy2DAsync(to->data + y * to->row + x, to->row, from, pitch, width, height, kind, stream);
}
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                       size_t width, size_t height, cudaMemcpyKind kind) {
    cudaError_t error = cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind);
    return error == cudaSuccess ? cudaStreamSynchronize(0) : error;
}
inline cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                              size_t width, size_t height, cudaMemcpyKind kind,
                                              cudaStream_t stream = 0) {
    if (from == 0 || x + width > from->row || y + height > (from->extent.height ? from->extent.height : 1))
        return __cudaTextureError(cudaErrorInvalidValue);
    return cudaMemcpy2DAsync(to, pitch, from->data + y * from->row + x, from->row, width, height, kind, stream);
}
inline cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                         size_t width, size_t height, cudaMemcpyKind kind) {
    cudaError_t error = cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind);
    return error == cudaSuccess ? cudaStreamSynchronize(0) : error;
}
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                     cudaMemcpyKind kind) {
    return cudaMemcpy(to->data + y * to->row + x, from, bytes, kind);
}
inline cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                       cudaMemcpyKind kind) {
    return cudaMemcpy(to, from->data + y * from->row + x, bytes, kind);
}
inline cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from, size_t from_x,
                                            size_t from_y, size_t width, size_t height,
                                            cudaMemcpyKind kind = cudaMemcpyDeviceToDevice) {
    return cudaMemcpy2D(to->data + y * to->row + x, to->row, from->data + from_y * from->row + from_x, from->row,
                        width, height, kind);
}

// One side of a copy of volumes: where it begins, and how far rows and layers are apart.
struct __cudaVolume {
    char* data;
    size_t row, slice;
};
inline __cudaVolume __volume(cudaArray_t array, cudaPitchedPtr of, cudaPos at) {
    __cudaVolume side;
    side.row = array ? array->row : of.pitch;
    side.slice = array ? array->slice : of.pitch * of.ysize;
    side.data = array ? array->data + at.x * array->texel : (char*)of.ptr + at.x;
    side.data += at.y * side.row + at.z * side.slice;
    return side;
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* how, cudaStream_t stream = 0) {
    if (how == 0) return __cudaTextureError(cudaErrorInvalidValue);
    cudaArray_t array = how->srcArray ? how->srcArray : how->dstArray;
    size_t width = how->extent.width * (array ? array->texel : 1);
    __cudaVolume from = __volume(how->srcArray, how->srcPtr, how->srcPos);
    __cudaVolume to = __volume(how->dstArray, how->dstPtr, how->dstPos);
    for (size_t z = 0; z < how->extent.depth; z++) {
        cudaError_t error = cudaMemcpy2DAsync(to.data + z * to.slice, to.row, from.data + z * from.slice, from.row,
                                              width, how->extent.height, how->kind, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* how) {
    cudaError_t error = cudaMemcpy3DAsync(how);
    return error == cudaSuccess ? cudaStreamSynchronize(0) : error;
}

// What an object stands for, as the simulated GPU reads it.
struct __cudaTexture {
    char mark[8];
    void* data;
    size_t row, slice;
    unsigned int extent[3];
    float border[4];
    unsigned char channels, bits, kind, is_surface, is_linear, is_normalised, gives_floats, modes[3];
    char rest[10];
};
// The same, and behind it what it was made of, for whoever asks.
struct __cudaTextureObject {
    __cudaTexture read;
    cudaResourceDesc from;
    cudaTextureDesc how;
};
inline cudaError_t __cudaMakeTexture(unsigned long long* to, const cudaResourceDesc* from, const cudaTextureDesc* how,
                                     cudaChannelFormatDesc format) {
    __cudaTextureObject object;
    memset(&object, 0, sizeof object);
    object.from = *from;
    if (how) object.how = *how;
    __cudaTexture& made = object.read;
    memcpy(made.mark, "texture\1", 8);
    made.channels = __channels_of(format);
    made.bits = format.x;
    made.kind = format.f;
    made.is_surface = how == 0;
    if (from->resType == cudaResourceTypeArray) {
        cudaArray_t array = from->res.array.array;
        made.data = array->data;
        made.row = array->row;
        made.slice = array->slice;
        made.extent[0] = array->extent.width;
        made.extent[1] = array->extent.height;
        made.extent[2] = array->extent.depth;
        // Layers of rows: the second coordinate is the layer's number.
        if (array->flags & cudaArrayLayered && array->extent.height == 0) {
            made.extent[1] = array->extent.depth;
            made.extent[2] = 0;
        }
    } else if (from->resType == cudaResourceTypeLinear) {
        made.data = from->res.linear.devPtr;
        made.extent[0] = from->res.linear.sizeInBytes / (made.channels * made.bits / 8);
    } else {
        made.data = from->res.pitch2D.devPtr;
        made.row = from->res.pitch2D.pitchInBytes;
        made.extent[0] = from->res.pitch2D.width;
        made.extent[1] = from->res.pitch2D.height;
    }
    if (how) {
        made.is_linear = how->filterMode;
        made.is_normalised = how->normalizedCoords != 0;
        made.gives_floats = how->readMode;
        for (int at = 0; at < 3; at++) made.modes[at] = how->addressMode[at];
        for (int at = 0; at < 4; at++) made.border[at] = how->borderColor[at];
    }
    void* memory;
    cudaError_t error = cudaMalloc(&memory, sizeof object);
    if (error == cudaSuccess) error = cudaMemcpy(memory, &object, sizeof object, cudaMemcpyHostToDevice);
    *to = (unsigned long long)memory;
    return error;
}
inline cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* to, cudaTextureObject_t object) {
    return cudaMemcpy(to, &((__cudaTextureObject*)object)->from, sizeof *to, cudaMemcpyDeviceToHost);
}
inline cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* to, cudaTextureObject_t object) {
    return cudaMemcpy(to, &((__cudaTextureObject*)object)->how, sizeof *to, cudaMemcpyDeviceToHost);
}
inline cudaChannelFormatDesc __format_of(const cudaResourceDesc* from) {
    if (from->resType == cudaResourceTypeLinear) return from->res.linear.desc;
    if (from->resType == cudaResourceTypePitch2D) return from->res.pitch2D.desc;
    return from->res.array.array->format;
}
inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* to, const cudaResourceDesc* from,
                                           const cudaTextureDesc* how, const cudaResourceViewDesc* = 0) {
    if (from == 0 || how == 0 || from->resType == cudaResourceTypeMipmappedArray)
        return __cudaTextureError(cudaErrorInvalidValue);
    if (from->resType == cudaResourceTypeArray && from->res.array.array == 0)
        return __cudaTextureError(cudaErrorInvalidValue);
    cudaChannelFormatDesc format = __format_of(from);
    bool is_integer = format.f != cudaChannelFormatKindFloat;
    if (is_integer && how->readMode == cudaReadModeElementType && how->filterMode == cudaFilterModeLinear)
        return __cudaTextureError(cudaErrorInvalidFilterSetting);
    if (is_integer && how->readMode == cudaReadModeNormalizedFloat && format.x == 32)
        return __cudaTextureError(cudaErrorInvalidNormSetting);
    if (to == 0) return __cudaTextureError(cudaErrorInvalidValue);
    return __cudaMakeTexture(to, from, how, format);
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return cudaFree((void*)object); }
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* to, const cudaResourceDesc* from) {
    if (to == 0 || from == 0 || from->resType != cudaResourceTypeArray || from->res.array.array == 0)
        return __cudaTextureError(cudaErrorInvalidValue);
    return __cudaMakeTexture(to, from, 0, from->res.array.array->format);
}
inline cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* to, cudaSurfaceObject_t object) {
    return cudaGetTextureObjectResourceDesc(to, object);
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaFree((void*)object); }

// Rows of memory that lie without gaps are one copy; a graph has no node for others here.
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count,
                                          const cudaMemcpy3DParms* how) {
    size_t rows = how->extent.height * how->extent.depth;
    bool has_gaps = rows > 1 && (how->srcPtr.pitch != how->extent.width || how->dstPtr.pitch != how->extent.width);
    if (how->srcArray != 0 || how->dstArray != 0 || has_gaps) {
        return cudaErrorNotSupported;
    }
    return cudaGraphAddMemcpyNode1D(to, graph, needs, count, (char*)how->dstPtr.ptr + how->dstPos.x,
                                    (const char*)how->srcPtr.ptr + how->srcPos.x, how->extent.width * rows, how->kind);
}
