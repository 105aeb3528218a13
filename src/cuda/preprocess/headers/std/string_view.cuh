// <string_view>
namespace std {

class string_view {
public:
    using value_type = char;
    using iterator = const char*;
    using const_iterator = const char*;
    static const size_t npos = -1;
    string_view() : __at(0), __length(0) {}
    string_view(const char* text) : __at(text), __length(strlen(text)) {}
    string_view(const char* text, size_t length) : __at(text), __length(length) {}
    string_view(const string& text) : __at(text.data()), __length(text.size()) {}
    const char* data() const { return __at; }
    size_t size() const { return __length; }
    size_t length() const { return __length; }
    bool empty() const { return __length == 0; }
    const char* begin() const { return __at; }
    const char* end() const { return __at + __length; }
    char operator[](size_t at) const { return __at[at]; }
    char front() const { return __at[0]; }
    char back() const { return __at[__length - 1]; }
    void remove_prefix(size_t count) {
        __at += count;
        __length -= count;
    }
    void remove_suffix(size_t count) { __length -= count; }
    string_view substr(size_t from, size_t count = npos) const {
        size_t left = __length - from;
        return string_view(__at + from, count < left ? count : left);
    }
    size_t find(char wanted, size_t from = 0) const { return __text().find(wanted, from); }
    size_t find(const char* wanted, size_t from = 0) const { return __text().find(wanted, from); }
    size_t rfind(char wanted) const { return __text().rfind(wanted); }
    int compare(string_view other) const { return __text().compare(other.__text()); }
    bool operator==(string_view other) const { return compare(other) == 0; }
    bool operator!=(string_view other) const { return compare(other) != 0; }
    bool operator<(string_view other) const { return compare(other) < 0; }
    explicit operator string() const { return __text(); }
    string __text() const { return string(__at, __length); }

private:
    const char* __at;
    size_t __length;
};
inline string::string(const string_view& text) : string(text.data(), text.size()) {}
inline ostream& operator<<(ostream& to, string_view text) { return to << text.__text(); }

}  // namespace std
