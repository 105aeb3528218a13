// <sys/time.h>, <sys/resource.h>, <unistd.h>, <getopt.h>, <sys/mman.h>, <sys/stat.h> and <sys/utsname.h>, as far as
// programs with kernels use them.
#define no_argument 0
#define required_argument 1
#define optional_argument 2
#define F_OK 0
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PAGESIZE 30
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANON 32
#define MAP_ANONYMOUS 32
#define MAP_FAILED ((void*)-1)
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
typedef int pid_t;
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timercmp(a, b, op) ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec op(b)->tv_usec : (a)->tv_sec op(b)->tv_sec)
#define timeradd(a, b, sum) \
    do { \
        (sum)->tv_sec = (a)->tv_sec + (b)->tv_sec; \
        (sum)->tv_usec = (a)->tv_usec + (b)->tv_usec; \
        if ((sum)->tv_usec >= 1000000) { \
            ++(sum)->tv_sec; \
            (sum)->tv_usec -= 1000000; \
        } \
    } while (0)
#define timersub(a, b, rest) \
    do { \
        (rest)->tv_sec = (a)->tv_sec - (b)->tv_sec; \
        (rest)->tv_usec = (a)->tv_usec - (b)->tv_usec; \
        if ((rest)->tv_usec < 0) { \
            --(rest)->tv_sec; \
            (rest)->tv_usec += 1000000; \
        } \
    } while (0)
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
struct rusage {
    timeval ru_utime, ru_stime;
    long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd;
    long ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
struct timezone {
    int tz_minuteswest, tz_dsttime;
};
struct option {
    const char* name;
    int has_arg;
    int* flag;
    int val;
};
extern "C" {
int gettimeofday(timeval*, void*);
int usleep(unsigned int);
unsigned int sleep(unsigned int);
pid_t getpid();
int access(const char*, int);
long sysconf(int);
int isatty(int);
int gethostname(char*, size_t);
}
// Files that a program writes lie in memory, in whatever folder.
inline int mkdir(const char*, unsigned int) { return 0; }
struct stat {
    unsigned int st_mode;
    long st_size;
};
inline int stat(const char* path, struct stat* of) {
    memset(of, 0, sizeof(*of));
    return access(path, F_OK);
}
struct utsname {
    char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};
inline int uname(utsname* of) {
    memset(of, 0, sizeof(*of));
    strcpy(of->sysname, "Linux");
    gethostname(of->nodename, sizeof(of->nodename));
    strcpy(of->machine, "x86_64");
    return 0;
}
// All of the clock's time is the program's own.
inline int getrusage(int, rusage* used) {
    memset(used, 0, sizeof(rusage));
    clock_t now = clock();
    used->ru_utime.tv_sec = now / CLOCKS_PER_SEC;
    used->ru_utime.tv_usec = now % CLOCKS_PER_SEC;
    return 0;
}
// Memory of no file is memory that begins as zero, on a page of its own; there are no others.
inline void* mmap(void*, size_t bytes, int, int flags, int, long) {
    if ((flags & MAP_ANON) == 0 || bytes == 0) {
        return MAP_FAILED;
    }
    void* pages = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return pages == 0 ? MAP_FAILED : memset(pages, 0, bytes);
}
inline int munmap(void* pages, size_t) {
    free(pages);
    return 0;
}
inline int getpagesize() { return 4096; }
inline int opterr = 1;
inline int optind = 1;
inline int optopt = '?';
inline char* optarg = 0;
inline int __getopt_at = 1;

inline int __getopt_wrong(char* const* argv, const char* what, int option) {
    if (opterr) {
        fprintf(stderr, "%s: %s -- '%c'\n", argv[0], what, option);
    }
    optopt = option;
    return '?';
}
// Options before the first operand, as POSIX has it; operands are not moved behind them.
inline int getopt(int argc, char* const* argv, const char* options) {
    if (optind >= argc || argv[optind][0] != '-' || argv[optind][1] == 0) {
        return -1;
    }
    if (strcmp(argv[optind], "--") == 0) {
        ++optind;
        return -1;
    }
    char* word = argv[optind];
    int option = word[__getopt_at++];
    const char* found = strchr(options, option);
    bool is_last = word[__getopt_at] == 0;
    if (found == 0 || option == ':') {
        if (is_last) {
            ++optind;
            __getopt_at = 1;
        }
        return __getopt_wrong(argv, "invalid option", option);
    }
    if (found[1] != ':') {
        if (is_last) {
            ++optind;
            __getopt_at = 1;
        }
        return option;
    }
    char* rest = word + __getopt_at;
    ++optind;
    __getopt_at = 1;
    optarg = 0;
    if (!is_last) {
        optarg = rest;
    } else if (found[2] != ':') {
        if (optind >= argc) {
            int wrong = __getopt_wrong(argv, "option requires an argument", option);
            return options[0] == ':' ? ':' : wrong;
        }
        optarg = argv[optind++];
    }
    return option;
}
inline int getopt_long(int argc, char* const* argv, const char* options, const option* longs, int* index) {
    if (optind >= argc || strncmp(argv[optind], "--", 2) != 0 || argv[optind][2] == 0) {
        return getopt(argc, argv, options);
    }
    char* word = argv[optind++] + 2;
    size_t length = strcspn(word, "=");
    for (int at = 0; longs[at].name != 0; ++at) {
        if (strlen(longs[at].name) != length || strncmp(word, longs[at].name, length) != 0) {
            continue;
        }
        optarg = 0;
        if (word[length] == '=') {
            optarg = word + length + 1;
        } else if (longs[at].has_arg == required_argument) {
            if (optind >= argc) {
                fprintf(stderr, "%s: option '--%s' requires an argument\n", argv[0], longs[at].name);
                return '?';
            }
            optarg = argv[optind++];
        }
        if (index != 0) {
            *index = at;
        }
        if (longs[at].flag != 0) {
            *longs[at].flag = longs[at].val;
            return 0;
        }
        return longs[at].val;
    }
    fprintf(stderr, "%s: unrecognized option '--%s'\n", argv[0], word);
    return '?';
}
// A single dash may begin a long option, too.
inline int getopt_long_only(int argc, char* const* argv, const char* options, const option* longs, int* index) {
    char* word = optind < argc ? argv[optind] : 0;
    if (word != 0 && word[0] == '-' && word[1] != '-' && word[1] != 0) {
        size_t length = strcspn(word + 1, "=");
        for (int at = 0; longs[at].name != 0; ++at) {
            if (strlen(longs[at].name) == length && strncmp(word + 1, longs[at].name, length) == 0) {
                char* longer = (char*)malloc(strlen(word) + 2);
                sprintf(longer, "-%s", word);
                ((char**)argv)[optind] = longer;
                break;
            }
        }
    }
    return getopt_long(argc, argv, options, longs, index);
}
