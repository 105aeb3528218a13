// <cublasLt.h>: products with what comes behind them, by the products of <cublas_v2.h>. Matrices lie by columns.
typedef cublasHandle_t cublasLtHandle_t;
enum cublasLtMatmulDescAttributes_t {
    CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0, CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1, CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
    CUBLASLT_MATMUL_DESC_TRANSA = 3, CUBLASLT_MATMUL_DESC_TRANSB = 4, CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26,
};
enum cublasLtEpilogue_t {
    CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_RELU_BIAS = 6, CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_BIAS = 36,
    CUBLASLT_EPILOGUE_RELU_AUX = 130, CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 134, CUBLASLT_EPILOGUE_DRELU = 136,
    CUBLASLT_EPILOGUE_DRELU_BGRAD = 152, CUBLASLT_EPILOGUE_GELU_AUX = 160, CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
    CUBLASLT_EPILOGUE_DGELU = 192, CUBLASLT_EPILOGUE_DGELU_BGRAD = 208, CUBLASLT_EPILOGUE_BGRADA = 256,
    CUBLASLT_EPILOGUE_BGRADB = 512,
};
enum cublasLtOrder_t { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1 };
enum cublasLtMatrixLayoutAttribute_t {
    CUBLASLT_MATRIX_LAYOUT_TYPE = 0, CUBLASLT_MATRIX_LAYOUT_ORDER = 1, CUBLASLT_MATRIX_LAYOUT_ROWS = 2,
    CUBLASLT_MATRIX_LAYOUT_COLS = 3, CUBLASLT_MATRIX_LAYOUT_LD = 4, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
    CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
};
enum cublasLtMatmulPreferenceAttributes_t {
    CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
    CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8, CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT = 9,
};
struct cublasLtMatmulAlgo_t {
    unsigned long long data[8];
};
struct cublasLtMatmulHeuristicResult_t {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
    int reserved[4];
};
struct cublasLtMatmulDescOpaque_t {
    int compute, scale, pointerMode, opA, opB, epilogue, biasType;
    const void* bias;
    void* kept;
    long long keptLead;
};
struct cublasLtMatrixLayoutOpaque_t {
    int type, order, count;
    unsigned long long rows, columns;
    long long lead, stride;
};
struct cublasLtMatmulPreferenceOpaque_t {
    unsigned long long values[16];
};
typedef cublasLtMatmulDescOpaque_t* cublasLtMatmulDesc_t;
typedef cublasLtMatrixLayoutOpaque_t* cublasLtMatrixLayout_t;
typedef cublasLtMatmulPreferenceOpaque_t* cublasLtMatmulPreference_t;

