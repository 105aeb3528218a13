// <cub/cub.cuh>, for threads of a block and of a warp: the values of CUB's functions, in the order in which CUB takes
// them together. What they read and write in shared memory is of this text, not of CUB's.
namespace cub {

struct NullType {};
namespace details {
struct Plus { template <typename T> __host__ __device__ T operator()(const T& a, const T& b) const { return a + b; } };
struct Larger {
    template <typename T> __host__ __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
struct Smaller {
    template <typename T> __host__ __device__ T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
}  // namespace details
typedef details::Plus Sum;
typedef details::Larger Max;
typedef details::Smaller Min;
struct ArgMax {
    template <typename T> __host__ __device__ T operator()(const T& a, const T& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename T> __host__ __device__ T operator()(const T& a, const T& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <typename Key, typename Value> struct KeyValuePair {
    Key key;
    Value value;
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS,
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

namespace details {

__device__ inline int thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline int lane() { return thread() & 31; }
__device__ inline unsigned int lanes_of(int width) {
    return width == 32 ? 0xffffffffu : ((1u << width) - 1) << (lane() / width * width);
}
// A value of any type from another lane, word by word.
template <int WIDTH, typename T> __device__ T down(T value, int delta, unsigned int lanes) {
    if constexpr (sizeof(T) < 4) {
        int word = value;
        return (T)__shfl_down_sync(lanes, word, delta, WIDTH);
    } else {
        T given = value;
        unsigned int* words = reinterpret_cast<unsigned int*>(&given);
        for (int at = 0; at < (int)(sizeof(T) / 4); ++at) words[at] = __shfl_down_sync(lanes, words[at], delta, WIDTH);
        return given;
    }
}
template <int WIDTH, typename T> __device__ T up(T value, int delta, unsigned int lanes) {
    if constexpr (sizeof(T) < 4) {
        int word = value;
        return (T)__shfl_up_sync(lanes, word, delta, WIDTH);
    } else {
        T given = value;
        unsigned int* words = reinterpret_cast<unsigned int*>(&given);
        for (int at = 0; at < (int)(sizeof(T) / 4); ++at) words[at] = __shfl_up_sync(lanes, words[at], delta, WIDTH);
        return given;
    }
}
// The first `valid` lanes taken together, in the first.
template <int WIDTH, typename T, typename Op> __device__ T reduce(T value, Op op, int valid, unsigned int lanes) {
    for (int offset = 1; offset < WIDTH; offset *= 2) {
        T other = down<WIDTH>(value, offset, lanes);
        if (lane() % WIDTH + offset < valid) value = op(value, other);
    }
    return value;
}
// Each lane with all before it.
template <int WIDTH, typename T, typename Op> __device__ T scan(T value, Op op, unsigned int lanes) {
    for (int offset = 1; offset < WIDTH; offset *= 2) {
        T other = up<WIDTH>(value, offset, lanes);
        if (lane() % WIDTH >= offset) value = op(other, value);
    }
    return value;
}

// Bits of a key in whose order keys are sorted.
template <int BYTES> struct word { using type = unsigned int; };
template <> struct word<8> { using type = unsigned long long; };
template <typename T> __host__ __device__ typename word<sizeof(T)>::type sortable(T key) {
    using Word = typename word<sizeof(T)>::type;
    constexpr int bits = sizeof(T) * 8;
    const Word sign = (Word)1 << (bits - 1), all = sign | (sign - 1);
    if constexpr ((T)0.5 != (T)0) {
        Word word;
        if constexpr (sizeof(T) == 8) word = *reinterpret_cast<unsigned long long*>(&key);
        else word = *reinterpret_cast<unsigned int*>(&key);
        // Both zeros are one key.
        if (word == sign) word = 0;
        return (word & sign) != 0 ? ~word & all : word | sign;
    } else {
        Word word = (Word)key & all;
        return (T)-1 < (T)0 ? word ^ sign : word;
    }
}

}  // namespace details

template <typename T, int WIDTH = 32> struct WarpReduce {
    struct TempStorage { int unused; };
    __device__ WarpReduce(TempStorage&) {}
    template <typename Op> __device__ T Reduce(T value, Op op) { return Reduce(value, op, WIDTH); }
    template <typename Op> __device__ T Reduce(T value, Op op, int valid) {
        return details::reduce<WIDTH>(value, op, valid, details::lanes_of(WIDTH));
    }
    __device__ T Sum(T value) { return Reduce(value, details::Plus(), WIDTH); }
    __device__ T Sum(T value, int valid) { return Reduce(value, details::Plus(), valid); }
    __device__ T Max(T value) { return Reduce(value, details::Larger(), WIDTH); }
    __device__ T Min(T value) { return Reduce(value, details::Smaller(), WIDTH); }
};

template <typename T, int WIDTH = 32> struct WarpScan {
    struct TempStorage { int unused; };
    __device__ WarpScan(TempStorage&) {}
    __device__ T Broadcast(T value, unsigned int from) {
        unsigned int* words = reinterpret_cast<unsigned int*>(&value);
        for (int at = 0; at < (int)(sizeof(T) / 4); ++at)
            words[at] = __shfl_sync(details::lanes_of(WIDTH), words[at], from, WIDTH);
        return value;
    }
    template <typename Op> __device__ void InclusiveScan(T value, T& to, Op op) {
        to = details::scan<WIDTH>(value, op, details::lanes_of(WIDTH));
    }
    template <typename Op> __device__ void InclusiveScan(T value, T& to, Op op, T& all) {
        InclusiveScan(value, to, op);
        all = Broadcast(to, WIDTH - 1);
    }
    template <typename Op> __device__ void ExclusiveScan(T value, T& to, T initial, Op op) {
        T upto = details::scan<WIDTH>(value, op, details::lanes_of(WIDTH));
        T before = details::up<WIDTH>(upto, 1, details::lanes_of(WIDTH));
        to = details::lane() % WIDTH == 0 ? initial : op(initial, before);
    }
    template <typename Op> __device__ void ExclusiveScan(T value, T& to, Op op) {
        T upto = details::scan<WIDTH>(value, op, details::lanes_of(WIDTH));
        to = details::up<WIDTH>(upto, 1, details::lanes_of(WIDTH));
    }
    __device__ void InclusiveSum(T value, T& to) { InclusiveScan(value, to, details::Plus()); }
    __device__ void InclusiveSum(T value, T& to, T& all) { InclusiveScan(value, to, details::Plus(), all); }
    __device__ void ExclusiveSum(T value, T& to) {
        T upto = details::scan<WIDTH>(value, details::Plus(), details::lanes_of(WIDTH));
        T before = details::up<WIDTH>(upto, 1, details::lanes_of(WIDTH));
        to = details::lane() % WIDTH == 0 ? T(0) : before;
    }
    __device__ void ExclusiveSum(T value, T& to, T& all) {
        T upto;
        InclusiveSum(value, upto, all);
        ExclusiveSum(value, to);
    }
};

template <typename T, int X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
struct BlockReduce {
    static constexpr int threads = X * Y * Z;
    static constexpr int warps = (threads + 31) / 32;
    struct TempStorage { T of_warp[warps]; };
    TempStorage& storage;
    __device__ BlockReduce(TempStorage& storage) : storage(storage) {}

    template <typename Op> __device__ T Reduce(T value, Op op) { return Reduce(value, op, threads); }
    template <typename Op> __device__ T Reduce(T value, Op op, int valid) {
        int warp = details::thread() / 32, begin = warp * 32;
        int in_warp = valid - begin < 32 ? valid - begin : 32;
        unsigned int lanes = threads - begin >= 32 ? 0xffffffffu : (1u << (threads - begin)) - 1;
        T sum = details::reduce<32>(value, op, in_warp, lanes);
        if (details::lane() == 0) storage.of_warp[warp] = sum;
        __syncthreads();
        if (details::thread() == 0) {
            for (int next = 1; next < warps; ++next)
                if (next * 32 < valid) sum = op(sum, storage.of_warp[next]);
        }
        return sum;
    }
    template <int N, typename Op> __device__ T Reduce(T (&values)[N], Op op) {
        T sum = values[0];
        for (int at = 1; at < N; ++at) sum = op(sum, values[at]);
        return Reduce(sum, op, threads);
    }
    __device__ T Sum(T value) { return Reduce(value, details::Plus(), threads); }
    __device__ T Sum(T value, int valid) { return Reduce(value, details::Plus(), valid); }
    template <int N> __device__ T Sum(T (&values)[N]) { return Reduce(values, details::Plus()); }
};

template <typename T, int X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1> struct BlockScan {
    static constexpr int threads = X * Y * Z;
    // The first warp rakes: each of its threads goes over a segment.
    static constexpr int segment = (threads + 31) / 32;
    static constexpr int rakers = (threads + segment - 1) / segment;
    struct TempStorage {
        T values[threads];
        T all;
    };
    TempStorage& storage;
    __device__ BlockScan(TempStorage& storage) : storage(storage) {}

    // Leaves in `values` what each thread has with all before it, behind `initial` if there is one.
    template <typename Op> __device__ void rake(T value, Op op) {
        int thread = details::thread();
        storage.values[thread] = value;
        __syncthreads();
        if (thread < rakers) {
            unsigned int lanes = rakers >= 32 ? 0xffffffffu : (1u << rakers) - 1;
            int begin = thread * segment, end = begin + segment < threads ? begin + segment : threads;
            T sum = storage.values[begin];
            for (int at = begin + 1; at < end; ++at) sum = op(sum, storage.values[at]);
            T upto = details::scan<32>(sum, op, lanes);
            T before = details::up<32>(upto, 1, lanes);
            if (thread == rakers - 1) storage.all = upto;
            T running = thread == 0 ? storage.values[begin] : op(before, storage.values[begin]);
            storage.values[begin] = running;
            for (int at = begin + 1; at < end; ++at) {
                running = op(running, storage.values[at]);
                storage.values[at] = running;
            }
        }
        __syncthreads();
    }
    template <typename Op> __device__ void InclusiveScan(T value, T& to, Op op) {
        rake(value, op);
        to = storage.values[details::thread()];
    }
    template <typename Op> __device__ void InclusiveScan(T value, T& to, Op op, T& all) {
        InclusiveScan(value, to, op);
        all = storage.all;
    }
    // The first thread has nothing before it.
    template <typename Op> __device__ void ExclusiveScan(T value, T& to, Op op) {
        rake(value, op);
        if (details::thread() > 0) to = storage.values[details::thread() - 1];
    }
    template <typename Op> __device__ void ExclusiveScan(T value, T& to, T initial, Op op) {
        rake(value, op);
        to = details::thread() == 0 ? initial : op(initial, storage.values[details::thread() - 1]);
    }
    template <typename Op> __device__ void ExclusiveScan(T value, T& to, T initial, Op op, T& all) {
        ExclusiveScan(value, to, initial, op);
        all = storage.all;
    }
    __device__ void InclusiveSum(T value, T& to) { InclusiveScan(value, to, details::Plus()); }
    __device__ void InclusiveSum(T value, T& to, T& all) { InclusiveScan(value, to, details::Plus(), all); }
    __device__ void ExclusiveSum(T value, T& to) {
        rake(value, details::Plus());
        to = details::thread() == 0 ? T(0) : storage.values[details::thread() - 1];
    }
    __device__ void ExclusiveSum(T value, T& to, T& all) {
        ExclusiveSum(value, to);
        all = storage.all;
    }
    template <int N, typename Op> __device__ void InclusiveScan(T (&values)[N], T (&to)[N], Op op) {
        T sum = values[0], before;
        for (int at = 1; at < N; ++at) sum = op(sum, values[at]);
        ExclusiveScan(sum, before, op);
        for (int at = 0; at < N; ++at) {
            before = at == 0 && details::thread() == 0 ? values[0] : op(before, values[at]);
            to[at] = before;
        }
    }
    template <int N> __device__ void InclusiveSum(T (&values)[N], T (&to)[N]) { InclusiveScan(values, to, details::Plus()); }
    template <int N> __device__ void InclusiveSum(T (&values)[N], T (&to)[N], T& all) {
        InclusiveScan(values, to, details::Plus());
        all = storage.all;
    }
    template <int N, typename Op> __device__ void ExclusiveScan(T (&values)[N], T (&to)[N], T initial, Op op) {
        T sum = values[0], before;
        for (int at = 1; at < N; ++at) sum = op(sum, values[at]);
        ExclusiveScan(sum, before, initial, op);
        for (int at = 0; at < N; ++at) {
            T value = values[at];
            to[at] = before;
            before = op(before, value);
        }
    }
    template <int N> __device__ void ExclusiveSum(T (&values)[N], T (&to)[N]) {
        ExclusiveScan(values, to, T(0), details::Plus());
    }
    template <int N> __device__ void ExclusiveSum(T (&values)[N], T (&to)[N], T& all) {
        ExclusiveSum(values, to);
        all = storage.all;
    }
};

template <typename T, int X, int N, bool TIME_SLICED = false, int Y = 1, int Z = 1> struct BlockExchange {
    static constexpr int threads = X * Y * Z;
    struct TempStorage { T values[threads * N]; };
    TempStorage& storage;
    __device__ BlockExchange(TempStorage& storage) : storage(storage) {}
    __device__ void StripedToBlocked(T (&from)[N], T (&to)[N]) {
        for (int at = 0; at < N; ++at) storage.values[at * threads + details::thread()] = from[at];
        __syncthreads();
        for (int at = 0; at < N; ++at) to[at] = storage.values[details::thread() * N + at];
    }
    __device__ void BlockedToStriped(T (&from)[N], T (&to)[N]) {
        for (int at = 0; at < N; ++at) storage.values[details::thread() * N + at] = from[at];
        __syncthreads();
        for (int at = 0; at < N; ++at) to[at] = storage.values[at * threads + details::thread()];
    }
    __device__ void StripedToBlocked(T (&values)[N]) { StripedToBlocked(values, values); }
    __device__ void BlockedToStriped(T (&values)[N]) { BlockedToStriped(values, values); }
    template <typename Rank> __device__ void ScatterToBlocked(T (&from)[N], T (&to)[N], Rank (&ranks)[N]) {
        for (int at = 0; at < N; ++at) storage.values[ranks[at]] = from[at];
        __syncthreads();
        for (int at = 0; at < N; ++at) to[at] = storage.values[details::thread() * N + at];
    }
};

// What threads load and store by themselves: N elements each, next to each other, or a block's threads apart.
template <typename T, int N, typename In>
__device__ __forceinline__ void LoadDirectBlocked(int thread, In from, T (&to)[N]) {
    for (int i = 0; i < N; i++) to[i] = from[thread * N + i];
}
template <typename T, int N, typename In>
__device__ __forceinline__ void LoadDirectBlocked(int thread, In from, T (&to)[N], int valid) {
    for (int i = 0; i < N; i++) {
        if (thread * N + i < valid) to[i] = from[thread * N + i];
    }
}
template <typename T, int N, typename Out>
__device__ __forceinline__ void StoreDirectBlocked(int thread, Out to, T (&from)[N]) {
    for (int i = 0; i < N; i++) to[thread * N + i] = from[i];
}
template <int X, typename T, int N, typename In>
__device__ __forceinline__ void LoadDirectStriped(int thread, In from, T (&to)[N]) {
    for (int i = 0; i < N; i++) to[i] = from[i * X + thread];
}
template <int X, typename T, int N, typename In>
__device__ __forceinline__ void LoadDirectStriped(int thread, In from, T (&to)[N], int valid) {
    for (int i = 0; i < N; i++) {
        if (i * X + thread < valid) to[i] = from[i * X + thread];
    }
}
template <int X, typename T, int N, typename Out>
__device__ __forceinline__ void StoreDirectStriped(int thread, Out to, T (&from)[N]) {
    for (int i = 0; i < N; i++) to[i * X + thread] = from[i];
}
template <typename T, int X, int N, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
struct BlockLoad {
    static constexpr int threads = X * Y * Z;
    static constexpr bool is_striped = ALGORITHM == BLOCK_LOAD_STRIPED, is_turned = ALGORITHM >= BLOCK_LOAD_TRANSPOSE;
    struct TempStorage { T values[is_turned ? threads * N : 1]; };
    TempStorage& storage;
    __device__ BlockLoad(TempStorage& storage) : storage(storage) {}
    __device__ static int place(int at) {
        return is_striped || is_turned ? at * threads + details::thread() : details::thread() * N + at;
    }
    __device__ void turn(T (&to)[N]) {
        if constexpr (is_turned) {
            for (int at = 0; at < N; ++at) storage.values[place(at)] = to[at];
            __syncthreads();
            for (int at = 0; at < N; ++at) to[at] = storage.values[details::thread() * N + at];
        }
    }
    template <typename Iterator> __device__ void Load(Iterator from, T (&to)[N]) {
        for (int at = 0; at < N; ++at) to[at] = from[place(at)];
        turn(to);
    }
    template <typename Iterator> __device__ void Load(Iterator from, T (&to)[N], int valid) {
        for (int at = 0; at < N; ++at)
            if (place(at) < valid) to[at] = from[place(at)];
        turn(to);
    }
    template <typename Iterator, typename Default>
    __device__ void Load(Iterator from, T (&to)[N], int valid, Default otherwise) {
        for (int at = 0; at < N; ++at) to[at] = otherwise;
        Load(from, to, valid);
    }
};

template <typename T, int X, int N, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
struct BlockStore {
    static constexpr int threads = X * Y * Z;
    static constexpr bool is_striped = ALGORITHM == BLOCK_STORE_STRIPED, is_turned = ALGORITHM >= BLOCK_STORE_TRANSPOSE;
    struct TempStorage { T values[is_turned ? threads * N : 1]; };
    TempStorage& storage;
    __device__ BlockStore(TempStorage& storage) : storage(storage) {}
    template <typename Iterator> __device__ void Store(Iterator to, T (&values)[N]) { Store(to, values, threads * N); }
    template <typename Iterator> __device__ void Store(Iterator to, T (&values)[N], int valid) {
        if constexpr (is_turned) {
            for (int at = 0; at < N; ++at) storage.values[details::thread() * N + at] = values[at];
            __syncthreads();
        }
        for (int at = 0; at < N; ++at) {
            int place = is_striped || is_turned ? at * threads + details::thread() : details::thread() * N + at;
            if (place >= valid) continue;
            if constexpr (is_turned) to[place] = storage.values[place];
            else to[place] = values[at];
        }
    }
};

// Sorts bit by bit: keys with a 0 go before those with a 1, and stay in order otherwise.
template <typename Key, int X, int N, typename Value = NullType> struct BlockRadixSort {
    typedef typename details::word<sizeof(Key)>::type Word;
    typedef BlockScan<int, X> Scan;
    struct TempStorage {
        typename Scan::TempStorage scan;
        Key keys[X * N];
        Value values[X * N];
    };
    TempStorage& storage;
    __device__ BlockRadixSort(TempStorage& storage) : storage(storage) {}

    template <bool HAS_VALUES> __device__ void sort(Key* keys, Value* values, bool descends, int begin, int end) {
        int thread = details::thread();
        for (int bit = begin; bit < end; ++bit) {
            int zeros = 0, before, all;
            bool is_one[N];
            for (int at = 0; at < N; ++at) {
                is_one[at] = (details::sortable(keys[at]) >> bit & 1) != (Word)descends;
                zeros += !is_one[at];
            }
            Scan(storage.scan).ExclusiveSum(zeros, before, all);
            int ones = all + thread * N - before;
            for (int at = 0; at < N; ++at) {
                int place = is_one[at] ? ones++ : before++;
                storage.keys[place] = keys[at];
                if constexpr (HAS_VALUES) storage.values[place] = values[at];
            }
            __syncthreads();
            for (int at = 0; at < N; ++at) {
                keys[at] = storage.keys[thread * N + at];
                if constexpr (HAS_VALUES) values[at] = storage.values[thread * N + at];
            }
            __syncthreads();
        }
    }
    __device__ void Sort(Key (&keys)[N], int begin = 0, int end = sizeof(Key) * 8) {
        sort<false>(keys, (Value*)0, false, begin, end);
    }
    __device__ void SortDescending(Key (&keys)[N], int begin = 0, int end = sizeof(Key) * 8) {
        sort<false>(keys, (Value*)0, true, begin, end);
    }
    __device__ void Sort(Key (&keys)[N], Value (&values)[N], int begin = 0, int end = sizeof(Key) * 8) {
        sort<true>(keys, values, false, begin, end);
    }
    __device__ void SortDescending(Key (&keys)[N], Value (&values)[N], int begin = 0, int end = sizeof(Key) * 8) {
        sort<true>(keys, values, true, begin, end);
    }
};

template <typename T, int X, int N, int BINS, BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT>
struct BlockHistogram {
    struct TempStorage { int unused; };
    __device__ BlockHistogram(TempStorage&) {}
    template <typename Count> __device__ void InitHistogram(Count (&bins)[BINS]) {
        for (int at = details::thread(); at < BINS; at += X) bins[at] = 0;
    }
    template <typename Count> __device__ void Composite(T (&items)[N], Count (&bins)[BINS]) {
        for (int at = 0; at < N; ++at) atomicAdd(&bins[items[at]], (Count)1);
    }
    template <typename Count> __device__ void Histogram(T (&items)[N], Count (&bins)[BINS]) {
        InitHistogram(bins);
        __syncthreads();
        Composite(items, bins);
    }
};

}  // namespace cub
