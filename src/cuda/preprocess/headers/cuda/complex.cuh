// What <cuComplex.h> declares. Quotients and magnitudes are scaled as there.
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

__host__ __device__ inline float cuCrealf(cuFloatComplex x) { return x.x; }
__host__ __device__ inline float cuCimagf(cuFloatComplex x) { return x.y; }
__host__ __device__ inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) { return make_float2(real, imaginary); }
__host__ __device__ inline cuComplex make_cuComplex(float real, float imaginary) { return make_float2(real, imaginary); }
__host__ __device__ inline cuFloatComplex cuConjf(cuFloatComplex x) { return make_float2(x.x, -x.y); }
__host__ __device__ inline cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x + y.x, x.y + y.y); }
__host__ __device__ inline cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x - y.x, x.y - y.y); }
__host__ __device__ inline cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) {
    return make_float2((x.x * y.x) - (x.y * y.y), (x.x * y.y) + (x.y * y.x));
}
__host__ __device__ inline cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y) {
    float s = fabsf(y.x) + fabsf(y.y);
    float oos = 1.0f / s;
    float ars = x.x * oos, ais = x.y * oos, brs = y.x * oos, bis = y.y * oos;
    s = (brs * brs) + (bis * bis);
    oos = 1.0f / s;
    return make_float2(((ars * brs) + (ais * bis)) * oos, ((ais * brs) - (ars * bis)) * oos);
}
__host__ __device__ inline float cuCabsf(cuFloatComplex x) {
    float a = fabsf(x.x), b = fabsf(x.y);
    float v = a > b ? a : b, w = a > b ? b : a;
    float t = w / v;
    t = 1.0f + t * t;
    t = v * sqrtf(t);
    return (v == 0.0f) || (v > 3.402823466e38f) || (w > 3.402823466e38f) ? v + w : t;
}
__host__ __device__ inline cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
    float real = (x.x * y.x) + d.x, imaginary = (x.x * y.y) + d.y;
    return make_float2(-(x.y * y.y) + real, (x.y * y.x) + imaginary);
}

__host__ __device__ inline double cuCreal(cuDoubleComplex x) { return x.x; }
__host__ __device__ inline double cuCimag(cuDoubleComplex x) { return x.y; }
__host__ __device__ inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) { return make_double2(real, imaginary); }
__host__ __device__ inline cuDoubleComplex cuConj(cuDoubleComplex x) { return make_double2(x.x, -x.y); }
__host__ __device__ inline cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x + y.x, x.y + y.y); }
__host__ __device__ inline cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x - y.x, x.y - y.y); }
__host__ __device__ inline cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) {
    return make_double2((x.x * y.x) - (x.y * y.y), (x.x * y.y) + (x.y * y.x));
}
__host__ __device__ inline cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y) {
    double s = fabs(y.x) + fabs(y.y);
    double oos = 1.0 / s;
    double ars = x.x * oos, ais = x.y * oos, brs = y.x * oos, bis = y.y * oos;
    s = (brs * brs) + (bis * bis);
    oos = 1.0 / s;
    return make_double2(((ars * brs) + (ais * bis)) * oos, ((ais * brs) - (ars * bis)) * oos);
}
__host__ __device__ inline double cuCabs(cuDoubleComplex x) {
    double a = fabs(x.x), b = fabs(x.y);
    double v = a > b ? a : b, w = a > b ? b : a;
    double t = w / v;
    t = 1.0 + t * t;
    t = v * sqrt(t);
    return (v == 0.0) || (v > 1.79769313486231570e+308) || (w > 1.79769313486231570e+308) ? v + w : t;
}
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return make_float2((float)x.x, (float)x.y); }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_double2(x.x, x.y); }
