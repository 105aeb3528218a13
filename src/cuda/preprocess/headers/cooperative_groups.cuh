// What <cooperative_groups.h> declares, in the CUDA C++ that this program reads. Groups of lanes hold
// no more than CUDA's do, so that they cost what they cost there: a block and a tile hold nothing.
namespace cooperative_groups {

namespace details {

__device__ inline unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ inline unsigned int block_threads() {
    return blockDim.x * blockDim.y * blockDim.z;
}

__device__ inline unsigned int lane() {
    return thread_rank() & 31;
}

// The lane of the `count`th lane of `lanes` from lane `base` up; 32 if there are fewer.
__device__ inline unsigned int nth_lane(unsigned int lanes, unsigned int base, unsigned int count) {
    unsigned int rest = lanes >> base << base;
    for (unsigned int at = 1; at < count; ++at) {
        rest &= rest - 1;
    }
    return rest == 0 ? 32 : __ffs(rest) - 1;
}

// The bits of `chosen` at the lanes of `lanes`, side by side.
__device__ inline unsigned int packed(unsigned int lanes, unsigned int chosen) {
    unsigned int bits = 0;
    unsigned int rank = 0;
    for (unsigned int rest = lanes; rest != 0; rest &= rest - 1) {
        unsigned int lowest = rest & (0 - rest);
        bits |= (unsigned int)((chosen & lowest) != 0) << rank;
        rank += 1;
    }
    return bits;
}

// What the shuffles of a warp take as it is.
template <typename T>
struct is_shuffled {
    static constexpr bool value = false;
};
template <>
struct is_shuffled<bool> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<char> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<signed char> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<unsigned char> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<short> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<unsigned short> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<int> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<unsigned int> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<long long> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<unsigned long long> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<__half> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<__half2> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<__nv_bfloat16> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<__nv_bfloat162> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<float> {
    static constexpr bool value = true;
};
template <>
struct is_shuffled<double> {
    static constexpr bool value = true;
};

// Any other value, exchanged word by word.
template <typename T, typename Exchange>
__device__ T by_words(T value, Exchange exchange) {
    static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= 32,
                  "groups exchange values of up to 32 bytes, in whole words");
    T exchanged = value;
    unsigned int* words = reinterpret_cast<unsigned int*>(&exchanged);
    for (int at = 0; at < sizeof(T) / 4; ++at) {
        words[at] = exchange(words[at]);
    }
    return exchanged;
}

}  // namespace details

struct thread_block {
    __device__ static void sync() { __syncthreads(); }
    __device__ static void barrier_sync() { __syncthreads(); }
    __device__ static unsigned int thread_rank() { return details::thread_rank(); }
    __device__ static unsigned int num_threads() { return details::block_threads(); }
    __device__ static unsigned int size() { return details::block_threads(); }
    __device__ static uint3 group_index() { return blockIdx; }
    __device__ static uint3 thread_index() { return threadIdx; }
    __device__ static uint3 dim_threads() { return blockDim; }
    __device__ static uint3 group_dim() { return blockDim; }
    __device__ static void barrier_arrive() { __split_barrier(); }
    __device__ static void barrier_wait() { __split_barrier(); }
};

__device__ inline thread_block this_thread_block() {
    return thread_block{};
}

struct coalesced_group {
    unsigned int lanes;

    __device__ void sync() const { __syncwarp(lanes); }
    __device__ unsigned int num_threads() const { return __popc(lanes); }
    __device__ unsigned int size() const { return __popc(lanes); }
    __device__ unsigned int thread_rank() const {
        return __popc(lanes & ((1u << details::lane()) - 1));
    }
    __device__ unsigned int meta_group_rank() const { return 0; }
    __device__ unsigned int meta_group_size() const { return 1; }

