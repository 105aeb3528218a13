// <cub/cub.cuh>, for whole arrays: called once to learn the size of its storage, and again to do the work. One block
// reduces and scans, so that sums of floats are taken in another order than CUB's; the host sorts.
template <typename In, typename Out, typename Op, typename T>
__global__ void __cub_reduce(In in, Out out, long long n, Op op, T initial) {
    typedef cub::BlockReduce<T, 256> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    T sum = initial;
    bool has = false;
    for (long long i = threadIdx.x; i < n; i += 256) {
        sum = has ? op(sum, (T)in[i]) : (T)in[i];
        has = true;
    }
    T all = Reduce(storage).Reduce(sum, op, n < 256 ? (int)n : 256);
    if (threadIdx.x == 0) *out = n > 0 ? (T)op(initial, all) : initial;
}
template <bool INCLUSIVE, typename In, typename Out, typename Op, typename T>
__global__ void __cub_scan(In in, Out out, long long n, Op op, T initial) {
    typedef cub::BlockScan<T, 256> Scan;
    __shared__ typename Scan::TempStorage storage;
    __shared__ T before;
    if (threadIdx.x == 0) before = initial;
    for (long long begin = 0; begin < n; begin += 256) {
        __syncthreads();
        long long i = begin + threadIdx.x;
        T value = i < n ? (T)in[i] : initial, upto, start = before;
        Scan(storage).InclusiveScan(value, upto, op);
        T earlier = threadIdx.x == 0 ? start : op(start, storage.values[threadIdx.x - 1]);
        bool is_first = INCLUSIVE && begin == 0;
        T given = INCLUSIVE ? (is_first ? upto : op(start, upto)) : earlier;
        if (i < n) out[i] = given;
        __syncthreads();
        if (threadIdx.x == 255) before = is_first ? upto : op(start, upto);
    }
}
// Scans that begin anew where keys change.
template <bool INCLUSIVE, typename Keys, typename In, typename Out, typename Op, typename T, typename Same>
__global__ void __cub_scan_by_key(Keys keys, In in, Out out, long long n, Op op, T initial, Same same) {
    T sum = initial;
    for (long long i = 0; i < n; i++) {
        // Read first: the results may lie where the values do.
        T value = in[i];
        bool begins = i == 0 || !same(keys[i - 1], keys[i]);
        if (begins) sum = INCLUSIVE ? value : initial;
        if (INCLUSIVE && !begins) sum = op(sum, value);
        out[i] = sum;
        if (!INCLUSIVE) sum = op(sum, value);
    }
}
// One key and one sum of each row of equal keys, and how many rows there are.
template <typename Keys, typename KeysOut, typename In, typename Out, typename Count, typename Op>
__global__ void __cub_reduce_by_key(Keys keys, KeysOut keys_out, In in, Out out, Count count, Op op, long long n) {
    long long rows = 0;
    for (long long i = 0; i < n; i++) {
        if (i == 0 || !(keys[i] == keys[i - 1])) {
            keys_out[rows] = keys[i];
            out[rows++] = in[i];
        } else {
            out[rows - 1] = op(out[rows - 1], in[i]);
        }
    }
    *count = rows;
}
template <typename In, typename Out, typename Lengths, typename Count>
__global__ void __cub_run_lengths(In in, Out out, Lengths lengths, Count count, long long n) {
    long long rows = 0;
    for (long long i = 0; i < n; i++) {
        if (i == 0 || !(in[i] == in[i - 1])) {
            out[rows] = in[i];
            lengths[rows++] = 0;
        }
        lengths[rows - 1] += 1;
    }
    *count = rows;
}
// What is let through, in order, and how many there are.
#define __keep_where(condition) \
    long long taken = 0; \
    for (long long i = 0; i < n; i++) { \
        if (condition) out[taken++] = in[i]; \
    } \
    *count = taken;
