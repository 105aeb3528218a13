// <map> and <set>: sorted balanced trees, whose nodes stay where they are.
namespace std {

// A node of a tree that is balanced by random priorities: each is above those that are lower.
template <class V> struct __node {
    V value;
    __node* left;
    __node* right;
    __node* parent;
    unsigned int priority;
    template <class... A> explicit __node(A&&... a) : value((A&&)a...), left(0), right(0), parent(0), priority(0) {}
};
template <class V> __node<V>* __leftmost(__node<V>* at) {
    while (at != 0 && at->left != 0) {
        at = at->left;
    }
    return at;
}
template <class V> __node<V>* __rightmost(__node<V>* at) {
    while (at != 0 && at->right != 0) {
        at = at->right;
    }
    return at;
}
template <class V> __node<V>* __next_node(__node<V>* at) {
    if (at->right != 0) {
        return __leftmost(at->right);
    }
    while (at->parent != 0 && at->parent->right == at) {
        at = at->parent;
    }
    return at->parent;
}
template <class V> __node<V>* __previous_node(__node<V>* at) {
    if (at->left != 0) {
        return __rightmost(at->left);
    }
    while (at->parent != 0 && at->parent->left == at) {
        at = at->parent;
    }
    return at->parent;
}

// Behind the last node stands none; the tree's root, which the iterator knows, leads back to it.
template <class V, class R> class __tree_iterator {
public:
    using value_type = V;
    using element = R;
    __tree_iterator() : __at(0), __root(0) {}
    __tree_iterator(__node<V>* at, __node<V>* const* root) : __at(at), __root(root) {}
    R& operator*() const { return __at->value; }
    R* operator->() const { return &__at->value; }
    __tree_iterator& operator++() {
        __at = __next_node(__at);
        return *this;
    }
    __tree_iterator operator++(int) {
        __tree_iterator old = *this;
        __at = __next_node(__at);
        return old;
    }
    __tree_iterator& operator--() {
        __at = __at == 0 ? __rightmost(*__root) : __previous_node(__at);
        return *this;
    }
    __tree_iterator operator--(int) {
        __tree_iterator old = *this;
        --*this;
        return old;
    }
    template <class S> bool operator==(const __tree_iterator<V, S>& other) const { return __at == other.__at; }
    template <class S> bool operator!=(const __tree_iterator<V, S>& other) const { return __at != other.__at; }
    operator __tree_iterator<V, const V>() const { return __tree_iterator<V, const V>(__at, __root); }

    __node<V>* __at;
    __node<V>* const* __root;
};

// `K` is what is compared, and `F::key(value)` gives it.
template <class K, class V, class F, class C> class __tree {
public:
    using value_type = V;
    using iterator = __tree_iterator<V, V>;
    using const_iterator = __tree_iterator<V, const V>;
    __tree() : __root(0), __count(0), __random(1), __compare() {}
    explicit __tree(const C& less) : __root(0), __count(0), __random(1), __compare(less) {}
    __tree(const __tree& other) : __root(0), __count(0), __random(1), __compare(other.__compare) { __copy(other); }
    ~__tree() { clear(); }
    __tree& operator=(const __tree& other) {
        if (this != &other) {
            clear();
            __copy(other);
        }
        return *this;
    }
    iterator begin() { return iterator(__leftmost(__root), &__root); }
    iterator end() { return iterator(0, &__root); }
    const_iterator begin() const { return const_iterator(__leftmost(__root), &__root); }
    const_iterator end() const { return const_iterator(0, &__root); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator<iterator> rbegin() { return reverse_iterator<iterator>(end()); }
    reverse_iterator<iterator> rend() { return reverse_iterator<iterator>(begin()); }
    size_t size() const { return __count; }
    bool empty() const { return __count == 0; }
    void clear() {
        __free(__root);
        __root = 0;
        __count = 0;
    }
    iterator find(const K& key) { return iterator(__find(key), &__root); }
    const_iterator find(const K& key) const { return const_iterator(__find(key), &__root); }
    size_t count(const K& key) const {
        size_t number = 0;
        for (__node<V>* at = __bound(key, false); at != 0 && !__compare(key, F::key(at->value)); at = __next_node(at)) {
            ++number;
        }
        return number;
    }
    bool contains(const K& key) const { return __find(key) != 0; }
    iterator lower_bound(const K& key) { return iterator(__bound(key, false), &__root); }
    iterator upper_bound(const K& key) { return iterator(__bound(key, true), &__root); }
    pair<iterator, iterator> equal_range(const K& key) {
        return pair<iterator, iterator>(lower_bound(key), upper_bound(key));
    }
    iterator erase(iterator at) {
        __node<V>* next = __next_node(at.__at);
        __remove(at.__at);
        return iterator(next, &__root);
    }
    size_t erase(const K& key) {
        size_t number = 0;
        for (__node<V>* at = __find(key); at != 0; at = __find(key)) {
            __remove(at);
            ++number;
        }
        return number;
    }
    iterator erase(iterator first, iterator last) {
        while (first != last) {
            first = erase(first);
        }
        return last;
    }
    void swap(__tree& other) {
        std::swap(__root, other.__root);
        std::swap(__count, other.__count);
    }

    // Adds a value, which is made of `a`, behind its equals; or, where `is_unique`, only if it has none.
    template <class K, class... A> pair<iterator, bool> __add(const K& key, bool is_unique, A&&... a) {
        __node<V>* parent = 0;
        bool is_left = false;
        for (__node<V>* at = __root; at != 0; at = is_left ? at->left : at->right) {
            parent = at;
            is_left = __compare(key, F::key(at->value));
            if (is_unique && !is_left && !__compare(F::key(at->value), key)) {
                return pair<iterator, bool>(iterator(at, &__root), false);
            }
        }
        __node<V>* made = new __node<V>((A&&)a...);
        __random = __random * 1664525u + 1013904223u;
        made->priority = __random >> 1;
        made->parent = parent;
        if (parent == 0) {
            __root = made;
        } else if (is_left) {
            parent->left = made;
        } else {
            parent->right = made;
        }
        while (made->parent != 0 && made->parent->priority < made->priority) {
            __lift(made);
        }
        ++__count;
        return pair<iterator, bool>(iterator(made, &__root), true);
    }

private:
    __node<V>* __root;
    size_t __count;
    unsigned int __random;
    C __compare;

    void __copy(const __tree& other) {
        for (const_iterator at = other.begin(); at != other.end(); ++at) {
            __add(F::key(*at), false, *at);
        }
    }
    void __free(__node<V>* at) {
        if (at != 0) {
            __free(at->left);
            __free(at->right);
            delete at;
        }
    }
    // The first node that is not below a key, or the first above it; none at the end.
    __node<V>* __bound(const K& key, bool is_above) const {
        __node<V>* best = 0;
        for (__node<V>* at = __root; at != 0;) {
            bool goes_right = is_above ? !__compare(key, F::key(at->value)) : __compare(F::key(at->value), key);
            if (goes_right) {
                at = at->right;
            } else {
                best = at;
                at = at->left;
            }
        }
        return best;
    }
    __node<V>* __find(const K& key) const {
        __node<V>* at = __bound(key, false);
        return at != 0 && !__compare(key, F::key(at->value)) ? at : 0;
    }
    // Puts a node in its parent's place.
    void __lift(__node<V>* at) {
        __node<V>* parent = at->parent;
        __node<V>* above = parent->parent;
        if (parent->left == at) {
            parent->left = at->right;
            if (at->right != 0) {
                at->right->parent = parent;
            }
            at->right = parent;
        } else {
            parent->right = at->left;
            if (at->left != 0) {
                at->left->parent = parent;
            }
            at->left = parent;
        }
        parent->parent = at;
        at->parent = above;
        if (above == 0) {
            __root = at;
        } else if (above->left == parent) {
            above->left = at;
        } else {
            above->right = at;
        }
    }
    void __remove(__node<V>* at) {
        while (at->left != 0 && at->right != 0) {
            __lift(at->left->priority > at->right->priority ? at->left : at->right);
        }
        __node<V>* child = at->left != 0 ? at->left : at->right;
        if (child != 0) {
            child->parent = at->parent;
        }
        if (at->parent == 0) {
            __root = child;
        } else if (at->parent->left == at) {
            at->parent->left = child;
        } else {
            at->parent->right = child;
        }
        --__count;
        delete at;
    }
};

struct __first_key {
    template <class K, class T> static const K& key(const pair<K, T>& value) { return value.first; }
};
struct __whole_key {
    template <class K> static const K& key(const K& value) { return value; }
};

template <class K, class T, class C = less<K>> class map : public __tree<K, pair<const K, T>, __first_key, C> {
public:
    using key_type = K;
    using mapped_type = T;
    using value_type = pair<const K, T>;
    using iterator = __tree_iterator<pair<const K, T>, pair<const K, T>>;
    map() {}
    map(initializer_list<pair<const K, T>> values) { insert(values.begin(), values.end()); }
    template <class I> map(I first, I last) { insert(first, last); }
    T& operator[](const K& key) {
        iterator found = this->find(key);
        if (found != this->end()) {
            return found->second;
        }
        return this->__add(key, true, key, T()).first->second;
    }
    T& at(const K& key) {
        iterator found = this->find(key);
        if (found == this->end()) {
            throw out_of_range("map::at");
        }
        return found->second;
    }
    const T& at(const K& key) const {
        auto found = this->find(key);
        if (found == this->end()) {
            throw out_of_range("map::at");
        }
        return found->second;
    }
    pair<iterator, bool> insert(const pair<const K, T>& value) { return this->__add(value.first, true, value); }
    template <class B> pair<iterator, bool> try_emplace(const K& key, B&& value) {
        return this->__add(key, true, key, (B&&)value);
    }
    template <class I> void insert(I first, I last) {
        for (; first != last; ++first) {
            this->__add(first->first, true, *first);
        }
    }
    template <class A, class B> pair<iterator, bool> emplace(A&& key, B&& value) {
        return this->__add(K(key), true, (A&&)key, (B&&)value);
    }
    pair<iterator, bool> insert_or_assign(const K& key, const T& value) {
        pair<iterator, bool> added = this->__add(key, true, key, value);
        added.first->second = value;
        return added;
    }
};
template <class K, class T, class C = less<K>> class multimap : public __tree<K, pair<const K, T>, __first_key, C> {
public:
    using value_type = pair<const K, T>;
    using iterator = __tree_iterator<pair<const K, T>, pair<const K, T>>;
    multimap() {}
    multimap(initializer_list<pair<const K, T>> values) {
        for (const auto& value : values) {
            this->__add(value.first, false, value);
        }
    }
    iterator insert(const pair<const K, T>& value) { return this->__add(value.first, false, value).first; }
    template <class A, class B> iterator emplace(A&& key, B&& value) {
        return this->__add(K(key), false, (A&&)key, (B&&)value).first;
    }
};
template <class K, class C = less<K>> class set : public __tree<K, K, __whole_key, C> {
public:
    using key_type = K;
    using iterator = __tree_iterator<K, K>;
    set() {}
    explicit set(const C& less) : __tree<K, K, __whole_key, C>(less) {}
    set(initializer_list<K> values) { insert(values.begin(), values.end()); }
    template <class I> set(I first, I last) { insert(first, last); }
    pair<iterator, bool> insert(const K& value) { return this->__add(value, true, value); }
    template <class I> void insert(I first, I last) {
        for (; first != last; ++first) {
            this->__add(*first, true, *first);
        }
    }
    template <class... A> pair<iterator, bool> emplace(A&&... a) {
        K key((A&&)a...);
        return this->__add(key, true, key);
    }
};
template <class K, class C = less<K>> class multiset : public __tree<K, K, __whole_key, C> {
public:
    using key_type = K;
    using iterator = __tree_iterator<K, K>;
    multiset() {}
    multiset(initializer_list<K> values) {
        for (const K& value : values) {
            this->__add(value, false, value);
        }
    }
    template <class I> multiset(I first, I last) {
        for (; first != last; ++first) {
            this->__add(*first, false, *first);
        }
    }
    iterator insert(const K& value) { return this->__add(value, false, value).first; }
};

}  // namespace std
