// <deque>, <queue>, <stack> and <list>.
namespace std {

// A vector with room at both ends.
template <class T> class deque {
public:
    using value_type = T;
    using size_type = size_t;
    using iterator = T*;
    using const_iterator = const T*;
    deque() : __store(0), __first(0), __last(0), __past(0) {}
    explicit deque(size_t count) : __store(0), __first(0), __last(0), __past(0) { resize(count); }
    deque(size_t count, const T& value) : __store(0), __first(0), __last(0), __past(0) {
        for (; count > 0; --count) {
            push_back(value);
        }
    }
    deque(initializer_list<T> values) : __store(0), __first(0), __last(0), __past(0) {
        for (const T& value : values) {
            push_back(value);
        }
    }
    template <class I, class = enable_if_t<!is_arithmetic_v<I>>>
    deque(I first, I last) : __store(0), __first(0), __last(0), __past(0) {
        for (; first != last; ++first) {
            push_back(*first);
        }
    }
    deque(const deque& other) : __store(0), __first(0), __last(0), __past(0) { __append(other); }
    ~deque() {
        clear();
        free(__store);
    }
    deque& operator=(const deque& other) {
        if (this != &other) {
            clear();
            __append(other);
        }
        return *this;
    }
    T* begin() { return __first; }
    T* end() { return __last; }
    const T* begin() const { return __first; }
    const T* end() const { return __last; }
    reverse_iterator<T*> rbegin() { return reverse_iterator<T*>(__last); }
    reverse_iterator<T*> rend() { return reverse_iterator<T*>(__first); }
    size_t size() const { return __last - __first; }
    bool empty() const { return __first == __last; }
    T& operator[](size_t at) { return __first[at]; }
    const T& operator[](size_t at) const { return __first[at]; }
    T& at(size_t at) {
        if (at >= size()) {
            __throw_out_of_range("deque::_M_range_check: __n (which is %zu)>= this->size() (which is %zu)", at, size());
        }
        return __first[at];
    }
    T& front() { return *__first; }
    T& back() { return __last[-1]; }
    const T& front() const { return *__first; }
    const T& back() const { return __last[-1]; }
    void push_back(const T& value) { emplace_back(value); }
    void push_back(T&& value) { emplace_back((T&&)value); }
    void push_front(const T& value) { emplace_front(value); }
    void push_front(T&& value) { emplace_front((T&&)value); }
    template <class... A> T& emplace_back(A&&... a) {
        // Before the others move: it may be made of one of them.
        T made((A&&)a...);
        if (__last == __past) {
            __grow();
        }
        __move_one(__last, made);
        return *__last++;
    }
    template <class... A> T& emplace_front(A&&... a) {
        T made((A&&)a...);
        if (__first == __store) {
            __grow();
        }
        --__first;
        __move_one(__first, made);
        return *__first;
    }
    void pop_back() {
        --__last;
        __end_one(__last);
    }
    void pop_front() {
        __end_one(__first);
        ++__first;
    }
    void clear() {
        __end_all(__first, size());
        __last = __first;
    }
    void resize(size_t count) {
        while (size() > count) {
            pop_back();
        }
        while (size() < count) {
            push_back(T());
        }
    }
    T* insert(T* before, const T& value) {
        size_t at = before - __first;
        push_back(value);
        for (size_t last = size() - 1; last > at; --last) {
            std::swap(__first[last], __first[last - 1]);
        }
        return __first + at;
    }
    T* erase(T* at) {
        T* start = at;
        for (; at + 1 != __last; ++at) {
            *at = std::move(at[1]);
        }
        pop_back();
        return start;
    }
    void swap(deque& other) {
        std::swap(__store, other.__store);
        std::swap(__first, other.__first);
        std::swap(__last, other.__last);
        std::swap(__past, other.__past);
    }

private:
    T* __store;
    T* __first;
    T* __last;
    T* __past;
    void __append(const deque& other) {
        for (const T& value : other) {
            push_back(value);
        }
    }
    // Three times the room that is needed, with what there is in its middle.
    void __grow() {
        size_t count = size();
        size_t room = 3 * (count + 4);
        T* store = __raw<T>(room);
        T* first = store + count + 4;
        __move_all(first, __first, count);
        free(__store);
        __store = store;
        __first = first;
        __last = first + count;
        __past = store + room;
    }
};

template <class T, class S = deque<T>> class queue {
public:
    using value_type = T;
    bool empty() const { return __items.empty(); }
    size_t size() const { return __items.size(); }
    T& front() { return __items.front(); }
    T& back() { return __items.back(); }
    const T& front() const { return __items.front(); }
    const T& back() const { return __items.back(); }
    void push(const T& value) { __items.push_back(value); }
    void push(T&& value) { __items.push_back((T&&)value); }
    template <class... A> void emplace(A&&... a) { __items.emplace_back((A&&)a...); }
    void pop() { __items.pop_front(); }

private:
    S __items;
};
template <class T, class S = deque<T>> class stack {
public:
    using value_type = T;
    bool empty() const { return __items.empty(); }
    size_t size() const { return __items.size(); }
    T& top() { return __items.back(); }
    const T& top() const { return __items.back(); }
    void push(const T& value) { __items.push_back(value); }
    void push(T&& value) { __items.push_back((T&&)value); }
    template <class... A> void emplace(A&&... a) { __items.emplace_back((A&&)a...); }
    void pop() { __items.pop_back(); }

private:
    S __items;
};
template <class T, class S = vector<T>, class C = less<T>> class priority_queue {
public:
    using value_type = T;
    priority_queue() : __items(), __compare() {}
    explicit priority_queue(const C& less) : __items(), __compare(less) {}
    priority_queue(const C& less, const S& items) : __items(items), __compare(less) {
        make_heap(__items.begin(), __items.end(), __compare);
    }
    template <class I> priority_queue(I first, I last) : __items(first, last), __compare() {
        make_heap(__items.begin(), __items.end(), __compare);
    }
    bool empty() const { return __items.empty(); }
    size_t size() const { return __items.size(); }
    const T& top() const { return __items.front(); }
    void push(const T& value) {
        __items.push_back(value);
        push_heap(__items.begin(), __items.end(), __compare);
    }
    template <class... A> void emplace(A&&... a) { push(T((A&&)a...)); }
    void pop() {
        pop_heap(__items.begin(), __items.end(), __compare);
        __items.pop_back();
    }

private:
    S __items;
    C __compare;
};

template <class T> struct __list_link {
    __list_link* next;
    __list_link* previous;
    T value;
    template <class... A> explicit __list_link(A&&... a) : next(0), previous(0), value((A&&)a...) {}
};
template <class T, class R> class __list_iterator {
public:
    using value_type = T;
    using element = R;
    __list_iterator() : __at(0) {}
    explicit __list_iterator(__list_link<T>* at) : __at(at) {}
    R& operator*() const { return __at->value; }
    R* operator->() const { return &__at->value; }
    __list_iterator& operator++() {
        __at = __at->next;
        return *this;
    }
    __list_iterator operator++(int) {
        __list_iterator old = *this;
        __at = __at->next;
        return old;
    }
    __list_iterator& operator--() {
        __at = __at->previous;
        return *this;
    }
    template <class S> bool operator==(const __list_iterator<T, S>& other) const { return __at == other.__at; }
    template <class S> bool operator!=(const __list_iterator<T, S>& other) const { return __at != other.__at; }

    __list_link<T>* __at;
};
// A ring of links, of which one, made without a value, stands behind the last.
template <class T> class list {
public:
    using value_type = T;
    using iterator = __list_iterator<T, T>;
    using const_iterator = __list_iterator<T, const T>;
    list() { __begin_ring(); }
    explicit list(size_t count) : list(count, T()) {}
    list(size_t count, const T& value) {
        __begin_ring();
        for (size_t at = 0; at < count; ++at) {
            push_back(value);
        }
    }
    list(initializer_list<T> values) {
        __begin_ring();
        for (const T& value : values) {
            push_back(value);
        }
    }
    void resize(size_t count, const T& value = T()) {
        while (size() > count) {
            pop_back();
        }
        while (size() < count) {
            push_back(value);
        }
    }
    template <class I, class = enable_if_t<!is_arithmetic_v<I>>> list(I first, I last) {
        __begin_ring();
        for (; first != last; ++first) {
            push_back(*first);
        }
    }
    list(const list& other) {
        __begin_ring();
        for (const T& value : other) {
            push_back(value);
        }
    }
    ~list() {
        clear();
        free(__ring);
    }
    list& operator=(const list& other) {
        if (this != &other) {
            clear();
            for (const T& value : other) {
                push_back(value);
            }
        }
        return *this;
    }
    iterator begin() { return iterator(__ring->next); }
    iterator end() { return iterator(__ring); }
    const_iterator begin() const { return const_iterator(__ring->next); }
    const_iterator end() const { return const_iterator(__ring); }
    size_t size() const { return __count; }
    bool empty() const { return __count == 0; }
    T& front() { return __ring->next->value; }
    T& back() { return __ring->previous->value; }
    void push_back(const T& value) { emplace(end(), value); }
    void push_back(T&& value) { emplace(end(), (T&&)value); }
    void push_front(const T& value) { emplace(begin(), value); }
    void push_front(T&& value) { emplace(begin(), (T&&)value); }
    template <class... A> T& emplace_back(A&&... a) { return *emplace(end(), (A&&)a...); }
    template <class... A> T& emplace_front(A&&... a) { return *emplace(begin(), (A&&)a...); }
    void pop_back() { erase(iterator(__ring->previous)); }
    void pop_front() { erase(begin()); }
    iterator insert(iterator before, const T& value) { return emplace(before, value); }
    iterator insert(iterator before, T&& value) { return emplace(before, (T&&)value); }
    template <class... A> iterator emplace(iterator before, A&&... a) {
        __list_link<T>* made = new __list_link<T>((A&&)a...);
        made->next = before.__at;
        made->previous = before.__at->previous;
        made->previous->next = made;
        made->next->previous = made;
        ++__count;
        return iterator(made);
    }
    iterator erase(iterator at) {
        __list_link<T>* next = at.__at->next;
        next->previous = at.__at->previous;
        next->previous->next = next;
        delete at.__at;
        --__count;
        return iterator(next);
    }
    // Moves one element, or all of them, from another list, or within this one.
    void splice(iterator before, list& from, iterator at) {
        if (before == at || before.__at == at.__at->next) {
            return;
        }
        __list_link<T>* moved = at.__at;
        moved->previous->next = moved->next;
        moved->next->previous = moved->previous;
        --from.__count;
        moved->next = before.__at;
        moved->previous = before.__at->previous;
        moved->previous->next = moved;
        moved->next->previous = moved;
        ++__count;
    }
    void splice(iterator before, list& from) {
        while (!from.empty()) {
            splice(before, from, from.begin());
        }
    }
    void clear() {
        while (__count > 0) {
            pop_front();
        }
    }
    void remove(const T& value) {
        T wanted(value);
        for (iterator at = begin(); at != end();) {
            if (*at == wanted) {
                at = erase(at);
            } else {
                ++at;
            }
        }
    }
    void reverse() {
        __list_link<T>* at = __ring;
        do {
            std::swap(at->next, at->previous);
            at = at->previous;
        } while (at != __ring);
    }
    template <class C> void sort(C less) {
        vector<T> values;
        for (const T& value : *this) {
            values.push_back(value);
        }
        stable_sort(values.begin(), values.end(), less);
        size_t at = 0;
        for (T& value : *this) {
            value = values[at++];
        }
    }
    void sort() { sort(__less()); }

private:
    __list_link<T>* __ring;
    size_t __count;
    void __begin_ring() {
        __ring = __raw<__list_link<T>>(1);
        __ring->next = __ring;
        __ring->previous = __ring;
        __count = 0;
    }
};

}  // namespace std
