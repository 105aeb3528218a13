// <stdio.h>, <stdlib.h>, <string.h>, <time.h> and what <math.h> has beside CUDA's functions: every CUDA program sees
// them, as nvcc includes them first.
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define stdin ((FILE*)1)
#define stdout ((FILE*)2)
#define stderr ((FILE*)3)
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define TIME_UTC 1
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2

// As nvcc's own headers include <assert.h>.
#define assert(...) __assert((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

struct __FILE;
typedef struct __FILE FILE;
typedef long clock_t;
typedef long time_t;
typedef long suseconds_t;
typedef int clockid_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char* tm_zone;
};
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

// What a function with `...` is given, each in a word of 8 bytes.
typedef char* va_list;
typedef char* __gnuc_va_list;
#define va_start(list, last) ((list) = (char*)__further_arguments)
#define va_arg(list, type) (*(type*)(((list) += 8) - 8))
#define va_copy(to, from) ((to) = (from))
#define va_end(list) ((void)0)

extern "C" {
int vprintf(const char*, va_list);
int vfprintf(FILE*, const char*, va_list);
int vsprintf(char*, const char*, va_list);
int vsnprintf(char*, size_t, const char*, va_list);
int printf(const char*, ...);
int fprintf(FILE*, const char*, ...);
int sprintf(char*, const char*, ...);
int snprintf(char*, size_t, const char*, ...);
int scanf(const char*, ...);
int fscanf(FILE*, const char*, ...);
int sscanf(const char*, const char*, ...);
int puts(const char*);
int putchar(int);
int putc(int, FILE*);
int fputc(int, FILE*);
int fputs(const char*, FILE*);
int getchar();
int getc(FILE*);
int fgetc(FILE*);
int ungetc(int, FILE*);
char* fgets(char*, int, FILE*);
long getline(char**, size_t*, FILE*);
FILE* fopen(const char*, const char*);
FILE* freopen(const char*, const char*, FILE*);
int fclose(FILE*);
int fflush(FILE*);
int feof(FILE*);
int ferror(FILE*);
void clearerr(FILE*);
int fseek(FILE*, long, int);
long ftell(FILE*);
void rewind(FILE*);
size_t fread(void*, size_t, size_t, FILE*);
size_t fwrite(const void*, size_t, size_t, FILE*);
int setvbuf(FILE*, char*, int, size_t);
void setbuf(FILE*, char*);
int remove(const char*);
int fileno(FILE*);
void perror(const char*);

void* malloc(size_t);
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void free(void*);
void* alloca(size_t);
void* aligned_alloc(size_t, size_t);
int posix_memalign(void**, size_t, size_t);
inline void* memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }
void exit(int);
void _exit(int);
void _Exit(int);
void quick_exit(int);
void abort();
int atexit(void (*)());
char* getenv(const char*);
int setenv(const char*, const char*, int);
int unsetenv(const char*);
int system(const char*);
int rand();
void srand(unsigned int);
int rand_r(unsigned int*);
long random();
void srandom(unsigned int);
double drand48();
void srand48(long);
long lrand48();
long mrand48();
int atoi(const char*);
long atol(const char*);
long long atoll(const char*);
double atof(const char*);
long strtol(const char*, char**, int);
long long strtoll(const char*, char**, int);
unsigned long strtoul(const char*, char**, int);
unsigned long long strtoull(const char*, char**, int);
float strtof(const char*, char**);
double strtod(const char*, char**);
void qsort(void*, size_t, size_t, int (*)(const void*, const void*));
void* bsearch(const void*, const void*, size_t, size_t, int (*)(const void*, const void*));

void* memcpy(void*, const void*, size_t);
void* memmove(void*, const void*, size_t);
void* memset(void*, int, size_t);
int memcmp(const void*, const void*, size_t);
void* memchr(const void*, int, size_t);
size_t strlen(const char*);
size_t strnlen(const char*, size_t);
char* strcpy(char*, const char*);
char* strncpy(char*, const char*, size_t);
char* strcat(char*, const char*);
char* strncat(char*, const char*, size_t);
int strcmp(const char*, const char*);
int strncmp(const char*, const char*, size_t);
int strcasecmp(const char*, const char*);
int strncasecmp(const char*, const char*, size_t);
char* strchr(const char*, int);
char* strrchr(const char*, int);
inline char* rindex(const char* text, int c) { return strrchr(text, c); }
char* strstr(const char*, const char*);
char* strpbrk(const char*, const char*);
size_t strspn(const char*, const char*);
size_t strcspn(const char*, const char*);
char* strtok(char*, const char*);
char* strtok_r(char*, const char*, char**);
char* strdup(const char*);
char* strndup(const char*, size_t);
char* strerror(int);

