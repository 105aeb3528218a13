// <unordered_map> and <unordered_set>: libstdc++'s tables, whose elements come in the same order.
namespace std {

inline size_t __mixed(size_t value) { return value ^ (value >> 47); }
// `_Hash_bytes` of libstdc++: MurmurHash64A with its seed.
inline size_t __hash_bytes(const char* at, size_t count) {
    const size_t factor = 0xc6a4a7935bd1e995ull;
    size_t hash = 0xc70f6907ull ^ (count * factor);
    size_t whole = count / 8 * 8;
    for (size_t begin = 0; begin < whole; begin += 8) {
        size_t word = 0;
        memcpy(&word, at + begin, 8);
        hash ^= __mixed(word * factor) * factor;
        hash *= factor;
    }
    if (count > whole) {
        size_t word = 0;
        memcpy(&word, at + whole, count - whole);
        hash ^= word;
        hash *= factor;
    }
    return __mixed(__mixed(hash) * factor);
}
template <class T> struct hash {
    size_t operator()(const T& value) const { return (size_t)value; }
};
template <> struct hash<float> {
    size_t operator()(const float& value) const { return value == 0 ? 0 : __hash_bytes((const char*)&value, 4); }
};
template <> struct hash<double> {
    size_t operator()(const double& value) const { return value == 0 ? 0 : __hash_bytes((const char*)&value, 8); }
};
template <> struct hash<string> {
    size_t operator()(const string& value) const { return __hash_bytes(value.c_str(), value.size()); }
};

const size_t __bucket_counts[] = {
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 103, 109, 113, 127,
    137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257, 277, 293, 313, 337, 359, 383, 409, 439, 467, 503, 541,
    577, 619, 661, 709, 761, 823, 887, 953, 1031, 1109, 1193, 1289, 1381, 1493, 1613, 1741, 1879, 2029, 2179, 2357,
    2549, 2753, 2971, 3209, 3469, 3739, 4027, 4349, 4703, 5087, 5503, 5953, 6427, 6949, 7517, 8123, 8783, 9497, 10273,
    11113, 12011, 12983, 14033, 15173, 16411, 17749, 19183, 20753, 22447, 24281, 26267, 28411, 30727, 33223, 35933,
    38873, 42043, 45481, 49201, 53201, 57557, 62233, 67307, 72817, 78779, 85229, 92203, 99733, 107897, 116731, 126271,
    136607, 147793, 159871, 172933, 187091, 202409, 218971, 236897, 256279, 277261, 299951, 324503, 351061, 379787,
    410857, 444487, 480881, 520241, 562841, 608903, 658753, 712697, 771049, 834181, 902483, 976369, 1056323, 1142821,
    1236397, 1337629, 1447153, 1565659, 1693859, 1832561, 1982627, 2144977, 2320627, 2510653, 2716249, 2938679};
inline size_t __buckets_for(size_t least) {
    size_t at = 0;
    while (at + 1 < sizeof(__bucket_counts) / sizeof(size_t) && __bucket_counts[at] < least) {
        ++at;
    }
    return __bucket_counts[at];
}

struct __hash_link {
    __hash_link* next;
};
template <class V> struct __hash_node {
    __hash_link link;
    size_t hash;
    V value;
    template <class... A> explicit __hash_node(A&&... a) : link(), hash(0), value((A&&)a...) {}
};

template <class V, class R> class __hash_iterator {
public:
    using value_type = V;
    __hash_iterator() : __at(0) {}
    explicit __hash_iterator(__hash_link* at) : __at(at) {}
    R& operator*() const { return ((__hash_node<V>*)__at)->value; }
    R* operator->() const { return &((__hash_node<V>*)__at)->value; }
    __hash_iterator& operator++() {
        __at = __at->next;
        return *this;
    }
    __hash_iterator operator++(int) {
        __hash_iterator old = *this;
        __at = __at->next;
        return old;
    }
    template <class S> bool operator==(const __hash_iterator<V, S>& other) const { return __at == other.__at; }
    template <class S> bool operator!=(const __hash_iterator<V, S>& other) const { return __at != other.__at; }
    operator __hash_iterator<V, const V>() const { return __hash_iterator<V, const V>(__at); }

    __hash_link* __at;
};

// `K` is what is hashed, and `F::key(value)` gives it.
template <class K, class V, class F, class H, class E> class __hash_table {
public:
    using value_type = V;
    using iterator = __hash_iterator<V, V>;
    using const_iterator = __hash_iterator<V, const V>;
    __hash_table() : __first(), __buckets(new __hash_link*[1]), __width(1), __next_growth(0), __count(0) {
        __buckets[0] = 0;
    }
    __hash_table(const __hash_table& other)
        : __first(), __buckets(new __hash_link*[1]), __width(1), __next_growth(0), __count(0) {
        __buckets[0] = 0;
        __copy(other);
    }
    ~__hash_table() {
        clear();
        delete[] __buckets;
    }
    __hash_table& operator=(const __hash_table& other) {
        if (this != &other) {
            clear();
            __copy(other);
        }
        return *this;
    }
    iterator begin() { return iterator(__first.next); }
    iterator end() { return iterator(0); }
    const_iterator begin() const { return const_iterator(__first.next); }
    const_iterator end() const { return const_iterator(0); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    size_t size() const { return __count; }
    bool empty() const { return __count == 0; }
    size_t bucket_count() const { return __width; }
    float load_factor() const { return (float)__count / (float)__width; }
    void reserve(size_t count) { rehash(count); }
    void rehash(size_t least) {
        size_t width = __buckets_for(least > __count ? least : __count);
        if (width != __width) {
            __spread(width);
        }
    }
    void clear() {
        for (__hash_link* at = __first.next; at != 0;) {
            __hash_node<V>* node = (__hash_node<V>*)at;
            at = at->next;
            delete node;
        }
        __first.next = 0;
        __count = 0;
        for (size_t at = 0; at < __width; ++at) {
            __buckets[at] = 0;
        }
    }
    iterator find(const K& key) { return iterator(__find(key, __hash(key))); }
    const_iterator find(const K& key) const { return const_iterator(__find(key, __hash(key))); }
    size_t count(const K& key) const { return __find(key, __hash(key)) != 0 ? 1 : 0; }
    bool contains(const K& key) const { return __find(key, __hash(key)) != 0; }
    size_t erase(const K& key) {
        __hash_link* at = __find(key, __hash(key));
        if (at == 0) {
            return 0;
        }
        __remove(at);
        return 1;
    }
    iterator erase(iterator at) {
        __hash_link* next = at.__at->next;
        __remove(at.__at);
        return iterator(next);
    }
    void swap(__hash_table& other) {
        __hash_table old = *this;
        *this = other;
        other = old;
    }

    // The element with this key, or else a new one, which is made of `a`.
    template <class... A> pair<iterator, bool> __add(const K& key, A&&... a) {
        size_t hash = __hash(key);
        __hash_link* found = __find(key, hash);
        if (found != 0) {
            return pair<iterator, bool>(iterator(found), false);
        }
        if (__count + 1 > __next_growth) {
            size_t least = __count + 1;
            if (__next_growth == 0 && least < 11) {
                least = 11;
            }
            if (least >= __width) {
                __spread(__buckets_for(least + 1 > __width * 2 ? least + 1 : __width * 2));
            } else {
                __next_growth = __width;
            }
        }
        __hash_node<V>* made = new __hash_node<V>((A&&)a...);
        made->hash = hash;
        __link(&made->link, hash % __width);
        ++__count;
        return pair<iterator, bool>(iterator(&made->link), true);
    }

private:
    __hash_link __first;
    __hash_link** __buckets;
    size_t __width;
    size_t __next_growth;
    size_t __count;

    static size_t __hash(const K& key) {
        H hash;
        return hash(key);
    }
    size_t __bucket_of(__hash_link* at) const { return ((__hash_node<V>*)at)->hash % __width; }
    void __copy(const __hash_table& other) {
        __spread(other.__width);
        __next_growth = other.__next_growth;
        __hash_link* last = &__first;
        for (__hash_link* at = other.__first.next; at != 0; at = at->next) {
            __hash_node<V>* from = (__hash_node<V>*)at;
            __hash_node<V>* made = new __hash_node<V>(from->value);
            made->hash = from->hash;
            last->next = &made->link;
            if (__buckets[made->hash % __width] == 0) {
                __buckets[made->hash % __width] = last;
            }
            last = last->next;
            ++__count;
        }
    }
    __hash_link* __find(const K& key, size_t hash) const {
        size_t bucket = hash % __width;
        __hash_link* before = __buckets[bucket];
        if (before == 0) {
            return 0;
        }
        E equal;
        for (__hash_link* at = before->next; at != 0 && __bucket_of(at) == bucket; at = at->next) {
            __hash_node<V>* node = (__hash_node<V>*)at;
            if (node->hash == hash && equal(F::key(node->value), key)) {
                return at;
            }
        }
        return 0;
    }
    // A bucket knows the link before its first element.
    void __link(__hash_link* at, size_t bucket) {
        if (__buckets[bucket] != 0) {
            at->next = __buckets[bucket]->next;
            __buckets[bucket]->next = at;
            return;
        }
        at->next = __first.next;
        __first.next = at;
        if (at->next != 0) {
            __buckets[__bucket_of(at->next)] = at;
        }
        __buckets[bucket] = &__first;
    }
    void __spread(size_t width) {
        delete[] __buckets;
        __buckets = new __hash_link*[width];
        for (size_t at = 0; at < width; ++at) {
            __buckets[at] = 0;
        }
        __width = width;
        __next_growth = width;
        __hash_link* all = __first.next;
        __first.next = 0;
        while (all != 0) {
            __hash_link* next = all->next;
            __link(all, __bucket_of(all));
            all = next;
        }
    }
    void __remove(__hash_link* at) {
        size_t bucket = __bucket_of(at);
        __hash_link* before = __buckets[bucket];
        while (before->next != at) {
            before = before->next;
        }
        __hash_link* next = at->next;
        bool is_last = next == 0 || __bucket_of(next) != bucket;
        if (is_last && next != 0) {
            __buckets[__bucket_of(next)] = before;
        }
        if (is_last && __buckets[bucket] == before) {
            __buckets[bucket] = 0;
        }
        before->next = next;
        --__count;
        delete (__hash_node<V>*)at;
    }
};

struct __first_hashed {
    template <class K, class T> static const K& key(const pair<K, T>& value) { return value.first; }
};
struct __whole_hashed {
    template <class K> static const K& key(const K& value) { return value; }
};

template <class K, class T, class H = hash<K>, class E = equal_to<K>> class unordered_map
    : public __hash_table<K, pair<const K, T>, __first_hashed, H, E> {
public:
    using key_type = K;
    using mapped_type = T;
    using value_type = pair<const K, T>;
    using iterator = __hash_iterator<pair<const K, T>, pair<const K, T>>;
    unordered_map() {}
    explicit unordered_map(size_t buckets) { this->rehash(buckets); }
    unordered_map(initializer_list<pair<const K, T>> values) {
        insert(values.begin(), values.end());
    }
    template <class I> unordered_map(I first, I last) { insert(first, last); }
    T& operator[](const K& key) {
        iterator found = this->find(key);
        if (found != this->end()) {
            return found->second;
        }
        return this->__add(key, key, T()).first->second;
    }
    T& at(const K& key) {
        iterator found = this->find(key);
        if (found == this->end()) {
            throw out_of_range("_Map_base::at");
        }
        return found->second;
    }
    const T& at(const K& key) const {
        auto found = this->find(key);
        if (found == this->end()) {
            throw out_of_range("_Map_base::at");
        }
        return found->second;
    }
    pair<iterator, bool> insert(const pair<const K, T>& value) { return this->__add(value.first, value); }
    template <class I> void insert(I first, I last) {
        for (; first != last; ++first) {
            this->__add(first->first, *first);
        }
    }
    template <class A, class B> pair<iterator, bool> emplace(A&& key, B&& value) {
        return this->__add(K(key), (A&&)key, (B&&)value);
    }
    template <class... B> pair<iterator, bool> try_emplace(const K& key, B&&... value) {
        return this->__add(key, key, T((B&&)value...));
    }
    pair<iterator, bool> insert_or_assign(const K& key, const T& value) {
        pair<iterator, bool> added = this->__add(key, key, value);
        added.first->second = value;
        return added;
    }
};
template <class K, class H = hash<K>, class E = equal_to<K>> class unordered_set
    : public __hash_table<K, K, __whole_hashed, H, E> {
public:
    using key_type = K;
    using iterator = __hash_iterator<K, K>;
    unordered_set() {}
    explicit unordered_set(size_t buckets) { this->rehash(buckets); }
    unordered_set(initializer_list<K> values) {
        insert(values.begin(), values.end());
    }
    template <class I> unordered_set(I first, I last) { insert(first, last); }
    pair<iterator, bool> insert(const K& value) { return this->__add(value, value); }
    template <class I> void insert(I first, I last) {
        for (; first != last; ++first) {
            this->__add(*first, *first);
        }
    }
    template <class... A> pair<iterator, bool> emplace(A&&... a) {
        K key((A&&)a...);
        return this->__add(key, key);
    }
};

}  // namespace std
