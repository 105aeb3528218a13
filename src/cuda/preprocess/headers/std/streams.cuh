// <iostream>, <iomanip>, <sstream> and <fstream>. One class writes, to a file or to a string, and one reads; files can
// only be read.
namespace std {

typedef long streamsize;
typedef long streamoff;

class ios_base {
public:
    typedef unsigned int fmtflags;
    typedef unsigned int openmode;
    typedef unsigned int iostate;
    typedef unsigned int seekdir;
    static constexpr unsigned int boolalpha = 1;
    static constexpr unsigned int dec = 2;
    static constexpr unsigned int fixed = 4;
    static constexpr unsigned int hex = 8;
    static constexpr unsigned int internal = 16;
    static constexpr unsigned int left = 32;
    static constexpr unsigned int oct = 64;
    static constexpr unsigned int right = 128;
    static constexpr unsigned int scientific = 256;
    static constexpr unsigned int showbase = 512;
    static constexpr unsigned int showpoint = 1024;
    static constexpr unsigned int showpos = 2048;
    static constexpr unsigned int skipws = 4096;
    static constexpr unsigned int unitbuf = 8192;
    static constexpr unsigned int uppercase = 16384;
    static constexpr unsigned int adjustfield = 176;
    static constexpr unsigned int basefield = 74;
    static constexpr unsigned int floatfield = 260;
    static constexpr unsigned int app = 1;
    static constexpr unsigned int ate = 2;
    static constexpr unsigned int binary = 4;
    static constexpr unsigned int in = 8;
    static constexpr unsigned int out = 16;
    static constexpr unsigned int trunc = 32;
    static constexpr unsigned int goodbit = 0;
    static constexpr unsigned int badbit = 1;
    static constexpr unsigned int eofbit = 2;
    static constexpr unsigned int failbit = 4;
    static constexpr unsigned int beg = 0;
    static constexpr unsigned int cur = 1;
    static constexpr unsigned int end = 2;

    ios_base() : __flags(4098), __state(0), __precision(6), __width(0), __fill(' ') {}
    unsigned int flags() const { return __flags; }
    unsigned int flags(unsigned int set) {
        unsigned int old = __flags;
        __flags = set;
        return old;
    }
    unsigned int setf(unsigned int set) {
        unsigned int old = __flags;
        __flags |= set;
        return old;
    }
    unsigned int setf(unsigned int set, unsigned int mask) {
        unsigned int old = __flags;
        __flags = (__flags & ~mask) | (set & mask);
        return old;
    }
    void unsetf(unsigned int clear) { __flags &= ~clear; }
    long precision() const { return __precision; }
    long precision(long digits) {
        long old = __precision;
        __precision = (int)digits;
        return old;
    }
    long width() const { return __width; }
    long width(long columns) {
        long old = __width;
        __width = (int)columns;
        return old;
    }
    char fill() const { return __fill; }
    char fill(char c) {
        char old = __fill;
        __fill = c;
        return old;
    }
    unsigned int rdstate() const { return __state; }
    bool good() const { return __state == 0; }
    bool eof() const { return (__state & eofbit) != 0; }
    bool fail() const { return (__state & 5) != 0; }
    bool bad() const { return (__state & badbit) != 0; }
    bool operator!() const { return (__state & 5) != 0; }
    explicit operator bool() const { return (__state & 5) == 0; }
    void clear(unsigned int state = 0) { __state = state; }
    void setstate(unsigned int state) { __state |= state; }
    static bool sync_with_stdio(bool = true) { return true; }

