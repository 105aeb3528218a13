// What <cooperative_groups/reduce.h> declares.
namespace cooperative_groups {

template <typename T>
struct plus {
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
    __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
    __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
    __device__ T operator()(T a, T b) const { return a ^ b; }
};

// As CUDA does it: half of the distance each time, both ways, so that every lane gets the result.
template <unsigned int Size, typename Parent, typename T, typename Operation>
__device__ T reduce(thread_block_tile<Size, Parent> tile, T value, Operation operation) {
    T whole = value;
    if constexpr (Size >= 32) {
        whole = operation(whole, tile.shfl_xor(whole, 16));
    }
    if constexpr (Size >= 16) {
        whole = operation(whole, tile.shfl_xor(whole, 8));
    }
    if constexpr (Size >= 8) {
        whole = operation(whole, tile.shfl_xor(whole, 4));
    }
    if constexpr (Size >= 4) {
        whole = operation(whole, tile.shfl_xor(whole, 2));
    }
    if constexpr (Size >= 2) {
        whole = operation(whole, tile.shfl_xor(whole, 1));
    }
    return whole;
}

template <typename T, typename Operation>
__device__ T reduce(coalesced_group group, T value, Operation operation) {
    unsigned int rank = group.thread_rank();
    unsigned int size = group.size();
    T whole = value;
    for (unsigned int step = 1; step < size; step *= 2) {
        T other = group.shfl_down(whole, step);
        if (rank + step < size) {
            whole = operation(whole, other);
        }
    }
    return group.shfl(whole, 0);
}

}  // namespace cooperative_groups