template <typename In, typename Out, typename Count, typename Test>
__global__ void __cub_select(In in, Out out, Count count, long long n, Test test) { __keep_where(test(in[i])) }
template <typename In, typename Flags, typename Out, typename Count>
__global__ void __cub_flagged(In in, Flags flags, Out out, Count count, long long n) { __keep_where(flags[i]) }
template <typename In, typename Out, typename Count>
__global__ void __cub_unique(In in, Out out, Count count, long long n) { __keep_where(i == 0 || !(in[i] == in[i - 1])) }
#undef __keep_where
template <typename In, typename Count, typename Level>
__global__ void __cub_histogram(In in, Count* counts, int bins, Level lower, Level upper, long long n) {
    long long i = (long long)blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    Level value = (Level)in[i];
    if (value < lower || !(value < upper)) return;
    int bin = (int)((double)(value - lower) * bins / (double)(upper - lower));
    atomicAdd(counts + (bin < bins ? bin : bins - 1), (Count)1);
}

namespace cub {

// The first call asks for the size of the storage: one byte is enough here.
inline bool __asks(void* storage, size_t& bytes) {
    if (storage == 0) bytes = 1;
    return storage == 0;
}
template <typename T> struct __value_of;
template <typename T> struct __value_of<T*> { typedef T type; };
template <typename T> struct __value_of<const T*> { typedef T type; };

inline cudaError_t Debug(cudaError_t error, const char*, int) { return error; }
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) \
    if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) { \
        exit(1); \
    }

// Memory goes back at once: what would be kept for later calls is asked for anew.
struct CachingDeviceAllocator {
    CachingDeviceAllocator(bool = false, bool = false) {}
    CachingDeviceAllocator(unsigned int, unsigned int = 1, unsigned int = 9, size_t = 0, bool = false, bool = false) {}
    cudaError_t DeviceAllocate(int, void** to, size_t bytes, cudaStream_t = 0) { return cudaMalloc(to, bytes); }
    cudaError_t DeviceAllocate(void** to, size_t bytes, cudaStream_t = 0) { return cudaMalloc(to, bytes); }
    cudaError_t DeviceFree(int, void* of) { return cudaFree(of); }
    cudaError_t DeviceFree(void* of) { return cudaFree(of); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};

struct Equality {
    template <typename A, typename B> __host__ __device__ bool operator()(const A& a, const B& b) const { return a == b; }
};

struct DeviceReduce {
    template <typename Keys, typename KeysOut, typename In, typename Out, typename Count, typename Op>
    static cudaError_t ReduceByKey(void* storage, size_t& bytes, Keys keys, KeysOut keys_out, In in, Out out,
                                   Count count, Op op, long long n, cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_reduce_by_key<<<1, 1, 0, stream>>>(keys, keys_out, in, out, count, op, n);
        return cudaPeekAtLastError();
    }
    template <typename In, typename Out, typename Op, typename T>
    static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, long long n, Op op, T initial,
                              cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_reduce<<<1, 256, 0, stream>>>(in, out, n, op, initial);
        return cudaPeekAtLastError();
    }
    template <typename In, typename Out>
    static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
        typedef typename __value_of<In>::type T;
        return Reduce(storage, bytes, in, out, n, details::Plus(), T(0), stream);
    }
    template <typename In, typename Out>
    static cudaError_t Max(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
        typedef typename __value_of<In>::type T;
        return Reduce(storage, bytes, in, out, n, details::Larger(), std::numeric_limits<T>::lowest(), stream);
    }
    template <typename In, typename Out>
    static cudaError_t Min(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
        typedef typename __value_of<In>::type T;
        return Reduce(storage, bytes, in, out, n, details::Smaller(), std::numeric_limits<T>::max(), stream);
    }
};

