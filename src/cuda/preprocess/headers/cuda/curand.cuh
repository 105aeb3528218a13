// <curand.h>: the generators of the host API. Each is a row of generators of the device API, which take turns: 4096 of
// XORWOW with one number a turn, 65536 of Philox with four. Kernels fill the memory, as in CUDA's library.
#define CURAND_H_
enum curandStatus_t {
    CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102, CURAND_STATUS_TYPE_ERROR = 103, CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105, CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_INTERNAL_ERROR = 999,
};
typedef curandStatus_t curandStatus;
enum curandRngType_t {
    CURAND_RNG_TEST = 0, CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202, CURAND_RNG_QUASI_SOBOL64 = 203, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204,
};
typedef curandRngType_t curandRngType;
enum curandOrdering_t {
    CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101, CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103, CURAND_ORDERING_PSEUDO_DYNAMIC = 104, CURAND_ORDERING_QUASI_DEFAULT = 201,
};
struct curandGenerator_st {
    // How many take turns, and how many numbers each gives in one.
    size_t generators, each;
    unsigned long long seed, position;
    void* states;
    cudaStream_t stream;
    bool is_philox, is_for_host;
};
typedef curandGenerator_st* curandGenerator_t;

// The first generator; then, as many as there are, each that many further.
__global__ void __curand_begin(curandStateXORWOW* states, unsigned long long seed) { curand_init(seed, 0, 0, states); }
__global__ void __curand_double(curandStateXORWOW* states, unsigned int power) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, count = 1u << power;
    if (i >= count) return;
    curandStateXORWOW state = states[i];
    __curand::jump(state.v, 1, __curand::subsequence_power + power);
    states[i + count] = state;
}
__global__ void __curand_begin(curandStatePhilox4_32_10* states, unsigned long long seed) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}
// What generators have given before the first number that is asked for.
template <typename State>
__global__ void __curand_skip(State* states, unsigned long long turns, size_t count, unsigned int rest, size_t each) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long taken = turns / count + (i < turns % count);
    skipahead(taken * each + (i == turns % count ? rest : 0), &states[i]);
}
// Numbers one by one.
template <typename T, typename State, typename Draw>
__global__ void __curand_single(State* states, size_t count, T* to, size_t n, unsigned long long position, size_t each,
                                Draw draw) {
    // The generators that have turns, from the one whose turn it is.
    unsigned long long behind = position + n, turn = position / each + blockIdx.x * blockDim.x + threadIdx.x;
    if (turn * each >= behind) return;
    size_t i = turn % count;
    State state = states[i];
    for (; turn * each < behind; turn += count) {
        for (unsigned long long at = turn * each; at < (turn + 1) * each; at++) {
            if (at >= position && at < behind) to[at - position] = draw(&state);
        }
    }
    states[i] = state;
}
// Numbers two by two, of a turn that gives `each`.
template <typename T, typename State, typename Draw>
__global__ void __curand_pairs(State* states, size_t count, T* to, size_t n, unsigned long long first, size_t each,
                               Draw draw) {
    size_t turn = blockIdx.x * blockDim.x + threadIdx.x;
    if (turn * each >= n) return;
    size_t i = (first + turn) % count;
    State state = states[i];
    for (; turn * each < n; turn += count) {
        for (size_t at = turn * each; at < (turn + 1) * each; at += 2) {
            auto two = draw(&state);
            if (at < n) to[at] = two.x;
            if (at + 1 < n) to[at + 1] = two.y;
        }
    }
    states[i] = state;
}

