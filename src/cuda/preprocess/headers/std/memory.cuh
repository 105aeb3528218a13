// <memory>, <optional> and <tuple>.
namespace std {

template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};

template <class T> struct default_delete {
    void operator()(T* of) const { delete of; }
};
template <class T> struct default_delete<T[]> {
    void operator()(T* of) const { delete[] of; }
};

template <class T, class D = default_delete<T>> class unique_ptr {
public:
    using element_type = T;
    using pointer = T*;
    unique_ptr() : __of(0), __deleter() {}
    unique_ptr(nullptr_t) : __of(0), __deleter() {}
    explicit unique_ptr(T* of) : __of(of), __deleter() {}
    unique_ptr(T* of, const D& deleter) : __of(of), __deleter(deleter) {}
    unique_ptr(unique_ptr&& other) : __of(other.release()), __deleter(other.get_deleter()) {}
    template <class U> unique_ptr(unique_ptr<U>&& other) : __of(other.release()), __deleter() {}
    unique_ptr(const unique_ptr&) = delete;
    ~unique_ptr() { reset(); }
    unique_ptr& operator=(unique_ptr&& other) {
        reset(other.release());
        return *this;
    }
    unique_ptr& operator=(nullptr_t) {
        reset();
        return *this;
    }
    T* get() const { return __of; }
    D& get_deleter() { return __deleter; }
    T& operator*() const { return *__of; }
    T* operator->() const { return __of; }
    explicit operator bool() const { return __of != 0; }
    T* release() {
        T* of = __of;
        __of = 0;
        return of;
    }
    void reset(T* of = 0) {
        T* old = __of;
        __of = of;
        if (old != 0) {
            __deleter(old);
        }
    }
    void swap(unique_ptr& other) { std::swap(__of, other.__of); }
    bool operator==(nullptr_t) const { return __of == 0; }
    bool operator!=(nullptr_t) const { return __of != 0; }

private:
    T* __of;
    D __deleter;
};
template <class T, class D> class unique_ptr<T[], D> {
public:
    using element_type = T;
    unique_ptr() : __of(0), __deleter() {}
    unique_ptr(nullptr_t) : __of(0), __deleter() {}
    explicit unique_ptr(T* of) : __of(of), __deleter() {}
    unique_ptr(T* of, const D& deleter) : __of(of), __deleter(deleter) {}
    unique_ptr(unique_ptr&& other) : __of(other.release()), __deleter(other.get_deleter()) {}
    unique_ptr(const unique_ptr&) = delete;
    ~unique_ptr() { reset(); }
    unique_ptr& operator=(unique_ptr&& other) {
        reset(other.release());
        return *this;
    }
    T* get() const { return __of; }
    D& get_deleter() { return __deleter; }
    T& operator[](size_t at) const { return __of[at]; }
    explicit operator bool() const { return __of != 0; }
    T* release() {
        T* of = __of;
        __of = 0;
        return of;
    }
    void reset(T* of = 0) {
        T* old = __of;
        __of = of;
        if (old != 0) {
            __deleter(old);
        }
    }
    bool operator==(nullptr_t) const { return __of == 0; }
    bool operator!=(nullptr_t) const { return __of != 0; }

private:
    T* __of;
    D __deleter;
};