extern "C" cublasStatus_t __cublasLtEpilogue(cublasHandle_t, int, int, int, const void*, const void*, int, void*,
                                             long long, void*, int, long long);

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* to) { return cublasCreate(to); }
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return cublasDestroy(handle); }
inline size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
inline const char* cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
inline const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t of, cublasComputeType_t compute, cudaDataType_t scale) {
    memset(of, 0, sizeof(*of));
    of->compute = compute;
    of->scale = scale;
    of->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    of->biasType = -1;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* to, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
    *to = new cublasLtMatmulDescOpaque_t;
    return cublasLtMatmulDescInit(*to, compute, scale);
}
inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t of) {
    delete of;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t which,
                                                     const void* from, size_t bytes) {
    void* to = which == CUBLASLT_MATMUL_DESC_COMPUTE_TYPE           ? (void*)&of->compute
               : which == CUBLASLT_MATMUL_DESC_SCALE_TYPE           ? (void*)&of->scale
               : which == CUBLASLT_MATMUL_DESC_POINTER_MODE         ? (void*)&of->pointerMode
               : which == CUBLASLT_MATMUL_DESC_TRANSA               ? (void*)&of->opA
               : which == CUBLASLT_MATMUL_DESC_TRANSB               ? (void*)&of->opB
               : which == CUBLASLT_MATMUL_DESC_EPILOGUE             ? (void*)&of->epilogue
               : which == CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE       ? (void*)&of->biasType
               : which == CUBLASLT_MATMUL_DESC_BIAS_POINTER         ? (void*)&of->bias
               : which == CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER ? (void*)&of->kept
               : which == CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD      ? (void*)&of->keptLead
                                                                    : (void*)0;
    if (to == 0 || (bytes != 4 && bytes != 8)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(to, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t of, cudaDataType_t type, unsigned long long rows,
                                               unsigned long long columns, long long lead) {
    memset(of, 0, sizeof(*of));
    of->type = type;
    of->count = 1;
    of->rows = rows;
    of->columns = columns;
    of->lead = lead;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* to, cudaDataType_t type,
                                                 unsigned long long rows, unsigned long long columns, long long lead) {
    *to = new cublasLtMatrixLayoutOpaque_t;
    return cublasLtMatrixLayoutInit(*to, type, rows, columns, lead);
}
inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t of) {
    delete of;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t of, cublasLtMatrixLayoutAttribute_t which,
                                                       const void* from, size_t bytes) {
    void* to = which == CUBLASLT_MATRIX_LAYOUT_TYPE                   ? (void*)&of->type
               : which == CUBLASLT_MATRIX_LAYOUT_ORDER                ? (void*)&of->order
               : which == CUBLASLT_MATRIX_LAYOUT_ROWS                 ? (void*)&of->rows
               : which == CUBLASLT_MATRIX_LAYOUT_COLS                 ? (void*)&of->columns
               : which == CUBLASLT_MATRIX_LAYOUT_LD                   ? (void*)&of->lead
               : which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT          ? (void*)&of->count
               : which == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET ? (void*)&of->stride
                                                                      : (void*)0;
    if (to == 0 || (bytes != 4 && bytes != 8)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(to, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* to) {
    *to = new cublasLtMatmulPreferenceOpaque_t();
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t of) {
    delete of;
    return CUBLAS_STATUS_SUCCESS;
}
// How a product is computed changes no result here.
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                           const void*, size_t) {
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int most,
                                                     cublasLtMatmulHeuristicResult_t* to, int* found) {
    *found = most < 1 ? 0 : 1;
    if (most >= 1) {
        memset(to, 0, sizeof(*to));
        to->wavesCount = 1;
    }
    return CUBLAS_STATUS_SUCCESS;
}

// One product of a batch. A matrix by rows is its own transpose by columns, and so is the result of the exchanged factors.
inline cublasStatus_t __cublasLtProduct(cublasLtHandle_t handle, cublasLtMatmulDesc_t how, const void* alpha, const void* a,
                                        cublasLtMatrixLayout_t ofA, const void* b, cublasLtMatrixLayout_t ofB,
                                        const void* beta, void* d, int typeD, long long leadD, int m, int n, int k,
                                        bool byRows) {
    int opA = (how->opA != 0) != (ofA->order == CUBLASLT_ORDER_ROW);
    int opB = (how->opB != 0) != (ofB->order == CUBLASLT_ORDER_ROW);
    if (byRows) {
        return __cublasGemmEx(handle, (cublasOperation_t)!opB, (cublasOperation_t)!opA, n, m, k, alpha, b,
                              (cudaDataType_t)ofB->type, (int)ofB->lead, a, (cudaDataType_t)ofA->type, (int)ofA->lead, beta,
                              d, (cudaDataType_t)typeD, (int)leadD, how->compute, 0);
    }
    return __cublasGemmEx(handle, (cublasOperation_t)opA, (cublasOperation_t)opB, m, n, k, alpha, a,
                          (cudaDataType_t)ofA->type, (int)ofA->lead, b, (cudaDataType_t)ofB->type, (int)ofB->lead, beta, d,
                          (cudaDataType_t)typeD, (int)leadD, how->compute, 0);
}
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t how, const void* alpha, const void* a,
                                     cublasLtMatrixLayout_t ofA, const void* b, cublasLtMatrixLayout_t ofB,
                                     const void* beta, const void* c, cublasLtMatrixLayout_t ofC, void* d,
                                     cublasLtMatrixLayout_t ofD, const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t) {
    int m = (int)ofD->rows, n = (int)ofD->columns;
    int k = (int)(how->opA == CUBLAS_OP_N ? ofA->columns : ofA->rows);
    bool byRows = ofD->order == CUBLASLT_ORDER_ROW;
    // Bits for a bias, RELU, GELU, the derivative of GELU and the sums that they need.
    bool isPlain = how->epilogue == CUBLASLT_EPILOGUE_DEFAULT;
    int epilogue = how->epilogue, known = 2 + 4 + 32 + 64 + 128;
    bool isKnown = (epilogue & ~known) == 0 && (epilogue & (2 + 128)) != 2 + 128 && how->pointerMode == 0;
    if (!isPlain && (!isKnown || byRows || how->compute == CUBLAS_COMPUTE_64F || how->compute == CUBLAS_COMPUTE_16F)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int at = 0; at < ofD->count && status == CUBLAS_STATUS_SUCCESS; ++at) {
        const char* oneA = (const char*)a + at * ofA->stride * __cublas_bytes((cudaDataType_t)ofA->type);
        const char* oneB = (const char*)b + at * ofB->stride * __cublas_bytes((cudaDataType_t)ofB->type);
        long long size = __cublas_bytes((cudaDataType_t)ofD->type);
        char* oneD = (char*)d + at * ofD->stride * size;
        bool hasOld = how->compute == CUBLAS_COMPUTE_64F ? *(const double*)beta != 0 : *(const float*)beta != 0;
        if (hasOld && c != d) {
            const char* oneC = (const char*)c + at * ofC->stride * size;
            cudaMemcpy2D(oneD, ofD->lead * size, oneC, ofC->lead * size, (byRows ? n : m) * size, byRows ? m : n,
                         cudaMemcpyDeviceToDevice);
        }
        if (isPlain) {
            status = __cublasLtProduct(handle, how, alpha, oneA, ofA, oneB, ofB, beta, oneD, ofD->type, ofD->lead, m, n, k,
                                       byRows);
            continue;
        }
        // Sums are rounded once, behind the epilogue.
        if (hasOld) {
            return CUBLAS_STATUS_NOT_SUPPORTED;
        }
        float* sums;
        cudaMalloc((void**)&sums, (size_t)m * n * sizeof(float));
        status = __cublasLtProduct(handle, how, alpha, oneA, ofA, oneB, ofB, beta, sums, CUDA_R_32F, m, m, n, k, false);
        if (status == CUBLAS_STATUS_SUCCESS) {
            int biasType = how->biasType < 0 ? ofD->type : how->biasType;
            status = __cublasLtEpilogue(handle, epilogue, m, n, sums, how->bias, biasType, how->kept, how->keptLead, oneD,
                                        ofD->type, ofD->lead);
        }
        cudaFree(sums);
    }
    return status;
}
