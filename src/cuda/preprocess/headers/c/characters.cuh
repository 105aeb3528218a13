// <ctype.h> and <errno.h>.
#define errno (*__errno_location())
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define EDOM 33
#define ERANGE 34
extern "C" {
int* __errno_location();
int isalpha(int);
int isdigit(int);
int isalnum(int);
int isspace(int);
int isupper(int);
int islower(int);
int isxdigit(int);
int ispunct(int);
int isprint(int);
int isgraph(int);
int iscntrl(int);
int isblank(int);
int toupper(int);
int tolower(int);
}
namespace std {
using ::isalpha; using ::isdigit; using ::isalnum; using ::isspace; using ::isupper; using ::islower;
using ::isxdigit; using ::ispunct; using ::isprint; using ::isgraph; using ::iscntrl; using ::isblank;
using ::toupper; using ::tolower;
}