// How many share an object, and what ends it.
class __shared_base {
public:
    __shared_base() : users(1), watchers(1) {}
    virtual ~__shared_base() {}
    virtual void end() {}
    long users, watchers;
};
template <class T> class __shared_plain : public __shared_base {
public:
    explicit __shared_plain(T* of) : __of(of) {}
    void end() override { delete __of; }

private:
    T* __of;
};
template <class T, class D> class __shared_deleting : public __shared_base {
public:
    __shared_deleting(T* of, const D& deleter) : __of(of), __deleter(deleter) {}
    void end() override { __deleter(__of); }

private:
    T* __of;
    D __deleter;
};
inline void __leave(__shared_base* of) {
    if (of != 0 && --of->users == 0) {
        of->end();
        if (--of->watchers == 0) {
            delete of;
        }
    }
}
template <class T> class weak_ptr;
template <class T> class shared_ptr {
public:
    using element_type = T;
    shared_ptr() : __of(0), __shared(0) {}
    shared_ptr(nullptr_t) : __of(0), __shared(0) {}
    template <class U> explicit shared_ptr(U* of) : __of(of), __shared(new __shared_plain<U>(of)) {}
    template <class U, class D>
    shared_ptr(U* of, D deleter) : __of(of), __shared(new __shared_deleting<U, D>(of, deleter)) {}
    shared_ptr(const shared_ptr& other) : __of(other.__of), __shared(other.__shared) { __join(); }
    template <class U> shared_ptr(const shared_ptr<U>& other) : __of(other.__of), __shared(other.__shared) {
        __join();
    }
    ~shared_ptr() { __leave(__shared); }
    shared_ptr& operator=(const shared_ptr& other) {
        __shared_base* old = __shared;
        __of = other.__of;
        __shared = other.__shared;
        __join();
        __leave(old);
        return *this;
    }
    T* get() const { return __of; }
    T& operator*() const { return *__of; }
    T* operator->() const { return __of; }
    T& operator[](size_t at) const { return __of[at]; }
    explicit operator bool() const { return __of != 0; }
    long use_count() const { return __shared != 0 ? __shared->users : 0; }
    bool unique() const { return use_count() == 1; }
    void reset() {
        __leave(__shared);
        __of = 0;
        __shared = 0;
    }
    template <class U> void reset(U* of) { *this = shared_ptr(of); }
    void swap(shared_ptr& other) {
        std::swap(__of, other.__of);
        std::swap(__shared, other.__shared);
    }
    bool operator==(const shared_ptr& other) const { return __of == other.__of; }
    bool operator!=(const shared_ptr& other) const { return __of != other.__of; }
    bool operator==(nullptr_t) const { return __of == 0; }
    bool operator!=(nullptr_t) const { return __of != 0; }

    T* __of;
    __shared_base* __shared;

private:
    void __join() {
        if (__shared != 0) {
            ++__shared->users;
        }
    }
};
template <class T> class weak_ptr {
public:
    weak_ptr() : __of(0), __shared(0) {}
    weak_ptr(const shared_ptr<T>& of) : __of(of.__of), __shared(of.__shared) { __join(); }
    weak_ptr(const weak_ptr& other) : __of(other.__of), __shared(other.__shared) { __join(); }
    ~weak_ptr() { __leave(); }
    weak_ptr& operator=(const weak_ptr& other) {
        weak_ptr copy(other);
        std::swap(__of, copy.__of);
        std::swap(__shared, copy.__shared);
        return *this;
    }
    bool expired() const { return __shared == 0 || __shared->users == 0; }
    long use_count() const { return __shared != 0 ? __shared->users : 0; }
    shared_ptr<T> lock() const {
        shared_ptr<T> locked;
        if (!expired()) {
            locked.__of = __of;
            locked.__shared = __shared;
            ++__shared->users;
        }
        return locked;
    }

private:
    T* __of;
    __shared_base* __shared;
    void __join() {
        if (__shared != 0) {
            ++__shared->watchers;
        }
    }
    void __leave() {
        if (__shared != 0 && --__shared->watchers == 0) {
            delete __shared;
        }
    }
};
template <class T> struct __unique_made {};
template <class T> struct __unique_made<T[]> {
    static unique_ptr<T[]> make(size_t count) { return unique_ptr<T[]>(new T[count]()); }
};
template <class T, class... A> auto make_unique(A&&... a) {
    if constexpr (is_array<T>::value) {
        return __unique_made<T>::make((size_t)a...);
    } else {
        return unique_ptr<T>(new T((A&&)a...));
    }
}
template <class T, class... A> shared_ptr<T> make_shared(A&&... a) { return shared_ptr<T>(new T((A&&)a...)); }

struct nullopt_t {};
inline constexpr nullopt_t nullopt = {};
template <class T> class optional {
public:
    using value_type = T;
    optional() : __value(), __has(false) {}
    optional(nullopt_t) : __value(), __has(false) {}
    optional(const T& value) : __value(value), __has(true) {}
    optional& operator=(const T& value) {
        __value = value;
        __has = true;
        return *this;
    }
    optional& operator=(nullopt_t) {
        reset();
        return *this;
    }
    bool has_value() const { return __has; }
    explicit operator bool() const { return __has; }
    T& value() {
        if (!__has) {
            throw bad_optional_access();
        }
        return __value;
    }
    const T& value() const {
        if (!__has) {
            throw bad_optional_access();
        }
        return __value;
    }
    T value_or(const T& other) const { return __has ? __value : other; }
    T& operator*() { return __value; }
    const T& operator*() const { return __value; }
    T* operator->() { return &__value; }
    const T* operator->() const { return &__value; }
    template <class... A> T& emplace(A&&... a) {
        *this = T((A&&)a...);
        return __value;
    }
    bool operator==(const T& other) const { return __has && __value == other; }
    bool operator!=(const T& other) const { return !(*this == other); }
    bool operator==(nullopt_t) const { return !__has; }
    bool operator!=(nullopt_t) const { return __has; }
    void reset() {
        __value = T();
        __has = false;
    }

private:
    T __value;
    bool __has;
};
template <class T> optional<T> make_optional(const T& value) { return optional<T>(value); }
template <class T> optional<T> __deduced_optional(const T& value) { return optional<T>(value); }