struct __curand_bits {
    template <typename S> __device__ unsigned int operator()(S* state) const { return curand(state); }
};
struct __curand_uniform {
    template <typename S> __device__ float operator()(S* state) const { return curand_uniform(state); }
};
struct __curand_uniform_double {
    __device__ double operator()(curandStateXORWOW* state) const { return curand_uniform_double(state); }
};
struct __curand_two_doubles {
    __device__ double2 operator()(curandStatePhilox4_32_10* state) const { return curand_uniform2_double(state); }
};
struct __curand_normal {
    float mean, deviation;
    template <typename S> __device__ float2 operator()(S* state) const {
        float2 two = curand_normal2(state);
        return make_float2(mean + deviation * two.x, mean + deviation * two.y);
    }
};
struct __curand_normal_double {
    double mean, deviation;
    template <typename S> __device__ double2 operator()(S* state) const {
        double2 two = curand_normal2_double(state);
        return make_double2(mean + deviation * two.x, mean + deviation * two.y);
    }
};
struct __curand_log_normal {
    float mean, deviation;
    template <typename S> __device__ float2 operator()(S* state) const {
        return curand_log_normal2(state, mean, deviation);
    }
};
struct __curand_log_normal_double {
    double mean, deviation;
    template <typename S> __device__ double2 operator()(S* state) const {
        return curand_log_normal2_double(state, mean, deviation);
    }
};

