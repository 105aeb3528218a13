// <variant>
namespace std {

class bad_variant_access : public exception {
public:
    explicit bad_variant_access(const char* what) : __what(what) {}
    const char* what() const override { return __what; }

private:
    const char* __what;
};

struct monostate {};
inline bool operator==(monostate, monostate) { return true; }
inline bool operator!=(monostate, monostate) { return false; }

template <size_t I, class T, class... R> struct __nth {
    using type = typename __nth<I - 1, R...>::type;
};
template <class T, class... R> struct __nth<0, T, R...> {
    using type = T;
};
// The place of a type among others; their number where it is none of them.
template <class U, class... T> struct __place_of {
    static constexpr size_t value = 0;
};
template <class U, class T, class... R> struct __place_of<U, T, R...> {
    static constexpr size_t value = is_same<U, T>::value ? 0 : 1 + __place_of<U, R...>::value;
};
template <class... T> struct __largest {
    static constexpr size_t value = 1;
};
template <class T, class... R> struct __largest<T, R...> {
    static constexpr size_t value = sizeof(T) > __largest<R...>::value ? sizeof(T) : __largest<R...>::value;
};
template <class T> struct __is_text {
    static constexpr bool value = false;
};
template <> struct __is_text<const char*> {
    static constexpr bool value = true;
};
template <> struct __is_text<char*> {
    static constexpr bool value = true;
};
// Which alternative a value of another type becomes: of a number the first number that keeps it, of another the first
// object.
template <class U, class T> struct __becomes {
    static constexpr bool value = is_arithmetic<U>::value
                                      ? is_arithmetic<T>::value && !is_same<T, bool>::value &&
                                            (is_integral<U>::value || is_floating_point<T>::value)
                                      : !is_arithmetic<T>::value && !is_same<T, monostate>::value;
};
template <class U, class... T> struct __converted {
    static constexpr size_t value = 0;
};
template <class U, class T, class... R> struct __converted<U, T, R...> {
    static constexpr size_t value = __becomes<U, T>::value ? 0 : 1 + __converted<U, R...>::value;
};
template <class U, class... T> struct __alternative {
    static constexpr size_t exact = __place_of<U, T...>::value;
    static constexpr size_t value = exact < sizeof...(T) ? exact : __converted<U, T...>::value;
};

template <class... T> class variant;
template <class V> struct variant_size;
template <class... T> struct variant_size<variant<T...>> {
    static constexpr size_t value = sizeof...(T);
};
template <class V> constexpr size_t variant_size_v = variant_size<V>::value;
template <size_t I, class V> struct variant_alternative;
template <size_t I, class... T> struct variant_alternative<I, variant<T...>> {
    using type = typename __nth<I, T...>::type;
};
template <size_t I, class V> using variant_alternative_t = typename variant_alternative<I, V>::type;

template <class... T> class variant {
public:
    variant() : __index(0) { __make_one((typename __nth<0, T...>::type*)__bytes); }
    variant(const variant& other) : __index(other.__index) { __copy<0>(other); }
    variant(variant&& other) : __index(other.__index) { __take<0>(other); }
    template <class U> variant(const U& value) : __index(__alternative<U, T...>::value) {
        using A = typename __nth<__alternative<U, T...>::value, T...>::type;
        new ((void*)__bytes) A(value);
    }
    ~variant() { __end<0>(); }
    variant& operator=(const variant& other) {
        if (this != &other) {
            __end<0>();
            __index = other.__index;
            __copy<0>(other);
        }
        return *this;
    }
    size_t index() const { return __index; }
    bool valueless_by_exception() const { return false; }
    template <class U, class... A> U& emplace(A&&... a) {
        __end<0>();
        __index = __place_of<U, T...>::value;
        U* made = new ((void*)__bytes) U((A&&)a...);
        return *made;
    }
    template <size_t I> typename __nth<I, T...>::type* __at() { return (typename __nth<I, T...>::type*)__bytes; }
    template <size_t I> const typename __nth<I, T...>::type* __at() const {
        return (const typename __nth<I, T...>::type*)__bytes;
    }
    bool operator==(const variant& other) const { return __index == other.__index && __equal<0>(other); }
    bool operator!=(const variant& other) const { return !(*this == other); }

private:
    unsigned long long __bytes[(__largest<T...>::value + 7) / 8];
    size_t __index;
    template <size_t I> void __copy(const variant& other) {
        using A = typename __nth<I, T...>::type;
        if (__index == I) {
            __copy_one((A*)__bytes, *(const A*)other.__bytes);
        } else if constexpr (I + 1 < sizeof...(T)) {
            __copy<I + 1>(other);
        }
    }
    template <size_t I> void __take(variant& other) {
        using A = typename __nth<I, T...>::type;
        if (__index == I) {
            __move_one((A*)__bytes, *(A*)other.__bytes);
        } else if constexpr (I + 1 < sizeof...(T)) {
            __take<I + 1>(other);
        }
    }
    template <size_t I> void __end() {
        using A = typename __nth<I, T...>::type;
        if (__index == I) {
            __end_one((A*)__bytes);
        } else if constexpr (I + 1 < sizeof...(T)) {
            __end<I + 1>();
        }
    }
    template <size_t I> bool __equal(const variant& other) const {
        if (__index == I) {
            return *__at<I>() == *other.template __at<I>();
        }
        if constexpr (I + 1 < sizeof...(T)) {
            return __equal<I + 1>(other);
        }
        return true;
    }
};

template <class U, class... T> bool holds_alternative(const variant<T...>& of) {
    return of.index() == __place_of<U, T...>::value;
}
inline void __check_alternative(bool holds) {
    if (!holds) {
        throw bad_variant_access("std::get: wrong index for variant");
    }
}
// Of a variant that may be changed, and of one that is constant.
#define __alternatives(constness) \
    template <class U, class... T> constness U& get(constness variant<T...>& of) { \
        __check_alternative(of.index() == __place_of<U, T...>::value); \
        return *of.template __at<__place_of<U, T...>::value>(); \
    } \
    template <size_t I, class... T> constness auto& get(constness variant<T...>& of) { \
        __check_alternative(of.index() == I); \
        return *of.template __at<I>(); \
    } \
    template <class U, class... T> constness U* get_if(constness variant<T...>* of) { \
        return of != 0 && of->index() == __place_of<U, T...>::value ? of->template __at<__place_of<U, T...>::value>() : 0; \
    } \
    template <size_t I, class F, class... T> auto __visit(F& f, constness variant<T...>& of) { \
        if constexpr (I + 1 < sizeof...(T)) { \
            if (of.index() != I) { \
                return __visit<I + 1>(f, of); \
            } \
        } \
        return f(*of.template __at<I>()); \
    } \
    template <class F, class... T> auto visit(F&& f, constness variant<T...>& of) { return __visit<0>(f, of); }
__alternatives()
__alternatives(const)
#undef __alternatives

}  // namespace std
