// <complex>.
namespace std {

template <class T> class complex {
public:
    using value_type = T;
    __host__ __device__ complex(T re = T(), T im = T()) : __re(re), __im(im) {}
    template <class U> __host__ __device__ complex(const complex<U>& other)
        : __re((T)other.real()), __im((T)other.imag()) {}
    __host__ __device__ T real() const { return __re; }
    __host__ __device__ T imag() const { return __im; }
    void real(T value) { __re = value; }
    void imag(T value) { __im = value; }
    __host__ __device__ complex& operator+=(const complex& by) {
        __re += by.__re;
        __im += by.__im;
        return *this;
    }
    __host__ __device__ complex& operator-=(const complex& by) {
        __re -= by.__re;
        __im -= by.__im;
        return *this;
    }
    __host__ __device__ complex& operator*=(const complex& by) {
        T re = __re * by.__re - __im * by.__im;
        __im = __re * by.__im + __im * by.__re;
        __re = re;
        return *this;
    }
    __host__ __device__ complex& operator/=(const complex& by) {
        T square = by.__re * by.__re + by.__im * by.__im;
        T re = (__re * by.__re + __im * by.__im) / square;
        __im = (__im * by.__re - __re * by.__im) / square;
        __re = re;
        return *this;
    }

private:
    T __re, __im;
};
#define __arithmetic(op) \
    template <class T> complex<T> operator op(const complex<T>& a, const complex<T>& b) { \
        complex<T> result(a); \
        result op##= b; \
        return result; \
    } \
    template <class T> complex<T> operator op(const complex<T>& a, const T& b) { \
        complex<T> result(a); \
        result op##= complex<T>(b); \
        return result; \
    } \
    template <class T> complex<T> operator op(const T& a, const complex<T>& b) { \
        complex<T> result(a); \
        result op##= b; \
        return result; \
    }
__arithmetic(+)
__arithmetic(-)
__arithmetic(*)
__arithmetic(/)
#undef __arithmetic
template <class T> complex<T> operator-(const complex<T>& a) { return complex<T>(-a.real(), -a.imag()); }
template <class T> bool operator==(const complex<T>& a, const complex<T>& b) {
    return a.real() == b.real() && a.imag() == b.imag();
}
template <class T> bool operator!=(const complex<T>& a, const complex<T>& b) { return !(a == b); }
template <class T> T real(const complex<T>& of) { return of.real(); }
template <class T> T imag(const complex<T>& of) { return of.imag(); }
// [cmplx.over]: numbers count as complex ones.
inline float real(float of) { return of; }
inline double real(double of) { return of; }
template <class T, class = enable_if_t<is_integral_v<T>>> double real(T of) { return of; }
inline float imag(float) { return 0; }
inline double imag(double) { return 0; }
template <class T, class = enable_if_t<is_integral_v<T>>> double imag(T) { return 0; }
template <class T> T norm(const complex<T>& of) { return of.real() * of.real() + of.imag() * of.imag(); }
template <class T> T abs(const complex<T>& of) { return hypot(of.real(), of.imag()); }
template <class T> T arg(const complex<T>& of) { return atan2(of.imag(), of.real()); }
template <class T> complex<T> conj(const complex<T>& of) { return complex<T>(of.real(), -of.imag()); }
template <class T> complex<T> polar(T length, T angle) {
    return complex<T>(length * cos(angle), length * sin(angle));
}
template <class T> complex<T> log(const complex<T>& of) { return complex<T>(log(abs(of)), arg(of)); }
template <class T> complex<T> exp(const complex<T>& of) { return polar(exp(of.real()), of.imag()); }
template <class T> complex<T> sqrt(const complex<T>& of) {
    T length = abs(of);
    T re = sqrt((length + of.real()) / 2);
    T im = sqrt((length - of.real()) / 2);
    return complex<T>(re, of.imag() < 0 ? -im : im);
}

template <class T> ostream& operator<<(ostream& out, const complex<T>& value) {
    return out << '(' << value.real() << ',' << value.imag() << ')';
}
namespace literals {}
namespace complex_literals {}
inline complex<double> __literal_i(double value) { return complex<double>(0, value); }

}  // namespace std
