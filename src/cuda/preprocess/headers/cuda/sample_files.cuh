// helper_image.h of NVIDIA's samples: images in the formats PGM and PPM, lists of numbers in text, and comparisons of such
// files. What a program writes lies in memory.
#ifndef __MIN_EPSILON_ERROR
#define __MIN_EPSILON_ERROR 1e-3f
#endif

// Samples of one byte, as floats from 0 to 1.
inline void __from_byte(unsigned char byte, unsigned char* to) { *to = byte; }
inline void __from_byte(unsigned char byte, float* to) { *to = (float)byte / 255.0f; }
inline unsigned char __to_byte(unsigned char sample) { return sample; }
inline unsigned char __to_byte(float sample) { return (unsigned char)(sample * 255.0f); }

inline bool __loadPPM(const char* name, unsigned char** to, unsigned int* w, unsigned int* h, unsigned int* channels) {
    FILE* file = fopen(name, "rb");
    if (file == NULL) {
        fprintf(stderr, "__LoadPPM() : Failed to open file: %s\n", name);
        return false;
    }
    char line[64];
    bool has_line = fgets(line, sizeof(line), file) != NULL;
    *channels = !has_line ? 0 : strncmp(line, "P5", 2) == 0 ? 1 : strncmp(line, "P6", 2) == 0 ? 3 : 0;
    if (*channels == 0) {
        fprintf(stderr, "__LoadPPM() : %s\n",
                has_line ? "File is not a PPM or PGM image" : "reading PGM header returned NULL");
        return false;
    }
    // Width, height and the largest sample, on as many lines as the file likes.
    unsigned int numbers[3] = {0, 0, 0};
    for (int known = 0; known < 3;) {
        if (fgets(line, sizeof(line), file) == NULL) {
            fprintf(stderr, "__LoadPPM() : reading PGM header returned NULL\n");
            return false;
        }
        if (line[0] == '#') {
            continue;
        }
        unsigned int* next = numbers + known;
        if (known == 0) {
            known += sscanf(line, "%u %u %u", next, next + 1, next + 2);
        } else if (known == 1) {
            known += sscanf(line, "%u %u", next, next + 1);
        } else {
            known += sscanf(line, "%u", next);
        }
    }
    size_t count = (size_t)numbers[0] * numbers[1] * *channels;
    if (*to != NULL) {
        if (*w != numbers[0] || *h != numbers[1]) {
            fprintf(stderr, "__LoadPPM() : Invalid image dimensions.\n");
        }
    } else {
        *to = (unsigned char*)malloc(count);
        *w = numbers[0];
        *h = numbers[1];
    }
    if (fread(*to, 1, count, file) == 0) {
        fprintf(stderr, "__LoadPPM() read data returned error.\n");
    }
    fclose(file);
    return true;
}

template <class T> inline bool sdkLoadPGM(const char* name, T** to, unsigned int* w, unsigned int* h) {
    unsigned char* bytes = NULL;
    unsigned int channels;
    if (!__loadPPM(name, &bytes, w, h, &channels)) {
        return false;
    }
    unsigned int count = *w * *h * channels;
    if (*to == NULL) {
        *to = (T*)malloc(sizeof(T) * count);
    }
    for (unsigned int at = 0; at < count; ++at) {
        __from_byte(bytes[at], *to + at);
    }
    free(bytes);
    return true;
}

// With a fourth channel, which is 0.
template <class T> inline bool sdkLoadPPM4(const char* name, T** to, unsigned int* w, unsigned int* h) {
    unsigned char* bytes = NULL;
    unsigned int channels;
    if (!__loadPPM(name, &bytes, w, h, &channels)) {
        free(bytes);
        return false;
    }
    unsigned int count = *w * *h;
    *to = (T*)malloc(sizeof(T) * count * 4);
    unsigned char* into = (unsigned char*)*to;
    for (unsigned int at = 0; at < count; ++at) {
        for (unsigned int channel = 0; channel < 4; ++channel) {
            into[4 * at + channel] = channel < 3 ? bytes[3 * at + channel] : 0;
        }
    }
    free(bytes);
    return true;
}
inline bool sdkLoadPPMub(const char* name, unsigned char** to, unsigned int* w, unsigned int* h) {
    unsigned int channels;
    return __loadPPM(name, to, w, h, &channels);
}
inline bool sdkLoadPPM4ub(const char* name, unsigned char** to, unsigned int* w, unsigned int* h) {
    return sdkLoadPPM4(name, to, w, h);
}

