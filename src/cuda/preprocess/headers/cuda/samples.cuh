// The headers of NVIDIA's samples: helper_cuda.h, helper_functions.h, helper_string.h and helper_timer.h.
#define EXIT_WAIVED 2
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, size, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
#define getLastCudaError(msg) __getLastCudaError(msg, __FILE__, __LINE__)
#define printLastCudaError(msg) __printLastCudaError(msg, __FILE__, __LINE__)
#define DEVICE_RESET cudaDeviceReset();
#ifndef MIN
#define MIN(a, b) ((a < b) ? a : b)
#endif
#ifndef MAX
#define MAX(a, b) ((a > b) ? a : b)
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

template <typename T>
void check(T result, const char* const what, const char* const file, int const line) {
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (unsigned int)result,
                _cudaGetErrorEnum(result), what);
        exit(EXIT_FAILURE);
    }
}
inline void __getLastCudaError(const char* message, const char* file, const int line) {
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
                cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
inline void __printLastCudaError(const char* message, const char* file, const int line) {
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
                cudaGetErrorString(error));
    }
}

inline int ftoi(float value) { return value >= 0 ? (int)(value + 0.5f) : (int)(value - 0.5f); }

// Cores of a multiprocessor by compute capability.
inline int _ConvertSMVer2Cores(int major, int minor) {
    switch (major * 16 + minor) {
    case 0x30:
    case 0x32:
    case 0x35:
    case 0x37:
        return 192;
    case 0x60:
    case 0x70:
    case 0x72:
    case 0x75:
    case 0x80:
        return 64;
    case 0x50:
    case 0x52:
    case 0x53:
    case 0x61:
    case 0x62:
    case 0x86:
    case 0x87:
    case 0x89:
    case 0x90:
    case 0xa0:
    case 0xa1:
    case 0xa3:
    case 0xb0:
    case 0xc0:
    case 0xc1:
        return 128;
    }
    printf("MapSMtoCores for SM %d.%d is undefined.  Default to use %d Cores/SM\n", major, minor, 128);
    return 128;
}
inline const char* _ConvertSMVer2ArchName(int major, int minor) {
    switch (major * 16 + minor) {
    case 0x30:
    case 0x32:
    case 0x35:
    case 0x37:
        return "Kepler";
    case 0x50:
    case 0x52:
    case 0x53:
        return "Maxwell";
    case 0x60:
    case 0x61:
    case 0x62:
        return "Pascal";
    case 0x70:
        return "Volta";
    case 0x72:
        return "Xavier";
    case 0x75:
        return "Turing";
    case 0x80:
    case 0x86:
    case 0x87:
        return "Ampere";
    case 0x89:
        return "Ada";
    case 0x90:
        return "Hopper";
    case 0xa0:
    case 0xa1:
    case 0xa3:
    case 0xb0:
    case 0xc0:
    case 0xc1:
        return "Blackwell";
    }
    printf("MapSMtoArchName for SM %d.%d is undefined.  Default to use %s\n", major, minor, "Hopper");
    return "Hopper";
}

inline int stringRemoveDelimiter(char delimiter, const char* text) {
    int at = 0;
    while (text[at] == delimiter) {
        at++;
    }
    return at >= (int)strlen(text) - 1 ? 0 : at;
}
// The word behind the dashes of an argument that is called `name`, from its `=` on; null for another argument.
inline const char* __option_value(const char* word, const char* name) {
    const char* text = word + stringRemoveDelimiter('-', word);
    size_t length = strlen(name);
    if (strncasecmp(text, name, length) != 0 || (text[length] != 0 && text[length] != '=')) {
        return 0;
    }
    return text + length;
}
// The same of the first argument that is called `name`.
inline const char* __option(const int argc, const char** argv, const char* name) {
    for (int at = 1; at < argc; at++) {
        const char* value = __option_value(argv[at], name);
        if (value != 0) {
            return value;
        }
    }
    return 0;
}
inline bool checkCmdLineFlag(const int argc, const char** argv, const char* name) {
    return __option(argc, argv, name) != 0;
}
inline int getCmdLineArgumentInt(const int argc, const char** argv, const char* name) {
    const char* value = __option(argc, argv, name);
    return value != 0 && *value == '=' ? atoi(value + 1) : 0;
}
inline float getCmdLineArgumentFloat(const int argc, const char** argv, const char* name) {
    const char* value = __option(argc, argv, name);
    return value != 0 && *value == '=' ? (float)atof(value + 1) : 0.0f;
}
inline bool getCmdLineArgumentString(const int argc, const char** argv, const char* name, char** to) {
    const char* value = __option(argc, argv, name);
    *to = (char*)(value != 0 && *value == '=' ? value + 1 : value);
    return value != 0;
}
template <class T> inline bool getCmdLineArgumentValue(const int argc, const char** argv, const char* name, T* to) {
    const char* value = __option(argc, argv, name);
    if (value != 0) {
        *to = (T)(*value == '=' ? atof(value + 1) : 0.0);
    }
    return value != 0;
}
inline char* sdkFindFilePath(const char* name, const char*) {
    FILE* file = fopen(name, "rb");
    if (file != 0) {
        fclose(file);
        return strdup(name);
    }
    char* inside = (char*)malloc(strlen(name) + 8);
    sprintf(inside, "./data/%s", name);
    file = fopen(inside, "rb");
    if (file != 0) {
        fclose(file);
        return inside;
    }
    free(inside);
    return 0;
}