    unsigned int __flags;
    unsigned int __state;
    int __precision;
    int __width;
    char __fill;
};
typedef ios_base ios;

// What changes a stream's flags, and what asks for more than that.
struct __flags_manipulator {
    unsigned int set, clear;
};
inline constexpr __flags_manipulator boolalpha = {1, 0};
inline constexpr __flags_manipulator noboolalpha = {0, 1};
inline constexpr __flags_manipulator dec = {2, 74};
inline constexpr __flags_manipulator hex = {8, 74};
inline constexpr __flags_manipulator oct = {64, 74};
inline constexpr __flags_manipulator fixed = {4, 260};
inline constexpr __flags_manipulator scientific = {256, 260};
inline constexpr __flags_manipulator hexfloat = {260, 260};
inline constexpr __flags_manipulator defaultfloat = {0, 260};
inline constexpr __flags_manipulator internal = {16, 176};
inline constexpr __flags_manipulator left = {32, 176};
inline constexpr __flags_manipulator right = {128, 176};
inline constexpr __flags_manipulator showbase = {512, 0};
inline constexpr __flags_manipulator noshowbase = {0, 512};
inline constexpr __flags_manipulator showpoint = {1024, 0};
inline constexpr __flags_manipulator noshowpoint = {0, 1024};
inline constexpr __flags_manipulator showpos = {2048, 0};
inline constexpr __flags_manipulator noshowpos = {0, 2048};
inline constexpr __flags_manipulator skipws = {4096, 0};
inline constexpr __flags_manipulator noskipws = {0, 4096};
inline constexpr __flags_manipulator unitbuf = {8192, 0};
inline constexpr __flags_manipulator nounitbuf = {0, 8192};
inline constexpr __flags_manipulator uppercase = {16384, 0};
inline constexpr __flags_manipulator nouppercase = {0, 16384};
struct __end_manipulator {
    int what;
};
inline constexpr __end_manipulator endl = {0};
inline constexpr __end_manipulator flush = {1};
inline constexpr __end_manipulator ends = {2};
struct __skip_manipulator {
    int what;
};
inline constexpr __skip_manipulator ws = {0};
struct __width_manipulator {
    int columns;
};
struct __precision_manipulator {
    int digits;
};
struct __fill_manipulator {
    char fill;
};
inline __width_manipulator setw(int columns) {
    __width_manipulator made = {columns};
    return made;
}
inline __precision_manipulator setprecision(int digits) {
    __precision_manipulator made = {digits};
    return made;
}
inline __fill_manipulator setfill(char c) {
    __fill_manipulator made = {c};
    return made;
}
// Texts between quotes, with what would end them behind a backslash.
inline string quoted(const string& text, char quote = '"', char escape = '\\') {
    string made(1, quote);
    for (char c : text) {
        if (c == quote || c == escape) {
            made.push_back(escape);
        }
        made.push_back(c);
    }
    made.push_back(quote);
    return made;
}
struct __time_manipulator {
    const tm* time;
    const char* format;
};
inline __time_manipulator put_time(const tm* time, const char* format) {
    __time_manipulator made = {time, format};
    return made;
}
inline __flags_manipulator setiosflags(unsigned int set) {
    __flags_manipulator made = {set, 0};
    return made;
}
inline __flags_manipulator resetiosflags(unsigned int clear) {
    __flags_manipulator made = {0, clear};
    return made;
}
inline __flags_manipulator setbase(int base) {
    __flags_manipulator made = {base == 16 ? 8u : base == 8 ? 64u : 2u, 74};
    return made;
}

class ostream : public ios_base {
public:
    explicit ostream(FILE* file) : __file(file), __to(0) {}
    explicit ostream(string* to) : __file(0), __to(to) {}

    ostream& write(const char* text, long count) {
        if (__to != 0) {
            __to->append(text, count);
        } else if (__file != 0) {
            fwrite(text, 1, count, __file);
        } else {
            __state |= badbit;
        }
        return *this;
    }
    ostream& put(char c) { return write(&c, 1); }
    ostream& flush() {
        if (__file != 0) {
            fflush(__file);
        }
        return *this;
    }
    long tellp() { return __to != 0 ? (long)__to->size() : -1; }