    template <typename T>
    __device__ T shfl(T value, unsigned int rank) const {
        unsigned int from = lanes == 0xffffffffu ? rank : details::nth_lane(lanes, 0, rank + 1);
        return exchanged(value, from & 31);
    }
    template <typename T>
    __device__ T shfl_up(T value, unsigned int delta) const {
        unsigned int own = details::lane();
        unsigned int from = details::nth_lane(__brev(lanes), 31 - own, delta + 1);
        return exchanged(value, from < 32 ? 31 - from : own);
    }
    template <typename T>
    __device__ T shfl_down(T value, unsigned int delta) const {
        unsigned int own = details::lane();
        unsigned int from = details::nth_lane(lanes, own, delta + 1);
        return exchanged(value, from < 32 ? from : own);
    }
    template <typename T>
    __device__ T exchanged(T value, unsigned int from) const {
        if constexpr (details::is_shuffled<T>::value) {
            return __shfl_sync(lanes, value, from);
        } else {
            unsigned int mask = lanes;
            return details::by_words(value, [=](unsigned int word) {
                return __shfl_sync(mask, word, from);
            });
        }
    }
    __device__ int any(int predicate) const { return __ballot_sync(lanes, predicate) != 0; }
    __device__ int all(int predicate) const { return __ballot_sync(lanes, predicate) == lanes; }
    __device__ unsigned int ballot(int predicate) const {
        return details::packed(lanes, __ballot_sync(lanes, predicate));
    }
    template <typename T>
    __device__ unsigned int match_any(T value) const {
        return details::packed(lanes, __match_any_sync(lanes, value));
    }
    template <typename T>
    __device__ unsigned int match_all(T value, int& same) const {
        int found;
        unsigned int matched = __match_all_sync(lanes, value, &found);
        same = found;
        return details::packed(lanes, matched);
    }
};

__device__ inline coalesced_group coalesced_threads() {
    return coalesced_group{__activemask()};
}

template <unsigned int Size, typename Parent = thread_block>
struct thread_block_tile {
    // The lanes of the warp that are of this tile.
    __device__ static unsigned int lanes_of_tile() {
        if constexpr (Size == 32) {
            return 0xffffffffu;
        } else {
            return (0xffffffffu >> (32 - Size)) << (details::lane() & ~(Size - 1));
        }
    }
    __device__ static void sync() { __syncwarp(lanes_of_tile()); }
    __device__ static constexpr unsigned int num_threads() { return Size; }
    __device__ static constexpr unsigned int size() { return Size; }
    __device__ static unsigned int thread_rank() { return details::thread_rank() & (Size - 1); }
    __device__ static unsigned int meta_group_rank() { return Parent::thread_rank() / Size; }
    __device__ static unsigned int meta_group_size() { return (Parent::size() + Size - 1) / Size; }

// Values that are no words are shuffled word by word.
#define __shuffles(name, Lane, lane) \
    template <typename T> \
    __device__ T name(T value, Lane lane) const { \
        if constexpr (details::is_shuffled<T>::value) { \
            return __##name##_sync(lanes_of_tile(), value, lane, Size); \
        } else { \
            return details::by_words(value, [=](unsigned int word) { \
                return __##name##_sync(lanes_of_tile(), word, lane, Size); \
            }); \
        } \
    }
    __shuffles(shfl, int, rank)
    __shuffles(shfl_up, unsigned int, delta)
    __shuffles(shfl_down, unsigned int, delta)
    __shuffles(shfl_xor, unsigned int, mask)
#undef __shuffles
    __device__ static int any(int predicate) { return __any_sync(lanes_of_tile(), predicate); }
    __device__ static int all(int predicate) { return __all_sync(lanes_of_tile(), predicate); }
    __device__ static unsigned int ballot(int predicate) {
        return of_tile(__ballot_sync(lanes_of_tile(), predicate));
    }
    template <typename T>
    __device__ unsigned int match_any(T value) const {
        return of_tile(__match_any_sync(lanes_of_tile(), value));
    }
    template <typename T>
    __device__ unsigned int match_all(T value, int& same) const {
        int found;
        unsigned int matched = __match_all_sync(lanes_of_tile(), value, &found);
        same = found;
        return of_tile(matched);
    }

    __device__ static unsigned int of_tile(unsigned int lanes) {
        if constexpr (Size == 32) {
            return lanes;
        } else {
            return lanes >> (details::lane() & ~(Size - 1));
        }
    }
};

// Any group of a block: its lanes in the warp, or none for the whole block.
struct thread_group {
    unsigned int lanes;

