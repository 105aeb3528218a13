// <chrono>, <ratio> and the sleeping of <thread>, by the simulated clock.
namespace std {

template <long long N, long long D = 1> struct ratio {
    static constexpr long long num = N;
    static constexpr long long den = D;
};
typedef ratio<1, 1000000000> nano;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000> milli;
typedef ratio<1000> kilo;
typedef ratio<1000000> mega;
typedef ratio<1000000000> giga;

namespace chrono {

template <class R, class P = ratio<1>> class duration {
public:
    using rep = R;
    using period = P;
    duration() : __count(0) {}
    explicit duration(const R& count) : __count(count) {}
    // From one with other units: exact where these are not coarser, or where the count is of a floating type.
    template <class S, class Q> duration(const duration<S, Q>& other) : __count(0) {
        __count = __converted<R, P, S, Q>(other.count());
    }
    R count() const { return __count; }
    static duration zero() { return duration((R)0); }
    duration& operator+=(const duration& other) {
        __count += other.__count;
        return *this;
    }
    duration& operator-=(const duration& other) {
        __count -= other.__count;
        return *this;
    }
    duration& operator*=(const R& factor) {
        __count *= factor;
        return *this;
    }
    duration& operator/=(const R& divisor) {
        __count /= divisor;
        return *this;
    }

    template <class A, class B, class S, class Q> static A __converted(S count) {
        // As the library: in the wider type, multiplied before it is divided.
        using W = decltype(A() + S() + 0ll);
        constexpr long long up = Q::num * B::den;
        constexpr long long down = Q::den * B::num;
        if constexpr (up == down) {
            return (A)count;
        } else if constexpr (up % down == 0) {
            return (A)((W)count * (W)(up / down));
        } else if constexpr (down % up == 0) {
            return (A)((W)count / (W)(down / up));
        } else {
            return (A)((W)count * (W)up / (W)down);
        }
    }

private:
    R __count;
};
typedef duration<long long, nano> nanoseconds;
typedef duration<long long, micro> microseconds;
typedef duration<long long, milli> milliseconds;
typedef duration<long long> seconds;
typedef duration<long long, ratio<60>> minutes;
typedef duration<long long, ratio<3600>> hours;

template <class D, class R, class P> D duration_cast(const duration<R, P>& from) { return D(from); }
template <class R, class P> duration<R, P> operator-(const duration<R, P>& a) { return duration<R, P>(-a.count()); }
// The finer of two units.
template <class P, class Q, bool first> struct __finer {
    using type = P;
};
template <class P, class Q> struct __finer<P, Q, false> {
    using type = Q;
};
template <class R, class P, class S, class Q> struct __common {
    using type =
        duration<decltype(R() + S()), typename __finer<P, Q, (P::num * Q::den <= Q::num * P::den)>::type>;
};
template <class R, class P, class S, class Q>
typename __common<R, P, S, Q>::type operator+(const duration<R, P>& a, const duration<S, Q>& b) {
    using D = typename __common<R, P, S, Q>::type;
    return D(D(a).count() + D(b).count());
}
template <class R, class P, class S, class Q>
typename __common<R, P, S, Q>::type operator-(const duration<R, P>& a, const duration<S, Q>& b) {
    using D = typename __common<R, P, S, Q>::type;
    return D(D(a).count() - D(b).count());
}
template <class R, class P, class N> duration<R, P> operator*(const duration<R, P>& a, const N& factor) {
    return duration<R, P>(a.count() * factor);
}
template <class N, class R, class P> duration<R, P> operator*(const N& factor, const duration<R, P>& a) {
    return duration<R, P>(factor * a.count());
}
template <class R, class P, class N> duration<R, P> operator/(const duration<R, P>& a, const N& divisor) {
    return duration<R, P>(a.count() / divisor);
}
template <class R, class P> R operator/(const duration<R, P>& a, const duration<R, P>& b) {
    return a.count() / b.count();
}
template <class R, class P, class S, class Q>
typename __common<R, P, S, Q>::type::rep operator/(const duration<R, P>& a, const duration<S, Q>& b) {
    using D = typename __common<R, P, S, Q>::type;
    return D(a).count() / D(b).count();
}
template <class R, class P, class N> duration<R, P> operator%(const duration<R, P>& a, const N& divisor) {
    return duration<R, P>(a.count() % divisor);
}
template <class R, class P, class S, class Q>
typename __common<R, P, S, Q>::type operator%(const duration<R, P>& a, const duration<S, Q>& b) {
    using D = typename __common<R, P, S, Q>::type;
    return D(D(a).count() % D(b).count());
}
#define __compares(op) \
    template <class R, class P, class S, class Q> bool operator op(const duration<R, P>& a, const duration<S, Q>& b) { \
        using D = typename __common<R, P, S, Q>::type; \
        return D(a).count() op D(b).count(); \
    }
__compares(==)
__compares(!=)
__compares(<)
__compares(>)
__compares(<=)
__compares(>=)
#undef __compares

template <class C, class D = nanoseconds> class time_point {
public:
    using clock = C;
    using duration = D;
    time_point() : __since() {}
    explicit time_point(const D& since) : __since(since) {}
    D time_since_epoch() const { return __since; }
    time_point& operator+=(const D& by) {
        __since += by;
        return *this;
    }

private:
    D __since;
};
template <class C, class D> D operator-(const time_point<C, D>& a, const time_point<C, D>& b) {
    return a.time_since_epoch() - b.time_since_epoch();
}
template <class C, class D, class R, class P>
time_point<C, D> operator+(const time_point<C, D>& a, const duration<R, P>& by) {
    return time_point<C, D>(a.time_since_epoch() + D(by));
}
template <class C, class D, class R, class P>
time_point<C, D> operator+(const duration<R, P>& by, const time_point<C, D>& a) {
    return a + by;
}
template <class C, class D> bool operator>(const time_point<C, D>& a, const time_point<C, D>& b) {
    return b.time_since_epoch() < a.time_since_epoch();
}
template <class C, class D> bool operator<(const time_point<C, D>& a, const time_point<C, D>& b) {
    return a.time_since_epoch() < b.time_since_epoch();
}

inline long long __clock_ns(int which) {
    timespec time;
    clock_gettime(which, &time);
    return (long long)time.tv_sec * 1000000000ll + time.tv_nsec;
}
struct steady_clock {
    typedef nanoseconds duration;
    typedef nanoseconds::rep rep;
    typedef std::chrono::time_point<steady_clock> time_point;
    static constexpr bool is_steady = true;
    static time_point now() { return time_point(nanoseconds(__clock_ns(1))); }
};
struct system_clock {
    typedef nanoseconds duration;
    typedef nanoseconds::rep rep;
    typedef std::chrono::time_point<system_clock> time_point;
    static constexpr bool is_steady = false;
    static time_point now() { return time_point(nanoseconds(__clock_ns(0))); }
    static time_t to_time_t(const time_point& at) { return (time_t)(at.time_since_epoch().count() / 1000000000ll); }
};
typedef system_clock high_resolution_clock;

}  // namespace chrono

namespace this_thread {
template <class R, class P> void sleep_for(const chrono::duration<R, P>& time) {
    long long ns = chrono::duration_cast<chrono::nanoseconds>(time).count();
    timespec wanted;
    wanted.tv_sec = ns / 1000000000ll;
    wanted.tv_nsec = ns % 1000000000ll;
    nanosleep(&wanted, 0);
}
inline void yield() {}
}  // namespace this_thread

// Which literals are known is the compiler's; these names only have to be there.
namespace literals {}
namespace chrono_literals {}
inline chrono::hours __literal_h(long long count) { return chrono::hours(count); }
inline chrono::minutes __literal_min(long long count) { return chrono::minutes(count); }
inline chrono::seconds __literal_s(int count) { return chrono::seconds(count); }
inline chrono::milliseconds __literal_ms(long long count) { return chrono::milliseconds(count); }
inline chrono::microseconds __literal_us(long long count) { return chrono::microseconds(count); }
inline chrono::nanoseconds __literal_ns(long long count) { return chrono::nanoseconds(count); }

}  // namespace std
