// <random>: the C++ library's generators, and its distributions with the same sequences.
namespace std {

template <class U, U A, U C, U M> class linear_congruential_engine {
public:
    using result_type = U;
    static constexpr U default_seed = 1;
    linear_congruential_engine() { seed(1); }
    explicit linear_congruential_engine(U value) { seed(value); }
    void seed(U value = 1) {
        __state = M == 0 ? value : value % M;
        if (C % (M == 0 ? 2 : M) == 0 && __state == 0) {
            __state = 1;
        }
    }
    static constexpr U min() { return C == 0 ? 1 : 0; }
    static constexpr U max() { return M - 1; }
    U operator()() {
        __state = (U)(((unsigned long long)A * __state + C) % M);
        return __state;
    }
    void discard(unsigned long long count) {
        for (; count > 0; --count) {
            (*this)();
        }
    }

private:
    U __state;
};
typedef linear_congruential_engine<unsigned long long, 16807ull, 0ull, 2147483647ull> minstd_rand0;
typedef linear_congruential_engine<unsigned long long, 48271ull, 0ull, 2147483647ull> minstd_rand;
typedef minstd_rand0 default_random_engine;

// Seeds for a generator with much state, out of few numbers ([rand.util.seedseq]).
class seed_seq {
public:
    using result_type = unsigned int;
    seed_seq() : __seeds(0), __count(0) {}
    seed_seq(initializer_list<unsigned int> seeds) { __take(seeds.begin(), seeds.end()); }
    template <class I> seed_seq(I begin, I end) { __take(begin, end); }
    size_t size() const { return __count; }
    template <class I> void generate(I begin, I end) const {
        size_t n = end - begin;
        if (n == 0) {
            return;
        }
        for (size_t k = 0; k < n; ++k) {
            begin[k] = 0x8b8b8b8bu;
        }
        size_t t = n >= 623 ? 11 : n >= 68 ? 7 : n >= 39 ? 5 : n >= 7 ? 3 : (n - 1) / 2;
        size_t p = (n - t) / 2, q = p + t, m = __count + 1 > n ? __count + 1 : n;
        for (size_t k = 0; k < m; ++k) {
            unsigned int mixed = begin[k % n] ^ begin[(k + p) % n] ^ begin[(k + n - 1) % n];
            unsigned int first = 1664525u * (mixed ^ (mixed >> 27));
            unsigned int second = first + (unsigned int)(k == 0 ? __count : k % n) + (k >= 1 && k <= __count ? __seeds[k - 1] : 0u);
            begin[(k + p) % n] += first;
            begin[(k + q) % n] += second;
            begin[k % n] = second;
        }
        for (size_t k = m; k < m + n; ++k) {
            unsigned int mixed = begin[k % n] + begin[(k + p) % n] + begin[(k + n - 1) % n];
            unsigned int first = 1566083941u * (mixed ^ (mixed >> 27));
            unsigned int second = first - (unsigned int)(k % n);
            begin[(k + p) % n] ^= first;
            begin[(k + q) % n] ^= second;
            begin[k % n] = second;
        }
    }

private:
    unsigned int* __seeds;
    size_t __count;

    template <class I> void __take(I begin, I end) {
        __count = end - begin;
        __seeds = new unsigned int[__count + 1];
        for (size_t at = 0; at < __count; ++at) {
            __seeds[at] = (unsigned int)begin[at];
        }
    }
};

class mt19937 {
public:
    using result_type = unsigned long long;
    static constexpr unsigned long long default_seed = 5489;
    mt19937() { seed(5489); }
    explicit mt19937(unsigned long long value) { seed(value); }
    explicit mt19937(seed_seq& seeds) { seed(seeds); }
    void seed(seed_seq& seeds) {
        seeds.generate(__state, __state + 624);
        __at = 624;
    }
    void seed(unsigned long long value = 5489) {
        __state[0] = (unsigned int)value;
        for (int at = 1; at < 624; ++at) {
            unsigned int before = __state[at - 1];
            __state[at] = 1812433253u * (before ^ (before >> 30)) + at;
        }
        __at = 624;
    }
    static constexpr unsigned long long min() { return 0; }
    static constexpr unsigned long long max() { return 4294967295ull; }
    unsigned long long operator()() {
        if (__at == 624) {
            __twist();
        }
        unsigned int bits = __state[__at++];
        bits ^= bits >> 11;
        bits ^= (bits << 7) & 0x9d2c5680u;
        bits ^= (bits << 15) & 0xefc60000u;
        bits ^= bits >> 18;
        return bits;
    }
    void discard(unsigned long long count) {
        for (; count > 0; --count) {
            (*this)();
        }
    }

private:
    unsigned int __state[624];
    int __at;