inline bool __savePPM(const char* name, unsigned char* bytes, unsigned int w, unsigned int h, unsigned int channels) {
    assert(bytes != NULL && w > 0 && h > 0);
    FILE* file = fopen(name, "wb");
    if (file == NULL) {
        fprintf(stderr, "__savePPM() : Opening file failed.\n");
        return false;
    }
    fprintf(file, "P%d\n%u\n%u\n%d\n", channels == 1 ? 5 : 6, w, h, 255);
    fwrite(bytes, 1, (size_t)w * h * channels, file);
    fclose(file);
    return true;
}
template <class T> inline bool sdkSavePGM(const char* name, T* samples, unsigned int w, unsigned int h) {
    unsigned char* bytes = (unsigned char*)malloc((size_t)w * h);
    for (unsigned int at = 0; at < w * h; ++at) {
        bytes[at] = __to_byte(samples[at]);
    }
    bool is_written = __savePPM(name, bytes, w, h, 1);
    free(bytes);
    return is_written;
}
inline bool sdkSavePPM4ub(const char* name, unsigned char* samples, unsigned int w, unsigned int h) {
    unsigned char* bytes = (unsigned char*)malloc((size_t)w * h * 3);
    for (unsigned int at = 0; at < w * h; ++at) {
        for (unsigned int channel = 0; channel < 3; ++channel) {
            bytes[3 * at + channel] = samples[4 * at + channel];
        }
    }
    bool is_written = __savePPM(name, bytes, w, h, 3);
    free(bytes);
    return is_written;
}

template <class T> inline bool sdkReadFile(const char* name, T** to, unsigned int* count, bool) {
    FILE* file = fopen(name, "r");
    if (file == NULL) {
        printf("Unable to open input file: %s\n", name);
        return false;
    }
    std::vector<T> numbers;
    T number = T();
    while (!feof(file)) {
        fscanf(file, "%f", &number);
        numbers.push_back(number);
    }
    // The last one was read twice.
    numbers.pop_back();
    fclose(file);
    if (*to != NULL) {
        if (*count != numbers.size()) {
            fprintf(stderr,
                    "sdkReadFile() : Initialized memory given but size  mismatch with signal read (data read / data "
                    "init = %u / %u)\n",
                    (unsigned int)numbers.size(), *count);
            return false;
        }
    } else {
        *to = (T*)malloc(sizeof(T) * numbers.size());
        *count = (unsigned int)numbers.size();
    }
    memcpy(*to, numbers.data(), sizeof(T) * numbers.size());
    return true;
}
template <class T>
inline bool sdkReadFileBlocks(const char* name, T** to, unsigned int* count, unsigned int block, unsigned int bytes,
                              bool is_verbose) {
    FILE* file = fopen(name, "rb");
    if (file == NULL) {
        if (is_verbose) {
            fprintf(stderr, "sdkReadFile() : Opening file failed.\n");
        }
        return false;
    }
    to[block] = (T*)malloc(bytes);
    fseek(file, (long)block * bytes, SEEK_SET);
    *count = (unsigned int)fread(to[block], sizeof(T), bytes / sizeof(T), file);
    fclose(file);
    return true;
}
template <class T, class S>
inline bool sdkWriteFile(const char* name, const T* numbers, unsigned int count, const S epsilon, bool is_verbose,
                         bool = false) {
    std::ofstream file(name);
    if (is_verbose) {
        fprintf(stderr, "sdkWriteFile() : Open file %s for write/append.\n", name);
    }
    if (!file.good()) {
        if (is_verbose) {
            fprintf(stderr, "sdkWriteFile() : Opening file failed.\n");
        }
        return false;
    }
    file << "# " << epsilon << "\n";
    for (unsigned int at = 0; at < count; ++at) {
        file << numbers[at] << ' ';
    }
    file << std::endl;
    return true;
}
inline void sdkDumpBin(void* bytes, unsigned int count, const char* name) {
    printf("sdkDumpBin: <%s>\n", name);
    FILE* file = fopen(name, "wb");
    fwrite(bytes, count, 1, file);
    fclose(file);
}

template <class T, class S>
inline bool compareDataAsFloatThreshold(const T* reference, const T* data, const unsigned int count, const S epsilon,
                                        const float threshold) {
    float most = epsilon < 1e-3f ? 1e-3f : (float)epsilon;
    int errors = 0;
    for (unsigned int at = 0; at < count; ++at) {
        float difference = fabsf((float)reference[at] - (float)data[at]);
        errors += !(difference < most);
    }
    if (threshold == 0.0f) {
        if (errors > 0) {
            printf("total # of errors = %d\n", errors);
        }
        return errors == 0;
    }
    if (errors > 0) {
        printf("%4.2f(%%) of bytes mismatched (count=%d)\n", (float)errors * 100 / (float)count, errors);
    }
    return count * threshold > errors;
}

// Two images with as many bytes for each pixel as `load` gives.
inline bool __compare_images(const char* name, const char* reference_name, float epsilon, float threshold,
                             bool (*load)(const char*, unsigned char**, unsigned int*, unsigned int*),
                             unsigned int channels) {
    unsigned char* data = NULL;
    unsigned char* reference = NULL;
    unsigned int w = 0, h = 0, reference_w = 0, reference_h = 0;
    if (name == NULL || reference_name == NULL || !load(reference_name, &reference, &reference_w, &reference_h)
        || !load(name, &data, &w, &h)) {
        return false;
    }
    return compareData(reference, data, w * h * channels, epsilon, threshold);
}
inline bool sdkComparePPM(const char* name, const char* reference, const float epsilon, const float threshold, bool) {
    return __compare_images(name, reference, epsilon, threshold, sdkLoadPPM4ub, 4);
}
inline bool sdkComparePGM(const char* name, const char* reference, const float epsilon, const float threshold, bool) {
    return __compare_images(name, reference, epsilon, threshold, sdkLoadPPMub, 1);
}