    __device__ thread_group(thread_block) : lanes(0) {}
    __device__ thread_group(coalesced_group group) : lanes(group.lanes) {}
    __device__ thread_group(thread_block_tile<1> tile) : lanes(tile.lanes_of_tile()) {}
    __device__ thread_group(thread_block_tile<2> tile) : lanes(tile.lanes_of_tile()) {}
    __device__ thread_group(thread_block_tile<4> tile) : lanes(tile.lanes_of_tile()) {}
    __device__ thread_group(thread_block_tile<8> tile) : lanes(tile.lanes_of_tile()) {}
    __device__ thread_group(thread_block_tile<16> tile) : lanes(tile.lanes_of_tile()) {}
    __device__ thread_group(thread_block_tile<32> tile) : lanes(tile.lanes_of_tile()) {}

    __device__ void sync() const {
        if (lanes == 0) {
            __syncthreads();
        } else {
            __syncwarp(lanes);
        }
    }
    __device__ unsigned int num_threads() const { return size(); }
    __device__ unsigned int size() const {
        return lanes == 0 ? details::block_threads() : (unsigned int)__popc(lanes);
    }
    __device__ unsigned int thread_rank() const {
        return lanes == 0 ? details::thread_rank()
                          : (unsigned int)__popc(lanes & ((1u << details::lane()) - 1));
    }
};

template <unsigned int Size>
__device__ thread_block_tile<Size> tiled_partition(thread_block) {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads here");
    return thread_block_tile<Size>{};
}

template <unsigned int Size, unsigned int Outer, typename Parent>
__device__ thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    thread_block_tile<Outer, Parent>) {
    static_assert(Size >= 1 && Size <= Outer && (Size & (Size - 1)) == 0,
                  "a tile has a power of two of threads, and no more than what it is made of");
    return thread_block_tile<Size, thread_block_tile<Outer, Parent>>{};
}

// Groups of `size` threads, a power of two up to 32, of a block or of a group of lanes.
__device__ inline thread_group tiled_partition(thread_group parent, unsigned int size) {
    thread_group part = parent;
    if (parent.lanes == 0) {
        part.lanes = (0xffffffffu >> (32 - size)) << (details::lane() & ~(size - 1));
    } else {
        unsigned int first = parent.thread_rank() & ~(size - 1);
        unsigned int rank = 0;
        part.lanes = 0;
        for (unsigned int rest = parent.lanes; rest != 0; rest &= rest - 1) {
            if (rank >= first && rank < first + size) {
                part.lanes |= rest & (0 - rest);
            }
            rank += 1;
        }
    }
    return part;
}

// The lanes of a group that agree with this one.
template <unsigned int Size, typename Parent>
__device__ coalesced_group binary_partition(thread_block_tile<Size, Parent> tile, bool predicate) {
    unsigned int lanes = tile.lanes_of_tile();
    unsigned int yes = __ballot_sync(lanes, predicate);
    return coalesced_group{predicate ? yes : lanes & ~yes};
}
__device__ inline coalesced_group binary_partition(coalesced_group group, bool predicate) {
    unsigned int yes = __ballot_sync(group.lanes, predicate);
    return coalesced_group{predicate ? yes : group.lanes & ~yes};
}
template <unsigned int Size, typename Parent, typename T>
__device__ coalesced_group labeled_partition(thread_block_tile<Size, Parent> tile, T label) {
    return coalesced_group{__match_any_sync(tile.lanes_of_tile(), label)};
}
template <typename T>
__device__ coalesced_group labeled_partition(coalesced_group group, T label) {
    return coalesced_group{__match_any_sync(group.lanes, label)};
}

struct grid_group {
    __device__ static bool is_valid() { return true; }
    __device__ static void sync() { __grid_barrier(); }
    __device__ static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __device__ static unsigned long long thread_rank() {
        return block_rank() * details::block_threads() + details::thread_rank();
    }
    __device__ static unsigned long long num_threads() {
        return num_blocks() * details::block_threads();
    }
    __device__ static unsigned long long size() { return num_threads(); }
    __device__ static uint3 block_index() { return blockIdx; }
    __device__ static uint3 dim_blocks() { return gridDim; }
    __device__ static uint3 group_dim() { return gridDim; }
};

__device__ inline grid_group this_grid() {
    return grid_group{};
}

template <typename Group>
__device__ void sync(Group group) {
    group.sync();
}
template <typename Group>
__device__ auto thread_rank(Group group) {
    return group.thread_rank();
}
template <typename Group>
__device__ auto group_size(Group group) {
    return group.size();
}

}  // namespace cooperative_groups
