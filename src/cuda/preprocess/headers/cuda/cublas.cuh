// <cublas_v2.h>: vectors and matrices of float and double, column by column.
#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VERSION 130000
// Headers of programs ask whether this one was included.
#define CUBLAS_V2_H_
#define CUBLAS_API_H_
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
#define cublasGetStream_v2 cublasGetStream
#define cublasSetPointerMode_v2 cublasSetPointerMode
#define cublasSetWorkspace_v2 cublasSetWorkspace
#define cublasGetVersion_v2 cublasGetVersion
#define cublasSgemm_v2 cublasSgemm
#define cublasSgemv_v2 cublasSgemv
#define cublasSdot_v2 cublasSdot
#define cublasSnrm2_v2 cublasSnrm2
#define cublasSasum_v2 cublasSasum
#define cublasSaxpy_v2 cublasSaxpy
#define cublasSscal_v2 cublasSscal
#define cublasScopy_v2 cublasScopy
#define cublasSswap_v2 cublasSswap
#define cublasSrot_v2 cublasSrot
#define cublasSsymm_v2 cublasSsymm
#define cublasSger_v2 cublasSger
#define cublasDgemm_v2 cublasDgemm
#define cublasDgemv_v2 cublasDgemv
#define cublasDdot_v2 cublasDdot
#define cublasDnrm2_v2 cublasDnrm2
#define cublasDasum_v2 cublasDasum
#define cublasDaxpy_v2 cublasDaxpy
#define cublasDscal_v2 cublasDscal
#define cublasDcopy_v2 cublasDcopy
#define cublasDswap_v2 cublasDswap
#define cublasDrot_v2 cublasDrot
#define cublasDsymm_v2 cublasDsymm
#define cublasDger_v2 cublasDger
#define cublasIsamax_v2 cublasIsamax
#define cublasIsamin_v2 cublasIsamin
#define cublasIdamax_v2 cublasIdamax
#define cublasIdamin_v2 cublasIdamin

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
};
typedef cublasStatus_t cublasStatus;
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3 };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 };
enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cudaDataType_t {
    CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_8I = 3, CUDA_C_32F = 4, CUDA_C_64F = 5, CUDA_R_8U = 8,
    CUDA_R_32I = 10, CUDA_R_16BF = 14,
};
typedef cudaDataType_t cudaDataType;
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
struct cublasContext;
typedef cublasContext* cublasHandle_t;

extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t*);
cublasStatus_t cublasDestroy(cublasHandle_t);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);
cublasStatus_t cublasGetStream(cublasHandle_t, cudaStream_t*);
cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t);
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t);
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t);
cublasStatus_t cublasGetVersion(cublasHandle_t, int*);
const char* cublasGetStatusName(cublasStatus_t);
const char* cublasGetStatusString(cublasStatus_t);
cublasStatus_t cublasSetVector(int, int, const void*, int, void*, int);
cublasStatus_t cublasGetVector(int, int, const void*, int, void*, int);
cublasStatus_t cublasSetMatrix(int, int, int, const void*, int, void*, int);
cublasStatus_t cublasGetMatrix(int, int, int, const void*, int, void*, int);
// Once for each type `T`, with its letters.
#define __blas(S, s, T) \
    cublasStatus_t cublas##S##gemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const T*, \
                               const T*, int, const T*, int, const T*, T*, int); \
    cublasStatus_t cublas##S##gemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, \
                                             const T*, const T*, int, long long, const T*, int, long long, const T*, T*, int, long long, int); \
    cublasStatus_t cublas##S##gemv(cublasHandle_t, cublasOperation_t, int, int, const T*, const T*, int, \
                               const T*, int, const T*, T*, int); \
    cublasStatus_t cublas##S##dot(cublasHandle_t, int, const T*, int, const T*, int, T*); \
    cublasStatus_t cublas##S##nrm2(cublasHandle_t, int, const T*, int, T*); \
    cublasStatus_t cublas##S##asum(cublasHandle_t, int, const T*, int, T*); \
    cublasStatus_t cublasI##s##amax(cublasHandle_t, int, const T*, int, int*); \
    cublasStatus_t cublasI##s##amin(cublasHandle_t, int, const T*, int, int*); \
    cublasStatus_t cublas##S##axpy(cublasHandle_t, int, const T*, const T*, int, T*, int); \
    cublasStatus_t cublas##S##scal(cublasHandle_t, int, const T*, T*, int); \
    cublasStatus_t cublas##S##copy(cublasHandle_t, int, const T*, int, T*, int); \
    cublasStatus_t cublas##S##swap(cublasHandle_t, int, T*, int, T*, int); \
    cublasStatus_t cublas##S##geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, const T*, const T*, \
                               int, const T*, const T*, int, T*, int); \
    cublasStatus_t cublas##S##symm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int, int, const T*, const T*, int, \
                               const T*, int, const T*, T*, int); \
    cublasStatus_t cublas##S##rot(cublasHandle_t, int, T*, int, T*, int, const T*, const T*);
