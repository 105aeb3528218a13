// What <cuda/atomic> declares. All orders are the strongest one: the simulated GPU changes memory in one order for all
// threads. A value of less than four bytes takes a word of its own in an `atomic`; an `atomic_ref` needs whole words.
namespace cuda {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

__device__ inline void atomic_thread_fence(memory_order, thread_scope scope = thread_scope_system) {
    if (scope == thread_scope_block) {
        __threadfence_block();
    } else {
        __threadfence();
    }
}

namespace __atomics {

// The word that is compared and exchanged for a value of so many bytes.
template <int Bytes>
struct word {
    typedef unsigned int type;
};
template <>
struct word<8> {
    typedef unsigned long long type;
};
template <typename T>
struct bits {
    typedef typename word<sizeof(T)>::type type;
    static __host__ __device__ type word_of(T value) { return (type)value; }
    static __host__ __device__ T value_of(type bits) { return (T)bits; }
};
template <>
struct bits<float> {
    typedef unsigned int type;
    static __host__ __device__ type word_of(float value) { return __float_as_uint(value); }
    static __host__ __device__ float value_of(type bits) { return __uint_as_float(bits); }
};
template <>
struct bits<double> {
    typedef unsigned long long type;
    static __host__ __device__ type word_of(double value) { return (type)__double_as_longlong(value); }
    static __host__ __device__ double value_of(type bits) { return __longlong_as_double((long long)bits); }
};

// Sums of floats have instructions of their own; other numbers wrap in any word.
template <typename T>
struct sum {
    typedef typename bits<T>::type type;
    static __host__ __device__ T add(type* at, T by) { return (T)atomicAdd(at, (type)by); }
};
template <>
struct sum<float> {
    static __host__ __device__ float add(unsigned int* at, float by) { return atomicAdd((float*)at, by); }
};
template <>
struct sum<double> {
    static __host__ __device__ double add(unsigned long long* at, double by) { return atomicAdd((double*)at, by); }
};

// What an object does with the word that it stands for.
template <typename T>
struct operations {
    typedef typename bits<T>::type type;

    static __host__ __device__ T load(type* at) { return bits<T>::value_of(*(volatile type*)at); }
    static __host__ __device__ void store(type* at, T value) { *(volatile type*)at = bits<T>::word_of(value); }
    static __host__ __device__ T exchange(type* at, T value) { return bits<T>::value_of(atomicExch(at, bits<T>::word_of(value))); }
    static __host__ __device__ bool compare_exchange(type* at, T& expected, T value) {
        type wanted = bits<T>::word_of(expected);
        type seen = atomicCAS(at, wanted, bits<T>::word_of(value));
        if (seen != wanted) {
            expected = bits<T>::value_of(seen);
        }
        return seen == wanted;
    }
    static __host__ __device__ T largest(type* at, T value) {
        T seen = load(at);
        while (seen < value && !compare_exchange(at, seen, value)) {
        }
        return seen;
    }
    static __host__ __device__ T least(type* at, T value) {
        T seen = load(at);
        while (value < seen && !compare_exchange(at, seen, value)) {
        }
        return seen;
    }
    static __device__ void wait(type* at, T old) {
        while (load(at) == old) {
            __nanosleep(0);
        }
    }
};

}  // namespace __atomics

#define __ATOMIC_OPERATIONS(AT) \
    __host__ __device__ T load(memory_order = memory_order_seq_cst) const { return operations::load(AT); } \
    __host__ __device__ operator T() const { return operations::load(AT); } \
    __host__ __device__ T exchange(T value, memory_order = memory_order_seq_cst) SELF { return operations::exchange(AT, value); } \
    __host__ __device__ void store(T value, memory_order = memory_order_seq_cst) SELF { operations::store(AT, value); } \
    __host__ __device__ T operator=(T value) SELF { \
        operations::store(AT, value); \
        return value; \
    } \
    __host__ __device__ bool compare_exchange_strong(T& expected, T value, memory_order = memory_order_seq_cst, \
                                            memory_order = memory_order_seq_cst) SELF { \
        return operations::compare_exchange(AT, expected, value); \
    } \
    __host__ __device__ bool compare_exchange_weak(T& expected, T value, memory_order = memory_order_seq_cst, \
                                          memory_order = memory_order_seq_cst) SELF { \
        return operations::compare_exchange(AT, expected, value); \
    } \
    __host__ __device__ T fetch_add(T by, memory_order = memory_order_seq_cst) SELF { \
        return __atomics::sum<T>::add(AT, by); \
    } \
    __host__ __device__ T fetch_sub(T by, memory_order = memory_order_seq_cst) SELF { \
        return __atomics::sum<T>::add(AT, -by); \
    } \
    __host__ __device__ T fetch_and(T by, memory_order = memory_order_seq_cst) SELF { return (T)atomicAnd(AT, (type)by); } \
    __host__ __device__ T fetch_or(T by, memory_order = memory_order_seq_cst) SELF { return (T)atomicOr(AT, (type)by); } \
    __host__ __device__ T fetch_xor(T by, memory_order = memory_order_seq_cst) SELF { return (T)atomicXor(AT, (type)by); } \
    __host__ __device__ T fetch_max(T by, memory_order = memory_order_seq_cst) SELF { return operations::largest(AT, by); } \
    __host__ __device__ T fetch_min(T by, memory_order = memory_order_seq_cst) SELF { return operations::least(AT, by); } \
    __host__ __device__ T operator++() SELF { return fetch_add(1) + 1; } \
    __host__ __device__ T operator++(int) SELF { return fetch_add(1); } \
    __host__ __device__ T operator--() SELF { return fetch_sub(1) - 1; } \
    __host__ __device__ T operator--(int) SELF { return fetch_sub(1); } \
    __host__ __device__ T operator+=(T by) SELF { return fetch_add(by) + by; } \
    __host__ __device__ T operator-=(T by) SELF { return fetch_sub(by) - by; } \
    __host__ __device__ T operator&=(T by) SELF { return fetch_and(by) & by; } \
    __host__ __device__ T operator|=(T by) SELF { return fetch_or(by) | by; } \
    __host__ __device__ T operator^=(T by) SELF { return fetch_xor(by) ^ by; } \
    __device__ void wait(T old, memory_order = memory_order_seq_cst) const { operations::wait(AT, old); } \
    __host__ __device__ void notify_one() SELF {} \
    __host__ __device__ void notify_all() SELF {} \
    __host__ __device__ bool is_lock_free() const { return true; }

#define SELF
template <typename T, thread_scope Scope = thread_scope_system>
struct atomic {
    typedef T value_type;
    typedef __atomics::operations<T> operations;
    typedef typename __atomics::bits<T>::type type;
    static constexpr bool is_always_lock_free = true;

    type word;

    atomic() = default;
    __host__ __device__ constexpr atomic(T value) : word(__atomics::bits<T>::word_of(value)) {}

    __ATOMIC_OPERATIONS((type*)&word)
};
#undef SELF

#define SELF const
template <typename T, thread_scope Scope = thread_scope_system>
struct atomic_ref {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "an atomic_ref needs a value of 4 or 8 bytes here");
    typedef T value_type;
    typedef __atomics::operations<T> operations;
    typedef typename __atomics::bits<T>::type type;
    static constexpr bool is_always_lock_free = true;
    static constexpr size_t required_alignment = sizeof(T);

    T* place;

    __host__ __device__ explicit atomic_ref(T& of) : place(&of) {}

    __ATOMIC_OPERATIONS((type*)place)
};
#undef SELF
#undef __ATOMIC_OPERATIONS

}  // namespace cuda