inline void __curand_make(curandGenerator_t of, curandStateXORWOW* states) {
    __curand_begin<<<1, 1, 0, of->stream>>>(states, of->seed);
    for (unsigned int power = 0; (1u << power) < of->generators; power++)
        __curand_double<<<((1u << power) + 127) / 128, 128, 0, of->stream>>>(states, power);
}
inline void __curand_make(curandGenerator_t of, curandStatePhilox4_32_10* states) {
    __curand_begin<<<of->generators / 256, 256, 0, of->stream>>>(states, of->seed);
}
template <typename State> inline void __curand_start(curandGenerator_t of) {
    if (of->states != 0) return;
    State* states = 0;
    cudaMalloc((void**)&states, of->generators * sizeof(State));
    of->states = states;
    __curand_make(of, states);
    if (of->position == 0) return;
    __curand_skip<<<of->generators / 256, 256, 0, of->stream>>>(states, of->position / of->each, of->generators,
                                                                (unsigned int)(of->position % of->each), of->each);
}
// Blocks of 256 generators that have a turn when `n` numbers are drawn, `each` a turn.
inline unsigned int __curand_grid(curandGenerator_t of, size_t n, size_t each) {
    size_t turns = n / each + 2;
    return (unsigned int)(((turns < of->generators ? turns : of->generators) + 255) / 256);
}
// Where the numbers go first: to the host's memory they are copied then.
template <typename T> inline T* __curand_to(curandGenerator_t of, T* to, size_t n) {
    if (!of->is_for_host) return to;
    T* room = 0;
    cudaMalloc((void**)&room, n * sizeof(T));
    return room;
}
template <typename T> inline curandStatus_t __curand_done(curandGenerator_t of, T* to, T* room, size_t n) {
    if (room != to) {
        cudaMemcpy(to, room, n * sizeof(T), cudaMemcpyDeviceToHost);
        cudaFree(room);
    }
    return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
template <typename State, typename T, typename Draw>
inline curandStatus_t __curand_singles(curandGenerator_t of, T* to, size_t n, Draw draw) {
    __curand_start<State>(of);
    T* room = __curand_to(of, to, n);
    __curand_single<<<__curand_grid(of, n, of->each), 256, 0, of->stream>>>((State*)of->states, of->generators, room, n,
                                                                            of->position, of->each, draw);
    of->position += n;
    return __curand_done(of, to, room, n);
}
template <typename State, typename T, typename Draw>
inline curandStatus_t __curand_twos(curandGenerator_t of, T* to, size_t n, size_t each, Draw draw) {
    __curand_start<State>(of);
    T* room = __curand_to(of, to, n);
    unsigned long long first = of->position / of->each;
    __curand_pairs<<<__curand_grid(of, n, each), 256, 0, of->stream>>>((State*)of->states, of->generators, room, n,
                                                                       first, each, draw);
    of->position += (n + each - 1) / each * of->each;
    return __curand_done(of, to, room, n);
}
// Normal numbers come in twos.
template <typename T, typename Draw>
inline curandStatus_t __curand_normals(curandGenerator_t of, T* to, size_t n, Draw draw) {
    if (of == 0) return CURAND_STATUS_NOT_INITIALIZED;
    if (n % 2 != 0) return CURAND_STATUS_INTERNAL_ERROR;
    if (of->is_philox) return __curand_twos<curandStatePhilox4_32_10>(of, to, n, 4, draw);
    return __curand_twos<curandStateXORWOW>(of, to, n, 2, draw);
}

inline curandStatus_t curandCreateGenerator(curandGenerator_t* to, curandRngType_t type) {
    bool is_philox = type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
    if (!is_philox && type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW) {
        // CUDA has these; what is no generator at all it refuses without a word.
        if (type >= CURAND_RNG_PSEUDO_MRG32K3A && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
            fprintf(stderr, "error: of cuRAND's generators only XORWOW and Philox are simulated on the host\n");
        return CURAND_STATUS_TYPE_ERROR;
    }
    curandGenerator_t made = (curandGenerator_t)calloc(1, sizeof(curandGenerator_st));
    made->generators = is_philox ? 65536 : 4096;
    made->each = is_philox ? 4 : 1;
    made->is_philox = is_philox;
    *to = made;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* to, curandRngType_t type) {
    curandStatus_t status = curandCreateGenerator(to, type);
    if (status == CURAND_STATUS_SUCCESS) (*to)->is_for_host = true;
    return status;
}
inline curandStatus_t __curand_restart(curandGenerator_t of) {
    if (of == 0) return CURAND_STATUS_NOT_INITIALIZED;
    if (of->states != 0) cudaFree(of->states);
    of->states = 0;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t of) {
    curandStatus_t status = __curand_restart(of);
    free(of);
    return status;
}
inline curandStatus_t curandSetStream(curandGenerator_t of, cudaStream_t stream) {
    if (of == 0) return CURAND_STATUS_NOT_INITIALIZED;
    of->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t of, unsigned long long seed) {
    curandStatus_t status = __curand_restart(of);
    if (status != CURAND_STATUS_SUCCESS) return status;
    of->seed = seed;
    of->position = 0;
    return status;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t of, unsigned long long offset) {
    curandStatus_t status = __curand_restart(of);
    if (status == CURAND_STATUS_SUCCESS) of->position = offset;
    return status;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t of, curandOrdering_t order) {
    if (of == 0) return CURAND_STATUS_NOT_INITIALIZED;
    bool is_known = order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
                    order == CURAND_ORDERING_PSEUDO_LEGACY;
    return is_known ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
inline curandStatus_t curandGetVersion(int* version) {
    *version = 10400;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t of) {
    return of == 0 ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t of, unsigned int* to, size_t n) {
    if (of == 0) return CURAND_STATUS_NOT_INITIALIZED;
    if (of->is_philox) return __curand_singles<curandStatePhilox4_32_10>(of, to, n, __curand_bits());
    return __curand_singles<curandStateXORWOW>(of, to, n, __curand_bits());
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t of, float* to, size_t n) {
    if (of == 0) return CURAND_STATUS_NOT_INITIALIZED;
    if (of->is_philox) return __curand_singles<curandStatePhilox4_32_10>(of, to, n, __curand_uniform());
    return __curand_singles<curandStateXORWOW>(of, to, n, __curand_uniform());
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t of, double* to, size_t n) {
    if (of == 0) return CURAND_STATUS_NOT_INITIALIZED;
    if (of->is_philox) return __curand_twos<curandStatePhilox4_32_10>(of, to, n, 4, __curand_two_doubles());
    return __curand_singles<curandStateXORWOW>(of, to, n, __curand_uniform_double());
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t of, float* to, size_t n, float mean, float deviation) {
    return __curand_normals(of, to, n, __curand_normal{mean, deviation});
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t of, double* to, size_t n, double mean,
                                                 double deviation) {
    return __curand_normals(of, to, n, __curand_normal_double{mean, deviation});
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t of, float* to, size_t n, float mean, float deviation) {
    return __curand_normals(of, to, n, __curand_log_normal{mean, deviation});
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t of, double* to, size_t n, double mean,
                                                    double deviation) {
    return __curand_normals(of, to, n, __curand_log_normal_double{mean, deviation});
}
