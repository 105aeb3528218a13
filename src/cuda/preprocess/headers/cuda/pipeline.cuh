// What <cuda/pipeline> declares. Each stage of a block's pipeline has two barriers, `full` for the producers and `free`
// for the consumers; that of a single thread has groups of copies alone.
namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
    barrier<Scope> full[Stages];
    barrier<Scope> free[Stages];
    unsigned int producers;

    pipeline_shared_state() = default;
};

template <thread_scope Scope>
struct pipeline {
    barrier<Scope>* full;
    barrier<Scope>* free;
    unsigned int stages;
    bool produces;
    bool consumes;
    // Stages that the thread has begun to fill, filled, begun to use and released.
    unsigned int head;
    unsigned int tail;

    __device__ void producer_acquire() {
        // The stage was used before: its consumers must have released it.
        if (head >= stages) {
            free[head % stages].wait_parity((head / stages - 1) & 1);
        }
    }
    __device__ void producer_commit() {
        __commit_copies();
        if (!consumes) {
            full[head % stages].arrive();
        }
        head += 1;
    }
    __device__ void consumer_wait() {
        unsigned int stage = tail % stages;
        if (produces) {
            // Own copies of the stages behind this one may still be under way.
            __await_copies(head - tail - 1);
            full[stage].reach();
        }
        full[stage].wait_parity((tail / stages) & 1);
    }
    __device__ void consumer_release() {
        free[tail % stages].reach();
        tail += 1;
    }
    __device__ bool quit() { return true; }
};

template <>
struct pipeline<thread_scope_thread> {
    unsigned int head;
    unsigned int tail;

    __device__ void producer_acquire() {}
    __device__ void producer_commit() {
        __commit_copies();
        head += 1;
    }
    __device__ void consumer_wait() {
        if (head > tail) {
            __await_copies(head - tail - 1);
            tail += 1;
        }
    }
    __device__ void consumer_release() {}
    __device__ bool quit() { return true; }
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() {
    pipeline<thread_scope_thread> made;
    made.head = 0;
    made.tail = 0;
    return made;
}

namespace __pipelines {
template <typename Group, thread_scope Scope, unsigned char Stages>
__device__ inline pipeline<Scope> made(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                       unsigned int producers, unsigned int consumers, bool produces, bool consumes) {
    if (group.thread_rank() == 0) {
        for (int stage = 0; stage < Stages; ++stage) {
            init(&state->full[stage], producers);
            init(&state->free[stage], consumers);
        }
    }
    group.sync();
    pipeline<Scope> made;
    made.full = state->full;
    made.free = state->free;
    made.stages = Stages;
    made.produces = produces;
    made.consumes = consumes;
    made.head = 0;
    made.tail = 0;
    return made;
}
}  // namespace __pipelines

template <typename Group, thread_scope Scope, unsigned char Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
    return __pipelines::made(group, state, group.size(), group.size(), true, true);
}
// The first `producers` threads of the group fill stages, the others use them.
template <typename Group, thread_scope Scope, unsigned char Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                                size_t producers) {
    bool produces = group.thread_rank() < producers;
    unsigned int count = (unsigned int)producers;
    return __pipelines::made(group, state, count, group.size() - count, produces, !produces);
}
template <typename Group, thread_scope Scope, unsigned char Stages>
__device__ inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                                pipeline_role role) {
    bool produces = role == pipeline_role::producer;
    if (group.thread_rank() == 0) {
        state->producers = 0;
    }
    group.sync();
    if (produces) {
        atomicAdd(&state->producers, 1u);
    }
    group.sync();
    unsigned int count = atomicAdd(&state->producers, 0u);
    return __pipelines::made(group, state, count, group.size() - count, produces, !produces);
}

// Waits for the oldest group of copies, or for all but so many of the last ones.
template <unsigned char Count>
__device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe) {
    __await_copies(Count);
    pipe.tail = pipe.head - Count;
}

template <typename T, typename S, thread_scope Scope>
__device__ inline void memcpy_async(T* to, const S* from, size_t bytes, pipeline<Scope>& with) {
    __copies::shared_out<__copies::alignment_of<T>::value>(0, 1, (void*)to, (const void*)from, bytes);
}
template <typename T, typename S, size_t Alignment, thread_scope Scope>
__device__ inline void memcpy_async(T* to, const S* from, aligned_size_t<Alignment> bytes, pipeline<Scope>& with) {
    __copies::shared_out<(int)Alignment>(0, 1, (void*)to, (const void*)from, bytes.value);
}
template <typename Group, typename T, typename S, thread_scope Scope>
__device__ inline void memcpy_async(const Group& group, T* to, const S* from, size_t bytes, pipeline<Scope>& with) {
    constexpr int alignment = __copies::alignment_of<T>::value;
    __copies::shared_out<alignment>(group.thread_rank(), group.size(), (void*)to, (const void*)from, bytes);
}
template <typename Group, typename T, typename S, size_t Alignment, thread_scope Scope>
__device__ inline void memcpy_async(const Group& group, T* to, const S* from, aligned_size_t<Alignment> bytes,
                                    pipeline<Scope>& with) {
    __copies::shared_out<(int)Alignment>(group.thread_rank(), group.size(), (void*)to, (const void*)from, bytes.value);
}

}  // namespace cuda