struct DeviceScan {
    template <typename In, typename Out>
    static cudaError_t ExclusiveSum(void* storage, size_t& bytes, In in, Out out, long long n,
                                    cudaStream_t stream = 0) {
        typedef typename __value_of<In>::type T;
        return ExclusiveScan(storage, bytes, in, out, details::Plus(), T(0), n, stream);
    }
    template <typename In, typename Out>
    static cudaError_t InclusiveSum(void* storage, size_t& bytes, In in, Out out, long long n,
                                    cudaStream_t stream = 0) {
        return InclusiveScan(storage, bytes, in, out, details::Plus(), n, stream);
    }
    template <typename In, typename Out, typename Op, typename T>
    static cudaError_t ExclusiveScan(void* storage, size_t& bytes, In in, Out out, Op op, T initial, long long n,
                                     cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_scan<false><<<1, 256, 0, stream>>>(in, out, n, op, initial);
        return cudaPeekAtLastError();
    }
    template <typename In, typename Out, typename Op>
    static cudaError_t InclusiveScan(void* storage, size_t& bytes, In in, Out out, Op op, long long n,
                                     cudaStream_t stream = 0) {
        typedef typename __value_of<In>::type T;
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_scan<true><<<1, 256, 0, stream>>>(in, out, n, op, T());
        return cudaPeekAtLastError();
    }
    template <typename Keys, typename In, typename Out, typename Op, typename T, typename Same = Equality>
    static cudaError_t ExclusiveScanByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, Op op, T initial,
                                          long long n, Same same = Same(), cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_scan_by_key<false><<<1, 1, 0, stream>>>(keys, in, out, n, op, initial, same);
        return cudaPeekAtLastError();
    }
    template <typename Keys, typename In, typename Out, typename Op, typename Same = Equality>
    static cudaError_t InclusiveScanByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, Op op, long long n,
                                          Same same = Same(), cudaStream_t stream = 0) {
        typedef typename __value_of<In>::type T;
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_scan_by_key<true><<<1, 1, 0, stream>>>(keys, in, out, n, op, T(), same);
        return cudaPeekAtLastError();
    }
    template <typename Keys, typename In, typename Out, typename Same = Equality>
    static cudaError_t ExclusiveSumByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, long long n,
                                         Same same = Same(), cudaStream_t stream = 0) {
        typedef typename __value_of<In>::type T;
        return ExclusiveScanByKey(storage, bytes, keys, in, out, details::Plus(), T(0), n, same, stream);
    }
    template <typename Keys, typename In, typename Out, typename Same = Equality>
    static cudaError_t InclusiveSumByKey(void* storage, size_t& bytes, Keys keys, In in, Out out, long long n,
                                         Same same = Same(), cudaStream_t stream = 0) {
        return InclusiveScanByKey(storage, bytes, keys, in, out, details::Plus(), n, same, stream);
    }
};

struct DeviceRunLengthEncode {
    template <typename In, typename Out, typename Lengths, typename Count>
    static cudaError_t Encode(void* storage, size_t& bytes, In in, Out out, Lengths lengths, Count count, long long n,
                              cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_run_lengths<<<1, 1, 0, stream>>>(in, out, lengths, count, n);
        return cudaPeekAtLastError();
    }
};

template <typename T> struct DoubleBuffer {
    T* d_buffers[2];
    int selector;
    __host__ __device__ DoubleBuffer() : d_buffers{0, 0}, selector(0) {}
    __host__ __device__ DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate}, selector(0) {}
    __host__ __device__ T* Current() { return d_buffers[selector]; }
    __host__ __device__ T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
    // By up to 8 bits at a time, from the lowest on; keys that are equal stay in order.
    template <typename Key, typename Value>
    static cudaError_t sort(const Key* keys, Key* keys_to, const Value* values, Value* values_to, size_t n,
                            bool descends, int begin, int end, cudaStream_t stream) {
        typedef typename details::word<sizeof(Key)>::type Word;
        Key* from = (Key*)malloc(2 * n * sizeof(Key));
        Value* moved = (Value*)malloc(2 * n * sizeof(Value));
        cudaStreamSynchronize(stream);
        cudaError_t error = cudaMemcpy(from, keys, n * sizeof(Key), cudaMemcpyDeviceToHost);
        if (values) error = cudaMemcpy(moved, values, n * sizeof(Value), cudaMemcpyDeviceToHost);
        Key* to = from + n;
        Value* moved_to = moved + n;
        for (int shift = begin; shift < end; shift += 8) {
            Word digits = end - shift < 8 ? ((Word)1 << (end - shift)) - 1 : 255;
            size_t places[257] = {0};
            for (size_t i = 0; i < n; i++) {
                places[((details::sortable(from[i]) ^ (Word)-(int)descends) >> shift & digits) + 1]++;
            }
            for (int at = 0; at < 256; at++) places[at + 1] += places[at];
            for (size_t i = 0; i < n; i++) {
                size_t place = places[(details::sortable(from[i]) ^ (Word)-(int)descends) >> shift & digits]++;
                to[place] = from[i];
                if (values) moved_to[place] = moved[i];
            }
            Key* other = from;
            from = to;
            to = other;
            Value* another = moved;
            moved = moved_to;
            moved_to = another;
        }
        if (error == cudaSuccess) error = cudaMemcpy(keys_to, from, n * sizeof(Key), cudaMemcpyHostToDevice);
        if (values && error == cudaSuccess)
            error = cudaMemcpy(values_to, moved, n * sizeof(Value), cudaMemcpyHostToDevice);
        free(from < to ? from : to);
        free(moved < moved_to ? moved : moved_to);
        return error;
    }
    // From the current buffers to the others, which are the current ones then.
    template <typename Key, typename Value>
    static cudaError_t sort(DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, size_t n, bool descends, int begin,
                            int end, cudaStream_t stream) {
        cudaError_t error = sort(keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, descends,
                                 begin, end, stream);
        keys.selector ^= 1;
        values.selector ^= 1;
        return error;
    }
