// The heap of kernels, for `malloc`, `free`, `new` and `delete`. A block is 16 bytes that describe it, and behind them
// what was asked for, which may be nothing: `malloc(0)` is no null pointer on an H200. Its length is rounded up to one of
// four lengths per power of two. Blocks that were given back lie in lists, one per length. The upper half of a list's
// first word counts its changes, so that no lane puts back a list that others have changed and changed again.
namespace __heap {

struct __align__(16) Block {
    unsigned int list;
    // The next block of its list, from 1 on.
    unsigned int next;
    // Of `new T[n]`.
    unsigned long long elements;
};

// `cudaLimitMallocHeapSize` where nobody sets it.
constexpr unsigned int usual_blocks = (8u << 20) / 16;
__device__ Block usual[usual_blocks];
// What `cudaDeviceSetLimit` has set.
__device__ Block* set;
__device__ unsigned long long set_blocks;
__device__ unsigned long long used_blocks;
__device__ unsigned long long lists[128];

__device__ inline Block* begin() { return set == 0 ? usual : set; }

// The list of blocks of at least so many times 16 bytes, and how many they have.
__device__ inline unsigned int list_of(unsigned long long blocks) {
    unsigned int octave = 63 - __clzll((long long)blocks);
    if (octave < 2) {
        return (unsigned int)blocks;
    }
    unsigned long long step = 1ull << (octave - 2);
    unsigned long long quarters = (blocks + step - 1) / step;
    return octave * 4 - 8 + (unsigned int)quarters;
}
__device__ inline unsigned long long length_of(unsigned int list) {
    if (list < 4) {
        return list;
    }
    return (unsigned long long)(list % 4 + 4) << (list / 4 - 1);
}

}  // namespace __heap

__device__ inline void* __device_malloc(unsigned long long bytes) {
    unsigned long long room = __heap::set == 0 ? __heap::usual_blocks : __heap::set_blocks;
    if (bytes > room * 16) {
        return 0;
    }
    __heap::Block* begin = __heap::begin();
    unsigned int list = __heap::list_of((bytes + 31) / 16);
    unsigned long long first = atomicAdd(&__heap::lists[list], 0ull);
    while ((unsigned int)first != 0) {
        __heap::Block* block = begin + (unsigned int)first - 1;
        unsigned long long rest = ((first >> 32) + 1) << 32 | atomicAdd(&block->next, 0u);
        unsigned long long seen = atomicCAS(&__heap::lists[list], first, rest);
        if (seen == first) {
            return block + 1;
        }
        first = seen;
    }
    unsigned long long length = __heap::length_of(list);
    unsigned long long at = atomicAdd(&__heap::used_blocks, length);
    if (at + length > room) {
        atomicAdd(&__heap::used_blocks, 0 - length);
        return 0;
    }
    begin[at].list = list;
    return begin + at + 1;
}

__device__ inline void __device_free(void* memory) {
    if (memory == 0) {
        return;
    }
    __heap::Block* block = (__heap::Block*)memory - 1;
    unsigned long long number = (unsigned long long)(block - __heap::begin()) + 1;
    unsigned int list = block->list;
    unsigned long long first = atomicAdd(&__heap::lists[list], 0ull);
    while (true) {
        atomicExch(&block->next, (unsigned int)first);
        unsigned long long seen = atomicCAS(&__heap::lists[list], first, ((first >> 32) + 1) << 32 | number);
        if (seen == first) {
            break;
        }
        first = seen;
    }
}

template <typename T>
__device__ inline T* __device_new_elements(unsigned long long count) {
    return (T*)__device_malloc(count * sizeof(T));
}
// `new (memory) T[count]`
template <typename T>
__device__ inline T* __device_elements_at(void* memory, unsigned long long) {
    return (T*)memory;
}
template <typename T>
__device__ inline T* __device_zeroes_at(void* memory, unsigned long long count) {
    T* elements = (T*)memory;
    if (elements != 0) {
        for (unsigned long long at = 0; at < count; ++at) {
            elements[at] = T();
        }
    }
    return elements;
}
template <typename T>
__device__ inline T* __device_objects_at(void* memory, unsigned long long count) {
    T* objects = (T*)memory;
    if (objects != 0) {
        for (unsigned long long at = 0; at < count; ++at) {
            new (objects + at) T();
        }
    }
    return objects;
}
template <typename T>
__device__ inline T* __device_new_zeroes(unsigned long long count) {
    return __device_zeroes_at<T>(__device_malloc(count * sizeof(T)), count);
}
template <typename T>
__device__ inline T* __device_new_objects(unsigned long long count) {
    void* memory = __device_malloc(count * sizeof(T));
    if (memory != 0) {
        ((__heap::Block*)memory - 1)->elements = count;
    }
    return __device_objects_at<T>(memory, count);
}
template <typename T>
__device__ inline void __device_delete_object(T* object) {
    if (object != 0) {
        object->~T();
        __device_free((void*)object);
    }
}
template <typename T>
__device__ inline void __device_delete_objects(T* objects) {
    if (objects != 0) {
        for (unsigned long long at = ((__heap::Block*)objects - 1)->elements; at > 0; --at) {
            objects[at - 1].~T();
        }
        __device_free((void*)objects);
    }
}
