// <vector> and <array>: their iterators are pointers.
namespace std {

template <class T> class vector {
public:
    using value_type = T;
    using size_type = size_t;
    using iterator = T*;
    using const_iterator = const T*;
    using pointer = T*;

    vector() : __first(0), __last(0), __room(0) {}
    explicit vector(size_t count) : __first(0), __last(0), __room(0) { resize(count); }
    vector(size_t count, const T& value) : __first(0), __last(0), __room(0) { resize(count, value); }
    vector(initializer_list<T> values) : __first(0), __last(0), __room(0) { __append(values.begin(), values.end()); }
    // `vector(3, 1)` has a count and a value, though of one type: only what is no number is an iterator.
    template <class I, class = enable_if_t<!is_arithmetic_v<I>>>
    vector(I first, I last) : __first(0), __last(0), __room(0) { __between(first, last); }
    vector(const vector& other) : __first(0), __last(0), __room(0) { __append(other.__first, other.__last); }
    vector(vector&& other) : __first(other.__first), __last(other.__last), __room(other.__room) {
        other.__first = 0;
        other.__last = 0;
        other.__room = 0;
    }
    ~vector() {
        __end_all(__first, size());
        free(__first);
    }
    vector& operator=(const vector& other) {
        if (this != &other) {
            clear();
            __append(other.__first, other.__last);
        }
        return *this;
    }
    vector& operator=(vector&& other) {
        if (this != &other) {
            clear();
            swap(other);
        }
        return *this;
    }
    vector& operator=(initializer_list<T> values) {
        clear();
        __append(values.begin(), values.end());
        return *this;
    }
    void assign(size_t count, const T& value) {
        T copy(value);
        clear();
        resize(count, copy);
    }
    template <class I, class = enable_if_t<!is_arithmetic_v<I>>> void assign(I first, I last) {
        clear();
        __between(first, last);
    }
    void assign(initializer_list<T> values) { *this = values; }

    T* begin() { return __first; }
    T* end() { return __last; }
    const T* begin() const { return __first; }
    const T* end() const { return __last; }
    const T* cbegin() const { return __first; }
    const T* cend() const { return __last; }
    reverse_iterator<T*> rbegin() { return reverse_iterator<T*>(__last); }
    reverse_iterator<T*> rend() { return reverse_iterator<T*>(__first); }
    reverse_iterator<const T*> rbegin() const { return reverse_iterator<const T*>(__last); }
    reverse_iterator<const T*> rend() const { return reverse_iterator<const T*>(__first); }
    size_t size() const { return __last - __first; }
    size_t capacity() const { return __room; }
    size_t max_size() const { return 9223372036854775807ull / sizeof(T); }
    bool empty() const { return __first == __last; }
    T* data() { return __first; }
    const T* data() const { return __first; }
    T& operator[](size_t at) { return __first[at]; }
    const T& operator[](size_t at) const { return __first[at]; }
    T& at(size_t at) {
        __check(at);
        return __first[at];
    }
    const T& at(size_t at) const {
        __check(at);
        return __first[at];
    }
    T& front() { return *__first; }
    const T& front() const { return *__first; }
    T& back() { return __last[-1]; }
    const T& back() const { return __last[-1]; }

    void clear() { __cut(0); }
    void reserve(size_t room) {
        if (room > __room) {
            __move_to(room);
        }
    }
    void shrink_to_fit() {
        if (size() < __room) {
            __move_to(size());
        }
    }
    void resize(size_t count) {
        if (count < size()) {
            __cut(count);
            return;
        }
        __make_room(count);
        __make_all(__last, count - size());
        __last = __first + count;
    }
    void resize(size_t count, const T& value) {
        if (count < size()) {
            __cut(count);
            return;
        }
        __make_room(count);
        __fill_all(__last, count - size(), value);
        __last = __first + count;
    }
    void push_back(const T& value) {
        if (size() == __room) {
            emplace_back(value);
        } else {
            __copy_one(__last, value);
            ++__last;
        }
    }
    void push_back(T&& value) {
        if (size() == __room) {
            emplace_back((T&&)value);
        } else {
            __move_one(__last, value);
            ++__last;
        }
    }
    template <class... A> T& emplace_back(A&&... a) {
        if (size() == __room) {
            // The new one comes first, as in libstdc++: it may be made of one of the others.
            size_t room = size() == 0 ? 1 : 2 * size();
            T* to = __raw<T>(room);
            new (to + size()) T((A&&)a...);
            __move_to(to, room);
        } else {
            new (__last) T((A&&)a...);
        }
        return *__last++;
    }
    void pop_back() { __cut(size() - 1); }
    T* insert(const T* where, const T& value) {
        T copy(value);
        T* hole = __open(where, 1);
        __move_one(hole, copy);
        return hole;
    }
    T* insert(const T* where, size_t count, const T& value) {
        T copy(value);
        T* hole = __open(where, count);
        __fill_all(hole, count, copy);
        return hole;
    }
    template <class I> T* insert(const T* where, I first, I last) {
        vector<T> added(first, last);
        T* hole = __open(where, added.size());
        for (size_t at = 0; at < added.size(); ++at) {
            __move_one(hole + at, added[at]);
        }
        return hole;
    }
    T* insert(const T* where, initializer_list<T> values) { return insert(where, values.begin(), values.end()); }
    T* erase(const T* first, const T* last) {
        T* to = __first + (first - __first);
        T* from = __first + (last - __first);
        T* start = to;
        for (; from != __last; ++from) {
            *to++ = (T&&)*from;
        }
        __cut(to - __first);
        return start;
    }
    T* erase(const T* at) { return erase(at, at + 1); }
    void swap(vector& other) {
        T* first = __first;
        T* last = __last;
        size_t room = __room;
        __first = other.__first;
        __last = other.__last;
        __room = other.__room;
        other.__first = first;
        other.__last = last;
        other.__room = room;
    }

private:
    T* __first;
    T* __last;
    size_t __room;

    void __check(size_t at) const {
        if (at >= size()) {
            __throw_out_of_range("vector::_M_range_check: __n (which is %zu) >= this->size() (which is %zu)", at,
                                 size());
        }
    }
    void __cut(size_t count) {
        __end_all(__first + count, size() - count);
        __last = __first + count;
    }
    void __make_room(size_t count) {
        if (count > __room) {
            __move_to(count > 2 * size() ? count : 2 * size());
        }
    }
    void __move_to(size_t room) { __move_to(__raw<T>(room), room); }
    void __move_to(T* to, size_t room) {
        size_t count = size();
        __move_all(to, __first, count);
        free(__first);
        __first = to;
        __last = to + count;
        __room = room;
    }
    void __append(const T* first, const T* last) {
        __make_room(size() + (last - first));
        __copy_all(__last, first, last - first);
        __last += last - first;
    }
    void __between(const T* first, const T* last) { __append(first, last); }
    void __between(T* first, T* last) { __append(first, last); }
    template <class I> void __between(I first, I last) {
        for (; first != last; ++first) {
            push_back(*first);
        }
    }
    // Makes room for `count` objects, which do not exist yet.
    T* __open(const T* where, size_t count) {
        size_t from = where - __first;
        __make_room(size() + count);
        for (T* last = __last; last != __first + from;) {
            --last;
            __move_one(last + count, *last);
            __end_one(last);
        }
        __last += count;
        return __first + from;
    }
};
template <class T> bool operator==(const vector<T>& a, const vector<T>& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (size_t at = 0; at < a.size(); ++at) {
        if (!(a[at] == b[at])) {
            return false;
        }
    }
    return true;
}
template <class T> bool operator!=(const vector<T>& a, const vector<T>& b) { return !(a == b); }
template <class T> bool operator<(const vector<T>& a, const vector<T>& b) {
    for (size_t at = 0; at < a.size() && at < b.size(); ++at) {
        if (a[at] < b[at]) {
            return true;
        }
        if (b[at] < a[at]) {
            return false;
        }
    }
    return a.size() < b.size();
}
template <class T> void swap(vector<T>& a, vector<T>& b) { a.swap(b); }

template <class T, size_t N> struct array;
template <size_t I, class T, size_t N> T& get(array<T, N>& of) { return of.__items[I]; }
template <size_t I, class T, size_t N> const T& get(const array<T, N>& of) { return of.__items[I]; }
template <class T, size_t N> struct array {
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;
    T __items[N];
    __host__ __device__ T* begin() { return __items; }
    __host__ __device__ T* end() { return __items + N; }
    __host__ __device__ const T* begin() const { return __items; }
    __host__ __device__ const T* end() const { return __items + N; }
    const T* cbegin() const { return __items; }
    const T* cend() const { return __items + N; }
    reverse_iterator<T*> rbegin() { return reverse_iterator<T*>(__items + N); }
    reverse_iterator<T*> rend() { return reverse_iterator<T*>(__items); }
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ constexpr bool empty() const { return N == 0; }
    __host__ __device__ T* data() { return __items; }
    __host__ __device__ const T* data() const { return __items; }
    __host__ __device__ T& operator[](size_t at) { return __items[at]; }
    __host__ __device__ const T& operator[](size_t at) const { return __items[at]; }
    T& at(size_t at) {
        if (at >= N) {
            __throw_out_of_range("array::at: __n (which is %zu) >= _Nm (which is %zu)", at, N);
        }
        return __items[at];
    }
    T& front() { return __items[0]; }
    T& back() { return __items[N - 1]; }
    const T& front() const { return __items[0]; }
    const T& back() const { return __items[N - 1]; }
    void fill(const T& value) {
        for (size_t at = 0; at < N; ++at) {
            __items[at] = value;
        }
    }
};
template <class T, size_t N> bool operator==(const array<T, N>& a, const array<T, N>& b) {
    for (size_t at = 0; at < N; ++at) {
        if (!(a[at] == b[at])) {
            return false;
        }
    }
    return true;
}
template <class T, size_t N> bool operator!=(const array<T, N>& a, const array<T, N>& b) { return !(a == b); }

template <class T, class... R> vector<T> __listed_vector(T, R...) { return vector<T>(); }
template <class T> vector<T> __deduced_vector(size_t, const T&) { return vector<T>(); }
template <class T> vector<T> __deduced_vector(T*, T*) { return vector<T>(); }
template <class T> vector<T> __deduced_vector(const vector<T>& of) { return of; }
template <class T, class... R> array<T, 1 + sizeof...(R)> __deduced_array(T, R...) {
    return array<T, 1 + sizeof...(R)>();
}

}  // namespace std
