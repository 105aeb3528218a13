// What <cooperative_groups/memcpy_async.h> declares.
namespace cooperative_groups {

template <typename Group, typename T, typename S>
__device__ inline void memcpy_async(const Group& group, T* to, const S* from, size_t bytes) {
    constexpr int alignment = __copies::alignment_of<T>::value;
    __copies::shared_out<alignment>(group.thread_rank(), group.size(), (void*)to, (const void*)from, bytes);
    __commit_copies();
}
template <typename Group, typename T, typename S, size_t Alignment>
__device__ inline void memcpy_async(const Group& group, T* to, const S* from, cuda::aligned_size_t<Alignment> bytes) {
    __copies::shared_out<(int)Alignment>(group.thread_rank(), group.size(), (void*)to, (const void*)from, bytes.value);
    __commit_copies();
}
// Elements, as many as there are in both.
template <typename Group, typename T>
__device__ inline void memcpy_async(const Group& group, T* to, size_t to_length, const T* from, size_t from_length) {
    size_t length = to_length < from_length ? to_length : from_length;
    memcpy_async(group, to, from, length * sizeof(T));
}

template <typename Group>
__device__ inline void wait(const Group& group) {
    __await_copies(0);
    group.sync();
}
template <unsigned int Count, typename Group>
__device__ inline void wait_prior(const Group& group) {
    __await_copies(Count);
    group.sync();
}

}  // namespace cooperative_groups