    ostream& operator<<(bool value) {
        if ((__flags & boolalpha) == 0) {
            return __integer(value, false);
        }
        if (value) {
            return __padded("true", 4, 0);
        }
        return __padded("false", 5, 0);
    }
    ostream& operator<<(char value) { return __padded(&value, 1, 0); }
    ostream& operator<<(signed char value) { return *this << (char)value; }
    ostream& operator<<(unsigned char value) { return *this << (char)value; }
    ostream& operator<<(short value) { return __whole_number(value, (unsigned short)value); }
    ostream& operator<<(unsigned short value) { return __integer(value, false); }
    ostream& operator<<(int value) { return __whole_number(value, (unsigned int)value); }
    ostream& operator<<(unsigned int value) { return __integer(value, false); }
    ostream& operator<<(long long value) { return __whole_number(value, (unsigned long long)value); }
    ostream& operator<<(unsigned long long value) { return __integer(value, false); }
    ostream& operator<<(float value) { return __floating(value); }
    ostream& operator<<(double value) { return __floating(value); }
    ostream& operator<<(const char* text) {
        if (text == 0) {
            __state |= badbit;
            return *this;
        }
        return __padded(text, strlen(text), 0);
    }
    ostream& operator<<(const string& text) { return __padded(text.data(), text.size(), 0); }
    ostream& operator<<(const void* pointer) {
        unsigned int old = __flags;
        __flags = (__flags & ~(basefield | uppercase)) | hex | showbase;
        __integer((unsigned long long)pointer, false);
        __flags = old;
        return *this;
    }
    ostream& operator<<(__end_manipulator end) {
        if (end.what == 0) {
            write("\n", 1);
        } else if (end.what == 2) {
            write("", 1);
        }
        return flush();
    }
    ostream& operator<<(__flags_manipulator change) {
        __flags = (__flags & ~change.clear) | change.set;
        return *this;
    }
    ostream& operator<<(__width_manipulator change) {
        __width = change.columns;
        return *this;
    }
    ostream& operator<<(__precision_manipulator change) {
        __precision = change.digits;
        return *this;
    }
    ostream& operator<<(__time_manipulator of) {
        char text[256];
        strftime(text, sizeof(text), of.format, of.time);
        return *this << text;
    }
    ostream& operator<<(__fill_manipulator change) {
        __fill = change.fill;
        return *this;
    }

    FILE* __file;
    string* __to;

private:
    void __repeat(int count) {
        for (int at = 0; at < count; ++at) {
            write(&__fill, 1);
        }
    }
    // A text in the columns that were asked for; `prefix` is the length of a sign or base, behind which internal
    // padding goes.
    ostream& __padded(const char* text, int length, int prefix) {
        int rest = __width - length;
        __width = 0;
        if (rest <= 0) {
            return write(text, length);
        }
        if ((__flags & left) != 0) {
            write(text, length);
            __repeat(rest);
        } else if ((__flags & internal) != 0) {
            write(text, prefix);
            __repeat(rest);
            write(text + prefix, length - prefix);
        } else {
            __repeat(rest);
            write(text, length);
        }
        return *this;
    }
    ostream& __whole_number(long long value, unsigned long long bits) {
        bool is_decimal = (__flags & (hex | oct)) == 0;
        if (is_decimal && value < 0) {
            return __integer(0 - (unsigned long long)value, true);
        }
        if (is_decimal && (__flags & showpos) != 0) {
            char text[32];
            return __padded(text, snprintf(text, 32, "+%lld", value), 1);
        }
        return __integer(bits, false);
    }
    ostream& __integer(unsigned long long value, bool is_negative) {
        char text[32];
        bool has_base = (__flags & showbase) != 0 && value != 0;
        if ((__flags & hex) != 0) {
            bool is_upper = (__flags & uppercase) != 0;
            int length = snprintf(text, 32, is_upper ? has_base ? "0X%llX" : "%llX" : has_base ? "0x%llx" : "%llx", value);
            return __padded(text, length, has_base ? 2 : 0);
        }
        if ((__flags & oct) != 0) {
            return __padded(text, snprintf(text, 32, has_base ? "0%llo" : "%llo", value), 0);
        }
        if (is_negative) {
            return __padded(text, snprintf(text, 32, "-%llu", value), 1);
        }
        return __padded(text, snprintf(text, 32, "%llu", value), 0);
    }
    ostream& __floating(double value) {
        char format[8];
        int at = 0;
        format[at++] = '%';
        if ((__flags & showpos) != 0) {
            format[at++] = '+';
        }
        if ((__flags & showpoint) != 0) {
            format[at++] = '#';
        }
        unsigned int notation = __flags & floatfield;
        if (notation != floatfield) {
            format[at++] = '.';
            format[at++] = '*';
        }
        char letter = notation == fixed ? 'f' : notation == scientific ? 'e' : notation == floatfield ? 'a' : 'g';
        format[at++] = (__flags & uppercase) != 0 ? (char)(letter - 32) : letter;
        format[at] = '\0';
        char text[512];
        int length = notation == floatfield ? snprintf(text, 512, format, value)
                                            : snprintf(text, 512, format, __precision, value);
        int prefix = text[0] == '-' || text[0] == '+' ? 1 : 0;
        if (notation == floatfield) {
            prefix += 2;
        }
        return __padded(text, length, prefix);
    }
};

class istream : public ios_base {
public:
    explicit istream(FILE* file) : __file(file), __count(0), __at(0), __ahead(-2) {}
    explicit istream(const string& text) : __file(0), __text(text), __count(0), __at(0), __ahead(-2) {}

