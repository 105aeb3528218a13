// <cufft.h>: Fourier transforms of up to three dimensions, in single and double precision.
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define CUFFT_VERSION 12000
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
enum cufftResult {
    CUFFT_SUCCESS = 0, CUFFT_INVALID_PLAN = 1, CUFFT_ALLOC_FAILED = 2, CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4, CUFFT_INTERNAL_ERROR = 5, CUFFT_EXEC_FAILED = 6, CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8, CUFFT_UNALIGNED_DATA = 9, CUFFT_INCOMPLETE_PARAMETER_LIST = 10, CUFFT_INVALID_DEVICE = 11,
    CUFFT_PARSE_ERROR = 12, CUFFT_NO_WORKSPACE = 13, CUFFT_NOT_IMPLEMENTED = 14, CUFFT_LICENSE_ERROR = 15,
    CUFFT_NOT_SUPPORTED = 16,
};
typedef cufftResult cufftResult_t;
enum cufftType {
    CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69,
};
typedef cufftType cufftType_t;

extern "C" {
cufftResult __cufftTransform(const long long* layout, const void* in, void* out);
}

// Extents are those of the transform, outermost first, with 1 before those of fewer dimensions.
struct __cufft_plan {
    bool made, isAdvanced;
    cufftType type;
    long long extents[3], batch;
    // Rows of the two inner dimensions as they lie in memory, and steps between elements and transforms.
    long long in[4], out[4];
    cudaStream_t stream;
};
static __cufft_plan __cufft_plans[1024];
static int __cufft_count = 0;
inline __cufft_plan* __cufft_find(cufftHandle plan) {
    return plan < 1 || plan > __cufft_count ? nullptr : &__cufft_plans[plan - 1];
}
inline cufftResult cufftCreate(cufftHandle* plan) {
    if (__cufft_count == 1024) return CUFFT_ALLOC_FAILED;
    *plan = ++__cufft_count;
    return CUFFT_SUCCESS;
}
inline cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inEmbed, int inStride, int inDist,
                                     int* outEmbed, int outStride, int outDist, cufftType type, int batch,
                                     size_t* workSize) {
    __cufft_plan* to = __cufft_find(plan);
    if (!to || to->made) return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > 3 || batch < 1) return CUFFT_INVALID_SIZE;
    to->type = type;
    to->batch = batch;
    to->isAdvanced = inEmbed && outEmbed;
    for (int at = 0; at < 3; ++at) {
        int of = at - (3 - rank);
        if (of >= 0 && n[of] < 1) return CUFFT_INVALID_SIZE;
        to->extents[at] = of < 0 ? 1 : n[of];
        if (at && to->isAdvanced) {
            to->in[at - 1] = of < 0 ? 1 : inEmbed[of];
            to->out[at - 1] = of < 0 ? 1 : outEmbed[of];
        }
    }
    to->in[2] = inStride;
    to->in[3] = inDist;
    to->out[2] = outStride;
    to->out[3] = outDist;
    to->made = true;
    if (workSize) *workSize = 0;
    return CUFFT_SUCCESS;
}
inline cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inEmbed, int inStride, int inDist,
                                 int* outEmbed, int outStride, int outDist, cufftType type, int batch) {
    cufftResult made = cufftCreate(plan);
    return made != CUFFT_SUCCESS ? made
                                 : cufftMakePlanMany(*plan, rank, n, inEmbed, inStride, inDist, outEmbed, outStride,
                                                     outDist, type, batch, nullptr);
}
inline cufftResult cufftMakePlan1d(cufftHandle plan, int n, cufftType type, int batch, size_t* workSize) {
    return cufftMakePlanMany(plan, 1, &n, nullptr, 1, 0, nullptr, 1, 0, type, batch, workSize);
}
inline cufftResult cufftMakePlan2d(cufftHandle plan, int rows, int columns, cufftType type, size_t* workSize) {
    int n[2] = {rows, columns};
    return cufftMakePlanMany(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, workSize);
}
inline cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* workSize) {
    int n[3] = {nx, ny, nz};
    return cufftMakePlanMany(plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, workSize);
}
inline cufftResult cufftPlan1d(cufftHandle* plan, int n, cufftType type, int batch) {
    cufftResult made = cufftCreate(plan);
    return made != CUFFT_SUCCESS ? made : cufftMakePlan1d(*plan, n, type, batch, nullptr);
}
inline cufftResult cufftPlan2d(cufftHandle* plan, int rows, int columns, cufftType type) {
    cufftResult made = cufftCreate(plan);
    return made != CUFFT_SUCCESS ? made : cufftMakePlan2d(*plan, rows, columns, type, nullptr);
}
inline cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
    cufftResult made = cufftCreate(plan);
    return made != CUFFT_SUCCESS ? made : cufftMakePlan3d(*plan, nx, ny, nz, type, nullptr);
}
inline cufftResult cufftDestroy(cufftHandle plan) {
    __cufft_plan* of = __cufft_find(plan);
    if (!of || !of->made) return CUFFT_INVALID_PLAN;
    of->made = false;
    return CUFFT_SUCCESS;
}
inline cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
    __cufft_plan* of = __cufft_find(plan);
    if (!of) return CUFFT_INVALID_PLAN;
    of->stream = stream;
    return CUFFT_SUCCESS;
}
inline cufftResult cufftGetSize(cufftHandle plan, size_t* workSize) {
    *workSize = 0;
    return __cufft_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
inline cufftResult cufftEstimate1d(int, cufftType, int, size_t* workSize) {
    *workSize = 0;
    return CUFFT_SUCCESS;
}
inline cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
    return __cufft_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
inline cufftResult cufftSetWorkArea(cufftHandle plan, void*) {
    return __cufft_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
inline cufftResult cufftGetVersion(int* version) {
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}
// Where elements lie without a layout of the program's: one behind the other, and of a transform in place the real side
// in rows as long as the complex side's (cuFFT API Reference, "Data Layout").
inline void __cufft_basic(const __cufft_plan* of, bool isReal, bool isHalf, bool isInPlace, long long* to) {
    long long half = of->extents[2] / 2 + 1;
    to[0] = of->extents[1];
    to[1] = isHalf ? half : isReal && isInPlace ? 2 * half : of->extents[2];
    to[2] = 1;
    to[3] = of->extents[0] * to[0] * to[1];
}
inline cufftResult __cufft_run(cufftHandle plan, cufftType type, const void* in, void* out, int direction) {
    __cufft_plan* of = __cufft_find(plan);
    if (!of || !of->made) return CUFFT_INVALID_PLAN;
    if (of->type != type) return CUFFT_INVALID_TYPE;
    bool fromReal = type == CUFFT_R2C || type == CUFFT_D2Z, toReal = type == CUFFT_C2R || type == CUFFT_Z2D;
    long long basicIn[4], basicOut[4];
    __cufft_basic(of, fromReal, toReal, in == out, basicIn);
    __cufft_basic(of, toReal, fromReal, in == out, basicOut);
    const long long* from = of->isAdvanced ? of->in : basicIn;
    const long long* to = of->isAdvanced ? of->out : basicOut;
    long long layout[15] = {type, direction, of->extents[0], of->extents[1], of->extents[2], of->batch, from[0], from[1],
                            from[2], from[3], to[0], to[1], to[2], to[3], (long long)of->stream};
    return __cufftTransform(layout, in, out);
}
// Names of complex and of real numbers, and their types.
#define __cufft_exec(C, R, Complex, Real) \
    inline cufftResult cufftExec##C##2##C(cufftHandle plan, Complex* in, Complex* out, int direction) { \
        return __cufft_run(plan, CUFFT_##C##2##C, in, out, direction); \
    } \
    inline cufftResult cufftExec##R##2##C(cufftHandle plan, Real* in, Complex* out) { \
        return __cufft_run(plan, CUFFT_##R##2##C, in, out, CUFFT_FORWARD); \
    } \
    inline cufftResult cufftExec##C##2##R(cufftHandle plan, Complex* in, Real* out) { \
        return __cufft_run(plan, CUFFT_##C##2##R, in, out, CUFFT_INVERSE); \
    }
__cufft_exec(C, R, cufftComplex, cufftReal)
__cufft_exec(Z, D, cufftDoubleComplex, cufftDoubleReal)
#undef __cufft_exec
