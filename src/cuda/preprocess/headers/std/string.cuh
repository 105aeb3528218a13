// <string>: std::string, numbers to and from it, and the exceptions that hold one.
namespace std {

void __throw_out_of_range(const char* format, size_t at, size_t size);

class string_view;
class string {
public:
    explicit string(const string_view& text);
    using value_type = char;
    using size_type = size_t;
    using iterator = char*;
    using const_iterator = const char*;
    static constexpr size_t npos = 18446744073709551615ull;

    string() : __text(0), __length(0), __room(15), __unused(0) {}
    string(const char* text) : __text(0), __length(0), __room(15), __unused(0) { append(text, strlen(text)); }
    string(const char* text, size_t count) : __text(0), __length(0), __room(15), __unused(0) { append(text, count); }
    string(size_t count, char fill) : __text(0), __length(0), __room(15), __unused(0) { append(count, fill); }
    // `string(2, 65)` has a count and a character, though of one type: only what is no number is an iterator.
    template <class I, class = enable_if_t<!is_arithmetic_v<I>>>
    string(I first, I last) : __text(0), __length(0), __room(15), __unused(0) {
        for (; first != last; ++first) {
            push_back(*first);
        }
    }
    string(initializer_list<char> values) : string(values.begin(), values.size()) {}
    string(const string& other) : __text(0), __length(0), __room(15), __unused(0) {
        append(other.data(), other.__length);
    }
    string(const string& other, size_t from, size_t count = npos) : __text(0), __length(0), __room(15), __unused(0) {
        append(other.data() + from, other.__at_most(from, count));
    }
    string(string&& other) : __text(other.__text), __length(other.__length), __room(other.__room), __unused(0) {
        other.__text = 0;
        other.__length = 0;
        other.__room = 15;
    }
    ~string() { free(__text); }
    string& operator=(const string& other) {
        if (this != &other) {
            __length = 0;
            append(other.data(), other.__length);
        }
        return *this;
    }
    string& operator=(string&& other) {
        if (this != &other) {
            swap(other);
            other.clear();
        }
        return *this;
    }
    string& operator=(const char* text) { return assign(text); }
    string& operator=(char c) { return assign(1, c); }
    string& assign(const char* text) { return assign(text, strlen(text)); }
    string& assign(const char* text, size_t count) {
        __length = 0;
        return append(text, count);
    }
    string& assign(size_t count, char c) {
        __length = 0;
        return append(count, c);
    }
    string& assign(const string& other) { return *this = other; }
    template <class I, class = enable_if_t<!is_arithmetic_v<I>>> string& assign(I first, I last) {
        return *this = string(first, last);
    }

    const char* c_str() const { return __text != 0 ? __text : ""; }
    const char* data() const { return __text != 0 ? __text : ""; }
    char* data() { return __own(); }
    size_t size() const { return __length; }
    size_t length() const { return __length; }
    size_t capacity() const { return __room; }
    size_t max_size() const { return 9223372036854775807ull; }
    bool empty() const { return __length == 0; }
    char* begin() { return __own(); }
    char* end() { return __own() + __length; }
    const char* begin() const { return data(); }
    const char* end() const { return data() + __length; }
    const char* cbegin() const { return data(); }
    const char* cend() const { return data() + __length; }
    char& operator[](size_t at) { return __own()[at]; }
    const char& operator[](size_t at) const { return data()[at]; }
    char& at(size_t at) {
        __check("basic_string::at: __n (which is %zu) >= this->size() (which is %zu)", at, at < __length);
        return __text[at];
    }
    const char& at(size_t at) const {
        __check("basic_string::at: __n (which is %zu) >= this->size() (which is %zu)", at, at < __length);
        return __text[at];
    }
    char& front() { return __own()[0]; }
    char& back() { return __own()[__length - 1]; }
    const char& front() const { return data()[0]; }
    const char& back() const { return data()[__length - 1]; }