    istream* rdbuf() { return this; }
    int peek() {
        if (__state != 0) {
            return -1;
        }
        int c = __next();
        if (c == -1) {
            __state |= eofbit;
        }
        return c;
    }
    int get() {
        int c = __state == 0 ? __next() : -1;
        __count = c != -1;
        if (c == -1) {
            __state |= eofbit | failbit;
        } else {
            __take();
        }
        return c;
    }
    istream& get(char& to) {
        int c = get();
        if (c != -1) {
            to = (char)c;
        }
        return *this;
    }
    istream& unget() {
        if (__at > 0) {
            --__at;
        }
        return *this;
    }
    istream& ignore(long most = 1, int until = -1) {
        for (long at = 0; at < most; ++at) {
            int c = __next();
            if (c == -1) {
                __state |= eofbit;
                break;
            }
            __take();
            if (c == until) {
                break;
            }
        }
        return *this;
    }
    istream& read(char* to, long count) {
        __count = 0;
        while (__count < count) {
            int c = __next();
            if (c == -1) {
                __state |= eofbit | failbit;
                break;
            }
            to[__count++] = (char)c;
            __take();
        }
        return *this;
    }
    istream& getline(char* to, long room, char until = '\n') {
        string line;
        __line(line, until);
        long count = (long)line.size() < room - 1 ? (long)line.size() : room - 1;
        memcpy(to, line.data(), count);
        to[count] = '\0';
        return *this;
    }
    long gcount() const { return __count; }
    long tellg() { return __file != 0 ? ftell(__file) - (__ahead != -2) : (long)__at; }
    istream& seekg(long to, unsigned int from = 0) {
        __state &= ~(unsigned int)eofbit;
        __ahead = -2;
        if (__file != 0) {
            fseek(__file, to, (int)from);
        } else {
            __at = to + (from == 1 ? (long)__at : from == 2 ? (long)__text.size() : 0);
        }
        return *this;
    }

    istream& operator>>(string& to) {
        string word;
        if (!__begin_word()) {
            return *this;
        }
        __read_word(word);
        to = word;
        return *this;
    }
    istream& operator>>(char& to) {
        if (__begin_word()) {
            to = (char)get();
        }
        return *this;
    }
    istream& operator>>(signed char& to) { return *this >> (char&)to; }
    istream& operator>>(unsigned char& to) { return *this >> (char&)to; }
    istream& operator>>(char* to) {
        string word;
        if (__begin_word()) {
            __read_word(word);
            strcpy(to, word.c_str());
        }
        return *this;
    }
    istream& operator>>(short& to) {
        long long value = to;
        __integer(value, -32768, 32767);
        to = (short)value;
        return *this;
    }
    istream& operator>>(unsigned short& to) {
        long long value = to;
        __integer(value, 0, 65535);
        to = (unsigned short)value;
        return *this;
    }
    istream& operator>>(int& to) {
        long long value = to;
        __integer(value, -2147483647 - 1, 2147483647);
        to = (int)value;
        return *this;
    }
    istream& operator>>(unsigned int& to) {
        long long value = to;
        __integer(value, 0, 4294967295ll);
        to = (unsigned int)value;
        return *this;
    }
    istream& operator>>(long long& to) {
        __integer(to, -9223372036854775807ll - 1, 9223372036854775807ll);
        return *this;
    }
    istream& operator>>(unsigned long long& to) {
        string digits;
        if (__number(digits, false)) {
            to = strtoull(digits.c_str(), 0, __base());
        }
        return *this;
    }
    istream& operator>>(bool& to) {
        long long value = to;
        __integer(value, 0, 1);
        to = value != 0;
        return *this;
    }
    istream& operator>>(double& to) {
        string digits;
        if (__number(digits, true)) {
            to = strtod(digits.c_str(), 0);
        }
        return *this;
    }
    istream& operator>>(float& to) {
        string digits;
        if (__number(digits, true)) {
            to = strtof(digits.c_str(), 0);
        }
        return *this;
    }
    istream& operator>>(__flags_manipulator change) {
        __flags = (__flags & ~change.clear) | change.set;
        return *this;
    }
    istream& operator>>(__skip_manipulator) {
        __skip();
        return *this;
    }

