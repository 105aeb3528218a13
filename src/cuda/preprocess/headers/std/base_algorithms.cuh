// Algorithms that the containers' headers bring along, as libstdc++'s do: `std::fill` needs no <algorithm>.
namespace std {

struct __less {
    template <class A, class B> bool operator()(const A& a, const B& b) const { return a < b; }
};
template <class T, class C> const T& min(const T& a, const T& b, C less) {
    if (less(b, a)) {
        return b;
    }
    return a;
}
template <class T, class C> const T& max(const T& a, const T& b, C less) {
    if (less(a, b)) {
        return b;
    }
    return a;
}
template <class I, class T> void fill(I first, I last, const T& value) {
    for (; first != last; ++first) {
        *first = value;
    }
}
template <class I, class N, class T> I fill_n(I first, N count, const T& value) {
    for (; count > 0; --count, ++first) {
        *first = value;
    }
    return first;
}
template <class I, class O> O copy(I first, I last, O to) {
    for (; first != last; ++first, ++to) {
        *to = *first;
    }
    return to;
}
template <class I, class O> O copy_backward(I first, I last, O to) {
    while (last != first) {
        --last;
        --to;
        *to = *last;
    }
    return to;
}
template <class I, class O> O move(I first, I last, O to) {
    for (; first != last; ++first, ++to) {
        *to = std::move(*first);
    }
    return to;
}
template <class I, class J> bool equal(I first, I last, J second) {
    for (; first != last; ++first, ++second) {
        if (!(*first == *second)) {
            return false;
        }
    }
    return true;
}
template <class I, class J, class P> bool equal(I first, I last, J second, P same) {
    for (; first != last; ++first, ++second) {
        if (!same(*first, *second)) {
            return false;
        }
    }
    return true;
}
template <class I, class J> pair<I, J> mismatch(I first, I last, J second) {
    while (first != last && *first == *second) {
        ++first;
        ++second;
    }
    return pair<I, J>(first, second);
}
template <class I, class J> bool lexicographical_compare(I first, I last, J second, J end) {
    for (; first != last && second != end; ++first, ++second) {
        if (*first < *second) {
            return true;
        }
        if (*second < *first) {
            return false;
        }
    }
    return first == last && second != end;
}
template <class T> T min(initializer_list<T> values) {
    const T* best = values.begin();
    for (size_t at = 1; at < values.size(); ++at) {
        if (values.begin()[at] < *best) {
            best = values.begin() + at;
        }
    }
    return *best;
}
template <class T> T max(initializer_list<T> values) {
    const T* best = values.begin();
    for (size_t at = 1; at < values.size(); ++at) {
        if (*best < values.begin()[at]) {
            best = values.begin() + at;
        }
    }
    return *best;
}
template <class I, class J> void iter_swap(I a, J b) { swap(*a, *b); }
template <class I, class J> J swap_ranges(I first, I last, J second) {
    for (; first != last; ++first, ++second) {
        iter_swap(first, second);
    }
    return second;
}
template <class I, class T, class C> I lower_bound(I first, I last, const T& value, C less) {
    long count = last - first;
    while (count > 0) {
        long half = count / 2;
        if (less(first[half], value)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
template <class I, class T> I lower_bound(I first, I last, const T& value) {
    return lower_bound(first, last, value, __less());
}

}  // namespace std