struct __none {};
// What a part is, or leads to.
template <class T> struct __part {
    static __host__ __device__ T& of(T& part) { return part; }
    static __host__ __device__ const T& of(const T& part) { return part; }
};
template <class A = __none, class B = __none, class C = __none, class D = __none, class E = __none> struct tuple {
    A __0;
    B __1;
    C __2;
    D __3;
    E __4;
    tuple() : __0(), __1(), __2(), __3(), __4() {}
    tuple(const A& a, const B& b, const C& c, const D& d, const E& e) : __0(a), __1(b), __2(c), __3(d), __4(e) {}
    template <class P, class Q, class R, class S, class T> tuple(const tuple<P, Q, R, S, T>& of)
        : __0(__part<P>::of(of.__0)), __1(__part<Q>::of(of.__1)), __2(__part<R>::of(of.__2)), __3(__part<S>::of(of.__3)), __4(__part<T>::of(of.__4)) {}
};
template <class A, class B, class C, class D> struct tuple<A, B, C, D, __none> {
    A __0;
    B __1;
    C __2;
    D __3;
    tuple() : __0(), __1(), __2(), __3() {}
    tuple(const A& a, const B& b, const C& c, const D& d) : __0(a), __1(b), __2(c), __3(d) {}
    template <class P, class Q, class R, class S> tuple(const tuple<P, Q, R, S>& of)
        : __0(__part<P>::of(of.__0)), __1(__part<Q>::of(of.__1)), __2(__part<R>::of(of.__2)), __3(__part<S>::of(of.__3)) {}
};
template <class A, class B, class C> struct tuple<A, B, C, __none, __none> {
    A __0;
    B __1;
    C __2;
    tuple() : __0(), __1(), __2() {}
    tuple(const A& a, const B& b, const C& c) : __0(a), __1(b), __2(c) {}
    template <class P, class Q, class R> tuple(const tuple<P, Q, R>& of)
        : __0(__part<P>::of(of.__0)), __1(__part<Q>::of(of.__1)), __2(__part<R>::of(of.__2)) {}
};
template <class A, class B> struct tuple<A, B, __none, __none, __none> {
    A __0;
    B __1;
    tuple() : __0(), __1() {}
    tuple(const A& a, const B& b) : __0(a), __1(b) {}
    template <class P, class Q> tuple(const tuple<P, Q>& of)
        : __0(__part<P>::of(of.__0)), __1(__part<Q>::of(of.__1)) {}
};
template <class A> struct tuple<A, __none, __none, __none, __none> {
    A __0;
    tuple() : __0() {}
    explicit tuple(const A& a) : __0(a) {}
};
template <class... A> tuple<A...> __deduced_tuple(A... all) { return tuple<A...>(all...); }
template <class A> tuple<A> make_tuple(A a) { return tuple<A>(a); }
template <class A, class B> tuple<A, B> make_tuple(A a, B b) { return tuple<A, B>(a, b); }
template <class A, class B, class C> tuple<A, B, C> make_tuple(A a, B b, C c) { return tuple<A, B, C>(a, b, c); }
template <class A, class B, class C, class D> tuple<A, B, C, D> make_tuple(A a, B b, C c, D d) {
    return tuple<A, B, C, D>(a, b, c, d);
}
template <class A, class B, class C, class D, class E> tuple<A, B, C, D, E> make_tuple(A a, B b, C c, D d, E e) {
    return tuple<A, B, C, D, E>(a, b, c, d, e);
}
// Of what may be changed, and of what is constant.
#define __parts(constness) \
    template <size_t I, class A, class B, class C, class D, class E> \
    constness auto& get(constness tuple<A, B, C, D, E>& of) { \
        if constexpr (I == 0) { \
            return __part<A>::of(of.__0); \
        } else if constexpr (I == 1) { \
            return __part<B>::of(of.__1); \
        } else if constexpr (I == 2) { \
            return __part<C>::of(of.__2); \
        } else if constexpr (I == 3) { \
            return __part<D>::of(of.__3); \
        } else { \
            return __part<E>::of(of.__4); \
        } \
    } \
    template <size_t I, class A, class B> constness auto& get(constness pair<A, B>& of) { \
        if constexpr (I == 0) { \
            return of.first; \
        } else { \
            return of.second; \
        } \
    }