// Of two arrays each, and of buffers that change places.
#define __sorts(keys_alone, pairs, descends) \
    template <typename Key> \
    static cudaError_t keys_alone(void* storage, size_t& bytes, const Key* keys, Key* to, size_t n, int begin = 0, \
                                  int end = sizeof(Key) * 8, cudaStream_t stream = 0) { \
        if (__asks(storage, bytes)) return cudaSuccess; \
        return sort(keys, to, (const int*)0, (int*)0, n, descends, begin, end, stream); \
    } \
    template <typename Key> \
    static cudaError_t keys_alone(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, size_t n, int begin = 0, \
                                  int end = sizeof(Key) * 8, cudaStream_t stream = 0) { \
        if (__asks(storage, bytes)) return cudaSuccess; \
        DoubleBuffer<int> none; \
        return sort(keys, none, n, descends, begin, end, stream); \
    } \
    template <typename Key, typename Value> \
    static cudaError_t pairs(void* storage, size_t& bytes, const Key* keys, Key* to, const Value* values, \
                             Value* values_to, size_t n, int begin = 0, int end = sizeof(Key) * 8, \
                             cudaStream_t stream = 0) { \
        if (__asks(storage, bytes)) return cudaSuccess; \
        return sort(keys, to, values, values_to, n, descends, begin, end, stream); \
    } \
    template <typename Key, typename Value> \
    static cudaError_t pairs(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, \
                             size_t n, int begin = 0, int end = sizeof(Key) * 8, cudaStream_t stream = 0) { \
        if (__asks(storage, bytes)) return cudaSuccess; \
        return sort(keys, values, n, descends, begin, end, stream); \
    }
    __sorts(SortKeys, SortPairs, false)
    __sorts(SortKeysDescending, SortPairsDescending, true)
#undef __sorts
};

// What a test, flags or the element before let through, in order, and how many there are.
struct DeviceSelect {
    template <typename In, typename Out, typename Count, typename Test>
    static cudaError_t If(void* storage, size_t& bytes, In in, Out out, Count count, long long n, Test test,
                          cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_select<<<1, 1, 0, stream>>>(in, out, count, n, test);
        return cudaPeekAtLastError();
    }
    template <typename In, typename Flags, typename Out, typename Count>
    static cudaError_t Flagged(void* storage, size_t& bytes, In in, Flags flags, Out out, Count count, long long n,
                               cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_flagged<<<1, 1, 0, stream>>>(in, flags, out, count, n);
        return cudaPeekAtLastError();
    }
    template <typename In, typename Out, typename Count>
    static cudaError_t Unique(void* storage, size_t& bytes, In in, Out out, Count count, long long n,
                              cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        __cub_unique<<<1, 1, 0, stream>>>(in, out, count, n);
        return cudaPeekAtLastError();
    }
};

struct DeviceHistogram {
    template <typename In, typename Count, typename Level>
    static cudaError_t HistogramEven(void* storage, size_t& bytes, In in, Count* counts, int levels, Level lower,
                                     Level upper, long long n, cudaStream_t stream = 0) {
        if (__asks(storage, bytes)) return cudaSuccess;
        cudaMemsetAsync(counts, 0, (levels - 1) * sizeof(Count), stream);
        if (n > 0) __cub_histogram<<<(int)((n + 255) / 256), 256, 0, stream>>>(in, counts, levels - 1, lower, upper, n);
        return cudaPeekAtLastError();
    }
};

}  // namespace cub
