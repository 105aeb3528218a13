// <cusparse.h>: products of sparse matrices in CSR and COO with vectors and dense matrices, in `float` and `double`.
enum cusparseStatus_t {
    CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED = 1, CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3, CUSPARSE_STATUS_ARCH_MISMATCH = 4, CUSPARSE_STATUS_MAPPING_ERROR = 5,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6, CUSPARSE_STATUS_INTERNAL_ERROR = 7,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8, CUSPARSE_STATUS_ZERO_PIVOT = 9, CUSPARSE_STATUS_NOT_SUPPORTED = 10,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11,
};
enum cusparseOperation_t {
    CUSPARSE_OPERATION_NON_TRANSPOSE = 0, CUSPARSE_OPERATION_TRANSPOSE = 1, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2,
};
enum cusparseIndexType_t { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 };
enum cusparsePointerMode_t { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 };
enum cusparseSpMVAlg_t {
    CUSPARSE_SPMV_ALG_DEFAULT = 0, CUSPARSE_SPMV_COO_ALG1 = 1, CUSPARSE_SPMV_CSR_ALG1 = 2, CUSPARSE_SPMV_CSR_ALG2 = 3,
    CUSPARSE_SPMV_COO_ALG2 = 4,
};
enum cusparseSpMMAlg_t {
    CUSPARSE_SPMM_ALG_DEFAULT = 0, CUSPARSE_SPMM_COO_ALG1 = 1, CUSPARSE_SPMM_COO_ALG2 = 2, CUSPARSE_SPMM_COO_ALG3 = 3,
    CUSPARSE_SPMM_CSR_ALG1 = 4, CUSPARSE_SPMM_COO_ALG4 = 5, CUSPARSE_SPMM_CSR_ALG2 = 6, CUSPARSE_SPMM_CSR_ALG3 = 12,
};

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t mode;
};
// Rows are told by offsets, or by the row of each value.
struct cusparseSpMatDescr {
    bool has_offsets;
    long long rows, columns, count, base;
    const void *row_indices, *column_indices;
    void* values;
    cusparseIndexType_t row_type, column_type;
    cudaDataType type;
};
struct cusparseDnVecDescr {
    long long size;
    void* values;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    long long rows, columns, lead;
    void* values;
    cudaDataType type;
    cusparseOrder_t order;
};
typedef cusparseContext* cusparseHandle_t;
typedef cusparseSpMatDescr* cusparseSpMatDescr_t;
typedef cusparseDnVecDescr* cusparseDnVecDescr_t;
typedef cusparseDnMatDescr* cusparseDnMatDescr_t;
typedef const cusparseSpMatDescr* cusparseConstSpMatDescr_t;
typedef const cusparseDnVecDescr* cusparseConstDnVecDescr_t;
typedef const cusparseDnMatDescr* cusparseConstDnMatDescr_t;

inline cusparseStatus_t cusparseCreate(cusparseHandle_t* to) {
    *to = new cusparseContext();
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t of) {
    delete of;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t of, cudaStream_t stream) {
    of->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t of, cusparsePointerMode_t mode) {
    of->mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}
inline const char* cusparseGetErrorName(cusparseStatus_t status) {
    switch (status) {
        case CUSPARSE_STATUS_SUCCESS: return "CUSPARSE_STATUS_SUCCESS";
        case CUSPARSE_STATUS_INVALID_VALUE: return "CUSPARSE_STATUS_INVALID_VALUE";
        case CUSPARSE_STATUS_NOT_SUPPORTED: return "CUSPARSE_STATUS_NOT_SUPPORTED";
        default: return "CUSPARSE_STATUS_EXECUTION_FAILED";
    }
}
inline const char* cusparseGetErrorString(cusparseStatus_t status) {
    switch (status) {
        case CUSPARSE_STATUS_SUCCESS: return "success";
        case CUSPARSE_STATUS_INVALID_VALUE: return "invalid value";
        case CUSPARSE_STATUS_NOT_SUPPORTED: return "operation not supported";
        default: return "execution failed";
    }
}

