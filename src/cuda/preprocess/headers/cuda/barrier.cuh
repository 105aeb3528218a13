// What <cuda/barrier> declares. A barrier counts arrivals of a phase in shared memory; who waits lets other warps go on
// until the phase is over.
namespace cuda {

template <thread_scope Scope>
struct __align__(8) barrier {
    struct arrival_token {
        unsigned int phase;
    };

    // Threads that arrive in a phase, and in the upper half those that are still to arrive in this one.
    unsigned int threads;
    // Phases that are over.
    unsigned int phase;

    barrier() = default;
    __host__ __device__ barrier(ptrdiff_t expected) : threads((unsigned int)expected * 0x10001u), phase(0) {}

    static constexpr __host__ __device__ ptrdiff_t max() { return (1 << 15) - 1; }

    __device__ arrival_token arrive(ptrdiff_t count = 1) {
        // What the thread has copied with this barrier arrives before it does.
        __await_copies(0);
        return reach(count);
    }
    __device__ arrival_token reach(ptrdiff_t count = 1) {
        __threadfence_block();
        arrival_token token;
        token.phase = atomicAdd(&phase, 0u);
        unsigned int before = atomicSub(&threads, (unsigned int)count << 16);
        if (before >> 16 == (unsigned int)count) {
            // The last one: the next phase begins with as many as there are by now.
            atomicAdd(&threads, before << 16);
            atomicAdd(&phase, 1u);
        }
        return token;
    }
    __device__ bool test_wait(arrival_token token) { return atomicAdd(&phase, 0u) != token.phase; }
    __device__ bool try_wait(arrival_token token) {
        __nanosleep(0);
        return test_wait(token);
    }
    __device__ bool test_wait_parity(bool parity) { return (atomicAdd(&phase, 0u) & 1) != (unsigned int)parity; }
    __device__ bool try_wait_parity(bool parity) {
        __nanosleep(0);
        return test_wait_parity(parity);
    }
    __device__ void wait(arrival_token token) {
        while (!test_wait(token)) {
            __nanosleep(0);
        }
    }
    __device__ void wait_parity(bool parity) {
        while (!test_wait_parity(parity)) {
            __nanosleep(0);
        }
    }
    __device__ void arrive_and_wait() { wait(arrive()); }
    __device__ void arrive_and_drop() {
        atomicSub(&threads, 1u);
        arrive();
    }
};

template <thread_scope Scope>
__device__ inline void init(barrier<Scope>* made, ptrdiff_t expected) {
    made->threads = (unsigned int)expected * 0x10001u;
    made->phase = 0;
}

template <typename T, typename S, thread_scope Scope>
__device__ inline void memcpy_async(T* to, const S* from, size_t bytes, barrier<Scope>& with) {
    __copies::shared_out<__copies::alignment_of<T>::value>(0, 1, (void*)to, (const void*)from, bytes);
    __commit_copies();
}
template <typename T, typename S, size_t Alignment, thread_scope Scope>
__device__ inline void memcpy_async(T* to, const S* from, aligned_size_t<Alignment> bytes, barrier<Scope>& with) {
    __copies::shared_out<(int)Alignment>(0, 1, (void*)to, (const void*)from, bytes.value);
    __commit_copies();
}
template <typename Group, typename T, typename S, thread_scope Scope>
__device__ inline void memcpy_async(const Group& group, T* to, const S* from, size_t bytes, barrier<Scope>& with) {
    constexpr int alignment = __copies::alignment_of<T>::value;
    __copies::shared_out<alignment>(group.thread_rank(), group.size(), (void*)to, (const void*)from, bytes);
    __commit_copies();
}
template <typename Group, typename T, typename S, size_t Alignment, thread_scope Scope>
__device__ inline void memcpy_async(const Group& group, T* to, const S* from, aligned_size_t<Alignment> bytes,
                                    barrier<Scope>& with) {
    __copies::shared_out<(int)Alignment>(group.thread_rank(), group.size(), (void*)to, (const void*)from, bytes.value);
    __commit_copies();
}

}  // namespace cuda
