// What <cuda_pipeline_primitives.h> declares.
typedef unsigned int __pipeline_mbarrier_t;

// Copies `size` bytes, of which the last `zeros` are not read but zero.
__device__ inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
    // First what is known where it is called, mostly.
    if (zeros == size) {
        if (size == 16) {
            __copy_async((uint4*)to, uint4{0, 0, 0, 0});
        } else if (size == 8) {
            __copy_async((uint2*)to, uint2{0, 0});
        } else {
            __copy_async((unsigned int*)to, 0u);
        }
    } else if (zeros == 0) {
        if (size == 16) {
            __copies::part<16>(to, from);
        } else if (size == 8) {
            __copies::part<8>(to, from);
        } else {
            assert(size == 4);
            __copies::part<4>(to, from);
        }
    } else {
        assert(zeros < size);
        for (unsigned int at = 0; at < size; at += 4) {
            unsigned int word = 0;
            if (at < size - zeros) {
                word = *(const unsigned int*)((const char*)from + at);
            }
            __copy_async((unsigned int*)((char*)to + at), word);
        }
    }
}
__device__ inline void __pipeline_commit() { __commit_copies(); }
__device__ inline void __pipeline_wait_prior(size_t count) { __await_copies((unsigned int)count); }
