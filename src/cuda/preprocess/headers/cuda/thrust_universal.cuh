// <thrust/universal_vector.h>: managed memory, whose elements both sides use as they are.
namespace thrust {

template <class T> class universal_vector {
public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;
    using pointer = T*;
    using reference = T&;
    universal_vector() : __values(0), __size(0), __room(0) {}
    explicit universal_vector(size_t count, const T& value = T()) : __values(0), __size(0), __room(0) {
        resize(count, value);
    }
    universal_vector(const universal_vector& other) : __values(0), __size(0), __room(0) {
        assign(other.begin(), other.end());
    }
    universal_vector(universal_vector&& other) : __values(0), __size(0), __room(0) { swap(other); }
    template <class C, class = typename C::value_type>
    universal_vector(const C& other) : __values(0), __size(0), __room(0) {
        assign(other.begin(), other.end());
    }
    // `(count, value)` of one type is no pair of iterators.
    template <class I, class = std::enable_if_t<!std::is_arithmetic_v<I>>>
    universal_vector(I first, I last) : __values(0), __size(0), __room(0) {
        assign(first, last);
    }
    universal_vector(std::initializer_list<T> all) : __values(0), __size(0), __room(0) { assign(all.begin(), all.end()); }
    ~universal_vector() { cudaFree(__values); }
    universal_vector& operator=(const universal_vector& other) {
        assign(other.begin(), other.end());
        return *this;
    }
    T* begin() { return __values; }
    T* end() { return __values + __size; }
    const T* begin() const { return __values; }
    const T* end() const { return __values + __size; }
    const T* cbegin() const { return __values; }
    const T* cend() const { return __values + __size; }
    T* data() { return __values; }
    const T* data() const { return __values; }
    size_t size() const { return __size; }
    bool empty() const { return __size == 0; }
    T& operator[](size_t at) { return __values[at]; }
    const T& operator[](size_t at) const { return __values[at]; }
    T& front() { return __values[0]; }
    T& back() { return __values[__size - 1]; }
    void resize(size_t count, const T& value = T()) {
        reserve(count);
        for (size_t at = __size; at < count; ++at) {
            __values[at] = value;
        }
        __size = count;
    }
    void reserve(size_t room) {
        if (room > __room) {
            T* made = 0;
            cudaMallocManaged((void**)&made, room * sizeof(T));
            for (size_t at = 0; at < __size; ++at) {
                made[at] = __values[at];
            }
            cudaFree(__values);
            __values = made;
            __room = room;
        }
    }
    void push_back(const T& value) {
        reserve(__size + 1 > __room ? 2 * __size + 1 : __room);
        __values[__size++] = value;
    }
    template <class... A> void emplace_back(A... of) { push_back(T(of...)); }
    void pop_back() { --__size; }
    size_t capacity() const { return __room; }
    void shrink_to_fit() {}
    void clear() { __size = 0; }
    void assign(size_t count, const T& value) {
        clear();
        resize(count, value);
    }
    template <class I, class = std::enable_if_t<!std::is_arithmetic_v<I>>> void assign(I first, I last) {
        clear();
        reserve(last - first);
        for (; first != last; ++first) {
            __values[__size++] = *first;
        }
    }
    void swap(universal_vector& other) {
        std::swap(__values, other.__values);
        std::swap(__size, other.__size);
        std::swap(__room, other.__room);
    }

private:
    T* __values;
    size_t __size;
    size_t __room;
};

template <class T> using universal_host_pinned_vector = universal_vector<T>;

}  // namespace thrust
