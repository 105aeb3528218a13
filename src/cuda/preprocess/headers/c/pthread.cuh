// <pthread.h> for one thread: what is started runs to its end at once, which is one of the orders that POSIX allows.
// Who waits for a thread that has not begun would wait for ever: `pthread_cond_wait` and `pthread_barrier_wait` are declared,
// and refused where a program calls them.
typedef unsigned long pthread_t;
typedef int pthread_attr_t;
typedef int pthread_mutex_t;
typedef int pthread_mutexattr_t;
typedef int pthread_cond_t;
typedef int pthread_condattr_t;
typedef int pthread_barrier_t;
typedef int pthread_barrierattr_t;
typedef int pthread_rwlock_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0
#define PTHREAD_RWLOCK_INITIALIZER 0
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
extern "C" {
int pthread_cond_wait(pthread_cond_t*, pthread_mutex_t*);
int pthread_barrier_wait(pthread_barrier_t*);
}
// What `pthread_exit` throws: it ends what the thread has begun, as glibc's does.
struct __pthread_end {
    void* result;
};
inline pthread_t __pthread_running = 1;

inline int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*start)(void*), void* argument) {
    // The number of a thread is the place of its result.
    void** result = (void**)malloc(sizeof(void*));
    pthread_t before = __pthread_running;
    *thread = __pthread_running = (pthread_t)result;
    try {
        *result = start(argument);
    } catch (__pthread_end& end) {
        *result = end.result;
    }
    __pthread_running = before;
    return 0;
}
inline int pthread_join(pthread_t thread, void** result) {
    if (result != 0) {
        *result = *(void**)thread;
    }
    free((void*)thread);
    return 0;
}
inline int pthread_detach(pthread_t thread) {
    free((void*)thread);
    return 0;
}
inline void pthread_exit(void* result) {
    if (__pthread_running == 1) {
        exit(0);
    }
    __pthread_end end;
    end.result = result;
    throw end;
}
inline pthread_t pthread_self() { return __pthread_running; }
inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
inline int pthread_attr_init(pthread_attr_t*) { return 0; }
inline int pthread_attr_destroy(pthread_attr_t*) { return 0; }
inline int pthread_attr_setdetachstate(pthread_attr_t*, int) { return 0; }
inline int pthread_attr_setstacksize(pthread_attr_t*, size_t) { return 0; }
inline int pthread_mutex_init(pthread_mutex_t*, const pthread_mutexattr_t*) { return 0; }
inline int pthread_mutex_destroy(pthread_mutex_t*) { return 0; }
inline int pthread_mutex_lock(pthread_mutex_t*) { return 0; }
inline int pthread_mutex_trylock(pthread_mutex_t*) { return 0; }
inline int pthread_mutex_unlock(pthread_mutex_t*) { return 0; }
inline int pthread_cond_init(pthread_cond_t*, const pthread_condattr_t*) { return 0; }
inline int pthread_cond_destroy(pthread_cond_t*) { return 0; }
inline int pthread_cond_signal(pthread_cond_t*) { return 0; }
inline int pthread_cond_broadcast(pthread_cond_t*) { return 0; }
inline int pthread_barrier_init(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned int) { return 0; }
inline int pthread_barrier_destroy(pthread_barrier_t*) { return 0; }
