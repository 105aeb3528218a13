// <thrust/complex.h>
namespace thrust {

template <class T> struct complex {
    using value_type = T;
    T __re;
    T __im;
    __host__ __device__ complex(T re = T(), T im = T()) : __re(re), __im(im) {}
    template <class U> __host__ __device__ complex(const complex<U>& of) : __re((T)of.real()), __im((T)of.imag()) {}
    __host__ __device__ T real() const { return __re; }
    __host__ __device__ T imag() const { return __im; }
    __host__ __device__ void real(T value) { __re = value; }
    __host__ __device__ void imag(T value) { __im = value; }
    __host__ __device__ complex& operator+=(const complex& b) {
        *this = complex(__re + b.__re, __im + b.__im);
        return *this;
    }
    __host__ __device__ complex& operator-=(const complex& b) {
        *this = complex(__re - b.__re, __im - b.__im);
        return *this;
    }
    __host__ __device__ complex& operator*=(const complex& b) {
        *this = complex(__re * b.__re - __im * b.__im, __re * b.__im + __im * b.__re);
        return *this;
    }
    __host__ __device__ complex& operator/=(const complex& b) {
        T size = b.__re * b.__re + b.__im * b.__im;
        *this = complex((__re * b.__re + __im * b.__im) / size, (__im * b.__re - __re * b.__im) / size);
        return *this;
    }
    __host__ __device__ complex& operator*=(T b) {
        *this = complex(__re * b, __im * b);
        return *this;
    }
    __host__ __device__ complex& operator/=(T b) {
        *this = complex(__re / b, __im / b);
        return *this;
    }
};
#define __arithmetic(op) \
    template <class T> __host__ __device__ complex<T> operator op(const complex<T>& a, const complex<T>& b) { \
        complex<T> made(a); \
        made op##= complex<T>(b); \
        return made; \
    } \
    template <class T> __host__ __device__ complex<T> operator op(const complex<T>& a, const T& b) { \
        complex<T> made(a); \
        made op##= complex<T>(b); \
        return made; \
    } \
    template <class T> __host__ __device__ complex<T> operator op(const T& a, const complex<T>& b) { \
        complex<T> made(a); \
        made op##= complex<T>(b); \
        return made; \
    }
__arithmetic(+)
__arithmetic(-)
__arithmetic(*)
__arithmetic(/)
#undef __arithmetic
template <class T> __host__ __device__ complex<T> operator-(const complex<T>& a) { return complex<T>(-a.real(), -a.imag()); }
template <class T> __host__ __device__ bool operator==(const complex<T>& a, const complex<T>& b) {
    return a.real() == b.real() && a.imag() == b.imag();
}
template <class T> __host__ __device__ bool operator!=(const complex<T>& a, const complex<T>& b) { return !(a == b); }
template <class T> __host__ __device__ T norm(const complex<T>& a) { return a.real() * a.real() + a.imag() * a.imag(); }
template <class T> __host__ __device__ T abs(const complex<T>& a) { return hypot(a.real(), a.imag()); }
template <class T> __host__ __device__ T arg(const complex<T>& a) { return atan2(a.imag(), a.real()); }
template <class T> __host__ __device__ complex<T> conj(const complex<T>& a) { return complex<T>(a.real(), -a.imag()); }
template <class T> __host__ __device__ complex<T> polar(const T& size, const T& angle = T()) {
    return complex<T>(size * cos(angle), size * sin(angle));
}
template <class T> __host__ __device__ complex<T> exp(const complex<T>& a) {
    T size = ::exp(a.real());
    return complex<T>(size * cos(a.imag()), size * sin(a.imag()));
}
template <class T> std::ostream& operator<<(std::ostream& to, const complex<T>& a) {
    return to << '(' << a.real() << ',' << a.imag() << ')';
}

}  // namespace thrust