    void clear() { __cut(0); }
    void reserve(size_t room) {
        if (__text == 0 || room > __room) {
            __grow(room);
        }
    }
    void resize(size_t count, char fill = '\0') {
        if (count > __length) {
            append(count - __length, fill);
        } else {
            __cut(count);
        }
    }
    void shrink_to_fit() {}
    void push_back(char c) {
        reserve(__length + 1);
        __text[__length++] = c;
        __text[__length] = '\0';
    }
    void pop_back() { __cut(__length - 1); }
    string& append(const char* text, size_t count) {
        if (count > 0) {
            // The text may be a part of this very string.
            size_t inside = text - __text;
            bool is_inside = __text != 0 && inside <= __length;
            reserve(__length + count);
            memmove(__text + __length, is_inside ? __text + inside : text, count);
        }
        __length += count;
        if (__text != 0) {
            __text[__length] = '\0';
        }
        return *this;
    }
    string& append(const char* text) { return append(text, strlen(text)); }
    string& append(const string& other) { return append(other.data(), other.__length); }
    string& append(const string& other, size_t from, size_t count = npos) {
        return append(other.data() + from, other.__at_most(from, count));
    }
    string& append(size_t count, char c) {
        reserve(__length + count);
        memset(__text + __length, c, count);
        __length += count;
        __text[__length] = '\0';
        return *this;
    }
    string& operator+=(const string& other) { return append(other.data(), other.__length); }
    string& operator+=(const char* text) { return append(text, strlen(text)); }
    string& operator+=(char c) {
        push_back(c);
        return *this;
    }
    string& insert(size_t at, const char* text, size_t count) {
        string rest(*this, at, npos);
        __cut(at);
        append(text, count);
        return append(rest);
    }
    string& insert(size_t at, const char* text) { return insert(at, text, strlen(text)); }
    string& insert(size_t at, const string& other) { return insert(at, other.data(), other.__length); }
    string& insert(size_t at, size_t count, char c) {
        string fill(count, c);
        return insert(at, fill);
    }
    string& erase(size_t from = 0, size_t count = npos) {
        size_t cut = __at_most(from, count);
        if (cut > 0) {
            memmove(__text + from, __text + from + cut, __length - from - cut);
            __cut(__length - cut);
        }
        return *this;
    }
    char* erase(char* at) {
        size_t from = at - __text;
        erase(from, 1);
        return __text + from;
    }
    char* erase(char* first, char* last) {
        size_t from = first - __text;
        erase(from, last - first);
        return __own() + from;
    }
    string& replace(size_t from, size_t count, const string& by) {
        string rest(*this, from + __at_most(from, count), npos);
        __cut(from);
        append(by);
        return append(rest);
    }
    string& replace(size_t from, size_t count, const char* by) { return replace(from, count, string(by)); }
    string substr(size_t from = 0, size_t count = npos) const {
        __check("basic_string::substr: __pos (which is %zu) > this->size() (which is %zu)", from, from <= __length);
        return string(data() + from, __at_most(from, count));
    }
    void swap(string& other) {
        char* text = __text;
        size_t length = __length;
        size_t room = __room;
        __text = other.__text;
        __length = other.__length;
        __room = other.__room;
        other.__text = text;
        other.__length = length;
        other.__room = room;
    }

