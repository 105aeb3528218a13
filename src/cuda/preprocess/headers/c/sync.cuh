// Atomic functions of GCC, for the host, whose code is one thread.
#define __old_value(name, op) \
    template <class T, class U> T __sync_fetch_and_##name(T* at, U value) { \
        T old = *at; \
        *at = old op value; \
        return old; \
    }
__old_value(add, +)
__old_value(sub, -)
__old_value(or, |)
__old_value(and, &)
__old_value(xor, ^)
#undef __old_value
template <class T, class U> T __sync_add_and_fetch(T* at, U value) { return *at += value; }
template <class T, class U> T __sync_sub_and_fetch(T* at, U value) { return *at -= value; }
template <class T, class U, class V> T __sync_val_compare_and_swap(T* at, U old, V value) {
    T before = *at;
    if (before == (T)old) {
        *at = value;
    }
    return before;
}
template <class T, class U, class V> bool __sync_bool_compare_and_swap(T* at, U old, V value) {
    return __sync_val_compare_and_swap(at, old, value) == (T)old;
}
template <class T, class U> T __sync_lock_test_and_set(T* at, U value) {
    T before = *at;
    *at = value;
    return before;
}
inline void __sync_synchronize() {}
