// Thrust: vectors on the host and in the GPU's memory, and algorithms, which run on copies on the host.
namespace thrust {
// What a column of several gives: an element that a function may change, or a value that nobody takes back.
template <class T> struct __cell {
    T* at;
};
}  // namespace thrust
namespace std {
template <class T> struct __part<thrust::__cell<T>> {
    static __host__ __device__ T& of(thrust::__cell<T>& part) { return *part.at; }
    static __host__ __device__ T& of(const thrust::__cell<T>& part) { return *part.at; }
};
}  // namespace std
namespace thrust {

using std::pair;
using std::make_pair;
using std::tuple;
using std::make_tuple;
using std::get;
using std::swap;
using std::unary_function;
using std::binary_function;
using std::plus;
using std::minus;
using std::multiplies;
using std::divides;
using std::modulus;
using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::less;
using std::greater;
using std::less_equal;
using std::greater_equal;
using std::equal_to;
using std::not_equal_to;
using std::logical_and;
using std::logical_or;
using std::negate;

struct __policy {
    template <class T> __policy on(T) const { return *this; }
    template <class T> __policy operator()(T) const { return *this; }
};
struct __gpu_policy {
    template <class T> __gpu_policy on(T) const { return *this; }
    template <class T> __gpu_policy operator()(T) const { return *this; }
};
inline constexpr __policy host = {};
inline constexpr __gpu_policy device = {};
inline constexpr __policy seq = {};
namespace cuda {
inline constexpr __gpu_policy par = {};
inline constexpr __gpu_policy par_nosync = {};
}  // namespace cuda

// While there is one, functions of the algorithms reach the GPU's memory, as they run there.
struct __gpu_code {
    __gpu_code() { __gpuCodeBegins(); }
    __gpu_code(const __gpu_code&) { __gpuCodeBegins(); }
    ~__gpu_code() { __gpuCodeEnds(); }
};

template <class T = void> struct maximum {
    __host__ __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void> struct minimum {
    __host__ __device__ T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T = void> struct identity {
    __host__ __device__ T operator()(const T& a) const { return a; }
};
template <class T = void> struct square {
    __host__ __device__ T operator()(const T& a) const { return a * a; }
};

inline void __copy_bytes(void* to, const void* from, size_t bytes) {
    if (bytes > 0) {
        cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
    }
}

template <class T> class device_ptr;

// An element in the GPU's memory.
template <class T> class device_reference {
public:
    explicit device_reference(T* at) : __at(at) {}
    operator T() const {
        typename std::remove_const<T>::type value;
        __copy_bytes(&value, __at, sizeof(T));
        return value;
    }
    device_reference& operator=(const T& value) {
        __copy_bytes(__at, &value, sizeof(T));
        return *this;
    }
    device_reference& operator=(const device_reference& other) {
        T value = other;
        return *this = value;
    }
    device_reference& operator+=(const T& by) { return *this = (T)*this + by; }
    device_reference& operator-=(const T& by) { return *this = (T)*this - by; }
    device_reference& operator*=(const T& by) { return *this = (T)*this * by; }
    device_reference& operator++() { return *this = (T)*this + 1; }
    device_ptr<T> operator&() const { return device_ptr<T>(__at); }

private:
    T* __at;
};
template <class T> std::ostream& operator<<(std::ostream& to, const device_reference<T>& of) { return to << (T)of; }

template <class T> class device_ptr {
public:
    using value_type = typename std::remove_const<T>::type;
    using reference = device_reference<T>;
    __host__ __device__ device_ptr() : __at(0) {}
    __host__ __device__ explicit device_ptr(T* at) : __at(at) {}
    __host__ __device__ T* get() const { return __at; }
    device_reference<T> operator*() const { return device_reference<T>(__at); }
    device_reference<T> operator[](long at) const { return device_reference<T>(__at + at); }
    __host__ __device__ device_ptr operator+(long count) const { return device_ptr(__at + count); }
    __host__ __device__ device_ptr operator-(long count) const { return device_ptr(__at - count); }
    __host__ __device__ long operator-(const device_ptr& other) const { return __at - other.__at; }
    __host__ __device__ device_ptr& operator++() {
        ++__at;
        return *this;
    }
    __host__ __device__ device_ptr operator++(int) { return device_ptr(__at++); }
    __host__ __device__ device_ptr& operator--() {
        --__at;
        return *this;
    }
    __host__ __device__ device_ptr& operator+=(long count) {
        __at += count;
        return *this;
    }
    __host__ __device__ bool operator==(const device_ptr& other) const { return __at == other.__at; }
    __host__ __device__ bool operator!=(const device_ptr& other) const { return __at != other.__at; }
    __host__ __device__ bool operator<(const device_ptr& other) const { return __at < other.__at; }

private:
    T* __at;
};
template <class I> long distance(I first, I last) { return last - first; }
template <class T> __host__ __device__ device_ptr<T> device_pointer_cast(T* at) { return device_ptr<T>(at); }
template <class T> __host__ __device__ device_ptr<T> device_pointer_cast(const device_ptr<T>& at) { return at; }
template <class T> __host__ __device__ T* raw_pointer_cast(const device_ptr<T>& at) { return at.get(); }
template <class T> __host__ __device__ T* raw_pointer_cast(T* at) { return at; }
template <class T> device_ptr<T> device_malloc(size_t count) {
    void* made = 0;
    cudaMalloc(&made, count * sizeof(T));
    return device_ptr<T>((T*)made);
}
template <class T> void device_free(device_ptr<T> at) { cudaFree(at.get()); }

// What an iterator leads to, as a value.
template <class T> T __read(const device_ptr<T>& at) { return *at; }
template <class T> T __read(T* at) { return *at; }
template <class I> typename I::value_type __read(const I& at) { return *at; }
template <class I> auto __value_of() -> decltype(__read(*(I*)0)) { return __read(*(I*)0); }
template <class F> F& __function_of() { return *(F*)0; }

template <class I> struct iterator_value {
    using type = typename std::iterator_traits<I>::value_type;
};
template <class I> struct iterator_difference {
    using type = long;
};
template <class I> struct iterator_pointer {
    using type = I;
};
template <class T> struct iterator_pointer<device_ptr<T>> {
    using type = device_ptr<T>;
};
template <class I> struct iterator_reference {
    using type = decltype(*(*(I*)0));
};

// Iterators without memory.
template <class T> class counting_iterator {
public:
    using value_type = T;
    explicit counting_iterator(T at) : __at(at) {}
    T operator*() const { return __at; }
    T operator[](long at) const { return __at + (T)at; }
    counting_iterator& operator++() {
        ++__at;
        return *this;
    }
    counting_iterator operator+(long count) const { return counting_iterator(__at + (T)count); }
    long operator-(const counting_iterator& other) const { return (long)(__at - other.__at); }
    bool operator==(const counting_iterator& other) const { return __at == other.__at; }
    bool operator!=(const counting_iterator& other) const { return __at != other.__at; }

private:
    T __at;
};
template <class T> counting_iterator<T> make_counting_iterator(T at) { return counting_iterator<T>(at); }
template <class T> class constant_iterator {
public:
    using value_type = T;
    constant_iterator(const T& value, long at = 0) : __value(value), __at(at) {}
    T operator*() const { return __value; }
    T operator[](long) const { return __value; }
    constant_iterator& operator++() {
        ++__at;
        return *this;
    }
    constant_iterator operator+(long count) const { return constant_iterator(__value, __at + count); }
    long operator-(const constant_iterator& other) const { return __at - other.__at; }
    bool operator!=(const constant_iterator& other) const { return __at != other.__at; }

private:
    T __value;
    long __at;
};
template <class T> constant_iterator<T> make_constant_iterator(const T& value) { return constant_iterator<T>(value); }

// What another iterator gives, behind a function; what several give, side by side; and in another order.
template <class Of, class At> class transform_iterator {
public:
    using value_type = decltype(__function_of<Of>()(__value_of<At>()));
    transform_iterator(At at, Of f) : __at(at), __f(f) {}
    value_type operator*() const { return __f(__read(__at)); }
    value_type operator[](long at) const { return __f(__read(__at + at)); }
    transform_iterator& operator++() {
        ++__at;
        return *this;
    }
    transform_iterator operator+(long count) const { return transform_iterator(__at + count, __f); }
    long operator-(const transform_iterator& other) const { return __at - other.__at; }
    bool operator==(const transform_iterator& other) const { return __at == other.__at; }
    bool operator!=(const transform_iterator& other) const { return __at != other.__at; }

    At __at;
    // As NVIDIA's: a function object without `const` may be called.
    mutable Of __f;
};
template <class F, class I> transform_iterator<F, I> make_transform_iterator(I at, F f) {
    return transform_iterator<F, I>(at, f);
}
template <class T> void __give_back(const device_ptr<T>& to, std::vector<T>& from) {
    __copy_bytes(to.get(), from.data(), from.size() * sizeof(T));
}
template <class T> void __give_back(T* to, std::vector<T>& from) {
    for (size_t at = 0; at < from.size(); ++at) {
        to[at] = from[at];
    }
}
template <class I, class T> void __give_back(const I&, std::vector<T>&) {}
template <class I> class __column {
public:
    using value = decltype(__value_of<I>());
    __column(const I& first, long count) : __first(first) {
        for (long at = 0; at < count; ++at) {
            __values.push_back(__read(first + at));
        }
    }
    __cell<value> operator[](long at) { return __cell<value>{&__values[at]}; }
    void write() { __give_back(__first, __values); }

private:
    I __first;
    std::vector<value> __values;
};
// The columns of `zip_iterator<tuple<…>>`, by how many there are. Of column `n` of type `T`, lists and statements:
#define __list2(M) M(0, A), M(1, B)
#define __list3(M) __list2(M), M(2, C)
#define __list4(M) __list3(M), M(3, D)
#define __list5(M) __list4(M), M(4, E)
#define __each2(M) M(0, A) M(1, B)
#define __each3(M) __each2(M) M(2, C)
#define __each4(M) __each3(M) M(3, D)
#define __each5(M) __each4(M) M(4, E)
#define __class(n, T) class T
#define __name(n, T) T
#define __value(n, T) decltype(__value_of<T>())
#define __cell_type(n, T) __cell<typename __column<T>::value>
#define __read_at(n, T) __read(std::get<n>(of) + at)
#define __moved(n, T) std::get<n>(of) + at
#define __begun(n, T) __column_##n(std::get<n>(of) + at, count)
#define __cell_at(n, T) __column_##n[at]
#define __store_at(n, T) *__column_##n[at].at = std::get<n>(value);
#define __written(n, T) __column_##n.write();
#define __member(n, T) __column<T> __column_##n;
#define __columns_of(N) \
    template <__list##N(__class)> struct __columns<tuple<__list##N(__name)>> { \
        using value = tuple<__list##N(__value)>; \
        using cells = tuple<__list##N(__cell_type)>; \
        static value read(const tuple<__list##N(__name)>& of, long at) { return value(__list##N(__read_at)); } \
        static tuple<__list##N(__name)> behind(const tuple<__list##N(__name)>& of, long at) { \
            return tuple<__list##N(__name)>(__list##N(__moved)); \
        } \
        __columns(const tuple<__list##N(__name)>& of, long at, long count) : __list##N(__begun) {} \
        cells operator[](long at) { return cells(__list##N(__cell_at)); } \
        void store(long at, const value& value) { __each##N(__store_at) } \
        void write() { __each##N(__written) } \
        __each##N(__member) \
    };
template <class T> struct __columns;
__columns_of(2)
__columns_of(3)
__columns_of(4)
__columns_of(5)
#undef __list2
#undef __list3
#undef __list4
#undef __list5
#undef __each2
#undef __each3
#undef __each4
#undef __each5
#undef __class
#undef __name
#undef __value
#undef __cell_type
#undef __read_at
#undef __moved
#undef __begun
#undef __cell_at
#undef __store_at
#undef __written
#undef __member
#undef __columns_of
template <class T> class zip_iterator {
public:
    using value_type = typename __columns<T>::value;
    using columns = __columns<T>;
    zip_iterator(const T& of, long at = 0) : __of(of), __at(at) {}
    value_type operator*() const { return columns::read(__of, __at); }
    value_type operator[](long at) const { return columns::read(__of, __at + at); }
    T get_iterator_tuple() const { return columns::behind(__of, __at); }
    zip_iterator& operator++() {
        ++__at;
        return *this;
    }
    zip_iterator operator++(int) {
        zip_iterator before = *this;
        ++__at;
        return before;
    }
    zip_iterator& operator+=(long count) {
        __at += count;
        return *this;
    }
    zip_iterator operator+(long count) const { return zip_iterator(__of, __at + count); }
    zip_iterator operator-(long count) const { return zip_iterator(__of, __at - count); }
    long operator-(const zip_iterator& other) const {
        return std::get<0>(__of) - std::get<0>(other.__of) + __at - other.__at;
    }
    bool operator==(const zip_iterator& other) const { return *this - other == 0; }
    bool operator!=(const zip_iterator& other) const { return *this - other != 0; }

    T __of;
    long __at;
};
template <class T> zip_iterator<T> make_zip_iterator(const T& of) { return zip_iterator<T>(of); }
template <class A, class B> zip_iterator<tuple<A, B>> make_zip_iterator(A a, B b) {
    return zip_iterator<tuple<A, B>>(tuple<A, B>(a, b));
}
template <class A, class B, class C> zip_iterator<tuple<A, B, C>> make_zip_iterator(A a, B b, C c) {
    return zip_iterator<tuple<A, B, C>>(tuple<A, B, C>(a, b, c));
}
template <class At, class Order> class permutation_iterator {
public:
    using value_type = decltype(__value_of<At>());
    permutation_iterator(At at, Order order) : __at(at), __order(order) {}
    value_type operator*() const { return __read(__at + (long)__read(__order)); }
    value_type operator[](long at) const { return *(*this + at); }
    permutation_iterator& operator++() {
        ++__order;
        return *this;
    }
    permutation_iterator operator+(long count) const { return permutation_iterator(__at, __order + count); }
    long operator-(const permutation_iterator& other) const { return __order - other.__order; }
    bool operator==(const permutation_iterator& other) const { return __order == other.__order; }
    bool operator!=(const permutation_iterator& other) const { return __order != other.__order; }

    At __at;
    Order __order;
};
template <class I, class M> permutation_iterator<I, M> make_permutation_iterator(I at, M order) {
    return permutation_iterator<I, M>(at, order);
}

// What a range holds, on the host: read at once, and written back where that is asked for.
template <class T> class __range {
public:
    using value_type = T;
    __range(device_ptr<T> first, long count) : __values(count), __from(first.get()), __code() {
        __copy_bytes(__values.data(), __from, count * sizeof(T));
    }
    T* begin() { return __values.data(); }
    T* end() { return __values.data() + __values.size(); }
    void write() { __copy_bytes(__from, __values.data(), __values.size() * sizeof(T)); }

private:
    std::vector<T> __values;
    T* __from;
    __gpu_code __code;
};
// A range that the host reaches as it is.
template <class I> class __plain_range {
public:
    __plain_range(I first, long count) : __first(first), __count(count) {}
    I begin() { return __first; }
    I end() { return __first + __count; }
    void write() {}

private:
    I __first;
    long __count;
};
// A range of what is made when it is read, on the GPU unless a policy says otherwise.
template <class I> class __made_range : public __plain_range<I> {
public:
    __made_range(I first, long count) : __plain_range<I>(first, count), __code() {}

private:
    __gpu_code __code;
};
template <class T> __range<typename std::remove_const<T>::type> __on_host(device_ptr<T> first, long count) {
    using U = typename std::remove_const<T>::type;
    return __range<U>(device_ptr<U>((U*)first.get()), count);
}
template <class T> __plain_range<T*> __on_host(T* first, long count) { return __plain_range<T*>(first, count); }
template <class T> __made_range<counting_iterator<T>> __on_host(counting_iterator<T> first, long count) {
    return __made_range<counting_iterator<T>>(first, count);
}
template <class T> __made_range<constant_iterator<T>> __on_host(constant_iterator<T> first, long count) {
    return __made_range<constant_iterator<T>>(first, count);
}

template <class F, class I>
__made_range<transform_iterator<F, I>> __on_host(transform_iterator<F, I> first, long count) {
    return __made_range<transform_iterator<F, I>>(first, count);
}
// Rows of several columns.
template <class T> class __rows {
public:
    using value = typename __columns<T>::value;
    __rows(zip_iterator<T> first, long count) : __code(), __columns_of(first.__of, first.__at, count) {
        for (long at = 0; at < count; ++at) {
            __values.push_back(first[at]);
        }
    }
    value* begin() { return __values.data(); }
    value* end() { return __values.data() + __values.size(); }
    void write() {
        for (size_t at = 0; at < __values.size(); ++at) {
            __columns_of.store(at, __values[at]);
        }
        __columns_of.write();
    }

private:
    // First, as columns are read from where they lie.
    __gpu_code __code;
    __columns<T> __columns_of;
    std::vector<value> __values;
};
template <class T> __rows<T> __on_host(zip_iterator<T> first, long count) { return __rows<T>(first, count); }
template <class I, class M>
__made_range<permutation_iterator<I, M>> __on_host(permutation_iterator<I, M> first, long count) {
    return __made_range<permutation_iterator<I, M>>(first, count);
}

template <class T> void __reorder(T* first, const std::vector<long>& order) {
    std::vector<T> old(first, first + order.size());
    for (size_t at = 0; at < order.size(); ++at) {
        first[at] = old[order[at]];
    }
}
template <class I, class T> std::ostream_iterator<T> copy(I first, I last, std::ostream_iterator<T> to) {
    auto from = __on_host(first, last - first);
    return std::copy(from.begin(), from.end(), to);
}
template <class I, class O> O copy(I first, I last, O to) {
    long count = last - first;
    auto from = __on_host(first, count);
    auto target = __on_host(to, count);
    std::copy(from.begin(), from.end(), target.begin());
    target.write();
    return to + count;
}
template <class I, class T> void fill(I first, I last, const T& value) {
    auto all = __on_host(first, last - first);
    std::fill(all.begin(), all.end(), value);
    all.write();
}
template <class I> void sequence(I first, I last) {
    auto all = __on_host(first, last - first);
    std::iota(all.begin(), all.end(), 0);
    all.write();
}
template <class I, class T> void sequence(I first, I last, T value) {
    auto all = __on_host(first, last - first);
    std::iota(all.begin(), all.end(), value);
    all.write();
}
template <class I, class T> void sequence(I first, I last, T value, T step) {
    auto all = __on_host(first, last - first);
    for (auto&& at : all) {
        at = value;
        value = value + step;
    }
    all.write();
}
// The algorithms of the standard library that change elements where they are, leave some, say where one is, and tell
// something of them. What comes behind the elements, a value or a function, is passed on.
#define __with_all(name, R, call, behind) \
    template <class I, class... A> R name(I first, I last, A... given) { \
        auto all = __on_host(first, last - first); \
        call std::name(all.begin(), all.end(), given...) behind \
    }
#define __changes(name) __with_all(name, void, , ; all.write();)
#define __leaves(name) __with_all(name, I, long left =, - all.begin(); all.write(); return first + left;)
#define __finds(name) __with_all(name, I, long place =, - all.begin(); return first + place;)
#define __tells(name, R) __with_all(name, R, return, ;)
__changes(generate)
__changes(stable_sort)
__changes(reverse)
__changes(replace)
__changes(replace_if)
__leaves(unique)
__leaves(remove)
__leaves(remove_if)
__finds(find)
__finds(find_if)
__finds(min_element)
__finds(max_element)
__tells(count, long)
__tells(count_if, long)
__tells(is_sorted, bool)
__tells(all_of, bool)
__tells(any_of, bool)
__tells(binary_search, bool)
#undef __with_all
#undef __changes
#undef __leaves
#undef __finds
#undef __tells
template <class I, class O, class F> O transform(I first, I last, O to, F f) {
    long count = last - first;
    auto from = __on_host(first, count);
    auto target = __on_host(to, count);
    std::transform(from.begin(), from.end(), target.begin(), f);
    target.write();
    return to + count;
}
template <class I, class J, class O, class F> O transform(I first, I last, J second, O to, F f) {
    long count = last - first;
    auto from = __on_host(first, count);
    auto other = __on_host(second, count);
    auto target = __on_host(to, count);
    std::transform(from.begin(), from.end(), other.begin(), target.begin(), f);
    target.write();
    return to + count;
}
template <class I, class F> I for_each(I first, I last, F f) {
    auto all = __on_host(first, last - first);
    std::for_each(all.begin(), all.end(), f);
    all.write();
    return last;
}
// The function may change what the elements of a tuple lead to.
template <class T, class F> zip_iterator<T> for_each(zip_iterator<T> first, zip_iterator<T> last, F f) {
    long count = last - first;
    __columns<T> columns(first.__of, first.__at, count);
    for (long at = 0; at < count; ++at) {
        auto row = columns[at];
        f(row);
    }
    columns.write();
    return last;
}
template <class I, class F> I for_each_n(I first, long count, F f) { return thrust::for_each(first, first + count, f); }
template <class I, class T, class... F> T reduce(I first, I last, T sum, F... f) {
    auto all = __on_host(first, last - first);
    return std::accumulate(all.begin(), all.end(), sum, f...);
}
template <class I> auto reduce(I first, I last) {
    decltype(__value_of<I>()) sum = 0;
    return thrust::reduce(first, last, sum);
}
template <class I, class G, class T, class F> T transform_reduce(I first, I last, G g, T sum, F f) {
    auto all = __on_host(first, last - first);
    for (auto&& at : all) {
        sum = f(sum, g(at));
    }
    return sum;
}
template <class I, class J, class T> T inner_product(I first, I last, J second, T sum) {
    long count = last - first;
    auto a = __on_host(first, count);
    auto b = __on_host(second, count);
    return std::inner_product(a.begin(), a.end(), b.begin(), sum);
}
template <class I, class... F> void sort(I first, I last, F... less) { thrust::stable_sort(first, last, less...); }
template <class I, class J> bool equal(I first, I last, J second) {
    long count = last - first;
    auto a = __on_host(first, count);
    auto b = __on_host(second, count);
    return std::equal(a.begin(), a.end(), b.begin());
}
// What is let through only, as the target may have no room for more.
template <class I, class O, class F> O copy_if(I first, I last, O to, F f) {
    auto from = __on_host(first, last - first);
    std::vector<decltype(__value_of<I>())> taken;
    for (auto value : from) {
        if (f(value)) {
            taken.push_back(value);
        }
    }
    return thrust::copy(taken.data(), taken.data() + taken.size(), to);
}
template <class I, class O, class... F> O inclusive_scan(I first, I last, O to, F... f) {
    long count = last - first;
    auto from = __on_host(first, count);
    auto target = __on_host(to, count);
    std::partial_sum(from.begin(), from.end(), target.begin(), f...);
    target.write();
    return to + count;
}
template <class I, class O, class T, class... F> O exclusive_scan(I first, I last, O to, T sum, F... f) {
    long count = last - first;
    auto from = __on_host(first, count);
    auto target = __on_host(to, count);
    std::exclusive_scan(from.begin(), from.end(), target.begin(), sum, f...);
    target.write();
    return to + count;
}
template <class I, class O> O exclusive_scan(I first, I last, O to) {
    decltype(__value_of<I>()) zero = 0;
    return thrust::exclusive_scan(first, last, to, zero);
}
template <class I, class J, class C> void sort_by_key(I first, I last, J second, C less) {
    long count = last - first;
    auto keys = __on_host(first, count);
    auto values = __on_host(second, count);
    std::vector<long> order(count);
    std::iota(order.begin(), order.end(), 0l);
    auto key = keys.begin();
    std::stable_sort(order.begin(), order.end(), [key, less](long a, long b) { return less(key[a], key[b]); });
    __reorder(keys.begin(), order);
    __reorder(values.begin(), order);
    keys.write();
    values.write();
}
template <class I, class J> void sort_by_key(I first, I last, J second) {
    thrust::sort_by_key(first, last, second, [](auto a, auto b) { return a < b; });
}
template <class I, class J, class... F> void stable_sort_by_key(I first, I last, J second, F... less) {
    thrust::sort_by_key(first, last, second, less...);
}
template <class I, class F> bool none_of(I first, I last, F f) { return !thrust::any_of(first, last, f); }
template <class I> pair<I, I> minmax_element(I first, I last) {
    return make_pair(thrust::min_element(first, last), thrust::max_element(first, last));
}
template <class I, class F> I partition(I first, I last, F f) {
    auto all = __on_host(first, last - first);
    decltype(__value_of<I>())* at = all.begin();
    std::vector<decltype(__value_of<I>())> others;
    for (auto&& value : all) {
        if (f(value)) {
            *at++ = value;
        } else {
            others.push_back(value);
        }
    }
    long count = at - all.begin();
    for (auto&& value : others) {
        *at++ = value;
    }
    all.write();
    return first + count;
}
template <class I, class F> I stable_partition(I first, I last, F f) { return thrust::partition(first, last, f); }
template <class I, class F> void tabulate(I first, I last, F f) {
    auto all = __on_host(first, last - first);
    long at = 0;
    for (auto&& value : all) {
        value = f(at++);
    }
    all.write();
}
template <class I, class O> O copy_n(I first, long count, O to) { return thrust::copy(first, first + count, to); }
template <class I, class T> I fill_n(I first, long count, const T& value) {
    thrust::fill(first, first + count, value);
    return first + count;
}
template <class I, class S, class O, class F> O copy_if(I first, I last, S stencil, O to, F f) {
    long count = last - first;
    auto from = __on_host(first, count);
    auto flags = __on_host(stencil, count);
    auto flag = flags.begin();
    std::vector<decltype(__value_of<I>())> taken;
    for (auto value : from) {
        if (f(*flag)) {
            taken.push_back(value);
        }
        ++flag;
    }
    return thrust::copy(taken.data(), taken.data() + taken.size(), to);
}
template <class I, class J, class T, class F, class G> T inner_product(I first, I last, J second, T sum, F f, G g) {
    long count = last - first;
    auto a = __on_host(first, count);
    auto b = __on_host(second, count);
    auto other = b.begin();
    for (auto value : a) {
        sum = f(sum, g(value, *other++));
    }
    return sum;
}
template <class I, class O, class G, class F> O transform_inclusive_scan(I first, I last, O to, G g, F f) {
    thrust::transform(first, last, to, g);
    return thrust::inclusive_scan(to, to + (last - first), to, f);
}
template <class I, class O, class G, class T, class F>
O transform_exclusive_scan(I first, I last, O to, G g, T sum, F f) {
    thrust::transform(first, last, to, g);
    return thrust::exclusive_scan(to, to + (last - first), to, sum, f);
}
template <class K, class V> pair<K, V> unique_by_key(K first, K last, V values) {
    auto all = __on_host(first, last - first);
    auto given = __on_host(values, last - first);
    auto key = all.begin();
    auto value = given.begin();
    long count = last - first, left = 0;
    for (long at = 0; at < count; ++at) {
        if (at == 0 || !(key[at] == key[left - 1])) {
            key[left] = key[at];
            value[left] = value[at];
            ++left;
        }
    }
    all.write();
    given.write();
    return make_pair(first + left, values + left);
}
template <class K, class V, class O, class E, class F>
O inclusive_scan_by_key(K first, K last, V values, O to, E same, F f) {
    long count = last - first;
    auto all = __on_host(first, count);
    auto given = __on_host(values, count);
    auto target = __on_host(to, count);
    auto key = all.begin();
    auto value = given.begin();
    auto out = target.begin();
    for (long at = 0; at < count; ++at) {
        if (at > 0 && same(key[at - 1], key[at])) {
            out[at] = f(out[at - 1], value[at]);
        } else {
            out[at] = value[at];
        }
    }
    target.write();
    return to + count;
}
template <class K, class V, class O, class E> O inclusive_scan_by_key(K first, K last, V values, O to, E same) {
    return thrust::inclusive_scan_by_key(first, last, values, to, same, plus<>());
}
template <class K, class V, class O> O inclusive_scan_by_key(K first, K last, V values, O to) {
    return thrust::inclusive_scan_by_key(first, last, values, to, equal_to<>());
}
template <class K, class V, class O, class T, class E, class F>
O exclusive_scan_by_key(K first, K last, V values, O to, T begin, E same, F f) {
    long count = last - first;
    auto all = __on_host(first, count);
    auto given = __on_host(values, count);
    auto target = __on_host(to, count);
    auto key = all.begin();
    auto value = given.begin();
    auto out = target.begin();
    T sum = begin;
    for (long at = 0; at < count; ++at) {
        if (at > 0 && !same(key[at - 1], key[at])) {
            sum = begin;
        }
        // The target may be where the values are.
        T next = f(sum, value[at]);
        out[at] = sum;
        sum = next;
    }
    target.write();
    return to + count;
}
template <class K, class V, class O, class T, class E>
O exclusive_scan_by_key(K first, K last, V values, O to, T begin, E same) {
    return thrust::exclusive_scan_by_key(first, last, values, to, begin, same, plus<>());
}
template <class K, class V, class O, class T>
O exclusive_scan_by_key(K first, K last, V values, O to, T begin) {
    return thrust::exclusive_scan_by_key(first, last, values, to, begin, equal_to<>());
}
template <class K, class V, class O> O exclusive_scan_by_key(K first, K last, V values, O to) {
    decltype(__value_of<V>()) zero = 0;
    return thrust::exclusive_scan_by_key(first, last, values, to, zero);
}
template <class I, class J, class O> O merge(I first, I last, J second, J end, O to) {
    auto a = __on_host(first, last - first);
    auto b = __on_host(second, end - second);
    auto target = __on_host(to, last - first + (end - second));
    std::merge(a.begin(), a.end(), b.begin(), b.end(), target.begin());
    target.write();
    return to + (last - first + (end - second));
}
template <class T> class device_vector;
template <class T> class host_vector : public std::vector<T> {
public:
    host_vector() {}
    explicit host_vector(size_t count) : std::vector<T>(count) {}
    host_vector(size_t count, const T& value) : std::vector<T>(count, value) {}
    host_vector(const host_vector& other) : std::vector<T>(other) {}
    host_vector(const std::vector<T>& other) : std::vector<T>(other) {}
    host_vector(std::initializer_list<T> all) : std::vector<T>(all) {}
    template <class I, class = std::enable_if_t<!std::is_arithmetic_v<I>>>
    host_vector(I first, I last) {
        this->resize(last - first);
        thrust::copy(first, last, this->begin());
    }
    host_vector(const device_vector<T>& other) { *this = other; }
    // Elements of another type are converted one by one.
    template <class U> host_vector(const host_vector<U>& other) { *this = other; }
    template <class U> host_vector(const device_vector<U>& other) { *this = host_vector<U>(other); }
    template <class U> host_vector(const std::vector<U>& other) { this->assign(other.begin(), other.end()); }
    host_vector& operator=(const host_vector& other) {
        std::vector<T>::operator=(other);
        return *this;
    }
    host_vector& operator=(const device_vector<T>& other) {
        this->resize(other.size());
        thrust::copy(other.begin(), other.end(), this->begin());
        return *this;
    }
    template <class U> host_vector& operator=(const host_vector<U>& other) {
        this->assign(other.begin(), other.end());
        return *this;
    }
    template <class U> host_vector& operator=(const device_vector<U>& other) { return *this = host_vector<U>(other); }
};

template <class T> class device_vector {
public:
    using value_type = T;
    using iterator = device_ptr<T>;
    using reference = device_reference<T>;
    device_vector() : __first(0), __count(0), __room(0) {}
    explicit device_vector(size_t count) : __first(0), __count(0), __room(0) { resize(count); }
    device_vector(size_t count, const T& value) : __first(0), __count(0), __room(0) { resize(count, value); }
    device_vector(const device_vector& other) : __first(0), __count(0), __room(0) { __take(other); }
    device_vector(const host_vector<T>& other) : __first(0), __count(0), __room(0) { __take(other); }
    device_vector(const std::vector<T>& other) : __first(0), __count(0), __room(0) { __take(other); }
    template <class U> device_vector(const host_vector<U>& other) : __first(0), __count(0), __room(0) { __convert(other); }
    template <class U> device_vector(const device_vector<U>& other) : __first(0), __count(0), __room(0) { __convert(other); }
    template <class U> device_vector(const std::vector<U>& other) : __first(0), __count(0), __room(0) { __convert(other); }
    device_vector(std::initializer_list<T> all) : __first(0), __count(0), __room(0) { __between(all.begin(), all.end()); }
    template <class I, class = std::enable_if_t<!std::is_arithmetic_v<I>>>
    device_vector(I first, I last) : __first(0), __count(0), __room(0) { __between(first, last); }
    ~device_vector() { cudaFree(__first); }
    device_vector& operator=(const device_vector& other) {
        __take(other);
        return *this;
    }
    device_vector& operator=(const host_vector<T>& other) {
        __take(other);
        return *this;
    }
    device_vector& operator=(const std::vector<T>& other) {
        __take(other);
        return *this;
    }
    template <class U> device_vector& operator=(const host_vector<U>& other) {
        __convert(other);
        return *this;
    }
    template <class U> device_vector& operator=(const device_vector<U>& other) {
        __convert(other);
        return *this;
    }
    device_ptr<T> begin() const { return device_ptr<T>(__first); }
    device_ptr<T> end() const { return device_ptr<T>(__first + __count); }
    device_ptr<T> cbegin() const { return begin(); }
    device_ptr<T> cend() const { return end(); }
    device_ptr<T> data() const { return begin(); }
    size_t size() const { return __count; }
    bool empty() const { return __count == 0; }
    size_t capacity() const { return __room; }
    device_reference<T> operator[](size_t at) const { return device_reference<T>(__first + at); }
    device_reference<T> front() const { return device_reference<T>(__first); }
    device_reference<T> back() const { return device_reference<T>(__first + __count - 1); }
    void resize(size_t count, const T& value = T()) {
        size_t before = __count;
        __resize(count);
        if (count > before) {
            thrust::fill(begin() + before, end(), value);
        }
    }
    void reserve(size_t room) {
        if (room > __room) {
            void* made = 0;
            cudaMalloc(&made, room * sizeof(T));
            __copy_bytes(made, __first, __count * sizeof(T));
            cudaFree(__first);
            __first = (T*)made;
            __room = room;
        }
    }
    void push_back(const T& value) {
        reserve(__count + 1 > __room ? 2 * __count + 1 : __room);
        ++__count;
        back() = value;
    }
    void pop_back() { --__count; }
    void clear() { __count = 0; }
    void shrink_to_fit() {}
    device_ptr<T> erase(device_ptr<T> first, device_ptr<T> last) {
        thrust::copy(last, end(), first);
        __count -= last - first;
        return first;
    }
    template <class I, class = std::enable_if_t<!std::is_arithmetic_v<I>>> void assign(I first, I last) {
        __resize(last - first);
        thrust::copy(first, last, begin());
    }
    void assign(size_t count, const T& value) {
        __resize(count);
        thrust::fill(begin(), end(), value);
    }
    void swap(device_vector& other) {
        std::swap(__first, other.__first);
        std::swap(__count, other.__count);
        std::swap(__room, other.__room);
    }

private:
    T* __first;
    size_t __count;
    size_t __room;
    void __resize(size_t count) {
        reserve(count);
        __count = count;
    }
    template <class S> void __take(const S& other) {
        __resize(other.size());
        thrust::copy(other.begin(), other.end(), begin());
    }
    template <class S> void __convert(const S& other) { __take(host_vector<T>(other)); }
    template <class I> void __between(I first, I last) {
        __resize(last - first);
        thrust::copy(first, last, begin());
    }
};

template <class T> bool operator==(const host_vector<T>& a, const host_vector<T>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
template <class T> bool operator!=(const host_vector<T>& a, const host_vector<T>& b) { return !(a == b); }
template <class T> bool operator==(const device_vector<T>& a, const device_vector<T>& b) {
    return a.size() == b.size() && thrust::equal(a.begin(), a.end(), b.begin());
}
template <class T> bool operator!=(const device_vector<T>& a, const device_vector<T>& b) { return !(a == b); }
template <class T> bool operator==(const host_vector<T>& a, const device_vector<T>& b) { return a == host_vector<T>(b); }
template <class T> bool operator==(const device_vector<T>& a, const host_vector<T>& b) { return b == a; }
template <class I, class T> I lower_bound(I first, I last, const T& value) {
    auto all = __on_host(first, last - first);
    return first + (std::lower_bound(all.begin(), all.end(), value) - all.begin());
}
template <class I, class T> I upper_bound(I first, I last, const T& value) {
    auto all = __on_host(first, last - first);
    return first + (std::upper_bound(all.begin(), all.end(), value) - all.begin());
}
// One search per value; what comes out is the distance from the first element.
template <class I, class J, class O, class S> O __search_each(I first, I last, J values, J end, O to, S search) {
    auto all = __on_host(first, last - first);
    auto sought = __on_host(values, end - values);
    auto target = __on_host(to, end - values);
    auto out = target.begin();
    for (auto value : sought) {
        *out++ = search(all.begin(), all.end(), value) - all.begin();
    }
    target.write();
    return to + (end - values);
}
template <class I, class J, class O> O lower_bound(I first, I last, J values, J end, O to) {
    return __search_each(first, last, values, end, to, [](auto a, auto b, auto value) { return std::lower_bound(a, b, value); });
}
template <class I, class J, class O> O upper_bound(I first, I last, J values, J end, O to) {
    return __search_each(first, last, values, end, to, [](auto a, auto b, auto value) { return std::upper_bound(a, b, value); });
}
template <class I, class O> O adjacent_difference(I first, I last, O to) {
    auto all = __on_host(first, last - first);
    auto target = __on_host(to, last - first);
    std::adjacent_difference(all.begin(), all.end(), target.begin());
    target.write();
    return to + (last - first);
}
template <class I, class J, class O> O gather(I map, I end, J from, O to) {
    long count = end - map;
    auto places = __on_host(map, count);
    auto target = __on_host(to, count);
    auto out = target.begin();
    for (auto place : places) {
        *out++ = *(from + place);
    }
    target.write();
    return to + count;
}
template <class I, class J, class O> void scatter(I first, I last, J map, O to) {
    auto all = __on_host(first, last - first);
    auto places = __on_host(map, last - first);
    auto place = places.begin();
    for (auto&& value : all) {
        *(to + *place++) = value;
    }
}
template <class K, class V, class KO, class VO, class E, class F>
pair<KO, VO> reduce_by_key(K first, K last, V values, KO keys, VO sums, E same, F f) {
    auto all = __on_host(first, last - first);
    auto given = __on_host(values, last - first);
    long groups = 0;
    auto value = given.begin();
    for (auto key = all.begin(); key != all.end(); ++groups) {
        auto of_group = *key;
        auto sum = *value;
        for (++key, ++value; key != all.end() && same(of_group, *key); ++key, ++value) {
            sum = f(sum, *value);
        }
        *(keys + groups) = of_group;
        *(sums + groups) = sum;
    }
    return make_pair(keys + groups, sums + groups);
}
template <class K, class V, class KO, class VO, class E>
pair<KO, VO> reduce_by_key(K first, K last, V values, KO keys, VO sums, E same) {
    return thrust::reduce_by_key(first, last, values, keys, sums, same, plus<>());
}
template <class K, class V, class KO, class VO>
pair<KO, VO> reduce_by_key(K first, K last, V values, KO keys, VO sums) {
    return thrust::reduce_by_key(first, last, values, keys, sums, equal_to<>());
}

// With a policy, all runs the same way; on the GPU plain pointers lead to its memory.
#define __runs(name) \
    template <class... A> auto name(__policy, A... all) { return thrust::name(all...); } \
    template <class... A> auto name(__gpu_policy, A... all) { \
        __gpu_code code; \
        return thrust::name(all...); \
    }
__runs(adjacent_difference) __runs(all_of) __runs(any_of) __runs(binary_search) __runs(copy) __runs(copy_if)
__runs(copy_n) __runs(count) __runs(count_if) __runs(equal) __runs(exclusive_scan) __runs(exclusive_scan_by_key) __runs(fill) __runs(fill_n)
__runs(find) __runs(find_if) __runs(for_each) __runs(for_each_n) __runs(gather) __runs(generate)
__runs(inclusive_scan) __runs(inclusive_scan_by_key) __runs(inner_product) __runs(is_sorted) __runs(lower_bound)
__runs(max_element) __runs(merge) __runs(min_element) __runs(minmax_element) __runs(none_of) __runs(partition)
__runs(reduce) __runs(reduce_by_key) __runs(remove) __runs(remove_if) __runs(replace) __runs(replace_if)
__runs(reverse) __runs(scatter) __runs(sequence) __runs(sort) __runs(sort_by_key) __runs(stable_partition)
__runs(stable_sort) __runs(stable_sort_by_key) __runs(tabulate) __runs(transform) __runs(transform_exclusive_scan)
__runs(transform_inclusive_scan) __runs(transform_reduce) __runs(unique) __runs(unique_by_key) __runs(upper_bound)
#undef __runs

// <thrust/random.h>: the same engines as the standard library's; the distributions are thrust's own, on both sides.
template <class U, U A, U C, U M> class linear_congruential_engine {
public:
    using result_type = U;
    static const U min = C == 0 ? 1 : 0;
    static const U max = M - 1;
    __host__ __device__ explicit linear_congruential_engine(U value = 1) { seed(value); }
    __host__ __device__ void seed(U value = 1) { __state = value % M == 0 && C == 0 ? 1 : value % M; }
    __host__ __device__ U operator()() { return __state = (U)(((unsigned long long)A * __state + C) % M); }
    // As many steps by squaring: (a, c) after two steps is (a * a, a * c + c).
    __host__ __device__ void discard(unsigned long long count) {
        unsigned long long a = A, c = C;
        for (; count > 0; count /= 2) {
            if (count % 2 == 1) {
                __state = (U)((a * __state + c) % M);
            }
            c = (a * c + c) % M;
            a = a * a % M;
        }
    }

private:
    U __state;
};
typedef linear_congruential_engine<unsigned int, 16807u, 0u, 2147483647u> minstd_rand0;
typedef linear_congruential_engine<unsigned int, 48271u, 0u, 2147483647u> minstd_rand;
typedef minstd_rand default_random_engine;

template <class T = double> class uniform_real_distribution {
public:
    __host__ __device__ explicit uniform_real_distribution(T from = 0, T to = 1) : __from(from), __to(to) {}
    template <class E> __host__ __device__ T operator()(E& engine) {
        T part = (T)(engine() - E::min) / ((T)1 + (T)(E::max - E::min));
        // `cuda::std::lerp`, which rounds in another way where the ends lie on both sides of 0.
        if ((__from <= 0 && __to >= 0) || (__from >= 0 && __to <= 0)) {
            return part * __to + (1 - part) * __from;
        }
        if (part == 1) {
            return __to;
        }
        T between = __from + part * (__to - __from);
        return (__to > __from) == (__to < between) ? __to : between;
    }

private:
    T __from, __to;
};
template <class T = int> class uniform_int_distribution {
public:
    __host__ __device__ explicit uniform_int_distribution(T from = 0, T to = 2147483647) : __from(from), __to(to) {}
    template <class E> __host__ __device__ T operator()(E& engine) {
        uniform_real_distribution<double> between((double)__from, (double)__to + 1.0);
        return (T)between(engine);
    }

private:
    T __from, __to;
};
namespace random {
using thrust::default_random_engine;
using thrust::minstd_rand;
using thrust::uniform_int_distribution;
using thrust::uniform_real_distribution;
}  // namespace random
}  // namespace thrust

// Functions written as expressions of their arguments: `_1 * 2 + _2`.
namespace thrust {
namespace placeholders {

template <class F> struct __expression {
    F function;
    template <class A> __host__ __device__ auto operator()(const A& a) const { return function.of(a, a); }
    template <class A, class B> __host__ __device__ auto operator()(const A& a, const B& b) const {
        return function.of(a, b);
    }
};
struct __first {
    template <class A, class B> __host__ __device__ A of(const A& a, const B&) const { return a; }
};
struct __second {
    template <class A, class B> __host__ __device__ B of(const A&, const B& b) const { return b; }
};
template <class T> struct __fixed {
    T value;
    template <class A, class B> __host__ __device__ T of(const A&, const B&) const { return value; }
};
inline constexpr __expression<__first> _1 = {};
inline constexpr __expression<__second> _2 = {};

#define __PLACEHOLDER_OPERATOR(NAME, OP) \
    template <class F, class G> struct NAME { \
        F left; \
        G right; \
        template <class A, class B> __host__ __device__ auto of(const A& a, const B& b) const { \
            return left.of(a, b) OP right.of(a, b); \
        } \
    }; \
    template <class F, class G> \
    __host__ __device__ __expression<NAME<F, G>> operator OP(const __expression<F>& left, const __expression<G>& right) { \
        return __expression<NAME<F, G>>{NAME<F, G>{left.function, right.function}}; \
    } \
    template <class F, class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> \
    __host__ __device__ __expression<NAME<F, __fixed<T>>> operator OP(const __expression<F>& left, T right) { \
        return __expression<NAME<F, __fixed<T>>>{NAME<F, __fixed<T>>{left.function, __fixed<T>{right}}}; \
    } \
    template <class T, class G, class = std::enable_if_t<std::is_arithmetic_v<T>>> \
    __host__ __device__ __expression<NAME<__fixed<T>, G>> operator OP(T left, const __expression<G>& right) { \
        return __expression<NAME<__fixed<T>, G>>{NAME<__fixed<T>, G>{__fixed<T>{left}, right.function}}; \
    }
__PLACEHOLDER_OPERATOR(__sum, +)
__PLACEHOLDER_OPERATOR(__difference, -)
__PLACEHOLDER_OPERATOR(__product, *)
__PLACEHOLDER_OPERATOR(__quotient, /)
__PLACEHOLDER_OPERATOR(__remainder, %)
__PLACEHOLDER_OPERATOR(__less, <)
__PLACEHOLDER_OPERATOR(__greater, >)
__PLACEHOLDER_OPERATOR(__less_equal, <=)
__PLACEHOLDER_OPERATOR(__greater_equal, >=)
__PLACEHOLDER_OPERATOR(__equal, ==)
__PLACEHOLDER_OPERATOR(__not_equal, !=)
#undef __PLACEHOLDER_OPERATOR

}  // namespace placeholders
}  // namespace thrust