    size_t find(const char* text, size_t from, size_t count) const {
        for (size_t at = from; at + count <= __length; ++at) {
            if (memcmp(data() + at, text, count) == 0) {
                return at;
            }
        }
        return npos;
    }
    size_t find(const char* text, size_t from = 0) const { return find(text, from, strlen(text)); }
    size_t find(const string& text, size_t from = 0) const { return find(text.data(), from, text.__length); }
    size_t find(char c, size_t from = 0) const { return find(&c, from, 1); }
    size_t rfind(const char* text, size_t from, size_t count) const {
        if (count > __length) {
            return npos;
        }
        size_t at = __length - count < from ? __length - count : from;
        do {
            if (memcmp(data() + at, text, count) == 0) {
                return at;
            }
        } while (at-- > 0);
        return npos;
    }
    size_t rfind(const char* text, size_t from = npos) const { return rfind(text, from, strlen(text)); }
    size_t rfind(const string& text, size_t from = npos) const { return rfind(text.data(), from, text.__length); }
    size_t rfind(char c, size_t from = npos) const { return rfind(&c, from, 1); }
    size_t find_first_of(const string& any, size_t from = 0) const { return __first(any, from, true); }
    size_t find_first_not_of(const string& any, size_t from = 0) const { return __first(any, from, false); }
    size_t find_last_of(const string& any, size_t from = npos) const { return __last(any, from, true); }
    size_t find_last_not_of(const string& any, size_t from = npos) const { return __last(any, from, false); }
    int compare(const string& other) const {
        size_t count = __length < other.__length ? __length : other.__length;
        int order = memcmp(data(), other.data(), count);
        if (order != 0) {
            return order;
        }
        return (int)((long)__length - (long)other.__length);
    }
    int compare(size_t from, size_t count, const string& other) const { return substr(from, count).compare(other); }
    bool starts_with(const string& text) const {
        return __length >= text.__length && memcmp(data(), text.data(), text.__length) == 0;
    }
    bool ends_with(const string& text) const {
        return __length >= text.__length &&
               memcmp(data() + __length - text.__length, text.data(), text.__length) == 0;
    }

private:
    char* __text;
    size_t __length;
    size_t __room;
    size_t __unused;