__parts()
__parts(const)
#undef __parts
struct __ignored {
    template <class T> void operator=(const T& value) {}
};
static __ignored ignore;
template <class T> struct tuple_size {
    static constexpr size_t value = 0;
};
template <class A, class B> struct tuple_size<pair<A, B>> {
    static constexpr size_t value = 2;
};
template <class A, class B, class C, class D, class E> struct tuple_size<tuple<A, B, C, D, E>> {
    static constexpr size_t value = 1 + !is_same<B, __none>::value + !is_same<C, __none>::value +
                                    !is_same<D, __none>::value + !is_same<E, __none>::value;
};
template <class T> constexpr size_t tuple_size_v = tuple_size<T>::value;
// Parts in order, the first that differ decide.
template <size_t I, class T> bool __tuple_less(const T& a, const T& b) {
    if constexpr (I < tuple_size<T>::value) {
        if (get<I>(a) < get<I>(b)) {
            return true;
        }
        return !(get<I>(b) < get<I>(a)) && __tuple_less<I + 1>(a, b);
    }
    return false;
}
template <size_t I, class T> bool __tuple_equal(const T& a, const T& b) {
    if constexpr (I < tuple_size<T>::value) {
        return get<I>(a) == get<I>(b) && __tuple_equal<I + 1>(a, b);
    }
    return true;
}
template <class A, class B, class C, class D, class E>
bool operator<(const tuple<A, B, C, D, E>& a, const tuple<A, B, C, D, E>& b) {
    return __tuple_less<0>(a, b);
}
template <class A, class B, class C, class D, class E>
bool operator>(const tuple<A, B, C, D, E>& a, const tuple<A, B, C, D, E>& b) {
    return __tuple_less<0>(b, a);
}
template <class A, class B, class C, class D, class E>
bool operator==(const tuple<A, B, C, D, E>& a, const tuple<A, B, C, D, E>& b) {
    return __tuple_equal<0>(a, b);
}
template <class A, class B, class C, class D, class E>
bool operator!=(const tuple<A, B, C, D, E>& a, const tuple<A, B, C, D, E>& b) {
    return !__tuple_equal<0>(a, b);
}
// Variables that take the parts of what is assigned.
template <class A, class B, class C = __none, class D = __none> struct __tied {
    A* __0;
    B* __1;
    C* __2;
    D* __3;
    void operator=(const pair<A, B>& from) {
        *__0 = from.first;
        *__1 = from.second;
    }
    template <class P, class Q, class R, class S, class T> void operator=(const tuple<P, Q, R, S, T>& from) {
        *__0 = from.__0;
        *__1 = from.__1;
        if constexpr (!is_same<C, __none>::value) {
            *__2 = from.__2;
        }
        if constexpr (!is_same<D, __none>::value) {
            *__3 = from.__3;
        }
    }
};
template <class A, class B> __tied<A, B> tie(A& a, B& b) {
    __tied<A, B> tied = {&a, &b, 0, 0};
    return tied;
}
template <class A, class B, class C> __tied<A, B, C> tie(A& a, B& b, C& c) {
    __tied<A, B, C> tied = {&a, &b, &c, 0};
    return tied;
}
template <class A, class B, class C, class D> __tied<A, B, C, D> tie(A& a, B& b, C& c, D& d) {
    __tied<A, B, C, D> tied = {&a, &b, &c, &d};
    return tied;
}

// The first address from `at` on that the alignment divides and where so many bytes have room.
inline void* align(size_t alignment, size_t size, void*& at, size_t& room) {
    size_t skipped = ((size_t)at + alignment - 1) / alignment * alignment - (size_t)at;
    if (size + skipped > room) {
        return 0;
    }
    room -= skipped;
    return at = (char*)at + skipped;
}

}  // namespace std