inline cusparseStatus_t __cusparse_make(cusparseSpMatDescr_t* to, cusparseSpMatDescr made) {
    if (to == 0 || made.rows < 0 || made.columns < 0 || made.count < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    *to = new cusparseSpMatDescr(made);
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* to, int64_t rows, int64_t columns, int64_t count,
                                          void* offsets, void* indices, void* values, cusparseIndexType_t offset_type,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    return __cusparse_make(to, {true, rows, columns, count, base, offsets, indices, values, offset_type, index_type, type});
}
inline cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* to, int64_t rows, int64_t columns, int64_t count,
                                          void* row_indices, void* indices, void* values, cusparseIndexType_t index_type,
                                          cusparseIndexBase_t base, cudaDataType type) {
    return __cusparse_make(to, {false, rows, columns, count, base, row_indices, indices, values, index_type, index_type, type});
}
inline cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t of) {
    delete of;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t of, int64_t* rows, int64_t* columns, int64_t* count) {
    *rows = of->rows;
    *columns = of->columns;
    *count = of->count;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* to, int64_t size, void* values, cudaDataType type) {
    if (to == 0 || size < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    *to = new cusparseDnVecDescr{size, values, type};
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t of) {
    delete of;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t of, void* values) {
    of->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* to, int64_t rows, int64_t columns, int64_t lead,
                                            void* values, cudaDataType type, cusparseOrder_t order) {
    if (to == 0 || lead < (order == CUSPARSE_ORDER_COL ? rows : columns)) return CUSPARSE_STATUS_INVALID_VALUE;
    *to = new cusparseDnMatDescr{rows, columns, lead, values, type, order};
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t of) {
    delete of;
    return CUSPARSE_STATUS_SUCCESS;
}

// What the kernels below read of a matrix.
template <typename T> struct __cusparse_matrix {
    const void *row_indices, *column_indices;
    const T* values;
    long long rows, count, base;
    bool has_offsets, has_wide_rows, has_wide_columns, is_transposed;

    __device__ long long row_index(long long at) const {
        return (has_wide_rows ? ((const long long*)row_indices)[at] : ((const int*)row_indices)[at]) - base;
    }
    __device__ long long column_index(long long at) const {
        return (has_wide_columns ? ((const long long*)column_indices)[at] : ((const int*)column_indices)[at]) - base;
    }
};
// Element `(row, column)` of a dense matrix is `values[row * row_step + column * column_step]`.
template <typename T> struct __cusparse_dense {
    T* values;
    long long row_step, column_step;
    __device__ T& at(long long row, long long column) const { return values[row * row_step + column * column_step]; }
};
template <typename T> __global__ void __cusparse_scale(__cusparse_dense<T> to, long long rows, T by) {
    long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row < rows) to.at(row, blockIdx.y) = by == 0 ? 0 : by * to.at(row, blockIdx.y);
}
// One thread per row of a matrix with offsets, one block in y per column of the dense matrix.
template <typename T>
__global__ void __cusparse_rows(__cusparse_matrix<T> a, __cusparse_dense<T> x, __cusparse_dense<T> y, T alpha, T beta) {
    long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    T sum = 0;
    long long end = a.row_index(row + 1);
    for (long long at = a.row_index(row); at < end; at++) sum += a.values[at] * x.at(a.column_index(at), blockIdx.y);
    T& to = y.at(row, blockIdx.y);
    to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
}
// One thread per value: where the matrix has the row of each, or is transposed.
template <typename T>
__global__ void __cusparse_values(__cusparse_matrix<T> a, __cusparse_dense<T> x, __cusparse_dense<T> y, T alpha) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= a.count) return;
    long long row = 0, column = a.column_index(at);
    if (!a.has_offsets) {
        row = a.row_index(at);
    } else {
        // The last row that begins at or before the value.
        for (long long end = a.rows; end - row > 1;) {
            long long middle = (row + end) / 2;
            bool is_behind = a.row_index(middle) > at;
            end = is_behind ? middle : end;
            row = is_behind ? row : middle;
        }
    }
    long long to = a.is_transposed ? column : row, from = a.is_transposed ? row : column;
    atomicAdd(&y.at(to, blockIdx.y), alpha * a.values[at] * x.at(from, blockIdx.y));
}