    void __twist() {
        for (int at = 0; at < 624; ++at) {
            unsigned int next = at == 623 ? __state[0] : __state[at + 1];
            unsigned int mixed = (__state[at] & 0x80000000u) | (next & 0x7fffffffu);
            unsigned int far = at < 227 ? __state[at + 397] : __state[at - 227];
            __state[at] = far ^ (mixed >> 1) ^ ((mixed & 1) != 0 ? 0x9908b0dfu : 0u);
        }
        __at = 0;
    }
};

class mt19937_64 {
public:
    using result_type = unsigned long long;
    static constexpr unsigned long long default_seed = 5489;
    mt19937_64() { seed(5489); }
    explicit mt19937_64(unsigned long long value) { seed(value); }
    explicit mt19937_64(seed_seq& seeds) { seed(seeds); }
    void seed(seed_seq& seeds) {
        unsigned int words[624];
        seeds.generate(words, words + 624);
        for (int at = 0; at < 312; ++at) {
            __state[at] = words[2 * at] | (unsigned long long)words[2 * at + 1] << 32;
        }
        __at = 312;
    }
    void seed(unsigned long long value = 5489) {
        __state[0] = value;
        for (int at = 1; at < 312; ++at) {
            unsigned long long before = __state[at - 1];
            __state[at] = 6364136223846793005ull * (before ^ (before >> 62)) + at;
        }
        __at = 312;
    }
    static constexpr unsigned long long min() { return 0; }
    static constexpr unsigned long long max() { return 18446744073709551615ull; }
    unsigned long long operator()() {
        if (__at == 312) {
            __twist();
        }
        unsigned long long bits = __state[__at++];
        bits ^= (bits >> 29) & 0x5555555555555555ull;
        bits ^= (bits << 17) & 0x71d67fffeda60000ull;
        bits ^= (bits << 37) & 0xfff7eee000000000ull;
        bits ^= bits >> 43;
        return bits;
    }
    void discard(unsigned long long count) {
        for (; count > 0; --count) {
            (*this)();
        }
    }

private:
    unsigned long long __state[312];
    int __at;

