// The orders of memory of <atomic>, which those of <cuda/atomic> are as well.
namespace std {

enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};

}  // namespace std