template <typename T>
inline cusparseStatus_t __cusparse_product(cusparseHandle_t handle, bool is_transposed, const void* alpha,
                                           cusparseConstSpMatDescr_t a, __cusparse_dense<T> x, const void* beta,
                                           __cusparse_dense<T> y, long long columns) {
    T factors[2];
    cudaMemcpyKind kind = handle->mode == CUSPARSE_POINTER_MODE_DEVICE ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
    cudaMemcpy(&factors[0], alpha, sizeof(T), kind);
    cudaMemcpy(&factors[1], beta, sizeof(T), kind);
    __cusparse_matrix<T> matrix = {a->row_indices, a->column_indices, (const T*)a->values, a->rows, a->count, a->base,
                                   a->has_offsets, a->row_type == CUSPARSE_INDEX_64I,
                                   a->column_type == CUSPARSE_INDEX_64I, is_transposed};
    long long rows = is_transposed ? a->columns : a->rows;
    if (rows == 0 || columns == 0) return CUSPARSE_STATUS_SUCCESS;
    dim3 grid((unsigned int)((rows + 255) / 256), (unsigned int)columns);
    if (a->has_offsets && !is_transposed) {
        __cusparse_rows<<<grid, 256, 0, handle->stream>>>(matrix, x, y, factors[0], factors[1]);
    } else {
        __cusparse_scale<<<grid, 256, 0, handle->stream>>>(y, rows, factors[1]);
        dim3 all((unsigned int)((a->count + 255) / 256), (unsigned int)columns);
        if (a->count > 0) __cusparse_values<<<all, 256, 0, handle->stream>>>(matrix, x, y, factors[0]);
    }
    return cudaPeekAtLastError() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

inline cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*,
                                                cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                                cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t* bytes) {
    *bytes = 0;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*,
                                                cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                                cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                     cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t, void*) {
    bool is_transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (x->size != (is_transposed ? a->rows : a->columns) || y->size != (is_transposed ? a->columns : a->rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->type != compute || x->type != compute || y->type != compute) return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (compute == CUDA_R_32F)
        return __cusparse_product<float>(handle, is_transposed, alpha, a, {(float*)x->values, 1, 0}, beta,
                                         {(float*)y->values, 1, 0}, 1);
    if (compute == CUDA_R_64F)
        return __cusparse_product<double>(handle, is_transposed, alpha, a, {(double*)x->values, 1, 0}, beta,
                                          {(double*)y->values, 1, 0}, 1);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

template <typename T> inline __cusparse_dense<T> __cusparse_dense_of(cusparseConstDnMatDescr_t of, bool is_transposed) {
    bool is_by_columns = (of->order == CUSPARSE_ORDER_COL) != is_transposed;
    return {(T*)of->values, is_by_columns ? 1 : of->lead, is_by_columns ? of->lead : 1};
}
inline cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                                cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                                cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t* bytes) {
    *bytes = 0;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op, cusparseOperation_t op_b,
                                     const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                     const void* beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t,
                                     void*) {
    bool is_transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE, turns = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    if ((turns ? b->columns : b->rows) != (is_transposed ? a->rows : a->columns)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (c->rows != (is_transposed ? a->columns : a->rows)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->type != compute || b->type != compute || c->type != compute) return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (compute == CUDA_R_32F)
        return __cusparse_product<float>(handle, is_transposed, alpha, a, __cusparse_dense_of<float>(b, turns), beta,
                                         __cusparse_dense_of<float>(c, false), c->columns);
    if (compute == CUDA_R_64F)
        return __cusparse_product<double>(handle, is_transposed, alpha, a, __cusparse_dense_of<double>(b, turns), beta,
                                          __cusparse_dense_of<double>(c, false), c->columns);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}
