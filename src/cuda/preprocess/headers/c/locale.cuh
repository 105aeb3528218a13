// <locale.h>: there is the locale that programs begin with.
#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_TIME 2
#define LC_COLLATE 3
#define LC_MONETARY 4
#define LC_MESSAGES 5
#define LC_ALL 6
inline char* setlocale(int, const char* name) {
    bool is_there = name == 0 || *name == 0 || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
    return is_there ? (char*)"C" : (char*)0;
}
namespace std {
using ::setlocale;
}
