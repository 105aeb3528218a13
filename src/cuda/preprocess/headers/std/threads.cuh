// <thread>, <mutex>, <atomic> and <future> for one thread: what is started runs to its end at once.
namespace std {

class mutex {
public:
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
};
typedef mutex recursive_mutex;
template <class M> class lock_guard {
public:
    explicit lock_guard(M& of) {}
};
template <class M> class unique_lock {
public:
    explicit unique_lock(M& of) {}
    void lock() {}
    void unlock() {}
};
template <class M> class scoped_lock {
public:
    explicit scoped_lock(M& of) {}
};

class thread {
public:
    thread() : __joinable(false) {}
    template <class F> explicit thread(F f) : __joinable(true) { f(); }
    template <class F, class A> thread(F f, A a) : __joinable(true) { f(a); }
    template <class F, class A, class B> thread(F f, A a, B b) : __joinable(true) { f(a, b); }
    template <class F, class A, class B, class C> thread(F f, A a, B b, C c) : __joinable(true) { f(a, b, c); }
    template <class F, class A, class B, class C, class D> thread(F f, A a, B b, C c, D d) : __joinable(true) {
        f(a, b, c, d);
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
    T load() const { return __value; }
    void store(T value) { __value = value; }
    operator T() const { return __value; }
    T operator=(T value) { return __value = value; }
    T exchange(T value) {
        T old = __value;
        __value = value;
        return old;
    }
    bool compare_exchange_strong(T& expected, T value) {
        bool same = __value == expected;
        if (same) {
            __value = value;
        } else {
            expected = __value;
        }
        return same;
    }
    bool compare_exchange_weak(T& expected, T value) { return compare_exchange_strong(expected, value); }
    T fetch_add(T by) {
        T old = __value;
        __value += by;
        return old;
    }
    T fetch_sub(T by) {
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
typedef atomic<int> atomic_int;
typedef atomic<bool> atomic_bool;

}  // namespace std