    // A line, without the character that ends it.
    istream& __line(string& to, char until) {
        to.clear();
        if (__state != 0) {
            __state |= failbit;
            return *this;
        }
        __count = 0;
        for (;;) {
            int c = __next();
            if (c == -1) {
                __state |= __count == 0 ? eofbit | failbit : eofbit;
                return *this;
            }
            __take();
            ++__count;
            if (c == until) {
                return *this;
            }
            to.push_back((char)c);
        }
    }

    FILE* __file;
    string __text;

private:
    long __count;
    size_t __at;
    int __ahead;

    // The next character, which stays; -1 at the end.
    int __next() {
        if (__file == 0) {
            return __at < __text.size() ? (unsigned char)__text.data()[__at] : -1;
        }
        if (__ahead == -2) {
            __ahead = fgetc(__file);
        }
        return __ahead;
    }
    void __take() {
        if (__file == 0) {
            ++__at;
        } else {
            __ahead = -2;
        }
    }
    void __skip() {
        for (int c = __next(); c == ' ' || (c >= 9 && c <= 13); c = __next()) {
            __take();
        }
        if (__next() == -1) {
            __state |= eofbit;
        }
    }
    bool __begin_word() {
        if (__state == 0 && (__flags & skipws) != 0) {
            __skip();
        }
        if (__state != 0) {
            __state |= failbit;
        }
        return __state == 0;
    }
    void __read_word(string& to) {
        for (int c = __next(); c != ' ' && !(c >= 9 && c <= 13); c = __next()) {
            if (c == -1) {
                __state |= eofbit;
                return;
            }
            to.push_back((char)c);
            __take();
            if (__width > 0 && --__width == 0) {
                return;
            }
        }
    }
    int __base() const { return (__flags & hex) != 0 ? 16 : (__flags & oct) != 0 ? 8 : 10; }
    // The characters of a number; false, with the stream failed, where none begins.
    bool __number(string& to, bool is_floating) {
        if (!__begin_word()) {
            return false;
        }
        bool has_digit = false;
        char last = ' ';
        for (int c = __next(); c != -1; c = __next()) {
            bool is_digit = (c >= '0' && c <= '9') || (!is_floating && __base() == 16 && isxdigit(c));
            bool is_sign = (c == '-' || c == '+') && (to.empty() || last == 'e');
            bool is_other = is_floating && ((c == '.' && to.find('.') == string::npos) ||
                                            ((c == 'e' || c == 'E') && has_digit && to.find('e') == string::npos));
            if (!is_digit && !is_sign && !is_other) {
                break;
            }
            has_digit = has_digit || is_digit;
            last = c == 'E' ? 'e' : (char)c;
            to.push_back(last);
            __take();
        }
        if (__next() == -1) {
            __state |= eofbit;
        }
        if (!has_digit) {
            __state |= failbit;
        }
        return has_digit;
    }
    void __integer(long long& to, long long least, long long most) {
        string digits;
        if (!__number(digits, false)) {
            to = 0;
            return;
        }
        long long value = strtoll(digits.c_str(), 0, __base());
        to = value < least ? least : value > most ? most : value;
        if (value < least || value > most) {
            __state |= failbit;
        }
    }
};

inline istream& getline(istream& from, string& to, char until = '\n') { return from.__line(to, until); }
// A buffer is the stream that reads from it.
inline ostream& operator<<(ostream& to, istream* from) {
    while (from->peek() != -1) to.put((char)from->get());
    return to;
}

inline ostream cout{stdout};
inline ostream cerr{stderr};
inline ostream clog{stderr};
inline istream cin{stdin};

// The characters of a stream as they are, blanks too.
template <class C> class istreambuf_iterator {
public:
    using value_type = C;
    istreambuf_iterator() : __in(0) {}
    istreambuf_iterator(istream& in) : __in(&in) {}
    C operator*() const { return (C)__in->peek(); }
    istreambuf_iterator& operator++() {
        __in->get();
        return *this;
    }
    bool operator==(const istreambuf_iterator& other) const { return __is_end() == other.__is_end(); }
    bool operator!=(const istreambuf_iterator& other) const { return __is_end() != other.__is_end(); }

private:
    istream* __in;
    bool __is_end() const { return __in == 0 || __in->peek() == -1; }
};
template <class T> class ostream_iterator {
public:
    ostream_iterator(ostream& to) : __to(&to), __between(0) {}
    ostream_iterator(ostream& to, const char* between) : __to(&to), __between(between) {}
    ostream_iterator& operator*() { return *this; }
    ostream_iterator& operator++() { return *this; }
    ostream_iterator operator++(int) { return *this; }
    ostream_iterator& operator=(const T& value) {
        *__to << value;
        if (__between != 0) {
            *__to << __between;
        }
        return *this;
    }

private:
    ostream* __to;
    const char* __between;
};

class ostringstream : public ostream {
public:
    ostringstream() : ostream(&__whole) {}
    explicit ostringstream(const string& text) : ostream(&__whole), __whole() {}
    string str() const { return __whole; }
    void str(const string& text) { __whole = text; }

private:
    string __whole;
};
class istringstream : public istream {
public:
    istringstream() : istream(string()) {}
    explicit istringstream(const string& text) : istream(text) {}
    string str() const { return __text; }
    void str(const string& text) {
        __text = text;
        seekg(0);
    }
};
// Writes at the end of the text that it reads.
class stringstream : public istream {
public:
    stringstream() : istream(string()), __writer(&__text) {}
    explicit stringstream(const string& text) : istream(text), __writer(&__text) {}
    string str() const { return __text; }
    void str(const string& text) {
        __text = text;
        seekg(0);
    }
    template <class T> stringstream& operator<<(const T& value) {
        clear(rdstate() & ~(unsigned int)eofbit);
        __writer << value;
        return *this;
    }
    operator ostream&() { return __writer; }

private:
    ostream __writer;
};

class ifstream : public istream {
public:
    ifstream() : istream((FILE*)0) {}
    explicit ifstream(const char* path, unsigned int mode = 8) : istream((FILE*)0) { open(path, mode); }
    explicit ifstream(const string& path, unsigned int mode = 8) : istream((FILE*)0) { open(path.c_str(), mode); }
    ~ifstream() { close(); }
    void open(const char* path, unsigned int mode = 8) {
        __file = fopen(path, "r");
        __state = __file == 0 ? failbit : 0;
        if (__file != 0 && (mode & ate) != 0) {
            seekg(0, end);
        }
    }
    void open(const string& path, unsigned int mode = 8) { open(path.c_str(), mode); }
    bool is_open() const { return __file != 0; }
    void close() {
        if (__file != 0) {
            fclose(__file);
            __file = 0;
        }
    }
};
class ofstream : public ostream {
public:
    ofstream() : ostream((FILE*)0) {}
    explicit ofstream(const char* path, unsigned int mode = 16) : ostream((FILE*)0) { open(path, mode); }
    explicit ofstream(const string& path, unsigned int mode = 16) : ostream((FILE*)0) { open(path.c_str(), mode); }
    ~ofstream() { close(); }
    void open(const char* path, unsigned int mode = 16) {
        __file = fopen(path, (mode & app) != 0 ? "a" : "w");
        __state = __file == 0 ? failbit : 0;
    }
    void open(const string& path, unsigned int mode = 16) { open(path.c_str(), mode); }
    bool is_open() const { return __file != 0; }
    void close() {
        if (__file != 0) {
            fclose(__file);
            __file = 0;
        }
    }
};
typedef ifstream fstream;

}  // namespace std
