// What <cuComplex.h> declares. Quotients and magnitudes are scaled as there.
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// Names end in `f` for floats; `most` is the largest number.
#define COMPLEX(f, Real, Complex, make, most) \
    __host__ __device__ inline Real cuCreal##f(Complex x) { return x.x; } \
    __host__ __device__ inline Real cuCimag##f(Complex x) { return x.y; } \
    __host__ __device__ inline Complex make_##Complex(Real real, Real imaginary) { return make(real, imaginary); } \
    __host__ __device__ inline Complex cuConj##f(Complex x) { return make(x.x, -x.y); } \
    __host__ __device__ inline Complex cuCadd##f(Complex x, Complex y) { return make(x.x + y.x, x.y + y.y); } \
    __host__ __device__ inline Complex cuCsub##f(Complex x, Complex y) { return make(x.x - y.x, x.y - y.y); } \
    __host__ __device__ inline Complex cuCmul##f(Complex x, Complex y) { \
        return make((x.x * y.x) - (x.y * y.y), (x.x * y.y) + (x.y * y.x)); \
    } \
    __host__ __device__ inline Complex cuCdiv##f(Complex x, Complex y) { \
        Real s = fabs##f(y.x) + fabs##f(y.y); \
        Real oos = (Real)1 / s; \
        Real ars = x.x * oos, ais = x.y * oos, brs = y.x * oos, bis = y.y * oos; \
        s = (brs * brs) + (bis * bis); \
        oos = (Real)1 / s; \
        return make(((ars * brs) + (ais * bis)) * oos, ((ais * brs) - (ars * bis)) * oos); \
    } \
    __host__ __device__ inline Real cuCabs##f(Complex x) { \
        Real a = fabs##f(x.x), b = fabs##f(x.y); \
        Real v = a > b ? a : b, w = a > b ? b : a; \
        Real t = w / v; \
        t = (Real)1 + t * t; \
        t = v * sqrt##f(t); \
        return (v == 0) || (v > most) || (w > most) ? v + w : t; \
    }
COMPLEX(f, float, cuFloatComplex, make_float2, 3.402823466e38f)
COMPLEX(, double, cuDoubleComplex, make_double2, 1.79769313486231570e+308)
#undef COMPLEX

__host__ __device__ inline cuComplex make_cuComplex(float real, float imaginary) { return make_float2(real, imaginary); }
__host__ __device__ inline cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
    float real = (x.x * y.x) + d.x, imaginary = (x.x * y.y) + d.y;
    return make_float2(-(x.y * y.y) + real, (x.y * y.x) + imaginary);
}
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return make_float2((float)x.x, (float)x.y); }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_double2(x.x, x.y); }
