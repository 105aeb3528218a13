// <utility>, <initializer_list>, <exception>, <stdexcept> and what all containers are made of.
namespace std {

typedef decltype(nullptr) nullptr_t;

template <class T> __host__ __device__ T&& move(T& value) { return (T&&)value; }
template <class T> __host__ __device__ T&& forward(T& value) { return (T&&)value; }
template <class T> void swap(T& a, T& b) {
    T old = move(a);
    a = move(b);
    b = move(old);
}
template <class T, size_t N> void swap(T (&a)[N], T (&b)[N]) {
    for (size_t at = 0; at < N; ++at) {
        swap(a[at], b[at]);
    }
}
template <class T, class U> T exchange(T& to, const U& value) {
    T old = move(to);
    to = value;
    return old;
}
template <class T> T* exchange(T*& to, nullptr_t) {
    T* old = to;
    to = 0;
    return old;
}
template <class T> const T& as_const(T& value) { return value; }
template <class T> T* addressof(T& value) { return &value; }

template <class T> class initializer_list {
public:
    using value_type = T;
    using iterator = const T*;
    using const_iterator = const T*;
    initializer_list() : __first(0), __count(0) {}
    initializer_list(const T* first, size_t count) : __first(first), __count(count) {}
    const T* begin() const { return __first; }
    const T* end() const { return __first + __count; }
    size_t size() const { return __count; }

private:
    const T* __first;
    size_t __count;
};

template <class T, class U> struct pair {
    using first_type = T;
    using second_type = U;
    T first;
    U second;
    pair() : first(), second() {}
    pair(const T& a, const U& b) : first(a), second(b) {}
    pair(const T& a, U&& b) : first(a), second((U&&)b) {}
    pair(T&& a, const U& b) : first((T&&)a), second(b) {}
    pair(T&& a, U&& b) : first((T&&)a), second((U&&)b) {}
    template <class A, class B> pair(const pair<A, B>& other) : first(other.first), second(other.second) {}
    void swap(pair& other) {
        std::swap(first, other.first);
        std::swap(second, other.second);
    }
};
template <class T, class U> pair<T, U> __deduced_pair(T a, U b) { return pair<T, U>(a, b); }
template <class T, class U> pair<T, U> make_pair(T a, U b) { return pair<T, U>(a, b); }
template <class T, class U> bool operator==(const pair<T, U>& a, const pair<T, U>& b) {
    return a.first == b.first && a.second == b.second;
}
template <class T, class U> bool operator!=(const pair<T, U>& a, const pair<T, U>& b) { return !(a == b); }
template <class T, class U> bool operator<(const pair<T, U>& a, const pair<T, U>& b) {
    return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
template <class T, class U> bool operator>(const pair<T, U>& a, const pair<T, U>& b) { return b < a; }
template <class T, class U> bool operator<=(const pair<T, U>& a, const pair<T, U>& b) { return !(b < a); }
template <class T, class U> bool operator>=(const pair<T, U>& a, const pair<T, U>& b) { return !(a < b); }

// What an object is made of in memory that has none, and how objects end there.
template <class T> T* __raw(size_t count) { return (T*)malloc(count * sizeof(T)); }
template <class T> void __end_one(T* at) { at->~T(); }
template <class T> void __end_all(T* at, size_t count) {
    for (T* last = at + count; at != last; ++at) {
        at->~T();
    }
}
template <class T> void __copy_one(T* to, const T& from) { new ((void*)to) T(from); }
template <class T> void __move_one(T* to, T& from) { new ((void*)to) T((T&&)from); }
template <class T> void __make_one(T* to) { new ((void*)to) T(); }
template <class T> void __make_all(T* to, size_t count) {
    for (T* last = to + count; to != last; ++to) {
        __make_one(to);
    }
}
template <class T> void __fill_all(T* to, size_t count, const T& value) {
    for (T* last = to + count; to != last; ++to) {
        __copy_one(to, value);
    }
}
template <class T> void __copy_all(T* to, const T* from, size_t count) {
    for (size_t at = 0; at < count; ++at) {
        __copy_one(to + at, from[at]);
    }
}
// Moves objects to where none are, and ends those that are left.
template <class T> void __move_all(T* to, T* from, size_t count) {
    for (size_t at = 0; at < count; ++at) {
        __move_one(to + at, from[at]);
        __end_one(from + at);
    }
}

class exception {
public:
    exception() {}
    exception(const exception&) {}
    virtual ~exception() {}
    virtual const char* what() const { return "std::exception"; }
};
class bad_alloc : public exception {
public:
    const char* what() const override { return "std::bad_alloc"; }
};
struct nothrow_t {};
static const nothrow_t nothrow;
class bad_cast : public exception {
public:
    const char* what() const override { return "std::bad_cast"; }
};
class bad_function_call : public exception {
public:
    const char* what() const override { return "bad_function_call"; }
};
class bad_optional_access : public exception {
public:
    const char* what() const override { return "bad optional access"; }
};

class type_info {
public:
    explicit type_info(const char* name) : __name(name) {}
    const char* name() const { return __name; }
    size_t hash_code() const { return (size_t)__name; }
    bool operator==(const type_info& other) const { return strcmp(__name, other.__name) == 0; }
    bool operator!=(const type_info& other) const { return !(*this == other); }

private:
    const char* __name;
};

inline void terminate() { abort(); }

}  // namespace std
