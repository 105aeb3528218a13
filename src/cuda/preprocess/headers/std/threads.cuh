// <thread>, <mutex>, <atomic> and <future> for one thread: what is started runs to its end at once.
namespace std {

class mutex {
public:
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
};
typedef mutex recursive_mutex;
inline void atomic_thread_fence(memory_order) {}
inline void atomic_signal_fence(memory_order) {}
template <class M> class lock_guard {
public:
    explicit lock_guard(M& of) {}
};
struct defer_lock_t {};
const defer_lock_t defer_lock = {};
template <class M> class unique_lock {
public:
    unique_lock() : __owns(false) {}
    explicit unique_lock(M& of) : __owns(true) {}
    unique_lock(M& of, defer_lock_t) : __owns(false) {}
    void lock() { __owns = true; }
    bool try_lock() { return __owns = true; }
    void unlock() { __owns = false; }
    bool owns_lock() const { return __owns; }

private:
    bool __owns;
};
template <class M> class shared_lock {
public:
    explicit shared_lock(M& of) {}
};
template <class M> class scoped_lock {
public:
    explicit scoped_lock(M& of) {}
};
template <class M> lock_guard<M> __deduced_lock_guard(M& of) { return lock_guard<M>(of); }
template <class M> unique_lock<M> __deduced_unique_lock(M& of) { return unique_lock<M>(of); }
template <class M> scoped_lock<M> __deduced_scoped_lock(M& of) { return scoped_lock<M>(of); }
typedef mutex shared_mutex;

// Whoever waits waits for nobody: what would have woken it has run.
class condition_variable {
public:
    void notify_one() {}
    void notify_all() {}
    template <class L> void wait(L& lock) {}
    template <class L, class P> void wait(L& lock, P is_over) {
        if (!is_over()) {
            fprintf(stderr, "a thread waits for one that has not begun: threads run one after the other here\n");
            abort();
        }
    }
};
struct once_flag {
    bool is_over = false;
};
template <class F> void call_once(once_flag& flag, F f) {
    if (!flag.is_over) {
        flag.is_over = true;
        f();
    }
}

class thread {
public:
    thread() : __joinable(false) {}
    template <class F> explicit thread(F f) : __joinable(true) { f(); }
    template <class F, class A, class... B> thread(F f, A a, B... b) : __joinable(true) {
        f(__unwrapped(a), __unwrapped(b)...);
    }
    bool joinable() const { return __joinable; }
    void join() { __joinable = false; }
    void detach() { __joinable = false; }
    static unsigned int hardware_concurrency() { return 1; }

private:
    bool __joinable;
};

template <class T> class atomic {
public:
    atomic() : __value() {}
    atomic(T value) : __value(value) {}
    T load(memory_order = memory_order_seq_cst) const { return __value; }
    void store(T value, memory_order = memory_order_seq_cst) { __value = value; }
    operator T() const { return __value; }
    T operator=(T value) { return __value = value; }
    T exchange(T value, memory_order = memory_order_seq_cst) {
        T old = __value;
        __value = value;
        return old;
    }
    bool compare_exchange_strong(T& expected, T value, memory_order = memory_order_seq_cst) {
        bool same = __value == expected;
        if (same) {
            __value = value;
        } else {
            expected = __value;
        }
        return same;
    }
    bool compare_exchange_weak(T& expected, T value, memory_order = memory_order_seq_cst) { return compare_exchange_strong(expected, value); }
    T fetch_add(T by, memory_order = memory_order_seq_cst) {
        T old = __value;
        __value += by;
        return old;
    }
    T fetch_sub(T by, memory_order = memory_order_seq_cst) {
        T old = __value;
        __value -= by;
        return old;
    }
    T operator++() { return ++__value; }
    T operator++(int) { return __value++; }
    T operator--() { return --__value; }
    T operator--(int) { return __value--; }
    T operator+=(T by) { return __value += by; }
    T operator-=(T by) { return __value -= by; }

private:
    T __value;
};
class ostream;
template <class T> ostream& operator<<(ostream& to, const atomic<T>& of) { return to << of.load(); }
typedef atomic<int> atomic_int;
typedef atomic<unsigned int> atomic_uint;
typedef atomic<long> atomic_long;
typedef atomic<size_t> atomic_size_t;

enum class launch { async = 1, deferred = 2 };
template <class T> class future {
public:
    future() : __value(0) {}
    explicit future(const T& value) : __value(new T(value)) {}
    explicit future(T* value) : __value(value) {}
    T get() { return *__value; }
    void wait() const {}
    bool valid() const { return __value != 0; }

private:
    T* __value;
};
template <> class future<void> {
public:
    void get() {}
    void wait() const {}
    bool valid() const { return true; }
};
template <class T> struct __result_of {
    template <class F, class... A> static future<T> give(F& f, A&... a) { return future<T>(f(__unwrapped(a)...)); }
};
template <> struct __result_of<void> {
    template <class F, class... A> static future<void> give(F& f, A&... a) {
        f(__unwrapped(a)...);
        return future<void>();
    }
};
template <class F, class... A> auto async(launch, F f, A... a) { return __result_of<decltype(f(__unwrapped(a)...))>::give(f, a...); }
template <class F> auto async(F f) { return __result_of<decltype(f())>::give(f); }
template <class T> class promise {
public:
    promise() : __value(new T()) {}
    void set_value(const T& value) { *__value = value; }
    future<T> get_future() { return future<T>(__value); }

private:
    T* __value;
};

}  // namespace std
