// What <cooperative_groups/scan.h> declares, beside the operations of reduce.h.
namespace cooperative_groups {

template <typename Group, typename T, typename Operation>
__device__ T inclusive_scan(Group group, T value, Operation operation) {
    unsigned int rank = group.thread_rank();
    T whole = value;
    for (unsigned int step = 1; step < group.size(); step *= 2) {
        T before = group.shfl_up(whole, step);
        if (rank >= step) {
            whole = operation(before, whole);
        }
    }
    return whole;
}
template <typename Group, typename T>
__device__ T inclusive_scan(Group group, T value) {
    return inclusive_scan(group, value, plus<T>{});
}
template <typename Group, typename T, typename Operation>
__device__ T exclusive_scan(Group group, T value, Operation operation) {
    T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
__device__ T exclusive_scan(Group group, T value) {
    return exclusive_scan(group, value, plus<T>{});
}

}  // namespace cooperative_groups
