// Kernels that differ in what they compute with.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void doubles(const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double value = x[i], sum = 1.0;
        for (int k = 0; k < 16; ++k) sum = sum * value + 0.5;
        y[i] = sum;
    }
}

extern "C" __global__ void halves(const __half* x, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __half value = x[i], sum = __float2half(1.0f);
        for (int k = 0; k < 8; ++k) sum = __hadd(__hmul(sum, value), __float2half(0.5f));
        y[i] = sum;
    }
}

extern "C" __global__ void half_pairs(const __half2* x, __half2* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __half2 value = x[i], sum = __float2half2_rn(1.0f);
        for (int k = 0; k < 8; ++k) sum = __hfma2(sum, value, __float2half2_rn(0.5f));
        y[i] = sum;
    }
}

// Bytes of 64-bit numbers, as FNV-1a hashes them.
extern "C" __global__ void hash(const long long* x, long long* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long value = x[i], hash = 0xcbf29ce484222325ull;
        for (int k = 0; k < 8; ++k) hash = (hash ^ (value >> (8 * k) & 255)) * 0x100000001b3ull;
        y[i] = hash;
    }
}

extern "C" __global__ void divide(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = x[i], digits = 0;
        for (int k = 0; k < 8; ++k) {
            digits += value % 10;
            value /= 10;
        }
        y[i] = digits;
    }
}

extern "C" __global__ void special(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sinf(x[i]) * expf(x[i]) + logf(x[i] + 1.0f) + sqrtf(x[i]);
}

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// A warp makes a tile of 16 by 16.
extern "C" __global__ void fragments(const __half* a, const __half* b, float* c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a_part;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b_part;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(a_part, a + row * n + k, n);
        wmma::load_matrix_sync(b_part, b + k * n + column, n);
        wmma::mma_sync(sums, a_part, b_part, sums);
    }
    wmma::store_matrix_sync(c + row * n + column, sums, n, wmma::mem_row_major);
}