time_t time(time_t*);
int clock_gettime(clockid_t, timespec*);
int clock_getres(clockid_t, timespec*);
int timespec_get(timespec*, int);
double difftime(time_t, time_t);
time_t mktime(tm*);
tm* localtime(const time_t*);
tm* gmtime(const time_t*);
size_t strftime(char*, size_t, const char*, const tm*);
char* ctime(const time_t*);
char* asctime(const tm*);
int nanosleep(const timespec*, timespec*);

double nextafter(double, double);
float nextafterf(float, float);
double logb(double);
float logbf(float);
int ilogb(double);
int ilogbf(float);
double nan(const char*);
float nanf(const char*);
double j0(double);
double j1(double);
double y0(double);
double y1(double);
}

inline div_t div(int a, int b) { div_t r; r.quot = a / b; r.rem = a % b; return r; }
inline ldiv_t ldiv(long a, long b) { ldiv_t r; r.quot = a / b; r.rem = a % b; return r; }

// `long double` has the precision of `double` here.
inline double sqrtl(double x) { return sqrt(x); }
inline double fabsl(double x) { return fabs(x); }
inline double expl(double x) { return exp(x); }
inline double logl(double x) { return log(x); }
inline double sinl(double x) { return sin(x); }
inline double cosl(double x) { return cos(x); }
inline double tanl(double x) { return tan(x); }
inline double floorl(double x) { return floor(x); }
inline double ceill(double x) { return ceil(x); }
inline double roundl(double x) { return round(x); }
inline double log10l(double x) { return log10(x); }
inline double log2l(double x) { return log2(x); }
inline double powl(double x, double y) { return pow(x, y); }

inline void bzero(void* to, size_t bytes) { memset(to, 0, bytes); }

// C++ has the C library in `std`, too. <cmath> brings `min` and `max` along; in kernels they are CUDA's own.
namespace std {
using ::FILE; using ::clock_t; using ::time_t; using ::tm; using ::timespec; using ::div_t; using ::ldiv_t;
using ::lldiv_t; using ::printf; using ::fprintf; using ::sprintf; using ::snprintf; using ::scanf; using ::fscanf;
using ::sscanf; using ::puts; using ::putchar; using ::putc; using ::fputc; using ::fputs; using ::getchar;
using ::getc; using ::fgetc; using ::ungetc; using ::fgets; using ::fopen; using ::freopen; using ::fclose;
using ::fflush; using ::feof; using ::ferror; using ::clearerr; using ::fseek; using ::ftell; using ::rewind;
using ::fread; using ::fwrite; using ::setvbuf; using ::setbuf; using ::remove; using ::perror; using ::malloc;
using ::calloc; using ::realloc; using ::free; using ::aligned_alloc; using ::exit; using ::_Exit; using ::quick_exit;
using ::abort; using ::atexit; using ::getenv; using ::system; using ::rand; using ::srand; using ::atoi;
using ::atol; using ::atoll; using ::atof; using ::strtol; using ::strtoll; using ::strtoul; using ::strtoull;
using ::strtof; using ::strtod; using ::qsort; using ::bsearch; using ::memcpy; using ::memmove; using ::memset;
using ::memcmp; using ::memchr; using ::strlen; using ::strcpy; using ::strncpy; using ::strcat; using ::strncat;
using ::strcmp; using ::strncmp; using ::strchr; using ::strrchr; using ::strstr; using ::strpbrk; using ::strspn;
using ::strcspn; using ::strtok; using ::strerror; using ::time; using ::timespec_get; using ::difftime;
using ::mktime; using ::localtime; using ::gmtime; using ::strftime; using ::ctime; using ::asctime;
using ::nextafter; using ::nextafterf; using ::logb; using ::logbf; using ::ilogb; using ::ilogbf; using ::nan;
using ::nanf; using ::div; using ::ldiv;
template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
}  // namespace std