inline int gpuDeviceInit(int device) {
    int count;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (count == 0) {
        fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n");
        exit(EXIT_FAILURE);
    }
    if (device < 0) {
        device = 0;
    }
    if (device > count - 1) {
        fprintf(stderr, "\n");
        fprintf(stderr, ">> %d CUDA capable GPU device(s) detected. <<\n", count);
        fprintf(stderr, ">> gpuDeviceInit (-device=%d) is not a valid GPU device. <<\n", device);
        fprintf(stderr, "\n");
        return -device;
    }
    int major = 0;
    int minor = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    checkCudaErrors(cudaSetDevice(device));
    printf("gpuDeviceInit() CUDA Device [%d]: \"%s\n", device, _ConvertSMVer2ArchName(major, minor));
    return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char** argv) {
    int device = 0;
    if (checkCmdLineFlag(argc, argv, "device")) {
        device = getCmdLineArgumentInt(argc, argv, "device=");
        if (device < 0) {
            printf("Invalid command line parameter\n ");
            exit(EXIT_FAILURE);
        }
        device = gpuDeviceInit(device);
        if (device < 0) {
            printf("exiting...\n");
            exit(EXIT_FAILURE);
        }
        return device;
    }
    int major = 0;
    int minor = 0;
    device = gpuGetMaxGflopsDeviceId();
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(major, minor),
           major, minor);
    return device;
}
inline int findIntegratedGPU() {
    fprintf(stderr, "CUDA error: No Integrated GPU found that supports CUDA.\n");
    exit(EXIT_FAILURE);
    return -1;
}
inline bool checkCudaCapabilities(int wantedMajor, int wantedMinor) {
    int device, major = 0, minor = 0;
    checkCudaErrors(cudaGetDevice(&device));
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    if (major > wantedMajor || (major == wantedMajor && minor >= wantedMinor)) {
        printf("  Device %d: <%16s >, Compute SM %d.%d detected\n", device, _ConvertSMVer2ArchName(major, minor), major,
               minor);
        return true;
    }
    printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", wantedMajor, wantedMinor);
    return false;
}

// Wall-clock time in milliseconds, of the last run and of all runs.
class StopWatchInterface {
public:
    StopWatchInterface() : __begun(0), __last(0), __total(0), __sessions(0), __runs(false) {}
    static double now() {
        timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
    }
    void start() {
        __begun = now();
        __runs = true;
    }
    void stop() {
        __last = (float)(now() - __begun);
        __total += __last;
        __runs = false;
        __sessions++;
    }
    void reset() {
        __last = 0;
        __total = 0;
        __sessions = 0;
        if (__runs) {
            __begun = now();
        }
    }
    float getTime() { return __runs ? __total + (float)(now() - __begun) : __total; }
    float getAverageTime() { return __sessions > 0 ? __total / __sessions : 0.0f; }

private:
    double __begun;
    float __last;
    float __total;
    int __sessions;
    bool __runs;
};
inline bool sdkCreateTimer(StopWatchInterface** to) {
    *to = (StopWatchInterface*)calloc(1, sizeof(StopWatchInterface));
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** of) {
    free(*of);
    *of = 0;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface** of) {
    (*of)->start();
    return true;
}
inline bool sdkStopTimer(StopWatchInterface** of) {
    (*of)->stop();
    return true;
}
inline bool sdkResetTimer(StopWatchInterface** of) {
    (*of)->reset();
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface** of) { return *of != 0 ? (*of)->getTime() : -1.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface** of) { return *of != 0 ? (*of)->getAverageTime() : 0.0f; }

template <class T, class S>
inline bool compareData(const T* reference, const T* data, const unsigned int count, const S epsilon,
                        const float threshold) {
    unsigned int errors = 0;
    for (unsigned int at = 0; at < count; ++at) {
        T difference = reference[at] - data[at];
        if (!(difference <= epsilon && difference >= -epsilon)) {
            errors++;
        }
    }
    if (threshold == 0.0f) {
        return errors == 0;
    }
    if (errors > 0) {
        printf("%4.2f(%%) of bytes mismatched (count=%d)\n", (float)errors * 100 / (float)count, errors);
    }
    return count * threshold > errors;
}
inline bool sdkCompareL2fe(const float* reference, const float* data, const unsigned int count, const float epsilon) {
    float error = 0;
    float whole = 0;
    for (unsigned int at = 0; at < count; ++at) {
        float difference = reference[at] - data[at];
        error += difference * difference;
        whole += reference[at] * reference[at];
    }
    float norm = sqrtf(whole);
    if (fabsf(whole) < 1e-7) {
        return false;
    }
    return sqrtf(error) / norm < epsilon;
}
