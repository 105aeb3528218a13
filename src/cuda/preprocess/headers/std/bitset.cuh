// <bitset>
namespace std {

template <size_t N> class bitset;
template <size_t N> class __bit_reference {
public:
    __bit_reference(bitset<N>* of, size_t at) : __of(of), __at(at) {}
    operator bool() const { return __of->test(__at); }
    __bit_reference& operator=(bool value) {
        __of->set(__at, value);
        return *this;
    }
    __bit_reference& flip() {
        __of->flip(__at);
        return *this;
    }

private:
    bitset<N>* __of;
    size_t __at;
};

template <size_t N> class bitset {
public:
    using reference = __bit_reference<N>;
    bitset() { reset(); }
    bitset(unsigned long long value) {
        reset();
        for (size_t at = 0; at < N && at < 64; ++at) {
            __bits[at] = (value >> at & 1) != 0;
        }
    }
    explicit bitset(const string& text) {
        reset();
        for (size_t at = 0; at < N && at < text.size(); ++at) {
            __bits[at] = text[text.size() - 1 - at] == '1';
        }
    }
    bool test(size_t at) const { return __bits[at]; }
    bool operator[](size_t at) const { return __bits[at]; }
    __bit_reference<N> operator[](size_t at) { return __bit_reference<N>(this, at); }
    size_t size() const { return N; }
    size_t count() const {
        size_t number = 0;
        for (size_t at = 0; at < N; ++at) {
            number += __bits[at];
        }
        return number;
    }
    bool any() const { return count() > 0; }
    bool none() const { return count() == 0; }
    bool all() const { return count() == N; }
    bitset& set() {
        for (size_t at = 0; at < N; ++at) {
            __bits[at] = true;
        }
        return *this;
    }
    bitset& set(size_t at, bool value = true) {
        __bits[at] = value;
        return *this;
    }
    bitset& reset() {
        for (size_t at = 0; at < N; ++at) {
            __bits[at] = false;
        }
        return *this;
    }
    bitset& reset(size_t at) { return set(at, false); }
    bitset& flip() {
        for (size_t at = 0; at < N; ++at) {
            __bits[at] = !__bits[at];
        }
        return *this;
    }
    bitset& flip(size_t at) { return set(at, !__bits[at]); }
    unsigned long to_ulong() const {
        unsigned long value = 0;
        for (size_t at = 0; at < N && at < 64; ++at) {
            value |= (unsigned long)__bits[at] << at;
        }
        return value;
    }
    unsigned long long to_ullong() const { return to_ulong(); }
    string to_string() const {
        string text(N, '0');
        for (size_t at = 0; at < N; ++at) {
            text[N - 1 - at] = __bits[at] ? '1' : '0';
        }
        return text;
    }
    bitset& operator&=(const bitset& other) {
        for (size_t at = 0; at < N; ++at) {
            __bits[at] = __bits[at] && other.__bits[at];
        }
        return *this;
    }
    bitset& operator|=(const bitset& other) {
        for (size_t at = 0; at < N; ++at) {
            __bits[at] = __bits[at] || other.__bits[at];
        }
        return *this;
    }
    bitset& operator^=(const bitset& other) {
        for (size_t at = 0; at < N; ++at) {
            __bits[at] = __bits[at] != other.__bits[at];
        }
        return *this;
    }
    bitset& operator<<=(size_t by) {
        for (size_t at = N; at-- > 0;) {
            __bits[at] = at >= by && __bits[at - by];
        }
        return *this;
    }
    bitset& operator>>=(size_t by) {
        for (size_t at = 0; at < N; ++at) {
            __bits[at] = at + by < N && __bits[at + by];
        }
        return *this;
    }
    bitset operator~() const { return bitset(*this).flip(); }
    bitset operator&(const bitset& other) const { return bitset(*this) &= other; }
    bitset operator|(const bitset& other) const { return bitset(*this) |= other; }
    bitset operator^(const bitset& other) const { return bitset(*this) ^= other; }
    bitset operator<<(size_t by) const { return bitset(*this) <<= by; }
    bitset operator>>(size_t by) const { return bitset(*this) >>= by; }
    bool operator==(const bitset& other) const { return (*this ^ other).none(); }
    bool operator!=(const bitset& other) const { return !(*this == other); }

private:
    bool __bits[N];
};
template <size_t N> ostream& operator<<(ostream& to, const bitset<N>& of) { return to << of.to_string(); }

template <size_t N> ostream& operator<<(ostream& to, const __bit_reference<N>& of) { return to << (bool)of; }

}  // namespace std
