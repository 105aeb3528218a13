// <span>
namespace std {

inline constexpr size_t dynamic_extent = 18446744073709551615ull;

// Elements that lie side by side, wherever that is. How many they are is kept also where the type says it.
template <class T, size_t Extent = dynamic_extent> class span {
public:
    using element_type = T;
    using value_type = remove_cv_t<T>;
    using size_type = size_t;
    using iterator = T*;
    static constexpr size_t extent = Extent;
    span() : __first(0), __count(0) {}
    span(T* first, size_t count) : __first(first), __count(count) {}
    span(T* first, T* last) : __first(first), __count(last - first) {}
    template <size_t N> span(T (&of)[N]) : __first(of), __count(N) {}
    template <class C> span(C& of) : __first(of.data()), __count(of.size()) {}
    // Also where a conversion sees a container that may change as one that may not.
    template <class C> span(const C& of) : __first((T*)of.data()), __count(of.size()) {}
    T* begin() const { return __first; }
    T* end() const { return __first + __count; }
    reverse_iterator<T*> rbegin() const { return reverse_iterator<T*>(end()); }
    reverse_iterator<T*> rend() const { return reverse_iterator<T*>(begin()); }
    T* data() const { return __first; }
    size_t size() const { return __count; }
    size_t size_bytes() const { return __count * sizeof(T); }
    bool empty() const { return __count == 0; }
    T& operator[](size_t at) const { return __first[at]; }
    T& front() const { return *__first; }
    T& back() const { return __first[__count - 1]; }
    span<T> first(size_t count) const { return span<T>(__first, count); }
    span<T> last(size_t count) const { return span<T>(__first + (__count - count), count); }
    span<T> subspan(size_t at, size_t count = dynamic_extent) const {
        return span<T>(__first + at, count == dynamic_extent ? __count - at : count);
    }

private:
    T* __first;
    size_t __count;
};
template <class T> span<T> __deduced_span(T* first, size_t count) { return span<T>(first, count); }
template <class T, size_t N> span<T> __deduced_span(T (&of)[N]) { return span<T>(of, N); }
template <class C> span<typename C::value_type> __deduced_span(C& of) {
    return span<typename C::value_type>(of.data(), of.size());
}
template <class C> span<const typename C::value_type> __deduced_span(const C& of) {
    return span<const typename C::value_type>(of.data(), of.size());
}

}  // namespace std
