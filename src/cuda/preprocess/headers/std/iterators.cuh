// <iterator>: ranges, iterators that go backwards, and those that add to a container.
namespace std {

struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag {};
struct bidirectional_iterator_tag {};
struct random_access_iterator_tag {};
template <class I> struct iterator_traits {
    using value_type = typename I::value_type;
    using difference_type = long;
};
template <class T> struct iterator_traits<T*> {
    using value_type = T;
    using difference_type = long;
    using pointer = T*;
};
template <class T> struct iterator_traits<const T*> {
    using value_type = T;
    using difference_type = long;
    using pointer = const T*;
};

// What an iterator's `*` leads to, with its `const`.
template <class I> struct __element_of {
    using type = typename I::element;
};
template <class T> struct __element_of<T*> {
    using type = T;
};

template <class T, size_t N> T* begin(T (&range)[N]) { return range; }
template <class T, size_t N> T* end(T (&range)[N]) { return range + N; }
template <class T, size_t N> constexpr size_t size(T (&range)[N]) { return N; }
template <class C> auto begin(C& range) { return range.begin(); }
template <class C> auto end(C& range) { return range.end(); }
template <class C> auto cbegin(const C& range) { return range.begin(); }
template <class C> auto cend(const C& range) { return range.end(); }
template <class C> auto rbegin(C& range) { return range.rbegin(); }
template <class C> auto rend(C& range) { return range.rend(); }
template <class C> size_t size(const C& range) { return range.size(); }
template <class C> auto data(C& range) { return range.data(); }

template <class I> class reverse_iterator {
public:
    using value_type = typename iterator_traits<I>::value_type;
    using element = typename __element_of<I>::type;
    reverse_iterator() : __base() {}
    explicit reverse_iterator(I base) : __base(base) {}
    I base() const { return __base; }
    element& operator*() const {
        I before = __base;
        --before;
        return *before;
    }
    element* operator->() const {
        I before = __base;
        --before;
        return &*before;
    }
    reverse_iterator& operator++() {
        --__base;
        return *this;
    }
    reverse_iterator operator++(int) {
        reverse_iterator old = *this;
        --__base;
        return old;
    }
    reverse_iterator& operator--() {
        ++__base;
        return *this;
    }
    reverse_iterator operator+(long count) const { return reverse_iterator(__base - count); }
    reverse_iterator operator-(long count) const { return reverse_iterator(__base + count); }
    reverse_iterator& operator+=(long count) {
        __base -= count;
        return *this;
    }
    long operator-(const reverse_iterator& other) const { return other.__base - __base; }
    element& operator[](long at) const { return __base[-at - 1]; }
    bool operator==(const reverse_iterator& other) const { return __base == other.__base; }
    bool operator!=(const reverse_iterator& other) const { return __base != other.__base; }
    bool operator<(const reverse_iterator& other) const { return other.__base < __base; }

private:
    I __base;
};

// What is assigned to `*iterator` is added.
template <class C> class __adding_iterator {
public:
    __adding_iterator(C& to, int where) : __to(&to), __where(where) {}
    __adding_iterator(const __adding_iterator& other) : __to(other.__to), __where(other.__where) {}
    __adding_iterator& operator=(const __adding_iterator& other) {
        __to = other.__to;
        __where = other.__where;
        return *this;
    }
    __adding_iterator& operator*() { return *this; }
    __adding_iterator& operator++() { return *this; }
    __adding_iterator operator++(int) { return *this; }
    template <class T> __adding_iterator& operator=(const T& value) {
        __to->push_back(value);
        return *this;
    }

private:
    C* __to;
    int __where;
};
template <class C> __adding_iterator<C> back_inserter(C& to) { return __adding_iterator<C>(to, 0); }
template <class C> class __inserting_iterator {
public:
    explicit __inserting_iterator(C& to) : __to(&to) {}
    __inserting_iterator(const __inserting_iterator& other) : __to(other.__to) {}
    __inserting_iterator& operator=(const __inserting_iterator& other) {
        __to = other.__to;
        return *this;
    }
    __inserting_iterator& operator*() { return *this; }
    __inserting_iterator& operator++() { return *this; }
    __inserting_iterator operator++(int) { return *this; }
    template <class T> __inserting_iterator& operator=(const T& value) {
        __to->insert(value);
        return *this;
    }

private:
    C* __to;
};
template <class C, class I> __inserting_iterator<C> inserter(C& to, I) { return __inserting_iterator<C>(to); }

template <class T> T* next(T* at, long count = 1) { return at + count; }
template <class T> T* prev(T* at, long count = 1) { return at - count; }
template <class T> void advance(T*& at, long count) { at += count; }
template <class T> long distance(T* first, T* last) { return last - first; }
template <class I> I next(I at, long count = 1) {
    for (; count > 0; --count) {
        ++at;
    }
    return at;
}
template <class I> I prev(I at, long count = 1) {
    for (; count > 0; --count) {
        --at;
    }
    return at;
}
template <class I> void advance(I& at, long count) {
    for (; count > 0; --count) {
        ++at;
    }
    for (; count < 0; ++count) {
        --at;
    }
}
template <class I> long distance(I first, I last) {
    long count = 0;
    for (; first != last; ++first) {
        ++count;
    }
    return count;
}

}  // namespace std