    void __twist() {
        for (int at = 0; at < 312; ++at) {
            unsigned long long next = at == 311 ? __state[0] : __state[at + 1];
            unsigned long long mixed = (__state[at] & 0xffffffff80000000ull) | (next & 0x7fffffffull);
            unsigned long long far = at < 156 ? __state[at + 156] : __state[at - 156];
            __state[at] = far ^ (mixed >> 1) ^ ((mixed & 1) != 0 ? 0xb5026f5aa96619e9ull : 0ull);
        }
        __at = 0;
    }
};

// The same numbers in each run, so that a program's output can be compared.
class random_device {
public:
    using result_type = unsigned int;
    random_device() {}
    explicit random_device(const string& name) {}
    static constexpr unsigned int min() { return 0; }
    static constexpr unsigned int max() { return 4294967295u; }
    unsigned int operator()() { return (unsigned int)__source()(); }
    double entropy() const { return 32; }

private:
    static mt19937& __source() {
        static mt19937 source(20231);
        return source;
    }
};

// A number of [0, 1) of so many random bits.
template <class G> double __canonical_double(G& random) {
    unsigned long long span = random.max() - random.min();
    double range = (double)span + 1.0;
    double sum = 0;
    double weight = 1;
    // 53 bits: of a generator of 32 bits two numbers, of one of 64 bits one.
    double bits = span == 18446744073709551615ull ? 64 : log2(range);
    int draws = bits >= 53 ? 1 : (int)ceil(53 / floor(bits));
    for (int at = 0; at < draws; ++at) {
        sum += (double)(random() - random.min()) * weight;
        weight *= range;
    }
    double result = sum / weight;
    return result >= 1.0 ? 0.99999999999999988898 : result;
}
template <class G> float __canonical_float(G& random) {
    unsigned long long span = random.max() - random.min();
    float range = span == 18446744073709551615ull ? 18446744073709551616.0f : (float)((double)span + 1.0);
    float result = (float)(random() - random.min()) / range;
    return result >= 1.0f ? 0.99999994f : result;
}
template <class T> struct __canonical {
    template <class G> static double draw(G& random) { return __canonical_double(random); }
};
template <> struct __canonical<float> {
    template <class G> static float draw(G& random) { return __canonical_float(random); }
};
template <class T, class G> T generate_canonical(G& random) { return __canonical<T>::draw(random); }

template <class T = int> class uniform_int_distribution {
public:
    using result_type = T;
    struct param_type {
        T low, high;
        param_type(T a, T b) : low(a), high(b) {}
    };
    uniform_int_distribution() : __low(0), __high(numeric_limits<T>::max()) {}
    explicit uniform_int_distribution(T low) : __low(low), __high(numeric_limits<T>::max()) {}
    uniform_int_distribution(T low, T high) : __low(low), __high(high) {}
    void reset() {}
    T a() const { return __low; }
    T b() const { return __high; }
    T min() const { return __low; }
    T max() const { return __high; }
    template <class G> T operator()(G& random) { return __between(random, __low, __high); }
    template <class G> T operator()(G& random, const param_type& p) { return __between(random, p.low, p.high); }

    template <class G> T __between(G& random, T low, T high) {
        unsigned long long from = random.max() - random.min();
        unsigned long long range = (unsigned long long)high - (unsigned long long)low;
        return (T)(__up_to(random, from, range) + (unsigned long long)low);
    }

private:
    T __low, __high;

    template <class G> unsigned long long __up_to(G& random, unsigned long long from, unsigned long long range) {
        if (from == range) {
            return random() - random.min();
        }
        if (from < range) {
            return __from_several(random, from, range);
        }
        unsigned long long count = range + 1;
        // A generator of whole words: the high half of a product, drawn again where that would not be uniform.
        if (from == 4294967295ull) {
            unsigned long long product = (random() - random.min()) * count;
            unsigned int low = (unsigned int)product;
            if (low < (unsigned int)count) {
                unsigned int least = (unsigned int)(0 - (unsigned int)count) % (unsigned int)count;
                while (low < least) {
                    product = (random() - random.min()) * count;
                    low = (unsigned int)product;
                }
            }
            return product >> 32;
        }
        if (from == 18446744073709551615ull) {
            unsigned long long drawn = random();
            unsigned long long low = drawn * count;
            if (low < count) {
                unsigned long long least = (0 - count) % count;
                while (low < least) {
                    drawn = random();
                    low = drawn * count;
                }
            }
            return __high_half(drawn, count);
        }
        unsigned long long scale = from / count;
        unsigned long long past = count * scale;
        unsigned long long drawn = random() - random.min();
        while (drawn >= past) {
            drawn = random() - random.min();
        }
        return drawn / scale;
    }
    template <class G> unsigned long long __from_several(G& random, unsigned long long from, unsigned long long range) {
        unsigned long long count = from + 1;
        unsigned long long high;
        unsigned long long drawn;
        do {
            high = count * __up_to(random, from, range / count);
            drawn = high + (random() - random.min());
        } while (drawn > range || drawn < high);
        return drawn;
    }
    static unsigned long long __high_half(unsigned long long a, unsigned long long b) {
        unsigned long long low = (a & 0xffffffffull) * (b & 0xffffffffull);
        unsigned long long first = (a >> 32) * (b & 0xffffffffull) + (low >> 32);
        unsigned long long second = (a & 0xffffffffull) * (b >> 32) + (first & 0xffffffffull);
        return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
    }
};

template <class T = double> class uniform_real_distribution {
public:
    using result_type = T;
    struct param_type {
        T low, high;
        param_type(T a, T b) : low(a), high(b) {}
    };
    uniform_real_distribution() : __low(0), __high(1) {}
    explicit uniform_real_distribution(T low) : __low(low), __high(1) {}
    uniform_real_distribution(T low, T high) : __low(low), __high(high) {}
    void reset() {}
    T a() const { return __low; }
    T b() const { return __high; }
    T min() const { return __low; }
    T max() const { return __high; }
    template <class G> T operator()(G& random) { return __canonical<T>::draw(random) * (__high - __low) + __low; }
    template <class G> T operator()(G& random, const param_type& p) {
        return __canonical<T>::draw(random) * (p.high - p.low) + p.low;
    }

private:
    T __low, __high;
};

template <class T = double> class normal_distribution {
public:
    using result_type = T;
    normal_distribution() : __mean(0), __deviation(1), __saved(0), __has_saved(false) {}
    explicit normal_distribution(T mean) : __mean(mean), __deviation(1), __saved(0), __has_saved(false) {}
    normal_distribution(T mean, T deviation)
        : __mean(mean), __deviation(deviation), __saved(0), __has_saved(false) {}
    void reset() { __has_saved = false; }
    T mean() const { return __mean; }
    T stddev() const { return __deviation; }
    template <class G> T operator()(G& random) {
        T result;
        if (__has_saved) {
            __has_saved = false;
            result = __saved;
        } else {
            T x, y, square;
            do {
                x = (T)(2.0) * __canonical<T>::draw(random) - (T)1.0;
                y = (T)(2.0) * __canonical<T>::draw(random) - (T)1.0;
                square = x * x + y * y;
            } while (square > (T)1.0 || square == (T)0.0);
            T scale = sqrt((T)-2 * log(square) / square);
            __saved = x * scale;
            __has_saved = true;
            result = y * scale;
        }
        return result * __deviation + __mean;
    }

private:
    T __mean, __deviation, __saved;
    bool __has_saved;
};

class bernoulli_distribution {
public:
    bernoulli_distribution() : __chance(0.5) {}
    explicit bernoulli_distribution(double chance) : __chance(chance) {}
    template <class G> bool operator()(G& random) { return __canonical<double>::draw(random) < __chance; }

private:
    double __chance;
};
template <class T = double> class exponential_distribution {
public:
    exponential_distribution() : __rate(1) {}
    explicit exponential_distribution(T rate) : __rate(rate) {}
    template <class G> T operator()(G& random) { return -log((T)1 - __canonical<T>::draw(random)) / __rate; }

private:
    T __rate;
};

}  // namespace std
