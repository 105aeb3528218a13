// <algorithm> and <numeric>.
namespace std {

template <class T> constexpr T clamp(T value, T least, T most) {
    return value < least ? least : most < value ? most : value;
}
template <class T> pair<T, T> minmax(const T& a, const T& b) { return b < a ? pair<T, T>(b, a) : pair<T, T>(a, b); }

struct __equal {
    template <class A, class B> bool operator()(const A& a, const B& b) const { return a == b; }
};

template <class I, class F> F for_each(I first, I last, F f) {
    for (; first != last; ++first) {
        f(*first);
    }
    return f;
}
template <class I, class F> void generate(I first, I last, F f) {
    for (; first != last; ++first) {
        *first = f();
    }
}
template <class I, class N, class F> I generate_n(I first, N count, F f) {
    for (; count > 0; --count, ++first) {
        *first = f();
    }
    return first;
}
template <class I, class N, class O> O copy_n(I first, N count, O to) {
    for (; count > 0; --count, ++first, ++to) {
        *to = *first;
    }
    return to;
}
template <class I, class O, class P> O copy_if(I first, I last, O to, P holds) {
    for (; first != last; ++first) {
        if (holds(*first)) {
            *to = *first;
            ++to;
        }
    }
    return to;
}
template <class I, class O, class F> O transform(I first, I last, O to, F f) {
    for (; first != last; ++first, ++to) {
        *to = f(*first);
    }
    return to;
}
template <class I, class J, class O, class F> O transform(I first, I last, J second, O to, F f) {
    for (; first != last; ++first, ++second, ++to) {
        *to = f(*first, *second);
    }
    return to;
}
// What takes a value, and what takes a test, where `condition` holds of an element.
#define __finds(name, P, given, condition) \
    template <class I, class P> I name(I first, I last, given) { \
        for (; first != last; ++first) { \
            if (condition) { \
                return first; \
            } \
        } \
        return last; \
    }
__finds(find, T, const T& value, *first == value)
__finds(find_if, P, P holds, holds(*first))
__finds(find_if_not, P, P holds, !holds(*first))
#undef __finds
template <class I, class P> bool all_of(I first, I last, P holds) { return find_if_not(first, last, holds) == last; }
template <class I, class P> bool any_of(I first, I last, P holds) { return find_if(first, last, holds) != last; }
template <class I, class P> bool none_of(I first, I last, P holds) { return find_if(first, last, holds) == last; }
#define __counts(name, P, given, condition) \
    template <class I, class P> long name(I first, I last, given) { \
        long number = 0; \
        for (; first != last; ++first) { \
            if (condition) { \
                ++number; \
            } \
        } \
        return number; \
    }
__counts(count, T, const T& value, *first == value)
__counts(count_if, P, P holds, holds(*first))
#undef __counts
#define __best(name, is_better) \
    template <class I, class C> I name(I first, I last, C less) { \
        I best = first; \
        for (; first != last; ++first) { \
            if (is_better) { \
                best = first; \
            } \
        } \
        return best; \
    } \
    template <class I> I name(I first, I last) { return name(first, last, __less()); }
__best(max_element, less(*best, *first))
__best(min_element, less(*first, *best))
#undef __best
template <class I, class C> pair<I, I> minmax_element(I first, I last, C less) {
    I least = first;
    I most = first;
    for (; first != last; ++first) {
        if (less(*first, *least)) {
            least = first;
        }
        // Of equal ones the last is the greatest.
        if (!less(*first, *most)) {
            most = first;
        }
    }
    return pair<I, I>(least, most);
}
template <class I> pair<I, I> minmax_element(I first, I last) { return minmax_element(first, last, __less()); }
template <class I> void reverse(I first, I last) {
    while (first != last) {
        --last;
        if (first == last) {
            return;
        }
        iter_swap(first, last);
        ++first;
    }
}
template <class I> I rotate(I first, I middle, I last) {
    reverse(first, middle);
    reverse(middle, last);
    reverse(first, last);
    return first + (last - middle);
}
template <class I, class P> I unique(I first, I last, P same) {
    if (first == last) {
        return last;
    }
    I to = first;
    for (++first; first != last; ++first) {
        if (!same(*to, *first)) {
            ++to;
            *to = std::move(*first);
        }
    }
    return ++to;
}
template <class I> I unique(I first, I last) { return unique(first, last, __equal()); }
#define __removes(name, P, given, stays) \
    template <class I, class P> I name(I first, I last, given) { \
        I to = first; \
        for (; first != last; ++first) { \
            if (stays) { \
                *to = std::move(*first); \
                ++to; \
            } \
        } \
        return to; \
    }
__removes(remove_if, P, P holds, !holds(*first))
__removes(remove, T, const T& value, !(*first == value))
#undef __removes
template <class I, class T> void replace(I first, I last, const T& old, const T& by) {
    for (; first != last; ++first) {
        if (*first == old) {
            *first = by;
        }
    }
}
template <class I, class P, class T> void replace_if(I first, I last, P holds, const T& by) {
    for (; first != last; ++first) {
        if (holds(*first)) {
            *first = by;
        }
    }
}
template <class I, class P> I partition(I first, I last, P holds) {
    for (;;) {
        while (first != last && holds(*first)) {
            ++first;
        }
        if (first == last) {
            return first;
        }
        --last;
        while (first != last && !holds(*last)) {
            --last;
        }
        if (first == last) {
            return first;
        }
        iter_swap(first, last);
        ++first;
    }
}

// Sorted runs are merged through a buffer, shortest first; equal elements keep their order.
template <class I, class T, class C> void __merge(I first, long middle, long count, T* buffer, C less) {
    for (long at = 0; at < middle; ++at) {
        __move_one(buffer + at, first[at]);
    }
    long left = 0;
    long right = middle;
    long to = 0;
    while (left < middle && right < count) {
        if (less(first[right], buffer[left])) {
            first[to++] = std::move(first[right++]);
        } else {
            first[to++] = std::move(buffer[left++]);
        }
    }
    while (left < middle) {
        first[to++] = std::move(buffer[left++]);
    }
    __end_all(buffer, middle);
}
template <class I, class C> void __insertion_sort(I first, long count, C less) {
    for (long at = 1; at < count; ++at) {
        auto value = std::move(first[at]);
        long to = at;
        for (; to > 0 && less(value, first[to - 1]); --to) {
            first[to] = std::move(first[to - 1]);
        }
        first[to] = std::move(value);
    }
}
template <class I, class T, class C> void __merge_sort(I first, long count, T* buffer, C less) {
    if (count <= 12) {
        __insertion_sort(first, count, less);
        return;
    }
    long middle = count / 2;
    __merge_sort(first, middle, buffer, less);
    __merge_sort(first + middle, count - middle, buffer, less);
    if (less(first[middle], first[middle - 1])) {
        __merge(first, middle, count, buffer, less);
    }
}
template <class I, class C> void stable_sort(I first, I last, C less) {
    using T = typename iterator_traits<I>::value_type;
    long count = last - first;
    T* buffer = __raw<T>(count / 2 + 1);
    __merge_sort(first, count, buffer, less);
    free(buffer);
}
template <class I> void stable_sort(I first, I last) { stable_sort(first, last, __less()); }
template <class I, class C> void sort(I first, I last, C less) { stable_sort(first, last, less); }
template <class I> void sort(I first, I last) { stable_sort(first, last, __less()); }
template <class I, class C> void partial_sort(I first, I, I last, C less) { stable_sort(first, last, less); }
template <class I> void partial_sort(I first, I, I last) { stable_sort(first, last, __less()); }
template <class I, class C> void nth_element(I first, I, I last, C less) { stable_sort(first, last, less); }
template <class I> void nth_element(I first, I, I last) { stable_sort(first, last, __less()); }
template <class I, class C> bool is_sorted(I first, I last, C less) {
    if (first == last) {
        return true;
    }
    I before = first;
    for (++first; first != last; ++first, ++before) {
        if (less(*first, *before)) {
            return false;
        }
    }
    return true;
}
template <class I> bool is_sorted(I first, I last) { return is_sorted(first, last, __less()); }

template <class I, class T, class C> I upper_bound(I first, I last, const T& value, C less) {
    long count = last - first;
    while (count > 0) {
        long half = count / 2;
        if (!less(value, first[half])) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
template <class I, class T> I upper_bound(I first, I last, const T& value) {
    return upper_bound(first, last, value, __less());
}
template <class I, class T, class C> bool binary_search(I first, I last, const T& value, C less) {
    I found = lower_bound(first, last, value, less);
    return found != last && !less(value, *found);
}
template <class I, class T> bool binary_search(I first, I last, const T& value) {
    return binary_search(first, last, value, __less());
}
template <class I, class T, class C> pair<I, I> equal_range(I first, I last, const T& value, C less) {
    return pair<I, I>(lower_bound(first, last, value, less), upper_bound(first, last, value, less));
}
template <class I, class T> pair<I, I> equal_range(I first, I last, const T& value) {
    return equal_range(first, last, value, __less());
}
template <class I, class J, class O, class C> O merge(I first, I last, J second, J end, O to, C less) {
    for (; first != last && second != end; ++to) {
        if (less(*second, *first)) {
            *to = *second;
            ++second;
        } else {
            *to = *first;
            ++first;
        }
    }
    return copy(second, end, copy(first, last, to));
}
template <class I, class J, class O> O merge(I first, I last, J second, J end, O to) {
    return merge(first, last, second, end, to, __less());
}
template <class I, class C> bool next_permutation(I first, I last, C less) {
    long count = last - first;
    for (long at = count - 2; at >= 0; --at) {
        if (less(first[at], first[at + 1])) {
            long other = count - 1;
            while (!less(first[at], first[other])) {
                --other;
            }
            iter_swap(first + at, first + other);
            reverse(first + at + 1, last);
            return true;
        }
    }
    reverse(first, last);
    return false;
}
template <class I> bool next_permutation(I first, I last) { return next_permutation(first, last, __less()); }

// Heaps, as the C++ library builds them.
template <class I, class T, class C> void __sift_up(I first, long hole, long top, T value, C less) {
    for (long parent = (hole - 1) / 2; hole > top && less(first[parent], value); parent = (hole - 1) / 2) {
        first[hole] = std::move(first[parent]);
        hole = parent;
    }
    first[hole] = std::move(value);
}
template <class I, class T, class C> void __sift_down(I first, long hole, long count, T value, C less) {
    long top = hole;
    long child = hole;
    while (child < (count - 1) / 2) {
        child = 2 * (child + 1);
        if (less(first[child], first[child - 1])) {
            --child;
        }
        first[hole] = std::move(first[child]);
        hole = child;
    }
    if (count % 2 == 0 && child == (count - 2) / 2) {
        child = 2 * (child + 1);
        first[hole] = std::move(first[child - 1]);
        hole = child - 1;
    }
    __sift_up(first, hole, top, value, less);
}
template <class I, class C> void push_heap(I first, I last, C less) {
    auto value = std::move(*(last - 1));
    __sift_up(first, last - first - 1, 0l, value, less);
}
template <class I> void push_heap(I first, I last) { push_heap(first, last, __less()); }
template <class I, class C> void pop_heap(I first, I last, C less) {
    if (last - first > 1) {
        --last;
        auto value = std::move(*last);
        *last = std::move(*first);
        __sift_down(first, 0l, last - first, value, less);
    }
}
template <class I> void pop_heap(I first, I last) { pop_heap(first, last, __less()); }
template <class I, class C> void make_heap(I first, I last, C less) {
    long count = last - first;
    for (long parent = (count - 2) / 2; count > 1 && parent >= 0; --parent) {
        auto value = std::move(first[parent]);
        __sift_down(first, parent, count, value, less);
    }
}
template <class I> void make_heap(I first, I last) { make_heap(first, last, __less()); }
template <class I, class C> void sort_heap(I first, I last, C less) {
    for (; last - first > 1; --last) {
        pop_heap(first, last, less);
    }
}
template <class I> void sort_heap(I first, I last) { sort_heap(first, last, __less()); }

template <class I, class T> T accumulate(I first, I last, T sum) {
    for (; first != last; ++first) {
        sum = sum + *first;
    }
    return sum;
}
template <class I, class T, class F> T accumulate(I first, I last, T sum, F f) {
    for (; first != last; ++first) {
        sum = f(sum, *first);
    }
    return sum;
}
template <class I, class T, class F, class G> T transform_reduce(I first, I last, T sum, F reduce, G transform) {
    for (; first != last; ++first) {
        sum = reduce(sum, transform(*first));
    }
    return sum;
}
template <class I> auto reduce(I first, I last) {
    auto sum = *first - *first;
    return accumulate(first, last, sum);
}
template <class I, class T> T reduce(I first, I last, T sum) { return accumulate(first, last, sum); }
template <class I, class T, class F> T reduce(I first, I last, T sum, F f) { return accumulate(first, last, sum, f); }
template <class I, class J, class T> T inner_product(I first, I last, J second, T sum) {
    for (; first != last; ++first, ++second) {
        sum = sum + *first * *second;
    }
    return sum;
}
template <class I, class J, class T, class F, class G>
T inner_product(I first, I last, J second, T sum, F f, G g) {
    for (; first != last; ++first, ++second) {
        sum = f(sum, g(*first, *second));
    }
    return sum;
}
template <class I, class J, class T> T transform_reduce(I first, I last, J second, T sum) {
    return inner_product(first, last, second, sum);
}
template <class I, class J, class T, class F, class G>
T transform_reduce(I first, I last, J second, T sum, F reduce, G transform) {
    return inner_product(first, last, second, sum, reduce, transform);
}
template <class I, class T> void iota(I first, I last, T value) {
    for (; first != last; ++first, ++value) {
        *first = value;
    }
}
template <class I, class O, class F> O partial_sum(I first, I last, O to, F f) {
    if (first == last) {
        return to;
    }
    auto sum = *first;
    *to = sum;
    for (++first, ++to; first != last; ++first, ++to) {
        sum = f(sum, *first);
        *to = sum;
    }
    return to;
}
struct __add {
    template <class A, class B> A operator()(const A& a, const B& b) const { return a + b; }
};
template <class I, class O> O partial_sum(I first, I last, O to) { return partial_sum(first, last, to, __add()); }
template <class I, class O, class... F> O inclusive_scan(I first, I last, O to, F... f) {
    return partial_sum(first, last, to, f...);
}
template <class I, class O, class T, class F> O exclusive_scan(I first, I last, O to, T sum, F f) {
    for (; first != last; ++first, ++to) {
        T next = f(sum, *first);
        *to = sum;
        sum = next;
    }
    return to;
}
template <class I, class O, class T> O exclusive_scan(I first, I last, O to, T sum) {
    return exclusive_scan(first, last, to, sum, __add());
}
template <class I, class O, class F> O adjacent_difference(I first, I last, O to, F difference) {
    if (first == last) {
        return to;
    }
    auto before = *first;
    *to = before;
    for (++first, ++to; first != last; ++first, ++to) {
        auto value = *first;
        *to = difference(value, before);
        before = value;
    }
    return to;
}
template <class I, class O> O adjacent_difference(I first, I last, O to) {
    return adjacent_difference(first, last, to, [](const auto& value, const auto& before) { return value - before; });
}
template <class T> T gcd(T a, T b) {
    while (b != 0) {
        T rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}
template <class T> T lcm(T a, T b) { return a == 0 || b == 0 ? 0 : a / gcd(a, b) * b; }

// The library draws two numbers at once where the generator's range allows that.
template <class I, class G> void shuffle(I first, I last, G&& random) {
    if (first == last) {
        return;
    }
    unsigned long long range = random.max() - random.min();
    unsigned long long count = last - first;
    uniform_int_distribution<unsigned long long> draw;
    I at = first + 1;
    if (range / count >= count) {
        if (count % 2 == 0) {
            iter_swap(at++, first + draw.__between(random, 0ull, 1ull));
        }
        while (at != last) {
            unsigned long long bound = (at - first) + 1;
            unsigned long long both = draw.__between(random, 0ull, bound * (bound + 1) - 1);
            iter_swap(at++, first + both / (bound + 1));
            iter_swap(at++, first + both % (bound + 1));
        }
        return;
    }
    for (; at != last; ++at) {
        iter_swap(at, first + draw.__between(random, 0ull, (unsigned long long)(at - first)));
    }
}
template <class I> void random_shuffle(I first, I last) {
    if (first == last) {
        return;
    }
    for (I at = first + 1; at != last; ++at) {
        I other = first + rand() % ((at - first) + 1);
        if (at != other) {
            iter_swap(at, other);
        }
    }
}

// What is used less often.
template <class I, class P> I adjacent_find(I first, I last, P meet) {
    for (I before = first; first != last && ++first != last; before = first) {
        if (meet(*before, *first)) {
            return before;
        }
    }
    return last;
}
template <class I> I adjacent_find(I first, I last) { return adjacent_find(first, last, __equal()); }
template <class I, class J, class P> I search(I first, I last, J wanted, J end, P equals) {
    for (;; ++first) {
        I at = first;
        for (J of = wanted;; ++at, ++of) {
            if (of == end) {
                return first;
            }
            if (at == last) {
                return last;
            }
            if (!equals(*at, *of)) {
                break;
            }
        }
    }
}
template <class I, class J> I search(I first, I last, J wanted, J end) {
    return search(first, last, wanted, end, __equal());
}
template <class I, class N, class F> I for_each_n(I first, N count, F f) {
    for (; count > 0; --count, ++first) {
        f(*first);
    }
    return first;
}
template <class I, class O, class P> O remove_copy_if(I first, I last, O to, P holds) {
    return copy_if(first, last, to, [&](const auto& value) { return !holds(value); });
}
template <class I, class O, class T> O remove_copy(I first, I last, O to, const T& value) {
    return copy_if(first, last, to, [&](const auto& other) { return !(other == value); });
}
template <class I, class O, class P, class T> O replace_copy_if(I first, I last, O to, P holds, const T& by) {
    for (; first != last; ++first, ++to) {
        if (holds(*first)) {
            *to = by;
        } else {
            *to = *first;
        }
    }
    return to;
}
template <class I, class O, class T> O replace_copy(I first, I last, O to, const T& value, const T& by) {
    return replace_copy_if(first, last, to, [&](const auto& other) { return other == value; }, by);
}
template <class I, class O> O reverse_copy(I first, I last, O to) {
    for (; first != last; ++to) {
        *to = *--last;
    }
    return to;
}
template <class I, class O> O rotate_copy(I first, I middle, I last, O to) {
    return copy(first, middle, copy(middle, last, to));
}
template <class I, class O> O unique_copy(I first, I last, O to) {
    for (I before = first; first != last; before = first, ++first) {
        if (first == before || !(*before == *first)) {
            *to = *first;
            ++to;
        }
    }
    return to;
}
template <class I, class P> I partition_point(I first, I last, P holds) { return find_if_not(first, last, holds); }
template <class I, class P> bool is_partitioned(I first, I last, P holds) {
    return none_of(partition_point(first, last, holds), last, holds);
}
template <class I, class P> I stable_partition(I first, I last, P holds) {
    stable_sort(first, last, [&](const auto& a, const auto& b) { return holds(a) && !holds(b); });
    return partition_point(first, last, holds);
}
template <class I, class O, class Q, class P> pair<O, Q> partition_copy(I first, I last, O to, Q others, P holds) {
    for (; first != last; ++first) {
        if (holds(*first)) {
            *to = *first;
            ++to;
        } else {
            *others = *first;
            ++others;
        }
    }
    return pair<O, Q>(to, others);
}
template <class I, class C> I is_sorted_until(I first, I last, C less) {
    I before = adjacent_find(first, last, [&](const auto& a, const auto& b) { return less(b, a); });
    return before == last ? last : ++before;
}
template <class I> I is_sorted_until(I first, I last) { return is_sorted_until(first, last, __less()); }
template <class I, class C> void inplace_merge(I first, I, I last, C less) { stable_sort(first, last, less); }
template <class I> void inplace_merge(I first, I, I last) { stable_sort(first, last, __less()); }

// Sorted ranges as sets: which elements of the first, of both and of the second are taken.
#define __joins(name, of_first, of_both, of_second)                                             \
    template <class I, class J, class O, class C> O name(I first, I last, J second, J end, O to, C less) { \
        while (first != last && second != end) {                                                \
            bool before = less(*first, *second), behind = less(*second, *first);                \
            if (before ? of_first : behind ? false : of_both) {                                 \
                *to = *first;                                                                   \
                ++to;                                                                           \
            }                                                                                   \
            if (behind && of_second) {                                                          \
                *to = *second;                                                                  \
                ++to;                                                                           \
            }                                                                                   \
            if (!behind) {                                                                      \
                ++first;                                                                        \
            }                                                                                   \
            if (!before) {                                                                      \
                ++second;                                                                       \
            }                                                                                   \
        }                                                                                       \
        if (of_first) {                                                                         \
            to = copy(first, last, to);                                                         \
        }                                                                                       \
        return of_second ? copy(second, end, to) : to;                                          \
    }                                                                                           \
    template <class I, class J, class O> O name(I first, I last, J second, J end, O to) {       \
        return name(first, last, second, end, to, __less());                                    \
    }
__joins(set_union, true, true, true)
__joins(set_intersection, false, true, false)
__joins(set_difference, true, false, false)
__joins(set_symmetric_difference, true, false, true)
#undef __joins
template <class I, class J, class C> bool includes(I first, I last, J second, J end, C less) {
    for (; second != end; ++first) {
        if (first == last || less(*second, *first)) {
            return false;
        }
        if (!less(*first, *second)) {
            ++second;
        }
    }
    return true;
}
template <class I, class J> bool includes(I first, I last, J second, J end) {
    return includes(first, last, second, end, __less());
}
template <class I, class C> bool prev_permutation(I first, I last, C less) {
    return next_permutation(first, last, [&](const auto& a, const auto& b) { return less(b, a); });
}
template <class I> bool prev_permutation(I first, I last) { return prev_permutation(first, last, __less()); }
template <class I, class J> bool is_permutation(I first, I last, J second) {
    J end = second;
    advance(end, distance(first, last));
    for (I at = first; at != last; ++at) {
        if (count(first, last, *at) != count(second, end, *at)) {
            return false;
        }
    }
    return true;
}
template <class I, class O, class F, class G> O transform_inclusive_scan(I first, I last, O to, F f, G g) {
    if (first == last) {
        return to;
    }
    auto sum = g(*first);
    *to = sum;
    for (++first, ++to; first != last; ++first, ++to) {
        sum = f(sum, g(*first));
        *to = sum;
    }
    return to;
}
template <class I, class O, class T, class F, class G>
O transform_exclusive_scan(I first, I last, O to, T sum, F f, G g) {
    for (; first != last; ++first, ++to) {
        T next = f(sum, g(*first));
        *to = sum;
        sum = next;
    }
    return to;
}

}  // namespace std
