// Functions of texture and surface objects. An object is the number that code of the host was given for it.
namespace __textures {
// The coordinates that a request names, in its lowest bits.
constexpr unsigned int one = 1, two = 2, three = 3, whole = 4, layered = 8, gathered = 64;

template <typename T> struct texel;
#define __texel(T, as, V) \
    template <> struct texel<T> { static __device__ T of(uint4 w) { return as(w.x); } }; \
    template <> struct texel<V##1> { static __device__ V##1 of(uint4 w) { return make_##V##1(as(w.x)); } }; \
    template <> struct texel<V##2> { static __device__ V##2 of(uint4 w) { return make_##V##2(as(w.x), as(w.y)); } }; \
    template <> struct texel<V##4> { \
        static __device__ V##4 of(uint4 w) { return make_##V##4(as(w.x), as(w.y), as(w.z), as(w.w)); } \
    };
__texel(float, __uint_as_float, float)
__texel(int, (int), int)
__texel(unsigned int, , uint)
__texel(short, (short), short)
__texel(unsigned short, (unsigned short), ushort)
__texel(signed char, (signed char), char)
__texel(unsigned char, (unsigned char), uchar)
#undef __texel
template <> struct texel<char> { static __device__ char of(uint4 w) { return (char)w.x; } };

template <typename T>
__device__ inline T at(unsigned long long tex, unsigned int x, unsigned int y, unsigned int z, unsigned int request) {
    return texel<T>::of(__texture(tex, x, y, z, request));
}

// Surface functions move any type of up to 16 bytes.
template <typename T>
__device__ inline T load(unsigned long long surface, int x, int y, int z, unsigned int request) {
    uint4 bits = __surface_load(surface, x, y, z, request | (unsigned int)sizeof(T) << 8);
    return *reinterpret_cast<T*>(&bits);
}
template <typename T>
__device__ inline void store(T value, unsigned long long surface, int x, int y, int z, unsigned int request) {
    uint4 bits = {0, 0, 0, 0};
    *reinterpret_cast<T*>(&bits) = value;
    __surface_store(surface, x, y, z, request | (unsigned int)sizeof(T) << 8, bits.x, bits.y, bits.z, bits.w);
}
}  // namespace __textures

template <typename T> __device__ inline T tex1Dfetch(unsigned long long tex, int x) {
    return __textures::at<T>(tex, x, 0, 0, __textures::one | __textures::whole);
}
template <typename T> __device__ inline T tex1D(unsigned long long tex, float x) {
    return __textures::at<T>(tex, __float_as_uint(x), 0, 0, __textures::one);
}
template <typename T> __device__ inline T tex2D(unsigned long long tex, float x, float y) {
    return __textures::at<T>(tex, __float_as_uint(x), __float_as_uint(y), 0, __textures::two);
}
// One channel of each of the four texels around.
template <typename T> __device__ inline T tex2Dgather(unsigned long long tex, float x, float y, int channel = 0) {
    return __textures::at<T>(tex, __float_as_uint(x), __float_as_uint(y), 0,
                             __textures::two | __textures::gathered | (unsigned int)channel << 8);
}
template <typename T>
__device__ inline void tex2Dgather(T* to, unsigned long long tex, float x, float y, int channel = 0) {
    *to = tex2Dgather<T>(tex, x, y, channel);
}
template <typename T> __device__ inline T tex3D(unsigned long long tex, float x, float y, float z) {
    return __textures::at<T>(tex, __float_as_uint(x), __float_as_uint(y), __float_as_uint(z), __textures::three);
}
template <typename T> __device__ inline T tex1DLayered(unsigned long long tex, float x, int layer) {
    return __textures::at<T>(tex, __float_as_uint(x), layer, 0, __textures::two | __textures::layered);
}
template <typename T> __device__ inline T tex2DLayered(unsigned long long tex, float x, float y, int layer) {
    return __textures::at<T>(tex, __float_as_uint(x), __float_as_uint(y), layer,
                             __textures::three | __textures::layered);
}
// Textures have one level here.
template <typename T> __device__ inline T tex1DLod(unsigned long long tex, float x, float) { return tex1D<T>(tex, x); }
template <typename T> __device__ inline T tex2DLod(unsigned long long tex, float x, float y, float) {
    return tex2D<T>(tex, x, y);
}
template <typename T> __device__ inline T tex3DLod(unsigned long long tex, float x, float y, float z, float) {
    return tex3D<T>(tex, x, y, z);
}
template <typename T> __device__ inline T tex2DGrad(unsigned long long tex, float x, float y, float2, float2) {
    return tex2D<T>(tex, x, y);
}
template <typename T> __device__ inline void tex1Dfetch(T* to, unsigned long long tex, int x) {
    *to = tex1Dfetch<T>(tex, x);
}
template <typename T> __device__ inline void tex1D(T* to, unsigned long long tex, float x) { *to = tex1D<T>(tex, x); }
template <typename T> __device__ inline void tex2D(T* to, unsigned long long tex, float x, float y) {
    *to = tex2D<T>(tex, x, y);
}
template <typename T> __device__ inline void tex3D(T* to, unsigned long long tex, float x, float y, float z) {
    *to = tex3D<T>(tex, x, y, z);
}

// The boundary mode is one of `cudaSurfaceBoundaryMode`: zero, clamp, or trap, which is what holds where none is given.
template <typename T> __device__ inline T surf1Dread(unsigned long long surface, int x, int mode = 2) {
    return __textures::load<T>(surface, x, 0, 0, __textures::one | (unsigned int)mode << 4);
}
template <typename T> __device__ inline T surf2Dread(unsigned long long surface, int x, int y, int mode = 2) {
    return __textures::load<T>(surface, x, y, 0, __textures::two | (unsigned int)mode << 4);
}
template <typename T> __device__ inline T surf3Dread(unsigned long long surface, int x, int y, int z, int mode = 2) {
    return __textures::load<T>(surface, x, y, z, __textures::three | (unsigned int)mode << 4);
}
template <typename T>
__device__ inline T surf2DLayeredread(unsigned long long surface, int x, int y, int layer, int mode = 2) {
    return surf3Dread<T>(surface, x, y, layer, mode);
}
template <typename T> __device__ inline void surf1Dread(T* to, unsigned long long surface, int x, int mode = 2) {
    *to = surf1Dread<T>(surface, x, mode);
}
template <typename T> __device__ inline void surf2Dread(T* to, unsigned long long surface, int x, int y, int mode = 2) {
    *to = surf2Dread<T>(surface, x, y, mode);
}
template <typename T>
__device__ inline void surf3Dread(T* to, unsigned long long surface, int x, int y, int z, int mode = 2) {
    *to = surf3Dread<T>(surface, x, y, z, mode);
}
template <typename T> __device__ inline void surf1Dwrite(T value, unsigned long long surface, int x, int mode = 2) {
    __textures::store(value, surface, x, 0, 0, __textures::one | (unsigned int)mode << 4);
}
template <typename T>
__device__ inline void surf2Dwrite(T value, unsigned long long surface, int x, int y, int mode = 2) {
    __textures::store(value, surface, x, y, 0, __textures::two | (unsigned int)mode << 4);
}
template <typename T>
__device__ inline void surf3Dwrite(T value, unsigned long long surface, int x, int y, int z, int mode = 2) {
    __textures::store(value, surface, x, y, z, __textures::three | (unsigned int)mode << 4);
}
template <typename T>
__device__ inline void surf2DLayeredwrite(T value, unsigned long long surface, int x, int y, int layer, int mode = 2) {
    surf3Dwrite(value, surface, x, y, layer, mode);
}