    char* __own() {
        reserve(0);
        return __text;
    }
    void __grow(size_t room) {
        if (room > __room && room < 2 * __room) {
            room = 2 * __room;
        }
        if (room > __room) {
            __room = room;
        }
        bool is_first = __text == 0;
        __text = (char*)realloc(__text, __room + 1);
        if (is_first) {
            __text[0] = '\0';
        }
    }
    void __cut(size_t count) {
        __length = count;
        if (__text != 0) {
            __text[count] = '\0';
        }
    }
    size_t __at_most(size_t from, size_t count) const {
        size_t rest = __length - from;
        return count < rest ? count : rest;
    }
    size_t __first(const string& any, size_t from, bool wanted) const {
        for (size_t at = from; at < __length; ++at) {
            if ((any.find(data()[at]) != npos) == wanted) {
                return at;
            }
        }
        return npos;
    }
    size_t __last(const string& any, size_t from, bool wanted) const {
        for (size_t at = from < __length ? from + 1 : __length; at-- > 0;) {
            if ((any.find(data()[at]) != npos) == wanted) {
                return at;
            }
        }
        return npos;
    }
    void __check(const char* format, size_t at, bool is_good) const {
        if (!is_good) {
            __throw_out_of_range(format, at, __length);
        }
    }
};

inline string operator+(const string& a, const string& b) {
    string sum;
    sum.reserve(a.size() + b.size());
    sum.append(a);
    sum.append(b);
    return sum;
}
inline string operator+(const string& a, const char* b) {
    string sum(a);
    sum.append(b);
    return sum;
}
inline string operator+(const char* a, const string& b) {
    string sum(a);
    sum.append(b);
    return sum;
}
inline string operator+(const string& a, char b) {
    string sum(a);
    sum.push_back(b);
    return sum;
}
inline string operator+(char a, const string& b) {
    string sum(1, a);
    sum.append(b);
    return sum;
}
inline bool operator==(const string& a, const string& b) { return a.compare(b) == 0; }
inline bool operator!=(const string& a, const string& b) { return a.compare(b) != 0; }
inline bool operator<(const string& a, const string& b) { return a.compare(b) < 0; }
inline bool operator>(const string& a, const string& b) { return a.compare(b) > 0; }
inline bool operator<=(const string& a, const string& b) { return a.compare(b) <= 0; }
inline bool operator>=(const string& a, const string& b) { return a.compare(b) >= 0; }
inline bool operator==(const string& a, const char* b) { return strcmp(a.c_str(), b) == 0; }
inline bool operator!=(const string& a, const char* b) { return strcmp(a.c_str(), b) != 0; }
inline bool operator==(const char* a, const string& b) { return strcmp(a, b.c_str()) == 0; }
inline bool operator!=(const char* a, const string& b) { return strcmp(a, b.c_str()) != 0; }

class logic_error : public exception {
public:
    explicit logic_error(const string& message) : __message(message) {}
    const char* what() const override { return __message.c_str(); }

private:
    string __message;
};
class runtime_error : public exception {
public:
    explicit runtime_error(const string& message) : __message(message) {}
    const char* what() const override { return __message.c_str(); }

private:
    string __message;
};
class invalid_argument : public logic_error {
public:
    explicit invalid_argument(const string& message) : logic_error(message) {}
};
class domain_error : public logic_error {
public:
    explicit domain_error(const string& message) : logic_error(message) {}
};
class length_error : public logic_error {
public:
    explicit length_error(const string& message) : logic_error(message) {}
};
class out_of_range : public logic_error {
public:
    explicit out_of_range(const string& message) : logic_error(message) {}
};
class range_error : public runtime_error {
public:
    explicit range_error(const string& message) : runtime_error(message) {}
};
class overflow_error : public runtime_error {
public:
    explicit overflow_error(const string& message) : runtime_error(message) {}
};
class underflow_error : public runtime_error {
public:
    explicit underflow_error(const string& message) : runtime_error(message) {}
};

inline void __throw_out_of_range(const char* format, size_t at, size_t size) {
    char message[160];
    snprintf(message, 160, format, at, size);
    throw out_of_range(message);
}
#define __writes(T, room, form) \
    inline string to_string(T value) { \
        char text[room]; \
        return string(text, snprintf(text, room, form, value)); \
    }
__writes(int, 16, "%d")
__writes(unsigned int, 16, "%u")
__writes(long long, 32, "%lld")
__writes(unsigned long long, 32, "%llu")
__writes(double, 400, "%f")
#undef __writes
inline string to_string(float value) { return to_string((double)value); }

inline size_t __read_to(const char* name, const char* text, const char* end) {
    if (text == end) {
        throw invalid_argument(name);
    }
    return end - text;
}
#define __given(name) \
    size_t length = __read_to(name, text.c_str(), last); \
    if (end != 0) { \
        *end = length; \
    } \
    return value;
#define __reads_integer(T, name, read) \
    inline T name(const string& text, size_t* end = 0, int base = 10) { \
        char* last; \
        T value = read(text.c_str(), &last, base); \
        __given(#name) \
    }
#define __reads_float(T, name, read) \
    inline T name(const string& text, size_t* end = 0) { \
        char* last; \
        T value = read(text.c_str(), &last); \
        __given(#name) \
    }
__reads_integer(long long, stoll, strtoll)
__reads_integer(long, stol, strtol)
__reads_integer(unsigned long long, stoull, strtoull)
__reads_integer(unsigned long, stoul, strtoul)
__reads_float(double, stod, strtod)
__reads_float(float, stof, strtof)
#undef __given
#undef __reads_integer
#undef __reads_float
inline int stoi(const string& text, size_t* end = 0, int base = 10) {
    char* last;
    long long value = strtoll(text.c_str(), &last, base);
    size_t length = __read_to("stoi", text.c_str(), last);
    if (value != (int)value) {
        throw out_of_range("stoi");
    }
    if (end != 0) {
        *end = length;
    }
    return (int)value;
}
inline void swap(string& a, string& b) { a.swap(b); }

namespace literals {}
namespace string_literals {}
inline string __literal_s(const char* text) { return string(text); }

}  // namespace std