__blas(S, s, float)
__blas(D, d, double)
#undef __blas
cublasStatus_t __cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                              const void*, cudaDataType_t, int, const void*, cudaDataType_t, int, const void*, void*,
                              cudaDataType_t, int, int, int);
}
inline cublasStatus_t cublasSetVectorAsync(int count, int size, const void* from, int fromStep, void* to, int toStep,
                                           cudaStream_t) {
    return cublasSetVector(count, size, from, fromStep, to, toStep);
}
inline cublasStatus_t cublasGetVectorAsync(int count, int size, const void* from, int fromStep, void* to, int toStep,
                                           cudaStream_t) {
    return cublasGetVector(count, size, from, fromStep, to, toStep);
}
inline cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void* from, int fromLead, void* to,
                                           int toLead, cudaStream_t) {
    return cublasSetMatrix(rows, columns, size, from, fromLead, to, toLead);
}
inline cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void* from, int fromLead, void* to,
                                           int toLead, cudaStream_t) {
    return cublasGetMatrix(rows, columns, size, from, fromLead, to, toLead);
}
// Matrices of mixed types; `compute` may be a type of data, as before CUDA 11.
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n,
                                   int k, const void* alpha, const void* a, cudaDataType_t typeA, int leadA,
                                   const void* b, cudaDataType_t typeB, int leadB, const void* beta, void* c,
                                   cudaDataType_t typeC, int leadC, int compute, cublasGemmAlgo_t) {
    return __cublasGemmEx(handle, opA, opB, m, n, k, alpha, a, typeA, leadA, b, typeB, leadB, beta, c, typeC, leadC,
                          compute, 0);
}
inline cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n,
                                    int k, const float* alpha, const void* a, cudaDataType_t typeA, int leadA,
                                    const void* b, cudaDataType_t typeB, int leadB, const float* beta, void* c,
                                    cudaDataType_t typeC, int leadC) {
    return __cublasGemmEx(handle, opA, opB, m, n, k, alpha, a, typeA, leadA, b, typeB, leadB, beta, c, typeC, leadC,
                          CUBLAS_COMPUTE_32F, 0);
}
inline cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n,
                                  int k, const void* alpha, const void* a, int leadA, const void* b, int leadB,
                                  const void* beta, void* c, int leadC) {
    return __cublasGemmEx(handle, opA, opB, m, n, k, alpha, a, CUDA_R_16F, leadA, b, CUDA_R_16F, leadB, beta, c,
                          CUDA_R_16F, leadC, CUBLAS_COMPUTE_16F, 0);
}
inline long long __cublas_bytes(cudaDataType_t type) {
    return type == CUDA_R_64F ? 8 : type == CUDA_R_32F || type == CUDA_R_32I ? 4 : type == CUDA_R_8I ? 1 : 2;
}
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,
                                                 int m, int n, int k, const void* alpha, const void* a,
                                                 cudaDataType_t typeA, int leadA, long long strideA, const void* b,
                                                 cudaDataType_t typeB, int leadB, long long strideB, const void* beta,
                                                 void* c, cudaDataType_t typeC, int leadC, long long strideC, int count,
                                                 int compute, cublasGemmAlgo_t) {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int at = 0; at < count && status == CUBLAS_STATUS_SUCCESS; ++at) {
        status = __cublasGemmEx(handle, opA, opB, m, n, k, alpha, (const char*)a + at * strideA * __cublas_bytes(typeA),
                                typeA, leadA, (const char*)b + at * strideB * __cublas_bytes(typeB), typeB, leadB, beta,
                                (char*)c + at * strideC * __cublas_bytes(typeC), typeC, leadC, compute, 0);
    }
    return status;
}
// A rank-1 update is a product with k = 1, whose factors are a row each.
inline cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                                                int n, int k, const void* alpha, const void* a, int leadA,
                                                long long strideA, const void* b, int leadB, long long strideB,
                                                const void* beta, void* c, int leadC, long long strideC, int count) {
    return cublasGemmStridedBatchedEx(handle, opA, opB, m, n, k, alpha, a, CUDA_R_16F, leadA, strideA, b, CUDA_R_16F,
                                      leadB, strideB, beta, c, CUDA_R_16F, leadC, strideC, count, CUBLAS_COMPUTE_16F,
                                      CUBLAS_GEMM_DEFAULT);
}
// The pointers to the matrices lie in the GPU's memory.
inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                                          int n, int k, const void* alpha, const void* const* a, cudaDataType_t typeA,
                                          int leadA, const void* const* b, cudaDataType_t typeB, int leadB,
                                          const void* beta, void* const* c, cudaDataType_t typeC, int leadC, int count,
                                          int compute, cublasGemmAlgo_t) {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int at = 0; at < count && status == CUBLAS_STATUS_SUCCESS; ++at) {
        const void *oneA, *oneB;
        void* oneC;
        if (cudaMemcpy(&oneA, a + at, sizeof(void*), cudaMemcpyDefault) != cudaSuccess ||
            cudaMemcpy(&oneB, b + at, sizeof(void*), cudaMemcpyDefault) != cudaSuccess ||
            cudaMemcpy(&oneC, c + at, sizeof(void*), cudaMemcpyDefault) != cudaSuccess) {
            return CUBLAS_STATUS_EXECUTION_FAILED;
        }
        status = __cublasGemmEx(handle, opA, opB, m, n, k, alpha, oneA, typeA, leadA, oneB, typeB, leadB, beta, oneC,
                                typeC, leadC, compute, 0);
    }
    return status;
}
inline cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                                         int n, int k, const void* alpha, const void* a, int leadA, const void* b,
                                         int leadB, const void* beta, const void* c, int leadC, int count) {
    return cublasGemmBatchedEx(handle, opA, opB, m, n, k, alpha, (const void* const*)a, CUDA_R_16F, leadA,
                               (const void* const*)b, CUDA_R_16F, leadB, beta, (void* const*)c, CUDA_R_16F, leadC, count,
                               CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
#define __blas_batched(S, T, type, compute) \
    inline cublasStatus_t cublas##S##gemmBatched(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, \
                                                 int n, int k, const T* alpha, const T* const* a, int leadA, \
                                                 const T* const* b, int leadB, const T* beta, T* const* c, int leadC, \
                                                 int count) { \
        return cublasGemmBatchedEx(handle, opA, opB, m, n, k, alpha, (const void* const*)a, type, leadA, \
                                   (const void* const*)b, type, leadB, beta, (void* const*)c, type, leadC, count, \
                                   compute, CUBLAS_GEMM_DEFAULT); \
    }
__blas_batched(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
__blas_batched(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
#undef __blas_batched
// A product of a row and a column: vectors with steps are matrices with such leads.
inline cublasStatus_t cublasDotEx(cublasHandle_t handle, int count, const void* x, cudaDataType_t typeX, int stepX,
                                  const void* y, cudaDataType_t typeY, int stepY, void* result,
                                  cudaDataType_t typeOfResult, cudaDataType_t typeOfSum) {
    if (typeOfSum == CUDA_R_64F) {
        return cublasDdot(handle, count, (const double*)x, stepX, (const double*)y, stepY, (double*)result);
    }
    if (typeX == CUDA_R_32F) {
        return cublasSdot(handle, count, (const float*)x, stepX, (const float*)y, stepY, (float*)result);
    }
    const float one = 1, none = 0;
    return __cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, count, &one, x, typeX, stepX, y, typeY, stepY, &none,
                          result, typeOfResult, 1, CUBLAS_COMPUTE_32F, 0);
}
inline cublasStatus_t cublasSger(cublasHandle_t handle, int m, int n, const float* alpha, const float* x, int stepX,
                                 const float* y, int stepY, float* a, int leadA) {
    const float one = 1;
    return cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, 1, alpha, x, stepX, y, stepY, &one, a, leadA);
}
inline cublasStatus_t cublasDger(cublasHandle_t handle, int m, int n, const double* alpha, const double* x, int stepX,
                                 const double* y, int stepY, double* a, int leadA) {
    const double one = 1;
    return cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, 1, alpha, x, stepX, y, stepY, &one, a, leadA);
}
